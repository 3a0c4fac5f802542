"""Records that show the same share a pattern; moved between patterns so that fewer cells are empty.

Where an empty cell may be anything, records hide columns so that others have compatible ones, and show
them again where nobody needs that. Sets of columns are whole numbers, column j is in it if bit j is set.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacita.core.arrays import Floats, Ints

_MARGIN = 1e-9
# Of a crowd that could help, so many are looked at.
_LOOKED_AT = 4096


class Groups(NamedTuple):
    """Which records share a pattern: the group of each (n,), chained in both directions from its head.

    stars: the set of empty columns of each record; costs: what its suppressed cells cost. head: (2 n,), -1
    where no record is left; marks (n,): scratch, all zero between calls. last: (1,) the highest number
    in use.
    """

    group: Ints
    following: Ints
    before: Ints
    head: Ints
    stars: Ints
    costs: Floats
    units: Ints
    marks: Ints
    last: Ints


@njit(cache=True, nogil=True)
def chain(groups):
    """Chain the records of each group, whose numbers are given."""
    groups.head[:] = -1
    for i in range(groups.group.shape[0] - 1, -1, -1):
        _put(groups, i, groups.group[i])


@njit(cache=True, nogil=True)
def _put(groups, i, g):
    groups.group[i] = g
    groups.before[i] = -1
    groups.following[i] = groups.head[g]
    if groups.head[g] >= 0:
        groups.before[groups.head[g]] = i
    groups.head[g] = i


@njit(cache=True, nogil=True)
def _take(groups, i):
    if groups.before[i] >= 0:
        groups.following[groups.before[i]] = groups.following[i]
    else:
        groups.head[groups.group[i]] = groups.following[i]
    if groups.following[i] >= 0:
        groups.before[groups.following[i]] = groups.before[i]


@njit(cache=True, nogil=True)
def _keeps(groups, g, k, seen):
    """Whether a group has k units, or no record at all, without those that are marked. O(size k)."""
    units = 0
    left = False
    i = groups.head[g]
    while i >= 0:
        if groups.marks[i] == 0:
            left = True
            known = False
            for at in range(units):
                if seen[at] == groups.units[i]:
                    known = True
                    break
            if not known:
                seen[units] = groups.units[i]
                units += 1
                if units == k:
                    return True
        i = groups.following[i]
    return not left


@njit(cache=True, nogil=True)
def _distinct(groups, chosen, count, k, seen):
    """How many units are among the chosen, at most k."""
    units = 0
    for at in range(count):
        unit = groups.units[chosen[at]]
        known = False
        for place in range(units):
            if seen[place] == unit:
                known = True
                break
        if not known:
            seen[units] = unit
            units += 1
            if units == k:
                break
    return units


@njit(cache=True, nogil=True)
def _is_new(groups, chosen, count, i):
    new = True
    for at in range(count):
        new &= groups.units[chosen[at]] != groups.units[i]
    return new


@njit(cache=True, nogil=True)
def _size(groups, g, most):
    count = 0
    i = groups.head[g]
    while i >= 0 and count <= most:
        count += 1
        i = groups.following[i]
    return count


@njit(cache=True, nogil=True)
def _absorb(groups, members, costs, stars, k, chosen, count):
    """Add the small group that costs least to take whole, all of which could show the pattern."""
    best, at_best = np.inf, -1
    for place in range(min(members.shape[0], _LOOKED_AT)):
        i = members[place]
        g = groups.group[i]
        # once for each group, by its head
        if groups.marks[i] != 0 or groups.head[g] != i or groups.stars[i] & ~stars:
            continue
        if _size(groups, g, 2 * k) > 2 * k:
            continue
        loss = 0.0
        whole = True
        j = i
        while j >= 0:
            if groups.marks[j] != 0:
                whole = False
                break
            loss += costs[j] - groups.costs[j]
            j = groups.following[j]
        if whole and loss < best:
            best, at_best = loss, i
    if at_best < 0:
        return count, np.inf
    j = at_best
    while j >= 0:
        groups.marks[j] = 1
        chosen[count] = j
        count += 1
        j = groups.following[j]
    return count, best


@njit(cache=True, nogil=True)
def improve(groups, members, starts, costs, stars, k):
    """Let records show a pattern that is cheaper for them, one with the empty columns `stars` after another.

    members: records that could show each pattern, those of pattern b from starts[b] to starts[b + 1]; costs
    (n,): what the pattern costs each record. A record joins where the pattern is shown already; or enough
    records open it together, some of whom may lose, if that saves in all. The records that stay behind keep k
    units.
    Returns what was saved. O(members k) and, where few gain, O(members) a pattern.
    """
    saved = 0.0
    seen = np.empty(k, dtype=np.int64)
    chosen = np.empty(groups.group.shape[0], dtype=np.int64)
    for b in range(starts.shape[0] - 1):
        here = members[starts[b] : starts[b + 1]]
        open_one = -1
        for i in here:
            if groups.stars[i] == stars:
                open_one = groups.group[i]
                break
        gain, count = 0.0, 0
        for i in here:
            own = groups.costs[i] - costs[i]
            if own <= _MARGIN or groups.group[i] == open_one:
                continue
            groups.marks[i] = 1
            if not _keeps(groups, groups.group[i], k, seen):
                groups.marks[i] = 0
                continue
            if open_one >= 0:
                groups.marks[i] = 0
                _take(groups, i)
                _put(groups, i, open_one)
                groups.stars[i], groups.costs[i] = stars, costs[i]
                saved += own
            else:
                chosen[count] = i
                count += 1
                gain += own
        if open_one >= 0 or count == 0:
            continue
        units = _distinct(groups, chosen, count, k, seen)
        while units < k and gain > _MARGIN:
            best, at_best = np.inf, -1
            for place in range(min(here.shape[0], _LOOKED_AT)):
                i = here[place]
                loss = costs[i] - groups.costs[i]
                if groups.marks[i] != 0 or loss >= best or not _is_new(groups, chosen, count, i):
                    continue
                groups.marks[i] = 1
                if _keeps(groups, groups.group[i], k, seen):
                    best, at_best = loss, i
                groups.marks[i] = 0
            if at_best >= 0:
                groups.marks[at_best] = 1
                chosen[count] = at_best
                count += 1
                gain -= best
            else:
                count, loss = _absorb(groups, here, costs, stars, k, chosen, count)
                gain -= loss
                if loss == np.inf:
                    break
            units = _distinct(groups, chosen, count, k, seen)
        fresh = groups.last[0] + 1
        if units >= k and gain > _MARGIN and fresh < groups.head.shape[0]:
            groups.last[0] = fresh
            saved += gain
            for at in range(count):
                i = chosen[at]
                _take(groups, i)
                _put(groups, i, fresh)
                groups.stars[i], groups.costs[i] = stars, costs[i]
        for at in range(count):
            groups.marks[chosen[at]] = 0
    return saved


_HELPERS_LOOKED_AT = 256


@njit(cache=True, nogil=True)
def _agree(codes, i, t, hidden):
    """Whether record i, hiding a set of columns, is compatible with the original t."""
    for j in range(codes.shape[1]):
        a, b = codes[i, j], codes[t, j]
        if a != b and a != 0 and b != 0 and not hidden >> j & 1:
            return False
    return True


@njit(cache=True, nogil=True)
def help_others(codes, stars, able, rows, wanting, able_keys, wanting_keys, lacking, extra, columns, price):
    """Let able records hide `columns` where that costs at most `price` for each original that it helps.

    able: records, by their key on the other columns (able_keys, sorted) and then by cost; wanting: places in
    `rows` of originals that lack company (lacking), by their key; extra: (n,) what hiding costs a record.
    O(able of a key x wanting of it x d).
    """
    at = 0
    start = 0
    while start < wanting.shape[0]:
        key = wanting_keys[start]
        stop = start
        while stop < wanting.shape[0] and wanting_keys[stop] == key:
            stop += 1
        while at < able.shape[0] and able_keys[at] < key:
            at += 1
        end = at
        while end < able.shape[0] and able_keys[end] == key and end - at < _HELPERS_LOOKED_AT:
            end += 1
        for place in range(at, end):
            i = able[place]
            if stars[i] & columns == columns:
                continue
            helped = 0
            left = False
            for w in range(start, stop):
                t = wanting[w]
                if lacking[t] > 0:
                    left = True
                    if not _agree(codes, i, rows[t], stars[i]):
                        helped += 1
            if not left:
                break
            if helped == 0 or extra[i] > price * helped:
                continue
            for w in range(start, stop):
                t = wanting[w]
                if lacking[t] > 0 and not _agree(codes, i, rows[t], stars[i]):
                    lacking[t] -= 1
            stars[i] |= columns
        start = stop


@njit(cache=True, nogil=True)
def give_back(codes, own, stars, raised, sought, places, starts, ends, spare, order):
    """Show again what raised records hide beyond their own set, where every original keeps its company.

    sought[starts[r]:ends[r]]: originals that agree with raised record r on all it shows; places: where
    `spare` (company beyond k) has them. Columns are tried in the given order. O(d x originals) a record.
    """
    for r in range(raised.shape[0]):
        i = raised[r]
        for j in order:
            bit = np.int64(1) << j
            if not stars[i] & bit or own[i] & bit:
                continue
            needed = False
            for at in range(starts[r], ends[r]):
                t = sought[at]
                if codes[t, j] != codes[i, j] and spare[places[at]] <= 0 and _agree(codes, i, t, stars[i]):
                    needed = True
                    break
            if needed:
                continue
            for at in range(starts[r], ends[r]):
                t = sought[at]
                if codes[t, j] != codes[i, j] and _agree(codes, i, t, stars[i]):
                    spare[places[at]] -= 1
            stars[i] &= ~bit
