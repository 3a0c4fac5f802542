"""What evolutionary searches do again and again: find the nearest medoid, make groups valid, improve them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacita.core.arrays import Floats, Ints

from .distance import gap, sort_rows


class Exchange(NamedTuple):
    """Groups as lists of members, and when a record last looked round and a group last changed."""

    members: Ints
    place: Ints
    seen: Ints
    changed: Ints
    last_seen_by: Ints
    diff: Floats


@njit(cache=True, nogil=True)
def decode_medoids(x, near, gaps, medoids, k, by_group, fitness, labels):
    """Give every record to its nearest medoid, for each row of `medoids` (p, c), ascending rows of x.

    A medoid is its own; ties go to the medoid of the lowest row. fitness[q]: the mean distance to the
    medoid within a group, averaged over groups (by_group) or over records, times 1 + the records that
    groups lack to k, as a share of n. labels (p, n): the position of the medoid. A neighbour list meets a
    medoid after about n / c steps; where it has none, all medoids are measured. O(p n (n / c)) on average.
    """
    n = x.shape[0]
    p, c = medoids.shape
    slot = np.full(n, -1, dtype=np.int64)
    sizes = np.empty(c, dtype=np.int64)
    sums = np.empty(c)
    for q in range(p):
        for g in range(c):
            slot[medoids[q, g]] = g
            sizes[g] = 0
            sums[g] = 0.0
        for i in range(n):
            g = slot[i]
            away = 0.0
            if g < 0:
                for j in range(near.shape[1]):
                    g = slot[near[i, j]]
                    if g >= 0:
                        away = gaps[i, j]
                        break
            if g < 0:
                least = np.inf
                for h in range(c):
                    far = gap(x, medoids[q, h], x, i)
                    if far < least:
                        least = far
                        g = h
                away = np.sqrt(least)
            labels[q, i] = g
            sizes[g] += 1
            sums[g] += away
        total = 0.0
        lacking = 0
        for g in range(c):
            slot[medoids[q, g]] = -1
            total += sums[g] / sizes[g] / c if by_group else sums[g] / n
            lacking += max(0, k - sizes[g])
        fitness[q] = total * (1.0 + lacking / n)


@njit(cache=True, nogil=True)
def _move(x, labels, sums, sizes, i, target):
    g = labels[i]
    for a in range(x.shape[1]):
        sums[g, a] -= x[i, a]
        sums[target, a] += x[i, a]
    sizes[g] -= 1
    sizes[target] += 1
    labels[i] = target


@njit(cache=True, nogil=True)
def gap_to_mean(x, i, sums, sizes, g):
    """Squared distance of record i from the mean of group g."""
    total = 0.0
    for a in range(x.shape[1]):
        t = x[i, a] - sums[g, a] / sizes[g]
        total += t * t
    return total


@njit(cache=True, nogil=True)
def _nearest_group(x, i, sums, sizes):
    """Where record i costs least, and what: n_h / (n_h + 1) ||x_i - mean_h||^2, over groups but its own."""
    best = np.inf
    where = -1
    for h in range(sizes.shape[0]):
        if sizes[h] > 0:
            cost = sizes[h] / (sizes[h] + 1.0) * gap_to_mean(x, i, sums, sizes, h)
            if cost < best:
                best = cost
                where = h
    return where, best


@njit(cache=True, nogil=True)
def _fill(x, labels, sums, sizes, k, g, taken, origin):
    """Bring group g to k, each time by the record of a group above k that costs least.

    Returns the change of the squared error, inf if no group can give; moves stand in taken, origin.
    """
    total = 0.0
    moves = 0
    while sizes[g] < k:
        best = np.inf
        which = -1
        join = sizes[g] / (sizes[g] + 1.0)
        for i in range(x.shape[0]):
            h = labels[i]
            if h != g and sizes[h] > k:
                cost = join * gap_to_mean(x, i, sums, sizes, g)
                cost -= sizes[h] / (sizes[h] - 1.0) * gap_to_mean(x, i, sums, sizes, h)
                if cost < best:
                    best = cost
                    which = i
        if which < 0:
            return np.inf, moves
        taken[moves] = which
        origin[moves] = labels[which]
        moves += 1
        total += best
        _move(x, labels, sums, sizes, which, g)
    return total, moves


@njit(cache=True, nogil=True)
def _lift_short(x, labels, sums, sizes, k):
    """Fill or dissolve, whichever costs less, every group short of k, smallest first.

    O(k (n + c) d) for each of them.
    """
    n = x.shape[0]
    taken = np.empty(k, dtype=np.int64)
    origin = np.empty(k, dtype=np.int64)
    own = np.empty(k, dtype=np.int64)
    while True:
        g = -1
        alive = 0
        for h in range(sizes.shape[0]):
            if sizes[h] > 0:
                alive += 1
                if sizes[h] < k and (g < 0 or sizes[h] < sizes[g]):
                    g = h
        if g < 0 or alive == 1:
            return
        size = 0
        error = 0.0
        for i in range(n):
            if labels[i] == g:
                own[size] = i
                size += 1
                error += gap_to_mean(x, i, sums, sizes, g)
        dissolving = -error
        sizes[g] = 0
        for j in range(size):
            dissolving += _nearest_group(x, own[j], sums, sizes)[1]
        sizes[g] = size
        filling, moves = _fill(x, labels, sums, sizes, k, g, taken, origin)
        if filling > dissolving:
            for j in range(moves):
                _move(x, labels, sums, sizes, taken[j], origin[j])
            for j in range(size):
                kept = sizes[g]
                sizes[g] = 0
                target = _nearest_group(x, own[j], sums, sizes)[0]
                sizes[g] = kept
                _move(x, labels, sums, sizes, own[j], target)


@njit(cache=True, nogil=True)
def _farthest_of(x, rows, m, point):
    best = -1.0
    where = rows[0]
    for j in range(m):
        total = 0.0
        for a in range(x.shape[1]):
            t = x[rows[j], a] - point[a]
            total += t * t
        if total > best:
            best = total
            where = rows[j]
    return where


@njit(cache=True, nogil=True)
def _cut_large(x, labels, sums, sizes, k):
    """Cut every group of 2k or more in two, again and again: that never costs.

    Ordered between its two far ends, at the cut of least squared error with k on both sides.
    Unused slots of `sizes` (0) become new groups. O(n + m^1.5 + m d) for a group of m.
    """
    n, d = x.shape
    rows = np.empty(n, dtype=np.int64)
    keys = np.empty(n)
    head = np.empty(d)
    free = 0
    g = 0
    while g < sizes.shape[0]:
        if sizes[g] < 2 * k:
            g += 1
            continue
        m = 0
        for i in range(n):
            if labels[i] == g:
                rows[m] = i
                m += 1
        for a in range(d):
            head[a] = sums[g, a] / m
        r = _farthest_of(x, rows, m, head)
        s = _farthest_of(x, rows, m, x[r])
        for j in range(m):
            keys[j] = 0.0
            for a in range(d):
                keys[j] += (x[rows[j], a] - x[r, a]) ** 2 - (x[rows[j], a] - x[s, a]) ** 2
        sort_rows(keys, rows, m)
        # the more two means differ, the less is left within: n_1 n_2 / m ||mean_1 - mean_2||^2
        head[:] = 0.0
        best = -1.0
        cut = k
        for j in range(m - k):
            between = 0.0
            for a in range(d):
                head[a] += x[rows[j], a]
                t = head[a] / (j + 1) - (sums[g, a] - head[a]) / (m - j - 1)
                between += t * t
            between *= (j + 1) * (m - j - 1) / m
            if j + 1 >= k and between > best:
                best = between
                cut = j + 1
        while sizes[free] > 0:
            free += 1
        sums[free] = 0.0
        for j in range(cut, m):
            _move(x, labels, sums, sizes, rows[j], free)
        g = min(g, free)


@njit(cache=True, nogil=True)
def _best_exchange(i, x, labels, near, sums, sizes, k, exchange):
    """The move (partner -1) or swap of record i with a neighbour's group that lowers the error most."""
    members, _, seen_by, changed, last_seen_by, diff = exchange
    seen = seen_by[i]
    d = x.shape[1]
    g = labels[i]
    best, target, partner = 0.0, -1, -1
    leaving = 0.0
    if sizes[g] > k:
        leaving = sizes[g] / (sizes[g] - 1.0) * gap_to_mean(x, i, sums, sizes, g)
    for v in range(near.shape[1]):
        h = labels[near[i, v]]
        if h == g or last_seen_by[h] == i or (changed[g] < seen and changed[h] < seen):
            continue
        last_seen_by[h] = i
        if sizes[g] > k and sizes[h] < 2 * k - 1:
            change = sizes[h] / (sizes[h] + 1.0) * gap_to_mean(x, i, sums, sizes, h) - leaving
            if change < best:
                best, target, partner = change, h, -1
        for a in range(d):
            diff[a] = 2.0 * (sums[h, a] / sizes[h] - sums[g, a] / sizes[g])
        weight = 1.0 / sizes[g] + 1.0 / sizes[h]
        for u in range(sizes[h]):
            j = members[h, u]
            change = 0.0
            for a in range(d):
                t = x[j, a] - x[i, a]
                change += (diff[a] - weight * t) * t
            if change < best:
                best, target, partner = change, h, j
    return best, target, partner


