"""Moving single records between groups, each move priced in O(d).

Taking record i out of its group g (size a) saves a/(a-1) ||x_i - c_g||^2, putting it into group h (size b)
costs b/(b+1) ||x_i - c_h||^2: exactly the change of the squared error, centroids moved along. Kernels take
records and centres by column, shapes (d, n) and (d, c), C order, without NaN, and keep labels, centres and
sizes (c,) up to date. Ties go to the lowest row, and among groups to the lowest number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacita.core.arrays import Floats, Ints

from .distance import squared_distances

# A move counts as an improvement only if it saves more than rounding can feign.
_MARGIN = 1e-10


class Groups(NamedTuple):
    """Records and centres by column, the group of each record, the size of each group."""

    columns: Floats
    labels: Ints
    centres: Floats
    sizes: Ints


class Offers(NamedTuple):
    """Of each record: groups to look at, the cheapest, its cost, the next cost, what leaving saves.

    near: (n, m); with m = 0 every group is looked at.
    """

    near: Ints
    target: Ints
    cost: Floats
    second: Floats
    saved: Floats


@njit(cache=True, nogil=True)
def saving(i, columns, g, centres, sizes):
    """What taking record i out of its group g saves; 0 for a group of one. O(d)."""
    a = sizes[g]
    if a <= 1:
        return 0.0
    total = 0.0
    for c in range(columns.shape[0]):
        t = columns[c, i] - centres[c, g]
        total += t * t
    return total * (a / (a - 1.0))


@njit(cache=True, nogil=True)
def price(i, columns, h, centres, sizes):
    """What putting record i into group h costs. O(d)."""
    total = 0.0
    for c in range(columns.shape[0]):
        t = columns[c, i] - centres[c, h]
        total += t * t
    return total * (sizes[h] / (sizes[h] + 1.0))


@njit(cache=True, nogil=True)
def move(i, g, h, columns, labels, centres, sizes):
    """Record i from group g to group h; both centroids follow. O(d)."""
    labels[i] = h
    a = sizes[g]
    b = sizes[h]
    for c in range(columns.shape[0]):
        centres[c, h] += (columns[c, i] - centres[c, h]) / (b + 1.0)
        if a > 1:
            centres[c, g] += (centres[c, g] - columns[c, i]) / (a - 1.0)
    sizes[g] -= 1
    sizes[h] += 1


@njit(cache=True, nogil=True)
def _look_round(i, groups, offers, scratch):
    """The cheapest group for record i, own group apart: target[i], cost[i]; second[i]: the next cost.

    O(groups d).
    """
    columns, labels, centres, sizes = groups
    near, target, cost, second, _ = offers
    first = np.inf
    other = np.inf
    where = -1
    if near.shape[1] > 0:
        for j in range(near.shape[1]):
            h = near[i, j]
            if h != labels[i]:
                paid = price(i, columns, h, centres, sizes)
                if paid < first:
                    other = first
                    first = paid
                    where = h
                elif paid < other:
                    other = paid
    else:
        squared_distances(centres, sizes.shape[0], columns[:, i], scratch)
        for h in range(sizes.shape[0]):
            paid = scratch[h] * (sizes[h] / (sizes[h] + 1.0))
            if paid < other and h != labels[i]:
                if paid < first:
                    other = first
                    first = paid
                    where = h
                else:
                    other = paid
    target[i] = where
    cost[i] = first
    second[i] = other


@njit(cache=True, nogil=True)
def price_all(groups, offers):
    """Fill the offers of all records from nothing. O(n groups d)."""
    columns, labels, centres, sizes = groups
    scratch = np.empty(sizes.shape[0])
    for i in range(columns.shape[1]):
        _look_round(i, groups, offers, scratch)
        offers.saved[i] = saving(i, columns, labels[i], centres, sizes)


@njit(cache=True, nogil=True)
def relocate(groups, offers, floor, moves):
    """Up to `moves` times the one relocation that lowers the squared error most; returns how many were made.

    Only groups of more than `floor` (at least 1) records give one away. After a move two groups have
    changed: everyone is priced against these two, and a record looks round again only if the group it was
    headed for now costs more than `second`, below which no other group lies. O(n d) a move, and
    O(groups d) for each record that looks round.
    """
    columns, labels, centres, sizes = groups
    _, target, cost, second, saved = offers
    n = columns.shape[1]
    scratch = np.empty(sizes.shape[0])
    to_g = np.empty(n)
    to_h = np.empty(n)
    for done in range(moves):
        best = 0.0
        i = -1
        for r in range(n):
            gain = saved[r] - cost[r]
            if gain > best and gain > _MARGIN * saved[r] and sizes[labels[r]] > floor:
                best = gain
                i = r
        if i < 0:
            return done
        g = labels[i]
        h = target[i]
        move(i, g, h, columns, labels, centres, sizes)
        squared_distances(columns, n, centres[:, g].copy(), to_g)
        squared_distances(columns, n, centres[:, h].copy(), to_h)
        in_g = sizes[g] / (sizes[g] + 1.0)
        in_h = sizes[h] / (sizes[h] + 1.0)
        out_g = sizes[g] / (sizes[g] - 1.0) if sizes[g] > 1 else 0.0
        out_h = sizes[h] / (sizes[h] - 1.0)
        for r in range(n):
            at_g = to_g[r] * in_g
            at_h = to_h[r] * in_h
            own = labels[r]
            headed = target[r]
            if own == g:
                saved[r] = to_g[r] * out_g
                at_g = np.inf
            elif own == h:
                saved[r] = to_h[r] * out_h
                at_h = np.inf
            if r == i:
                _look_round(r, groups, offers, scratch)
            elif headed in (g, h):
                paid = at_g if headed == g else at_h
                rival = at_h if headed == g else at_g
                if min(paid, rival) > second[r]:
                    _look_round(r, groups, offers, scratch)
                elif rival < paid:
                    target[r] = h if headed == g else g
                    cost[r] = rival
                    second[r] = min(second[r], paid)
                else:
                    cost[r] = paid
                    second[r] = min(second[r], rival)
            elif at_g < second[r] or at_h < second[r]:
                low = min(at_g, at_h)
                if low < cost[r]:
                    second[r] = min(cost[r], max(at_g, at_h))
                    cost[r] = low
                    target[r] = g if at_g <= at_h else h
                else:
                    second[r] = low
    return moves


@njit(cache=True, nogil=True)
def fill_short_groups(columns, labels, centres, sizes, k):
    """Every group short of k takes, again and again, the record from a group above k that costs least.

    Needs n >= k groups. O(n d) a record taken.
    """
    n = columns.shape[1]
    saved = np.empty(n)
    distances = np.empty(n)
    for i in range(n):
        saved[i] = saving(i, columns, labels[i], centres, sizes)
    for h in range(sizes.shape[0]):
        while sizes[h] < k:
            squared_distances(columns, n, centres[:, h].copy(), distances)
            weight = sizes[h] / (sizes[h] + 1.0)
            best = np.inf
            chosen = -1
            for i in range(n):
                paid = weight * distances[i] - saved[i]
                if paid < best and sizes[labels[i]] > k:
                    best = paid
                    chosen = i
            if chosen < 0:
                return
            g = labels[chosen]
            move(chosen, g, h, columns, labels, centres, sizes)
            for i in range(n):
                if labels[i] == g or labels[i] == h:
                    saved[i] = saving(i, columns, labels[i], centres, sizes)


@njit(cache=True, nogil=True)
def nearest_group(columns, centres, sizes, out):
    """out[i] = the group with records whose centre is nearest to record i. O(n groups d)."""
    scratch = np.empty(sizes.shape[0])
    for i in range(columns.shape[1]):
        squared_distances(centres, sizes.shape[0], columns[:, i], scratch)
        best = np.inf
        for h in range(sizes.shape[0]):
            if scratch[h] < best and sizes[h] > 0:
                best = scratch[h]
                out[i] = h


@njit(cache=True, nogil=True)
def move_in_turn(order, nearest, labels, sizes, floor):
    """Each record of `order` goes to nearest[i] unless its group would fall below `floor`. O(n).

    Centres stand still meanwhile; returns how many moved.
    """
    moved = 0
    for i in order:
        g = labels[i]
        if nearest[i] != g and sizes[g] > floor:
            sizes[g] -= 1
            sizes[nearest[i]] += 1
            labels[i] = nearest[i]
            moved += 1
    return moved
