"""How far one suppressed cell of a network can move: a largest flow by blocking flows (Dinic).

Written for the audit alone; no method that makes patterns uses it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacita.core.arrays import Floats, Ints

# Of a cell's span on that side, or its flow: what is left over when a flow fills it up to rounding.
_ROUNDING = 1e-13


class Arcs(NamedTuple):
    """Cell e leads from node tails[e] to heads[e] and may change by -down[e] .. up[e], both finite.

    The arcs 2e and 2e + 1 that leave node v are codes[starts[v]:starts[v + 1]].
    """

    starts: Ints
    codes: Ints
    tails: Ints
    heads: Ints
    up: Floats
    down: Floats


@njit(cache=True)
def _room(code, up, down, flow):
    """How much more may pass along an arc: 2e lets cell e grow, 2e + 1 lets it shrink."""
    cell = code >> 1
    span = up[cell] if code & 1 == 0 else down[cell]
    left = span - flow[cell] if code & 1 == 0 else span + flow[cell]
    # a cell may fall by a thousandth and rise by billions: each side has its own rounding
    return left if left > _ROUNDING * max(span, abs(flow[cell])) else 0.0


@njit(cache=True)
def _levels(arcs, source, sink, skip, flow, level, queue):
    """Steps from the source to each node along arcs with room; whether the sink is reached."""
    starts, codes, tails, heads, up, down = arcs
    level[:] = -1
    level[source] = 0
    queue[0] = source
    first, last = 0, 1
    while first < last and level[sink] < 0:
        node = queue[first]
        first += 1
        for at in range(starts[node], starts[node + 1]):
            code = codes[at]
            if code >> 1 == skip:
                continue
            to = heads[code >> 1] if code & 1 == 0 else tails[code >> 1]
            if level[to] < 0 and _room(code, up, down, flow) > 0.0:
                level[to] = level[node] + 1
                queue[last] = to
                last += 1
    return level[sink] >= 0


@njit(cache=True)
def largest_flow(arcs, source, sink, skip, limit, flow):
    """Largest flow from source to sink without cell `skip`, at most `limit`; O(nodes^2 cells) at worst.

    `flow`, all zero at first, receives the change of each cell.
    """
    starts, codes, tails, heads, up, down = arcs
    nodes = starts.size - 1
    level = np.empty(nodes, dtype=np.int64)
    queue = np.empty(nodes, dtype=np.int64)
    cursor = np.empty(nodes, dtype=np.int64)
    path = np.empty(nodes + 1, dtype=np.int64)
    total = 0.0
    while total < limit and _levels(arcs, source, sink, skip, flow, level, queue):
        for v in range(nodes):
            cursor[v] = starts[v]
        node, depth = source, 0
        while True:
            if node == sink:
                amount = limit - total
                for step in range(depth):
                    amount = min(amount, _room(path[step], up, down, flow))
                for step in range(depth):
                    code = path[step]
                    flow[code >> 1] += amount if code & 1 == 0 else -amount
                total += amount
                if total >= limit:
                    return total
                node, depth = source, 0
            moved = False
            while cursor[node] < starts[node + 1]:
                code = codes[cursor[node]]
                to = heads[code >> 1] if code & 1 == 0 else tails[code >> 1]
                if code >> 1 != skip and level[to] == level[node] + 1 and _room(code, up, down, flow) > 0.0:
                    path[depth] = code
                    depth += 1
                    node = to
                    moved = True
                    break
                cursor[node] += 1
            if not moved:
                if node == source:
                    break
                depth -= 1
                node = tails[path[depth] >> 1] if path[depth] & 1 == 0 else heads[path[depth] >> 1]
                cursor[node] += 1
    return total
