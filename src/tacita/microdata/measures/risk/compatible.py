"""Records that may be the one an attacker looks for, where a missing cell may be anything.

Cells are codes, -1 where missing. A record is compatible with a key if they agree wherever both have a
value. Distinct records are sorted, and each distinct key narrows them column by column: O(log n) for each
beginning of a record that it is compatible with, which are few unless most keys are missing; not n^2.
"""

from __future__ import annotations

import numpy as np

from tacita.core import Floats, Ints

# Beyond it a product of numbers of values no longer fits.
_MOST = 2**62


def numbered(codes: Ints) -> Ints:
    """A number that equal rows of codes (n, d) share, -1 as a code of its own. O(n log n).

    >>> numbered(np.array([[1, 0], [0, -1], [1, 0]])).tolist()
    [1, 0, 1]
    """
    return np.unique(_combined(codes + 1), return_inverse=True)[1].reshape(-1).astype(np.int64)


def class_sizes(codes: Ints) -> Ints:
    """How many rows have each distinct combination of codes. O(n log n).

    >>> class_sizes(np.array([[1, 0], [0, -1], [1, 0]])).tolist()
    [1, 2]
    """
    return np.unique(_combined(codes + 1), return_counts=True)[1].astype(np.int64)


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


def _distinct(codes: Ints) -> tuple[Ints, Ints]:
    """A row of each distinct combination, in order, and which of them each row is."""
    number = numbered(codes)
    return np.unique(number, return_index=True)[1], number


def _order(table: Ints) -> Ints:
    """Columns in which most have a value first, of equal ones those of more values: they narrow soonest."""
    values = [np.unique(column).size for column in table.T]
    return np.lexsort([-np.array(values), (table < 0).sum(axis=0)])


def compatible_weight(keys: Ints, table: Ints, weights: Floats) -> Floats:
    """Of each key (a row of codes) the weight of all records of the table that are compatible with it.

    >>> compatible_weight(np.array([[0, 1], [0, -1]]), np.array([[0, 1], [0, -1], [0, 2]]), np.ones(3))
    array([2., 3.])
    """
    from tacita.kernels.records.compatible import compatible_sums

    order = _order(table)
    keys, table = keys[:, order], table[:, order]
    distinct, which = _distinct(keys)
    held, where = _distinct(table)
    upto = np.concatenate([[0.0], np.cumsum(np.bincount(where, weights, minlength=held.size))])
    weight = np.zeros(distinct.size)
    compatible_sums(np.ascontiguousarray(keys[distinct]), np.ascontiguousarray(table[held]), upto, weight)
    return weight[which]


def compatible_unit_weight(keys: Ints, table: Ints, units: Ints, weights: Floats) -> Floats:
    """Of each key the weight of the distinct units behind the records compatible with it.

    `weights` are those of units, the same in all records of one.

    >>> table, units = np.array([[0], [-1], [1]]), np.array([5, 5, 6])
    >>> compatible_unit_weight(np.array([[0]]), table, units, np.array([2.0, 2.0, 3.0])).tolist()
    [2.0]
    """
    from tacita.kernels.records.compatible import compatible_worth

    order = _order(table)
    keys, table = keys[:, order], table[:, order]
    distinct, which = _distinct(keys)
    held, _ = _distinct(np.column_stack([table, units]))
    own = np.unique(units[held], return_inverse=True)[1].reshape(-1).astype(np.int64)
    weight = np.zeros(distinct.size)
    compatible_worth(
        np.ascontiguousarray(keys[distinct]),
        np.ascontiguousarray(table[held]),
        own,
        int(own.max()) + 1,
        np.ascontiguousarray(weights[held]),
        weight,
    )
    return weight[which]


def compatible_units(keys: Ints, table: Ints, units: Ints) -> Ints:
    """Of each key the number of distinct units behind the records compatible with it.

    >>> compatible_units(np.array([[0]]), np.array([[0], [-1], [1]]), np.array([5, 5, 6])).tolist()
    [1]
    """
    return compatible_unit_weight(keys, table, units, np.ones(len(table))).astype(np.int64)
