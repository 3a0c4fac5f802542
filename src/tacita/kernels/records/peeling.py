"""The rounds of MDAV and of CBFS: groups at the ends, or at one end, of what is left, found among leaves."""

from __future__ import annotations

import numpy as np
from numba import njit

from .leaves import CUT_AT, cut, farthest_place, fill, nearest_places, remove
from .left import ALIVE, GROUPS, LENGTH, UNITS_LEFT


@njit(cache=True, nogil=True)
def _tidied(left, leaves):
    """If an eighth is gone, or at the start, make leaves of the records still here; sums anew, which drift.

    The order of the leaves is cut anew when half of the records is gone. O(n d), or O(n (d + log n)).
    """
    rows, labels, state = left.rows, left.labels, left.state
    started = leaves.state[CUT_AT] > 0
    if started and state[LENGTH] - state[ALIVE] <= state[LENGTH] // 8:
        return
    if started:
        n = _compressed(rows, labels, state[LENGTH])
        for c in range(left.columns.shape[0]):
            total = 0.0
            column = left.columns[c]
            for i in range(n):
                total += column[rows[i]]
            left.sums[c] = total
        _compressed(leaves.rows, labels, state[LENGTH])
        state[LENGTH] = n
    n = state[LENGTH]
    if 2 * n < leaves.state[CUT_AT] or not started:
        leaves.rows[:n] = rows[:n]
        cut(left.columns, leaves.rows, n, leaves.keys)
        leaves.state[CUT_AT] = n
    for c in range(left.columns.shape[0]):
        leaves.origin[c] = left.sums[c] / n
    fill(left.columns, n, leaves)


@njit(cache=True, nogil=True)
def _compressed(rows, labels, n):
    """Move the rows without a group to the front, in their order; how many they are."""
    kept = 0
    for i in range(n):
        if labels[rows[i]] < 0:
            rows[kept] = rows[i]
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def _take(place, left, leaves):
    """Give a record to the group under construction and let it vanish from what is left."""
    row, state = leaves.rows[place], left.state
    left.labels[row] = state[GROUPS]
    for c in range(left.columns.shape[0]):
        left.sums[c] -= left.columns[c, row]
    remove(place, leaves)
    state[ALIVE] -= 1
    unit = left.units[row]
    left.unit_left[unit] -= 1
    if left.unit_left[unit] == 0:
        state[UNITS_LEFT] -= 1


@njit(cache=True, nogil=True)
def peel_rounds(left, leaves, k, ends, fewest, tidy, rounds):
    """Up to `rounds` rounds of one or two groups; True when fewer than `fewest` records or k units are left.

    A group is a seed and its nearest records (of other units each, if by_unit); the seed is the record
    farthest from the mean of what is left, at the second end the one farthest from the first seed. MDAV has
    two ends and goes on while 3k are left, CBFS one and while k are. O(n d) a round at worst; far less where
    distances tell records apart, which in many dimensions they do not.
    """
    state = left.state
    point = np.empty(left.columns.shape[0])
    chosen, best = np.empty(k - 1, dtype=np.int64), np.empty(k - 1)
    for _ in range(rounds):
        if state[ALIVE] < fewest or state[UNITS_LEFT] < k:
            return True
        if tidy or leaves.state[CUT_AT] == 0:
            _tidied(left, leaves)
        for c in range(point.shape[0]):
            point[c] = left.sums[c] / state[ALIVE]
        for end in range(ends):
            if end > 0 and state[UNITS_LEFT] < k:
                break
            seed = farthest_place(point, leaves)
            row = leaves.rows[seed]
            for c in range(point.shape[0]):
                point[c] = left.columns[c, row]
            _take(seed, left, leaves)
            nearest_places(point, seed, leaves, left.units, left.units[row], left.by_unit, chosen, best)
            for j in range(k - 1):
                _take(chosen[j], left, leaves)
            state[GROUPS] += 1
    return state[ALIVE] < fewest or state[UNITS_LEFT] < k
