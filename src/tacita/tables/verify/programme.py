"""The attacker's linear programme."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.core.arrays import Floats
from tacita.solvers.highs import LinearProgramme

# Tolerances of the solver are absolute; spans are scaled so that the widest is this.
_WIDEST = 1e3
_TOLERANCE = 1e-9
# From one question to the next only costs change: the last answer is still feasible, which the primal simplex
# method goes on from; the dual one would begin anew.
_PRIMAL: dict[str, Any] = {"presolve": "off", "solver": "simplex", "simplex_strategy": 4}


class Programme:
    """Largest or smallest t_k with A t = 0, low <= t <= high; every question begins at the last answer."""

    def __init__(self, relations: Any, low: Floats, high: Floats) -> None:
        ends = np.abs(np.concatenate([low, high]))
        self._scale = max(float(ends[np.isfinite(ends)].max(initial=0.0)), 1e-300) / _WIDEST
        self._low, self._high = low / self._scale, high / self._scale
        nought = np.zeros(relations.shape[0])
        precise: dict[str, Any] = {
            "primal_feasibility_tolerance": _TOLERANCE,
            "dual_feasibility_tolerance": _TOLERANCE,
        }
        costs, matrix = np.zeros(low.size), relations.tocsc()
        self._programme = LinearProgramme.of(
            costs, self._low, self._high, matrix, nought, nought, **precise, **_PRIMAL
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
