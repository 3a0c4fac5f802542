"""The rounds of MDAV and of CBFS: groups at the ends, or at one end, of what is left."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacita.core.arrays import Floats, Ints

from .distance import farthest, nearest, nearest_of_distinct_units
from .gower import distances_from, middle
from .left import ALIVE, GROUPS, LENGTH, UNITS_LEFT


class Scratch(NamedTuple):
    """Room for distances of all records from a point, the middle, and the nearest with their distances."""

    distances: Floats
    centre: Floats
    chosen: Ints
    best: Floats


@njit(cache=True, nogil=True)
def scratch_for(left, k):
    d, n = left.columns.shape
    return Scratch(np.empty(n), np.empty(d), np.empty(k - 1, dtype=np.int64), np.empty(k - 1))


@njit(cache=True, nogil=True)
def close_gaps(left):
    """If an eighth is gone, move the records still here to the front, in order. O(n d)."""
    columns, codes, rows, units, state = left.columns, left.codes, left.rows, left.units, left.state
    if state[LENGTH] - state[ALIVE] <= state[LENGTH] // 8:
        return False
    kept = 0
    for i in range(state[LENGTH]):
        if not np.isnan(columns[0, i]):
            if kept != i:
                for c in range(columns.shape[0]):
                    columns[c, kept] = columns[c, i]
                for j in range(codes.shape[0]):
                    codes[j, kept] = codes[j, i]
                rows[kept] = rows[i]
                units[kept] = units[i]
            kept += 1
    state[LENGTH] = kept
    return True


@njit(cache=True, nogil=True)
def _sum_afresh(left):
    for c in range(left.columns.shape[0]):
        column = left.columns[c]
        total = 0.0
        for i in range(left.state[LENGTH]):
            total += column[i]
        left.sums[c] = total


@njit(cache=True, nogil=True)
def take(i, left):
    """Give record i to the group under construction and let it vanish from what is left."""
    columns, state = left.columns, left.state
    left.labels[left.rows[i]] = state[GROUPS]
    for c in range(columns.shape[0]):
        left.sums[c] -= columns[c, i]
    for j in range(left.codes.shape[0]):
        left.counts[j, left.codes[j, i]] -= 1
    columns[0, i] = np.nan
    state[ALIVE] -= 1
    unit = left.units[i]
    left.unit_left[unit] -= 1
    if left.unit_left[unit] == 0:
        state[UNITS_LEFT] -= 1


@njit(cache=True, nogil=True)
def take_nearest(seed, left, measure, scratch):
    """The seed and its nearest records (of other units each, if by_unit) leave; fills scratch.chosen.

    Leaves in `distances` the distance of everyone from the seed, NaN for the members.
    """
    n = left.state[LENGTH]
    distances, chosen, best = scratch.distances, scratch.chosen, scratch.best
    point = left.columns[:, seed].copy()
    take(seed, left)
    distances_from(point, left, measure, distances)
    if left.by_unit:
        nearest_of_distinct_units(distances, n, left.units, left.units[seed], chosen, best)
    else:
        nearest(distances, n, chosen, best)
    for j in range(chosen.shape[0]):
        take(chosen[j], left)
        distances[chosen[j]] = np.nan
    left.state[GROUPS] += 1


@njit(cache=True, nogil=True)
def _one_round(left, measure, k, ends, scratch):
    """A group around the record farthest from the middle; of two ends, one around the farthest from that."""
    middle(left, measure, scratch.centre)
    distances_from(scratch.centre, left, measure, scratch.distances)
    for _ in range(ends):
        if left.state[UNITS_LEFT] < k:
            return
        take_nearest(farthest(scratch.distances, left.state[LENGTH]), left, measure, scratch)


@njit(cache=True, nogil=True)
def group_rounds(left, measure, k, ends, fewest, rounds):
    """Up to `rounds` rounds of one or two groups; True when fewer than `fewest` records or k units are left.

    MDAV has two ends and goes on while 3k are left, CBFS one and while k are. O(n d) a round, no memory but
    O(n + k d) scratch a call.
    """
    scratch = scratch_for(left, k)
    state = left.state
    for _ in range(rounds):
        if state[ALIVE] < fewest or state[UNITS_LEFT] < k:
            return True
        if close_gaps(left):
            # running sums drift
            _sum_afresh(left)
        _one_round(left, measure, k, ends, scratch)
    return state[ALIVE] < fewest or state[UNITS_LEFT] < k


@njit(cache=True, nogil=True)
def last_group(left, measure, k):
    """One group around the record farthest from the middle of what is left. O(n d)."""
    _one_round(left, measure, k, 1, scratch_for(left, k))
