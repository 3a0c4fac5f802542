"""Flows between the rows and columns of a table: thousands of small ones, over what `network` names."""

from __future__ import annotations

import numpy as np
from numba import njit

from .network import BOTH_WAYS, EITHER_WAY, ONE_WAY, Flow, Graph, Route

# Room that counts as none, where demands are 1 or more; of smaller ones, that share. Demands in one table may
# differ by many powers of ten, and none must be taken for rounding.
EPSILON = 1e-9
# Of what is still needed: less room than this does not make a path.
_SCARCE = 1e-6


@njit(cache=True, nogil=True)
def adjacency(row, column, nodes):
    """Edges at each node: those of node v are incident[start[v]:start[v+1]], in order. O(nodes + edges)."""
    start = np.zeros(nodes + 1, dtype=np.int64)
    for e in range(row.shape[0]):
        start[row[e] + 1] += 1
        start[column[e] + 1] += 1
    for v in range(nodes):
        start[v + 1] += start[v]
    place = start[:-1].copy()
    incident = np.empty(2 * row.shape[0], dtype=np.int64)
    for e in range(row.shape[0]):
        incident[place[row[e]]] = e
        place[row[e]] += 1
        incident[place[column[e]]] = e
        place[column[e]] += 1
    return start, incident


@njit(cache=True, nogil=True)
def with_capacities(graph, forward, backward):
    """The same edges, which carry something else."""
    return Graph(
        start=graph.start,
        incident=graph.incident,
        row=graph.row,
        column=graph.column,
        forward=forward,
        backward=backward,
    )


@njit(cache=True, nogil=True)
def flow_along(graph, alive):
    """Room for flows along the alive edges."""
    nodes = graph.start.shape[0] - 1
    net = np.zeros(graph.row.shape[0])
    return Flow(alive, net, np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64))


@njit(cache=True, nogil=True)
def route_through(graph):
    """Room for a search for the cheapest path."""
    nodes = graph.start.shape[0] - 1
    return Route(np.empty(nodes), np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64))


@njit(cache=True, nogil=True)
def _thin_out(graph, alive, thin_start, thin):
    """The lists of edges at nodes, of the alive edges alone, in the same order. O(nodes + edges)."""
    count = 0
    for v in range(graph.start.shape[0] - 1):
        thin_start[v] = count
        for at in range(graph.start[v], graph.start[v + 1]):
            if alive[graph.incident[at]]:
                thin[count] = graph.incident[at]
                count += 1
    thin_start[-1] = count


@njit(cache=True, nogil=True)
def reach(graph, flow, source, sink, skip, away, least):
    """Breadth first from source along edges with more room than `least`; True at sink.

    Visited nodes have parent >= -1. away: follow edges out of a node; otherwise into it, to find all that can
    reach the source node. Callers give numpy's scalars: for each literal it would be compiled once more.
    """
    start, incident, row, column, forward, backward = graph
    alive, net, parent, queue = flow
    parent[:] = -2
    parent[source] = -1
    queue[0] = source
    head, tail = 0, 1
    while head < tail:
        v = queue[head]
        head += 1
        for at in range(start[v], start[v + 1]):
            e = incident[at]
            if e == skip or not alive[e]:
                continue
            from_row = row[e] == v
            w = column[e] if from_row else row[e]
            if parent[w] != -2:
                continue
            room = forward[e] - net[e] if from_row == away else backward[e] + net[e]
            if room > least:
                parent[w] = e
                if w == sink:
                    return True
                queue[tail] = w
                tail += 1
    return False


@njit(cache=True, nogil=True)
def max_flow(graph, flow, source, sink, skip, limit):
    """Flow from source to sink without the edge skip, up to limit (Edmonds & Karp); net is overwritten.

    If it ends below limit, the nodes with parent >= -1 are those the source can still reach: a least cut.
    O(nodes edges^2) at worst, a few breadth-first searches in practice.
    """
    flow.net[:] = 0.0
    return _add_flow(graph, flow, source, sink, skip, limit)


@njit(cache=True, nogil=True)
def _add_flow(graph, flow, source, sink, skip, limit):
    """The same on top of what flows already."""
    sent = 0.0
    least = EPSILON * min(1.0, limit)
    while sent < limit - least and reach(graph, flow, source, sink, skip, np.bool_(True), least):
        sent += _send(graph, flow, source, sink, limit - sent)
    return sent


