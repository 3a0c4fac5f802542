"""Records that may be the one an attacker looks for, where a missing cell may be anything.

Cells are codes, -1 where missing. A record is compatible with a key if they agree wherever both have a
value. Records are sorted by which columns they miss; two such patterns are compared on the columns that both
have, by sorting. O(patterns n log n), not n^2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tacita.core import Floats, Ints, Mask

# Beyond it a product of numbers of values no longer fits.
_MOST = 2**62


def numbered(codes: Ints) -> Ints:
    """A number that equal rows of codes (n, d) share, -1 as a code of its own. O(n log n).

    >>> numbered(np.array([[1, 0], [0, -1], [1, 0]])).tolist()
    [1, 0, 1]
    """
    return np.unique(_combined(codes + 1), return_inverse=True)[1].reshape(-1).astype(np.int64)


def _combined(codes: Ints) -> Ints:
    """One number a row, in the order of the rows; codes are at least 0."""
    combined, values = np.zeros(len(codes), dtype=np.int64), 1
    for column in codes.T:
        own = int(column.max(initial=0)) + 1
        if values * own >= _MOST:
            combined = np.unique(combined, return_inverse=True)[1].reshape(-1)
            values = int(combined.max(initial=0)) + 1
        combined, values = combined * own + column, values * own
    return combined


class _Pattern(NamedTuple):
    """Rows that have the same columns; `rows` are their places."""

    present: Mask
    rows: Ints


def _patterns(codes: Ints) -> list[_Pattern]:
    present = codes >= 0
    number = numbered(present.astype(np.int64))
    order = np.argsort(number, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(number[order])) + 1)
    return [_Pattern(present[rows[0]], rows) for rows in parts]


def _meetings(keys: Ints, table: Ints) -> Iterator[tuple[_Pattern, list[tuple[Ints, Ints, Ints]]]]:
    """For every pattern of keys: of each pattern of the table its rows in order, and where a key's begin and
    end among them."""
    of_table = _patterns(table)
    for wanted in _patterns(keys):
        met = []
        for held in of_table:
            both = wanted.present & held.present
            joint = _combined(np.vstack([keys[wanted.rows][:, both], table[held.rows][:, both]]))
            mine, theirs = joint[: wanted.rows.size], joint[wanted.rows.size :]
            order = np.argsort(theirs, kind="stable")
            ordered = theirs[order]
            met.append(
                (held.rows[order], np.searchsorted(ordered, mine), np.searchsorted(ordered, mine, "right"))
            )
        yield wanted, met


def _distinct(codes: Ints) -> tuple[Ints, Ints]:
    """A row of each distinct combination, and which of them each row is."""
    number = numbered(codes)
    return np.unique(number, return_index=True)[1], number


def compatible_weight(keys: Ints, table: Ints, weights: Floats) -> Floats:
    """Of each key (a row of codes) the weight of all records of the table that are compatible with it.

    >>> compatible_weight(np.array([[0, 1], [0, -1]]), np.array([[0, 1], [0, -1], [0, 2]]), np.ones(3))
    array([2., 3.])
    """
    asked, which = _distinct(keys)
    held, where = _distinct(table)
    total = np.bincount(where, weights, minlength=held.size)
    found = np.zeros(asked.size)
    for wanted, met in _meetings(keys[asked], table[held]):
        for rows, start, stop in met:
            upto = np.concatenate([[0.0], np.cumsum(total[rows])])
            found[wanted.rows] += upto[stop] - upto[start]
    return found[which]


def compatible_units(keys: Ints, table: Ints, units: Ints) -> Ints:
    """Of each key the number of distinct units behind the records compatible with it.

    The cost of the above and one step a distinct key and record (of a unit) compatible with it.

    >>> compatible_units(np.array([[0]]), np.array([[0], [-1], [1]]), np.array([5, 5, 6])).tolist()
    [1]
    """
    from tacita.kernels.records.compatible import distinct_in_ranges

    asked, which = _distinct(keys)
    held, _ = _distinct(np.column_stack([table, units]))
    own = np.unique(units[held], return_inverse=True)[1].reshape(-1).astype(np.int64)
    found = np.zeros(asked.size, dtype=np.int64)
    for wanted, met in _meetings(keys[asked], table[held]):
        first = np.cumsum([0] + [rows.size for rows, _, _ in met])
        starts = np.column_stack([start + at for (_, start, _), at in zip(met, first, strict=False)])
        stops = np.column_stack([stop + at for (_, _, stop), at in zip(met, first, strict=False)])
        out = np.zeros(wanted.rows.size, dtype=np.int64)
        listed = own[np.concatenate([rows for rows, _, _ in met])]
        distinct_in_ranges(starts, stops, listed, int(own.max()) + 1, out)
        found[wanted.rows] = out
    return found[which]
