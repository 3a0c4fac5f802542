"""Counting and searching the slow way, by definition; nothing of the method or the verifier is used."""

from itertools import combinations, product

import numpy as np


def units_of(units, n):
    return list(range(n)) if units is None else list(units)


def agree(a, b, columns):
    return all(a[j] == b[j] or a[j] < 0 or b[j] < 0 for j in columns)


def families(d, m):
    return [tuple(each) for each in combinations(range(d), m or d)]


def keeps(original, released, k, *, wildcard, m=None, units=None):
    """Whether keys (-1: empty) are k-anonymous as it is defined."""
    original, released = original.tolist(), released.tolist()
    n, owner = len(original), units_of(units, len(original))
    for columns in families(len(original[0]), m):
        for i in range(n):
            if wildcard:
                to_original = {owner[r] for r in range(n) if agree(original[i], released[r], columns)}
                to_released = {owner[r] for r in range(n) if agree(released[i], original[r], columns)}
                if min(len(to_original), len(to_released)) < k:
                    return False
            else:
                shown = [released[i][j] for j in columns]
                same = {owner[r] for r in range(n) if [released[r][j] for j in columns] == shown}
                if len(same) < k:
                    return False
    return True


def least_cost(codes, weights, k, *, wildcard, m=None, units=None):
    """The least cost over all subsets of cells, tried one by one from the cheapest on."""
    n, d = codes.shape
    cells = [(i, j) for i, j in product(range(n), range(d)) if codes[i, j] >= 0]
    subsets = sorted(
        (sum(weights[j] for _, j in chosen), chosen)
        for size in range(len(cells) + 1)
        for chosen in combinations(cells, size)
    )
    for cost, chosen in subsets:
        released = codes.copy()
        for cell in chosen:
            released[cell] = -1
        if keeps(codes, released, k, wildcard=wildcard, m=m, units=units):
            return cost
    raise AssertionError("Even nothing at all does not protect.")


def emptied(codes, cells):
    return np.where(cells, -1, codes)