@njit(cache=True, nogil=True)
def _relocate(x, labels, near, sums, sizes, k, passes, least):
    """Move and swap records between neighbouring groups of k..2k-1 while the error falls by over `least`.

    Only what changed since a record last looked is looked at again. O(n m k d) for the first pass.
    """
    n, d = x.shape
    groups = sizes.shape[0]
    members = np.empty((groups, 2 * k), dtype=np.int64)
    place = np.empty(n, dtype=np.int64)
    count = np.zeros(groups, dtype=np.int64)
    for i in range(n):
        g = labels[i]
        place[i] = count[g]
        members[g, count[g]] = i
        count[g] += 1
    changed = np.zeros(groups, dtype=np.int64)
    seen = np.zeros(n, dtype=np.int64)
    last_seen_by = np.empty(groups, dtype=np.int64)
    exchange = Exchange(
        members=members, place=place, seen=seen, changed=changed, last_seen_by=last_seen_by, diff=np.empty(d)
    )
    clock = 0
    for _ in range(passes):
        last_seen_by[:] = -1
        quiet = True
        for i in range(n):
            best, h, j = _best_exchange(i, x, labels, near, sums, sizes, k, exchange)
            clock += 1
            seen[i] = clock
            if best >= -least:
                continue
            quiet = False
            g = labels[i]
            if j < 0:
                last = members[g, sizes[g] - 1]
                members[g, place[i]] = last
                place[last] = place[i]
                place[i] = sizes[h]
                members[h, sizes[h]] = i
            else:
                members[g, place[i]] = j
                members[h, place[j]] = i
                place[i], place[j] = place[j], place[i]
                _move(x, labels, sums, sizes, j, g)
            _move(x, labels, sums, sizes, i, h)
            clock += 1
            changed[g] = clock
            changed[h] = clock
        if quiet:
            return


