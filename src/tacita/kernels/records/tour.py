"""Short closed tours: neighbour lists, then 2-opt and Or-opt moves until none helps.

A tour is an array of records and its inverse, the place of each record. Moves are named by records, not by
places, so that either side of a reversal may be turned.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacita.core.arrays import Floats, Ints, Mask

from .distance import gap

# A move must shorten the edges it touches by more than rounding could.
_LEAST_GAIN = 1e-9
_LONGEST_SEGMENT = 3

# Positions in the state vector that is handed from call to call.
HEAD, QUEUED, LOOKED, MOVES = 0, 1, 2, 3


class Tour(NamedTuple):
    """A tour in the making: its records in order, and who is to be looked at.

    x: (n, d) C order, n >= 5; order: a permutation, shortened in place; place: its inverse; neighbours:
    (n, m), nearest first; queue: records to look at, in order (all, to begin with); waiting: whether a record
    is in it; state: see above.
    """

    x: Floats
    order: Ints
    place: Ints
    neighbours: Ints
    queue: Ints
    waiting: Mask
    state: Ints


@njit(cache=True, nogil=True)
def _length(x, a, b):
    return np.sqrt(gap(x, a, x, b))


@njit(cache=True, nogil=True)
def _after(tour, place, a):
    i = place[a] + 1
    return tour[i if i < tour.shape[0] else 0]


@njit(cache=True, nogil=True)
def _before(tour, place, a):
    return tour[place[a] - 1]


@njit(cache=True, nogil=True)
def reverse(tour, place, i, j):
    """Turn the stretch from place i to place j around, or the rest of the tour if that is shorter."""
    n = tour.shape[0]
    length = j - i + 1 if j >= i else j - i + 1 + n
    if 2 * length > n:
        i, j = (j + 1) % n, (i + n - 1) % n
        length = n - length
    for _ in range(length // 2):
        tour[i], tour[j] = tour[j], tour[i]
        place[tour[i]] = i
        place[tour[j]] = j
        i = i + 1 if i + 1 < n else 0
        j = j - 1 if j > 0 else n - 1


@njit(cache=True, nogil=True)
def _exchange(tour, place, a, b, c):
    """Replace the edges (a, b), (c, d) by (a, c), (b, d). Along the tour or against it: a b ... c d."""
    if _after(tour, place, a) == b:
        reverse(tour, place, place[b], place[c])
    else:
        reverse(tour, place, place[c], place[b])


@njit(cache=True, nogil=True)
def _insert_segment(tour, place, p, first, last, q, u, turned):
    """Take first..last out from between p and q; put it between u and v, `last` first if turned.

    Along the tour or against it: p first..last q ... u v.
    """
    _exchange(tour, place, p, first, u)
    _exchange(tour, place, p, u, q)
    if not turned:
        _exchange(tour, place, u, last, first)


@njit(cache=True, nogil=True)
def _wake(record, queue, waiting, state):
    if not waiting[record]:
        n = queue.shape[0]
        queue[(state[HEAD] + state[QUEUED]) % n] = record
        state[QUEUED] += 1
        waiting[record] = True


@njit(cache=True, nogil=True)
def _two_opt(shape, a):
    """One improving exchange at record a, if there is one."""
    x, tour, place, neighbours, queue, waiting, state = shape
    for forward in (True, False):
        b = _after(tour, place, a) if forward else _before(tour, place, a)
        old = _length(x, a, b)
        for c in neighbours[a]:
            new = _length(x, a, c)
            if new >= old:
                break
            d = _after(tour, place, c) if forward else _before(tour, place, c)
            if c == b or d == a:
                continue
            before = old + _length(x, c, d)
            if before - new - _length(x, b, d) > _LEAST_GAIN * before:
                _exchange(tour, place, a, b, c)
                for record in (a, b, c, d):
                    _wake(record, queue, waiting, state)
                return True
    return False


@njit(cache=True, nogil=True)
def _or_opt(shape, a):
    """One improving move of up to three records that begin or end with a, if there is one."""
    x, tour, place, neighbours, queue, waiting, state = shape
    n = tour.shape[0]
    for forward in (True, False):
        p = _before(tour, place, a) if forward else _after(tour, place, a)
        e = a
        for size in range(1, min(_LONGEST_SEGMENT, n - 3) + 1):
            if size > 1:
                e = _after(tour, place, e) if forward else _before(tour, place, e)
            q = _after(tour, place, e) if forward else _before(tour, place, e)
            out = _length(x, p, a) + _length(x, e, q)
            freed = out - _length(x, p, q)
            for c in neighbours[a]:
                new = _length(x, a, c)
                if new >= freed:
                    break
                steps = place[c] - place[a] if forward else place[a] - place[c]
                if (steps + n) % n < size:
                    continue
                for side in (True, False):
                    d = _after(tour, place, c) if side else _before(tour, place, c)
                    steps = place[d] - place[a] if forward else place[a] - place[d]
                    if (steps + n) % n < size:
                        continue
                    edge = _length(x, c, d)
                    if freed + edge - new - _length(x, e, d) <= _LEAST_GAIN * (out + edge):
                        continue
                    # walking from a to e and on, c comes before d, or d before c
                    if side == forward:
                        _insert_segment(tour, place, p, a, e, q, c, False)
                    else:
                        _insert_segment(tour, place, p, a, e, q, d, True)
                    for record in (p, q, a, e, c, d):
                        _wake(record, queue, waiting, state)
                    return True
    return False


@njit(cache=True, nogil=True)
def improve_tour(shape, looks):
    """2-opt and Or-opt moves over neighbour lists; True when the queue is empty, False after `looks` records.

    A record leaves the queue when no move at it helps and returns when
    one of its edges changes. When the queue is empty a move may still help at a record whose own edges did
    not change: begin again until a whole queue brings none. Deterministic. O(m d) a look, O(n) a move.
    """
    _, tour, _, _, queue, waiting, state = shape
    n = tour.shape[0]
    for _ in range(looks):
        if state[QUEUED] == 0:
            return True
        a = queue[state[HEAD]]
        state[HEAD] = (state[HEAD] + 1) % n
        state[QUEUED] -= 1
        state[LOOKED] += 1
        waiting[a] = False
        # each move wakes a again, so that further ones at it have their turn
        if _two_opt(shape, a) or _or_opt(shape, a):
            state[MOVES] += 1
    return state[QUEUED] == 0
