"""Cheapest movements: which cells to withhold so that one can move as far as is asked."""

from __future__ import annotations

import numpy as np

from tacita.core.arrays import Floats, Mask

from .attacker_lp import FARTHEST, SHORT
from .movement_lp import Programme
from .relation_system import System

# A movement below is the solver's.
STILL = 1e-7


class Paths:
    """Least sum of weights times movements with M d = 0 and one cell moved as asked, within the bounds.

    Rises and falls are columns of their own, so that a solution moves no cell without need.
    """

    def __init__(self, system: System, quick: bool = True) -> None:
        self.system, self.quick = system, quick
        self._programme = Programme(system, quick)

    def cheapest(
        self, cell: int, sign: float, amount: float, weight: Floats, within: Mask, share: float = 1.0
    ) -> Floats | None:
        """Movements, in units of the amount, that move a cell by a share of it; None where nothing does.

        A cell outside `within` stays. A weight is that of a cell that moves as far as is asked; of one that
        cannot, that of its whole span.
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
        moved = self._programme.move(own, high, price)
        if moved is None:
            return None
        change = moved.change
        change[np.abs(change) < STILL] = 0.0
        return change
