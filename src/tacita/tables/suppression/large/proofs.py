"""Patterns with a proof for every demand: a movement that meets it, along cells that are withheld.

A movement of few cells is a movement of the whole table. So proofs may be looked for around a cell alone, and
a pattern changes where proofs allow it: what no proof needs is published.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from tacita.core import DataError
from tacita.core.arrays import Floats, Ints, Mask
from tacita.kernels.tables.network import BOTH_WAYS
from tacita.tables.suppression.general.system import System

from .cheapest import Cheapest
from .nearby import Nearby

# What is withheld already weighs this part of its cost: proofs are short, and lean on cheap cells.
_FREE = 1e-1
# Columns of a system up to which its programme is kept for all questions.
_ALL = 10_000


class Proofs:
    """Withheld cells of a system (`chosen`), and for every demand the cells whose movement proves it met.

    Cost of a proof: a linear programme, of the whole system where it is not large, else of the cells around.
    """

    def __init__(self, system: System) -> None:
        self.system = system
        self.chosen: Mask = system.primary.copy()
        self.proofs: list[Ints | None] = [None] * system.demands
        self._users: dict[int, set[int]] = {}
        positive = system.cost[system.cost > 0]
        self.price = np.maximum(system.cost, _FREE * float(positive.mean()) if positive.size else 1.0)
        whole = system.edges <= _ALL
        self._nearby = None if whole else Nearby(system, np.where(system.primary, _FREE, 1.0) * self.price)
        self._whole = Cheapest(system, np.arange(system.edges)) if whole else None
        self._withheld: Cheapest | None = None

    @property
    def cost(self) -> float:
        """Of the secondary cells."""
        return float(self.system.cost[self.chosen].sum())

    @property
    def secondary(self) -> Ints:
        """Columns withheld besides the primaries, dearest first."""
        found = np.flatnonzero(self.chosen & ~self.system.primary)
        return found[np.argsort(-self.system.cost[found], kind="stable")]

    def users(self, column: int) -> set[int]:
        """Demands whose proof moves a cell."""
        return self._users.get(column, set())

    def prove(self, demands: Iterable[int], price: Floats | None = None) -> None:
        """Give every demand a proof, by the cheapest movement; what moves is withheld from then on.

        DataError where a demand cannot be met by all cells together.
        """
        everything = np.ones(self.system.edges, dtype=bool)
        for demand in demands:
            found = self.find(demand, everything, self.price if price is None else price)
            if found is None:
                raise CannotProve(demand)
            self.take(demand, found)

    def take(self, demand: int, columns: Ints) -> None:
        """A demand is proven by these from now on."""
        old = self.proofs[demand]
        for column in () if old is None else old.tolist():
            self._users[column].discard(demand)
        for column in columns.tolist():
            self._users.setdefault(column, set()).add(demand)
        self.proofs[demand] = columns
        self.withhold(columns[~self.chosen[columns]], True)

    def withhold(self, columns: Ints, withheld: bool) -> None:
        """Withhold some cells, or publish them; proofs are as they are."""
        if columns.size:
            self.chosen[columns] = withheld
            if self._nearby is not None:
                self._nearby.reprice(columns, (_FREE if withheld else 1.0) * self.price[columns])
            if withheld and self._withheld is not None:
                inside = np.isin(columns, self._withheld.columns, assume_unique=True).all()
                self._withheld = self._withheld if inside else None

    def find(self, demand: int, allowed: Mask, price: Floats) -> Ints | None:
        """Cells among the allowed whose cheapest movement meets a demand; None where none was found."""
        for programme in self._programmes(int(self.system.own[demand]), allowed):
            found = self._found(programme, demand, allowed, price)
            if found is not None:
                return found
        return None

    def _programmes(self, own: int, allowed: Mask) -> Iterable[Cheapest]:
        """Where to look, the smallest first."""
        within = not (allowed & ~self.chosen).any()
        if self._whole is not None and not within:
            yield self._whole
        elif self._whole is not None:
            if self._withheld is None:
                self._withheld = Cheapest(self.system, np.flatnonzero(self.chosen))
            yield self._withheld
        elif self._nearby is not None:
            for size in self._nearby.sizes[: 1 if within else None]:
                columns = self._nearby.nearest(own, size)
                yield Cheapest(self.system, columns[allowed[columns]])

    def _found(self, programme: Cheapest, demand: int, allowed: Mask, price: Floats) -> Ints | None:
        system, chosen = self.system, self.chosen
        own, amount = int(system.own[demand]), float(system.amount[demand])
        weight = np.where(chosen, _FREE * self.price, price)
        best, least = None, np.inf
        for sign in system.directions(demand):
            moved = programme.move(own, sign, amount, allowed, weight)
            if moved is None:
                continue
            new = moved.columns[~chosen[moved.columns]]
            if (cost := float(price[new].sum())) < least:
                best, least = moved.columns, cost
            if not new.size:
                break
        if best is None and system.ways[demand] == BOTH_WAYS:
            # as far as goes in one direction, the rest in the other
            up = programme.move(own, 1.0, amount, allowed, weight, farthest=True)
            if up is not None and up.share < 1:
                down = programme.move(own, -1.0, (1 - up.share) * amount, allowed, weight)
                best = None if down is None else np.union1d(up.columns, down.columns)
        return best

    def clean(self, columns: Ints | None = None, over: Callable[[], bool] = lambda: False) -> None:
        """Publish what no demand needs, dearest first: where all its proofs can do without it."""
        for column in (self.secondary if columns is None else columns).tolist():
            if not self.users(column) or not over():
                self.spare(column)

    def spare(self, column: int) -> bool:
        """Publish one cell if all demands stay proven; whether it was."""
        allowed = self.chosen.copy()
        allowed[column] = False
        instead = []
        for demand in sorted(self.users(column)):
            found = self.find(demand, allowed, self.price)
            if found is None:
                return False
            instead.append((demand, found))
        for demand, found in instead:
            self.take(demand, found)
        self.withhold(np.array([column]), False)
        return True


class CannotProve(DataError):
    """No movement of all cells together meets a demand."""

    def __init__(self, demand: int) -> None:
        super().__init__("A sensitive cell cannot be protected.")
        self.demand = demand
