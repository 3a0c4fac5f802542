"""Shortest ways round, one per primary, under prices of its own."""

from __future__ import annotations

import numpy as np
from numba import njit

from .flows import cheapest_path


@njit(cache=True, nogil=True)
def all_paths(start, incident, row, column, forward, backward, source, sink, own, either, prices, used):
    """Lengths of the shortest paths from source to sink without the own edge, each under its line of prices.

    used: set where a path runs. Where either direction will do, the shorter one. O(demands edges log nodes).
    """
    lengths = np.empty(source.shape[0])
    nodes = start.shape[0] - 1
    distance = np.empty(nodes)
    parent = np.empty(nodes, dtype=np.int64)
    heap = np.empty(nodes, dtype=np.int64)
    place = np.empty(nodes, dtype=np.int64)
    used[:] = False
    # nothing withheld yet, nothing flows: the length of an edge is its price
    none = np.zeros(row.shape[0], dtype=np.bool_)
    still = np.zeros(row.shape[0])
    for q in range(source.shape[0]):
        s, t = source[q], sink[q]
        if either[q]:
            there = cheapest_path(
                start, incident, row, column, forward, backward, none, prices[q], still, s, t, own[q], 0.0,
                distance, parent, heap, place,
            )  # fmt: skip
            back = cheapest_path(
                start, incident, row, column, forward, backward, none, prices[q], still, t, s, own[q], 0.0,
                distance, parent, heap, place,
            )  # fmt: skip
            if back < there:
                s, t = t, s
        length = cheapest_path(
            start, incident, row, column, forward, backward, none, prices[q], still, s, t, own[q], 0.0,
            distance, parent, heap, place,
        )  # fmt: skip
        lengths[q] = length
        v = t
        while v != s:
            e = parent[v]
            used[q, e] = True
            v = row[e] if column[e] == v else column[e]
    return lengths
