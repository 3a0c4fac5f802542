"""Cells around a cell of a system of relations, in order of what the way there costs; and their part of it.

From a cell one gets to all others of its relations, at their price.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numba import njit

from tacita.core.arrays import Floats, Ints, Mask


class Ties(NamedTuple):
    """Relations, by columns with their figures, and by rows."""

    start: Ints
    rows: Ints
    value: Floats
    row_start: Ints
    columns: Ints


class Marks(NamedTuple):
    """Room to work in, the same before and after: inf, False, 0 and -1 throughout."""

    away: Floats
    reached: Mask
    passed: Mask
    filled: Ints
    place: Ints


@njit(cache=True, nogil=True)
def nearest(ties, price, allowed, source, size, marks):
    """The nearest allowed columns to one, itself included, up to some number; in order of number.

    O(entries of the relations that are passed, log of them each).
    """
    away, reached, passed = marks.away, marks.reached, marks.passed
    near = np.empty(min(size, price.size), np.int64)
    seen, rows, count = [source], [np.int64(-1)], 0
    waiting = [(0.0, source)]
    away[source] = 0.0
    while waiting and count < near.size:
        distance, column = heappop(waiting)
        if reached[column]:
            continue
        reached[column] = True
        near[count] = column
        count += 1
        for entry in range(ties.start[column], ties.start[column + 1]):
            row = ties.rows[entry]
            if passed[row]:
                continue
            passed[row] = True
            rows.append(row)
            for at in range(ties.row_start[row], ties.row_start[row + 1]):
                other = ties.columns[at]
                farther = distance + price[other]
                if allowed[other] and not reached[other] and farther < away[other]:
                    away[other] = farther
                    seen.append(other)
                    heappush(waiting, (farther, other))
    for column in seen:
        away[column] = np.inf
        reached[column] = False
    for row in rows[1:]:
        passed[row] = False
    return np.sort(near[:count])


@njit(cache=True, nogil=True)
def able_to_move(ties, columns, marks):
    """Those of some columns that may move while all others stay: none is alone in a relation. O(entries)."""
    inside, filled = marks.reached, marks.filled
    for column in columns:
        inside[column] = True
        for entry in range(ties.start[column], ties.start[column + 1]):
            filled[ties.rows[entry]] += 1
    stuck = [np.int64(-1)]
    for column in columns:
        for entry in range(ties.start[column], ties.start[column + 1]):
            if filled[ties.rows[entry]] == 1:
                stuck.append(column)
    while len(stuck) > 1:
        column = stuck.pop()
        if not inside[column]:
            continue
        inside[column] = False
        for entry in range(ties.start[column], ties.start[column + 1]):
            row = ties.rows[entry]
            filled[row] -= 1
            if filled[row] == 1:
                for at in range(ties.row_start[row], ties.row_start[row + 1]):
                    if inside[ties.columns[at]]:
                        stuck.append(ties.columns[at])
    left, count = np.empty(columns.size, np.int64), 0
    for column in columns:
        for entry in range(ties.start[column], ties.start[column + 1]):
            filled[ties.rows[entry]] = 0
        if inside[column]:
            left[count] = column
            count += 1
            inside[column] = False
    return left[:count]


@njit(cache=True, nogil=True)
def part_of(ties, columns, left_out, marks):
    """The relations of some columns, by columns, without rows that are left out; rows numbered anew."""
    place, count, rows = marks.place, 0, 0
    for column in columns:
        for entry in range(ties.start[column], ties.start[column + 1]):
            row = ties.rows[entry]
            if not left_out[row]:
                count += 1
                if place[row] < 0:
                    place[row] = rows
                    rows += 1
    start, at, value = np.zeros(columns.size + 1, np.int32), np.empty(count, np.int32), np.empty(count)
    count = 0
    for number in range(columns.size):
        for entry in range(ties.start[columns[number]], ties.start[columns[number] + 1]):
            row = ties.rows[entry]
            if not left_out[row]:
                at[count] = place[row]
                value[count] = ties.value[entry]
                count += 1
        start[number + 1] = count
    for column in columns:
        for entry in range(ties.start[column], ties.start[column + 1]):
            place[ties.rows[entry]] = -1
    return rows, start, at, value
