"""The published values of a group: mean, median or mode, computed once, the same bits for every member."""

from __future__ import annotations

from math import fsum

import numpy as np

from tacita.core import Floats, Ints, Mask


def published_means(x: Floats, labels: Ints, integer: Mask) -> Floats:
    """Every row replaced by its group's mean; columns marked `integer` by the mean rounded half to even.

    Sums are exact before their one rounding (fsum), so the bits depend on neither row order nor machine.
    A column that is missing (NaN) throughout a group stays missing. O(n d) time and memory.

    >>> published_means(np.array([[1.0], [2.0], [2.0]]), np.array([0, 0, 0]), np.array([True])).tolist()
    [[2.0], [2.0], [2.0]]
    """
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels)).tolist()
    spans = list(zip([0, *ends[:-1]], ends, strict=True))
    means = np.empty((len(ends), x.shape[1]))
    for j in range(x.shape[1]):
        column = x[order, j].tolist()
        means[:, j] = [fsum(column[start:end]) / (end - start) for start, end in spans]
    means[:, integer] = np.rint(means[:, integer])
    # minus zero and zero would be two different published rows
    return (means + 0.0)[labels]


def lower_medians(codes: Floats, labels: Ints) -> Floats:
    """The middle level of each group, of two middle ones the lower: always a level that somebody has.

    NaN where the level is missing throughout a group. O(n log n).

    >>> lower_medians(np.array([0.0, 2.0, 1.0, 2.0]), np.array([0, 0, 1, 1])).tolist()
    [0.0, 1.0]
    """
    ordered = codes[np.lexsort((codes, labels))]
    sizes = np.bincount(labels)
    return np.asarray(ordered[np.cumsum(sizes) - sizes + (sizes - 1) // 2], dtype=np.float64)


def modes(codes: Floats, labels: Ints) -> Floats:
    """The most frequent code of each group, of several the lowest; NaN where all are missing. O(n log n).

    >>> modes(np.array([1.0, 0.0, 2.0, 2.0, 1.0]), np.array([0, 0, 1, 1, 1])).tolist()
    [0.0, 2.0]
    """
    levels, place = np.unique(codes, return_inverse=True)
    pairs, counts = np.unique(np.column_stack([labels, place.reshape(-1)]), axis=0, return_counts=True)
    best = np.lexsort((pairs[:, 1], -counts, pairs[:, 0]))
    _, first = np.unique(pairs[best, 0], return_index=True)
    return np.asarray(levels[pairs[best[first], 1]], dtype=np.float64)
