"""Knapsack rows of cuts: which cells to count as taken, by what to round, and where a rounded row is short.

What leaves a cut must carry a demand d: sum of c_e x_e >= d over its edges, x_e 0 or 1. Taking some cells T
as given leaves d - c(T) to the others, whatever T is; a function g that grows and is subadditive keeps the
row true: sum of g(c_e) x_e >= g(d). The rounding of `rounded` is such a function for every divisor.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .cuts import cut_off, rounded
from .flows import flow_along, with_capacities
from .network import BOTH_WAYS

_DIVISORS = 16
_CHANGES = 12


@njit(cache=True, nogil=True)
def divided(left, delta):
    """Fractional part and right-hand side of a demand after rounding by delta; without delta the demand."""
    if delta <= 0.0:
        return 0.0, left
    whole = np.floor(left / delta + 1e-10)
    fraction = left / delta - whole
    if fraction < 1e-6:
        # next to a whole number: not rounded up, which 1 instead of the fraction would not allow
        return 1.0, whole
    return fraction, whole + 1.0


@njit(cache=True, nogil=True)
def _best_divisor(out, x, cells, taken, left, form):
    """Shortfall of x for the best of the divisors that the cells not taken suggest; fills form."""
    tried = np.empty(_DIVISORS)
    tried[0] = 0.0
    tries = 1
    for e in cells:
        if taken[e] or x[e] <= 1e-6 or tries == _DIVISORS:
            continue
        step = min(out[e], left)
        new = step < left * (1.0 - 1e-9)
        for i in range(tries):
            if abs(tried[i] - step) < 1e-9:
                new = False
        if new:
            tried[tries] = step
            tries += 1
    best = -1.0
    for i in range(tries):
        delta = tried[i]
        fraction, right = divided(left, delta)
        total, square = 0.0, 0.0
        for e in cells:
            if taken[e]:
                continue
            a = min(out[e], left)
            if delta > 0.0:
                a = rounded(a, delta, fraction)
            total += a * x[e]
            square += a * a
        short = (right - total) / np.sqrt(max(square, right * right))
        if short > best + 1e-9:
            best = short
            form[0], form[1], form[2], form[3] = left, delta, fraction, 1.0 / right
    return best


@njit(cache=True, nogil=True)
def tighten(out, x, fixed, own, demand, taken, form):
    """The strongest row of one cut that is found: which cells to count as taken, and by what to round.

    out: what each edge carries out of the cut; x: the fractional pattern; fixed: primaries, always taken.
    Begins with the cells of x near 1 as taken, then takes or gives back the one cell that makes the row
    shortest, while one does: a small cell with a small x is often the one to take, since the others must
    then make do without it. Fills taken and form = clip, delta, fraction, scale; returns by how much x falls
    short, relative to the length of the row. O(changes cells^2 divisors).
    """
    edges = out.shape[0]
    cells = np.empty(edges, dtype=np.int64)
    count = 0
    base = demand
    for e in range(edges):
        taken[e] = e == own or out[e] <= 0.0 or fixed[e]
        if not taken[e] and x[e] > 0.0:
            cells[count] = e
            count += 1
        elif fixed[e] and e != own:
            base -= max(0.0, out[e])
    cells = cells[:count]
    least = 1e-6 * demand
    if base <= least:
        return -1.0
    mark = taken.copy()
    trial = np.empty(4)
    best, before = -1.0, -1
    for threshold in (2.0, 0.999, 0.9, 0.75, 0.6, 0.5, 0.35):
        left = base
        marked = 0
        for e in cells:
            mark[e] = x[e] >= threshold
            if mark[e]:
                left -= out[e]
                marked += 1
        if left <= least:
            break
        if marked == before:
            continue
        before = marked
        short = _best_divisor(out, x, cells, mark, left, trial)
        for _ in range(_CHANGES):
            if short > best + 1e-9:
                best = short
                for part in range(4):
                    form[part] = trial[part]
                for e in cells:
                    taken[e] = mark[e]
            pick = -1
            shortest = short + 1e-6
            for e in cells:
                after = left + out[e] if mark[e] else left - out[e]
                if after <= least or out[e] >= base:
                    continue
                mark[e] = not mark[e]
                got = _best_divisor(out, x, cells, mark, after, trial)
                mark[e] = not mark[e]
                if got > shortest:
                    shortest = got
                    pick = e
            if pick < 0:
                break
            left = left + out[pick] if mark[pick] else left - out[pick]
            mark[pick] = not mark[pick]
            short = _best_divisor(out, x, cells, mark, left, trial)
    return best


@njit(cache=True, nogil=True)
def separate_rounded(graph, x, demands, divisors, cuts):
    """Cuts whose rounded rows x violates: for each demand and divisor a least cut under rounded capacities.

    A rounded entry depends on what an edge carries and on nothing else of the cut, so that the most violated
    row of a divisor is a least cut again. Demands of both directions together are left out: the entry of an
    edge that leaves both cuts is no sum of two. O(demands divisors) flows.
    """
    edges = graph.row.shape[0]
    flow = flow_along(graph, np.ones(edges, dtype=np.bool_))
    forward, backward, ahead, behind = graph.forward, graph.backward, np.empty(edges), np.empty(edges)
    part = with_capacities(graph, ahead, behind)
    for q in range(demands.source.shape[0]):
        if demands.ways[q] == BOTH_WAYS:
            continue
        demand = demands.amount[q]
        for delta in divisors:
            if delta >= demand:
                continue
            if cuts.filled[0] + 2 > cuts.whose.shape[0]:
                return
            fraction, right = divided(demand, delta)
            for e in range(edges):
                ahead[e] = rounded(min(forward[e], demand), delta, fraction) * x[e] / right
                behind[e] = rounded(min(backward[e], demand), delta, fraction) * x[e] / right
            cut_off(part, flow, demands, q, 1.0, 1.0 - 1e-3, cuts)


@njit(cache=True, nogil=True)
def shortfalls(start, at, value, right, x):
    """By how much x falls short of each row, 0 or less where it does not. O(entries)."""
    short = right.copy()
    for i in range(right.shape[0]):
        for entry in range(start[i], start[i + 1]):
            short[i] -= value[entry] * x[at[entry]]
    return short
