"""The rounds of MDAV: two groups at the opposite ends of what is left."""

from __future__ import annotations

import numpy as np
from numba import njit

from .distance import farthest, nearest, nearest_of_distinct_units, squared_distances

# Positions in the state vector that is handed from call to call.
LENGTH, ALIVE, GROUPS, UNITS_LEFT = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def compact(columns, rows, units, n):
    """Move the records still here to the front, in order; return how many."""
    kept = 0
    for i in range(n):
        if not np.isnan(columns[0, i]):
            if kept != i:
                for c in range(columns.shape[0]):
                    columns[c, kept] = columns[c, i]
                rows[kept] = rows[i]
                units[kept] = units[i]
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def column_sums(columns, n, sums):
    for c in range(columns.shape[0]):
        total = 0.0
        for i in range(n):
            total += columns[c, i]
        sums[c] = total


@njit(cache=True, nogil=True)
def take(i, columns, rows, units, unit_left, sums, labels, state):
    """Give record i to the group under construction and let it vanish from what is left."""
    labels[rows[i]] = state[GROUPS]
    for c in range(columns.shape[0]):
        sums[c] -= columns[c, i]
    columns[0, i] = np.nan
    state[ALIVE] -= 1
    unit_left[units[i]] -= 1
    if unit_left[units[i]] == 0:
        state[UNITS_LEFT] -= 1


@njit(cache=True, nogil=True)
def group_around(
    seed, columns, rows, units, unit_left, sums, labels, state, by_unit, distances, chosen, best
):
    """One group: the seed and its nearest records (of other units each, if by_unit).

    Leaves in `distances` the distance of everyone from the seed, NaN for the members.
    """
    n = state[LENGTH]
    point = columns[:, seed].copy()
    take(seed, columns, rows, units, unit_left, sums, labels, state)
    squared_distances(columns, n, point, distances)
    if by_unit:
        nearest_of_distinct_units(distances, n, units, units[seed], chosen, best)
    else:
        nearest(distances, n, chosen, best)
    for j in range(chosen.shape[0]):
        take(chosen[j], columns, rows, units, unit_left, sums, labels, state)
        distances[chosen[j]] = np.nan
    state[GROUPS] += 1


@njit(cache=True, nogil=True)
def mdav_rounds(columns, rows, units, unit_left, sums, labels, state, k, by_unit, rounds):
    """Up to `rounds` rounds of MDAV; True when fewer than 3k records (or k units) are left.

    columns: (d, n) C order, no NaN at the start, consumed; rows: original row of each record;
    units: unit of each record (its own row if there is no unit rule); unit_left: records left of each
    unit; sums: column sums of what is left; labels: filled per original row; state: see above.
    O(n d) a round, no memory but O(n + k d) scratch a call.
    """
    distances = np.empty(columns.shape[1])
    centre = np.empty(columns.shape[0])
    chosen = np.empty(k - 1, dtype=np.int64)
    best = np.empty(k - 1)
    for _ in range(rounds):
        if state[ALIVE] < 3 * k or state[UNITS_LEFT] < k:
            return True
        # an eighth gone: close the gaps, and start the running sums afresh against drift
        if state[LENGTH] - state[ALIVE] > state[LENGTH] // 8:
            state[LENGTH] = compact(columns, rows, units, state[LENGTH])
            column_sums(columns, state[LENGTH], sums)
        n = state[LENGTH]
        for c in range(columns.shape[0]):
            centre[c] = sums[c] / state[ALIVE]
        squared_distances(columns, n, centre, distances)
        r = farthest(distances, n)
        group_around(
            r, columns, rows, units, unit_left, sums, labels, state, by_unit, distances, chosen, best
        )
        if state[UNITS_LEFT] < k:
            return True
        s = farthest(distances, n)
        group_around(
            s, columns, rows, units, unit_left, sums, labels, state, by_unit, distances, chosen, best
        )
    return state[ALIVE] < 3 * k or state[UNITS_LEFT] < k


@njit(cache=True, nogil=True)
def mdav_last_group(columns, rows, units, unit_left, sums, labels, state, k, by_unit):
    """One group around the record farthest from the centre of what is left. O(n d)."""
    distances = np.empty(columns.shape[1])
    centre = np.empty(columns.shape[0])
    n = state[LENGTH]
    for c in range(columns.shape[0]):
        centre[c] = sums[c] / state[ALIVE]
    squared_distances(columns, n, centre, distances)
    r = farthest(distances, n)
    chosen = np.empty(k - 1, dtype=np.int64)
    best = np.empty(k - 1)
    group_around(r, columns, rows, units, unit_left, sums, labels, state, by_unit, distances, chosen, best)
