"""Records that hide columns so that others have company, and records that need not hide them any more.

Sets of columns are whole numbers, column j is in it if bit j is set. codes: (n, d), stars: (n,) the set that
each record hides, updated in place.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_LOOKED_AT = 256


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
        while end < able.shape[0] and able_keys[end] == key and end - at < _LOOKED_AT:
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
