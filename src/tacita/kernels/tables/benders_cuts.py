"""Cuts of tables of any shape: what a sum of relations implies about which cells must be suppressed.

A ray v is a sum of relations: v d = 0 for every movement d of the cells. For a cell p that must rise by u
this reads: sum over i != p of c_i x_i >= u, with c_i = (v_i / v_p) times what cell i can fall (if that is
above 0) or rise (if below). No c_i counts for more than u. Rays stand one behind the
other: ray k has the figures value[start[k]:start[k + 1]] at the cells `at[...]`.

Source: Fischetti & Salazar (2001), Management Science 47, 1008-1027, for the cuts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacita.core.arrays import Floats, Ints, Mask

from .covers import tighten
from .cuts import rounded
from .network import BOTH_WAYS, ONE_WAY


class Rays(NamedTuple):
    """Some rays, one behind the other."""

    start: Ints
    at: Ints
    value: Floats


class DemandArrays(NamedTuple):
    """How far cells can and must move: spans, primaries, demands, and the demands of each cell."""

    up: Floats
    down: Floats
    primary: Mask
    own: Ints
    sign: Floats
    amount: Floats
    ways: Ints
    first: Ints
    demand: Ints


class Rows(NamedTuple):
    """Rows as they are found, one behind the other; used[0] counts entries, used[1] rows."""

    at: Ints
    value: Floats
    start: Ints
    right: Floats
    short: Floats
    used: Ints


@njit(cache=True, nogil=True)
def reach_of(figure, own, sign, up, down):
    """What a cell of a ray, at this figure, lets a cell of figure `own` move in a direction."""
    share = -sign * figure / own
    if share > 0.0:
        return share * up
    return -share * down


@njit(cache=True, nogil=True)
def leaving(rays, ray, other, own, sign, ways, amount, demands, out):
    """Fill what each cell of a ray (and of another, for the other direction) lets a cell move, up to amount.

    `out` is a number per cell, 0 wherever it is not filled. Returns whether the rays include the cell.
    """
    for side in range(2):
        k = ray if side == 0 else other
        if side == 1 and ways == ONE_WAY:
            break
        way = sign if side == 0 else -sign
        scale = 0.0
        for e in range(rays.start[k], rays.start[k + 1]):
            if rays.at[e] == own:
                scale = rays.value[e]
        if scale == 0.0:
            return False
        for e in range(rays.start[k], rays.start[k + 1]):
            cell = rays.at[e]
            if cell == own:
                continue
            reach = reach_of(rays.value[e], scale, way, demands.up[cell], demands.down[cell])
            if ways == BOTH_WAYS:
                out[cell] = min(amount, out[cell] + reach)
            else:
                out[cell] = min(amount, max(out[cell], reach))
    return True


@njit(cache=True, nogil=True)
def clear(rays, ray, other, out):
    """Make `out` 0 again at the cells of two rays."""
    for e in range(rays.start[ray], rays.start[ray + 1]):
        out[rays.at[e]] = 0.0
    for e in range(rays.start[other], rays.start[other + 1]):
        out[rays.at[e]] = 0.0


@njit(cache=True, nogil=True)
def short_demands(rays, demands, x, least, pairs, short):
    """For each ray the demands that x leaves short by it, by a share `least` of them or more.

    A demand of either direction is checked with the ray both ways. Fills pairs (ray, demand) and the shares;
    returns how many. O(entries demands of their cells).
    """
    count = 0
    for k in range(rays.start.shape[0] - 1):
        for e in range(rays.start[k], rays.start[k + 1]):
            own = rays.at[e]
            for place in range(demands.first[own], demands.first[own + 1]):
                q = demands.demand[place]
                amount = demands.amount[q]
                left = amount * (1.0 - least)
                scale, sign, ways = rays.value[e], demands.sign[q], demands.ways[q]
                for f in range(rays.start[k], rays.start[k + 1]):
                    cell = rays.at[f]
                    if cell == own:
                        continue
                    reach = reach_of(rays.value[f], scale, sign, demands.up[cell], demands.down[cell])
                    if ways != ONE_WAY:
                        back = reach_of(rays.value[f], scale, -sign, demands.up[cell], demands.down[cell])
                        reach = reach + back if ways == BOTH_WAYS else max(reach, back)
                    left -= min(amount, reach) * x[cell]
                    if left <= 0.0:
                        break
                if left > 0.0:
                    if count == pairs.shape[0]:
                        return count
                    pairs[count, 0], pairs[count, 1] = k, q
                    short[count] = left / amount + least
                    count += 1
    return count


@njit(cache=True, nogil=True)
def cut_rows(rays, pairs, others, demands, x, least, rows):
    """Write the strongest row of each pair of ray and demand that x violates by `least` of its length.

    others[i] is the ray of pair i for the other direction, where that counts. Entries over all cells but
    primaries; the right side is 1. Stops where no room is left; returns how many pairs were done.
    """
    n = x.shape[0]
    out = np.zeros(n)
    form = np.zeros(4)
    for i in range(pairs.shape[0]):
        k, q = pairs[i, 0], pairs[i, 1]
        size = rays.start[k + 1] - rays.start[k] + rays.start[others[i] + 1] - rays.start[others[i]]
        if rows.used[0] + size > rows.at.shape[0] or rows.used[1] + 1 >= rows.start.shape[0]:
            return i
        own, amount = demands.own[q], demands.amount[q]
        if leaving(rays, k, others[i], own, demands.sign[q], demands.ways[q], amount, demands, out):
            cells = np.empty(size, dtype=np.int64)
            count = 0
            for side in range(2):
                ray = k if side == 0 else others[i]
                for e in range(rays.start[ray], rays.start[ray + 1]):
                    cell = rays.at[e]
                    if out[cell] > 0.0:
                        cells[count] = cell
                        count += 1
            cells = np.unique(cells[:count])
            carried, there, fixed = out[cells] / amount, x[cells], demands.primary[cells]
            taken = np.zeros(cells.shape[0], dtype=np.bool_)
            short = tighten(carried, there, fixed, -1, 1.0, taken, form)
            if short > least:
                _write(cells, carried, fixed, taken, form, short, rows)
        clear(rays, k, others[i], out)
    return pairs.shape[0]


@njit(cache=True, nogil=True)
def _write(cells, carried, fixed, taken, form, short, rows):
    """One row by its form: clip, delta, fraction, scale."""
    end = rows.used[0]
    for i in range(cells.shape[0]):
        if fixed[i] or taken[i]:
            continue
        entry = min(carried[i], form[0])
        if form[1] > 0.0:
            entry = rounded(entry, form[1], form[2])
        rows.at[end] = cells[i]
        rows.value[end] = entry * form[3]
        end += 1
    row = rows.used[1]
    rows.used[0], rows.used[1] = end, row + 1
    rows.start[row + 1] = end
    rows.right[row], rows.short[row] = 1.0, short


@njit(cache=True, nogil=True)
def bridge_rows(rays, demands, x, least, rows):
    """Rows for the cell of a ray whose x is more than that of all others of the ray together.

    The cell could not move: sum of the others >= x of the cell. A ray with a primary gives none. O(entries).
    """
    for k in range(rays.start.shape[0] - 1):
        total, most, which = 0.0, 0.0, -1
        for e in range(rays.start[k], rays.start[k + 1]):
            cell = rays.at[e]
            if demands.primary[cell]:
                which = -1
                break
            total += x[cell]
            if x[cell] > most:
                most, which = x[cell], cell
        size = rays.start[k + 1] - rays.start[k]
        if which < 0 or 2.0 * most - total <= least:
            continue
        if rows.used[0] + size > rows.at.shape[0] or rows.used[1] + 1 >= rows.start.shape[0]:
            return
        end, row = rows.used[0], rows.used[1]
        for e in range(rays.start[k], rays.start[k + 1]):
            rows.at[end] = rays.at[e]
            rows.value[end] = -1.0 if rays.at[e] == which else 1.0
            end += 1
        rows.used[0], rows.used[1] = end, row + 1
        rows.start[row + 1] = end
        rows.right[row], rows.short[row] = 0.0, (2.0 * most - total) / np.sqrt(size)
