"""Gower's distance: numbers by their gap, ordered levels by theirs, names by equality; and middles by it.

Points stand by column, shape (d, n), C order. The middle of some records is their mean, of ordered levels the
lower median, of names the most frequent one (of several the lowest); counts of codes tell it. A record whose
first coordinate is NaN is gone, and so is its distance.

Records leave a pool (`unassigned`) as they come into a group.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .distance import farthest, nearest, nearest_of_distinct_units
from .unassigned import ALIVE, GROUPS, LENGTH, UNITS_LEFT, close_gaps, take


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
def middle(pool, measure, centre):
    """Fill `centre` with mean, lower median or most frequent name of the records left. O(d + levels)."""
    sums, counts, alive = pool.sums, pool.counts, pool.state[ALIVE]
    nominal, coded, values = measure.nominal, measure.coded, measure.values
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


@njit(cache=True, nogil=True)
def _sum_afresh(pool):
    for c in range(pool.columns.shape[0]):
        column = pool.columns[c]
        total = 0.0
        for i in range(pool.state[LENGTH]):
            total += column[i]
        pool.sums[c] = total


@njit(cache=True, nogil=True)
def gower_rounds(pool, measure, k, ends, fewest, rounds):
    """Up to `rounds` rounds of one or two groups; True when fewer than `fewest` records or k units are left.

    A group is a seed and its nearest records (of other units each, if by_unit); the seed is the record
    farthest from the middle of what is left, at the second end the one farthest from the first seed. O(n d) a
    round, no memory but O(n + k d) scratch a call.
    """
    columns, units, state = pool.columns, pool.units, pool.state
    distances = np.empty(columns.shape[1])
    point = np.empty(columns.shape[0])
    chosen = np.empty(k - 1, dtype=np.int64)
    best = np.empty(k - 1)
    for _ in range(rounds):
        if state[ALIVE] < fewest or state[UNITS_LEFT] < k:
            return True
        if close_gaps(pool):
            # running sums drift
            _sum_afresh(pool)
        n = state[LENGTH]
        middle(pool, measure, point)
        unit = -1
        # one place to measure from the middle and from the seeds: the compiler takes long over each
        for made in range(ends + 1):
            gower_distances(columns, n, point, measure.weights, measure.nominal, distances)
            if made > 0:
                if pool.by_unit:
                    nearest_of_distinct_units(distances, n, units, unit, chosen, best)
                else:
                    nearest(distances, n, chosen, best)
                for j in range(k - 1):
                    take(chosen[j], pool)
                    distances[chosen[j]] = np.nan
                state[GROUPS] += 1
            if made == ends or state[UNITS_LEFT] < k:
                break
            seed = farthest(distances, n)
            unit = units[seed]
            for c in range(columns.shape[0]):
                point[c] = columns[c, seed]
            take(seed, pool)
    return state[ALIVE] < fewest or state[UNITS_LEFT] < k
