"""The rounds of V-MDAV: groups that grow where their surroundings are sparse."""

from __future__ import annotations

import numpy as np
from numba import njit

from .distance import farthest, nearest, nearest_of_distinct_units, squared_distances
from .unassigned import ALIVE, GROUPS, LENGTH, UNITS_LEFT, close_gaps, take


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
def vmdav_rounds(left, centre, gamma, k, rounds):
    """Up to `rounds` groups of V-MDAV; True when fewer than k records (or units) are left.

    centre: of all records, fixed. O(n k d) a round, O(n + k d) scratch a call.
    """
    columns, units, state = left.columns, left.units, left.state
    d = columns.shape[0]
    distances = np.empty(columns.shape[1])
    near = np.empty(columns.shape[1])
    chosen = np.empty(k - 1, dtype=np.int64)
    best = np.empty(k - 1)
    members = np.empty((k, d))
    for _ in range(rounds):
        if state[ALIVE] < k or state[UNITS_LEFT] < k:
            return True
        close_gaps(left)
        n = state[LENGTH]
        squared_distances(columns, n, centre, distances)
        seed = farthest(distances, n)
        members[0] = columns[:, seed]
        own = units[seed]
        take(seed, left)
        squared_distances(columns, n, members[0], distances)
        if left.by_unit:
            nearest_of_distinct_units(distances, n, units, own, chosen, best)
        else:
            nearest(distances, n, chosen, best)
        for j in range(k - 1):
            members[j + 1] = columns[:, chosen[j]]
            take(chosen[j], left)
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
                take(i, left)
                _approach(columns, n, point, near, distances)
        state[GROUPS] += 1
    return state[ALIVE] < k or state[UNITS_LEFT] < k
