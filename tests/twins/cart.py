"""A tree by trying every cut: plain, slow, written from Breiman et al. (1984)."""

import numpy as np


def impurity(target, classes):
    """Squares about the mean, or n times Gini."""
    if not classes:
        return float(((target - target.mean()) ** 2).sum())
    shares = np.bincount(target) / len(target)
    return len(target) * (1 - float((shares**2).sum()))


def sides(column, unordered, target, classes):
    """Every way to part the records by one column: thresholds, or categories ordered by the target."""
    if not unordered:
        return [column <= cut for cut in np.unique(column)[:-1]]
    score = target == np.bincount(target).argmax() if classes else target
    order = sorted(np.unique(column).tolist(), key=lambda level: (score[column == level].mean(), level))
    return [np.isin(column, order[:size]) for size in range(1, len(order))]


def leaves(bins, unordered, target, k, classes):
    """The leaf of each record, as a partition; the first of equal cuts is taken."""
    root = impurity(target, classes)
    found = np.zeros(len(target), dtype=int)

    def part(rows):
        here = impurity(target[rows], classes)
        best, chosen = here - 1e-8 * root, None
        if len(rows) >= 2 * k and here > 1e-9 * root:
            for column, free in zip(bins, unordered, strict=True):
                for left in sides(column[rows], free, target[rows], classes):
                    if k <= left.sum() <= len(rows) - k:
                        after = impurity(target[rows[left]], classes) + impurity(target[rows[~left]], classes)
                        if after < best - 1e-9:
                            best, chosen = after, left
        if chosen is None:
            found[rows] = found.max() + 1
            return
        part(rows[chosen])
        part(rows[~chosen])

    part(np.arange(len(target)))
    return found
