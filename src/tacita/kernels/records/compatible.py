"""How many distinct units stand in several ranges of a list together."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def distinct_in_ranges(starts, stops, units, most, out):
    """For every row of ranges how many distinct units they hold; units are numbered below `most`.

    `starts` and `stops` (q, ranges) are places in `units`. O(total length of the ranges).
    """
    seen = np.full(most, -1, dtype=np.int64)
    for q in range(starts.shape[0]):
        count = 0
        for s in range(starts.shape[1]):
            for place in range(starts[q, s], stops[q, s]):
                unit = units[place]
                if seen[unit] != q:
                    seen[unit] = q
                    count += 1
        out[q] = count
