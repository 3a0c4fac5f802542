"""Orderings of records: to the nearest one next, and group by group along a short tour of their centres.

Points by row (n, d) unless stated otherwise, C order, no NaN. Ties go to the lowest row.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .distance import gap, gap_below, squared_distances
from .tour import reverse

# Positions in the state vector that is handed from call to call.
LENGTH, VISITED, HERE = 0, 1, 2


@njit(cache=True, nogil=True)
def nearest_next_steps(columns, rows, order, state, steps):
    """Up to `steps` steps to the nearest record not yet visited; True when all are.

    columns: (d, n) C order, no NaN at the start, consumed; rows: original row of each record;
    order: filled with original rows; state: see above, HERE the position of the next record to visit.
    O(n d) a step, O(n) scratch a call.
    """
    d = columns.shape[0]
    total = order.shape[0]
    distances = np.empty(columns.shape[1])
    point = np.empty(d)
    for _ in range(steps):
        here = state[HERE]
        for c in range(d):
            point[c] = columns[c, here]
        order[state[VISITED]] = rows[here]
        columns[0, here] = np.nan
        state[VISITED] += 1
        left = total - state[VISITED]
        if left == 0:
            return True
        if state[LENGTH] - left > state[LENGTH] // 8:
            kept = 0
            for i in range(state[LENGTH]):
                if not np.isnan(columns[0, i]):
                    for c in range(d):
                        columns[c, kept] = columns[c, i]
                    rows[kept] = rows[i]
                    kept += 1
            state[LENGTH] = kept
        n = state[LENGTH]
        squared_distances(columns, n, point, distances)
        least = np.inf
        for i in range(n):
            if distances[i] < least:
                least = distances[i]
                state[HERE] = i
    return False


@njit(cache=True, nogil=True)
def _nearest_unvisited(points, here, low, high, visited):
    """The lowest of rows low..high-1 of `points` that is nearest to row `here` among the unvisited."""
    least = np.inf
    nearest = -1
    for i in range(low, high):
        if not visited[i]:
            gap = gap_below(points, i, points, here, least)
            if gap < least:
                least = gap
                nearest = i
    return nearest


@njit(cache=True, nogil=True)
def chain_groups(x, starts, centres, first, order):
    """Visit group after group, nearest centre next; inside, from the last record to the nearest next.

    x: (n, d), the groups one behind the other, group g in rows starts[g] to starts[g + 1] - 1; centres:
    (groups, d); first: the row to begin at, of group 0; order: filled with rows of x.
    O(groups^2 d + sum of sizes^2 d) time.
    """
    n = x.shape[0]
    groups = centres.shape[0]
    visited = np.zeros(n, dtype=np.bool_)
    gone = np.zeros(groups, dtype=np.bool_)
    last = first
    group = 0
    place = 0
    for _ in range(groups):
        gone[group] = True
        for _member in range(starts[group], starts[group + 1]):
            i = _nearest_unvisited(x, last, starts[group], starts[group + 1], visited)
            visited[i] = True
            order[place] = i
            place += 1
            last = i
        group = _nearest_unvisited(centres, group, 0, groups, gone)


@njit(cache=True, nogil=True)
def two_opt(points, near, tour, place, sweeps):
    """Turn stretches of a round trip round while that shortens it, `sweeps` times over at most.

    Tries to join a point to near[i], nearest first. place[tour[t]] = t. O(n m d) a sweep and O(n) a turn.
    """
    n = tour.shape[0]
    for _ in range(sweeps):
        better = False
        for a in range(n):
            for step in (1, -1):
                after = tour[(place[a] + step) % n]
                edge = np.sqrt(gap(points, a, points, after))
                for j in range(near.shape[1]):
                    b = near[a, j]
                    new = np.sqrt(gap(points, a, points, b))
                    if new >= edge:
                        break
                    beyond = tour[(place[b] + step) % n]
                    if b in (a, after) or beyond == a:
                        continue
                    saved = edge + np.sqrt(gap(points, b, points, beyond)) - new
                    saved -= np.sqrt(gap(points, after, points, beyond))
                    if saved > 1e-10 * edge:
                        if step == 1:
                            reverse(tour, place, place[after], place[b])
                        else:
                            reverse(tour, place, place[b], place[after])
                        better = True
                        break
        if not better:
            return


@njit(cache=True, nogil=True)
def members_in_order(x, centres, tour, start, rows, order):
    """Fill `order` with the rows group by group along the tour, each time the nearest of the group next.

    The members of group g are rows[start[g]:start[g + 1]]; the first group is entered at its row farthest
    from the centre of the second. `rows` is used up. O(d sum of squared group sizes).
    """
    done = 0
    for t in range(tour.shape[0]):
        low = start[tour[t]]
        high = start[tour[t] + 1]
        for left in range(high, low, -1):
            best = np.inf
            where = low
            for p in range(low, left):
                if done > 0:
                    length = gap(x, order[done - 1], x, rows[p])
                elif tour.shape[0] > 1:
                    length = -gap(centres, tour[1], x, rows[p])
                else:
                    length = 0.0
                if length < best or (length == best and rows[p] < rows[where]):
                    best = length
                    where = p
            order[done] = rows[where]
            done += 1
            rows[where] = rows[left - 1]
