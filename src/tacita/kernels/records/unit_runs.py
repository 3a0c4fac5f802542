"""Runs of sorted values that hold those of k distinct units."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def window_ends(units, k):
    """Where the shortest run from each place that holds k distinct units ends; -1 if none does. O(n).

    units: the unit of each value, below their number, in the order of the values.
    """
    n = units.size
    ends = np.full(n, -1, dtype=np.int64)
    inside = np.zeros(0 if n == 0 else units.max() + 1, dtype=np.int64)
    distinct, stop = 0, 0
    for start in range(n):
        while stop < n and distinct < k:
            inside[units[stop]] += 1
            if inside[units[stop]] == 1:
                distinct += 1
            stop += 1
        if distinct < k:
            break
        ends[start] = stop - 1
        inside[units[start]] -= 1
        if inside[units[start]] == 0:
            distinct -= 1
    return ends


@njit(cache=True, nogil=True)
def consecutive_runs(ends):
    """The number of the run that each place lies in: one begins where the last ended. O(n).

    ends: of the shortest run from each place, -1 where there is none. What is left at the end joins the last.
    """
    n = ends.size
    found = np.zeros(n, dtype=np.int64)
    start, run = 0, 0
    while start < n and ends[start] >= 0:
        found[start : ends[start] + 1] = run
        start, run = ends[start] + 1, run + 1
    found[start:] = max(run - 1, 0)
    return found
