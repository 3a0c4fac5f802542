"""Patterns that protect a system: cheapest movements demand by demand, then removal of what none needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tacita.core import DataError
from tacita.core.arrays import Floats, Ints, Mask
from tacita.kernels.tables.network import BOTH_WAYS

from .attacker_lp import Movements
from .movement_lp import FARTHEST, SHORT, Paths
from .relation_system import System


@dataclass(frozen=True)
class RelationPatternSettings:
    """How much of a pattern a random change gives up, and tolerances of movements and rows."""

    # share of the secondary cells that a change gives up, at most
    share: float = 0.3
    # count of them, at most (on average)
    cells: int = 10
    # share that a solver may be off a farthest movement that is then demanded
    rounding: float = 1e-10
    # tolerance of a row, whose right side is 1 or 0
    violation: float = 1e-6


SETTINGS = RelationPatternSettings()


class Movers(NamedTuple):
    """A pattern, and for each demand (a row) the cells that move where it is met."""

    chosen: Mask
    used: Mask


class Known(NamedTuple):
    """Rows that every protecting pattern satisfies, over the cells of a system: matrix x >= right."""

    matrix: Any
    right: Floats


class Builder:
    """Builds protecting patterns out of some of a system's cells: masks over all, primaries included.

    Once `over()` is true, nothing more is built; needless cells are dropped until then, and a pattern
    protects even where that ends early.
    """

    def __init__(
        self, system: System, within: Mask | None = None, over: Callable[[], bool] = lambda: False
    ) -> None:
        self.system, self.over = system, over
        self.within = np.ones(system.edges, dtype=bool) if within is None else within | system.primary
        self._paths = Paths(system)
        # rows that all protecting patterns satisfy: no cell that one of them needs is tried
        self.known: Known | None = None
        # the pattern that was changed last
        self._changed: Movers | None = None

    def cost(self, chosen: Mask) -> float:
        """Cost of the secondary cells of a pattern."""
        return float(self.system.cost[chosen].sum())

    def grow(self, chosen: Mask, weight: Floats, order: Ints) -> Movers | None:
        """Add the cheapest movements by `weight` to a pattern for some demands.

        None if one has none, or if it is over before all have theirs.
        """
        system = self.system
        grown, used = chosen | system.primary, np.zeros((system.demands, system.edges), dtype=bool)
        scale = float(weight.max(initial=0.0)) or 1.0
        for demand in order.tolist():
            if self.over():
                return None
            left = np.where(grown, 0.0, weight / scale)
            movers = moved(self._paths, demand, left, self.within | grown)
            if movers is None:
                return None
            used[demand] = movers
            grown |= movers
        return Movers(grown, used)

    def clean(self, chosen: Mask, keys: Floats | None = None) -> Mask:
        """Drop what no demand needs, highest key first; the key is the cost unless given."""
        chosen = chosen | self.system.primary
        none = np.zeros((self.system.demands, self.system.edges), dtype=bool)
        return self.cleaned(Movers(chosen, none), keys).chosen

    def cleaned(self, made: Movers, keys: Floats | None = None, tried: Mask | None = None) -> Movers:
        """Drop what no demand needs of what was tried, highest key first, and see who moves then."""
        system, chosen = self.system, made.chosen
        keys = system.cost if keys is None else keys
        tried = ~system.primary if tried is None else tried & ~system.primary
        places = np.flatnonzero(chosen)
        order = np.flatnonzero(tried[chosen])
        order = order[np.argsort(-keys[places[order]], kind="stable")]
        known = self.known and Known(self.known.matrix[:, places], self.known.right)
        left, used = needed(system.among(chosen), order, made.used[:, chosen], known, self.over)
        kept = Movers(np.zeros(system.edges, dtype=bool), np.zeros_like(made.used))
        kept.chosen[places[left]] = True
        kept.used[:, places] = used
        return kept

    def build(self, generator: np.random.Generator, weight: Floats, start: Mask | None = None) -> Mask | None:
        """A clean pattern, demands in random order, from a start (or none) by weights."""
        order = generator.permutation(self.system.demands)
        chosen = np.zeros(self.system.edges, dtype=bool) if start is None else start
        grown = self.grow(chosen, weight, order)
        return None if grown is None else self.cleaned(grown).chosen

    def protects(self, chosen: Mask) -> bool:
        """Whether all demands are met by a pattern."""
        return short_demand(self.system, chosen) < 0

    def improve(self, generator: np.random.Generator, chosen: Mask, weight: Floats) -> Mask | None:
        """Give up the secondary cells around one of them and a few at random, protect again, clean."""
        system = self.system
        secondary = np.flatnonzero(chosen & ~system.primary)
        if not len(secondary):
            return None
        if self._changed is None or not np.array_equal(self._changed.chosen, chosen):
            none = np.zeros((system.demands, system.edges), dtype=bool)
            known = self.cleaned(Movers(chosen | system.primary, none))
            if self.over():
                return None
            self._changed = known
        mid = secondary[generator.integers(len(secondary))]
        around = system.relations[system.relations[:, [mid]].nonzero()[0]]
        near = np.isin(secondary, around.nonzero()[1])
        share = min(SETTINGS.share, SETTINGS.cells / len(secondary)) * generator.random()
        gone = secondary[near | (generator.random(len(secondary)) < share)]
        start = self._changed.chosen.copy()
        start[gone] = False
        lost = self._changed.used[:, gone].any(axis=1)
        noisy = weight * generator.uniform(0.7, 1.3, len(weight))
        again = self.grow(start, noisy, generator.permutation(np.flatnonzero(lost)))
        if again is None:
            return None
        new = again.used[lost].any(axis=0) | (again.chosen & ~chosen)
        again.used[~lost] = self._changed.used[~lost]
        # the other demands need their cells as before
        cleaned = self.cleaned(again, tried=new)
        if self.cost(cleaned.chosen) < self.cost(chosen):
            self._changed = cleaned
        return cleaned.chosen


def short_demand(system: System, chosen: Mask) -> int:
    """The first demand that a pattern does not meet; -1 where it meets all."""
    part = system.among(chosen | system.primary)
    movements, everything = Movements(part), np.ones(part.edges)
    for demand in range(part.demands):
        if not movements.meets(demand, everything):
            return demand
    return -1


def moved(paths: Paths, demand: int, weight: Floats, within: Mask) -> Mask | None:
    """Cells that move where a demand is met at least weight; None where nothing meets it."""
    system = paths.system
    own, amount = int(system.own[demand]), float(system.amount[demand])
    if system.ways[demand] == BOTH_WAYS:
        return _moved_both_ways(paths, own, amount, weight, within)
    least, best = np.inf, None
    for sign in system.directions(demand):
        change = paths.cheapest(own, sign, amount, weight, within)
        if change is not None:
            used = change != 0
            if (price := float(weight[used].sum())) < least:
                least, best = price, used
    return best


def _moved_both_ways(paths: Paths, own: int, amount: float, weight: Floats, within: Mask) -> Mask | None:
    """A width: as much as can be had one way, or half, or as little, and the rest the other way."""
    movements = Movements(paths.system, paths.quick)
    x = within.astype(float)
    there, back = (movements.reach(own, sign, amount, x, FARTHEST).share for sign in (1.0, -1.0))
    if there + back < 1 - SHORT:
        return None
    least, best = np.inf, None
    for share in dict.fromkeys((there, 1.0 - back, min(there, max(1.0 - back, 0.5)))):
        used = np.zeros(len(weight), dtype=bool)
        for sign, part in ((1.0, share), (-1.0, 1.0 - share)):
            if part <= SHORT:
                continue
            left = np.where(used, 0.0, weight)
            change = paths.cheapest(own, sign, amount, left, within, part * (1 - SETTINGS.rounding))
            if change is None:
                break
            used |= change != 0
        else:
            if (price := float(weight[used].sum())) < least:
                least, best = price, used
    return best


def needed(
    system: System, order: Ints, used: Mask, known: Known | None, over: Callable[[], bool]
) -> tuple[Mask, Mask]:
    """Cells of a system left when those that no demand needs are dropped one by one, in order, until `over`.

    Each demand keeps the cells that move where it is met (`used`, as far as they are known), so that only
    those are looked at again that use a dropped cell. What no movement uses goes at once; what a known row
    needs is not tried. Returns who is left, and who moves then.
    """
    paths, uses = Paths(system), used.copy()
    weight = np.where(system.primary, 0.0, system.cost) / (float(system.cost.max(initial=0.0)) or 1.0)
    alive = np.ones(system.edges, dtype=bool)
    for demand in np.flatnonzero(~uses.any(axis=1)).tolist():
        if over():
            return alive, uses
        movers = moved(paths, demand, weight, alive)
        if movers is None:
            raise DataError("A pattern that does not protect cannot be cleaned.")
        uses[demand] = movers
    room = None if known is None else _Room(known)
    # a demand that blocked one cell is likely to block the next
    refused = np.zeros(system.demands)
    for tried, cell in enumerate(order.tolist()):
        if tried % 8 == 0 and over():
            break
        if room is not None and room.lacks(cell):
            continue
        alive[cell] = False
        again: dict[int, Mask] = {}
        affected = np.flatnonzero(uses[:, cell])
        for demand in affected[np.argsort(-refused[affected], kind="stable")].tolist():
            movers = moved(paths, demand, weight, alive)
            if movers is None:
                alive[cell] = True
                refused[demand] += 1
                break
            again[demand] = movers
        else:
            for demand, movers in again.items():
                uses[demand] = movers
            if room is not None:
                room.drop(cell)
    return alive, uses


class _Room:
    """By how much a pattern satisfies known rows more than it must, while cells leave it."""

    def __init__(self, known: Known) -> None:
        self._matrix = known.matrix.tocsc()
        self._room = np.asarray(self._matrix.sum(axis=1)).ravel() - known.right

    def _column(self, cell: int) -> tuple[Ints, Floats]:
        span = slice(self._matrix.indptr[cell], self._matrix.indptr[cell + 1])
        return self._matrix.indices[span], self._matrix.data[span]

    def lacks(self, cell: int) -> bool:
        """Whether a row would not be satisfied without a cell."""
        rows, values = self._column(cell)
        return bool((self._room[rows] - values < -SETTINGS.violation).any())

    def drop(self, cell: int) -> None:
        """Let a cell go."""
        rows, values = self._column(cell)
        self._room[rows] -= values
