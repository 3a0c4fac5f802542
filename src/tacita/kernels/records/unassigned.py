"""The pool of records without a group, for methods that make one group after the other.

A record that gets a group leaves the pool; gaps in its arrays are closed from time to time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacita.core.arrays import Floats, Ints, Mask

# Positions in the state vector that is handed from call to call.
LENGTH, ALIVE, GROUPS, UNITS_LEFT = 0, 1, 2, 3


class Pool(NamedTuple):
    """Records without a group; the first state[LENGTH] count, a record with a NaN first coordinate is gone.

    columns: (d, n) C order, no NaN at the start; codes: whole numbers 0, 1, ... of the columns of categories;
    rows: original row of each record; units: unit of each (its own row if there is no unit rule), unit_left:
    records left of each unit; sums, counts: of the columns and codes of what is left; labels: filled per
    original row; state: see above.
    """

    columns: Floats
    codes: Ints
    rows: Ints
    units: Ints
    unit_left: Ints
    sums: Floats
    counts: Ints
    labels: Ints
    state: Ints
    by_unit: bool


class Measure(NamedTuple):
    """How far records are apart by Gower.

    weights[c]: what a gap of 1 in column c counts; nominal[c]: there any difference counts as 1; coded: the
    columns of categories, in the order of their codes; values[j, code]: the code as a coordinate.
    """

    weights: Floats
    nominal: Mask
    coded: Ints
    values: Floats


NO_CODES = np.zeros((0, 0), dtype=np.int64)


def all_left(
    x: Floats,
    units: Ints | None,
    codes: Ints = NO_CODES,
    counts: Ints = NO_CODES,
) -> Pool:
    """A pool of all records."""
    n = x.shape[0]
    own = np.arange(n) if units is None else units.copy()
    unit_left = np.bincount(own)
    # of a single column x.T is a mere view of x
    columns = np.array(x.T, order="C", copy=True)
    labels, state = np.full(n, -1, dtype=np.int64), np.array([n, n, 0, np.count_nonzero(unit_left)])
    rows = np.arange(n)
    return Pool(
        columns=columns,
        codes=codes,
        rows=rows,
        units=own,
        unit_left=unit_left,
        sums=x.sum(axis=0),
        counts=counts,
        labels=labels,
        state=state,
        by_unit=units is not None,
    )


@njit(cache=True, nogil=True)
def close_gaps(pool):
    """If an eighth is gone, move the records still here to the front, in order. O(n d)."""
    columns, codes, rows, units, state = pool.columns, pool.codes, pool.rows, pool.units, pool.state
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
def take(i, pool):
    """Give record i to the group under construction and let it vanish from what is left."""
    columns, state = pool.columns, pool.state
    pool.labels[pool.rows[i]] = state[GROUPS]
    for c in range(columns.shape[0]):
        pool.sums[c] -= columns[c, i]
    for j in range(pool.codes.shape[0]):
        pool.counts[j, pool.codes[j, i]] -= 1
    columns[0, i] = np.nan
    state[ALIVE] -= 1
    unit = pool.units[i]
    pool.unit_left[unit] -= 1
    if pool.unit_left[unit] == 0:
        state[UNITS_LEFT] -= 1
