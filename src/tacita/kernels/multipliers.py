"""Shortest ways round, one per primary, under prices of its own."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def all_paths(start, incident, row, column, forward, backward, source, sink, own, either, prices, used):
    """Lengths of the shortest paths from source to sink without the own edge, each under its line of prices.

    used: set where a path runs. Where either direction will do, the shorter one. O(demands (nodes^2 +
    edges)).
    """
    lengths = np.empty(source.shape[0])
    nodes = start.shape[0] - 1
    distance = np.empty(nodes)
    parent = np.empty(nodes, dtype=np.int64)
    settled = np.empty(nodes, dtype=np.bool_)
    used[:] = False
    for q in range(source.shape[0]):
        s, t = source[q], sink[q]
        length = _shortest(
            start,
            incident,
            row,
            column,
            forward,
            backward,
            prices[q],
            s,
            t,
            own[q],
            distance,
            parent,
            settled,
        )
        if either[q]:
            other = _shortest(
                start,
                incident,
                row,
                column,
                forward,
                backward,
                prices[q],
                t,
                s,
                own[q],
                distance,
                parent,
                settled,
            )
            if other < length:
                length = other
                s, t = t, s
            else:
                _shortest(
                    start, incident, row, column, forward, backward, prices[q], s, t, own[q], distance,
                    parent, settled,
                )  # fmt: skip
        lengths[q] = length
        v = t
        while v != s:
            e = parent[v]
            used[q, e] = True
            v = row[e] if column[e] == v else column[e]
    return lengths


@njit(cache=True, nogil=True)
def _shortest(start, incident, row, column, forward, backward, price, s, t, skip, distance, parent, settled):
    nodes = start.shape[0] - 1
    distance[:] = np.inf
    settled[:] = False
    distance[s] = 0.0
    while True:
        v = -1
        for u in range(nodes):
            if not settled[u] and distance[u] < np.inf and (v < 0 or distance[u] < distance[v]):
                v = u
        if v < 0 or v == t:
            return distance[t]
        settled[v] = True
        for at in range(start[v], start[v + 1]):
            e = incident[at]
            if e == skip:
                continue
            from_row = row[e] == v
            if (forward[e] if from_row else backward[e]) <= 0.0:
                continue
            w = column[e] if from_row else row[e]
            if not settled[w] and distance[v] + price[e] < distance[w]:
                distance[w] = distance[v] + price[e]
                parent[w] = e
