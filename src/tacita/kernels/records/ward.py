"""The two records farthest apart, and Ward's mergers under the rule that full groups stay apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacita.core.arrays import Floats, Ints

from .distance import farthest, squared_distances

# Positions in the state vector that is handed from call to call.
LENGTH, ALIVE, SHORT, CHAIN = 0, 1, 2, 3


class Clusters(NamedTuple):
    """Groups as lists of members, and the chain of nearest neighbours.

    means: (d, groups) C order, NaN where merged into another; sizes, first and last member of each group;
    follows: next member; chain with place (-1: not on it); state: see above.
    """

    means: Floats
    sizes: Ints
    first: Ints
    last: Ints
    follows: Ints
    chain: Ints
    place: Ints
    state: Ints


@njit(cache=True, nogil=True)
def farthest_pair(columns, n, bounds, partner, distances):
    """(r, s), r < s, of the greatest distance among the first n records; the lowest rows where pairs tie.

    bounds[i]: no record is farther from i than this (squared), NaN if i is gone; partner[i]: the record
    at that distance, -1 if the bound is not exact. Records may go between calls, since then distances can
    only fall: mark them NaN in columns[0] and in bounds. Only bounds that stand in the way are sharpened,
    at O(n d) each; few are unless the records lie on a sphere. distances: scratch.
    """
    while True:
        r = farthest(bounds, n)
        s = partner[r]
        if s >= 0 and not np.isnan(columns[0, s]):
            return r, s
        squared_distances(columns, n, columns[:, r].copy(), distances)
        distances[r] = np.nan
        s = farthest(distances, n)
        if s < 0:
            return r, s
        bounds[r] = distances[s]
        partner[r] = s


@njit(cache=True, nogil=True)
def grow_around_centroid(columns, groups):
    """Fill up each row of `groups` after its first record: one by one, the record nearest to the centroid.

    columns: (d, n) C order, consumed: records of the groups are NaN in columns[0]. O(n d) a record.
    """
    d, n = columns.shape
    totals, distances = np.empty((groups.shape[0], d)), np.empty(n)
    for g in range(groups.shape[0]):
        totals[g] = columns[:, groups[g, 0]]
    for g in range(groups.shape[0]):
        columns[0, groups[g, 0]] = np.nan
    for g in range(groups.shape[0]):
        for members in range(1, groups.shape[1]):
            squared_distances(columns, n, totals[g] / members, distances)
            closest, least = -1, np.inf
            for i in range(n):
                if distances[i] < least:
                    closest, least = i, distances[i]
            totals[g] += columns[:, closest]
            columns[0, closest] = np.nan
            groups[g, members] = closest


@njit(cache=True, nogil=True)
def _cheapest_partner(top, previous, means, sizes, n, k, cost):
    """The group that `top` merges with at least cost, `previous` where it ties, else the lowest. O(n d)."""
    squared_distances(means, n, means[:, top].copy(), cost)
    own = sizes[top]
    near = previous
    best = np.inf
    if previous >= 0:
        best = cost[previous] * (own * sizes[previous] / (own + sizes[previous]))
    for i in range(n):
        if i == top or np.isnan(means[0, i]) or (own >= k and sizes[i] >= k):
            continue
        increase = cost[i] * (own * sizes[i] / (own + sizes[i]))
        if increase < best or near < 0:
            best = increase
            near = i
    return near


@njit(cache=True, nogil=True)
def _merge(a, b, clusters, k):
    """Group b becomes part of group a and vanishes. O(d)."""
    means, sizes, first, last, follows, _, _, state = clusters
    state[SHORT] -= (sizes[a] < k) + (sizes[b] < k)
    total = sizes[a] + sizes[b]
    for c in range(means.shape[0]):
        means[c, a] = (sizes[a] * means[c, a] + sizes[b] * means[c, b]) / total
    sizes[a] = total
    follows[last[a]] = first[b]
    last[a] = last[b]
    means[0, b] = np.nan
    state[ALIVE] -= 1
    state[SHORT] += total < k


@njit(cache=True, nogil=True)
def _compact(clusters):
    """Move the groups still here to the front, in order, and renumber the chain."""
    means, sizes, first, last, _, chain, place, state = clusters
    kept = 0
    for i in range(state[LENGTH]):
        if not np.isnan(means[0, i]):
            for c in range(means.shape[0]):
                means[c, kept] = means[c, i]
            sizes[kept], first[kept], last[kept], place[kept] = sizes[i], first[i], last[i], place[i]
            if place[kept] >= 0:
                chain[place[kept]] = kept
            kept += 1
    state[LENGTH] = kept


@njit(cache=True, nogil=True)
def ward_mergers(clusters, k, steps):
    """Up to `steps` steps of Ward's method; True when every group has k records.

    A merger costs the rise in squared error, n_a n_b / (n_a + n_b) ||mean_a - mean_b||^2; two groups of k
    or more never merge. Ward's rise is reducible, and forbidding does not change that, so merging any two
    groups that are each other's cheapest (the nearest-neighbour chain) gives what merging the cheapest
    pair of all gives. O(groups d) a step.
    """
    means, sizes, _, _, _, chain, place, state = clusters
    cost = np.empty(means.shape[1])
    for _ in range(steps):
        if state[SHORT] == 0:
            return True
        if state[LENGTH] - state[ALIVE] > state[LENGTH] // 4:
            _compact(clusters)
        if state[CHAIN] == 0:
            start = 0
            while np.isnan(means[0, start]) or sizes[start] >= k:
                start += 1
            chain[0] = start
            place[start] = 0
            state[CHAIN] = 1
        top = chain[state[CHAIN] - 1]
        previous = chain[state[CHAIN] - 2] if state[CHAIN] > 1 else -1
        near = _cheapest_partner(top, previous, means, sizes, state[LENGTH], k, cost)
        if place[near] < 0:
            place[near] = state[CHAIN]
            chain[state[CHAIN]] = near
            state[CHAIN] += 1
        else:
            # `previous`; rounding alone could name one farther down, which the cut serves as well
            cut = place[near]
            for p in range(cut, state[CHAIN]):
                place[chain[p]] = -1
            state[CHAIN] = cut
            _merge(min(top, near), max(top, near), clusters, k)
    return state[SHORT] == 0


@njit(cache=True, nogil=True)
def number_members(clusters, labels):
    """labels[record] = 0, 1, ... of the groups still here, by following their members. O(records)."""
    means, _, first, _, follows, _, _, state = clusters
    group = 0
    for i in range(state[LENGTH]):
        if not np.isnan(means[0, i]):
            member = first[i]
            while member >= 0:
                labels[member] = group
                member = follows[member]
            group += 1
