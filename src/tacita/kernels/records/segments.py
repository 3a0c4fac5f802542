"""Consecutive runs of an ordering: cut at least squared error, or as short as k distinct units allow."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def shortest_segmentation(x, first_end, last_end, labels):
    """The least-SSE cut of rows 0..n-1 of x (n, d) into segments, by shortest path; returns the SSE.

    A segment that starts at row i may end at any row from first_end[i] to last_end[i] (both included;
    first_end[i] >= n: no segment can start there). Segment cost by running mean and squared error
    (Welford), which stays exact where differences of prefix sums cancel. labels: filled with 0, 1, ...
    Ties go to the shorter first segment. O(d sum(last_end - i)) time, O(n) memory.
    """
    n, d = x.shape
    cost = np.full(n + 1, np.inf)
    cut = np.full(n + 1, -1, dtype=np.int64)
    mean = np.empty(d)
    cost[n] = 0.0
    for i in range(n - 1, -1, -1):
        if first_end[i] >= n:
            continue
        for c in range(d):
            mean[c] = 0.0
        sse = 0.0
        for j in range(i, min(last_end[i], n - 1) + 1):
            size = j - i + 1
            for c in range(d):
                delta = x[j, c] - mean[c]
                mean[c] += delta / size
                sse += delta * (x[j, c] - mean[c])
            if j >= first_end[i] and sse + cost[j + 1] < cost[i]:
                cost[i] = sse + cost[j + 1]
                cut[i] = j + 1
    i = 0
    group = 0
    while i < n and cut[i] > 0:
        for j in range(i, cut[i]):
            labels[j] = group
        group += 1
        i = cut[i]
    return cost[0]


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
    run_of = np.zeros(n, dtype=np.int64)
    start, run = 0, 0
    while start < n and ends[start] >= 0:
        run_of[start : ends[start] + 1] = run
        start, run = ends[start] + 1, run + 1
    run_of[start:] = max(run - 1, 0)
    return run_of
