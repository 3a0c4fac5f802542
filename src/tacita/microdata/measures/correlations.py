"""How columns go with each other before and after: Pearson correlations, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.core import Floats, Matrix
from tacita.core.results.plot_data import Correlations, Relation

# More columns than this cannot be read in one picture, nor more pairs in one list.
_COLUMNS = 12
_PAIRS = 10


def correlate(before: Matrix, after: Matrix, names: Sequence[str], k: int) -> Correlations | None:
    """Correlations of numeric columns; records with a missing value on either side are left out.

    r = sum (x - mean_x) (y - mean_y) / ((n - 1) S_x S_y). Columns that do not vary in the original are left
    out; None where fewer than two are left, or fewer than k records. O(n d^2).
    Source: Pearson (1895), Proceedings of the Royal Society of London 58, 240-242.

    >>> x = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 4.0]])
    >>> correlate(x, x[::-1], ["a", "b"], 3).relations[0].change
    0.0
    """
    complete = ~(np.isnan(before) | np.isnan(after)).any(axis=1)
    x, z = before[complete], after[complete]
    # two records always lie on a line
    if len(x) < max(k, 3):
        return None
    varies = np.ptp(x, axis=0) > 0
    if varies.sum() < 2:
        return None
    varying = [name for name, kept in zip(names, varies, strict=True) if kept]
    old, new = _matrix(x[:, varies]), _matrix(z[:, varies])
    change = np.nan_to_num(np.abs(new - old), nan=0.0)
    order = np.argsort(-change.max(axis=0), kind="stable")[:_COLUMNS]
    shown = np.sort(order)
    relations = [_relation(varying, old, new, i, j) for at, i in enumerate(shown) for j in shown[:at]]
    if shown.size == len(varying):
        return Correlations(len(varying), tuple(varying), tuple(relations))
    rows, columns = np.tril_indices(len(varying), -1)
    most = np.argsort(-change[rows, columns], kind="stable")[:_PAIRS]
    largest = [_relation(varying, old, new, rows[at], columns[at]) for at in most]
    return Correlations(len(varying), tuple(varying[i] for i in shown), tuple(relations), tuple(largest))


def _matrix(values: Matrix) -> Floats:
    """Correlations, not a number where a column does not vary."""
    centred = values - values.mean(axis=0)
    # before squares are taken: values may be as large as a float can be
    largest = np.abs(centred).max(axis=0)
    varies = np.ptp(values, axis=0) > 0
    centred = centred / np.where(varies, largest, 1.0)
    length = np.sqrt((centred**2).sum(axis=0))
    unit = centred / np.where(varies, length, np.nan)
    return np.clip(unit.T @ unit, -1.0, 1.0)


def _relation(names: Sequence[str], old: Floats, new: Floats, i: int, j: int) -> Relation:
    before, after = (None if np.isnan(matrix[i, j]) else float(matrix[i, j]) for matrix in (old, new))
    return Relation(names[i], names[j], before, after)
