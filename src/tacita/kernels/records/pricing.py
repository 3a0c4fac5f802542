"""The most profitable groups under a price per record, found exactly by depth-first search.

A record i carries a price p_i. A group S of m records is worth

    value(S) = sum of its prices - SSE(S) - fines(S),     SSE(S) = (1/m) sum of D_ij over its pairs,

with D the squared distances. A fine of a triple of records falls due once when a group holds two or three of
them. If no group of k to 2k-1 records is worth more than nothing, the prices (less the fines) add up to a
lower bound on the squared error of every partition into groups of at least k.

The search grows S from a root by records that come later in a fixed order. With P the sum of D over pairs
in S and D_jS that from j to S, adding t records T to s others (m = s + t) leaves a value of exactly

    prices(S) - P/m  +  sum over j in T of ( p_j - D_jS/m - (1/2m) sum over l in T of D_jl )  -  fines,

so the t largest of  p_j - (D_jS + h_j)/m - f_j  bound it, where h_j is half the sum of the t-1 smallest
distances from j to other candidates and f_j half the fines of triples with one record in S and j another
(half, as the third may come too). Without h_j and f_j this is the bound s/(s+t) ||x_j - mean(S)||^2 per
record.

A pricing problem has the records, their prices and the fines; a search fills a list of groups.

Arrays: C order, no NaN.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacita.core.arrays import Floats, Ints, Mask

from .distance import sort_rows


class PricingProblem(NamedTuple):
    """Records at their prices, wanted in groups of k or more.

    near[j, q] = half the sum of the q smallest distances from j, q < 2k-1. The triples of record j are
    entries[first[j]:first[j+1]], rows of `triples`, each with its fine.
    """

    k: int
    distances: Floats
    near: Floats
    prices: Floats
    first: Ints
    entries: Ints
    triples: Ints
    fines: Floats


class Neighbours(NamedTuple):
    """Roots in order, the rank of each record in it, and the neighbours of each root: see `price_roots`."""

    order: Ints
    rank: Ints
    first: Ints
    close: Ints


class Search(NamedTuple):
    """Groups worth more than `floor` count, `nodes` a root; with `repair` a root has so many `tries`."""

    floor: float
    nodes: int
    repair: bool
    tries: int


class GroupList(NamedTuple):
    """Groups in the order in which they are found, a row each."""

    groups: Ints
    sizes: Ints
    values: Floats


class Candidates(NamedTuple):
    """Who may still join a group: row and price, half sums of distances, distance to it, fines; scratch."""

    rows: Ints
    price: Floats
    half: Floats
    to_group: Floats
    fine: Floats
    tops: Floats
    keep: Mask


@njit(cache=True, nogil=True)
def half_nearest_sums(distances, count, own, out, scratch):
    """out[q] = half the sum of the q smallest of distances[:count] without entry `own`, q < len(out)."""
    most = out.shape[0] - 1
    for q in range(most):
        scratch[q] = np.inf
    for j in range(count):
        if j != own and most > 0 and distances[j] < scratch[most - 1]:
            q = most - 1
            while q > 0 and scratch[q - 1] > distances[j]:
                scratch[q] = scratch[q - 1]
                q -= 1
            scratch[q] = distances[j]
    out[0] = 0.0
    for q in range(most):
        out[q + 1] = out[q] + 0.5 * scratch[q]


@njit(cache=True, nogil=True)
def _sift(candidates, count, group, lowest, highest, floor):
    """Mark in keep[:count] the candidates that can be in a group worth more than `floor`.

    group: its size so far, its prices, the distances of its pairs, its fines. Returns (best bound, lowest
    size, highest size) still possible. O(count sizes).
    """
    cand, price, half, to_group, fine, tops, keep = candidates
    s, worth, pairs, fined = group
    best = -np.inf
    low = highest + 1
    high = lowest - 1
    for c in range(count):
        keep[c] = False
    for m in range(max(lowest, s + 1), highest + 1):
        t = m - s
        if t > count:
            break
        share = 1.0 / m
        for q in range(t):
            tops[q] = -np.inf
        for c in range(count):
            score = price[cand[c]] - (to_group[c] + half[cand[c], t - 1]) * share - fine[c]
            if score > tops[t - 1]:
                q = t - 1
                while q > 0 and tops[q - 1] < score:
                    tops[q] = tops[q - 1]
                    q -= 1
                tops[q] = score
        total = worth - pairs * share - fined
        for q in range(t):
            total += tops[q]
        if total <= floor:
            continue
        best = max(best, total)
        low = min(low, m)
        high = max(high, m)
        least = tops[t - 1]
        # a candidate outside the best t takes the place of the last of them
        needed = floor - total + least
        for c in range(count):
            if not keep[c]:
                score = price[cand[c]] - (to_group[c] + half[cand[c], t - 1]) * share - fine[c]
                if score >= least or score > needed:
                    keep[c] = True
    return best, low, high


@njit(cache=True, nogil=True)
def _compact(count, keep, cand, to_group, fine):
    """Move the kept candidates to the front; returns how many."""
    kept = 0
    for c in range(count):
        if keep[c]:
            cand[kept] = cand[c]
            to_group[kept] = to_group[c]
            fine[kept] = fine[c]
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def dig(root, later, problem, floor, all_above, nodes, listed, start):
    """Groups of the root and records of `later` worth more than `floor`.

    With `all_above` every one of them, else the best only. Written to the outputs from row `start`; returns
    (rows written, nodes searched, bound). `bound` holds for every group not written: `floor` or the best
    value, or more if the search ended early because `nodes` were searched or the outputs were full (then
    rows = -1).
    """
    k, distances, near, prices, first, entries, triples, fines = problem
    out_groups, out_sizes, out_values = listed
    count = later.shape[0]
    most = 2 * k - 1
    tops = np.empty(most)
    keep = np.empty(count, dtype=np.bool_)
    cand = np.empty(count, dtype=np.int64)
    to_group = np.empty(count)
    fine = np.zeros(count)
    n = distances.shape[0]
    place = np.full(n, -1, dtype=np.int64)
    price = prices
    for c in range(count):
        cand[c] = later[c]
        to_group[c] = distances[root, later[c]]
        place[later[c]] = c
    for e in range(first[root], first[root + 1]):
        for corner in range(3):
            other = triples[entries[e], corner]
            if other != root and place[other] >= 0:
                fine[place[other]] += 0.5 * fines[entries[e]]
    alone = (1, prices[root], 0.0, 0.0)
    candidates = Candidates(
        rows=cand, price=price, half=near, to_group=to_group, fine=fine, tops=tops, keep=keep
    )
    best, low, high = _sift(candidates, count, alone, k, most, floor)
    if high < low:
        return 0, 1, floor
    left = _compact(count, keep, cand, to_group, fine)

    # from here on candidates have local numbers: distances and half sums among them only
    half = np.empty((left, most))
    rows = np.empty(left, dtype=np.int64)
    between = np.empty((left, left))
    scratch = np.empty(most)
    local = np.empty(left, dtype=np.int64)
    while True:
        for c in range(left):
            rows[c] = cand[c]
            local[c] = c
        for a in range(left):
            for b in range(left):
                between[a, b] = distances[rows[a], rows[b]]
            half_nearest_sums(between[a], left, a, half[a], scratch)
        price = prices[rows[:left]]
        candidates = Candidates(
            rows=local, price=price, half=half, to_group=to_group, fine=fine, tops=tops, keep=keep
        )
        best, low, high = _sift(candidates, left, alone, low, high, floor)
        if high < low:
            return 0, 1, floor
        before = left
        left = _compact(left, keep, cand, to_group, fine)
        if left == before:
            break
    # the least promising first: their subtrees are cut early, and the others then have fewer to go with
    promise = np.empty(left)
    for c in range(left):
        promise[c] = price[c] - to_group[c] / k - fine[c]
    order = np.arange(left)
    sort_rows(promise, order, left)
    for c in range(n):
        place[c] = -1
    for c in range(left):
        place[rows[order[c]]] = order[c]

    deep = np.empty((most, left), dtype=np.int64)
    to_deep = np.empty((most, left))
    fine_deep = np.empty((most, left))
    for c in range(left):
        deep[1, c] = order[c]
        to_deep[1, c] = to_group[order[c]]
        fine_deep[1, c] = fine[order[c]]
    size_of = np.zeros(most + 1, dtype=np.int64)
    at = np.zeros(most + 1, dtype=np.int64)
    lows = np.empty(most + 1, dtype=np.int64)
    highs = np.empty(most + 1, dtype=np.int64)
    worth = np.empty(most + 1)
    pairs = np.empty(most + 1)
    fined = np.empty(most + 1)
    bounds = np.empty(most + 1)
    group = np.empty(most, dtype=np.int64)
    inside = np.zeros(n, dtype=np.bool_)
    group[0] = root
    inside[root] = True
    s = 1
    size_of[1] = left
    lows[1] = low
    highs[1] = high
    worth[1] = prices[root]
    pairs[1] = 0.0
    fined[1] = 0.0
    bounds[1] = best
    used = 1
    written = 0
    while s > 0:
        if at[s] >= size_of[s]:
            if s > 1:
                inside[group[s - 1]] = False
            s -= 1
            continue
        if used >= nodes:
            # a parent's bound holds for all it has not yet tried
            reach = floor
            for level in range(1, s + 1):
                reach = max(reach, bounds[level])
            return -1 - written, used, reach
        used += 1
        c = at[s]
        at[s] += 1
        j = deep[s, c]
        row = rows[j]
        now_worth = worth[s] + price[j]
        now_pairs = pairs[s] + to_deep[s, c]
        now_fined = fined[s]
        for e in range(first[row], first[row + 1]):
            met = 0
            for corner in range(3):
                other = triples[entries[e], corner]
                if other != row and inside[other]:
                    met += 1
            if met == 1:
                now_fined += fines[entries[e]]
        m = s + 1
        if m >= k:
            value = now_worth - now_pairs / m - now_fined
            if value > floor:
                if all_above:
                    if start + written >= out_sizes.shape[0]:
                        return -1 - written, used, bounds[1]
                    slot = start + written
                    written += 1
                else:
                    slot = start
                    written = 1
                    floor = value
                for g in range(s):
                    out_groups[slot, g] = group[g]
                out_groups[slot, s] = row
                out_sizes[slot] = m
                out_values[slot] = value
        rest = size_of[s] - at[s]
        if m >= highs[s] or rest == 0 or m + rest < lows[s]:
            continue
        for r in range(rest):
            other = deep[s, at[s] + r]
            deep[m, r] = other
            to_deep[m, r] = to_deep[s, at[s] + r] + between[j, other]
            fine_deep[m, r] = fine_deep[s, at[s] + r]
        for e in range(first[row], first[row + 1]):
            triple = entries[e]
            met = 0
            for corner in range(3):
                other = triples[triple, corner]
                if other != row and inside[other]:
                    met += 1
            if met == 2:
                continue
            # met == 0: the two others now cost half each; met == 1: paid, the third is free again
            change = 0.5 * fines[triple] if met == 0 else -0.5 * fines[triple]
            for corner in range(3):
                other = triples[triple, corner]
                if other != row and not inside[other] and place[other] >= 0:
                    for r in range(rest):
                        if deep[m, r] == place[other]:
                            fine_deep[m, r] += change
        candidates = Candidates(
            rows=deep[m], price=price, half=half, to_group=to_deep[m], fine=fine_deep[m], tops=tops, keep=keep
        )
        grown = (m, now_worth, now_pairs, now_fined)
        best, low, high = _sift(candidates, rest, grown, lows[s], highs[s], floor)
        if high < low:
            continue
        size_of[m] = _compact(rest, keep, deep[m], to_deep[m], fine_deep[m])
        group[s] = row
        inside[row] = True
        s = m
        at[s] = 0
        lows[s] = low
        highs[s] = high
        worth[s] = now_worth
        pairs[s] = now_pairs
        fined[s] = now_fined
        bounds[s] = best
    return written, used, floor


@njit(cache=True, nogil=True)
def price_roots(begin, end, neighbours, problem, search, listed, totals):
    """For the roots order[begin:end] the best group each, of records later in the order.

    Only the neighbours close[first[root]:first[root + 1]] count, all if `close` is empty. With
    `repair` the prices of a group found are lowered until it is worth `floor`, and the root is searched
    again, up to `tries` times; what is left over, the root pays. Prices then allow no group worth more than
    `floor`.
    Returns rows written; totals gains (nodes, sum of values found, price paid by roots after all).
    """
    order, rank, close_first, close = neighbours
    floor, nodes, repair, tries = search
    prices = problem.prices
    n = order.shape[0]
    later = np.empty(n, dtype=np.int64)
    written = np.int64(0)
    for position in range(begin, end):
        root = order[position]
        count = 0
        if close.shape[0] > 0:
            for q in range(close_first[root], close_first[root + 1]):
                if rank[close[q]] > position:
                    later[count] = close[q]
                    count += 1
        else:
            for q in range(position + 1, n):
                later[count] = order[q]
                count += 1
        for attempt in range(tries):
            rows, used, bound = dig(
                root, later[:count], problem, floor, np.bool_(False), nodes, listed, written
            )
            totals[0] += used
            ended_early = rows < 0
            if ended_early:
                rows = -1 - rows
            if ended_early and repair:
                totals[2] += bound - floor
                prices[root] -= bound - floor
            if rows == 0:
                break
            value = listed.values[written] - floor
            totals[1] += value
            if repair and not ended_early:
                if attempt == tries - 1:
                    prices[root] -= value
                    totals[2] += value
                else:
                    m = listed.sizes[written]
                    for g in range(m):
                        prices[listed.groups[written, g]] -= value / m
            written += 1
            if ended_early or not repair:
                break
    return written


@njit(cache=True, nogil=True)
def enumerate_roots(begin, end, order, problem, floor, nodes, listed, start):
    """Every group worth more than `floor` whose first record in the order is one of order[begin:end].

    Returns rows written in all, or -1 if the outputs are full or a root took more than `nodes`.
    """
    written = start
    for position in range(begin, end):
        rows, _, _ = dig(
            order[position], order[position + 1 :], problem, floor, np.bool_(True), nodes, listed, written
        )
        if rows < 0:
            return -1
        written += rows
    return written
