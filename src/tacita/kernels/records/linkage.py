"""Who is nearest, and who agrees: the questions behind every linkage attack."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from tacita.core.arrays import Floats, Ints, Mask

from .kd_boxes import Tree

# Distances that agree to so many digits are a tie: rounding must not decide who is found.
TIE = 1e-9

Narrow = npt.NDArray[np.int32]


class Points(NamedTuple):
    """Distinct candidates (m, d), C order, no NaN; `repeats` of each; mine[i]: from query i to its own.

    Distance: sum over columns of weight * difference^2, or by Gower weight * gap, where any difference of
    names is a gap of 1. The own one of a query need not be among the candidates.

    tree: the candidates, and asking: the queries, each coordinate on a scale where its weight is 1.
    """

    queries: Floats
    candidates: Floats
    repeats: Ints
    mine: Floats
    weights: Floats
    nominal: Mask
    gower: bool
    asking: Floats
    tree: Tree


class Agreements(NamedTuple):
    """Queries, and a tree of distinct candidates, given by the ranks of their values in each column.

    Query r agrees on column c with ranks first[r, c]..last[r, c]-1.
    ranks[c, p], low, high: those of the tree, in 32 bits, of which a processor compares most at a time.
    until[p]: how many records the candidates before place p stand for. bits[c]: the bit of column c in a
    pattern, as wide as it takes.
    """

    first: Narrow
    last: Narrow
    ranks: Narrow
    low: Narrow
    high: Narrow
    levels: int
    until: Ints
    bits: Ints


class Allowed(NamedTuple):
    """What row i may have become, low[i]..high[i]; released rows, and a tree of the distinct ones.

    until[p]: how many rows the distinct ones before place p stand for.
    """

    low: Floats
    high: Floats
    released: Floats
    tree: Tree
    until: Ints


@njit(cache=True, nogil=True)
def _apart(candidates, j, queries, i, weights, nominal, gower):
    """The distance of candidate j from query i, as every decision is taken on it."""
    distance = 0.0
    for c in range(weights.shape[0]):
        t = candidates[j, c] - queries[i, c]
        if not gower:
            distance += weights[c] * t * t
        elif nominal[c]:
            distance += 0.0 if t == 0.0 else weights[c]
        else:
            distance += weights[c] * abs(t)
    return distance


@njit(cache=True, nogil=True)
def own_distances(queries, own, weights, nominal, gower, out):
    """out[i] = how far query i is from row i of `own`. O(n d)."""
    for i in range(out.shape[0]):
        out[i] = _apart(own, i, queries, i, weights, nominal, gower)


@njit(cache=True, nogil=True)
def _gap_of_box(node, i, points):
    """No candidate of a node is nearer to query i than this, but for rounding."""
    asking, low, high = points.asking, points.tree.low, points.tree.high
    gap = 0.0
    for c in range(asking.shape[1]):
        t = max(low[node, c] - asking[i, c], asking[i, c] - high[node, c])
        if t > 0.0:
            if not points.gower:
                gap += t * t
            else:
                gap += points.weights[c] if points.nominal[c] else t
    return gap


@njit(cache=True, nogil=True)
def _roughly(first, last, i, points, rough):
    """Distances of the candidates at places first..last-1 from query i, but for rounding."""
    columns, asking = points.tree.columns, points.asking
    rough[: last - first] = 0.0
    for c in range(asking.shape[1]):
        at = asking[i, c]
        if not points.gower:
            for p in range(first, last):
                t = columns[c, p] - at
                rough[p - first] += t * t
        elif points.nominal[c]:
            for p in range(first, last):
                rough[p - first] += 0.0 if columns[c, p] == at else points.weights[c]
        else:
            for p in range(first, last):
                rough[p - first] += abs(columns[c, p] - at)


@njit(cache=True, nogil=True)
def as_near(points, rows, out):
    """out[r] = how many candidates are as near to query rows[r] as its own; -1 where one is nearer.

    Only boxes within the own distance are opened, the nearer half first, and the search ends at the first
    candidate that is nearer. Returns how many boxes and candidates were looked at: O(n d) a query at worst.
    """
    tree, repeats = points.tree, points.repeats
    order, levels, m = tree.order, tree.levels, repeats.shape[0]
    waiting = np.empty(64, dtype=np.int64)
    rough = np.empty(1 + (m >> levels))
    looked = 0
    for r in range(rows.shape[0]):
        i = rows[r]
        mine = points.mine[i]
        nearer, farther = mine * (1 - TIE), mine * (1 + TIE)
        # what scaled coordinates say is rounded; leave room, and decide on the plain ones
        reach = mine * (1 + 1e-6) + 1e-12
        waiting[0], depth, ties, nearest = 1, 1, 0, True
        while depth > 0 and nearest:
            depth -= 1
            node = waiting[depth]
            looked += 1
            if node >> levels:
                leaf = node - (1 << levels)
                first, last = leaf * m >> levels, (leaf + 1) * m >> levels
                looked += last - first
                _roughly(first, last, i, points, rough)
                for p in range(first, last):
                    if rough[p - first] <= reach:
                        distance = _apart(
                            points.candidates,
                            order[p],
                            points.queries,
                            i,
                            points.weights,
                            points.nominal,
                            points.gower,
                        )
                        if distance < nearer:
                            nearest = False
                            break
                        if distance <= farther:
                            ties += repeats[order[p]]
                continue
            near, far = 2 * node, 2 * node + 1
            to_near, to_far = _gap_of_box(near, i, points), _gap_of_box(far, i, points)
            if to_far < to_near:
                near, far, to_near, to_far = far, near, to_far, to_near
            if to_far <= reach:
                waiting[depth] = far
                depth += 1
            if to_near <= reach:
                waiting[depth] = near
                depth += 1
        out[r] = ties if nearest else -1
    return looked


@njit(cache=True, nogil=True)
def _settle(node, r, pairs, agreed, unsettled):
    """The columns on which a whole node agrees with query r, and those on which a part of it may.

    What was settled for the node above is so for this one.
    """
    first, last, low, high, bits = pairs.first, pairs.last, pairs.low, pairs.high, pairs.bits
    for c in range(bits.shape[0]):
        if unsettled & bits[c]:
            if high[node, c] < first[r, c] or low[node, c] >= last[r, c]:
                unsettled ^= bits[c]
            elif low[node, c] >= first[r, c] and high[node, c] < last[r, c]:
                unsettled ^= bits[c]
                agreed |= bits[c]
    return agreed, unsettled


@njit(cache=True, nogil=True)
def _mark(ranks, first, last, bit, pattern):
    """Set a bit where a rank lies within an interval. Of arrays alone, so that it is done many at a time."""
    for p in range(ranks.shape[0]):
        pattern[p] |= bit if (ranks[p] >= first) & (ranks[p] < last) else pattern.dtype.type(0)


@njit(cache=True, nogil=True)
def _patterns(start, stop, r, pairs, agreed, unsettled, pattern):
    """pattern[p - start] = the columns on which query r agrees with the candidate at place p, as bits."""
    first, last, ranks, bits = pairs.first, pairs.last, pairs.ranks, pairs.bits
    pattern[: stop - start] = agreed
    for c in range(bits.shape[0]):
        if unsettled & bits[c]:
            _mark(ranks[c, start:stop], first[r, c], last[r, c], bits[c], pattern)


@njit(cache=True, nogil=True)
def _slot(pattern, keys):
    """Where a pattern stands, or would stand, in an open hash table of a power of two of slots."""
    size = keys.shape[0] - 1
    at = (pattern * np.int64(-7046029254386353131)) >> 20 & size
    while keys[at] != 0 and keys[at] != pattern:
        at = (at + 1) & size
    return at


@njit(cache=True, nogil=True)
def _tally(pattern, until, keys, counts):
    """Count patterns, the first of which stands for until[1] - until[0] records; returns how many are new."""
    new = 0
    if keys.shape[0] == 0:
        for p in range(pattern.shape[0]):
            counts[pattern[p]] += until[p + 1] - until[p]
        return new
    for p in range(pattern.shape[0]):
        if pattern[p] != 0:
            at = _slot(np.int64(pattern[p]), keys)
            new += keys[at] == 0
            keys[at] = pattern[p]
            counts[at] += until[p + 1] - until[p]
    return new


@njit(cache=True, nogil=True)
def _places(node, m):
    """Where the candidates of a node begin and end."""
    level = 0
    while node >> (level + 1):
        level += 1
    j = node - (1 << level)
    return j * m >> level, (j + 1) * m >> level


@njit(cache=True, nogil=True)
def count_patterns(start, stop, pairs, keys, counts):
    """Add up how often each agreement pattern (a bit mask) stands between some queries and all candidates.

    counts: one for each pattern; where there are too many of them, for each slot of `keys`, an open hash
    table, 0 for a free one. That of no agreement is not counted in full. Returns False when the table is
    three quarters full. Boxes that lie within or beyond the tolerance of a column are not opened for it, and
    one for which that is so of every column counts as a whole.
    """
    levels, until, bits = pairs.levels, pairs.until, pairs.bits
    m, nothing, every = until.shape[0] - 1, bits[0] ^ bits[0], bits.sum()
    waiting, settled = np.empty(64, dtype=np.int64), np.empty((64, 2), dtype=bits.dtype)
    pattern, whole = np.empty(1 + (m >> levels), dtype=bits.dtype), np.zeros(2, dtype=np.int64)
    used = 0
    for r in range(start, stop):
        waiting[0], settled[0, 0], settled[0, 1], depth = 1, nothing, every, 1
        while depth > 0:
            depth -= 1
            node = waiting[depth]
            agreed, unsettled = _settle(node, r, pairs, settled[depth, 0], settled[depth, 1])
            if unsettled and not node >> levels:
                for half in (2 * node + 1, 2 * node):
                    waiting[depth], settled[depth, 0], settled[depth, 1] = half, agreed, unsettled
                    depth += 1
                continue
            # a full table would be searched for ever
            if keys.shape[0] and 4 * (used + pattern.shape[0]) > 3 * keys.shape[0]:
                return False
            a, b = _places(node, m)
            if unsettled == 0:
                pattern[0], whole[1] = agreed, until[b] - until[a]
                used += _tally(pattern[:1], whole, keys, counts)
                continue
            _patterns(a, b, r, pairs, agreed, unsettled, pattern)
            used += _tally(pattern[: b - a], until[a : b + 1], keys, counts)
    return True


@njit(cache=True, nogil=True)
def as_likely(start, stop, pairs, gain, mine, out):
    """out[r - start] = how many records have the weight mine[r] for query r; -1 where one has more.

    The weight of a pair is the sum of gain[c] over the columns on which it agrees. Boxes that cannot reach
    it are not opened; the search ends at the first candidate that has more.
    """
    levels, until, bits = pairs.levels, pairs.until, pairs.bits
    m, nothing, every = until.shape[0] - 1, bits[0] ^ bits[0], bits.sum()
    gainful = bits[gain > 0].sum()
    waiting, settled = np.empty(64, dtype=np.int64), np.empty((64, 2), dtype=bits.dtype)
    pattern = np.empty(1 + (m >> levels), dtype=bits.dtype)
    for r in range(start, stop):
        waiting[0], settled[0, 0], settled[0, 1], depth = 1, nothing, every, 1
        ties, better = 0, False
        while depth > 0 and not better:
            depth -= 1
            node = waiting[depth]
            agreed, unsettled = _settle(node, r, pairs, settled[depth, 0], settled[depth, 1])
            if _weight(agreed | unsettled & gainful, gain) < mine[r] - TIE:
                continue
            if unsettled and not node >> levels:
                for half in (2 * node + 1, 2 * node):
                    waiting[depth], settled[depth, 0], settled[depth, 1] = half, agreed, unsettled
                    depth += 1
                continue
            a, b = _places(node, m)
            if unsettled:
                _patterns(a, b, r, pairs, agreed, unsettled, pattern)
            for p in range(a, b if unsettled else a + 1):
                theirs = _weight(pattern[p - a] if unsettled else agreed, gain)
                if theirs > mine[r] + TIE:
                    better = True
                    break
                if theirs >= mine[r] - TIE:
                    ties += until[p + 1 if unsettled else b] - until[p]
        out[r - start] = -1 if better else ties


@njit(cache=True, nogil=True)
def _weight(pattern, gain):
    total = 0.0
    for c in range(gain.shape[0]):
        if pattern >> c & 1:
            total += gain[c]
    return total


@njit(cache=True, nogil=True)
def own_among_allowed(allowed, start, stop, out):
    """out[i - start] = 1/t if released row i lies within what it may have become, as t rows do; else 0.

    Of the tree only nodes are opened that lie partly within. O(n d) a record at worst.
    """
    for i in range(start, stop):
        own = True
        for c in range(allowed.released.shape[1]):
            own &= allowed.low[i, c] <= allowed.released[i, c] <= allowed.high[i, c]
        out[i - start] = 1.0 / _rows_within(i, allowed) if own else 0.0


@njit(cache=True, nogil=True)
def _rows_within(i, allowed):
    """How many released rows lie within what row i may have become."""
    low, high, tree, until = allowed.low, allowed.high, allowed.tree, allowed.until
    levels, d, m = tree.levels, low.shape[1], until.shape[0] - 1
    waiting = np.empty(64, dtype=np.int64)
    waiting[0], depth, count = 1, 1, 0
    while depth > 0:
        depth -= 1
        node = waiting[depth]
        apart, within = False, True
        for c in range(d):
            apart |= tree.high[node, c] < low[i, c] or tree.low[node, c] > high[i, c]
            within &= tree.low[node, c] >= low[i, c] and tree.high[node, c] <= high[i, c]
        if apart:
            continue
        if not within and not node >> levels:
            waiting[depth], waiting[depth + 1] = 2 * node, 2 * node + 1
            depth += 2
            continue
        first, last = _places(node, m)
        if within:
            count += until[last] - until[first]
            continue
        for p in range(first, last):
            inside = True
            for c in range(d):
                inside &= low[i, c] <= tree.columns[c, p] <= high[i, c]
            if inside:
                count += until[p + 1] - until[p]
    return count
