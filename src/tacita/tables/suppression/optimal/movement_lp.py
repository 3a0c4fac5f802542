"""The LP of movements: one cell moves as far as demanded, others along with it at the least price.

By HiGHS, or by a kernel of our own that is several times as fast where few cells move. The kernel checks its
answers; where one does not hold, HiGHS solves the LP.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from tacita.core.arrays import Floats, Mask
from tacita.kernels.interpreted import dispatch
from tacita.solvers.highs import LinearProgram

from .relation_system import System

# Movements count in units of the demand. In tables cells seldom have to move farther than that together with
# one that does, and cuts are the deeper for it.
USUAL = 1.0
# Relations other than those of networks can need farther movements: how far, at most.
FARTHEST = 1e4
# Share of a demand by which a solver may be short of it.
SHORT = 1e-9
# A movement below is rounding of the solver.
STILL = 1e-7
_OPTIONS: dict[str, Any] = {
    "presolve": "off",
    "solver": "simplex",
    "primal_feasibility_tolerance": 1e-9,
    "dual_feasibility_tolerance": 1e-9,
}
# Extra price of every movement in the kernel, which breaks ties between movements of the same price.
_TIE_BREAK = 1e-7


class Moved(NamedTuple):
    """How far the cell has moved, all cells' movements, and the weights of relations that say why no more."""

    share: float
    change: Floats
    weight: Floats


class MovementLP:
    """Least price of d with M d = 0, 0 <= rises, falls <= room: rises of all cells first, then falls.

    `quick`: by the kernel, where that has been compiled or is meant to be.
    """

    def __init__(self, system: System, quick: bool) -> None:
        # rows that follow from others are of no use here
        self.rows = system.relations[np.flatnonzero(~system.implied)].tocsr()
        self.cells = system.edges
        self._still = np.zeros(2 * system.edges)
        self._every = np.arange(2 * system.edges)
        self._kernel = _Kernel(self.rows) if quick and self.rows.shape[0] else None
        self._made: LinearProgram | None = None

    def move(
        self, own: int, room: Floats, price: Floats | None = None, reward: float = np.inf
    ) -> Moved | None:
        """Move column `own` by its room if that is worth the reward; None where it must and cannot."""
        if self._kernel is not None:
            known, moved = self._kernel.move(own, room, price, reward)
            if known:
                return moved
        return self._solved(own, room, self._still if price is None else price, reward)

    def _solved(self, own: int, room: Floats, price: Floats, reward: float) -> Moved | None:
        lp = self._highs
        low = self._still
        if reward == np.inf:
            low = low.copy()
            low[own] = room[own]
        else:
            price = price.copy()
            price[own] = -reward
        lp.bound(self._every, low, room)
        lp.costs(self._every, price)
        # from nothing at all a movement is found in fewer steps than from that of another cell
        lp.forget()
        if lp.solve() != "optimal":
            return None
        answer, n = lp.answer(), self.cells
        return Moved(float(answer.x[own]), answer.x[:n] - answer.x[n:], answer.duals)

    @property
    def _highs(self) -> LinearProgram:
        if self._made is None:
            both, zero = sparse.hstack([self.rows, -self.rows]).tocsc(), np.zeros(self.rows.shape[0])
            ends = self._still, self._still
            self._made = LinearProgram.of(self._still, *ends, both, zero, zero, **_OPTIONS)
        return self._made


class _Kernel:
    """The kernel with its room to work."""

    def __init__(self, rows: Any) -> None:
        from tacita.kernels.tables.dual_simplex import Ties, desk_for

        by_cell = rows.tocsc()
        self._ties = Ties(
            row_start=rows.indptr.astype(np.int64),
            cell=rows.indices.astype(np.int64),
            figure=rows.data.astype(np.float64),
            start=by_cell.indptr.astype(np.int64),
            row=by_cell.indices.astype(np.int64),
            entry=by_cell.data.astype(np.float64),
        )
        self._desk = desk_for(rows.shape[1], rows.shape[0])
        tie_break = _TIE_BREAK * (1.0 + np.random.default_rng(0).random(rows.shape[1]))
        self._tie_break = np.concatenate([tie_break, tie_break])

    def move(self, own: int, room: Floats, price: Floats | None, reward: float) -> tuple[bool, Moved | None]:
        """Whether the kernel has an answer, and what moved; None where it cannot."""
        from tacita.kernels.tables.dual_simplex import STUCK, UNKNOWN, move

        paid = self._tie_break if price is None else price + self._tie_break
        ended = dispatch(move)(self._ties, room, paid, own, reward, self._desk)
        if ended == UNKNOWN:
            return False, None
        if ended == STUCK:
            return True, None
        return True, Moved(float(self._desk.share[0]), self._desk.change.copy(), self._desk.weight)


class Paths:
    """Least sum of weights times movements with M d = 0 and one cell moved as demanded, within the bounds.

    Rises and falls are columns of their own, so that a solution moves no cell without need.
    """

    def __init__(self, system: System, quick: bool = True) -> None:
        self.system, self.quick = system, quick
        self._lp = MovementLP(system, quick)

    def cheapest(
        self, cell: int, sign: float, amount: float, weight: Floats, within: Mask, share: float = 1.0
    ) -> Floats | None:
        """Movements, in units of the amount, that move a cell by a share of it; None where there are none.

        A cell outside `within` stays. The weight of a cell is paid for a movement of the full amount, or of
        the cell's span where that is less.
        """
        system, n = self.system, self.system.edges
        up, down = system.up / amount, system.down / amount
        high = np.concatenate([np.minimum(up, FARTHEST) * within, np.minimum(down, FARTHEST) * within])
        own, other = (cell, n + cell) if sign > 0 else (n + cell, cell)
        if (up if sign > 0 else down)[cell] < share * (1 - SHORT):
            return None
        high[own], high[other] = share, 0.0
        span = np.minimum(np.concatenate([up, down]), 1.0)
        price = np.concatenate([weight, weight]) / np.maximum(span, 1e-6)
        moved = self._lp.move(own, high, price)
        if moved is None:
            return None
        change = moved.change
        change[np.abs(change) < STILL] = 0.0
        return change
