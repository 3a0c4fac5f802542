"""Flows between the rows and columns of a table: thousands of small ones.

Edges join a row node to a column node. An edge carries up to forward[e] from its row to its column, or up to
backward[e] the other way; `net` is what flows from row to column, less what flows back. `ways` says
which flows meet a demand.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .ways import BOTH_WAYS, EITHER_WAY, ONE_WAY

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
def _thin_out(start, incident, alive, thin_start, thin):
    """The same lists of the alive edges alone, in the same order. O(nodes + edges)."""
    count = 0
    for v in range(start.shape[0] - 1):
        thin_start[v] = count
        for at in range(start[v], start[v + 1]):
            if alive[incident[at]]:
                thin[count] = incident[at]
                count += 1
    thin_start[-1] = count


@njit(cache=True, nogil=True)
def _reach(
    start, incident, row, column, forward, backward, alive, net, source, sink, skip, parent, queue, away
):
    """Breadth first from source along edges with room; True at sink. Visited nodes have parent >= -1.

    away: follow edges out of a node; otherwise into it, to find all that can reach the source node.
    """
    return _reach_by(
        start, incident, row, column, forward, backward, alive, net, source, sink, skip, parent, queue, away,
        EPSILON,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _reach_by(
    start, incident, row, column, forward, backward, alive, net, source, sink, skip, parent, queue, away,
    least,
):  # fmt: skip
    """The same by edges with more room than `least`."""
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
def max_flow(
    start, incident, row, column, forward, backward, alive, source, sink, skip, limit, net, parent, queue
):
    """Flow from source to sink without the edge skip, up to limit (Edmonds & Karp); net is overwritten.

    If it ends below limit, the nodes with parent >= -1 are those the source can still reach: a least cut.
    O(nodes edges^2) at worst, a few breadth-first searches in practice.
    """
    net[:] = 0.0
    return _add_flow(
        start, incident, row, column, forward, backward, alive, source, sink, skip, limit, net, parent, queue
    )


@njit(cache=True, nogil=True)
def _add_flow(
    start, incident, row, column, forward, backward, alive, source, sink, skip, limit, net, parent, queue
):
    """The same on top of what flows already."""
    flow = 0.0
    least = EPSILON * min(1.0, limit)
    while flow < limit - least:
        if not _reach_by(
            start, incident, row, column, forward, backward, alive, net, source, sink, skip, parent, queue,
            True, least,
        ):  # fmt: skip
            break
        flow += _send(row, column, forward, backward, net, parent, source, sink, limit - flow)
    return flow


@njit(cache=True, nogil=True)
def _send(row, column, forward, backward, net, parent, source, sink, most):
    """Let as much flow along the path of `parent` as has room, at most `most`; how much that is."""
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
def _enough(flow, amount):
    return flow >= amount * (1.0 - 1e-7) - EPSILON * min(1.0, amount)


@njit(cache=True, nogil=True)
def short_demand(start, incident, row, column, forward, backward, alive, source, sink, own, amount, ways):
    """The first demand that the alive edges do not meet; -1 if all are met."""
    nodes = start.shape[0] - 1
    net = np.empty(row.shape[0])
    parent = np.empty(nodes, dtype=np.int64)
    queue = np.empty(nodes, dtype=np.int64)
    for q in range(source.shape[0]):
        if not _meet(
            start, incident, row, column, forward, backward, alive, source[q], sink[q], own[q], amount[q],
            ways[q], net, parent, queue,
        ):  # fmt: skip
            return q
    return -1


@njit(cache=True, nogil=True)
def remove_redundant(
    start, incident, row, column, forward, backward, alive, source, sink, own, amount, ways, order
):
    """Drop the edges of `order`, one after the other, that no demand needs; alive is changed in place.

    For each demand a flow that meets it is kept. Without an edge what it carried must find another way
    between its ends, which it does if and only if the demand can be met without it; a demand that is met in
    another direction, or in both together, is met anew. Returns False if some demand is not met to begin
    with. O(edges demands) searches at worst, O(edges demands) memory.
    """
    edges, demands = row.shape[0], source.shape[0]
    nodes = start.shape[0] - 1
    flows = np.empty((demands, edges))
    met = amount.copy()
    net = np.empty(edges)
    parent = np.empty(nodes, dtype=np.int64)
    queue = np.empty(nodes, dtype=np.int64)
    for q in range(demands):
        if not _meet(
            start, incident, row, column, forward, backward, alive, source[q], sink[q], own[q], amount[q],
            ways[q], flows[q], parent, queue,
        ):  # fmt: skip
            return False
    for e in order:
        if not alive[e]:
            continue
        alive[e] = False
        for q in range(demands):
            carried = flows[q, e]
            if carried == 0.0:
                continue
            missing = np.inf
            if ways[q] != BOTH_WAYS:
                net[:] = flows[q]
                net[e] = 0.0
                one, other = (row[e], column[e]) if carried > 0.0 else (column[e], row[e])
                missing = abs(carried) - _add_flow(
                    start, incident, row, column, forward, backward, alive, one, other, own[q], abs(carried),
                    net, parent, queue,
                )  # fmt: skip
            if _enough(met[q] - missing, amount[q]):
                met[q] -= missing
            # the other direction, or shortages of many edges that are rounding and have added up
            elif (ways[q] != ONE_WAY or missing <= 1e-6 * amount[q]) and _meet(
                start, incident, row, column, forward, backward, alive, source[q], sink[q], own[q], amount[q],
                ways[q], net, parent, queue,
            ):  # fmt: skip
                met[q] = amount[q]
            else:
                alive[e] = True
                break
            flows[q] = net
    return True


@njit(cache=True, nogil=True)
def _meet(
    start, incident, row, column, forward, backward, alive, s, t, own, amount, ways, net, parent, queue
):
    """Whether the alive edges meet a demand; net is overwritten, by what both flows use where two meet it."""
    flow = max_flow(
        start, incident, row, column, forward, backward, alive, s, t, own, amount, net, parent, queue
    )
    if _enough(flow, amount):
        return True
    if ways == ONE_WAY:
        return False
    if ways == EITHER_WAY:
        flow = max_flow(
            start, incident, row, column, forward, backward, alive, t, s, own, amount, net, parent, queue
        )
        return _enough(flow, amount)
    back = np.empty_like(net)
    flow += max_flow(
        start, incident, row, column, forward, backward, alive, t, s, own, amount - flow, back, parent, queue
    )
    for e in range(net.shape[0]):
        net[e] = abs(net[e]) + abs(back[e])
    return _enough(flow, amount)


@njit(cache=True, nogil=True)
def _nearer(distance, v, w):
    return distance[v] < distance[w] or (distance[v] == distance[w] and v < w)


@njit(cache=True, nogil=True)
def _rise(heap, place, distance, at):
    """Move the node at a place of the heap up to where it belongs; nearest on top. O(log nodes)."""
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
def _pop(heap, place, distance, size):
    """Take the nearest of `size` nodes off the heap. O(log nodes)."""
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
def cheapest_path(
    start, incident, row, column, forward, backward, withheld, weight, net, source, sink, skip, need,
    distance, parent, heap, place,
):  # fmt: skip
    """Path of least weight with room (Dijkstra); returns its length, infinite if there is none.

    Edges not yet withheld cost weight times need over room. distance, parent, heap, place: scratch, a number
    per node. O(edges log nodes).
    """
    distance[:] = np.inf
    place[:] = -1
    parent[:] = -2
    distance[source] = 0.0
    parent[source] = -1
    heap[0] = source
    place[source] = 0
    size = 1
    least = min(EPSILON, _SCARCE * need)
    while size > 0:
        v = _pop(heap, place, distance, size)
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
            if not withheld[e]:
                length += weight[e] * max(1.0, need / room)
            if length < distance[w]:
                distance[w] = length
                parent[w] = e
                if place[w] < 0:
                    place[w] = size
                    heap[size] = w
                    size += 1
                _rise(heap, place, distance, place[w])
    return np.inf


@njit(cache=True, nogil=True)
def _withhold_path(row, column, parent, source, sink, withheld):
    """Withhold the edges of the path of `parent`."""
    v = sink
    while v != source:
        e = parent[v]
        withheld[e] = True
        v = row[e] if column[e] == v else column[e]


@njit(cache=True, nogil=True)
def protect_by_paths(
    start,
    incident,
    row,
    column,
    forward,
    backward,
    source,
    sink,
    own,
    amount,
    ways,
    weight,
    order,
    withheld,
):
    """Meet the demands in the given order by cheapest augmenting paths; withheld grows in place.

    Returns -1, or the first demand that no path can meet. A demand of either direction takes the cheaper one,
    a demand of both the cheaper one path by path. O(demands augmentations edges log nodes).
    """
    nodes, edges = start.shape[0] - 1, row.shape[0]
    net, back = np.zeros(edges), np.zeros(edges)
    distance = np.empty(nodes)
    parent = np.empty(nodes, dtype=np.int64)
    parent_back = np.empty(nodes, dtype=np.int64)
    heap = np.empty(nodes, dtype=np.int64)
    place = np.empty(nodes, dtype=np.int64)
    # most demands are met by what is withheld already: only that is searched first
    thin_start, thin = np.empty_like(start), np.empty_like(incident)
    grown = True
    for q in order:
        s, t = source[q], sink[q]
        if ways[q] == EITHER_WAY:
            net[:] = 0.0
            one = cheapest_path(
                start, incident, row, column, forward, backward, withheld, weight, net, s, t, own[q],
                amount[q], distance, parent, heap, place,
            )  # fmt: skip
            if one > 0.0:
                other = cheapest_path(
                    start, incident, row, column, forward, backward, withheld, weight, net, t, s, own[q],
                    amount[q], distance, parent, heap, place,
                )  # fmt: skip
                if other < one:
                    s, t = t, s
        if grown:
            _thin_out(start, incident, withheld, thin_start, thin)
            grown = False
        flow = max_flow(
            thin_start, thin, row, column, forward, backward, withheld, s, t, own[q], amount[q], net, parent,
            heap,
        )  # fmt: skip
        if ways[q] == BOTH_WAYS and not _enough(flow, amount[q]):
            flow += max_flow(
                thin_start, thin, row, column, forward, backward, withheld, t, s, own[q], amount[q] - flow,
                back, parent, heap,
            )  # fmt: skip
        while not _enough(flow, amount[q]):
            grown = True
            need = amount[q] - flow
            length = cheapest_path(
                start, incident, row, column, forward, backward, withheld, weight, net, s, t, own[q], need,
                distance, parent, heap, place,
            )  # fmt: skip
            other = np.inf
            if ways[q] == BOTH_WAYS:
                other = cheapest_path(
                    start, incident, row, column, forward, backward, withheld, weight, back, t, s, own[q],
                    need, distance, parent_back, heap, place,
                )  # fmt: skip
            if min(length, other) == np.inf:
                return q
            if other < length:
                _withhold_path(row, column, parent_back, t, s, withheld)
                flow += _send(row, column, forward, backward, back, parent_back, t, s, need)
            else:
                _withhold_path(row, column, parent, s, t, withheld)
                flow += _send(row, column, forward, backward, net, parent, s, t, need)
    return -1
