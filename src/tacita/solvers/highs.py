"""Linear programs (LP) and mixed-integer programs (MIP), solved by HiGHS. No other module imports highspy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import highspy
import numpy as np
from scipy import sparse

from tacita.core.arrays import Floats, Ints

Status = Literal["optimal", "infeasible", "unfinished"]

_STATUS: dict[Any, Status] = {
    highspy.HighsModelStatus.kOptimal: "optimal",
    highspy.HighsModelStatus.kInfeasible: "infeasible",
}


class Answer(NamedTuple):
    """The solution of an LP: x, a dual per row, a reduced cost per column."""

    x: Floats
    duals: Floats
    reduced: Floats
    dual_valid: bool


class Whole(NamedTuple):
    """The solution of a MIP: x if feasible, the proven bound, and the incumbents met on the way."""

    status: Status
    x: Floats | None
    bound: float
    nodes: int
    met: list[Floats]


class LinearProgram:
    """Minimise costs @ x subject to lower <= x <= upper and row_lower <= A x <= row_upper.

    Single-threaded, without output. Rows and columns can be added and removed; each run starts from the last
    basis. Options are those of HiGHS.

    >>> matrix = sparse.csc_array(np.array([[1.0, 1.0]]))
    >>> ends = np.zeros(2), np.full(2, np.inf)
    >>> lp = LinearProgram.of(np.array([1.0, 2.0]), *ends, matrix, np.ones(1), np.ones(1))
    >>> lp.solve(), lp.x.tolist(), lp.value
    ('optimal', [1.0, 0.0], 1.0)
    """

    def __init__(self, **options: Any) -> None:
        self._highs = highspy.Highs()
        self.set(output_flag=False, threads=1, **options)

    @classmethod
    def of(
        cls,
        costs: Floats,
        lower: Floats,
        upper: Floats,
        matrix: Any,
        row_lower: Floats,
        row_upper: Floats,
        **options: Any,
    ) -> LinearProgram:
        """A complete program, with A as a matrix by columns."""
        model = cls(**options)
        rows, columns = matrix.shape
        # pass whole arrays: setting single fields would convert every number to an object
        model._highs.passModel(
            columns,
            rows,
            matrix.nnz,
            int(highspy.MatrixFormat.kColwise),
            int(highspy.ObjSense.kMinimize),
            0.0,
            np.asarray(costs, dtype=np.float64),
            np.asarray(lower, dtype=np.float64),
            np.asarray(upper, dtype=np.float64),
            np.asarray(row_lower, dtype=np.float64),
            np.asarray(row_upper, dtype=np.float64),
            matrix.indptr.astype(np.int32),
            matrix.indices.astype(np.int32),
            np.asarray(matrix.data, dtype=np.float64),
            np.zeros(columns, dtype=np.int32),
        )
        return model

    def set(self, **options: Any) -> None:
        for name, value in options.items():
            self._highs.setOptionValue(name, value)

    @property
    def row_count(self) -> int:
        return int(self._highs.getNumRow())

    def add_columns(
        self, costs: Floats, lower: Floats, upper: Floats, starts: Ints, at: Ints, values: Floats
    ) -> None:
        """Add columns; the entries of column j begin at starts[j], in the rows `at`."""
        entries = (len(at), starts.astype(np.int32), at.astype(np.int32), values)
        self._highs.addCols(len(costs), costs, lower, upper, *entries)

    def add_rows(self, lower: Floats, starts: Ints, at: Ints, values: Floats) -> None:
        """Add rows without upper sides; the entries of row i begin at starts[i], in the columns `at`."""
        entries = (len(at), starts.astype(np.int32), at.astype(np.int32), values)
        self._highs.addRows(len(lower), lower, np.full(len(lower), highspy.kHighsInf), *entries)

    def drop_rows(self, rows: Ints) -> None:
        self._highs.deleteRows(len(rows), rows.astype(np.int32))

    def drop_columns(self, columns: Ints) -> None:
        self._highs.deleteCols(len(columns), columns.astype(np.int32))

    def bound(self, columns: Ints, lower: Floats, upper: Floats) -> None:
        """Set the bounds of some columns."""
        self._highs.changeColsBounds(len(columns), columns.astype(np.int32), lower, upper)

    def cost(self, column: int, cost: float) -> None:
        """Set the cost of one column."""
        self._highs.changeColCost(column, cost)

    def costs(self, columns: Ints, costs: Floats) -> None:
        """Set the costs of some columns."""
        self._highs.changeColsCost(len(columns), columns.astype(np.int32), costs)

    def solve(self) -> Status:
        """Solve from the last basis."""
        self._highs.run()
        return self.status

    def forget(self) -> None:
        """Discard the basis: the next run starts from scratch."""
        self._highs.clearSolver()

    @property
    def status(self) -> Status:
        return _STATUS.get(self._highs.getModelStatus(), "unfinished")

    @property
    def x(self) -> Floats:
        return np.array(self._highs.getSolution().col_value)

    @property
    def value(self) -> float:
        return float(self._highs.getInfo().objective_function_value)

    def answer(self) -> Answer:
        """All of the last solution."""
        last = self._highs.getSolution()
        duals, reduced = np.array(last.row_dual), np.array(last.col_dual)
        return Answer(np.array(last.col_value), duals, reduced, bool(last.dual_valid))

    @property
    def basis(self) -> Any:
        """The basis, from which a run can start."""
        return self._highs.getBasis()

    @basis.setter
    def basis(self, basis: Any) -> None:
        self._highs.setBasis(basis)

    def rows(self) -> tuple[sparse.csr_matrix, Floats]:
        """All rows as a matrix over the columns, and their lower sides. O(entries)."""
        model = self._highs.getLp()
        matrix = model.a_matrix_
        parts = (np.array(matrix.value_), np.array(matrix.index_), np.array(matrix.start_))
        rowwise = matrix.format_ == highspy.MatrixFormat.kRowwise
        kind = sparse.csr_matrix if rowwise else sparse.csc_matrix
        return kind(parts, shape=(model.num_row_, model.num_col_)).tocsr(), np.array(model.row_lower_)

    def choose(
        self,
        start: Floats | None,
        stop: Callable[[], bool],
        keep: int = 0,
        whole: Ints | None = None,
        **options: Any,
    ) -> Whole:
        """Solve as a MIP with all columns integer, or only some, from a `start` solution, until `stop()`.

        Keeps the last `keep` incumbents. The LP itself is not changed.
        """
        mip = LinearProgram(mip_rel_gap=0.0, **options)
        highs = mip._highs
        highs.passModel(self._highs.getLp())
        columns = highs.getNumCol()
        every = np.arange(columns, dtype=np.int32) if whole is None else whole.astype(np.int32)
        highs.changeColsIntegrality(every.size, every, np.full(every.size, highspy.HighsVarType.kInteger))
        if start is not None:
            known = highspy.HighsSolution()
            known.col_value = start.tolist()
            highs.setSolution(known)
        met: list[Floats] = []

        def take(event: Any) -> None:
            met.append(np.array(event.data_out.mip_solution))
            del met[:-keep]

        def look(event: Any) -> None:
            event.data_in.user_interrupt = stop()

        if keep:
            highs.cbMipImprovingSolution += take
        highs.cbMipInterrupt += look
        highs.run()
        information, x = highs.getInfo(), mip.x
        feasible = information.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        solution = x if feasible and x.size == columns else None
        nodes = max(0, int(information.mip_node_count))
        return Whole(mip.status, solution, float(information.mip_dual_bound), nodes, met)
