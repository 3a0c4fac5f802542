"""Movements of cells tied by relations, by a dual simplex method that starts where nothing moves.

Least price of a movement d with M d = 0, each cell within its room, and one cell as far as demanded. Rises
and falls are columns of their own: column i is the rise of cell i, column n + i its fall. A relation enters
the basis only once it is broken, with a column that moves for it. So the basis has one row for each relation
that a movement touches, and its inverse is kept explicitly, since movements are of few cells: by rows and,
`across`, by columns, so that either is read in one piece; 0 beyond the relations that entered.

Source: dual simplex with steepest edges and bound flipping, as in Koberstein (2005), The Dual Simplex Method,
chapters 3 and 6.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacita.core.arrays import Floats, Ints, Mask

# How a movement ended: the cell moved all the way; less, with a reason; not at all, with a reason; unknown.
MOVED, SHORT, STUCK, UNKNOWN = 0, 1, 2, 3
# A column that does not move, one that moves as far as it can, and one in between.
_STILL, _FULL, _BETWEEN = 0, 1, 2
# Tolerance of relations and of the ends of columns.
_OFF = 1e-9
# Least size of a pivot, and of the length of a row.
_SMALL = 1e-7
# What is smaller counts as 0.
_NOTHING = 1e-12
# Relations that a movement may take in, which is the largest size of the basis.
MOST = 500
# Steps for each of them, at most.
_STEPS = 6


class Ties(NamedTuple):
    """Relations by rows (`cell`, `figure` from row_start on) and by cells (`row`, `entry` from start on)."""

    row_start: Ints
    cell: Ints
    figure: Floats
    start: Ints
    row: Ints
    entry: Floats


class Desk(NamedTuple):
    """Room to work, by columns, by cells, by relations and by places of the basis; and the answer.

    `change` is the movement of every cell, `weight` a sum of relations that says why there is no more,
    `share` how far the one cell has come.
    """

    state: Ints
    spot: Ints
    tried: Ints
    ratio: Floats
    steep: Floats
    change: Floats
    pull: Floats
    along: Floats
    touched: Ints
    weight: Floats
    left: Floats
    place: Ints
    push: Floats
    pushed: Mask
    shifted: Ints
    inverse: Floats
    across: Floats
    rows: Ints
    basic: Ints
    value: Floats
    length: Floats
    rho: Floats
    column: Floats
    moved: Floats
    support: Ints
    share: Floats


def desk_for(cells: int, relations: int) -> Desk:
    """Room for movements of so many cells. O(cells + relations), and the square of what one takes in."""
    most = min(relations, MOST)

    def numbers(count: int) -> Ints:
        return np.zeros(count, dtype=np.int64)

    return Desk(
        state=numbers(2 * cells),
        spot=numbers(2 * cells),
        tried=numbers(2 * cells),
        ratio=np.zeros(2 * cells),
        steep=np.zeros(2 * cells),
        change=np.zeros(cells),
        pull=np.zeros(cells),
        along=np.zeros(cells),
        touched=numbers(cells),
        weight=np.zeros(relations),
        left=np.zeros(relations),
        place=numbers(relations),
        push=np.zeros(relations),
        pushed=np.zeros(relations, dtype=bool),
        shifted=numbers(relations),
        inverse=np.zeros((most, most)),
        across=np.zeros((most, most)),
        rows=numbers(most),
        basic=numbers(most),
        value=np.zeros(most),
        length=np.zeros(most),
        rho=np.zeros(most + 1),
        column=np.zeros(most),
        moved=np.zeros(most),
        support=numbers(most),
        share=np.zeros(1),
    )


@njit(cache=True, nogil=True)
def move(ties, room, price, own, reward, desk):
    """Move column `own` by its room, at the least price of what moves along. Returns where that ended.

    `reward` is what moving `own` all the way is worth; with infinity it must. An answer is checked before it
    is given: a movement keeps all relations, and a reason why there is none holds. O(steps (relations +
    taken in^2)).
    """
    _begin(ties, room, own, desk)
    active, ended = 0, UNKNOWN
    for _ in range(_STEPS * desk.basic.shape[0]):
        at, gone = _farthest_off(ties, room, active, desk)
        if at < 0 and gone < 0:
            ended = MOVED
            break
        if at < 0 and active == desk.basic.shape[0]:
            break
        size = _weigh(ties, at, gone, active, desk)
        excess = -desk.left[gone]
        if at >= 0:
            over = desk.value[at]
            excess = over if over < 0.0 else over - room[desk.basic[at]]
        count = _reach(ties, size, desk)
        last = _enter(room, price, own, reward, excess, count, desk)
        if last < 0:
            _forget(count, desk)
            if reward == np.inf:
                desk.weight[:] = 0.0
                for a in range(size):
                    desk.weight[desk.rows[a]] = desk.rho[a]
                ended = STUCK
            break
        pivot, value = _shift(ties, room, price, own, reward, excess, last, count, desk)
        entering = desk.tried[last]
        _follow(ties, entering, active, desk)
        if at >= 0:
            if abs(desk.column[at] - pivot) > 1e-6 * abs(pivot):
                break
            leaving = desk.basic[at]
            desk.state[leaving] = _STILL if desk.value[at] < 0.5 * room[leaving] else _FULL
        else:
            at, active = active, size
            desk.place[gone], desk.left[gone] = at, 0.0
        _exchange(at, active, pivot, desk)
        desk.basic[at], desk.value[at] = entering, value
        desk.state[entering], desk.spot[entering] = _BETWEEN, at
    ended = _answer(ties, room, own, active, ended, desk)
    desk.inverse[:active, :active] = 0.0
    desk.across[:active, :active] = 0.0
    return ended


@njit(cache=True, nogil=True, inline="always")
def _begin(ties, room, own, desk):
    """Nothing moves but `own`."""
    n = desk.pull.shape[0]
    desk.state[:] = _STILL
    desk.pull[:] = 0.0
    desk.left[:] = 0.0
    desk.place[:] = -1
    desk.state[own] = _FULL
    way = 1.0 if own < n else -1.0
    for e in range(ties.start[own % n], ties.start[own % n + 1]):
        desk.left[ties.row[e]] += way * ties.entry[e] * room[own]


@njit(cache=True, nogil=True, inline="always")
def _farthest_off(ties, room, active, desk):
    """The place whose column is beyond its ends, or the relation not taken in that is broken: the worst.

    What is off counts by the length of its row of the inverse; for relations not taken in that is a guess.
    """
    left, place, state, spot, value = desk.left, desk.place, desk.state, desk.spot, desk.value
    basic, length, pull = desk.basic, desk.length, desk.pull
    n = pull.shape[0]
    worst, at, gone = 0.0, -1, -1
    for i in range(left.shape[0]):
        off = abs(left[i])
        if off <= _OFF or place[i] >= 0:
            continue
        off, square = off * off, 1.0
        for e in range(ties.row_start[i], ties.row_start[i + 1]):
            # a length only grows: what is not the worst by now will not be
            if off <= worst * square:
                break
            cell, by = ties.cell[e], ties.figure[e] * ties.figure[e]
            if state[cell] == _BETWEEN:
                square += by * length[spot[cell]]
            if state[cell + n] == _BETWEEN:
                square += by * length[spot[cell + n]]
        if off > worst * square:
            worst, gone = off / square, i
    for p in range(active):
        off = max(value[p] - room[basic[p]], -value[p])
        if off > _OFF and off * off > worst * length[p]:
            worst, at = off * off / length[p], p
    return at, gone if at < 0 else -1


@njit(cache=True, nogil=True, inline="always")
def _weigh(ties, at, gone, active, desk):
    """The row of the inverse of what is off, as weights of relations: fills rho; returns its size."""
    pull, rho, across, state, spot = desk.pull, desk.rho, desk.across, desk.state, desk.spot
    rows = desk.rows
    n = pull.shape[0]
    if at >= 0:
        for a in range(active):
            rho[a] = across[at, a]
        return active
    for a in range(active):
        rho[a] = 0.0
    for e in range(ties.row_start[gone], ties.row_start[gone + 1]):
        for side in range(2):
            c = ties.cell[e] + side * n
            if state[c] == _BETWEEN:
                figure = ties.figure[e] if side == 0 else -ties.figure[e]
                for a in range(active):
                    rho[a] -= figure * across[spot[c], a]
    rows[active], rho[active] = gone, 1.0
    return active + 1


@njit(cache=True, nogil=True, inline="always")
def _reach(ties, size, desk):
    """By how much each cell is along the weights: fills `along` and who was touched; returns how many."""
    rho, rows, along, touched = desk.rho, desk.rows, desk.along, desk.touched
    count = 0
    for a in range(size):
        weight = rho[a]
        if abs(weight) < _NOTHING:
            rho[a] = 0.0
            continue
        for e in range(ties.row_start[rows[a]], ties.row_start[rows[a] + 1]):
            cell = ties.cell[e]
            if along[cell] == 0.0:
                touched[count] = cell
                count += 1
            along[cell] += weight * ties.figure[e]
            if along[cell] == 0.0:
                # touched all the same
                along[cell] = 1e-300
    return count


@njit(cache=True, nogil=True, inline="always")
def _forget(count, desk):
    for t in range(count):
        desk.along[desk.touched[t]] = 0.0


@njit(cache=True, nogil=True, inline="always")
def _reduced(column, price, own, reward, desk):
    """What a column costs, less what the relations pay for it."""
    n = desk.pull.shape[0]
    cost = -reward if column == own else price[column]
    return cost - desk.pull[column] if column < n else cost + desk.pull[column - n]


@njit(cache=True, nogil=True, inline="always")
def _enter(room, price, own, reward, excess, count, desk):
    """Which columns make up for what is off: all but the last go from end to end, the last goes in between.

    Fills `tried`, in that order; returns the place of the last there, -1 where all together do not do.
    """
    touched, state, pull, tried, ratio = desk.touched, desk.state, desk.pull, desk.tried, desk.ratio
    along, steep = desk.along, desk.steep
    n = pull.shape[0]
    tries = 0
    for t in range(count):
        cell = touched[t]
        if abs(along[cell]) < _SMALL:
            continue
        for side in range(2):
            c = cell + side * n
            if state[c] == _BETWEEN or room[c] <= 0.0 or (c == own and reward == np.inf):
                continue
            still = state[c] == _STILL
            if ((along[cell] * excess > 0.0) == (side == 0)) == still:
                reduced = _reduced(c, price, own, reward, desk)
                tried[tries], steep[tries] = c, abs(along[cell])
                ratio[tries] = abs(reduced) / steep[tries] if (reduced > 0.0) == still else 0.0
                tries += 1
    slope = abs(excess)
    for last in range(tries):
        best = last
        for t in range(last + 1, tries):
            nearer = ratio[t] - ratio[best]
            if nearer < -_NOTHING or (nearer <= _NOTHING and steep[t] > steep[best] + _OFF):
                best = t
        tried[best], tried[last] = tried[last], tried[best]
        ratio[best], ratio[last] = ratio[last], ratio[best]
        steep[best], steep[last] = steep[last], steep[best]
        slope -= steep[last] * room[tried[last]]
        # a column that is short of its demand stays in between: its row is the reason
        if slope <= _NOTHING or tried[last] == own:
            return last
    return -1


@njit(cache=True, nogil=True, inline="always")
def _shift(ties, room, price, own, reward, excess, last, count, desk):
    """Let the tried columns go, and the weights with them; relations feel it in `push`.

    Returns the pivot, and where the last column has come.
    """
    tried, along, state, pushed, shifted = desk.tried, desk.along, desk.state, desk.pushed, desk.shifted
    push, touched, pull, place, left = desk.push, desk.touched, desk.pull, desk.place, desk.left
    n, pushes = pull.shape[0], 0
    pivot = value = tau = 0.0
    for t in range(last + 1):
        c = tried[t]
        way = 1.0 if c < n else -1.0
        figure, full = way * along[c % n], state[c] == _FULL
        if t < last:
            step = -room[c] if full else room[c]
            state[c] = _STILL if full else _FULL
            excess -= figure * step
        else:
            step = excess / figure
            pivot, value = figure, (room[c] if full else 0.0) + step
            tau = _reduced(c, price, own, reward, desk) / figure
        for e in range(ties.start[c % n], ties.start[c % n + 1]):
            i = ties.row[e]
            if not pushed[i]:
                pushed[i] = True
                shifted[pushes] = i
                pushes += 1
            push[i] += way * ties.entry[e] * step
    for t in range(count):
        cell = touched[t]
        pull[cell] += tau * along[cell]
        along[cell] = 0.0
    # those taken in are felt by the columns of the basis
    inside = 0
    for t in range(pushes):
        i = shifted[t]
        if place[i] >= 0:
            shifted[inside] = i
            inside += 1
        else:
            left[i] += push[i]
            push[i] = 0.0
        pushed[i] = False
    desk.share[0] = inside
    return pivot, value


@njit(cache=True, nogil=True, inline="always")
def _follow(ties, entering, active, desk):
    """The columns of the basis make up for what was pushed; fills `column`, the entering one in the basis."""
    inverse, place, push, shifted, column = desk.inverse, desk.place, desk.push, desk.shifted, desk.column
    value, basic, left, pull = desk.value, desk.basic, desk.left, desk.pull
    n, inside, moved = pull.shape[0], int(desk.share[0]), desk.moved
    for p in range(active):
        moved[p], column[p] = 0.0, 0.0
    for t in range(inside):
        a, size = place[shifted[t]], push[shifted[t]]
        push[shifted[t]] = 0.0
        for p in range(active):
            moved[p] -= inverse[a, p] * size
    cell, way = (entering, 1.0) if entering < n else (entering - n, -1.0)
    for e in range(ties.start[cell], ties.start[cell + 1]):
        a = place[ties.row[e]]
        if a >= 0:
            figure = way * ties.entry[e]
            for p in range(active):
                column[p] += figure * inverse[a, p]
    for p in range(active):
        if moved[p] == 0.0:
            continue
        value[p] += moved[p]
        cell, way = (basic[p], 1.0) if basic[p] < n else (basic[p] - n, -1.0)
        for e in range(ties.start[cell], ties.start[cell + 1]):
            if place[ties.row[e]] < 0:
                left[ties.row[e]] += way * ties.entry[e] * moved[p]


@njit(cache=True, nogil=True, inline="always")
def _exchange(at, active, pivot, desk):
    """The inverse with `column` at a place, and the lengths of its rows."""
    inverse, across, rho, column = desk.inverse, desk.across, desk.rho, desk.column
    length, support = desk.length, desk.support
    count, square = 0, 0.0
    for p in range(active):
        if p != at and abs(column[p]) > _NOTHING:
            support[count] = p
            count += 1
    for a in range(active):
        factor = rho[a] / pivot
        if factor == 0.0:
            if across[at, a] != 0.0:
                across[at, a] = inverse[a, at] = 0.0
            continue
        across[at, a] = inverse[a, at] = factor
        square += factor * factor
        for t in range(count):
            p = support[t]
            before = inverse[a, p]
            after = before - factor * column[p]
            across[p, a] = inverse[a, p] = after
            length[p] += after * after - before * before
    for t in range(count):
        length[support[t]] = max(length[support[t]], _SMALL)
    length[at] = square


@njit(cache=True, nogil=True, inline="always")
def _answer(ties, room, own, active, ended, desk):
    """The movement, and the reason if it is short; UNKNOWN where they do not hold."""
    change, state, basic, value, pull = desk.change, desk.state, desk.basic, desk.value, desk.pull
    left = desk.left
    n = pull.shape[0]
    change[:] = 0.0
    for c in range(2 * n):
        if state[c] == _FULL:
            change[c % n] += room[c] if c < n else -room[c]
    desk.share[0] = room[own]
    for p in range(active):
        c = basic[p]
        change[c % n] += value[p] if c < n else -value[p]
        if c == own and ended == MOVED:
            ended, desk.share[0] = SHORT, value[p]
            desk.weight[:] = 0.0
            for a in range(active):
                desk.weight[desk.rows[a]] = desk.inverse[a, p]
    if ended == STUCK:
        return STUCK if cannot_move(ties, room, own, desk.weight) else UNKNOWN
    for i in range(left.shape[0]):
        total = 0.0
        for e in range(ties.row_start[i], ties.row_start[i + 1]):
            total += ties.figure[e] * change[ties.cell[e]]
        if abs(total) > 10.0 * _OFF:
            return UNKNOWN
    return ended


@njit(cache=True, nogil=True)
def cannot_move(ties, room, own, weight):
    """Whether a sum of relations shows that a column cannot move by its room, whatever moves. O(entries)."""
    n = ties.start.shape[0] - 1
    # what the others can do for it, at most, where the sum has its cell with a positive figure, or a negative
    mine, against, along = 0.0, 0.0, 0.0
    for cell in range(n):
        figure = 0.0
        for e in range(ties.start[cell], ties.start[cell + 1]):
            figure += weight[ties.row[e]] * ties.entry[e]
        rise, fall = abs(figure) * room[cell], abs(figure) * room[cell + n]
        if cell == own or cell + n == own:
            mine = figure if cell == own else -figure
        elif figure > 0.0:
            against, along = against + fall, along + rise
        else:
            against, along = against + rise, along + fall
    others = against if mine > 0.0 else along
    return others < abs(mine) * room[own] * (1.0 - _OFF)
