"""The cheapest movement of a cell by a given amount: which others must be withheld for it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from tacita.core.arrays import Floats, Ints, Mask
from tacita.solvers.highs import LinearProgramme
from tacita.tables.suppression.general.system import System

# In units of what is asked: how far others may move along, and what is no movement.
_FARTHEST, _NOISE = 100.0, 1e-7
_OPTIONS: dict[str, Any] = {
    "presolve": "off",
    "solver": "simplex",
    "primal_feasibility_tolerance": 1e-9,
    "dual_feasibility_tolerance": 1e-9,
}


class Moved(NamedTuple):
    """Columns that move, and how much of what was asked the one in question does."""

    columns: Ints
    share: float


class Cheapest:
    """Least sum of w_i (up_i + down_i) with M (up - down) = 0 over some columns, where one moves as asked.

    A cell that can move less than is asked weighs as much more. Nothing moves at first, and few must: so every
    question starts afresh, which is quicker than from the last answer. One linear programme a question.
    """

    def __init__(self, system: System, columns: Ints) -> None:
        self.columns = columns
        self._up, self._down = system.up[columns], system.down[columns]
        self._n = n = columns.size
        matrix = system.relations[np.flatnonzero(~system.implied)].tocsc()[:, columns].tocsr()
        matrix = matrix[np.flatnonzero(np.diff(matrix.indptr))].tocsc()
        nought = np.zeros(matrix.shape[0])
        both = sparse.hstack([matrix, -matrix], format="csc")
        ends = np.zeros(2 * n), np.ones(2 * n)
        self._programme = LinearProgramme.of(np.zeros(2 * n), *ends, both, nought, nought, **_OPTIONS)
        self._every = np.arange(2 * n)

    def move(
        self, own: int, sign: float, amount: float, allowed: Mask, weight: Floats, farthest: bool = False
    ) -> Moved | None:
        """What moves when a column moves by an amount (or as far as it goes), cheapest; None if it cannot.

        `allowed` and `weight` are of all columns of the system.
        """
        n, programme = self._n, self._programme
        caps = np.concatenate([self._up, self._down]) / amount
        place = int(np.searchsorted(self.columns, own))
        forth, back = (place, n + place) if sign > 0 else (n + place, place)
        most = min(1.0, float(caps[forth]))
        if most < 1 - 1e-9 and not farthest:
            return None
        free = np.tile(allowed[self.columns], 2)
        price = np.tile(weight[self.columns], 2) / np.clip(caps, 1e-9, 1.0)
        low, high = np.zeros(2 * n), np.where(free, np.minimum(caps, _FARTHEST), 0.0)
        low[forth] = high[forth] = most
        high[back], price[forth] = 0.0, 0.0
        price /= max(float(price[free].max(initial=0.0)), 1e-300)
        if farthest:
            low[forth], price[:] = 0.0, 0.0
            price[forth] = -1.0
        programme.bound(self._every, low, high)
        programme.price(self._every, price)
        programme.forget()
        if programme.solve() != "optimal":
            return None
        x = programme.x
        change = x[:n] - x[n:]
        return Moved(self.columns[np.abs(change) > _NOISE], float(abs(change[place])))
