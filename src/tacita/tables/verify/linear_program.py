"""The attacker's linear programme."""

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
# From one question to the next only costs change: the last answer is still feasible, which the primal simplex
# method goes on from; the dual one would begin anew.
_PRIMAL: dict[str, Any] = {"presolve": "off", "solver": "simplex", "simplex_strategy": 4}
_AFRESH: dict[str, Any] = {"presolve": "off", "solver": "simplex"}
# How many times as far as the one that is asked another may move.
_FARTHEST = 1e4


class Programme:
    """Largest or smallest t_k with A t = 0, low <= t <= high; every question begins at the last answer."""

    def __init__(self, relations: Any, low: Floats, high: Floats) -> None:
        ends = np.abs(np.concatenate([low, high]))
        self._scale = max(float(ends[np.isfinite(ends)].max(initial=0.0)), 1e-300) / _WIDEST
        self._low, self._high = low / self._scale, high / self._scale
        nought = np.zeros(relations.shape[0])
        costs, matrix = np.zeros(low.size), relations.tocsc()
        self._programme = LinearProgram.of(
            costs, self._low, self._high, matrix, nought, nought, **_PRECISE, **_PRIMAL
        )

    def farthest(self, own: int, direction: int) -> Floats | None:
        """Where all stand when one has moved farthest, or None where the solver failed."""
        self._programme.cost(own, -float(direction))
        found = None
        for _ in range(2):
            if self._programme.solve() == "optimal":
                found = self._programme.x
                break
            # what an endless question leaves behind misleads the next
            self._programme.forget()
        self._programme.cost(own, 0.0)
        # the solver keeps bounds within its tolerance; we keep them
        return None if found is None else np.clip(found, self._low, self._high) * self._scale


class QuietProgramme:
    """Least sum of |t_i| with A t = 0, low <= t <= high and t_k as asked, while some stay where they are.

    Rises and falls are columns of their own, so that what need not move does not. In units of what is asked;
    nothing moves more than 10 000 times as far.
    """

    def __init__(self, relations: Any, low: Floats, high: Floats) -> None:
        self._low, self._high = low, high
        nought, still = np.zeros(relations.shape[0]), np.zeros(2 * low.size)
        matrix = sparse.hstack([relations, -relations]).tocsc()
        self._every = np.arange(2 * low.size)
        self._programme = LinearProgram.of(
            np.ones(2 * low.size), still, still, matrix, nought, nought, **_PRECISE, **_AFRESH
        )

    def movement(self, own: int, by: float, stays: Ints) -> Floats | None:
        """Where all stand when one has moved by just so much, or None where none was found."""
        n, size = self._low.size, abs(by)
        low = np.zeros(2 * n)
        high = np.minimum(np.concatenate([self._high, -self._low]) / size, _FARTHEST)
        high[stays] = high[n + stays] = 0.0
        at, other = (own, n + own) if by > 0 else (n + own, own)
        if high[at] < 1:
            return None
        low[at] = high[at] = 1.0
        high[other] = 0.0
        self._programme.bound(self._every, low, high)
        self._programme.forget()
        if self._programme.solve() != "optimal":
            return None
        x = np.clip(self._programme.x, low, high)
        return (x[:n] - x[n:]) * size
