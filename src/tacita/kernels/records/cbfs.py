"""The rounds of CBFS: one group at the edge of what is left."""

from __future__ import annotations

from numba import njit

from .mdav import ALIVE, LENGTH, UNITS_LEFT, column_sums, compact, mdav_last_group


@njit(cache=True, nogil=True)
def cbfs_rounds(columns, rows, units, unit_left, sums, labels, state, k, by_unit, rounds):
    """Up to `rounds` rounds of CBFS; True when fewer than k records (or units) are left.

    Arrays as for `mdav_rounds`. O(n d) a round, O(n + k d) scratch a round.
    """
    for _ in range(rounds):
        if state[ALIVE] < k or state[UNITS_LEFT] < k:
            return True
        # an eighth gone: close the gaps, and start the running sums afresh against drift
        if state[LENGTH] - state[ALIVE] > state[LENGTH] // 8:
            state[LENGTH] = compact(columns, rows, units, state[LENGTH])
            column_sums(columns, state[LENGTH], sums)
        mdav_last_group(columns, rows, units, unit_left, sums, labels, state, k, by_unit)
    return state[ALIVE] < k or state[UNITS_LEFT] < k
