"""Pairs that change places at random: ranks with ranks not far away, records with others elsewhere."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def pair_ranks(reach, draws, partner):
    """Pair each rank 0..n-1, from the lowest up, with a free one among the next `reach`, all equally likely.

    draws: n numbers in [0, 1), one for each rank. partner: filled with the rank each is paired with, itself
    where no free rank was left. A binary indexed tree counts the free ranks. O(n log n) time, O(n) memory.
    """
    n = partner.shape[0]
    tree = np.zeros(n + 1, dtype=np.int64)
    for i in range(1, n + 1):
        tree[i] = i & -i
    top = 1
    while top * 2 <= n:
        top *= 2
    for i in range(n):
        partner[i] = -1
    for i in range(n):
        if partner[i] >= 0:
            continue
        partner[i] = i
        at = i + 1
        while at <= n:
            tree[at] -= 1
            at += at & -at
        # every lower rank is taken, so that all free ones up to the end of reach are counted here
        last = min(i + reach, n - 1)
        free = 0
        at = last + 1
        while at > 0:
            free += tree[at]
            at -= at & -at
        if free == 0:
            continue
        wanted = 1 + int(draws[i] * free)
        if wanted > free:
            # a draw next to one, times free, may round up
            wanted = free
        at = 0
        step = top
        while step > 0:
            if at + step <= n and tree[at + step] < wanted:
                at += step
                wanted -= tree[at]
            step //= 2
        # the tree counts from one: `at` is the rank after the last that is too low
        partner[i] = at
        partner[at] = i
        at += 1
        while at <= n:
            tree[at] -= 1
            at += at & -at


@njit(cache=True, nogil=True)
def pair_apart(order, wanted, area, cell, last, members, ahead, partner, most):
    """Pair each that is wanted, in order, with the first free member of its group from another area.

    order: everybody, in the order of chance. wanted, area: of each. cell: of each the number of its group and
    area together. members: everybody by group, in the order of chance. last: of each cell where its group
    ends there. ahead: of each cell the first place where somebody free of another area may stand, at first
    where its group begins; it only moves on. partner: -1 where free, filled in. most: how many to
    pair at most. Returns how many were paired. O(sum over cells of the size of their group).
    """
    paired = 0
    for i in order:
        if paired + 2 > most:
            break
        if not wanted[i] or partner[i] >= 0:
            continue
        own = cell[i]
        at = ahead[own]
        while at < last[own] and (partner[members[at]] >= 0 or area[members[at]] == area[i]):
            at += 1
        ahead[own] = at
        if at < last[own]:
            other = members[at]
            partner[i] = other
            partner[other] = i
            paired += 2
    return paired
