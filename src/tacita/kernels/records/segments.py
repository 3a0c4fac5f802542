"""Cutting an ordering of records into consecutive groups at least cost."""

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
def unit_segment_ends(units, n_units, k, first_end):
    """first_end[i] = the first row by which k distinct units have stood since row i; n if never. O(n)."""
    n = units.shape[0]
    seen = np.zeros(n_units, dtype=np.int64)
    distinct = 0
    end = 0
    for i in range(n):
        while end < n and distinct < k:
            if seen[units[end]] == 0:
                distinct += 1
            seen[units[end]] += 1
            end += 1
        first_end[i] = end - 1 if distinct >= k else n
        seen[units[i]] -= 1
        if seen[units[i]] == 0:
            distinct -= 1
