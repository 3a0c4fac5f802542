"""Whether a class of records may stand: k of them, of k units, with values that do not give them away."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

DISTINCT, ENTROPY, RECURSIVE, EQUAL, ORDERED, HIERARCHICAL, BASIC, ENHANCED, DISCLOSURE, WEIGHED = range(10)
# room for what arithmetic on shares loses
_SLACK = 1e-12


class Guard(NamedTuple):
    """What a class must satisfy, about tuples that stand for `weights` records each.

    units: of each tuple, or nothing. values: (columns, tuples) codes of confidential columns; pairs: the same
    of a unit and its value together, if there are units, those of all columns beyond the numbers of units.
    models: a row each of kind, column and two numbers. shares: how frequent each value is in the input, those
    of column c from starts[c] on; order: values from low to high, at the same places. parents: for each
    column, level by level, the place on the next level of each place on this one; stages[c]: where the sizes
    of its levels begin in `widths`, where its places begin in `parents`, and the last of its levels. masses:
    (columns of weights, tuples) persons that tuples stand for, of which models of kind WEIGHED want so many.
    """

    k: int
    weights: np.ndarray
    units: np.ndarray
    values: np.ndarray
    pairs: np.ndarray
    models: np.ndarray
    shares: np.ndarray
    starts: np.ndarray
    order: np.ndarray
    parents: np.ndarray
    widths: np.ndarray
    stages: np.ndarray
    masses: np.ndarray


@njit(cache=True, nogil=True)
def holds(members, guard, counts, touched, stamps, held, stamp):
    """Whether tuples together may be one class. counts: zeros, and zeros afterwards; touched: room for codes.

    stamps: one a unit, and one a pair of unit and value, those of earlier calls with smaller stamps; held:
    room for one a unit. Where there are units, each counts once: for the most frequent of its values where
    different values are required, else spread over its records; of one that is alone each value counts by
    itself. O(members + values of the columns of models), and a sort of the values of a class with units.
    """
    # of the class, and of each model
    stamp *= guard.models.shape[0] + 1
    total = 0
    for i in members:
        total += guard.weights[i]
    if total < guard.k:
        return False
    if guard.units.shape[0] > 0:
        different = 0
        for i in members:
            if stamps[guard.units[i]] != stamp:
                stamps[guard.units[i]] = stamp
                held[guard.units[i]] = 0
                different += 1
            held[guard.units[i]] += guard.weights[i]
        if different < guard.k:
            return False
        total = different
    for at in range(guard.models.shape[0]):
        column = np.int64(guard.models[at, 1])
        if np.int64(guard.models[at, 0]) == WEIGHED:
            persons = 0.0
            for i in members:
                persons += guard.masses[column, i]
            # sums of many weights lose their last digits
            if persons < guard.models[at, 2] * (1 - 1e-9):
                return False
            continue
        kind = np.int64(guard.models[at, 0])
        diverse = kind in (DISTINCT, ENTROPY, RECURSIVE)
        distinct = 0
        for i in members:
            value = guard.values[column, i]
            if counts[value] == 0:
                touched[distinct] = value
                distinct += 1
            if guard.units.shape[0] == 0:
                counts[value] += guard.weights[i]
            elif not diverse:
                counts[value] += guard.weights[i] / held[guard.units[i]]
            elif stamps[guard.pairs[column, i]] != stamp + at + 1:
                stamps[guard.pairs[column, i]] = stamp + at + 1
                counts[value] += 1
        if guard.units.shape[0] == 0:
            kept = _keeps(guard, at, column, counts, touched[:distinct], total)
        elif diverse:
            _vote(counts, touched, distinct, total)
            present = 0
            while present < distinct and counts[touched[present]] > 0:
                present += 1
            kept = _keeps(guard, at, column, counts, touched[:present], total)
        elif total == 1 and distinct > 1:
            kept = _each_keeps(guard, at, column, counts, touched[:distinct])
        else:
            kept = _keeps(guard, at, column, counts, touched[:distinct], total)
        for t in touched[:distinct]:
            counts[t] = 0
        if not kept:
            return False
    return True


@njit(cache=True, nogil=True)
def _vote(counts, touched, distinct, total):
    """Count every unit for one of its values, the most frequent first, and put values into that order."""
    order = np.argsort(-counts[touched[:distinct]], kind="mergesort")
    touched[:distinct] = touched[:distinct][order]
    left = float(total)
    for value in touched[:distinct]:
        counts[value] = min(counts[value], left)
        left -= counts[value]


@njit(cache=True, nogil=True)
def _each_keeps(guard, at, column, counts, present):
    """Whether a class would stand with each of its values alone."""
    for value in present:
        counts[value] = 0.0
    for place in range(present.shape[0]):
        counts[present[place]] = 1.0
        kept = _keeps(guard, at, column, counts, present[place : place + 1], 1)
        counts[present[place]] = 0.0
        if not kept:
            return False
    return True


@njit(cache=True, nogil=True)
def _keeps(guard, at, column, counts, present, total):
    kind = np.int64(guard.models[at, 0])
    first, second = guard.models[at, 2], guard.models[at, 3]
    start, stop = guard.starts[column], guard.starts[column + 1]
    shares = guard.shares[start:stop]
    if kind == DISTINCT:
        return present.shape[0] >= first
    if kind == ENTROPY:
        entropy = 0.0
        for value in present:
            share = counts[value] / total
            entropy -= share * np.log(share)
        return present.shape[0] >= first - _SLACK and entropy >= np.log(first) - _SLACK
    if kind == RECURSIVE:
        return _recursive(counts, present, first, np.int64(second))
    if kind == EQUAL:
        apart, seen = 0.0, 0.0
        for value in present:
            apart += abs(counts[value] / total - shares[value])
            seen += shares[value]
        return 0.5 * (apart + max(1.0 - seen, 0.0)) <= first + _SLACK
    if kind == ORDERED:
        carried, moved = 0.0, 0.0
        for value in guard.order[start:stop]:
            carried += counts[value] / total - shares[value]
            moved += abs(carried)
        return moved / max(shares.shape[0] - 1, 1) <= first + _SLACK
    if kind == HIERARCHICAL:
        return _moved_in_tree(guard, column, counts, shares, total) <= first + _SLACK
    for value in present:
        share, before = counts[value] / total, shares[value]
        if kind == DISCLOSURE:
            if not abs(np.log2(share / before)) < first:
                return False
        else:
            most = first if kind == BASIC else min(first, -np.log(before))
            if (share - before) / before > most + _SLACK:
                return False
    return True


@njit(cache=True, nogil=True)
def _recursive(counts, present, c, length):
    """r_1 < c (r_l + ... + r_m) with r the counts from the largest down."""
    if present.shape[0] < length:
        return False
    ranked = np.empty(present.shape[0])
    for i in range(present.shape[0]):
        ranked[i] = counts[present[i]]
    ranked = np.sort(ranked)[::-1]
    return ranked[0] < c * ranked[length - 1 :].sum()


@njit(cache=True, nogil=True)
def _moved_in_tree(guard, column, counts, shares, total):
    """How far shares must move up a hierarchy to become those of the input; from top to bottom is one."""
    level, place, last = guard.stages[column, 0], guard.stages[column, 1], guard.stages[column, 2]
    height = last - level
    surplus = np.empty(shares.shape[0])
    for value in range(shares.shape[0]):
        surplus[value] = counts[value] / total - shares[value]
    moved = 0.0
    for step in range(height):
        width = guard.widths[level + step]
        above = guard.widths[level + step + 1]
        more, less = np.zeros(above), np.zeros(above)
        for at in range(width):
            parent = guard.parents[place + at]
            if surplus[at] > 0:
                more[parent] += surplus[at]
            else:
                less[parent] -= surplus[at]
        for at in range(above):
            moved += (step + 1) / height * min(more[at], less[at])
        surplus = more - less
        place += width
    return moved


@njit(cache=True, nogil=True)
def failing_classes(order, starts, guard, stamps):
    """Which classes may not stand. order, starts: as of members_of; stamps: zeros, as of `holds`."""
    classes = starts.shape[0] - 1
    widest = 1
    for column in range(guard.starts.shape[0] - 1):
        widest = max(widest, guard.starts[column + 1] - guard.starts[column])
    counts = np.zeros(widest)
    touched = np.zeros(widest, dtype=np.int64)
    held = np.zeros(stamps.shape[0], dtype=np.int64)
    failing = np.zeros(classes, dtype=np.bool_)
    for c in range(classes):
        members = order[starts[c] : starts[c + 1]]
        failing[c] = not holds(members, guard, counts, touched, stamps, held, c + 1)
    return failing
