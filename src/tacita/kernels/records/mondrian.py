"""Multidimensional ranges: records halved again and again, as long as both halves may stand."""

from __future__ import annotations

import numpy as np
from numba import njit

from .local_recoding import stands


@njit(cache=True, nogil=True)
def halved(ranks, spans, kinds, parents, depths, strata_starts, order, guard, room, relaxed, of):
    """Split the records of each stratum at medians, or by the children of a place, until no part may stand.

    ranks: (keys, records) ranks of numbers, or places of a hierarchy; spans: how far apart the ranks of a key
    may be; kinds[j]: the first place of key j in `parents`, or -1 for numbers. order: records by stratum,
    those of stratum s from strata_starts[s] on. relaxed: equal numbers may go to both sides of a median.
    of: filled with the class of each record. Returns how many there are. O(n keys log n).
    """
    stack = [(strata_starts[s], strata_starts[s + 1]) for s in range(strata_starts.shape[0] - 1)]
    parts = 0
    m = ranks.shape[0]
    width = np.empty(m)
    while len(stack) > 0:
        start, stop = stack.pop()
        members = order[start:stop]
        cut = 0
        if stop - start >= 2 * guard.k:
            for j in range(m):
                width[j] = _width(ranks[j], members, spans[j], kinds[j], parents, depths)
            for j in np.argsort(-width):
                if width[j] <= 0:
                    break
                if kinds[j] < 0:
                    cut = _median(ranks[j], order, start, stop, guard, room, relaxed)
                    if cut:
                        stack.append((start, cut))
                        stack.append((cut, stop))
                else:
                    ends = _children(ranks[j], order, start, stop, parents, depths, guard, room)
                    if ends.shape[0] > 1:
                        cut = 1
                        low = start
                        for end in ends:
                            stack.append((low, end))
                            low = end
                if cut:
                    break
        if cut == 0:
            for i in members:
                of[i] = parts
            parts += 1
    return parts


@njit(cache=True, nogil=True)
def _joined(parents, depths, one, other):
    while one != other:
        if depths[one] >= depths[other]:
            one = parents[one]
        else:
            other = parents[other]
    return one


@njit(cache=True, nogil=True)
def _width(ranks, members, span, kind, parents, depths):
    """How much of its key some records spread over."""
    if kind < 0:
        low = high = ranks[members[0]]
        for i in members:
            low, high = min(low, ranks[i]), max(high, ranks[i])
        return (high - low) / span if span > 0 else 0.0
    place, apart = ranks[members[0]], False
    for i in members:
        if ranks[i] != place:
            apart = True
            place = _joined(parents, depths, place, ranks[i])
    return 1.0 / (1.0 + depths[place]) if apart else 0.0


@njit(cache=True, nogil=True)
def _median(ranks, order, start, stop, guard, room, relaxed):
    """Put records in order of a number and cut in the middle, at the nearest place between two numbers."""
    members = order[start:stop].copy()
    own = np.empty(members.shape[0])
    for i in range(members.shape[0]):
        own[i] = ranks[members[i]]
    places = np.argsort(own, kind="mergesort")
    for i in range(members.shape[0]):
        order[start + i] = members[places[i]]
    middle = members.shape[0] // 2
    if relaxed:
        tried = np.array([middle, middle])
    else:
        below, above = middle, middle
        while below > 0 and own[places[below - 1]] == own[places[below]]:
            below -= 1
        while above < members.shape[0] and own[places[above - 1]] == own[places[above]]:
            above += 1
        tried = np.array([below, above]) if middle - below <= above - middle else np.array([above, below])
    for cut in tried:
        if 0 < cut < members.shape[0]:
            left, right = order[start : start + cut], order[start + cut : stop]
            if stands(left, guard, room) and stands(right, guard, room):
                return start + cut
    return 0


@njit(cache=True, nogil=True)
def _children(places, order, start, stop, parents, depths, guard, room):
    """Put records in order of the children of their place; all parts must stand. The end of each part."""
    members = order[start:stop].copy()
    place = places[members[0]]
    for i in members:
        place = _joined(parents, depths, place, places[i])
    own = np.empty(members.shape[0], dtype=np.int64)
    for i in range(members.shape[0]):
        at = places[members[i]]
        while parents[at] != place and at != place:
            at = parents[at]
        own[i] = at
    arranged = np.argsort(own, kind="mergesort")
    ends = np.empty(members.shape[0], dtype=np.int64)
    parts, low = 0, 0
    for i in range(1, members.shape[0] + 1):
        if i == members.shape[0] or own[arranged[i]] != own[arranged[low]]:
            if not stands(members[arranged[low:i]], guard, room):
                return ends[:0]
            ends[parts] = start + i
            parts += 1
            low = i
    for i in range(members.shape[0]):
        order[start + i] = members[arranged[i]]
    return ends[:parts].copy()
