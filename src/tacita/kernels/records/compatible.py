"""Rows of codes that agree with a key wherever both have a value; -1 stands for any value.

Rows are sorted, so that those which share their first codes stand together: a range of rows is narrowed
column by column to those that have the key's value there and those that may have any.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _behind(rows, column, code, lo, hi):
    """The first place from lo on whose code in a column is above one; codes rise from lo to hi."""
    while lo < hi:
        middle = (lo + hi) // 2
        if rows[middle, column] <= code:
            lo = middle + 1
        else:
            hi = middle
    return lo


@njit(cache=True, nogil=True)
def _agree(key, row, start):
    for column in range(start, key.size):
        if key[column] >= 0 and row[column] >= 0 and key[column] != row[column]:
            return False
    return True


@njit(cache=True, nogil=True)
def _ranges(key, rows, stack, starts, stops):
    """Writes the ranges of rows that are compatible with a key, and returns how many there are."""
    last = key.size
    while last > 0 and key[last - 1] < 0:
        last -= 1
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, rows.shape[0], 0
    height, count = 1, 0
    while height > 0:
        height -= 1
        lo, hi, column = stack[height, 0], stack[height, 1], stack[height, 2]
        if column >= last or (hi - lo == 1 and _agree(key, rows[lo], column)):
            starts[count], stops[count] = lo, hi
            count += 1
        elif hi - lo > 1:
            while lo < hi:
                code = rows[lo, column]
                if key[column] >= 0 and 0 <= code != key[column]:
                    # past what comes before the key's own value, or the end
                    lo = _behind(rows, column, key[column] - 1, lo, hi) if code < key[column] else hi
                    continue
                end = _behind(rows, column, code, lo, hi)
                stack[height, 0], stack[height, 1], stack[height, 2] = lo, end, column + 1
                height += 1
                lo = end
    return count


@njit(cache=True, nogil=True)
def compatible_sums(keys, rows, upto, out):
    """For every key the weight of the rows compatible with it; upto[i] is the weight of the rows before i.

    `rows` are sorted and distinct. O(log n) for each beginning of a row that a key is compatible with.
    """
    n = rows.shape[0]
    # ranges on the stack are never empty and never overlap
    stack = np.empty((n + 1, 3), dtype=np.int64)
    starts, stops = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for q in range(keys.shape[0]):
        count = _ranges(keys[q], rows, stack, starts, stops)
        total = 0.0
        for at in range(count):
            total += upto[stops[at]] - upto[starts[at]]
        out[q] = total


@njit(cache=True, nogil=True)
def compatible_worth(keys, rows, units, most, worth, out):
    """For every key what the distinct units of the rows compatible with it are worth together.

    units are below `most`; worth[i] is that of the unit of row i. As above, and one step a compatible row.
    """
    n = rows.shape[0]
    stack = np.empty((n + 1, 3), dtype=np.int64)
    starts, stops = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    seen = np.full(most, -1, dtype=np.int64)
    for q in range(keys.shape[0]):
        count = _ranges(keys[q], rows, stack, starts, stops)
        total = 0.0
        for at in range(count):
            for place in range(starts[at], stops[at]):
                if seen[units[place]] != q:
                    seen[units[place]] = q
                    total += worth[place]
        out[q] = total
