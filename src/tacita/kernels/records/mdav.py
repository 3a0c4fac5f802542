"""The rounds of MDAV and of CBFS: groups at the ends, or at one end, of what is left."""

from __future__ import annotations

import numpy as np
from numba import njit

from .distance import farthest, nearest, nearest_of_distinct_units
from .gower import distances_from, middle
from .left import ALIVE, GROUPS, LENGTH, UNITS_LEFT


@njit(cache=True, nogil=True)
def close_gaps(left):
    """If an eighth is gone, move the records still here to the front, in order. O(n d)."""
    columns, codes, rows, units, state = left.columns, left.codes, left.rows, left.units, left.state
    if state[LENGTH] - state[ALIVE] <= state[LENGTH] // 8:
        return False
    kept = 0
    for i in range(state[LENGTH]):
        if not np.isnan(columns[0, i]):
            if kept != i:
                for c in range(columns.shape[0]):
                    columns[c, kept] = columns[c, i]
                for j in range(codes.shape[0]):
                    codes[j, kept] = codes[j, i]
                rows[kept] = rows[i]
                units[kept] = units[i]
            kept += 1
    state[LENGTH] = kept
    return True


@njit(cache=True, nogil=True)
def _sum_afresh(left):
    for c in range(left.columns.shape[0]):
        column = left.columns[c]
        total = 0.0
        for i in range(left.state[LENGTH]):
            total += column[i]
        left.sums[c] = total


@njit(cache=True, nogil=True)
def take(i, left):
    """Give record i to the group under construction and let it vanish from what is left."""
    columns, state = left.columns, left.state
    left.labels[left.rows[i]] = state[GROUPS]
    for c in range(columns.shape[0]):
        left.sums[c] -= columns[c, i]
    for j in range(left.codes.shape[0]):
        left.counts[j, left.codes[j, i]] -= 1
    columns[0, i] = np.nan
    state[ALIVE] -= 1
    unit = left.units[i]
    left.unit_left[unit] -= 1
    if left.unit_left[unit] == 0:
        state[UNITS_LEFT] -= 1


@njit(cache=True, nogil=True)
def group_rounds(left, measure, k, ends, fewest, tidy, rounds):
    """Up to `rounds` rounds of one or two groups; True when fewer than `fewest` records or k units are left.

    A group is a seed and its nearest records (of other units each, if by_unit); the seed is the record
    farthest from the middle of what is left, at the second end the one farthest from the first seed. MDAV has
    two ends and goes on while 3k are left, CBFS one and while k are. tidy: close gaps in between. O(n d) a
    round, no memory but O(n + k d) scratch a call.
    """
    columns, units, state = left.columns, left.units, left.state
    distances = np.empty(columns.shape[1])
    point = np.empty(columns.shape[0])
    chosen = np.empty(k - 1, dtype=np.int64)
    best = np.empty(k - 1)
    for _ in range(rounds):
        if state[ALIVE] < fewest or state[UNITS_LEFT] < k:
            return True
        if tidy and close_gaps(left):
            # running sums drift
            _sum_afresh(left)
        n = state[LENGTH]
        middle(left, measure, point)
        unit = -1
        # one place to measure from the middle and from the seeds: the compiler takes long over each
        for made in range(ends + 1):
            distances_from(point, left, measure, distances)
            if made > 0:
                if left.by_unit:
                    nearest_of_distinct_units(distances, n, units, unit, chosen, best)
                else:
                    nearest(distances, n, chosen, best)
                for j in range(k - 1):
                    take(chosen[j], left)
                    distances[chosen[j]] = np.nan
                state[GROUPS] += 1
            if made == ends or state[UNITS_LEFT] < k:
                break
            seed = farthest(distances, n)
            unit = units[seed]
            for c in range(columns.shape[0]):
                point[c] = columns[c, seed]
            take(seed, left)
    return state[ALIVE] < fewest or state[UNITS_LEFT] < k
