"""Pairing those who must change places with others, at random."""

from __future__ import annotations

from numba import njit


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
