"""Plain twins of measures of keys: every record beside every other, every set of columns."""

from collections import Counter
from itertools import combinations
from math import factorial

import numpy as np


def compatible(key, record):
    return all(a < 0 or b < 0 or a == b for a, b in zip(key, record, strict=True))


def weight_of_compatible(keys, table, weights):
    return np.array(
        [sum(w for record, w in zip(table, weights, strict=True) if compatible(key, record)) for key in keys]
    )


def units_of_compatible(keys, table, units):
    return np.array(
        [len({u for record, u in zip(table, units, strict=True) if compatible(key, record)}) for key in keys]
    )


def minimal_uniques(codes, most=None):
    """The minimal sample uniques of each record, by a look at every set of columns; -1 is no item."""
    n, d = codes.shape
    found = [[] for _ in range(n)]
    for size in range(1, (most or d) + 1):
        for columns in combinations(range(d), size):
            part = codes[:, columns]
            whole = (part >= 0).all(axis=1)
            counts = Counter(map(tuple, part[whole].tolist()))
            for row in np.flatnonzero(whole):
                if counts[tuple(part[row].tolist())] == 1 and not any(
                    set(known) <= set(columns) for known in found[row]
                ):
                    found[row].append(columns)
    return found


def suda_weight(d, size, most):
    """What a minimal sample unique of a size adds to the score."""
    product = 1
    for i in range(size, min(most, d - 1) + 1):
        product *= d - i
    assert most < d - 1 or product == factorial(d - size)
    return product
