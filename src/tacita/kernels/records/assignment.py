"""Records to centres under bounds on the size of groups: in turn, or at least total cost.

In turn is c-means with room for so many records a group, after which no group is left short of k. At
least cost is a transportation problem, solved exactly by successive shortest paths: everyone at the
cheapest centre is the best assignment that ignores k; then each centre short of k gets one record at a
time along the cheapest chain of moves from a centre that has more than k. Potentials keep all reduced
costs at 0 or above, so that chains are found by Dijkstra's method from the short centre backwards, and
each assignment on the way is the best there is.

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


@njit(cache=True, nogil=True)
def transport(near, costs, start, rows, slots, k, at, sizes):
    """Fill at[i] with the slot of record i's centre, so that every centre has k records; False if impossible.

    near, costs (n, m): the possible centres of each record and their costs, cheapest first; rows and slots:
    the pairs (record, slot) whose centre is g stand at start[g] to start[g + 1]. sizes: filled. Exact.
    O(missing records (groups visited (pairs of a group + groups))) time, O(groups) memory.
    """
    n = near.shape[0]
    groups = sizes.shape[0]
    potential = np.zeros(groups)
    distance = np.empty(groups)
    giver = np.empty(groups, dtype=np.int64)
    slot = np.empty(groups, dtype=np.int64)
    settled = np.zeros(groups, dtype=np.int64)
    for g in range(groups):
        sizes[g] = 0
    for i in range(n):
        at[i] = 0
        sizes[near[i, 0]] += 1
    search = 0
    for short in range(groups):
        while sizes[short] < k:
            search += 1
            for g in range(groups):
                distance[g] = np.inf
            distance[short] = 0.0
            donor = -1
            while donor < 0:
                v = -1
                for g in range(groups):
                    if settled[g] != search and distance[g] < np.inf and (v < 0 or distance[g] < distance[v]):
                        v = g
                if v < 0:
                    return False
                settled[v] = search
                if sizes[v] > k:
                    donor = v
                    break
                for p in range(start[v], start[v + 1]):
                    i = rows[p]
                    u = near[i, at[i]]
                    if settled[u] != search:
                        extra = costs[i, slots[p]] - costs[i, at[i]] + potential[u] - potential[v]
                        along = distance[v] + max(0.0, extra)
                        if along < distance[u]:
                            distance[u] = along
                            giver[u] = i
                            slot[u] = slots[p]
            for g in range(groups):
                if settled[g] == search:
                    potential[g] += distance[donor] - distance[g]
            sizes[donor] -= 1
            sizes[short] += 1
            u = donor
            while u != short:
                i = giver[u]
                at[i] = slot[u]
                u = near[i, at[i]]
    return True
