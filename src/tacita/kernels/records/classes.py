"""Classes of records that show the same, counted without sorting."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

# a product of sizes up to here is a key of 64 bits
_WIDEST = 1 << 61


class Counted(NamedTuple):
    """The class of each tuple, numbered in order of appearance, and the first tuple of each class."""

    of: np.ndarray
    first: np.ndarray


@njit(cache=True, nogil=True)
def _numbered(keys, span, of, first):
    """Number equal keys in order of appearance; by their place where that is small, else by open addressing.

    keys: whole numbers in [0, span). of, first: filled. Returns how many differ. O(n) expected.
    """
    n = keys.shape[0]
    count = 0
    if span <= 4 * n + 1024:
        place = np.full(span, -1, dtype=np.int32)
        for i in range(n):
            at = place[keys[i]]
            if at < 0:
                at = count
                place[keys[i]] = at
                first[count] = i
                count += 1
            of[i] = at
        return count
    size = 16
    while size < 2 * n:
        size *= 2
    slots = np.full(size, -1, dtype=np.int32)
    for i in range(n):
        # Fibonacci hashing: the high bits of a product are well mixed
        at = np.int64((np.uint64(keys[i]) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & (size - 1)
        while slots[at] >= 0 and keys[first[slots[at]]] != keys[i]:
            at = (at + 1) & (size - 1)
        if slots[at] < 0:
            slots[at] = count
            first[count] = i
            count += 1
        of[i] = slots[at]
    return count


@njit(cache=True, nogil=True)
def classes_of(rows, picks, sizes):
    """Classes of tuples that agree in some rows of codes.

    rows: (rows, tuples) codes, those of row r below sizes[r]. picks: the rows that count. Keys are mixed
    radix numbers; where they would not fit into 64 bits, what was read so far is numbered anew. O(picks
    tuples) expected.
    """
    n = rows.shape[1]
    keys = np.zeros(n, dtype=np.int64)
    of, first = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32)
    span = np.int64(1)
    for pick in picks:
        size = np.int64(sizes[pick])
        if size == 1:
            continue
        if span > _WIDEST // size:
            span = np.int64(max(_numbered(keys, span, of, first), 1))
            for i in range(n):
                keys[i] = of[i]
        row = rows[pick]
        for i in range(n):
            keys[i] = keys[i] * size + row[i]
        span *= size
    count = _numbered(keys, span, of, first)
    return Counted(of, first[:count].copy())


@njit(cache=True, nogil=True)
def summed(of, weights, classes):
    """The weight of each class."""
    total = np.zeros(classes, dtype=np.int64)
    for i in range(of.shape[0]):
        total[of[i]] += weights[i]
    return total


@njit(cache=True, nogil=True)
def units_of(of, units, classes):
    """How many different units each class has. units: of each tuple, those of one unit side by side. O(n)."""
    units_by_class = np.zeros(classes, dtype=np.int64)
    last = np.full(classes, -1, dtype=np.int64)
    for i in range(of.shape[0]):
        if last[of[i]] != units[i]:
            last[of[i]] = units[i]
            units_by_class[of[i]] += 1
    return units_by_class


@njit(cache=True, nogil=True)
def members_of(of, classes):
    """Tuples by class: those of class c are order[starts[c]:starts[c + 1]]. O(n)."""
    starts = np.zeros(classes + 1, dtype=np.int64)
    for i in range(of.shape[0]):
        starts[of[i] + 1] += 1
    for c in range(classes):
        starts[c + 1] += starts[c]
    order = np.empty(of.shape[0], dtype=np.int64)
    at = starts[:-1].copy()
    for i in range(of.shape[0]):
        order[at[of[i]]] = i
        at[of[i]] += 1
    return order, starts


@njit(cache=True, nogil=True)
def shares_lost(rows, picks, shares, offsets, of, weights, failing):
    """For each of some rows, the sum over failing tuples of what share of all leaves their code covers.

    shares: of the codes of all rows, those of row r from offsets[r] on.
    """
    total = np.zeros(picks.shape[0])
    for i in range(of.shape[0]):
        if failing[of[i]]:
            for j in range(picks.shape[0]):
                total[j] += weights[i] * shares[offsets[picks[j]] + rows[picks[j], i]]
    return total


@njit(cache=True, nogil=True)
def ambiguity_of(rows, picks, covered, offsets, of, weights, failing, every):
    """Sum over tuples of the product of leaves covered, with failing ones covering `every`; and without."""
    plain = 0.0
    whole = 0.0
    for i in range(of.shape[0]):
        product = 1.0
        for j in range(picks.shape[0]):
            product *= covered[offsets[picks[j]] + rows[picks[j], i]]
        plain += weights[i] * product
        whole += weights[i] * (every if failing[of[i]] else product)
    return plain, whole


@njit(cache=True, nogil=True)
def short_pairs(table, left, right, lefts, rights, k):
    """Records in cells below k once rows and columns of a table of counts became coarser.

    left[a], right[b]: the coarser code of each row and column. O(cells).
    """
    cells = np.zeros((lefts, rights), dtype=np.int64)
    for a in range(table.shape[0]):
        for b in range(table.shape[1]):
            cells[left[a], right[b]] += table[a, b]
    short = 0
    for a in range(lefts):
        for b in range(rights):
            if cells[a, b] < k:
                short += cells[a, b]
    return short
