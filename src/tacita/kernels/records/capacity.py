"""c-means with room for so many records a group: assignment in turn, then no group short of k.

Records by row (n, d), centres (c, d), C order, no NaN. Ties go to the lowest group and the lowest row.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .distance import gap_below


@njit(cache=True, nogil=True)
def _nearest_allowed(i, x, centres, sizes, least, most, own):
    """The group nearest to record i, `own` apart, with `least` to `most` records; -1 if none. O(c d)."""
    best = np.inf
    where = -1
    for g in range(sizes.shape[0]):
        if g != own and least <= sizes[g] <= most:
            gap = gap_below(x, i, centres, g, best)
            if gap < best:
                best = gap
                where = g
    return where


@njit(cache=True, nogil=True)
def assign_in_turn(x, centres, room, labels, sizes):
    """Each record, in order of rows, to the nearest centre with fewer than `room` records. O(n c d).

    Needs n <= room c. Fills labels and sizes.
    """
    for g in range(sizes.shape[0]):
        sizes[g] = 0
    for i in range(x.shape[0]):
        labels[i] = _nearest_allowed(i, x, centres, sizes, 0, room - 1, -1)
        sizes[labels[i]] += 1


@njit(cache=True, nogil=True)
def _scatter(g, x, centres, follow, labels, sizes, least, most):
    """All members of group g to the nearest groups that may take them, if there are such. O(n + c d) each."""
    for i in range(x.shape[0]):
        if labels[i] == g:
            h = _nearest_allowed(i, x, centres, sizes, least, most, g)
            if h < 0:
                return
            if follow:
                for c in range(x.shape[1]):
                    centres[h, c] += (x[i, c] - centres[h, c]) / (sizes[h] + 1)
            labels[i] = h
            sizes[g] -= 1
            sizes[h] += 1


@njit(cache=True, nogil=True)
def _nearest_donor(g, x, centres, labels, sizes, k):
    """The record nearest to the centre of group g in a group of more than k; -1 if none. O(n d)."""
    best = np.inf
    where = -1
    for i in range(x.shape[0]):
        if sizes[labels[i]] > k:
            gap = gap_below(x, i, centres, g, best)
            if gap < best:
                best = gap
                where = i
    return where


@njit(cache=True, nogil=True)
def mend_short_groups(x, centres, follow, room, k, labels, sizes):
    """No group with 1 to k-1 records is left; an emptied group keeps size 0.

    With `follow`, centres are those of the records so far, and move with each; otherwise they stay.

    A group that lacks more than it has goes to its neighbours (if room is limited: to those of k records or
    more with room, if they have enough of it). Any other is filled with the records nearest to its centre
    from groups of more than k; where nobody can give, it goes to its neighbours after all, room or not.
    O(n d) a record taken, O(c d) a record given.
    """
    groups = sizes.shape[0]
    limited = room < x.shape[0]
    least = k if limited else 1
    for g in range(groups):
        if sizes[g] == 0 or sizes[g] >= k:
            continue
        space = 0
        for h in range(groups):
            if h != g and sizes[h] >= least:
                space += max(0, room - sizes[h])
        if k - sizes[g] > sizes[g] and space >= sizes[g]:
            _scatter(g, x, centres, follow, labels, sizes, least, room - 1)
        while 0 < sizes[g] < k:
            i = _nearest_donor(g, x, centres, labels, sizes, k)
            if i < 0:
                _scatter(g, x, centres, follow, labels, sizes, 1, x.shape[0])
                break
            h = labels[i]
            if follow:
                for c in range(x.shape[1]):
                    centres[g, c] += (x[i, c] - centres[g, c]) / (sizes[g] + 1)
                    centres[h, c] += (centres[h, c] - x[i, c]) / (sizes[h] - 1)
            sizes[h] -= 1
            sizes[g] += 1
            labels[i] = g
