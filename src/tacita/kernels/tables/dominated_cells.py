"""What no least pattern holds: cells whose ends are joined more cheaply by others that carry every demand."""

from __future__ import annotations

import numpy as np
from numba import njit

from .flows import carries, cheapest_path, flow_along, max_flow, route_through


@njit(cache=True, nogil=True)
def _always_joined(graph, flow, one, other, most):
    """Whether the edges carry `most` from one node to the other, whichever single edge is missing."""
    sure = carries(max_flow(graph, flow, one, other, np.int64(-1), most), most)
    # an edge that this flow does not use is not missed
    for e in np.flatnonzero(flow.net):
        if sure:
            sure = carries(max_flow(graph, flow, one, other, e, most), most)
    return sure


@njit(cache=True, nogil=True)
def _ample(graph, most):
    """Nodes whose edges carry `most` away and back though the largest be missing: others are never joined."""
    ample = np.empty(graph.start.shape[0] - 1, dtype=np.bool_)
    for v in range(ample.shape[0]):
        away, back, most_away, most_back = 0.0, 0.0, 0.0, 0.0
        for at in range(graph.start[v], graph.start[v + 1]):
            e = graph.incident[at]
            there, here = graph.forward[e], graph.backward[e]
            if graph.row[e] != v:
                there, here = here, there
            away, back = away + there, back + here
            most_away, most_back = max(most_away, there), max(most_back, here)
        ample[v] = carries(away - most_away, most) and carries(back - most_back, most)
    return ample


@njit(cache=True, nogil=True)
def joined(graph, most):
    """A leader for each node: nodes with the same one carry `most` to each other though any edge be missing.

    The edges are those of primaries. A cut that parts two such nodes leaves no demand short, whosesoever it
    is. Pairs that share an edge are tried, and pairs that share a neighbour; the relation is transitive, so
    that leaders tell classes, but some may be parts of larger ones. O(edges path) flows.
    """
    nodes = graph.start.shape[0] - 1
    leader, ample = np.arange(nodes), _ample(graph, most)
    flow = flow_along(graph, np.ones(graph.row.shape[0], dtype=np.bool_))
    for mid in range(nodes):
        first = graph.start[mid]
        for at in range(first, graph.start[mid + 1]):
            one = graph.row[graph.incident[at]] + graph.column[graph.incident[at]] - mid
            if not ample[one]:
                continue
            for before in range(first - 1, at):
                # before all others the node in the middle itself
                other = mid
                if before >= first:
                    other = graph.row[graph.incident[before]] + graph.column[graph.incident[before]] - mid
                if leader[one] == leader[other] or not ample[other]:
                    continue
                if _always_joined(graph, flow, one, other, most) and _always_joined(
                    graph, flow, other, one, most
                ):
                    old, new = leader[one], leader[other]
                    for v in range(nodes):
                        if leader[v] == old:
                            leader[v] = new
    return leader


@njit(cache=True, nogil=True)
def replaceable(graph, weight, one, other, cost):
    """Which edges cost more than the cheapest path between their ends; edges of one node stand together.

    graph, weight: the edges that paths consist of. O(nodes edges log nodes).
    """
    flow, route = flow_along(graph, np.zeros(weight.shape[0], dtype=np.bool_)), route_through(graph)
    worse = np.zeros(cost.shape[0], dtype=np.bool_)
    last = -1
    for e in range(cost.shape[0]):
        if one[e] != last:
            last = one[e]
            cheapest_path(graph, flow, weight, last, np.int64(-1), np.int64(-1), 0.0, route)
        # what differs by rounding alone stays
        worse[e] = route.distance[other[e]] < cost[e] * (1.0 - 1e-9) - 1e-9
    return worse
