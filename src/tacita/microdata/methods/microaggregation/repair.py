"""From groups that fall short to groups that do not, losing as little as a simple rule can."""

from __future__ import annotations

import numpy as np

from tacita.core import Ints, Labels, Matrix


def centroids_of(x: Matrix, labels: Labels) -> tuple[Matrix, Labels]:
    """Mean and size of the groups 0, 1, ... (a group without records has mean 0). O(n d).

    >>> means, sizes = centroids_of(np.array([[0.0], [2.0], [5.0]]), np.array([0, 0, 1]))
    >>> means.tolist(), sizes.tolist()
    ([[1.0], [5.0]], [2, 1])
    """
    sums, sizes = _sums_of(x, labels)
    return sums / np.maximum(sizes, 1)[:, None], sizes


def _sums_of(x: Matrix, labels: Labels) -> tuple[Matrix, Labels]:
    """Sum and size of the groups 0, 1, ..., O(n d)."""
    return np.column_stack([np.bincount(labels, weights=column) for column in x.T]), np.bincount(labels)


def join_nearest_group(x: Matrix, labels: Labels) -> Labels:
    """Records without a group (-1) join the one with the nearest centroid, as it was before any did.

    >>> x = np.array([[0.0], [1.0], [9.0], [10.0], [7.0]])
    >>> join_nearest_group(x, np.array([0, 0, 1, 1, -1])).tolist()
    [0, 0, 1, 1, 1]
    """
    from tacita.kernels.records.distance import nearest_centre

    left = np.flatnonzero(labels < 0)
    grouped = np.flatnonzero(labels >= 0)
    if left.size == 0:
        return labels
    centres, _ = centroids_of(x[grouped], labels[grouped])
    nearest = np.empty(left.size, dtype=np.int64)
    nearest_centre(x[left], centres, nearest)
    joined = labels.copy()
    joined[left] = nearest
    return joined


def join_nearest_moving_group(x: Matrix, labels: Labels) -> Labels:
    """Records without a group (-1) join, row by row, the one with the nearest centroid, which moves at once.

    >>> x = np.array([[0.0], [1.0], [9.0], [10.0], [4.9], [5.1]])
    >>> join_nearest_moving_group(x, np.array([0, 0, 1, 1, -1, -1])).tolist()
    [0, 0, 1, 1, 0, 0]
    """
    from tacita.kernels.records.distance import nearest_moving_centre

    left = np.flatnonzero(labels < 0)
    grouped = np.flatnonzero(labels >= 0)
    if left.size == 0:
        return labels
    sums, sizes = _sums_of(x[grouped], labels[grouped])
    nearest = np.empty(left.size, dtype=np.int64)
    nearest_moving_centre(x[left], np.ascontiguousarray(sums), sizes, nearest)
    joined = labels.copy()
    joined[left] = nearest
    return joined


def merge_short_groups(x: Matrix, labels: Labels, k: int, units: Labels | None = None) -> Labels:
    """Merge every group with fewer than k records, or records of fewer than k units, into the nearest one.

    Least costly merger first for each short group in turn, smallest group first: joining groups g and h
    costs n_g n_h / (n_g + n_h) ||c_g - c_h||^2. Ends, since one group of everything is never short (the
    caller has made sure of k records and k units). O(short groups x groups x d).

    >>> x = np.array([[0.0], [1.0], [9.0], [10.0], [11.0]])
    >>> merge_short_groups(x, np.array([0, 0, 1, 2, 2]), 2).tolist()
    [0, 0, 1, 1, 1]
    """
    _, labels = np.unique(labels, return_inverse=True)
    labels = labels.reshape(-1).astype(np.int64)
    means, sizes = centroids_of(x, labels)
    sizes = sizes.astype(np.float64)
    members = np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1])
    parts: list[list[Ints]] = [[rows] for rows in members]
    kinds = [set((rows if units is None else units[rows]).tolist()) for rows in members]
    alive = np.ones(len(parts), dtype=bool)
    for group in np.argsort(sizes, kind="stable").tolist():
        current = group
        while alive[current] and len(kinds[current]) < k and alive.sum() > 1:
            gap = ((means - means[current]) ** 2).sum(axis=1)
            cost = np.where(alive, sizes * sizes[current] / (sizes + sizes[current]) * gap, np.inf)
            cost[current] = np.inf
            other = int(cost.argmin())
            total = sizes[other] + sizes[current]
            means[other] = (sizes[other] * means[other] + sizes[current] * means[current]) / total
            sizes[other] = total
            parts[other] += parts[current]
            kinds[other] |= kinds[current]
            alive[current] = False
            current = other
    merged = np.empty_like(labels)
    for number, group in enumerate(np.flatnonzero(alive).tolist()):
        for rows in parts[group]:
            merged[rows] = number
    return merged
