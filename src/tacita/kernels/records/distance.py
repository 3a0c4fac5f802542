"""Squared Euclidean distances and the selections every method makes from them.

All kernels take points by column, shape (d, n), C order, so that one instruction handles several
records, and add the squares of a record in column order: the result does not depend on the machine's
vector width. A record whose first coordinate is NaN counts as gone: its distance is NaN, and no
comparison with NaN is true. Ties go to the lowest row because every scan runs upwards and replaces
only on strict improvement.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def squared_distances(columns, n, point, out):
    """out[i] = ||columns[:, i] - point||^2 for the first n records. O(n d)."""
    d = columns.shape[0]
    for i in range(n):
        out[i] = 0.0
    c = 0
    # four columns a pass: fewer trips of `out` through memory, the same order of additions
    while c + 4 <= d:
        p0, p1, p2, p3 = point[c], point[c + 1], point[c + 2], point[c + 3]
        x0, x1, x2, x3 = columns[c], columns[c + 1], columns[c + 2], columns[c + 3]
        for i in range(n):
            t0 = x0[i] - p0
            t1 = x1[i] - p1
            t2 = x2[i] - p2
            t3 = x3[i] - p3
            out[i] = (((out[i] + t0 * t0) + t1 * t1) + t2 * t2) + t3 * t3
        c += 4
    while c < d:
        p0 = point[c]
        x0 = columns[c]
        for i in range(n):
            t0 = x0[i] - p0
            out[i] += t0 * t0
        c += 1


@njit(cache=True, nogil=True)
def farthest(distances, n):
    """The lowest row with the largest distance; -1 if all are gone. O(n)."""
    best = -1.0
    where = -1
    for i in range(n):
        if distances[i] > best:
            best = distances[i]
            where = i
    return where


@njit(cache=True, nogil=True)
def _emptied(chosen, best):
    """Strike all rows off a list; returns its length."""
    m = chosen.shape[0]
    for j in range(m):
        chosen[j] = -1
        best[j] = np.inf
    return m


@njit(cache=True, nogil=True)
def nearest(distances, n, chosen, best):
    """Fill `chosen` with the rows of the smallest distances, nearest first; -1 where there are none.

    `best` is scratch of the same length. O(n + m^2 log n) for m = len(chosen).
    """
    m = _emptied(chosen, best)
    if m == 0:
        return
    for i in range(n):
        if distances[i] < best[m - 1]:
            insert(i, distances[i], m - 1, chosen, best)


@njit(cache=True, nogil=True)
def nearest_of_distinct_units(distances, n, units, own, chosen, best):
    """As `nearest`, with at most one record of each unit and none of unit `own`. O(n m) at worst."""
    m = _emptied(chosen, best)
    if m == 0:
        return
    for i in range(n):
        if distances[i] < best[m - 1] and units[i] != own:
            slot = m - 1
            for j in range(m):
                if chosen[j] >= 0 and units[chosen[j]] == units[i]:
                    slot = j if distances[i] < best[j] else -1
                    break
            if slot >= 0:
                insert(i, distances[i], slot, chosen, best)


@njit(cache=True, nogil=True)
def insert(row, distance, slot, chosen, best):
    """Put a row into the sorted list, dropping what stood at `slot`."""
    j = slot
    while j > 0 and best[j - 1] > distance:
        best[j] = best[j - 1]
        chosen[j] = chosen[j - 1]
        j -= 1
    best[j] = distance
    chosen[j] = row


@njit(cache=True, nogil=True)
def gap(points, i, others, j):
    """Squared distance of points[i] and others[j]. O(d)."""
    total = 0.0
    for c in range(points.shape[1]):
        t = points[i, c] - others[j, c]
        total += t * t
    return total


@njit(cache=True, nogil=True)
def gap_below(points, i, others, j, limit):
    """Squared distance of points[i] and others[j]; at least `limit` if it is not below that. O(d)."""
    total = 0.0
    for c in range(points.shape[1]):
        t = points[i, c] - others[j, c]
        total += t * t
        if total >= limit:
            break
    return total


@njit(cache=True, nogil=True)
def nearest_centre(points, centres, out):
    """out[i] = the lowest row of `centres` (c, d) nearest to points[i] (n, d). O(n c d)."""
    for i in range(points.shape[0]):
        best = np.inf
        for g in range(centres.shape[0]):
            distance = gap_below(points, i, centres, g, best)
            if distance < best:
                best = distance
                out[i] = g


@njit(cache=True, nogil=True)
def nearest_moving_centre(points, sums, sizes, out):
    """As `nearest_centre`, one point after the other; the centre that a point joins moves at once. O(n c d).

    sums: (c, d) the records of each group added up, sizes: how many they are; both grow as points join.
    """
    centres = np.empty(sums.shape)
    for g in range(sums.shape[0]):
        for c in range(sums.shape[1]):
            centres[g, c] = sums[g, c] / sizes[g]
    for i in range(points.shape[0]):
        nearest_centre(points[i : i + 1], centres, out[i : i + 1])
        g = out[i]
        sizes[g] += 1
        for c in range(sums.shape[1]):
            sums[g, c] += points[i, c]
            centres[g, c] = sums[g, c] / sizes[g]


@njit(cache=True, nogil=True)
def sort_rows(keys, rows, m):
    """Shell sort of the first m rows by key, ties by row. O(m^1.5)."""
    gap = 1
    while gap < m // 3:
        gap = 3 * gap + 1
    while gap >= 1:
        for i in range(gap, m):
            key, row = keys[i], rows[i]
            j = i
            while j >= gap and (keys[j - gap] > key or (keys[j - gap] == key and rows[j - gap] > row)):
                keys[j] = keys[j - gap]
                rows[j] = rows[j - gap]
                j -= gap
            keys[j] = key
            rows[j] = row
        gap //= 3


@njit(cache=True, nogil=True)
def neighbour_lists(columns, start, stop, near, gaps):
    """The nearest other records of rows start..stop-1 and how far they are, nearest first, ties by row.

    columns: (d, n) C order; near, gaps: (n, m), m < n, filled in those rows. O((stop - start) n d).
    """
    n = columns.shape[1]
    m = near.shape[1]
    distances = np.empty(n)
    chosen = np.empty(m, dtype=np.int64)
    best = np.empty(m)
    for i in range(start, stop):
        squared_distances(columns, n, columns[:, i].copy(), distances)
        distances[i] = np.nan
        nearest(distances, n, chosen, best)
        for j in range(m):
            near[i, j] = chosen[j]
            gaps[i, j] = np.sqrt(best[j])


@njit(cache=True, nogil=True)
def pairwise(x, out):
    """out[i, j] = ||x_i - x_j||^2, summed in column order. O(n^2 d)."""
    for i in range(x.shape[0]):
        out[i, i] = 0.0
        for j in range(i):
            out[i, j] = out[j, i] = gap(x, i, x, j)


@njit(cache=True, nogil=True)
def group_costs(distances, groups, out):
    """out[g] = SSE of the records groups[g] (ended by -1), the mean over members of half their distances."""
    for g in range(groups.shape[0]):
        total = 0.0
        m = 0
        while m < groups.shape[1] and groups[g, m] >= 0:
            for other in range(m):
                total += distances[groups[g, m], groups[g, other]]
            m += 1
        out[g] = total / m


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
