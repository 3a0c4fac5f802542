"""Cuts between suppressed cells: found on a fractional pattern, and made as tight as possible.

A cut is a set of nodes, or two sets (one per direction, where either will do or both count together). The
edges that leave it carry what must come back for a primary to move. Its row over the cells x reads: sum of
g(c_e) x_e >= 1, where c_e is what edge e carries out of the cut, at most `clip`, and g rounds by `delta`
(mixed-integer rounding) or not at all.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .flows import EPSILON, flow_along, max_flow, reach, with_capacities
from .network import BOTH_WAYS, EITHER_WAY, Flow


@njit(cache=True, nogil=True)
def carried(one, two, r, c, forward, backward):
    """What an edge from node r to node c carries out of the sets one and two."""
    amount = 0.0
    if one[r] and not one[c]:
        amount += forward
    elif one[c] and not one[r]:
        amount += backward
    if two[r] and not two[c]:
        amount += forward
    elif two[c] and not two[r]:
        amount += backward
    return amount


@njit(cache=True, nogil=True)
def rounded(amount, delta, fraction):
    """Mixed-integer rounding of amount / delta where the demand has the given fractional part."""
    whole = np.floor(amount / delta + 1e-10)
    rest = amount / delta - whole
    return whole + min(1.0, max(0.0, rest) / fraction)


@njit(cache=True, nogil=True)
def _add_row(rows, i, graph, factor, total):
    """Add the row of cut i, times a factor, to a number per edge. O(edges)."""
    one, two = rows.sides[i], rows.others[i]
    clip, delta, fraction, scale = rows.form[i, 0], rows.form[i, 1], rows.form[i, 2], rows.form[i, 3]
    counted = rows.counted[i]
    row, column, forward, backward = graph.row, graph.column, graph.forward, graph.backward
    for e in range(row.shape[0]):
        r, c = row[e], column[e]
        if one[r] == one[c] and two[r] == two[c]:
            continue
        amount = carried(one, two, r, c, forward[e], backward[e])
        if amount <= 0.0:
            continue
        amount = min(amount, clip)
        if delta > 0.0:
            amount = rounded(amount, delta, fraction)
        total[e] += factor * (scale if counted else amount * scale)


@njit(cache=True, nogil=True)
def prices(rows, dual, count, graph, cost):
    """Reduced costs of edges: cost less duals of the first `count` cuts times entries. O(count edges)."""
    reduced = cost.copy()
    for i in range(count):
        if dual[i] != 0.0:
            _add_row(rows, i, graph, -dual[i], reduced)
    return reduced


@njit(cache=True, nogil=True)
def entries(rows, first, last, graph):
    """Rows first .. last-1 over the edges of a graph, dense. O(rows edges)."""
    made = np.zeros((last - first, graph.row.shape[0]))
    for i in range(first, last):
        _add_row(rows, i, graph, 1.0, made[i - first])
    return made


@njit(cache=True, nogil=True)
def separate(graph, x, demands, cuts, nested, share):
    """Cuts that the fractional pattern x violates.

    Edges carry min(capacity, share of the demand) times x, those with x near 1 their capacity: with a share
    below 1 cuts show where cells that are surely suppressed leave a small part of the demand to the others.
    Per demand the cut nearest to its source and the one nearest to its sink; then, `nested` times, the edges
    of the cut count as suppressed and the next cut is sought. O(demands) flows.
    """
    edges = graph.row.shape[0]
    flow = flow_along(graph, np.ones(edges, dtype=np.bool_))
    forward, backward, ahead, behind = graph.forward, graph.backward, np.empty(edges), np.empty(edges)
    part = with_capacities(graph, ahead, behind)
    for q in range(demands.source.shape[0]):
        demand = demands.amount[q]
        for e in range(edges):
            known = x[e] > 0.999
            level = demand if known else demand * share
            weight = 1.0 if known else x[e]
            ahead[e] = min(forward[e], level) * weight
            behind[e] = min(backward[e], level) * weight
        if cuts.filled[0] + 2 * nested + 3 > cuts.whose.shape[0]:
            return
        if demands.ways[q] == EITHER_WAY:
            _separate_either(graph, part, x, flow, demands, q, cuts, nested)
            continue
        if demands.ways[q] == BOTH_WAYS:
            _separate_both(graph, part, flow, demands, q, cuts, nested)
            continue
        for _ in range(nested + 1):
            before = cuts.filled[0]
            cut_off(part, flow, demands, q, demand, demand * (1.0 - 1e-6), cuts)
            if cuts.filled[0] == before:
                break
            for cut in range(before, cuts.filled[0]):
                _take_as_given(graph, part, cuts, cut, demand)


@njit(cache=True, nogil=True)
def cut_off(graph, flow, demands, q, limit, enough, cuts):
    """Where less than `enough` flows for a demand: its least cuts, nearest to its source and to its sink."""
    source, sink, own = demands.source[q], demands.sink[q], demands.own[q]
    if max_flow(graph, flow, source, sink, own, limit) >= enough:
        return
    one, two = cuts.filled[0], cuts.filled[0] + 1
    near, far = 0, 0
    for v in range(flow.parent.shape[0]):
        cuts.sides[one, v] = flow.parent[v] >= -1
        cuts.others[one, v] = cuts.others[two, v] = False
        near += cuts.sides[one, v]
    reach(graph, flow, sink, np.int64(-1), own, np.bool_(False), EPSILON)
    for v in range(flow.parent.shape[0]):
        cuts.sides[two, v] = flow.parent[v] < -1
        far += cuts.sides[two, v]
    cuts.whose[one] = cuts.whose[two] = q
    cuts.filled[0] += 1 if far == near else 2


@njit(cache=True, nogil=True)
def _take_as_given(graph, part, cuts, cut, demand):
    """From now on the edges of a cut carry all they can."""
    side, other = cuts.sides[cut], cuts.others[cut]
    for e in range(graph.row.shape[0]):
        r, c = graph.row[e], graph.column[e]
        if side[r] != side[c] or other[r] != other[c]:
            part.forward[e] = min(graph.forward[e], demand)
            part.backward[e] = min(graph.backward[e], demand)


@njit(cache=True, nogil=True)
def _separate_either(graph, part, x, flow, demands, q, cuts, nested):
    """The cut of both directions at once, and the union of one cut per direction. Demands are 1 here."""
    s, t, own = demands.source[q], demands.sink[q], demands.own[q]
    sides, others, parent = cuts.sides, cuts.others, flow.parent
    nodes, edges = parent.shape[0], graph.row.shape[0]
    both = np.empty(edges)
    for e in range(edges):
        both[e] = x[e] if graph.forward[e] > 0 or graph.backward[e] > 0 else 0.0
    open_both = with_capacities(graph, both, both)
    for _ in range(nested + 1):
        if max_flow(open_both, flow, s, t, own, 1.0) >= 1.0 - 1e-6:
            break
        first = cuts.filled[0]
        for v in range(nodes):
            sides[first, v] = parent[v] >= -1
            others[first, v] = parent[v] < -1
        reach(open_both, flow, t, np.int64(-1), own, np.bool_(False), EPSILON)
        for v in range(nodes):
            sides[first + 1, v] = parent[v] < -1
            others[first + 1, v] = parent[v] >= -1
        cuts.whose[first] = cuts.whose[first + 1] = q
        cuts.filled[0] += 2
        for side in (sides[first], sides[first + 1]):
            for e in range(edges):
                if side[graph.row[e]] != side[graph.column[e]]:
                    both[e] = 1.0
    if max_flow(part, flow, s, t, own, 1.0) >= 1.0 - 1e-6:
        return
    side, other = sides[cuts.filled[0]], others[cuts.filled[0]]
    for v in range(nodes):
        side[v] = parent[v] >= -1
    if max_flow(part, flow, t, s, own, 1.0) >= 1.0 - 1e-6:
        return
    for v in range(nodes):
        other[v] = parent[v] >= -1
    covered = 0.0
    for e in range(edges):
        if e != own:
            out = carried(side, other, graph.row[e], graph.column[e], graph.forward[e], graph.backward[e])
            covered += min(1.0, out) * x[e]
    if covered < 1.0 - 1e-6:
        cuts.whose[cuts.filled[0]] = q
        cuts.filled[0] += 1


@njit(cache=True, nogil=True)
def _separate_both(graph, part, flow, demands, q, cuts, nested):
    """Pairs of cuts, one a direction, that together leave less than the demand: nearest to s, and to t."""
    s, t, own, demand = demands.source[q], demands.sink[q], demands.own[q], demands.amount[q]
    sides, others, parent = cuts.sides, cuts.others, flow.parent
    nodes = parent.shape[0]
    flow_back = Flow(flow.alive, np.empty_like(flow.net), parent, flow.queue)
    for _ in range(nested + 1):
        one, two = cuts.filled[0], cuts.filled[0] + 1
        sent = max_flow(part, flow, s, t, own, demand)
        for v in range(nodes):
            sides[one, v] = parent[v] >= -1
        sent += max_flow(part, flow_back, t, s, own, demand)
        if sent >= demand * (1.0 - 1e-6):
            break
        for v in range(nodes):
            others[two, v] = parent[v] >= -1
        reach(part, flow_back, s, np.int64(-1), own, np.bool_(False), EPSILON)
        for v in range(nodes):
            others[one, v] = parent[v] < -1
        reach(part, flow, t, np.int64(-1), own, np.bool_(False), EPSILON)
        for v in range(nodes):
            sides[two, v] = parent[v] < -1
        cuts.whose[one] = cuts.whose[two] = q
        cuts.filled[0] += 2
        for cut in (one, two):
            _take_as_given(graph, part, cuts, cut, demand)


@njit(cache=True, nogil=True)
def outflows(one, two, graph, demand, either):
    """What each edge carries out of the cut, at most the demand where either direction will do."""
    row, column, forward, backward = graph.row, graph.column, graph.forward, graph.backward
    out = np.empty(row.shape[0])
    for e in range(row.shape[0]):
        amount = carried(one, two, row[e], column[e], forward[e], backward[e])
        out[e] = min(amount, demand) if either else amount
    return out


@njit(cache=True, nogil=True)
def separate_bridges(graph, x, fixed, cuts):
    """Cuts that fewer cells cross than the one cell e counts: no cell of a lean pattern is a bridge.

    `whose` names the edge e of each. O(edges) flows.
    """
    flow = flow_along(graph, np.ones(x.shape[0], dtype=np.bool_))
    part = with_capacities(graph, x, x)
    for e in range(x.shape[0]):
        if fixed[e] or x[e] < 0.05:
            continue
        if cuts.filled[0] == cuts.whose.shape[0]:
            return
        if max_flow(part, flow, graph.row[e], graph.column[e], e, x[e]) < x[e] - 1e-3:
            for v in range(flow.parent.shape[0]):
                cuts.sides[cuts.filled[0], v] = flow.parent[v] >= -1
                cuts.others[cuts.filled[0], v] = flow.parent[v] < -1
            cuts.whose[cuts.filled[0]] = e
            cuts.filled[0] += 1
