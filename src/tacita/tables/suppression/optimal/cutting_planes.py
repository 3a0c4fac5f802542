"""A linear program to which rows are added as they are found, shared by the searches in all shapes."""

from __future__ import annotations

import numpy as np

from tacita.core.arrays import Floats, Ints, Mask
from tacita.solvers.highs import LinearProgram

from .cut_pool import Pool
from .zero_half_cuts import violated_half_sums

# Solutions after which a row that was never tight leaves the LP for the pool.
_PATIENCE = 12


class CuttingPlaneLP:
    """Least cost of fractional patterns that satisfy all cuts found so far: a column a cell, a row a cut."""

    def __init__(self) -> None:
        self.columns = np.zeros(0, dtype=np.int64)
        self.fixed = np.zeros(0, dtype=bool)
        self.idle = np.zeros(0, dtype=np.int64)
        self.lp = LinearProgram(presolve="off", solver="simplex")
        self.x = np.zeros(0)
        self.reduced = np.zeros(0)
        self.dual = np.zeros(0)
        self.value = 0.0
        self.infeasible = False
        self.pool: Pool | None = None

    def solve(self) -> bool:
        """Solve from the last basis; False if no fractional pattern is left, or the solver gave up."""
        status = self.lp.solve()
        if status == "unfinished":
            self.lp.forget()
            status = self.lp.solve()
        self.infeasible = status == "infeasible"
        if status != "optimal":
            return False
        self.x, duals, self.reduced, _ = self.lp.answer()
        self.dual = np.maximum(0.0, duals)
        self.value = self.lp.value
        self.idle = np.where(self.dual > 1e-9, 0, self.idle + 1)
        return True

    def fix(self, zero: Mask) -> None:
        """Keep some more columns at 0 for good."""
        columns = np.flatnonzero(zero & ~self.fixed)
        self.lp.bound(columns, np.zeros(len(columns)), np.zeros(len(columns)))
        self.fixed |= zero

    def purge(self, patience: int) -> None:
        """Take out rows that have not been tight for some time."""
        old = self.idle > patience
        if old.sum() >= 50:
            self.drop(old)

    def drop(self, old: Mask) -> None:
        """Take out rows."""
        self.lp.drop_rows(np.flatnonzero(old))
        self.idle = self.idle[~old]
        self.dual = self.dual[~old]

    def restore(self, right: Floats, starts: Ints, at: Ints, value: Floats) -> None:
        """Add rows to the LP as they are."""
        count = len(right)
        self.lp.add_rows(right, starts, at, value)
        self.idle = np.concatenate([self.idle, np.zeros(count, dtype=np.int64)])
        self.dual = np.concatenate([self.dual, np.zeros(count)])

    def recall(self) -> int:
        """Put rows of the pool back that the present x violates; how many."""
        assert self.pool is not None
        rows = self.pool.call(self.x)
        if len(rows[0]):
            self.restore(*rows)
        return len(rows[0])

    def separate_half_sums(self, generator: np.random.Generator, most: int = 60) -> int:
        """Add half sums of known rows that the present x violates; how many."""
        assert self.pool is not None
        rows = violated_half_sums(self.pool.rows, self.x, generator, most)
        if len(rows[0]):
            self.restore(*rows)
            self.pool.note(*rows)
        return len(rows[0])

    def rest(self) -> None:
        """Leave rows to the pool that have not been tight for some time."""
        assert self.pool is not None
        old = self.idle > _PATIENCE
        if old.sum() >= 20:
            self.drop(old)
            self.pool.let_out(old)
        self.pool.keep_small()

    def share_rows(self) -> None:
        """Let rows go to a pool; forget columns kept at 0 for good."""
        self.lp.drop_columns(np.flatnonzero(self.fixed))
        self.columns = self.columns[~self.fixed]
        self.fixed = np.zeros(len(self.columns), dtype=bool)
        self.pool = Pool(self.lp)
