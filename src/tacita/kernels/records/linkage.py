"""Who is nearest, and who agrees: the questions behind every linkage attack."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacita.core.arrays import Floats, Ints, Mask

# Distances that agree to so many digits are a tie: rounding must not decide who is found.
TIE = 1e-9


class Points(NamedTuple):
    """Two files (n, d), C order, no NaN, a record of one and the same place in the other being one person's.

    Squared distance: sum over columns of weight * difference^2. turned_queries, turned: the same points
    turned so that the first columns spread most, distances kept; `turned` sorted by its first column,
    order[j] the candidate of its row j.
    """

    queries: Floats
    candidates: Floats
    weights: Floats
    turned_queries: Floats
    turned: Floats
    order: Ints


class MixedPoints(NamedTuple):
    """The same for Gower's distance: sum of weight * gap; any difference of names is a gap of 1.

    Candidates are distinct rows, `repeats` how many records each stands for, own[i] the one of query i. They
    are sorted by column `pivot`, which is not nominal; -1 where every column is.
    """

    queries: Floats
    candidates: Floats
    repeats: Ints
    own: Ints
    weights: Floats
    nominal: Mask
    pivot: int


class Agreements(NamedTuple):
    """Queries, and distinct candidates sorted column by column; those within a tolerance agree.

    repeats: how many records a candidate stands for; own[i]: the one of query i.
    """

    queries: Floats
    sorted_values: Floats
    sorted_rows: Ints
    repeats: Ints
    own: Ints
    tolerance: Floats


class Boxes(NamedTuple):
    """What row i may have become, low[i]..high[i]; released rows, and each column sorted, with its rows."""

    low: Floats
    high: Floats
    released: Floats
    ordered: Floats
    rows: Ints


@njit(cache=True, nogil=True)
def own_is_nearest(points, start, stop, out):
    """out[i - start] = 1/t if candidate i is among the t nearest of query i, all at one distance; else 0.

    Only candidates within the own distance on the first turned column can be nearer, so the scan runs
    outward from the query and ends there, or at the first candidate that is nearer. O(n^2 d) at worst.
    """
    queries, candidates, weights, turned_queries, turned, order = points
    n, d = candidates.shape
    for i in range(start, stop):
        own = 0.0
        for c in range(d):
            t = candidates[i, c] - queries[i, c]
            own += weights[c] * t * t
        nearer = own * (1 - TIE)
        farther = own * (1 + TIE)
        # what the turned coordinates say is rounded; leave room, and decide on the plain ones
        reach = own * (1 + 1e-6) + 1e-12
        at = turned_queries[i, 0]
        right = np.searchsorted(turned[:, 0], at)
        left = right - 1
        ties = 1
        while ties > 0:
            to_left = at - turned[left, 0] if left >= 0 else np.inf
            to_right = turned[right, 0] - at if right < n else np.inf
            if to_left < to_right:
                row, gap = left, to_left
                left -= 1
            else:
                row, gap = right, to_right
                right += 1
            if gap * gap > reach:
                break
            j = order[row]
            if j == i:
                continue
            rough = 0.0
            for c in range(d):
                t = turned[row, c] - turned_queries[i, c]
                rough += t * t
                if rough > reach:
                    break
            if rough > reach:
                continue
            distance = 0.0
            for c in range(d):
                t = candidates[j, c] - queries[i, c]
                distance += weights[c] * t * t
            if distance < nearer:
                ties = 0
            elif distance <= farther:
                ties += 1
        out[i - start] = 1.0 / ties if ties > 0 else 0.0


@njit(cache=True, nogil=True)
def own_is_nearest_mixed(points, start, stop, out):
    """As own_is_nearest by Gower's distance.

    The scan runs outward from the query by the column `pivot` and ends where that column alone is farther
    than the own candidate. O(n m d) at worst for m candidates.
    """
    queries, candidates, repeats, own, weights, nominal, pivot = points
    m, d = candidates.shape
    for i in range(start, stop):
        mine = 0.0
        for c in range(d):
            mine += weights[c] * _gap(candidates[own[i], c], queries[i, c], nominal[c])
        nearer = mine * (1 - TIE)
        farther = mine * (1 + TIE)
        right = 0
        if pivot >= 0:
            right = np.searchsorted(candidates[:, pivot], queries[i, pivot])
        left = right - 1
        ties = 0
        found = True
        while found and (left >= 0 or right < m):
            to_left = np.inf
            to_right = np.inf
            if pivot < 0:
                to_right = 0.0
            else:
                if left >= 0:
                    to_left = weights[pivot] * (queries[i, pivot] - candidates[left, pivot])
                if right < m:
                    to_right = weights[pivot] * (candidates[right, pivot] - queries[i, pivot])
            if min(to_left, to_right) > farther:
                break
            if to_left < to_right:
                row = left
                left -= 1
            else:
                row = right
                right += 1
            distance = 0.0
            for c in range(d):
                distance += weights[c] * _gap(candidates[row, c], queries[i, c], nominal[c])
                if distance > farther:
                    break
            if distance < nearer:
                found = False
            elif distance <= farther:
                ties += repeats[row]
        out[i - start] = 1.0 / ties if found else 0.0


@njit(cache=True, nogil=True)
def _gap(a, b, nominal):
    if nominal:
        return 0.0 if a == b else 1.0
    return abs(a - b)


@njit(cache=True, nogil=True)
def _agreements(i, pairs, mask, touched):
    """Set bit c of mask[j] where query i and candidate j agree on column c; returns how many j agree."""
    queries, sorted_values, sorted_rows, _, _, tolerance = pairs
    n, d = sorted_values.shape[1], sorted_values.shape[0]
    count = 0
    for c in range(d):
        value = queries[i, c]
        low = np.searchsorted(sorted_values[c], value - tolerance[c])
        bit = np.int64(1) << c
        for r in range(low, n):
            if sorted_values[c, r] > value + tolerance[c]:
                break
            j = sorted_rows[c, r]
            if mask[j] == 0:
                touched[count] = j
                count += 1
            mask[j] |= bit
    return count


@njit(cache=True, nogil=True)
def _slot(pattern, keys):
    """Where a pattern stands, or would stand, in an open hash table of a power of two of slots."""
    size = keys.shape[0] - 1
    at = (pattern * np.int64(-7046029254386353131)) >> 20 & size
    while keys[at] != 0 and keys[at] != pattern:
        at = (at + 1) & size
    return at


@njit(cache=True, nogil=True)
def count_patterns(rows, pairs, keys, counts):
    """Add up how often each agreement pattern (a bit mask) stands between some queries and all candidates.

    keys, counts: an empty open hash table, 0 for a free slot; the pattern of no agreement is not counted.
    Returns False when the table is three quarters full. Cost: one step per agreeing pair and column.
    """
    repeats = pairs.repeats
    n = repeats.shape[0]
    mask = np.zeros(n, dtype=np.int64)
    touched = np.empty(n, dtype=np.int64)
    used = 0
    for i in rows:
        found = _agreements(i, pairs, mask, touched)
        for t in range(found):
            j = touched[t]
            at = _slot(mask[j], keys)
            if keys[at] == 0:
                # a full table would be searched for ever
                if 4 * used > 3 * keys.shape[0]:
                    return False
                keys[at] = mask[j]
                used += 1
            counts[at] += repeats[j]
            mask[j] = 0
    return True


@njit(cache=True, nogil=True)
def own_has_most_weight(rows, pairs, gain, total, out):
    """out[r] = 1/t if the own candidate of query rows[r] has the largest weight, shared by t records; else 0.

    The weight of a pair is the sum of gain[c] over the columns on which it agrees. total: how many records
    the candidates stand for.
    """
    repeats, own = pairs.repeats, pairs.own
    n = repeats.shape[0]
    mask = np.zeros(n, dtype=np.int64)
    touched = np.empty(n, dtype=np.int64)
    for r in range(rows.shape[0]):
        i = rows[r]
        found = _agreements(i, pairs, mask, touched)
        mine = _weight(mask[own[i]], gain)
        ties = 0
        strangers = total
        better = False
        for t in range(found):
            j = touched[t]
            theirs = _weight(mask[j], gain)
            strangers -= repeats[j]
            if theirs > mine + TIE:
                better = True
            elif theirs >= mine - TIE:
                ties += repeats[j]
            mask[j] = 0
        if strangers > 0 and mine < -TIE:
            better = True
        elif strangers > 0 and mine <= TIE:
            ties += strangers
        out[r] = 0.0 if better else 1.0 / ties


@njit(cache=True, nogil=True)
def _weight(pattern, gain):
    total = 0.0
    for c in range(gain.shape[0]):
        if pattern >> c & 1:
            total += gain[c]
    return total


@njit(cache=True, nogil=True)
def own_among_allowed(boxes, start, stop, out):
    """out[i - start] = 1/t if released row i lies in its box, which holds t rows; else 0.

    Walks the column whose interval holds fewest. O(d log n + d times that interval) a record.
    """
    low, high, released, ordered, rows = boxes
    n, d = released.shape
    for i in range(start, stop):
        best, first, last = 0, 0, n
        for c in range(d):
            a = np.searchsorted(ordered[c], low[i, c], side="left")
            b = np.searchsorted(ordered[c], high[i, c], side="right")
            if b - a < last - first:
                best, first, last = c, a, b
        inside = 0
        own = False
        for r in range(first, last):
            j = rows[best, r]
            allowed = True
            for c in range(d):
                if released[j, c] < low[i, c] or released[j, c] > high[i, c]:
                    allowed = False
                    break
            if allowed:
                inside += 1
                if j == i:
                    own = True
        out[i - start] = 1.0 / inside if own else 0.0
