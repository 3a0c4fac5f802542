"""Minimal sample uniques: the smallest sets of columns that nobody shares a record's values on.

Depth first over sets of columns in their order, records split by value: what is down to one record is
unique and not looked into any further, nor is a set that a column just added does not split, for nothing
minimal can hold both. A code of -1 is no item: such a record is in no group of that column.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _split(codes, column, source, lo, hi, target, counts, places):
    """Rows lo..hi of `source` by their value in a column, into `target`; returns how many have one."""
    kept = 0
    for at in range(lo, hi):
        code = codes[source[at], column]
        if code >= 0:
            counts[code] += 1
    for at in range(lo, hi):
        code = codes[source[at], column]
        if code >= 0 and counts[code] > 0:
            # the first of its value: its group begins here
            places[code] = kept
            kept += counts[code]
            counts[code] = -counts[code]
    for at in range(lo, hi):
        code = codes[source[at], column]
        if code >= 0:
            target[places[code]] = source[at]
            places[code] += 1
    for at in range(lo, hi):
        code = codes[source[at], column]
        if code >= 0:
            counts[code] = 0
    return kept


@njit(cache=True, nogil=True)
def _of_one(units, members, first, last):
    """Whether rows first..last of `members` are all of one unit; without units, whether there is one row."""
    if last - first == 1:
        return True
    if units.size == 0:
        return False
    one = True
    for at in range(first + 1, last):
        one &= units[members[at]] == units[members[first]]
    return one


@njit(cache=True, nogil=True)
def unique_sets(codes, values, most, units):
    """Rows and sets of columns (bits) that make them unique while the set without its last column does not.

    Among them are all minimal ones of up to `most` columns. `values` is above every code. `units`: the unit
    of each row, all rows of one being unique together, or nothing. O(n) a set of columns that is looked
    into, for the records that are not unique on it yet.
    """
    n, d = codes.shape
    rows, masks, count = np.empty(1024, dtype=np.int64), np.empty(1024, dtype=np.int64), 0
    counts, places = np.zeros(values, dtype=np.int64), np.zeros(values, dtype=np.int64)
    held = np.empty((most + 1, n), dtype=np.int64)
    held[0] = np.arange(n)
    # of each depth: the group looked into, the set that made it, the column being tried, what is split off
    lo, hi, mask = np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64)
    column, at, end = np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64)
    hi[0], column[0], depth = n, -1, 0
    while depth >= 0:
        if at[depth] >= end[depth]:
            column[depth] += 1
            if column[depth] >= d:
                depth -= 1
                continue
            at[depth] = 0
            end[depth] = _split(
                codes, column[depth], held[depth], lo[depth], hi[depth], held[depth + 1], counts, places
            )
            continue
        tried, below = column[depth], held[depth + 1]
        first = at[depth]
        value = codes[below[first], tried]
        last = first + 1
        while last < end[depth] and codes[below[last], tried] == value:
            last += 1
        at[depth] = last
        grown = mask[depth] | (1 << tried)
        if _of_one(units, below, first, last):
            while count + last - first > rows.size:
                rows, masks = _doubled(rows), _doubled(masks)
            for at_row in range(first, last):
                rows[count], masks[count] = below[at_row], grown
                count += 1
        elif depth + 1 < most and last - first < hi[depth] - lo[depth]:
            depth += 1
            lo[depth], hi[depth], mask[depth], column[depth] = first, last, grown, tried
            at[depth] = end[depth] = 0
    return rows[:count], masks[:count]


@njit(cache=True, nogil=True)
def _doubled(array):
    grown = np.empty(2 * array.size, dtype=array.dtype)
    grown[: array.size] = array
    return grown


@njit(cache=True, nogil=True)
def minimal_scores(first, masks, weights, codes, score, by_key, by_value, offsets):
    """Sums what the minimal ones of the unique sets of each record weigh, by record, key and value.

    Sets of row i are masks[first[i]:first[i + 1]], smaller ones first; a set of s columns weighs weights[s].
    `by_value` has a place for each value of key j from offsets[j] on. Returns how many are minimal.
    O(sets of a record squared).
    """
    n, d = codes.shape
    minimal = 0
    for row in range(n):
        kept = first[row]
        for place in range(first[row], first[row + 1]):
            mask, covered = masks[place], False
            for known in range(first[row], kept):
                if masks[known] & mask == masks[known]:
                    covered = True
                    break
            if covered:
                continue
            masks[kept] = mask
            kept += 1
            minimal += 1
            size = 0
            for j in range(d):
                size += mask >> j & 1
            score[row] += weights[size]
            for j in range(d):
                if mask >> j & 1:
                    by_key[row, j] += weights[size]
                    by_value[offsets[j] + codes[row, j]] += weights[size]
    return minimal
