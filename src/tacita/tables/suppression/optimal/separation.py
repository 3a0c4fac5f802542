"""Cuts that a fractional pattern violates: from rays met before, and from new ones of the attacker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tacita.core.arrays import Floats, Ints
from tacita.kernels.interpreted import dispatch
from tacita.kernels.tables.benders_cuts import DemandArrays, Rays, Rows, bridge_rows, cut_rows, short_demands
from tacita.kernels.tables.network import ONE_WAY

from .attacker_lp import Movements
from .movement_lp import FARTHEST, USUAL
from .relation_system import System


@dataclass(frozen=True)
class SeparationSettings:
    """How many cuts a round of separation adds, and by how much a pattern must violate them.

    `python -m benchmarks general_tables` prints what the engine reaches with these on tables of all shapes.
    More cuts in a round raise the bound faster and slow the LP down.
    """

    # share of its length by which a row must be violated
    violation: float = 1e-4
    # share of a demand by which a pattern must be short
    shortfall: float = 1e-3
    # what is added to x before the attacker's LP is solved: its ray then counts cells outside x as well, and
    # the cut is deeper
    deepening: float = 1e-3
    # cuts of a demand in a round, by known rays
    cuts_per_demand: int = 3
    # pairs of ray and demand that a round looks at, at most
    pairs: int = 100_000
    # pairs of a demand in a round that are not short, but whose cut may be violated once it is rounded
    near_cuts_per_demand: int = 10
    # share of a demand by which such a pair may exceed it
    near: float = 0.5
    # rounds without a look at a demand that was met before, at most
    longest_wait: int = 6


SETTINGS = SeparationSettings()


class Separation:
    """Rows over the cells of a system that no protecting pattern violates."""

    def __init__(self, system: System, over: Callable[[], bool] = lambda: False) -> None:
        """The attacker's LP is not solved any more once `over()` is true."""
        self.system, self.over = system, over
        self.movements = Movements(system)
        order = np.argsort(system.own, kind="stable")
        first = np.searchsorted(system.own[order], np.arange(system.edges + 1))
        self.demand_arrays = DemandArrays(
            up=system.up,
            down=system.down,
            primary=system.primary,
            own=system.own,
            sign=system.sign,
            amount=system.amount,
            ways=system.ways,
            first=first.astype(np.int64),
            demand=order.astype(np.int64),
        )
        matrix = system.relations
        self.rays = Rays(
            matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data.astype(np.float64)
        )
        # a demand that was met is skipped for some rounds, more of them the more often it was met
        self._wait = np.zeros(system.demands, dtype=np.int64)
        self._met = np.zeros(system.demands, dtype=np.int64)

    def known(self, x: Floats, most: int) -> Rows:
        """Rows that x violates by rays that were met before, the most violated of each demand."""
        pairs, short = self._pairs(x, SETTINGS.shortfall, SETTINGS.cuts_per_demand)
        chosen = np.argsort(-short, kind="stable")[:most]
        return self.rows(pairs[chosen], pairs[chosen, 0], x)

    def near(self, x: Floats) -> Rows:
        """Rows that x violates by rays met before that leave no demand short, or hardly.

        Cells may carry enough, and yet not enough once their amounts are rounded, or others are fixed.
        """
        pairs, short = self._pairs(
            x, -SETTINGS.near, SETTINGS.near_cuts_per_demand + SETTINGS.cuts_per_demand
        )
        pairs = pairs[short <= SETTINGS.shortfall]
        # in one piece: of strided values the kernel would be compiled again
        return self.rows(pairs, pairs[:, 0].copy(), x)

    def _pairs(self, x: Floats, least: float, per_demand: int) -> tuple[Ints, Floats]:
        """Pairs of ray and demand that x leaves short by at least a share of it; and the shares.

        Only the `per_demand` shortest pairs of each demand.
        """
        pairs, short = np.empty((SETTINGS.pairs, 2), dtype=np.int64), np.empty(SETTINGS.pairs)
        count = dispatch(short_demands)(self.rays, self.demand_arrays, x, least, pairs, short)
        pairs, short = pairs[:count], short[:count]
        order = np.lexsort((-short, pairs[:, 1]))
        whose = pairs[order, 1]
        rank = np.arange(count) - np.searchsorted(whose, whose)
        chosen = order[rank < per_demand]
        return pairs[chosen], short[chosen]

    def rows(self, pairs: Ints, others: Ints, x: Floats) -> Rows:
        """The strongest row of each pair of ray and demand, where x violates it."""
        size = np.diff(self.rays.start)
        rows = _room(int((size[pairs[:, 0]] + size[others]).sum()), len(pairs))
        dispatch(cut_rows)(self.rays, pairs, others, self.demand_arrays, x, SETTINGS.violation, rows)
        return _filled(rows)

    def new(self, x: Floats, most: int, whole: bool = False) -> Rows:
        """Rows by new rays: the attacker's LPs, demand after demand, until enough are found.

        At an integer pattern every demand that is not met gives a violated row.
        """
        system = self.system
        inside = np.minimum(1.0, x + (0.0 if whole else SETTINGS.deepening))
        inside[system.primary] = 1.0
        pairs: list[tuple[int, int]] = []
        others: list[int] = []
        waiting = self._wait > 0
        self._wait[waiting] -= 1
        for demand in [*np.flatnonzero(~waiting).tolist(), *np.flatnonzero(waiting).tolist()]:
            if len(pairs) >= most or (pairs and waiting[demand]) or self.over():
                break
            rays = self.short_rays(demand, inside, FARTHEST if whole else USUAL)
            self._met[demand] = 0 if rays else self._met[demand] + 1
            self._wait[demand] = min(SETTINGS.longest_wait, self._met[demand])
            if rays is not None:
                pairs.append((rays[0], demand))
                others.append(rays[1])
        if not pairs:
            return _filled(_room(0, 0))
        return self.rows(np.array(pairs), np.array(others), x)

    def short_rays(self, demand: int, x: Floats, farthest: float = USUAL) -> tuple[int, int] | None:
        """The rays by which a demand is short at x, one a direction; None where it is met."""
        reached = self.movements.demand(demand, x, farthest)
        if self.movements.met(demand, reached) or not all(direction.ray.size for direction in reached):
            return None
        if self.system.ways[demand] == ONE_WAY:
            ray = self.keep(reached[0].columns, reached[0].ray)
            return ray, ray
        return self.keep(reached[0].columns, reached[0].ray), self.keep(reached[1].columns, reached[1].ray)

    def keep(self, columns: Ints, ray: Floats) -> int:
        """Keep a ray; its number."""
        rays = self.rays
        end = rays.start[-1] + len(columns)
        self.rays = Rays(
            np.append(rays.start, end), np.concatenate([rays.at, columns]), np.concatenate([rays.value, ray])
        )
        return len(rays.start) - 1

    def bridges(self, x: Floats, most: int) -> Rows:
        """Rows of rays on which x of one cell is more than x of all others together."""
        rows = _room(int(self.rays.start[-1]), most)
        dispatch(bridge_rows)(self.rays, self.demand_arrays, x, 1e-3, rows)
        return _filled(rows)


def _room(entries: int, rows: int) -> Rows:
    nothing = np.zeros(rows + 1)
    return Rows(
        at=np.zeros(entries, dtype=np.int64),
        value=np.zeros(entries),
        start=np.zeros(rows + 2, dtype=np.int64),
        right=nothing,
        short=nothing.copy(),
        used=np.zeros(2, dtype=np.int64),
    )


def _filled(rows: Rows) -> Rows:
    entries, count = rows.used
    return Rows(
        at=rows.at[:entries],
        value=rows.value[:entries],
        start=rows.start[: count + 1],
        right=rows.right[:count],
        short=rows.short[:count],
        used=rows.used,
    )
