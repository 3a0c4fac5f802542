"""The attacker's linear programme."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.core.arrays import Floats, Ints
from tacita.solvers.highs import LinearProgramme

# Tolerances of the solver are absolute; spans are scaled so that the widest is this.
_WIDEST = 1e3
_TOLERANCE = 1e-9


class Programme:
    """Largest or smallest d_k with M d = 0, -down <= d <= up, over some connected cells."""

    def __init__(
        self, rows: Ints, cells: Ints, signs: Floats, members: Ints, down: Floats, up: Floats
    ) -> None:
        from scipy.sparse import csc_array

        self.members = members
        place = np.full(int(max(members.max(), cells.max(initial=0))) + 1, -1, dtype=np.int64)
        place[members] = np.arange(members.size)
        here = place[cells] >= 0
        used, row = np.unique(rows[here], return_inverse=True)
        shape = (used.size, members.size)
        matrix = csc_array((signs[here], (row, place[cells[here]])), shape=shape)
        spans = np.concatenate([down, up])
        self._scale = max(float(spans[np.isfinite(spans)].max(initial=0.0)), 1e-300) / _WIDEST
        self._low, self._high = -down / self._scale, up / self._scale
        self._place = place
        nought = np.zeros(used.size)
        ends = self._low, self._high
        precise: dict[str, Any] = {
            "primal_feasibility_tolerance": _TOLERANCE,
            "dual_feasibility_tolerance": _TOLERANCE,
        }
        costs = np.zeros(members.size)
        self._programme = LinearProgramme.of(costs, *ends, matrix, nought, nought, **precise)

    def farthest(self, cell: int, direction: int, n: int) -> Floats | None:
        """The change of all n cells that moves one farthest, or None where the solver failed."""
        own = int(self._place[cell])
        self._programme.cost(own, -float(direction))
        found = None
        for _ in range(2):
            if self._programme.solve() == "optimal":
                found = self._programme.x
                break
            # what an endless question leaves behind misleads the next
            self._programme.forget()
        self._programme.cost(own, 0.0)
        if found is None:
            return None
        change = np.zeros(n)
        # the solver keeps bounds within its tolerance; we keep them
        change[self.members] = np.clip(found, self._low, self._high) * self._scale
        return change
