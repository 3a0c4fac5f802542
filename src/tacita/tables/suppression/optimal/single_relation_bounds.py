"""What each relation by itself requires of a pattern: an LP that is quickly solved, whatever the size.

Every protecting pattern satisfies its rows, or at least every one in which no cell is suppressed in vain. So
its value is a lower bound. The search for a pattern begins at its solution, which considers all relations at
once but none of their connections.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from tacita.core.arrays import Floats, Ints
from tacita.solvers.highs import LinearProgram
from tacita.tables.suppression.time_limit import Watch

from .implied_suppressions import helps_of, spans
from .relation_system import System

if TYPE_CHECKING:
    from tacita.kernels.tables.benders_cuts import Rows


@dataclass(frozen=True)
class SingleRelationSettings:
    """When rows are added to the bound by single relations, and which algorithm of HiGHS solves it.

    `python -m benchmarks large_tables` prints cost and seconds that these lead to.
    """

    # tolerance: a row that is violated by less is not added
    violation: float = 1e-6
    # share of the bound that is given up for rounding
    rounding: float = 1e-9
    # cells up to which the simplex method is the faster one
    simplex_cells: int = 20_000
    # rounds of rows up to that size
    rounds: int = 50
    # rounds of rows beyond it, and how many of those are still solved by the simplex method
    large_rounds: int = 4
    large_simplex_rounds: int = 2


SETTINGS = SingleRelationSettings()


_INTERIOR = {"solver": "ipm", "run_crossover": "off", "ipm_optimality_tolerance": 1e-4}


class Lines:
    """Least cost of cells such that no cell that must move, or is suppressed, is single in a relation.

    With x_i = 1 for primaries, and 0 <= x_i <= 1 for the rest:

    - for a demand d of cell k, in each relation a of k: sum over i != k of min(c_i, d) x_i >= d, where c_i is
      |a_i / a_k| times what cell i can move to balance k (in the better of two directions where either will
      do, in both together for a width);
    - for a cell j, in each relation of j: sum over i != j of x_i >= x_j, added where it is violated. A
      pattern that does not satisfy it suppresses j in vain.

    With rows A x >= b, costs c and any y >= 0, no pattern costs less than y b + sum of min(0, c - y A): that
    is `bound`, whatever the solver reports. O(entries) rows, one LP for each round of rows.

    >>> from tacita.core import Table
    >>> from .relation_presolve import systems_of
    >>> regions = [[11, 47, 58], [1, 15, 33], [2, 31, 20]]
    >>> table = Table.from_array(regions, primary=[[0, 0, 0], [0, 1, 0], [0, 0, 0]])
    >>> (system,) = systems_of(table, "exact")
    >>> round(Lines(system).bound, 6)
    34.0
    """

    def __init__(self, system: System, over: Callable[[], bool] = lambda: False) -> None:
        """The rounds of rows end once `over()` is true."""
        self._system = system
        self._free = np.flatnonzero(~system.primary)
        self._cost, size = system.cost[self._free], self._free.size
        rows, right = _demand_rows(system, self._free)
        ends = np.zeros(size), np.ones(size), rows, right, np.full(right.size, np.inf)
        self._lp = LinearProgram.of(self._cost, *ends, solver="simplex")
        self._second_cells = _SecondCells(system, self._free)
        self.bound, self.x = 0.0, system.primary.astype(np.float64)
        self._duals, self._complete = np.zeros(right.size), False
        for number in range(SETTINGS.rounds if size <= SETTINGS.simplex_cells else SETTINGS.large_rounds):
            if not self._solved(number) or over():
                break
            self._complete = not self._second_cells.add_violated(self._lp, self.x[self._free])
            if self._complete:
                break

    @property
    def table_bound(self) -> float:
        """The bound in costs of the table, including those of cells suppressed with primaries."""
        return self._system.fixed_cost + self._system.rounded_up(self.least)

    @property
    def least(self) -> float:
        """The bound, less what rounding may have added."""
        return self.bound * (1 - SETTINGS.rounding)

    def _solved(self, number: int) -> bool:
        """Solve it, from the last solution where that is quick; whether there is an answer."""
        lp, size = self._lp, self._free.size
        inside = size > SETTINGS.simplex_cells and number >= SETTINGS.large_simplex_rounds
        if inside:
            lp.set(**_INTERIOR)
            lp.forget()
        # without a vertex the LP counts as unfinished; the bound does not need one
        if lp.solve() == "infeasible" or lp.x.size != size:
            return False
        self.x[self._free] = np.clip(lp.x, 0.0, 1.0)
        self._duals = duals = np.maximum(lp.answer().duals, 0.0)
        matrix, least = lp.rows()
        value = float(duals @ least + np.minimum(self._cost - matrix.T @ duals, 0.0).sum())
        self.bound = max(self.bound, value)
        return True

    def tight(self) -> Rows:
        """The rows that the bound rests on, over all cells."""
        from tacita.kernels.tables.benders_cuts import Rows

        matrix, right = self._lp.rows()
        rows = np.flatnonzero(self._duals > SETTINGS.rounding)
        kept = matrix.tocsr()[rows]
        start, nothing = kept.indptr.astype(np.int64), np.zeros(rows.size)
        used = np.array([kept.nnz, rows.size])
        return Rows(
            at=self._free[kept.indices],
            value=kept.data,
            start=start,
            right=right[rows],
            short=nothing,
            used=used,
        )

    def tighten(self, watch: Watch) -> None:
        """A better bound by integer solutions, with rows added for them, while time lasts."""
        while self._complete and self._free.size <= SETTINGS.simplex_cells and not watch.over:
            solution = self._lp.choose(None, lambda: watch.over, time_limit=max(0.1, watch.left))
            if np.isfinite(solution.bound):
                self.bound = max(self.bound, solution.bound)
            if solution.status != "optimal" or solution.x is None:
                break
            self._complete = bool(self._second_cells.add_violated(self._lp, solution.x))


def _demand_rows(system: System, free: Ints) -> tuple[sparse.csc_array, Floats]:
    """What demands ask in each relation of their cells, over the cells that are free: rows, right sides."""
    helps = helps_of(system)
    amount = system.amount[helps.demand]
    left = (amount - helps.sums(system.primary[helps.cell])) / amount
    place = np.full(system.edges, -1)
    place[free] = np.arange(free.size)
    kept = (left[helps.line] > SETTINGS.violation) & ~system.primary[helps.cell] & (helps.value > 0)
    line = helps.line[kept]
    scaled = np.minimum(helps.value[kept] / amount[line] / left[line], 1.0)
    used, number = np.unique(line, return_inverse=True)
    shape = (used.size, free.size)
    return sparse.csc_array((scaled, (number, place[helps.cell[kept]])), shape=shape), np.ones(used.size)


class _SecondCells:
    """Rows that require a second cell for every cell, in each relation; a primary satisfies them all."""

    def __init__(self, system: System, free: Ints) -> None:
        matrix = system.relations.tocsr()
        rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        bare = np.bincount(rows, system.primary[matrix.indices], matrix.shape[0]) == 0
        lines = matrix[np.flatnonzero(bare)][:, free].tocsr()
        self._start, self._columns = lines.indptr.astype(np.int64), lines.indices.astype(np.int64)
        self._sizes = np.diff(self._start)
        self._rows = np.repeat(np.arange(self._sizes.size), self._sizes)
        self._added = np.zeros(self._columns.size, dtype=bool)

    def add_violated(self, lp: LinearProgram, x: Floats) -> int:
        """Add rows that x violates; how many."""
        here = x[self._columns]
        together = np.bincount(self._rows, here, self._sizes.size)
        violated = np.flatnonzero((2 * here > together[self._rows] + SETTINGS.violation) & ~self._added)
        if violated.size:
            self._added[violated] = True
            row, cell = self._rows[violated], self._columns[violated]
            sizes = self._sizes[row]
            at = self._columns[spans(self._start[row], sizes)]
            value = np.where(at == np.repeat(cell, sizes), -1.0, 1.0)
            lp.add_rows(np.zeros(violated.size), np.cumsum(sizes) - sizes, at, value)
        return int(violated.size)
