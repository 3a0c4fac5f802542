"""The attacker's LP: how far one cell can move while suppressed cells move along, or why no farther.

One LP is kept for all cells and patterns. It starts where nothing moves: from there it meets only the cells
around the one in question, which takes fewer steps than from the movement of another.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacita.core.arrays import Floats, Ints
from tacita.kernels.tables.network import BOTH_WAYS

from .movement_lp import FARTHEST, SHORT, USUAL, MovementLP
from .relation_system import System


class Reached(NamedTuple):
    """The share of a demand that a cell has moved; all cells' movements in that unit; the ray if it is short.

    A ray is a sum of relations, by columns: ray d = 0 for every movement d. It names the cells that would
    have to move more.
    """

    share: float
    change: Floats
    columns: Ints
    ray: Floats

    @property
    def enough(self) -> bool:
        """Whether the demand is reached."""
        return self.share >= 1 - SHORT


class Movements:
    """Largest d_k with M d = 0 and -down x <= d <= up x, for any cell k and any x, fractional or not.

    >>> from tacita.core import Table
    >>> from .relation_presolve import systems_of
    >>> values = [[5.0, 3.0, 1.0], [2.0, 4.0, 1.0], [1.0, 1.0, 1.0]]
    >>> table = Table.from_array(values, primary=np.arange(9).reshape(3, 3) == 0, lower=20, upper=20)
    >>> (system,) = systems_of(table, "interval")
    >>> all(Movements(system).demand(q, np.ones(system.edges))[0].enough for q in range(system.demands))
    True
    """

    def __init__(self, system: System, quick: bool = True) -> None:
        self.system = system
        self._lp = MovementLP(system, quick)
        self._by_cell = self._lp.rows.T.tocsr()

    def demand(self, demand: int, x: Floats, farthest: float = USUAL) -> list[Reached]:
        """What is reached of a demand in each direction (the second only where the first is short)."""
        system, reached = self.system, []
        for sign in system.directions(demand):
            amount = float(system.amount[demand])
            reached.append(self.reach(int(system.own[demand]), sign, amount, x, farthest))
            if reached[-1].enough:
                break
        return reached

    def met(self, demand: int, reached: list[Reached]) -> bool:
        """Whether a demand is met by what was reached in one direction, or in both together."""
        if self.system.ways[demand] == BOTH_WAYS:
            return sum(direction.share for direction in reached) >= 1 - SHORT
        return reached[-1].enough

    def meets(self, demand: int, x: Floats) -> bool:
        """Whether a demand is met, however far cells must move for that."""
        return any(self.met(demand, self.demand(demand, x, farthest)) for farthest in (USUAL, FARTHEST))

    def reach(self, cell: int, sign: float, amount: float, x: Floats, farthest: float = USUAL) -> Reached:
        """How far a cell can move in a direction, up to an amount, if x of every other is suppressed."""
        system = self.system
        n = system.edges
        up, down = (np.minimum(side / amount, farthest) * x for side in (system.up, system.down))
        up[cell] = min(1.0, float(system.up[cell]) / amount) if sign > 0 else 0.0
        down[cell] = min(1.0, float(system.down[cell]) / amount) if sign < 0 else 0.0
        own = cell if sign > 0 else n + cell
        moved = self._lp.move(own, np.concatenate([up, down]), reward=1.0)
        nothing = np.empty(0)
        if moved is None:
            return Reached(0.0, np.zeros(n), nothing.astype(np.int64), nothing)
        if moved.share >= 1 - SHORT:
            return Reached(moved.share, moved.change, nothing.astype(np.int64), nothing)
        return Reached(moved.share, moved.change, *self._combined(moved.weight))

    def _combined(self, weight: Floats) -> tuple[Ints, Floats]:
        """The weighted sum of relations, as columns and their figures."""
        ray = self._by_cell @ _plain(weight)
        columns = np.flatnonzero(np.abs(ray) > 1e-9)
        return columns, ray[columns]


def _plain(duals: Floats) -> Floats:
    """Duals as the fractions they mostly are: what is nearly a small fraction is that fraction."""
    for parts in (1, 2, 3, 4, 6):
        near = np.round(duals * parts)
        if np.abs(duals * parts - near).max(initial=0.0) < 1e-7:
            # sums of whole numbers are exact
            return near
    return duals
