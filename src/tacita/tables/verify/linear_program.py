"""The attacker's linear programs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from tacita.core.arrays import Floats, Ints
from tacita.solvers.highs import LinearProgram

# Tolerances of the solver are absolute; spans are scaled so that the widest is this.
_WIDEST = 1e3
_TOLERANCE = 1e-9
_PRECISE = {"primal_feasibility_tolerance": _TOLERANCE, "dual_feasibility_tolerance": _TOLERANCE}
# From one solve to the next only costs change: the last solution is still feasible, and the primal simplex
# method continues from it; the dual one would start anew.
_PRIMAL: dict[str, Any] = {"presolve": "off", "solver": "simplex", "simplex_strategy": 4}
_AFRESH: dict[str, Any] = {"presolve": "off", "solver": "simplex"}
# How many times as far as the cell in question another may move.
_FARTHEST = 1e4


class FarthestMovementLP:
    """Largest or smallest t_k with A t = 0, low <= t <= high; every solve starts at the last solution."""

    def __init__(self, relations: Any, low: Floats, high: Floats) -> None:
        ends = np.abs(np.concatenate([low, high]))
        self._scale = max(float(ends[np.isfinite(ends)].max(initial=0.0)), 1e-300) / _WIDEST
        self._low, self._high = low / self._scale, high / self._scale
        zero = np.zeros(relations.shape[0])
        costs, matrix = np.zeros(low.size), relations.tocsc()
        self._lp = LinearProgram.of(costs, self._low, self._high, matrix, zero, zero, **_PRECISE, **_PRIMAL)

    def farthest(self, own: int, direction: int) -> Floats | None:
        """The movement of all cells when one has moved farthest, or None where the solver failed."""
        self._lp.cost(own, -float(direction))
        x = None
        for _ in range(2):
            if self._lp.solve() == "optimal":
                x = self._lp.x
                break
            # the basis of an unbounded solve misleads the next one
            self._lp.forget()
        self._lp.cost(own, 0.0)
        # the solver keeps bounds within its tolerance; we keep them
        return None if x is None else np.clip(x, self._low, self._high) * self._scale


class SmallestMovementLP:
    """Least sum of |t_i| with A t = 0, low <= t <= high and t_k as demanded, while some cells stay.

    Rises and falls are columns of their own, so that no cell moves without need. Movements are in units of
    the demand; no cell moves more than 10 000 times as far.
    """

    def __init__(self, relations: Any, low: Floats, high: Floats) -> None:
        self._low, self._high = low, high
        zero, still = np.zeros(relations.shape[0]), np.zeros(2 * low.size)
        matrix = sparse.hstack([relations, -relations]).tocsc()
        self._every = np.arange(2 * low.size)
        self._lp = LinearProgram.of(
            np.ones(2 * low.size), still, still, matrix, zero, zero, **_PRECISE, **_AFRESH
        )

    def movement(self, own: int, by: float, stays: Ints) -> Floats | None:
        """The movement of all cells when one has moved by exactly so much, or None if none was found."""
        n, size = self._low.size, abs(by)
        low = np.zeros(2 * n)
        high = np.minimum(np.concatenate([self._high, -self._low]) / size, _FARTHEST)
        high[stays] = high[n + stays] = 0.0
        at, other = (own, n + own) if by > 0 else (n + own, own)
        if high[at] < 1:
            return None
        low[at] = high[at] = 1.0
        high[other] = 0.0
        self._lp.bound(self._every, low, high)
        self._lp.forget()
        if self._lp.solve() != "optimal":
            return None
        x = np.clip(self._lp.x, low, high)
        return (x[:n] - x[n:]) * size