@njit(cache=True, nogil=True)
def _send(graph, flow, source, sink, most):
    """Let as much flow along the path of `parent` as has room, at most `most`; how much that is."""
    _, _, row, column, forward, backward = graph
    _, net, parent, _ = flow
    v = sink
    while v != source:
        e = parent[v]
        if column[e] == v:
            most = min(most, forward[e] - net[e])
            v = row[e]
        else:
            most = min(most, backward[e] + net[e])
            v = column[e]
    v = sink
    while v != source:
        e = parent[v]
        if column[e] == v:
            net[e] += most
            v = row[e]
        else:
            net[e] -= most
            v = column[e]
    return most


@njit(cache=True, nogil=True)
def carries(flow, amount):
    """Whether a flow meets an amount, but for rounding."""
    return flow >= amount * (1.0 - 1e-7) - EPSILON * min(1.0, amount)


@njit(cache=True, nogil=True)
def short_demand(graph, demands, alive):
    """The first demand that the alive edges do not meet; -1 if all are met."""
    flow = flow_along(graph, alive)
    for q in range(demands.source.shape[0]):
        if not _meet(graph, flow, demands, q):
            return q
    return -1


@njit(cache=True, nogil=True)
def unmet_demands(graph, demands, alive):
    """Of each demand whether the alive edges leave it short. O(demands) flows."""
    flow = flow_along(graph, alive)
    unmet = np.empty(demands.source.shape[0], dtype=np.bool_)
    for q in range(unmet.shape[0]):
        unmet[q] = not _meet(graph, flow, demands, q)
    return unmet


@njit(cache=True, nogil=True)
def _copy(numbers, target):
    """As target[:] = numbers, without the words that an error would need: they take seconds to compile."""
    for e in range(numbers.shape[0]):
        target[e] = numbers[e]


@njit(cache=True, nogil=True)
def remove_redundant(graph, demands, alive, order):
    """Drop the edges of `order`, one after the other, that no demand needs; alive is changed in place.

    For each demand a flow that meets it is kept. Without an edge what it carried must find another way
    between its ends, which it does if and only if the demand can be met without it; a demand that is met in
    another direction, or in both together, is met anew. Returns False if some demand is not met to begin
    with. O(edges demands) searches at worst, O(edges demands) memory.
    """
    row, column = graph.row, graph.column
    source, _, own, amount, ways = demands
    count = source.shape[0]
    flow = flow_along(graph, alive)
    net = flow.net
    flows = np.empty((count, row.shape[0]))
    met = amount.copy()
    for q in range(count):
        if not _meet(graph, flow, demands, q):
            return False
        _copy(net, flows[q])
    for e in order:
        if not alive[e]:
            continue
        alive[e] = False
        for q in range(count):
            carried = flows[q, e]
            if carried == 0.0:
                continue
            missing = np.inf
            if ways[q] != BOTH_WAYS:
                _copy(flows[q], net)
                net[e] = 0.0
                one, other = (row[e], column[e]) if carried > 0.0 else (column[e], row[e])
                missing = abs(carried) - _add_flow(graph, flow, one, other, own[q], abs(carried))
            if carries(met[q] - missing, amount[q]):
                met[q] -= missing
            # the other direction, or shortages of many edges that are rounding and have added up
            elif (ways[q] != ONE_WAY or missing <= 1e-6 * amount[q]) and _meet(graph, flow, demands, q):
                met[q] = amount[q]
            else:
                alive[e] = True
                break
            _copy(net, flows[q])
    return True


@njit(cache=True, nogil=True)
def _meet(graph, flow, demands, q):
    """Whether the alive edges meet a demand; net is overwritten, by what both flows use where two meet it."""
    s, t, own, amount = demands.source[q], demands.sink[q], demands.own[q], demands.amount[q]
    sent = max_flow(graph, flow, s, t, own, amount)
    if carries(sent, amount):
        return True
    if demands.ways[q] == ONE_WAY:
        return False
    if demands.ways[q] == EITHER_WAY:
        return carries(max_flow(graph, flow, t, s, own, amount), amount)
    net = flow.net
    back = np.empty_like(net)
    sent += max_flow(graph, Flow(flow.alive, back, flow.parent, flow.queue), t, s, own, amount - sent)
    for e in range(net.shape[0]):
        net[e] = abs(net[e]) + abs(back[e])
    return carries(sent, amount)


@njit(cache=True, nogil=True)
def _nearer(distance, v, w):
    return distance[v] < distance[w] or (distance[v] == distance[w] and v < w)


@njit(cache=True, nogil=True)
def _rise(route, at):
    """Move the node at a place of the heap up to where it belongs; nearest on top. O(log nodes)."""
    distance, heap, place = route
    v = heap[at]
    while at > 0:
        above = (at - 1) // 2
        if not _nearer(distance, v, heap[above]):
            break
        heap[at] = heap[above]
        place[heap[at]] = at
        at = above
    heap[at] = v
    place[v] = at


