"""MDAV's rounds under Gower's distance: numbers by their gap, ordered levels by theirs, names by equality.

Points stand by column, shape (d, n), C order. `weights[c]` is what a gap of 1 in column c counts;
`nominal[c]` says that there any difference counts as 1. A column of categories also has whole-number codes
0, 1, ... in `codes` (one row per such column, in the order of `coded`), whose counts tell the middle of what
is left: the lower median of ordered levels, the most frequent name (of several the lowest). A record whose
first coordinate is NaN is gone, and so is its distance.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .distance import farthest, nearest, nearest_of_distinct_units

# Positions in the state vector that is handed from call to call.
LENGTH, ALIVE, GROUPS, UNITS_LEFT = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def gower_distances(columns, n, point, weights, nominal, out):
    """out[i] = sum over columns of weight * (gap, or 1 where names differ), first n records. O(n d)."""
    for i in range(n):
        # 0, or NaN for a record that is gone: names would call NaN merely different
        out[i] = columns[0, i] - columns[0, i]
    for c in range(columns.shape[0]):
        own, here, weight = columns[c], point[c], weights[c]
        if nominal[c]:
            for i in range(n):
                if own[i] != here:
                    out[i] += weight
        else:
            for i in range(n):
                out[i] += weight * abs(own[i] - here)


@njit(cache=True, nogil=True)
def compact(columns, codes, rows, units, n):
    """Move the records still here to the front, in order; return how many."""
    kept = 0
    for i in range(n):
        if not np.isnan(columns[0, i]):
            if kept != i:
                for c in range(columns.shape[0]):
                    columns[c, kept] = columns[c, i]
                for j in range(codes.shape[0]):
                    codes[j, kept] = codes[j, i]
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
def middle(sums, counts, values, coded, nominal, alive, centre):
    """Fill `centre` with mean, lower median or most frequent name of the records left. O(d + levels)."""
    for c in range(sums.shape[0]):
        centre[c] = sums[c] / alive
    for j in range(coded.shape[0]):
        c = coded[j]
        chosen = 0
        if nominal[c]:
            for level in range(1, counts.shape[1]):
                if counts[j, level] > counts[j, chosen]:
                    chosen = level
        else:
            below = counts[j, 0]
            while below < (alive + 1) // 2:
                chosen += 1
                below += counts[j, chosen]
        centre[c] = values[j, chosen]


@njit(cache=True, nogil=True)
def take(i, columns, codes, rows, units, unit_left, sums, counts, labels, state):
    """Give record i to the group under construction and let it vanish from what is left."""
    labels[rows[i]] = state[GROUPS]
    for c in range(columns.shape[0]):
        sums[c] -= columns[c, i]
    for j in range(codes.shape[0]):
        counts[j, codes[j, i]] -= 1
    columns[0, i] = np.nan
    state[ALIVE] -= 1
    unit_left[units[i]] -= 1
    if unit_left[units[i]] == 0:
        state[UNITS_LEFT] -= 1


@njit(cache=True, nogil=True)
def group_around(
    seed,
    columns,
    codes,
    rows,
    units,
    unit_left,
    sums,
    counts,
    labels,
    state,
    weights,
    nominal,
    by_unit,
    distances,
    chosen,
    best,
):
    """One group: the seed and its nearest records (of other units each, if by_unit).

    Leaves in `distances` the distance of everyone from the seed, NaN for the members.
    """
    n = state[LENGTH]
    point = columns[:, seed].copy()
    take(seed, columns, codes, rows, units, unit_left, sums, counts, labels, state)
    gower_distances(columns, n, point, weights, nominal, distances)
    if by_unit:
        nearest_of_distinct_units(distances, n, units, units[seed], chosen, best)
    else:
        nearest(distances, n, chosen, best)
    for j in range(chosen.shape[0]):
        take(chosen[j], columns, codes, rows, units, unit_left, sums, counts, labels, state)
        distances[chosen[j]] = np.nan
    state[GROUPS] += 1


@njit(cache=True, nogil=True)
def gower_rounds(
    columns,
    codes,
    rows,
    units,
    unit_left,
    sums,
    counts,
    labels,
    state,
    values,
    coded,
    weights,
    nominal,
    k,
    by_unit,
    rounds,
    single,
):
    """Up to `rounds` rounds of two groups each (one group, if `single`); True when it is time to stop.

    That is when fewer than 3k records (2k, if single) or k units are left. columns, codes: used up; rows:
    original row of each record; units: its unit (its own row if there is no unit rule); unit_left: records
    left of each unit; sums, counts: of what is left; values[j, level]: the level as a coordinate; labels:
    filled per original row; state: see above. O(n d + levels) a round, O(n) scratch a call.
    """
    distances = np.empty(columns.shape[1])
    centre = np.empty(columns.shape[0])
    chosen = np.empty(k - 1, dtype=np.int64)
    best = np.empty(k - 1)
    fewest = 2 * k if single else 3 * k
    for _ in range(rounds):
        if state[ALIVE] < fewest or state[UNITS_LEFT] < k:
            return True
        # an eighth gone: close the gaps, and start the running sums afresh against drift
        if state[LENGTH] - state[ALIVE] > state[LENGTH] // 8:
            state[LENGTH] = compact(columns, codes, rows, units, state[LENGTH])
            column_sums(columns, state[LENGTH], sums)
        n = state[LENGTH]
        middle(sums, counts, values, coded, nominal, state[ALIVE], centre)
        gower_distances(columns, n, centre, weights, nominal, distances)
        seed = farthest(distances, n)
        for _ in range(1 if single else 2):
            if state[UNITS_LEFT] < k:
                return True
            group_around(
                seed,
                columns,
                codes,
                rows,
                units,
                unit_left,
                sums,
                counts,
                labels,
                state,
                weights,
                nominal,
                by_unit,
                distances,
                chosen,
                best,
            )
            seed = farthest(distances, n)
    return state[ALIVE] < fewest or state[UNITS_LEFT] < k


@njit(cache=True, nogil=True)
def nearest_middle(points, centres, weights, nominal, out):
    """out[i] = the lowest row of `centres` (c, d) nearest to points[i] (n, d) by Gower. O(n c d)."""
    for i in range(points.shape[0]):
        best = np.inf
        for g in range(centres.shape[0]):
            total = 0.0
            for c in range(points.shape[1]):
                if nominal[c]:
                    if points[i, c] != centres[g, c]:
                        total += weights[c]
                else:
                    total += weights[c] * abs(points[i, c] - centres[g, c])
            if total < best:
                best = total
                out[i] = g