@njit(cache=True, nogil=True)
def settle(x, labels, near, k, passes, least):
    """Turn any labels 0, 1, ... of n >= k records into groups of k..2k-1, in place; returns the error.

    Short groups are filled or dissolved, large ones cut, then up to `passes` passes of moves and swaps.
    x: (n, d) C order; near: (n, m) neighbours. O(n d) per short group and per pass, roughly.
    """
    n, d = x.shape
    slots = labels.max() + 1 + n // k
    sums = np.zeros((slots, d))
    sizes = np.zeros(slots, dtype=np.int64)
    for i in range(n):
        sizes[labels[i]] += 1
        for a in range(d):
            sums[labels[i], a] += x[i, a]
    _lift_short(x, labels, sums, sizes, k)
    _cut_large(x, labels, sums, sizes, k)
    _relocate(x, labels, near, sums, sizes, k, passes, least)
    # afresh: running sums drift, and equal labels must get an equal error
    name = np.full(slots, -1, dtype=np.int64)
    groups = 0
    sums[:] = 0.0
    sizes[:] = 0
    for i in range(n):
        if name[labels[i]] < 0:
            name[labels[i]] = groups
            groups += 1
        labels[i] = name[labels[i]]
        sizes[labels[i]] += 1
        for a in range(d):
            sums[labels[i], a] += x[i, a]
    error = 0.0
    for i in range(n):
        error += gap_to_mean(x, i, sums, sizes, labels[i])
    return error
