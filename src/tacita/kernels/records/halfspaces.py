"""The nearest point that keeps linear inequalities, record by record."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def nearest_inside(points, normals, bounds, tolerance, sweeps):
    """Move every row of `points` to the nearest one with normals @ point >= its row of `bounds`.

    Hildreth's method: one multiplier per inequality, raised or lowered in turn until no step is longer than
    `tolerance`. Needs rows of `normals` that are not 0 and C order; some point must keep all bounds. Returns
    how many records were still moving after `sweeps`. O(sweeps n m r).
    Source: Hildreth (1957), Naval Research Logistics Quarterly 4(1), 79-85.
    """
    n, r = points.shape
    m = normals.shape[0]
    lengths = np.empty(m)
    for k in range(m):
        total = 0.0
        for j in range(r):
            total += normals[k, j] * normals[k, j]
        lengths[k] = total
    multipliers = np.empty(m)
    restless = 0
    for i in range(n):
        multipliers[:] = 0.0
        longest = np.inf
        for _ in range(sweeps):
            longest = 0.0
            for k in range(m):
                gap = bounds[i, k]
                for j in range(r):
                    gap -= normals[k, j] * points[i, j]
                raised = max(0.0, multipliers[k] + gap / lengths[k])
                step = raised - multipliers[k]
                if step != 0.0:
                    multipliers[k] = raised
                    for j in range(r):
                        points[i, j] += step * normals[k, j]
                    longest = max(longest, abs(step) * np.sqrt(lengths[k]))
            if longest <= tolerance:
                break
        if longest > tolerance:
            restless += 1
    return restless
