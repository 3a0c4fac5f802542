"""Patterns with a proof for every demand: a movement that meets it, along cells that are withheld.

A movement of few cells is a movement of the whole table. So proofs may be looked for around a cell alone, and
a pattern changes where proofs allow it: what no proof needs is published.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tacita.core.arrays import Floats, Ints, Mask
from tacita.tables.suppression.general.incumbent import moved
from tacita.tables.suppression.general.paths import Paths
from tacita.tables.suppression.general.system import System

from .nearby import Nearby

# What is withheld already weighs this part of its cost: proofs are short, and lean on cheap cells.
_FREE = 1e-2
# Columns of a system up to which its programme is kept for all questions.
_ALL = 10_000


class _Within(NamedTuple):
    """Some columns of a system, and the programme of cheapest movements among them."""

    columns: Ints
    paths: Paths

    @classmethod
    def of(cls, system: System, columns: Ints) -> _Within:
        inside = np.zeros(system.edges, dtype=bool)
        inside[columns] = True
        return cls(columns, Paths(system.among(inside), quick=False))


class Proofs:
    """Withheld cells of a system (`chosen`), and for every demand the cells whose movement proves it met.

    It begins with some withheld cells of the table, of which nothing is taken for proven.
    Cost of a proof: a linear programme, of the whole system where it is not large, else of the cells around.
    """

    def __init__(self, system: System, withheld: Mask) -> None:
        self.system = system
        # a column is withheld with any of its cells: they only move together
        whose = np.repeat(np.arange(system.edges), np.diff(system.start))
        begun = np.bincount(whose, withheld[system.cells], system.edges) > 0
        self.chosen: Mask = system.primary | begun
        self.proofs: list[Ints | None] = [None] * system.demands
        self._users: dict[int, set[int]] = {}
        self._refused = np.zeros(system.demands)
        positive = system.cost[system.cost > 0]
        self.price = np.maximum(system.cost, _FREE * float(positive.mean()) if positive.size else 1.0)
        whole = system.edges <= _ALL
        self._nearby = None if whole else Nearby(system, np.where(self.chosen, _FREE, 1.0) * self.price)
        self._whole = _Within(np.arange(system.edges), Paths(system, quick=False)) if whole else None
        self._withheld: _Within | None = None

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

    def prove(self, demand: int) -> bool:
        """Give a demand a proof, by the cheapest movement; what moves is withheld from then on.

        False where all cells together do not meet it.
        """
        found = self.find(demand, self.chosen, self.price)
        if found is None:
            found = self.find(demand, np.ones(self.system.edges, dtype=bool), self.price)
        if found is not None:
            self.take(demand, found)
        return found is not None

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
        weight = np.where(self.chosen, _FREE * self.price, price)
        weight = weight / float(weight.max(initial=0.0) or 1.0)
        for columns, paths in self._programmes(int(self.system.own[demand]), allowed):
            movers = moved(paths, demand, weight[columns], allowed[columns])
            if movers is not None:
                return columns[movers]
        return None

    def _programmes(self, own: int, allowed: Mask) -> Iterator[_Within]:
        """Where to look, the smallest first."""
        within = not (allowed & ~self.chosen).any()
        if self._whole is not None and not within:
            yield self._whole
        elif self._whole is not None:
            if self._withheld is None:
                self._withheld = _Within.of(self.system, np.flatnonzero(self.chosen))
            yield self._withheld
        elif self._nearby is not None:
            for size in self._nearby.sizes[: 1 if within else None]:
                columns = self._nearby.nearest(own, size)
                yield _Within.of(self.system, columns[allowed[columns]])

    def exchange(self, chosen: Mask, demands: list[int]) -> bool:
        """Withhold these cells instead, and prove some demands again; whether that could be done."""
        before, proofs = self.chosen.copy(), [self.proofs[demand] for demand in demands]
        self.withhold(np.flatnonzero(chosen & ~before), True)
        self.withhold(np.flatnonzero(before & ~chosen), False)
        for demand in demands:
            found = self.find(demand, chosen, self.price)
            if found is None:
                break
            self.take(demand, found)
        else:
            for column in np.flatnonzero(chosen & ~self.system.primary).tolist():
                if not self.users(column):
                    self.spare(column)
            return True
        self.withhold(np.flatnonzero(before & ~self.chosen), True)
        for demand, old in zip(demands, proofs, strict=True):
            if old is not None:
                self.take(demand, old)
        self.withhold(np.flatnonzero(self.chosen & ~before), False)
        return False

    def spare(self, column: int) -> bool:
        """Publish one cell if all demands stay proven; whether it was."""
        allowed = self.chosen.copy()
        allowed[column] = False
        instead = []
        for demand in sorted(self.users(column), key=lambda each: (-self._refused[each], each)):
            found = self.find(demand, allowed, self.price)
            if found is None:
                # what was in the way of one cell is likely to be in that of the next
                self._refused[demand] += 1
                return False
            instead.append((demand, found))
        for demand, found in instead:
            self.take(demand, found)
        self.withhold(np.array([column]), False)
        return True
