"""Patterns with a proof for every demand: a movement that meets it, along cells that are suppressed.

A movement of few cells is a movement of the whole table. So proofs may be sought in the neighbourhood of a
cell, and a pattern changes where proofs allow it: cells that no proof needs are published.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tacita.core.arrays import Floats, Ints, Mask
from tacita.kernels.tables.network import BOTH_WAYS
from tacita.tables.suppression.optimal.attacker_lp import Movements
from tacita.tables.suppression.optimal.movement_lp import FARTHEST, STILL, USUAL, Paths
from tacita.tables.suppression.optimal.relation_patterns import moved
from tacita.tables.suppression.optimal.relation_system import System

from .neighbourhood import Nearby


@dataclass(frozen=True)
class MovementCertificateSettings:
    """Prices by which movements are found, and tolerances of what they prove.

    `python -m benchmarks large_tables` prints cost and seconds that these lead to.
    """

    # share of its cost that a cell still has once it is suppressed: proofs stay short and lean on cheap cells
    suppressed_price: float = 1e-2
    # share of the price that is taken off a cell that surely belongs to a cheap pattern, for first proofs
    guidance: float = 0.95
    # columns of a system up to which one LP of the whole is kept
    whole_columns: int = 2000
    # share of the farthest movement: what moves less may be rounding of the solver, and proves nothing
    noise: float = 1e-3
    # share of a demand that rounding may take from a movement
    rounding: float = 1e-9


SETTINGS = MovementCertificateSettings()


class Movement(NamedTuple):
    """Columns that move, and by how much each; the change is None where a width is proven."""

    columns: Ints
    change: Floats | None = None


class Proofs:
    """Suppressed cells of a system (`chosen`), and for every demand the cells whose movement proves it met.

    It begins with some suppressed cells of the table, and proves every demand itself. A movement proves all
    demands that it meets, as far as it can be stretched in either direction.
    Cost of a proof: a linear program, of the whole system where it is not large, else of the cells around.
    """

    def __init__(
        self,
        system: System,
        suppressed: Mask,
        likely: Floats | None = None,
        over: Callable[[], bool] = lambda: False,
    ) -> None:
        """`likely` is how likely each cell belongs to a cheap pattern; the first proofs prefer such cells.

        No other proofs are sought once `over()` is true.
        """
        self.system, self._over = system, over
        self.chosen: Mask = system.primary | system.of_suppressed(suppressed)
        self.proofs: list[Ints | None] = [None] * system.demands
        self._users: dict[int, set[int]] = {}
        self._refused = np.zeros(system.demands)
        self._of_column: dict[int, list[int]] = {}
        for demand, own in enumerate(system.own.tolist()):
            self._of_column.setdefault(own, []).append(demand)
        positive = system.cost[system.cost > 0]
        self._plain = np.maximum(
            system.cost, SETTINGS.suppressed_price * float(positive.mean()) if positive.size else 1.0
        )
        self.price = self._plain if likely is None else self._plain * (1 - SETTINGS.guidance * likely)
        whole = system.edges <= SETTINGS.whole_columns
        self._nearby = (
            None
            if whole
            else Nearby(system, np.where(self.chosen, SETTINGS.suppressed_price, 1.0) * self.price)
        )
        self._whole = Paths(system, quick=False) if whole else None
        self._suppressed_paths: tuple[Ints, Paths] | None = None
        self._movements: Movements | None = None

    def price_plainly(self) -> None:
        """From now on cells are priced at their cost, however likely they are."""
        self.price = self._plain
        if self._nearby is not None:
            every = np.arange(self.system.edges)
            self._nearby.reprice(every, np.where(self.chosen, SETTINGS.suppressed_price, 1.0) * self.price)

    @property
    def cost(self) -> float:
        """Of the secondary cells."""
        return float(self.system.cost[self.chosen].sum())

    @property
    def secondary(self) -> Ints:
        """Secondary suppressions, most expensive first."""
        secondary = np.flatnonzero(self.chosen & ~self.system.primary)
        return secondary[np.argsort(-self.system.cost[secondary], kind="stable")]

    def users(self, column: int) -> set[int]:
        """Demands whose proof moves a cell."""
        return self._users.get(column, set())

    def prove(self, demand: int, hurried: bool = False) -> bool:
        """Prove a demand by the cheapest movement, and suppress the cells that move.

        False where all cells together do not meet it. The movement also proves the demands without a proof
        that it meets. In a hurry any movement of all cells will do, which is quickly found.
        """
        if self.proofs[demand] is not None:
            return True
        if hurried:
            movement = self._find_any(demand)
        else:
            everything = np.ones(self.system.edges, dtype=bool)
            movement = self.find(demand, self.chosen, self.chosen) or self.find(
                demand, everything, self.chosen
            )
        if movement is None:
            return False
        self.take(demand, movement.columns)
        bare = [owner for owner in self._on(movement.columns) if self.proofs[owner] is None]
        for other in self._met(bare, movement):
            self.take(other, movement.columns)
        return True

    def _on(self, columns: Ints) -> list[int]:
        """Demands of some columns."""
        return [demand for column in columns.tolist() for demand in self._of_column.get(column, ())]

    def _met(self, demands: list[int], movement: Movement) -> list[int]:
        """Those of some demands that a movement meets, stretched there or back."""
        columns, change = movement
        if change is None or not demands:
            return []
        system, size = self.system, np.abs(change)
        up, down = system.up[columns], system.down[columns]
        risen, fallen = np.zeros(columns.size), np.zeros(columns.size)
        for sign in (1.0, -1.0):
            farthest = float((np.where(sign * change > 0, up, down) / size).min())
            moved = sign * change * min(farthest, 1 / SETTINGS.noise)
            risen, fallen = np.maximum(risen, moved), np.maximum(fallen, -moved)
        risen[size < SETTINGS.noise * size.max()] = fallen[size < SETTINGS.noise * size.max()] = 0.0
        places = np.searchsorted(columns, system.own[demands])
        places[places == columns.size] = 0
        met = []
        for demand, place in zip(demands, places.tolist(), strict=True):
            ways = system.directions(demand)
            least = float(system.amount[demand]) * (1 - SETTINGS.rounding)
            reached = [float((risen if way > 0 else fallen)[place]) for way in ways]
            together = sum(reached) if system.ways[demand] == BOTH_WAYS else max(reached)
            if columns[place] == system.own[demand] and together >= least:
                met.append(demand)
        return met

    def take(self, demand: int, columns: Ints) -> None:
        """A demand is proven by these from now on."""
        old = self.proofs[demand]
        for column in () if old is None else old.tolist():
            self._users[column].discard(demand)
        for column in columns.tolist():
            self._users.setdefault(column, set()).add(demand)
        self.proofs[demand] = columns
        self._set_suppressed(columns[~self.chosen[columns]], True)

    def _set_suppressed(self, columns: Ints, suppressed: bool) -> None:
        """Suppress some cells, or publish them; proofs stay as they are."""
        if columns.size:
            self.chosen[columns] = suppressed
            if self._nearby is not None:
                self._nearby.reprice(
                    columns, (SETTINGS.suppressed_price if suppressed else 1.0) * self.price[columns]
                )
            if suppressed and self._suppressed_paths is not None:
                inside = np.isin(columns, self._suppressed_paths[0], assume_unique=True).all()
                self._suppressed_paths = self._suppressed_paths if inside else None

    def find(self, demand: int, allowed: Mask, nearly_free: Mask) -> Movement | None:
        """Allowed cells whose cheapest movement meets a demand, some of them nearly free; None if none do."""
        weight = np.where(nearly_free, SETTINGS.suppressed_price, 1.0) * self.price
        weight = weight / float(weight.max(initial=0.0) or 1.0)
        for columns, number, paths in self._search_spaces(demand, allowed):
            cheapest = _cheapest(paths, number, weight[columns], allowed[columns])
            if cheapest is not None:
                return Movement(columns[cheapest.columns], cheapest.change)
        return None

    def _find_any(self, demand: int) -> Movement | None:
        """Cells whose movement meets a demand, whatever they cost; None if none do."""
        everything = np.ones(self.system.edges)
        if self.system.ways[demand] == BOTH_WAYS:
            return self.find(demand, everything > 0, self.chosen)
        if self._movements is None:
            self._movements = Movements(self.system)
        for farthest in (USUAL, FARTHEST):
            reached = self._movements.demand(demand, everything, farthest)[-1]
            if reached.enough:
                columns = np.flatnonzero(np.abs(reached.change) > STILL)
                return Movement(columns, reached.change[columns] * float(self.system.amount[demand]))
        return None

    def _search_spaces(self, demand: int, allowed: Mask) -> Iterator[tuple[Ints, int, Paths]]:
        """Where to look, the smallest first: some columns, the number of the demand there, an LP of paths."""
        within = not (allowed & ~self.chosen).any()
        if self._whole is not None and not within:
            yield np.arange(self.system.edges), demand, self._whole
        elif self._whole is not None:
            if self._suppressed_paths is None:
                inside = self.chosen.copy()
                paths = Paths(self.system.among(inside), quick=False)
                self._suppressed_paths = (np.flatnonzero(inside), paths)
            yield self._suppressed_paths[0], demand, self._suppressed_paths[1]
        elif self._nearby is not None:
            for size in self._nearby.sizes[: 1 if within else None]:
                part = self._nearby.part(demand, size, allowed)
                if part.system is not None:
                    yield part.columns, 0, Paths(part.system, quick=False)
                if part.all_there_are:
                    break

    def exchange(self, chosen: Mask, demands: list[int]) -> bool:
        """Suppress these cells instead, and prove some demands again; whether that could be done."""
        before, proofs = self.chosen.copy(), [self.proofs[demand] for demand in demands]
        self._set_suppressed(np.flatnonzero(chosen & ~before), True)
        self._set_suppressed(np.flatnonzero(before & ~chosen), False)
        instead = self._instead(demands, chosen, chosen)
        if instead is not None:
            self._take_all(instead, np.flatnonzero(chosen))
            return True
        self._set_suppressed(np.flatnonzero(before & ~self.chosen), True)
        for demand, old in zip(demands, proofs, strict=True):
            if old is not None:
                self.take(demand, old)
        self._set_suppressed(np.flatnonzero(self.chosen & ~before), False)
        return False

    def _instead(
        self, demands: list[int], allowed: Mask, nearly_free: Mask, below: float = np.inf
    ) -> dict[int, Ints] | None:
        """Other proofs of some demands, among the allowed cells; None where one has none, or it is over.

        None, too, where the cells outside `nearly_free` would cost `below` or more.
        """
        instead: dict[int, Ints] = {}
        nearly_free, spent = nearly_free.copy(), 0.0
        for demand in demands:
            if demand in instead:
                continue
            if self._over():
                return None
            movement = self.find(demand, allowed, nearly_free)
            new = movement and movement.columns[~nearly_free[movement.columns]]
            if new is not None and new.size:
                spent += float(self.system.cost[new].sum())
                nearly_free[new] = True
            if movement is None or spent >= below:
                # a demand that blocked one cell is likely to block the next
                self._refused[demand] += 1
                return None
            instead[demand] = movement.columns
            left = [remaining for remaining in demands if remaining not in instead]
            instead.update(dict.fromkeys(self._met(left, movement), movement.columns))
        return instead

    def _take_all(self, instead: dict[int, Ints], loose: Ints) -> None:
        """Take other proofs, and publish the `loose` cells that no proof uses then."""
        for demand, columns in instead.items():
            self.take(demand, columns)
        free = [column for column in loose.tolist() if not self.users(column)]
        idle = np.array(free, dtype=np.int64)
        self._set_suppressed(idle[~self.system.primary[idle] & self.chosen[idle]], False)

    def _users_first(self, column: int) -> list[int]:
        """Demands whose proof moves a cell, those first that blocked other cells most often."""
        return sorted(self.users(column), key=lambda demand: (-self._refused[demand], demand))

    def publish_idle(self) -> None:
        """Publish what no proof uses."""
        self._take_all({}, np.flatnonzero(self.chosen))

    def spare(self, column: int) -> bool:
        """Publish one cell if the other suppressed cells prove all demands; whether it was published."""
        allowed = self.chosen.copy()
        allowed[column] = False
        instead = self._instead(self._users_first(column), allowed, allowed)
        if instead is not None:
            self._take_all(instead, np.array([column]))
        return instead is not None

    def replace(self, column: int) -> bool:
        """Publish one cell, with all that only its demands need, if others cost less; whether it was."""
        demands = self._users_first(column)
        used = [columns for demand in demands if (columns := self.proofs[demand]) is not None]
        cells = np.unique(np.concatenate([np.array([column]), *used]))
        asking = set(demands)
        alone = np.array([self.users(cell) <= asking for cell in cells.tolist()])
        loose = cells[alone & ~self.system.primary[cells]]
        nearly_free, allowed = self.chosen.copy(), np.ones(self.system.edges, dtype=bool)
        nearly_free[loose] = allowed[column] = False
        below = float(self.system.cost[loose].sum()) * (1 - SETTINGS.rounding)
        instead = self._instead(demands, allowed, nearly_free, below)
        if instead is not None:
            self._take_all(instead, loose)
        return instead is not None


def _cheapest(paths: Paths, demand: int, weight: Floats, within: Mask) -> Movement | None:
    """Cells that move where a demand is met at least weight, and how; None where nothing meets it."""
    system = paths.system
    if system.ways[demand] == BOTH_WAYS:
        movers = moved(paths, demand, weight, within)
        return None if movers is None else Movement(np.flatnonzero(movers))
    own, amount = int(system.own[demand]), float(system.amount[demand])
    least, best = np.inf, None
    for sign in system.directions(demand):
        change = paths.cheapest(own, sign, amount, weight, within)
        if change is None:
            continue
        columns = np.flatnonzero(change)
        if (price := float(weight[columns].sum())) < least:
            least, best = price, Movement(columns, change[columns] * amount)
        back = -change * amount
        if (back <= system.up).all() and (-back <= system.down).all():
            # what can be undone as well costs the same the other way
            break
    return best
