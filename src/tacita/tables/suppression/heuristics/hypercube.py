"""Hypercube: each primary becomes the corner of a rectangle of suppressed cells."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from tacita.core import RunContext
from tacita.core.arrays import Floats, Ints, Mask
from tacita.kernels.tables.network import EITHER_WAY, ONE_WAY
from tacita.tables.suppression.optimal.flow_network import Network
from tacita.tables.suppression.optimal.network_patterns import Builder
from tacita.tables.suppression.optimal.two_way_method import TwoWay
from tacita.tables.suppression.time_limit import TimeLimit, Watch


class Hypercube(TwoWay):
    """Suppresses the cheapest rectangle that has the primary as a corner, one primary after the other.

    Primary (i, j) with (i, t), (s, j), (s, t): raised by d, the two cells adjacent to it fall by d and the
    one opposite rises by d, or all reversed. A rectangle counts if its cells can carry that: in both
    directions as far as the levels require, and as wide (interval), in one of them (exact), always (general).
    Cells that are suppressed already cost nothing. The largest demand comes first; then every primary gives
    up its rectangle and takes the one that is cheapest given all others, in turn until none changes. This is
    repeated in random orders, and the best pattern is kept. A primary without such a rectangle is protected
    by cheapest paths. Cells that no primary needs are dropped at the end; there is no bound beyond the
    trivial one.

    O(tries rounds primaries m n) time, O(primaries m n) bits of memory.
    Source: Giessing & Repsilber (2002), the method GHMITER, here for two dimensions, without its sliding of
    protection over sub-tables. Placing anew and the random orders are ours.

    >>> from tacita import Table
    >>> regions = [[11, 47, 58], [1, 15, 33], [2, 31, 20]]
    >>> table = Table.from_array(regions, primary=[[0, 0, 0], [0, 1, 0], [0, 0, 0]])
    >>> Hypercube().suppress(table, "general").secondary_count
    3
    """

    tries: Annotated[int, Field(ge=1, le=100_000, description="orders of the primaries")] = 10
    rounds: Annotated[
        int, Field(ge=0, le=1_000_000, description="times that every rectangle is placed anew at most")
    ] = 20
    seconds: TimeLimit = 60.0

    def search(self, network: Network, watch: Watch, run: RunContext) -> tuple[Mask, float]:
        generator, builder, rectangles = run.search_generator(), Builder(network), _Rectangles(network)
        largest_first = np.argsort(-network.amount, kind="stable")
        best, least = np.ones(network.edges, dtype=bool), np.inf
        for made in range(self.tries):
            if made and watch.over:
                break
            run.report("placing rectangles", made, self.tries)
            order = rectangles.largest_first if made == 0 else generator.permutation(rectangles.largest_first)
            placed = rectangles.placed(order, self.rounds, watch)
            grown = builder.grow(placed.reshape(-1)[network.cell], network.cost, largest_first)
            pattern = builder.clean(np.ones(network.edges, dtype=bool) if grown is None else grown)
            if (cost := builder.cost(pattern)) < least:
                best, least = pattern, cost
        return best, 0.0


class _Rectangles:
    """Which rectangles protect each primary, and the cheapest of them while others are there."""

    def __init__(self, network: Network) -> None:
        self._price, ahead, behind = (np.zeros(network.shape) for _ in range(3))
        self._price[:] = np.inf
        for full, part in ((self._price, network.cost), (ahead, network.forward), (behind, network.backward)):
            full.reshape(-1)[network.cell] = part
        demands: dict[int, list[int]] = {}
        for q, own in enumerate(network.own.tolist()):
            demands.setdefault(own, []).append(q)
        by_size = sorted(demands, key=lambda own: (-float(network.amount[demands[own]].max()), own))
        self.largest_first = np.arange(len(by_size))
        self._corner = [divmod(int(network.cell[own]), network.shape[1]) for own in by_size]
        self._fits = []
        for own, (i, j) in zip(by_size, self._corner, strict=True):
            fits = np.isfinite(self._price)
            for q in demands[own]:
                down = bool(network.sink[q] == network.row[own])
                room = _room(i, j, ahead, behind, down)
                if network.ways[q] != ONE_WAY:
                    back = _room(i, j, ahead, behind, not down)
                    room = np.maximum(room, back) if network.ways[q] == EITHER_WAY else room + back
                fits &= room >= network.amount[q] * (1 - 1e-9)
            fits[i, :] = fits[:, j] = False
            self._fits.append(np.packbits(fits))

    def placed(self, order: Ints, rounds: int, watch: Watch) -> Mask:
        """Cells of one rectangle a primary: placed in order, then each anew in turn until none changes."""
        times = np.zeros(self._price.shape, dtype=np.int64)
        where: dict[int, tuple[int, int]] = {}
        for turn in range(rounds + 1):
            changed = False
            for number in order.tolist():
                before = where.pop(number, None)
                if before is not None:
                    self._count(times, number, before, -1)
                corner = self._cheapest(times, number)
                if corner is not None:
                    where[number] = corner
                    self._count(times, number, corner, 1)
                changed |= corner != before
            if not changed or (turn and watch.over):
                break
        return times > 0

    def _cheapest(self, times: Ints, number: int) -> tuple[int, int] | None:
        """The opposite corner of the rectangle that adds least; None where no rectangle will do."""
        i, j = self._corner[number]
        shape = times.shape
        fits = np.unpackbits(self._fits[number], count=times.size).reshape(shape).astype(bool)
        new = np.where(times > 0, 0.0, self._price)
        total = np.where(fits, new + new[i][None, :] + new[:, j][:, None], np.inf)
        s, t = divmod(int(np.argmin(total)), shape[1])
        return (s, t) if np.isfinite(total[s, t]) else None

    def _count(self, times: Ints, number: int, opposite: tuple[int, int], by: int) -> None:
        (i, j), (s, t) = self._corner[number], opposite
        times[s, t] += by
        times[i, t] += by
        times[s, j] += by


def _room(i: int, j: int, ahead: Floats, behind: Floats, back_to_row: bool) -> Floats:
    """What returns from column j to row i, or the other way, by each opposite corner (s, t)."""
    adjacent, opposite = (behind, ahead) if back_to_row else (ahead, behind)
    room: Floats = np.minimum(np.minimum(adjacent[i][None, :], adjacent[:, j][:, None]), opposite)
    return room
