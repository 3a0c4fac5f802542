"""Nearest records among those that stand near each other in some order."""

from __future__ import annotations

import numpy as np
from numba import njit

from .distance import squared_distances


@njit(cache=True, nogil=True)
def nearest_in_windows(x, order, width, first, last, near, gaps):
    """Enter the records of places first..last-1 of `order` into the lists of those in the same window.

    x: (n, d), C order; order: all rows; windows of `width` places, the first of which begins at `first`.
    near, gaps: (n, m), of each row the nearest so far and their squared distances, nearest first, infinite
    where there are fewer. A record is listed once however often it is met. Of equals the one met first stands
    first: each looks ahead in its window, then behind, which finds the nearest early, and copies do not all
    list the same few. Squares are added in column order. O((last - first) width d).
    """
    d, m = x.shape[1], near.shape[1]
    points = np.empty((d, width))
    distances = np.empty(width)
    for start in range(first, last, width):
        size = min(width, last - start)
        for j in range(size):
            for c in range(d):
                points[c, j] = x[order[start + j], c]
        for j in range(size):
            row = order[start + j]
            squared_distances(points, size, points[:, j], distances)
            own, far = near[row], gaps[row]
            limit = far[m - 1]
            for begin, end, step in ((j + 1, size, 1), (j - 1, -1, -1)):
                for q in range(begin, end, step):
                    if distances[q] < limit and _entered(order[start + q], distances[q], own, far):
                        limit = far[m - 1]


# part of the loop above: counting references of the two lists would take longer than entering a record
@njit(cache=True, nogil=True, forceinline=True)
def _entered(row, gap, own, far):
    """Put a row into its place in the list, unless it is there; False then."""
    place = far.shape[0] - 1
    while place > 0 and far[place - 1] > gap:
        place -= 1
    twin = place - 1
    while twin >= 0 and far[twin] == gap:
        if own[twin] == row:
            return False
        twin -= 1
    for slot in range(far.shape[0] - 1, place, -1):
        far[slot] = far[slot - 1]
        own[slot] = own[slot - 1]
    far[place] = gap
    own[place] = row
    return True
