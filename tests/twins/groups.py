"""Groups and partitions tried out one by one, in plain Python."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def squared_error(x, group):
    """Sum over the group of ||x_i - mean||^2."""
    inside = x[list(group)]
    return float(((inside - inside.mean(axis=0)) ** 2).sum())


def groups_of(n, k):
    """Every group of k to 2k-1 of n records."""
    for m in range(k, min(2 * k - 1, n) + 1):
        yield from combinations(range(n), m)


def value(x, group, prices, triples=(), fines=()):
    """What a group is worth: its prices, less its squared error and the fines of triples it meets twice."""
    due = sum(fine for triple, fine in zip(triples, fines, strict=True) if len(set(group) & set(triple)) >= 2)
    return float(np.asarray(prices)[list(group)].sum()) - squared_error(x, group) - due


def least_error(x, k):
    """The squared error of the best partition into groups of at least k. O(2^n) subsets."""
    n = len(x)
    cost = {sum(1 << i for i in group): squared_error(x, group) for group in groups_of(n, k)}
    best = {0: 0.0}
    for mask in range(1, 1 << n):
        lowest = mask & -mask
        options = [
            best[mask ^ group] + paid
            for group, paid in cost.items()
            if group & lowest and group & mask == group and (mask ^ group) in best
        ]
        if options:
            best[mask] = min(options)
    return best[(1 << n) - 1]
