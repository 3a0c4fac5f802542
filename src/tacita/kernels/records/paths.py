"""Orderings of records that step to the nearest one next."""

from __future__ import annotations

import numpy as np
from numba import njit

from .distance import gap_below, squared_distances

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
    found = -1
    for i in range(low, high):
        if not visited[i]:
            gap = gap_below(points, i, points, here, least)
            if gap < least:
                least = gap
                found = i
    return found


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
