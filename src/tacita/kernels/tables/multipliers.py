"""Shortest ways round, one per primary, under prices of its own."""

from __future__ import annotations

import numpy as np
from numba import njit

from .flows import cheapest_path, flow_along, mark_path, route_through
from .network import EITHER_WAY


@njit(cache=True, nogil=True)
def all_paths(graph, demands, prices, used):
    """Lengths of the shortest paths from source to sink without the own edge, each under its line of prices.

    used: set where a path runs. Where either direction will do, the shorter one. O(demands edges log nodes).
    """
    lengths = np.empty(demands.source.shape[0])
    # nothing withheld yet, nothing flows: the length of an edge is its price
    still = flow_along(graph, np.zeros(graph.row.shape[0], dtype=np.bool_))
    route = route_through(graph)
    used[:] = False
    for q in range(lengths.shape[0]):
        s, t, own = demands.source[q], demands.sink[q], demands.own[q]
        if demands.ways[q] == EITHER_WAY:
            there = cheapest_path(graph, still, prices[q], s, t, own, 0.0, route)
            if cheapest_path(graph, still, prices[q], t, s, own, 0.0, route) < there:
                s, t = t, s
        lengths[q] = cheapest_path(graph, still, prices[q], s, t, own, 0.0, route)
        mark_path(graph, still.parent, s, t, used[q])
    return lengths
