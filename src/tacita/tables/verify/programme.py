"""The attacker's linear programme, solved by HiGHS: through highspy where it is installed, else scipy."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.core.arrays import Floats, Ints

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
        self._matrix = csc_array((signs[here], (row, place[cells[here]])), shape=shape)
        spans = np.concatenate([down, up])
        self._scale = max(float(spans[np.isfinite(spans)].max(initial=0.0)), 1e-300) / _WIDEST
        self._low, self._high = -down / self._scale, up / self._scale
        self._place = place
        self._model = self._warm_model()

    def farthest(self, cell: int, direction: int, n: int) -> Floats | None:
        """The change of all n cells that moves one farthest, or None where the solver failed."""
        own = int(self._place[cell])
        found = self._scipy(own, direction) if self._model is None else self._highspy(own, direction)
        if found is None:
            return None
        change = np.zeros(n)
        # the solver keeps bounds within its tolerance; we keep them
        change[self.members] = np.clip(found, self._low, self._high) * self._scale
        return change

    def _scipy(self, own: int, direction: int) -> Floats | None:
        from scipy.optimize import linprog

        objective = np.zeros(self.members.size)
        objective[own] = -direction
        solved = linprog(
            objective,
            A_eq=self._matrix,
            b_eq=np.zeros(self._matrix.shape[0]),
            bounds=np.column_stack([self._low, self._high]),
            method="highs",
            options={"primal_feasibility_tolerance": _TOLERANCE, "dual_feasibility_tolerance": _TOLERANCE},
        )
        return None if solved.x is None else np.asarray(solved.x)

    def _warm_model(self) -> Any:
        try:
            import highspy
        except ImportError:
            return None
        model = highspy.Highs()
        model.setOptionValue("output_flag", False)
        model.setOptionValue("threads", 1)
        model.setOptionValue("primal_feasibility_tolerance", _TOLERANCE)
        model.setOptionValue("dual_feasibility_tolerance", _TOLERANCE)
        lp = highspy.HighsLp()
        lp.num_row_, lp.num_col_ = self._matrix.shape
        lp.col_cost_ = np.zeros(lp.num_col_)
        lp.col_lower_ = np.maximum(self._low, -highspy.kHighsInf)
        lp.col_upper_ = np.minimum(self._high, highspy.kHighsInf)
        lp.row_lower_ = lp.row_upper_ = np.zeros(lp.num_row_)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_ = self._matrix.indptr
        lp.a_matrix_.index_ = self._matrix.indices
        lp.a_matrix_.value_ = self._matrix.data
        model.passModel(lp)
        return model

    def _highspy(self, own: int, direction: int) -> Floats | None:
        import highspy

        self._model.changeColCost(own, -float(direction))
        found = None
        for _ in range(2):
            self._model.run()
            if self._model.getModelStatus() == highspy.HighsModelStatus.kOptimal:
                found = np.array(self._model.getSolution().col_value)
                break
            # what an endless question leaves behind misleads the next: begin afresh
            self._model.clearSolver()
        self._model.changeColCost(own, 0.0)
        return found
