"""Minimum spanning tree, its cut into components, and the cut of a component into groups of k."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacita.core.arrays import Floats, Ints

from .distance import farthest, nearest, squared_distances
from .gsms import scaled_distances
from .ward import farthest_pair

# Positions in the state vectors that are handed from call to call: of the tree, and of a cut.
LENGTH, VISITED = 0, 1
ALIVE, GROUPS = 0, 1


class Tree(NamedTuple):
    """A spanning tree in the making.

    columns: (d, n), rows: the records not yet in the tree, consumed; nearest_visited, gap: the row in the
    tree nearest to each, and its squared distance; parent, length: filled per row; visited: rows in order of
    joining; state: how many are outside, how many joined.
    """

    columns: Floats
    rows: Ints
    nearest_visited: Ints
    gap: Floats
    parent: Ints
    length: Floats
    visited: Ints
    state: Ints


@njit(cache=True, nogil=True)
def tree_rounds(tree, rounds):
    """Up to `rounds` records join the tree (Prim); True when all have.

    The nearest record joins, the lowest row of those that tie, by the edge found first. O(n d) a round.
    """
    columns, rows, nearest_visited, gap, parent, length, visited, state = tree
    d = columns.shape[0]
    distances = np.empty(columns.shape[1])
    point = np.empty(d)
    for _ in range(rounds):
        n = state[LENGTH]
        if n == 0:
            return True
        closest = 0
        for i in range(1, n):
            if gap[i] < gap[closest]:
                closest = i
        row = rows[closest]
        parent[row] = nearest_visited[closest]
        length[row] = gap[closest]
        visited[state[VISITED]] = row
        state[VISITED] += 1
        for c in range(d):
            point[c] = columns[c, closest]
            # keeps the order of rows, on which ties depend, at less than the cost of the distances
            for i in range(closest, n - 1):
                columns[c, i] = columns[c, i + 1]
        for i in range(closest, n - 1):
            rows[i] = rows[i + 1]
            gap[i] = gap[i + 1]
            nearest_visited[i] = nearest_visited[i + 1]
        state[LENGTH] = n - 1
        squared_distances(columns, n - 1, point, distances)
        for i in range(n - 1):
            if distances[i] < gap[i]:
                gap[i] = distances[i]
                nearest_visited[i] = row
    return state[LENGTH] == 0


@njit(cache=True, nogil=True)
def cut_edges(parent, visited, order, k, labels):
    """Remove the edges above the rows in `order` where both sides keep k records; labels per row.

    parent: -1 at the root; visited: rows, parents before children. O(n) an edge removed at worst.
    """
    n = parent.shape[0]
    below = np.ones(n, dtype=np.int64)
    for p in range(n - 1, 0, -1):
        below[parent[visited[p]]] += below[visited[p]]
    kept = parent.copy()
    for row in order:
        if below[row] < k:
            continue
        top = row
        while kept[top] >= 0:
            top = kept[top]
        if below[top] - below[row] < k:
            continue
        ancestor = kept[row]
        while ancestor >= 0:
            below[ancestor] -= below[row]
            ancestor = kept[ancestor]
        kept[row] = -1
    groups = 0
    for p in range(n):
        row = visited[p]
        if kept[row] < 0:
            labels[row] = groups
            groups += 1
        else:
            labels[row] = labels[kept[row]]
    return groups


@njit(cache=True, nogil=True)
def _take(i, columns, labels, state):
    labels[i] = state[GROUPS]
    columns[0, i] = np.nan
    state[ALIVE] -= 1


@njit(cache=True, nogil=True)
def _grow(seed, columns, k, labels, state, total, distances):
    """A group of k: the seed, then always the record nearest to the mean so far. O(n k d)."""
    n = columns.shape[1]
    for c in range(columns.shape[0]):
        total[c] = columns[c, seed]
    _take(seed, columns, labels, state)
    one = np.empty(1, dtype=np.int64)
    gap = np.empty(1)
    for size in range(1, k):
        scaled_distances(columns, n, float(size), total, distances)
        nearest(distances, n, one, gap)
        for c in range(columns.shape[0]):
            total[c] += columns[c, one[0]]
        _take(one[0], columns, labels, state)
    state[GROUPS] += 1


@njit(cache=True, nogil=True)
def diameter_rounds(columns, bounds, k, labels, state, rounds):
    """Up to `rounds` times two groups around the records farthest apart; True when fewer than 2k are left.

    columns: (d, n), consumed; bounds: see `farthest_pair`; state: records left, groups made. The first
    group leaves the other's seed alone. O(n k d) a round and what the farthest pair costs.
    """
    n = columns.shape[1]
    distances = np.empty(n)
    total = np.empty(columns.shape[0])
    partner = np.full(n, -1)
    for _ in range(rounds):
        if state[ALIVE] < 2 * k:
            return True
        r, s = farthest_pair(columns, n, bounds, partner, distances)
        first = columns[0, s]
        columns[0, s] = np.nan
        _grow(r, columns, k, labels, state, total, distances)
        columns[0, s] = first
        _grow(s, columns, k, labels, state, total, distances)
        for i in range(n):
            if labels[i] >= 0:
                bounds[i] = np.nan
    return state[ALIVE] < 2 * k


@njit(cache=True, nogil=True)
def centroid_rounds(columns, sums, k, labels, state, rounds):
    """Up to `rounds` groups, each the record farthest from the mean of what is left with its k-1 nearest.

    True when fewer than k are left. columns: (d, n), consumed; sums: of what is left. O(n d) a round.
    """
    d, n = columns.shape
    distances = np.empty(n)
    point = np.empty(d)
    chosen = np.empty(k - 1, dtype=np.int64)
    best = np.empty(k - 1)
    for _ in range(rounds):
        if state[ALIVE] < k:
            return True
        scaled_distances(columns, n, float(state[ALIVE]), sums, distances)
        r = farthest(distances, n)
        for c in range(d):
            point[c] = columns[c, r]
            sums[c] -= point[c]
        _take(r, columns, labels, state)
        squared_distances(columns, n, point, distances)
        nearest(distances, n, chosen, best)
        for i in chosen:
            for c in range(d):
                sums[c] -= columns[c, i]
            _take(i, columns, labels, state)
        state[GROUPS] += 1
    return state[ALIVE] < k