@njit(cache=True, nogil=True)
def _pop(route, size):
    """Take the nearest of `size` nodes off the heap. O(log nodes)."""
    distance, heap, place = route
    top, v = heap[0], heap[size - 1]
    size -= 1
    at = 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and _nearer(distance, heap[below + 1], heap[below]):
            below += 1
        if not _nearer(distance, heap[below], v):
            break
        heap[at] = heap[below]
        place[heap[at]] = at
        at = below
    heap[at] = v
    place[v] = at
    return top


@njit(cache=True, nogil=True)
def cheapest_path(graph, flow, weight, source, sink, skip, need, route):
    """Path of least weight with room (Dijkstra); returns its length, infinite if there is none.

    Edges that are not alive yet cost weight times need over room. O(edges log nodes).
    """
    start, incident, row, column, forward, backward = graph
    alive, net, parent, _ = flow
    distance, heap, place = route
    distance[:] = np.inf
    place[:] = -1
    parent[:] = -2
    distance[source] = 0.0
    parent[source] = -1
    heap[0] = source
    place[source] = 0
    # not a literal 1, for which _pop would be compiled apart
    size = np.int64(1)
    least = min(EPSILON, _SCARCE * need)
    while size > 0:
        v = _pop(route, size)
        place[v] = -2
        size -= 1
        if v == sink:
            return distance[sink]
        for at in range(start[v], start[v + 1]):
            e = incident[at]
            if e == skip:
                continue
            from_row = row[e] == v
            w = column[e] if from_row else row[e]
            if place[w] == -2:
                continue
            room = forward[e] - net[e] if from_row else backward[e] + net[e]
            if room <= least:
                continue
            length = distance[v]
            if not alive[e]:
                length += weight[e] * max(1.0, need / room)
            if length < distance[w]:
                distance[w] = length
                parent[w] = e
                if place[w] < 0:
                    place[w] = size
                    heap[size] = w
                    size += 1
                _rise(route, place[w])
    return np.inf


@njit(cache=True, nogil=True)
def mark_path(graph, parent, source, sink, marked):
    """Mark the edges of the path of `parent`."""
    v = sink
    while v != source:
        e = parent[v]
        marked[e] = True
        v = graph.row[e] if graph.column[e] == v else graph.column[e]


@njit(cache=True, nogil=True)
def protect_by_paths(graph, demands, weight, order, suppressed):
    """Meet the demands in the given order by cheapest augmenting paths; `suppressed` grows in place.

    Returns -1, or the first demand that no path can meet. A demand of either direction takes the cheaper one,
    a demand of both the cheaper one path by path. O(demands augmentations edges log nodes).
    """
    there, back, route = flow_along(graph, suppressed), flow_along(graph, suppressed), route_through(graph)
    # the cells that are suppressed already meet most demands: search only those first
    thin_start, thin = np.empty_like(graph.start), np.empty_like(graph.incident)
    few = Graph(
        start=thin_start,
        incident=thin,
        row=graph.row,
        column=graph.column,
        forward=graph.forward,
        backward=graph.backward,
    )
    grown = True
    for q in order:
        s, t, own, amount = demands.source[q], demands.sink[q], demands.own[q], demands.amount[q]
        both = demands.ways[q] == BOTH_WAYS
        if demands.ways[q] == EITHER_WAY:
            there.net[:] = 0.0
            one = cheapest_path(graph, there, weight, s, t, own, amount, route)
            if one > 0.0 and cheapest_path(graph, there, weight, t, s, own, amount, route) < one:
                s, t = t, s
        if grown:
            _thin_out(graph, suppressed, thin_start, thin)
            grown = False
        sent = max_flow(few, there, s, t, own, amount)
        if both and not carries(sent, amount):
            sent += max_flow(few, back, t, s, own, amount - sent)
        while not carries(sent, amount):
            grown = True
            need = amount - sent
            length = cheapest_path(graph, there, weight, s, t, own, need, route)
            other = np.inf
            if both:
                other = cheapest_path(graph, back, weight, t, s, own, need, route)
            if min(length, other) == np.inf:
                return q
            if other < length:
                mark_path(graph, back.parent, t, s, suppressed)
                sent += _send(graph, back, t, s, need)
            else:
                mark_path(graph, there.parent, s, t, suppressed)
                sent += _send(graph, there, s, t, need)
    return -1


@njit(cache=True, nogil=True)
def all_paths(graph, demands, prices, used):
    """Lengths of the shortest paths from source to sink without the own edge, each under its line of prices.

    used: set where a path runs. Where either direction will do, the shorter one. O(demands edges log nodes).
    """
    lengths = np.empty(demands.source.shape[0])
    # nothing is suppressed yet, nothing flows: the length of an edge is its price
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
