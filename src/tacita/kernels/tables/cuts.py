"""Cuts between withheld cells: found on a fractional pattern, and made as tight as possible.

A cut is a set of nodes, or two sets (one per direction, where either will do or both count together). The
edges that leave it carry what must come back for a primary to move. Its row over the cells x reads: sum of
g(c_e) x_e >= 1, where c_e is what edge e carries out of the cut, at most `clip`, and g rounds by `delta`
(mixed-integer rounding) or not at all.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .flows import _reach, max_flow
from .ways import BOTH_WAYS, EITHER_WAY


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
def coefficient(one, two, r, c, forward, backward, clip, delta, fraction, scale, counted):
    """Entry of a cut's row for one edge."""
    amount = carried(one, two, r, c, forward, backward)
    if amount <= 0.0:
        return 0.0
    if counted:
        return scale
    amount = min(amount, clip)
    if delta > 0.0:
        amount = rounded(amount, delta, fraction)
    return amount * scale


@njit(cache=True, nogil=True)
def prices(
    sides, others, clip, delta, fraction, scale, counted, dual, rows, row, column, forward, backward, cost
):
    """Reduced costs of edges: cost less duals of the first `rows` cuts times entries. O(rows edges)."""
    reduced = cost.copy()
    for i in range(rows):
        if dual[i] == 0.0:
            continue
        one, two = sides[i], others[i]
        for e in range(row.shape[0]):
            r, c = row[e], column[e]
            if one[r] == one[c] and two[r] == two[c]:
                continue
            reduced[e] -= dual[i] * coefficient(
                one, two, r, c, forward[e], backward[e], clip[i], delta[i], fraction[i], scale[i], counted[i]
            )
    return reduced


@njit(cache=True, nogil=True)
def entries(
    sides, others, clip, delta, fraction, scale, counted, first, last, row, column, forward, backward
):
    """Rows first .. last-1 over the given edges, dense. O(rows edges)."""
    made = np.zeros((last - first, row.shape[0]))
    for i in range(first, last):
        one, two = sides[i], others[i]
        for e in range(row.shape[0]):
            r, c = row[e], column[e]
            if one[r] == one[c] and two[r] == two[c]:
                continue
            made[i - first, e] = coefficient(
                one, two, r, c, forward[e], backward[e], clip[i], delta[i], fraction[i], scale[i], counted[i]
            )
    return made


@njit(cache=True, nogil=True)
def separate(
    start, incident, row, column, forward, backward, x, source, sink, own, amount, ways, chosen, sides,
    others, whose, nested, share,
):  # fmt: skip
    """Cuts that the fractional pattern x violates, for the chosen demands; returns how many.

    Edges carry min(capacity, share of the demand) times x, those with x near 1 their capacity: with a share
    below 1 cuts show where cells that are surely withheld leave a small part of the demand to the others. Per
    demand the cut nearest to its source and the one nearest to its sink; then, `nested` times, the edges of
    the cut are taken as withheld and the next is looked for. sides, others, whose: filled. O(chosen demands)
    flows.
    """
    nodes, edges = start.shape[0] - 1, row.shape[0]
    net = np.empty(edges)
    ahead = np.empty(edges)
    behind = np.empty(edges)
    alive = np.ones(edges, dtype=np.bool_)
    parent = np.empty(nodes, dtype=np.int64)
    queue = np.empty(nodes, dtype=np.int64)
    room = sides.shape[0]
    found = 0
    for q in chosen:
        demand = amount[q]
        enough = demand * (1.0 - 1e-6)
        for e in range(edges):
            known = x[e] > 0.999
            level = demand if known else demand * share
            weight = 1.0 if known else x[e]
            ahead[e] = min(forward[e], level) * weight
            behind[e] = min(backward[e], level) * weight
        if ways[q] == EITHER_WAY:
            if found + 2 * nested + 3 > room:
                return found
            found += _separate_either(
                start, incident, row, column, forward, backward, x, ahead, behind, alive, source[q],
                sink[q], own[q], net, parent, queue, sides, others, whose, found, q, nested,
            )  # fmt: skip
            continue
        if ways[q] == BOTH_WAYS:
            if found + 2 * nested + 2 > room:
                return found
            found += _separate_both(
                start, incident, row, column, forward, backward, ahead, behind, alive, source[q], sink[q],
                own[q], demand, net, parent, queue, sides, others, whose, found, q, nested,
            )  # fmt: skip
            continue
        for _ in range(nested + 1):
            if found + 2 > room:
                return found
            flow = max_flow(
                start, incident, row, column, ahead, behind, alive, source[q], sink[q], own[q], demand, net,
                parent, queue,
            )  # fmt: skip
            if flow >= enough:
                break
            near = 0
            for v in range(nodes):
                sides[found, v] = parent[v] >= -1
                others[found, v] = False
                near += sides[found, v]
            whose[found] = q
            found += 1
            _reach(
                start,
                incident,
                row,
                column,
                ahead,
                behind,
                alive,
                net,
                sink[q],
                -1,
                own[q],
                parent,
                queue,
                False,
            )
            far = 0
            for v in range(nodes):
                sides[found, v] = parent[v] < -1
                others[found, v] = False
                far += sides[found, v]
            if far != near:
                whose[found] = q
                found += 1
            for cut in (found - 1, found - 2 if far != near else found - 1):
                for e in range(edges):
                    if sides[cut, row[e]] != sides[cut, column[e]]:
                        ahead[e] = min(forward[e], demand)
                        behind[e] = min(backward[e], demand)
    return found


