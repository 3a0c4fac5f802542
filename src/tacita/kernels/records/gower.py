"""Gower's distance: numbers by their gap, ordered levels by theirs, names by equality; and middles by it.

Points stand by column, shape (d, n), C order. The middle of some records is their mean, of ordered levels the
lower median, of names the most frequent one (of several the lowest); counts of codes tell it. A record whose
first coordinate is NaN is gone, and so is its distance.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .distance import squared_distances
from .left import ALIVE, LENGTH


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
def distances_from(point, left, measure, out):
    """out[i] = how far record i is from a point, NaN for those gone. O(n d)."""
    if measure.weights.shape[0] == 0:
        squared_distances(left.columns, left.state[LENGTH], point, out)
    else:
        gower_distances(left.columns, left.state[LENGTH], point, measure.weights, measure.nominal, out)


@njit(cache=True, nogil=True)
def middle(left, measure, centre):
    """Fill `centre` with mean, lower median or most frequent name of the records left. O(d + levels)."""
    sums, counts, alive = left.sums, left.counts, left.state[ALIVE]
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
