"""Rounds of groups at the ends of what is left: MDAV and CBFS among leaves, V-MDAV with groups that grow.

Records leave a pool (`unassigned`) as they come into a group.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .distance import farthest, nearest, nearest_of_distinct_units, squared_distances
from .pruning_tree import CUT_AT, cut, farthest_place, fill, nearest_places, remove
from .unassigned import ALIVE, GROUPS, LENGTH, UNITS_LEFT, close_gaps, take


@njit(cache=True, nogil=True)
def _tidied(pool, leaves):
    """If an eighth is gone, or at the start, make leaves of the records still here; sums anew, which drift.

    The order of the leaves is cut anew when half of the records is gone. O(n d), or O(n (d + log n)).
    """
    rows, labels, state = pool.rows, pool.labels, pool.state
    started = leaves.state[CUT_AT] > 0
    if started and state[LENGTH] - state[ALIVE] <= state[LENGTH] // 8:
        return
    if started:
        n = _compressed(rows, labels, state[LENGTH])
        for c in range(pool.columns.shape[0]):
            total = 0.0
            column = pool.columns[c]
            for i in range(n):
                total += column[rows[i]]
            pool.sums[c] = total
        _compressed(leaves.rows, labels, state[LENGTH])
        state[LENGTH] = n
    n = state[LENGTH]
    if 2 * n < leaves.state[CUT_AT] or not started:
        leaves.rows[:n] = rows[:n]
        cut(pool.columns, leaves.rows, n, leaves.keys)
        leaves.state[CUT_AT] = n
    for c in range(pool.columns.shape[0]):
        leaves.origin[c] = pool.sums[c] / n
    fill(pool.columns, n, leaves)


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
def _take(place, pool, leaves):
    """Give a record to the group under construction and let it vanish from what is left."""
    row, state = leaves.rows[place], pool.state
    pool.labels[row] = state[GROUPS]
    for c in range(pool.columns.shape[0]):
        pool.sums[c] -= pool.columns[c, row]
    remove(place, leaves)
    state[ALIVE] -= 1
    unit = pool.units[row]
    pool.unit_left[unit] -= 1
    if pool.unit_left[unit] == 0:
        state[UNITS_LEFT] -= 1


@njit(cache=True, nogil=True)
def _group_around(seed, pool, leaves, k, by_centroid, chosen, best):
    """The seed and k-1 records: the nearest to it, or one by one the nearest to the centroid so far.

    By unit, all of different units. Then the nearest to a centroid are sought for as many units as the group
    has members: one of them at least is new to it.
    """
    d, by_unit, units = pool.columns.shape[0], pool.by_unit, pool.units
    row = leaves.rows[seed]
    own, members = units[row], 1
    centre, total = np.empty(d), np.empty(d)
    for c in range(d):
        centre[c] = total[c] = pool.columns[c, row]
    taken = np.empty(k, dtype=np.int64)
    taken[0] = own
    _take(seed, pool, leaves)
    while members < k:
        wanted = k - 1 if not by_centroid else members if by_unit else 1
        near, gaps = chosen[:wanted], best[:wanted]
        # one place to search from: the compiler takes long over each
        nearest_places(centre, seed, leaves, units, own, by_unit, near, gaps)
        for j in range(wanted):
            row = leaves.rows[near[j]]
            if by_centroid and by_unit and np.any(taken[:members] == units[row]):
                continue
            taken[members] = units[row]
            members += 1
            _take(near[j], pool, leaves)
            if by_centroid:
                for c in range(d):
                    total[c] += pool.columns[c, row]
                    centre[c] = total[c] / members
                break


@njit(cache=True, nogil=True)
def peel_rounds(pool, leaves, k, by_centroid, ends, fewest, tidy, rounds):
    """Up to `rounds` rounds of one or two groups; True when fewer than `fewest` records or k units are left.

    A group is a seed and its nearest records (of other units each, if by_unit), or those that its centroid
    meets while it grows; the seed is the record farthest from the mean of what is left, at the second end the
    one farthest from the first seed. MDAV has two ends and goes on while 3k are left, CBFS one and while k
    are. O(n d) a round at worst, O(n k d) by centroid; far less where distances tell records apart, which in
    many dimensions they do not.
    """
    state = pool.state
    point = np.empty(pool.columns.shape[0])
    chosen, best = np.empty(k - 1, dtype=np.int64), np.empty(k - 1)
    for _ in range(rounds):
        if state[ALIVE] < fewest or state[UNITS_LEFT] < k:
            return True
        if tidy or leaves.state[CUT_AT] == 0:
            _tidied(pool, leaves)
        for c in range(point.shape[0]):
            point[c] = pool.sums[c] / state[ALIVE]
        for end in range(ends):
            if end > 0 and state[UNITS_LEFT] < k:
                break
            seed = farthest_place(point, leaves)
            row = leaves.rows[seed]
            for c in range(point.shape[0]):
                point[c] = pool.columns[c, row]
            _group_around(seed, pool, leaves, k, by_centroid, chosen, best)
            state[GROUPS] += 1
    return state[ALIVE] < fewest or state[UNITS_LEFT] < k


@njit(cache=True, nogil=True)
def _closest(distances, n):
    """The lowest row with the smallest distance; -1 if all are gone. O(n)."""
    least = np.inf
    where = -1
    for i in range(n):
        if distances[i] < least:
            least = distances[i]
            where = i
    return where


@njit(cache=True, nogil=True)
def _approach(columns, n, point, near, distances):
    """near[i] = the lesser of itself and the squared distance of record i from `point`; NaN where gone."""
    squared_distances(columns, n, point, distances)
    for i in range(n):
        if not distances[i] >= near[i]:
            near[i] = distances[i]


@njit(cache=True, nogil=True)
def vmdav_rounds(pool, centre, gamma, k, rounds):
    """Up to `rounds` groups of V-MDAV; True when fewer than k records (or units) are left.

    centre: of all records, fixed. O(n k d) a round, O(n + k d) scratch a call.
    """
    columns, units, state = pool.columns, pool.units, pool.state
    d = columns.shape[0]
    distances = np.empty(columns.shape[1])
    near = np.empty(columns.shape[1])
    chosen = np.empty(k - 1, dtype=np.int64)
    best = np.empty(k - 1)
    members = np.empty((k, d))
    for _ in range(rounds):
        if state[ALIVE] < k or state[UNITS_LEFT] < k:
            return True
        close_gaps(pool)
        n = state[LENGTH]
        squared_distances(columns, n, centre, distances)
        seed = farthest(distances, n)
        members[0] = columns[:, seed]
        own = units[seed]
        take(seed, pool)
        squared_distances(columns, n, members[0], distances)
        if pool.by_unit:
            nearest_of_distinct_units(distances, n, units, own, chosen, best)
        else:
            nearest(distances, n, chosen, best)
        for j in range(k - 1):
            members[j + 1] = columns[:, chosen[j]]
            take(chosen[j], pool)
        if gamma > 0:
            near[:n] = np.inf
            for j in range(k):
                _approach(columns, n, members[j], near, distances)
            for _size in range(k, 2 * k - 1):
                i = _closest(near, n)
                if i < 0:
                    break
                point = columns[:, i].copy()
                squared_distances(columns, n, point, distances)
                distances[i] = np.nan
                other = _closest(distances, n)
                if other >= 0 and near[i] >= gamma * gamma * distances[other]:
                    break
                take(i, pool)
                _approach(columns, n, point, near, distances)
        state[GROUPS] += 1
    return state[ALIVE] < k or state[UNITS_LEFT] < k