@njit(cache=True, nogil=True)
def _separate_either(
    start, incident, row, column, forward, backward, x, ahead, behind, alive, s, t, own, net, parent, queue,
    sides, others, whose, found, q, nested,
):  # fmt: skip
    """The cut of both directions at once, and the union of one cut per direction. Demands are 1 here."""
    nodes, edges = start.shape[0] - 1, row.shape[0]
    made = 0
    both = np.empty(edges)
    for e in range(edges):
        both[e] = x[e] if forward[e] > 0 or backward[e] > 0 else 0.0
    for _ in range(nested + 1):
        flow = max_flow(start, incident, row, column, both, both, alive, s, t, own, 1.0, net, parent, queue)
        if flow >= 1.0 - 1e-6:
            break
        first = found + made
        for v in range(nodes):
            sides[first, v] = parent[v] >= -1
            others[first, v] = parent[v] < -1
        _reach(start, incident, row, column, both, both, alive, net, t, -1, own, parent, queue, False)
        for v in range(nodes):
            sides[first + 1, v] = parent[v] < -1
            others[first + 1, v] = parent[v] >= -1
        whose[first] = whose[first + 1] = q
        made += 2
        for side in (sides[first], sides[first + 1]):
            for e in range(edges):
                if side[row[e]] != side[column[e]]:
                    both[e] = 1.0
    flow = max_flow(start, incident, row, column, ahead, behind, alive, s, t, own, 1.0, net, parent, queue)
    if flow < 1.0 - 1e-6:
        for v in range(nodes):
            sides[found + made, v] = parent[v] >= -1
        flow = max_flow(
            start, incident, row, column, ahead, behind, alive, t, s, own, 1.0, net, parent, queue
        )
        if flow >= 1.0 - 1e-6:
            return made
        for v in range(nodes):
            others[found + made, v] = parent[v] >= -1
        covered = 0.0
        for e in range(edges):
            if e != own:
                out = carried(
                    sides[found + made], others[found + made], row[e], column[e], forward[e], backward[e]
                )
                covered += min(1.0, out) * x[e]
        if covered < 1.0 - 1e-6:
            whose[found + made] = q
            made += 1
    return made


@njit(cache=True, nogil=True)
def _separate_both(
    start, incident, row, column, forward, backward, ahead, behind, alive, s, t, own, demand, net, parent,
    queue, sides, others, whose, found, q, nested,
):  # fmt: skip
    """Pairs of cuts, one a direction, that together leave less than the demand: nearest to s, and to t."""
    nodes, edges = start.shape[0] - 1, row.shape[0]
    made = 0
    back = np.empty(edges)
    for _ in range(nested + 1):
        one, two = found + made, found + made + 1
        flow = max_flow(
            start, incident, row, column, ahead, behind, alive, s, t, own, demand, net, parent, queue
        )
        for v in range(nodes):
            sides[one, v] = parent[v] >= -1
        flow += max_flow(
            start, incident, row, column, ahead, behind, alive, t, s, own, demand, back, parent, queue
        )
        if flow >= demand * (1.0 - 1e-6):
            break
        for v in range(nodes):
            others[two, v] = parent[v] >= -1
        _reach(start, incident, row, column, ahead, behind, alive, back, s, -1, own, parent, queue, False)
        for v in range(nodes):
            others[one, v] = parent[v] < -1
        _reach(start, incident, row, column, ahead, behind, alive, net, t, -1, own, parent, queue, False)
        for v in range(nodes):
            sides[two, v] = parent[v] < -1
        whose[one] = whose[two] = q
        made += 2
        for cut in (one, two):
            for e in range(edges):
                r, c = row[e], column[e]
                if sides[cut, r] != sides[cut, c] or others[cut, r] != others[cut, c]:
                    ahead[e] = min(forward[e], demand)
                    behind[e] = min(backward[e], demand)
    return made


@njit(cache=True, nogil=True)
def outflows(one, two, row, column, forward, backward, demand, either):
    """What each edge carries out of the cut, at most the demand where either direction will do."""
    out = np.empty(row.shape[0])
    for e in range(row.shape[0]):
        amount = carried(one, two, row[e], column[e], forward[e], backward[e])
        out[e] = min(amount, demand) if either else amount
    return out


@njit(cache=True, nogil=True)
def separate_bridges(start, incident, row, column, x, fixed, sides, whose):
    """Cuts that fewer cells cross than the one cell e counts: no cell of a lean pattern is a bridge.

    sides, whose: filled with node sets and the edge e of each; returns how many. O(edges) flows.
    """
    nodes, edges = start.shape[0] - 1, row.shape[0]
    net = np.empty(edges)
    alive = np.ones(edges, dtype=np.bool_)
    parent = np.empty(nodes, dtype=np.int64)
    queue = np.empty(nodes, dtype=np.int64)
    found = 0
    for e in range(edges):
        if fixed[e] or x[e] < 0.05 or found == sides.shape[0]:
            continue
        flow = max_flow(
            start, incident, row, column, x, x, alive, row[e], column[e], e, x[e], net, parent, queue
        )
        if flow < x[e] - 1e-3:
            for v in range(nodes):
                sides[found, v] = parent[v] >= -1
            whose[found] = e
            found += 1
    return found
