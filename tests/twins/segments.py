"""Best groups of a few records by trying everything."""

from functools import cache
from itertools import combinations

import numpy as np


def sse(x):
    """Squared error of one group."""
    return float(((x - x.mean(axis=0)) ** 2).sum())


def best_partition_sse(x, k):
    """Least squared error over all partitions into groups of at least k; for a handful of records."""
    x = np.asarray(x, dtype=float)

    @cache
    def best(rows):
        if not rows:
            return 0.0
        first, rest = rows[0], rows[1:]
        found = np.inf
        for size in range(k, len(rows) + 1):
            if 0 < len(rows) - size < k:
                continue
            for others in combinations(rest, size - 1):
                group = (first, *others)
                remaining = tuple(row for row in rest if row not in others)
                found = min(found, sse(x[list(group)]) + best(remaining))
        return found

    return best(tuple(range(len(x))))


def best_segmentation_sse(x, k, units=None):
    """Least squared error over all cuts of an ordering into valid consecutive groups."""
    x = np.asarray(x, dtype=float)
    own = np.arange(len(x)) if units is None else np.asarray(units)

    @cache
    def best(start):
        if start == len(x):
            return 0.0
        ends = range(start + k, len(x) + 1)
        valid = [end for end in ends if len(set(own[start:end].tolist())) >= k]
        return min((sse(x[start:end]) + best(end) for end in valid), default=np.inf)

    return best(0)
