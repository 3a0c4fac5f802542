"""The rounds of GSMS, and its second phase: groups dissolved where that lowers the squared error."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacita.core.arrays import Floats, Ints, Mask

from .distance import farthest, nearest, squared_distances

# Positions in the state vector that is handed from call to call.
LENGTH, ALIVE, GROUPS = 0, 1, 2


class Candidates(NamedTuple):
    """What is left, and each record of it with its k-1 nearest as a candidate for a group.

    x: (n, d); columns: (d, n), and rows: what is left; place: of each row, alike for like records; lists:
    (places, m) the rows nearest to a place, k or more unless no more are left, -1 after the last; gone: per
    row; members: (k - 1, n), sums: (d, n) of each candidate; rest: column sums of what is left; labels:
    filled per row; state: see above.
    """

    x: Floats
    columns: Floats
    rows: Ints
    place: Ints
    lists: Ints
    gone: Mask
    members: Ints
    sums: Floats
    rest: Floats
    labels: Ints
    state: Ints


@njit(cache=True, nogil=True)
def scaled_distances(columns, n, factor, target, out):
    """out[i] = ||factor columns[:, i] - target||^2 for the first n records. O(n d).

    The distance from a mean times the number of its members: exact for whole numbers, ties included.
    """
    for i in range(n):
        out[i] = 0.0
    for c in range(columns.shape[0]):
        values = columns[c]
        wanted = target[c]
        for i in range(n):
            t = factor * values[i] - wanted
            out[i] += t * t


@njit(cache=True, nogil=True)
def neighbour_lists(columns, points, start, stop, lists):
    """lists[p] = the rows nearest to points[p], for p from start to stop; lists: (points, m). O(n d) each."""
    n = columns.shape[1]
    distances = np.empty(n)
    chosen = np.empty(lists.shape[1], dtype=np.int64)
    best = np.empty(lists.shape[1])
    for p in range(start, stop):
        squared_distances(columns, n, points[p], distances)
        nearest(distances, n, chosen, best)
        for j in range(chosen.shape[0]):
            lists[p, j] = chosen[j]


@njit(cache=True, nogil=True)
def _choose_members(i, candidates, distances, chosen, best):
    """Candidate i becomes record i and the nearest still here; its list is made anew if used up."""
    x, columns, rows, place, lists, gone, members, sums, _, _, state = candidates
    length = state[LENGTH]
    wanted = members.shape[0]
    row = rows[i]
    p = place[row]
    for attempt in range(2):
        size = 0
        for j in range(lists.shape[1]):
            other = lists[p, j]
            if other < 0 or size == wanted:
                break
            if other != row and not gone[other]:
                members[size, i] = other
                size += 1
        if size == wanted or attempt == 1:
            break
        squared_distances(columns, length, x[row], distances)
        nearest(distances, length, chosen, best)
        for j in range(lists.shape[1]):
            lists[p, j] = rows[chosen[j]] if chosen[j] >= 0 else -1
    for c in range(x.shape[1]):
        total = x[row, c]
        for j in range(wanted):
            total += x[members[j, i], c]
        sums[c, i] = total


@njit(cache=True, nogil=True)
def first_candidates(candidates):
    """Every record with its nearest as a candidate: all lists are fresh. O(n k d)."""
    nothing, nobody = np.empty(0), np.empty(0, dtype=np.int64)
    for i in range(candidates.rows.shape[0]):
        _choose_members(i, candidates, nothing, nobody, nothing)


@njit(cache=True, nogil=True)
def _compact(candidates):
    """Move what is still here to the front, in order; sum it afresh against drift."""
    _, columns, rows, _, _, _, members, sums, rest, _, state = candidates
    kept = 0
    for i in range(state[LENGTH]):
        if not np.isnan(columns[0, i]):
            rows[kept] = rows[i]
            for c in range(columns.shape[0]):
                columns[c, kept] = columns[c, i]
                sums[c, kept] = sums[c, i]
            for j in range(members.shape[0]):
                members[j, kept] = members[j, i]
            kept += 1
    state[LENGTH] = kept
    for c in range(columns.shape[0]):
        rest[c] = columns[c, :kept].sum()


@njit(cache=True, nogil=True)
def gsms_rounds(candidates, rounds):
    """Up to `rounds` groups; True when fewer than k records are left.

    SSE(group) + SSE(what remains) is the SSE of all that is left, less k m / (m - k) times the squared
    distance of the group's mean from the mean of the m left: the best candidate is the one whose mean lies
    farthest out. O(n (d + k)) a round, and O(n d) for each list used up.
    """
    x, columns, rows, _, lists, gone, members, sums, rest, labels, state = candidates
    n, d = x.shape
    k = members.shape[0] + 1
    distances = np.empty(n)
    chosen = np.empty(lists.shape[1], dtype=np.int64)
    best = np.empty(lists.shape[1])
    for _ in range(rounds):
        if state[ALIVE] < k:
            return True
        if state[LENGTH] - state[ALIVE] > state[LENGTH] // 8:
            _compact(candidates)
        length = state[LENGTH]
        scaled_distances(sums, length, float(state[ALIVE]), k * rest, distances)
        winner = farthest(distances, length)
        gone[rows[winner]] = True
        for j in range(k - 1):
            gone[members[j, winner]] = True
        state[ALIVE] -= k
        for i in range(length):
            if not np.isnan(columns[0, i]) and gone[rows[i]]:
                labels[rows[i]] = state[GROUPS]
                for c in range(d):
                    rest[c] -= columns[c, i]
                columns[0, i] = np.nan
                sums[0, i] = np.nan
        state[GROUPS] += 1
        if state[ALIVE] < k:
            return True
        for i in range(length):
            if not gone[rows[i]]:
                broken = False
                for j in range(k - 1):
                    broken |= gone[members[j, i]]
                if broken:
                    _choose_members(i, candidates, distances, chosen, best)
    return state[ALIVE] < k


@njit(cache=True, nogil=True)
def _nearest_other(point, own, sums, sizes):
    """The group, not `own` nor empty, whose mean is nearest to the point; the lowest of those that tie."""
    best = np.inf
    where = -1
    for g in range(sizes.shape[0]):
        if g == own or sizes[g] == 0:
            continue
        total = 0.0
        for c in range(point.shape[0]):
            t = point[c] - sums[g, c] / sizes[g]
            total += t * t
            if total >= best and where >= 0:
                break
        if total < best or where < 0:
            best = total
            where = g
    return where


@njit(cache=True, nogil=True)
def _add(point, g, sums, sizes):
    """Group g receives a record; returns by how much its squared error rises. O(d)."""
    rise = 0.0
    for c in range(point.shape[0]):
        t = point[c] - sums[g, c] / sizes[g]
        rise += t * t
        sums[g, c] += point[c]
    rise *= sizes[g] / (sizes[g] + 1)
    sizes[g] += 1
    return rise


@njit(cache=True, nogil=True)
def group_errors(x, labels, sums, sizes, errors):
    """errors[g] += the squared error of group g, from sums (groups, d) and sizes. O(n d)."""
    for i in range(x.shape[0]):
        g = labels[i]
        for c in range(x.shape[1]):
            t = x[i, c] - sums[g, c] / sizes[g]
            errors[g] += t * t


@njit(cache=True, nogil=True)
def dissolve_groups(x, labels, order, sums, sizes, errors, begin, stop):
    """Try groups order[begin:stop]: all members to the nearest other means; kept where the error falls.

    The means stand still during a trial and move after it; records that a group received in an earlier
    trial go with it. sums: (groups, d), sizes, errors: of each group as it is now; a group that is gone
    has size 0. O(n) a trial and O(groups d) a member.
    """
    n, d = x.shape
    old_sums = np.empty((n, d))
    old_rise = np.empty(n)
    going = np.empty(n, dtype=np.int64)
    target = np.empty(n, dtype=np.int64)
    for position in range(begin, stop):
        g = order[position]
        count = 0
        for i in range(n):
            if labels[i] == g:
                going[count] = i
                count += 1
        for j in range(count):
            target[j] = _nearest_other(x[going[j]], g, sums, sizes)
        if count == 0 or target[0] < 0:
            continue
        total = 0.0
        for j in range(count):
            for c in range(d):
                old_sums[j, c] = sums[target[j], c]
            old_rise[j] = _add(x[going[j]], target[j], sums, sizes)
            total += old_rise[j]
        # a fall that rounding alone could feign is none
        if total < errors[g] * (1 - 1e-9):
            for j in range(count):
                labels[going[j]] = target[j]
                errors[target[j]] += old_rise[j]
            sizes[g] = 0
            errors[g] = 0.0
        else:
            for j in range(count - 1, -1, -1):
                sizes[target[j]] -= 1
                for c in range(d):
                    sums[target[j], c] = old_sums[j, c]
