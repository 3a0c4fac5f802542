"""Cells that may move, tied by relations, and the demands on them: the input of a search."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from tacita.core.arrays import Floats, Ints, Mask
from tacita.kernels.tables.network import BOTH_WAYS, EITHER_WAY

from .cost_scale import common_step, rounded_up


@dataclass(frozen=True, eq=False)
class System:
    """Movements d of cells with `relations` d = 0, -down <= d <= up; only suppressed cells can move.

    A cell here may stand for several of the table that only move together: `cells[start[i]:start[i + 1]]`,
    which are suppressed all or none, at `cost` in all. Primaries are suppressed in any case, with all cells
    that move with them, and have cost 0: their actual cost is in `fixed_cost`. Demand q requires that cell
    own[q] can move by amount[q] in the direction sign[q]; by ways[q] the other direction will do as well, or
    counts together with this one. `implied` rows follow from the others: an LP skips them, cuts use them.
    """

    relations: Any = field(repr=False)
    implied: Mask = field(repr=False)
    up: Floats = field(repr=False)
    down: Floats = field(repr=False)
    cost: Floats = field(repr=False)
    primary: Mask = field(repr=False)
    own: Ints
    sign: Floats
    amount: Floats
    ways: Ints
    start: Ints = field(repr=False)
    cells: Ints = field(repr=False)
    fixed_cost: float = 0.0

    @property
    def edges(self) -> int:
        """Cells that are or may be suppressed."""
        return len(self.cost)

    @property
    def demands(self) -> int:
        """How many demands."""
        return len(self.own)

    @cached_property
    def amounts(self) -> bool:
        """Whether it matters how much a cell can move, and not only that it can."""
        spans = np.concatenate([self.up, self.down])
        return bool((np.isfinite(spans) & (spans > 0)).any())

    @cached_property
    def whole_costs(self) -> float:
        """The largest number that divides all costs, if they are whole; else 0."""
        return common_step(self.cost[~self.primary])

    def rounded_up(self, bound: float) -> float:
        """The least cost a pattern can have that is not below `bound`."""
        return rounded_up(bound, self.whole_costs)

    def of_table(self, chosen: Mask) -> Ints:
        """The cells of the table that chosen cells stand for."""
        return self.cells[np.repeat(chosen, np.diff(self.start))]

    def of_suppressed(self, suppressed: Mask) -> Mask:
        """The cells of which any cell of the table is suppressed: these only move together."""
        whose = np.repeat(np.arange(self.edges), np.diff(self.start))
        return np.bincount(whose, suppressed[self.cells], self.edges) > 0

    def directions(self, demand: int) -> list[float]:
        """The directions in which the cell of a demand may have to move."""
        sign = float(self.sign[demand])
        return [sign, -sign] if self.ways[demand] in (EITHER_WAY, BOTH_WAYS) else [sign]

    def among(self, chosen: Mask) -> System:
        """The same of some cells alone, those of all demands included; numbers are those of the chosen."""
        place = np.cumsum(chosen) - 1
        relations = self.relations[:, chosen]
        relations.eliminate_zeros()
        rows = np.diff(relations.indptr) > 0
        size = np.diff(self.start)[chosen]
        return replace(
            self,
            relations=relations[rows],
            implied=self.implied[rows],
            up=self.up[chosen],
            down=self.down[chosen],
            cost=self.cost[chosen],
            primary=self.primary[chosen],
            own=place[self.own],
            start=np.concatenate([[0], np.cumsum(size)]),
            cells=self.of_table(chosen),
        )
