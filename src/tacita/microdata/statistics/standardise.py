"""Columns on one scale, so that distances weigh them alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.core import Matrix


def centre_and_scale(x: Matrix) -> tuple[Matrix, Matrix]:
    """Mean and standard deviation (divisor n - 1) of every column, missing values (NaN) aside.

    The scale of a constant, empty or single-valued column is 0. O(n d).
    """
    present = ~np.isnan(x)
    count = present.sum(axis=0)
    centre = np.where(present, x, 0.0).sum(axis=0) / np.maximum(count, 1)
    squares = (np.where(present, x - centre, 0.0) ** 2).sum(axis=0)
    scale = np.sqrt(squares / np.maximum(count - 1, 1))
    highest = np.where(present, x, -np.inf).max(axis=0)
    lowest = np.where(present, x, np.inf).min(axis=0)
    return centre, np.where(highest > lowest, scale, 0.0)


def standardise(x: Matrix, known: tuple[Matrix, Matrix] | None = None) -> Matrix:
    """z-scores; a column without spread becomes 0 and contributes nothing to a distance. O(n d).

    Centre and scale are those of x, or `known`: those of a file that x is a part of.

    >>> standardise(np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])).tolist()
    [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    """
    centre, scale = known or centre_and_scale(x)
    return np.where(scale > 0, (x - centre) / np.where(scale > 0, scale, 1.0), np.where(np.isnan(x), x, 0.0))


def to_unit_range(x: Matrix, kinds: Sequence[str] = ()) -> Matrix:
    """Numbers and ordered levels from 0 to 1, a column without spread 0; names keep their codes. O(n d).

    >>> to_unit_range(np.array([[1.0, 7.0], [3.0, 4.0], [2.0, 7.0]]), ["numeric", "nominal"]).tolist()
    [[0.0, 7.0], [1.0, 4.0], [0.5, 7.0]]
    """
    present = ~np.isnan(x)
    lowest = np.where(present, x, np.inf).min(axis=0, initial=np.inf)
    span = np.where(present, x, -np.inf).max(axis=0, initial=-np.inf) - lowest
    scaled = (x - np.where(present.any(axis=0), lowest, 0.0)) / np.where(span > 0, span, 1.0)
    nominal = np.array([kind == "nominal" for kind in kinds] or [False] * x.shape[1])
    return np.where(nominal, x, scaled)
