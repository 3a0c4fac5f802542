"""Records in leaves of 16 inside blocks of 256, so that most of them need not be looked at.

A leaf or block knows a centre C (the middle of its box), the radius p around it, the largest distance M of
its records from a common point o, and its lowest row. For a point r and any record x of a leaf

    |x - r| >= |C - r| - p,
    |x - r|^2 <= |C - r|^2 + M^2 - |C - o|^2 + 2 p |r - o|,

the latter because (x - o)(r - o) >= (C - o)(r - o) - p |r - o|; it is far tighter than (|C - r| + p)^2 where
r and C lie on opposite sides of o, which is where the farthest records are. What a bound does not exclude is
decided by distances that are computed as everywhere (squares added in column order), and ties go to the
lowest row: no answer differs from that of a scan over all records. Bounds have a slack for rounding; where p
is zero all records are the centre, and its distance is theirs to the last bit.

A record that is gone has NaN in its first coordinate; the bounds of its leaf and block are drawn in.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacita.core.arrays import Floats, Ints

# Records of a leaf, and leaves of a block.
WIDTH = 16
_BLOCK = WIDTH * WIDTH
# Of the squares in a bound: what rounding may take from it.
_SLACK = 1e-11
# Records of a part among which the widest axis is looked for.
_SAMPLE = 64
# State: records when cuts were last made, blocks in use.
CUT_AT, BLOCKS = 0, 1


class Leaves(NamedTuple):
    """points[l, c, j]: column c of record j of leaf l; rows[16 l + j]: its row. Of leaf j of block b:
    centres[b, c, j], radius, reach (M^2), offset (|C - o|^2), lowest row, records left. The same of blocks,
    centres by column. origin: o. keys, gaps: scratch."""

    points: Floats
    rows: Ints
    centres: Floats
    radius: Floats
    reach: Floats
    offset: Floats
    lowest: Ints
    left: Ints
    block_centres: Floats
    block_radius: Floats
    block_reach: Floats
    block_offset: Floats
    block_lowest: Ints
    block_left: Ints
    origin: Floats
    keys: Floats
    gaps: Floats
    state: Ints


def empty_leaves(n: int, d: int) -> Leaves:
    """Room for n records, none of them in a leaf yet."""
    blocks = (n + _BLOCK - 1) // _BLOCK
    leaves = blocks * WIDTH
    return Leaves(
        points=np.full((leaves, d, WIDTH), np.nan),
        rows=np.zeros(leaves * WIDTH, dtype=np.int64),
        centres=np.zeros((blocks, d, WIDTH)),
        radius=np.zeros((blocks, WIDTH)),
        reach=np.zeros((blocks, WIDTH)),
        offset=np.zeros((blocks, WIDTH)),
        lowest=np.zeros((blocks, WIDTH), dtype=np.int64),
        left=np.zeros((blocks, WIDTH), dtype=np.int64),
        block_centres=np.zeros((d, blocks)),
        block_radius=np.zeros(blocks),
        block_reach=np.zeros(blocks),
        block_offset=np.zeros(blocks),
        block_lowest=np.zeros(blocks, dtype=np.int64),
        block_left=np.zeros(blocks, dtype=np.int64),
        origin=np.zeros(d),
        keys=np.zeros(n),
        gaps=np.zeros(blocks),
        state=np.zeros(2, dtype=np.int64),
    )


@njit(cache=True, nogil=True)
def select(keys, rows, low, high, place):
    """Reorder low..high-1 so that what is before `place` has no larger key (ties by row). O(high - low)."""
    while high - low > 1:
        middle = (low + high) // 2
        key, row = keys[middle], rows[middle]
        i, j = low, high - 1
        while i <= j:
            while keys[i] < key or (keys[i] == key and rows[i] < row):
                i += 1
            while keys[j] > key or (keys[j] == key and rows[j] > row):
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                rows[i], rows[j] = rows[j], rows[i]
                i += 1
                j -= 1
        if place <= j:
            high = j + 1
        elif place >= i:
            low = i
        else:
            return


@njit(cache=True, nogil=True)
def widest(columns, rows, low, high):
    """The column with the largest range among some of the records low..high-1."""
    step = max(1, (high - low) // _SAMPLE)
    best, where = -1.0, 0
    for c in range(columns.shape[0]):
        least, most = np.inf, -np.inf
        for i in range(low, high, step):
            value = columns[c, rows[i]]
            least = min(least, value)
            most = max(most, value)
        if most - least > best:
            best, where = most - least, c
    return where


@njit(cache=True, nogil=True)
def cut(columns, rows, n, keys):
    """Order the first n rows by balanced cuts across the widest axis, down to leaves. O(n log n)."""
    lows, highs = np.empty(64, dtype=np.int64), np.empty(64, dtype=np.int64)
    lows[0], highs[0] = 0, n
    depth = 1
    while depth > 0:
        depth -= 1
        low, high = lows[depth], highs[depth]
        size = high - low
        if size <= WIDTH:
            # a leaf stands in the order of rows
            rows[low:high] = np.sort(rows[low:high])
            continue
        unit = _BLOCK if size > _BLOCK else WIDTH
        middle = low + (size // 2 + unit - 1) // unit * unit
        if middle >= high:
            middle = high - unit if high - unit > low else low + unit
        axis = widest(columns, rows, low, high)
        for i in range(low, high):
            keys[i] = columns[axis, rows[i]]
        select(keys, rows, low, high, middle)
        lows[depth], highs[depth] = low, middle
        lows[depth + 1], highs[depth + 1] = middle, high
        depth += 2


@njit(cache=True, nogil=True)
def fill(columns, n, leaves):
    """Make leaves and blocks of the first n of leaves.rows. O(n d)."""
    d = columns.shape[0]
    rows, origin = leaves.rows, leaves.origin
    least, most = np.empty(d), np.empty(d)
    blocks = (n + _BLOCK - 1) // _BLOCK
    leaves.state[BLOCKS] = blocks
    for b in range(blocks):
        start, end = b * _BLOCK, min(n, (b + 1) * _BLOCK)
        leaves.block_left[b] = end - start
        for c in range(d):
            least[c], most[c] = np.inf, -np.inf
        for j in range(WIDTH):
            first, last = start + j * WIDTH, min(end, start + (j + 1) * WIDTH)
            leaves.left[b, j] = max(0, last - first)
            leaf, offset = b * WIDTH + j, 0.0
            for c in range(d):
                low, high = np.inf, -np.inf
                for i in range(first, last):
                    value = columns[c, rows[i]]
                    leaves.points[leaf, c, i - first] = value
                    low, high = min(low, value), max(high, value)
                for i in range(max(first, last), first + WIDTH):
                    leaves.points[leaf, c, i - first] = np.nan
                leaves.centres[b, c, j] = low + 0.5 * (high - low)
                least[c], most[c] = min(least[c], low), max(most[c], high)
                t = leaves.centres[b, c, j] - origin[c]
                offset += t * t
            leaves.offset[b, j] = offset
            _draw_in(leaf, leaves)
        offset = 0.0
        for c in range(d):
            leaves.block_centres[c, b] = least[c] + 0.5 * (most[c] - least[c])
            t = leaves.block_centres[c, b] - origin[c]
            offset += t * t
        leaves.block_offset[b] = offset
        radius = 0.0
        for i in range(start, end):
            gap = 0.0
            for c in range(d):
                t = leaves.points[i // WIDTH, c, i % WIDTH] - leaves.block_centres[c, b]
                gap += t * t
            radius = max(radius, gap)
        leaves.block_radius[b] = np.sqrt(radius) * (1.0 + _SLACK)
        _draw_in_block(b, leaves)


@njit(cache=True, nogil=True)
def _draw_in(leaf, leaves):
    """Radius, reach and lowest row of a leaf, from the records that are left of it. O(16 d)."""
    b, j = leaf // WIDTH, leaf % WIDTH
    points, origin = leaves.points[leaf], leaves.origin
    radius, reach, lowest = 0.0, 0.0, leaves.rows.shape[0]
    for i in range(WIDTH):
        if np.isnan(points[0, i]):
            continue
        near = far = 0.0
        for c in range(points.shape[0]):
            t = points[c, i] - leaves.centres[b, c, j]
            near += t * t
            t = points[c, i] - origin[c]
            far += t * t
        radius, reach = max(radius, near), max(reach, far)
        lowest = min(lowest, leaves.rows[leaf * WIDTH + i])
    leaves.radius[b, j] = np.sqrt(radius) * (1.0 + _SLACK)
    leaves.reach[b, j] = reach
    leaves.lowest[b, j] = lowest


@njit(cache=True, nogil=True)
def _draw_in_block(b, leaves):
    """Reach and lowest row of a block, from its leaves."""
    reach, lowest = 0.0, leaves.rows.shape[0]
    for j in range(WIDTH):
        if leaves.left[b, j] > 0:
            reach = max(reach, leaves.reach[b, j])
            lowest = min(lowest, leaves.lowest[b, j])
    leaves.block_reach[b] = reach
    leaves.block_lowest[b] = lowest


@njit(cache=True, nogil=True)
def remove(place, leaves):
    """Let a record vanish. O(16 d)."""
    leaf = place // WIDTH
    b = leaf // WIDTH
    leaves.points[leaf, 0, place % WIDTH] = np.nan
    leaves.left[b, leaf % WIDTH] -= 1
    leaves.block_left[b] -= 1
    _draw_in(leaf, leaves)
    _draw_in_block(b, leaves)


@njit(cache=True, nogil=True)
def _highest(gap, radius, reach, offset, away):
    """What no distance exceeds: of a leaf at this squared distance from a point, which is `away` from o."""
    if radius == 0.0:
        return gap
    return gap + reach - offset + 2.0 * radius * away + _SLACK * (gap + reach + offset)


@njit(cache=True, nogil=True)
def _block_gaps(centres, blocks, point, gaps):
    """Squared distances of the centres of all blocks. O(blocks d)."""
    for b in range(blocks):
        gaps[b] = 0.0
    for c in range(centres.shape[0]):
        here, own = point[c], centres[c]
        for b in range(blocks):
            t = own[b] - here
            gaps[b] += t * t


# Searches name every array once and call nothing inside their loops: what is handed to a function is counted
# by the run-time, array by array, which costs more than the leaf that is looked at.


@njit(cache=True, nogil=True)
def farthest_place(point, leaves):
    """The place of the lowest row with the largest distance from a point; -1 if all are gone."""
    d = point.shape[0]
    points, rows, bounds, blocks = leaves.points, leaves.rows, leaves.gaps, leaves.state[BLOCKS]
    centres, radius, reach, offset = leaves.centres, leaves.radius, leaves.reach, leaves.offset
    lowest, left = leaves.lowest, leaves.left
    block_left, block_lowest = leaves.block_left, leaves.block_lowest
    near, gaps = np.empty(WIDTH), np.empty(WIDTH)
    away = 0.0
    for c in range(d):
        t = point[c] - leaves.origin[c]
        away += t * t
    away = np.sqrt(away) * (1.0 + _SLACK)
    _block_gaps(leaves.block_centres, blocks, point, bounds)
    first, most = -1, -1.0
    for b in range(blocks):
        if block_left[b] == 0:
            bounds[b] = -1.0
            continue
        bounds[b] = _highest(
            bounds[b], leaves.block_radius[b], leaves.block_reach[b], leaves.block_offset[b], away
        )
        if bounds[b] > most:
            first, most = b, bounds[b]
    best, where, row = -1.0, -1, -1
    if first < 0:
        return where
    for turn in range(-1, blocks):
        b = first if turn < 0 else turn
        if bounds[b] < best or (bounds[b] == best and block_lowest[b] > row) or turn == first:
            continue
        if bounds[b] < 0.0:
            continue
        for j in range(WIDTH):
            near[j] = 0.0
        for c in range(d):
            here = point[c]
            for j in range(WIDTH):
                t = centres[b, c, j] - here
                near[j] += t * t
        for j in range(WIDTH):
            if left[b, j] == 0:
                continue
            bound = _highest(near[j], radius[b, j], reach[b, j], offset[b, j], away)
            if bound < best or (bound == best and lowest[b, j] > row):
                continue
            leaf = b * WIDTH + j
            for i in range(WIDTH):
                gaps[i] = 0.0
            for c in range(d):
                here = point[c]
                for i in range(WIDTH):
                    t = points[leaf, c, i] - here
                    gaps[i] += t * t
            for i in range(WIDTH):
                if gaps[i] >= best:
                    own = rows[leaf * WIDTH + i]
                    if gaps[i] > best or own < row:
                        best, where, row = gaps[i], leaf * WIDTH + i, own
    return where


@njit(cache=True, nogil=True)
def nearest_places(point, seed, leaves, units, own, by_unit, chosen, best):
    """Fill `chosen` with the places of the smallest distances from a point, ties by row; -1 where none are.

    `seed` is the place of the point itself, where the search starts. By unit, at most one record of each unit
    and none of unit `own`. `best` has the distances.
    """
    m, d = chosen.shape[0], point.shape[0]
    for j in range(m):
        chosen[j] = -1
        best[j] = np.inf
    if m == 0:
        return
    points, rows, distances, blocks = leaves.points, leaves.rows, leaves.gaps, leaves.state[BLOCKS]
    centres, radius, lowest, left = leaves.centres, leaves.radius, leaves.lowest, leaves.left
    block_radius, block_lowest, block_left = leaves.block_radius, leaves.block_lowest, leaves.block_left
    near, gaps = np.empty(WIDTH), np.empty(WIDTH)
    _block_gaps(leaves.block_centres, blocks, point, distances)
    # its own block and that with the nearest centre first: what they have keeps most others away
    early = seed // _BLOCK
    second, least = -1, np.inf
    for b in range(blocks):
        if distances[b] < least and block_left[b] > 0 and b != early:
            second, least = b, distances[b]
    limit, last, last_row = np.inf, np.inf, -1
    for turn in range(-2, blocks):
        b = early if turn == -2 else second if turn == -1 else turn
        if b < 0 or block_left[b] == 0:
            continue
        reach = limit + block_radius[b]
        if block_radius[b] == 0.0:
            if distances[b] > last or (distances[b] == last and block_lowest[b] > last_row >= 0):
                continue
        elif distances[b] > reach * reach * (1.0 + _SLACK):
            continue
        if turn >= 0 and b in (early, second):
            continue
        for j in range(WIDTH):
            near[j] = 0.0
        for c in range(d):
            here = point[c]
            for j in range(WIDTH):
                t = centres[b, c, j] - here
                near[j] += t * t
        for j in range(WIDTH):
            if left[b, j] == 0:
                continue
            reach = limit + radius[b, j]
            if radius[b, j] == 0.0:
                if near[j] > last or (near[j] == last and lowest[b, j] > last_row >= 0):
                    continue
            elif near[j] > reach * reach * (1.0 + _SLACK):
                continue
            leaf = b * WIDTH + j
            for i in range(WIDTH):
                gaps[i] = 0.0
            for c in range(d):
                here = point[c]
                for i in range(WIDTH):
                    t = points[leaf, c, i] - here
                    gaps[i] += t * t
            for i in range(WIDTH):
                if not gaps[i] <= last:
                    continue
                place = leaf * WIDTH + i
                row = rows[place]
                slot = m - 1
                if by_unit:
                    if units[row] == own:
                        continue
                    for s in range(m):
                        if chosen[s] >= 0 and units[rows[chosen[s]]] == units[row]:
                            slot = s
                            break
                if chosen[slot] >= 0 and (
                    best[slot] < gaps[i] or (best[slot] == gaps[i] and rows[chosen[slot]] < row)
                ):
                    continue
                while slot > 0 and (
                    best[slot - 1] > gaps[i] or (best[slot - 1] == gaps[i] and rows[chosen[slot - 1]] > row)
                ):
                    best[slot] = best[slot - 1]
                    chosen[slot] = chosen[slot - 1]
                    slot -= 1
                best[slot] = gaps[i]
                chosen[slot] = place
                if best[m - 1] < last or chosen[m - 1] >= 0:
                    last = best[m - 1]
                    last_row = rows[chosen[m - 1]]
                    limit = np.sqrt(last)
