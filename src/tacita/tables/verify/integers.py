"""What an attacker gains who knows that counts are whole numbers.

In two-way tables and other networks nothing: the ends of linear ranges are whole there. Elsewhere a cell that
a linear program leaves open may be pinned by an integer argument. Of a sensitive cell that is protected by
linear programs, this looks for whole numbers that add up and take it as far as it must reach: first the
smallest movement by a linear program, which is whole as a rule; else an integer program over connected cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from tacita.core import RunContext, Table
from tacita.core.arrays import Floats, Ints, Mask

from .attacker import Attacker, parts_of
from .protection_criteria import Failure, Judge

if TYPE_CHECKING:
    from tacita.solvers.highs import LinearProgram

# Seconds for all integer programs of an audit.
_SECONDS = 120.0
# Seconds for one of them.
_ONE = 20.0
# What a solver may be off a whole number.
_WHOLE = 1e-6

PINNED = "given away by whole numbers"
UNDECIDED = "not decided for whole numbers"


def failures_of(
    judge: Judge, suppressed: Mask, cells: Iterable[int], seconds: float | None = None
) -> Iterator[Failure]:
    """Which of some suppressed sensitive cells real or whole numbers bring too close, one after the other."""
    attacker = judge.attacker(suppressed)
    places, until = np.cumsum(suppressed) - 1, monotonic() + (_SECONDS if seconds is None else seconds)
    search: IntegerSearch | None = None
    for cell in cells:
        place = int(places[cell])
        failure = judge.failure(attacker, cell, place)
        if failure is None and judge.whole and not attacker.network:
            search = search or IntegerSearch(judge.table, suppressed)
            failure = _by_whole_numbers(judge, attacker, search, cell, place, until)
        if failure is not None:
            yield failure


def given_away_by_integers(
    judge: Judge, attacker: Attacker, suppressed: Mask, cells: Iterable[int], run: RunContext
) -> list[Failure]:
    """Which of some suppressed sensitive cells integer programs bring too close, or cannot decide in time.

    Real numbers do not.
    """
    if not judge.whole or attacker.network:
        return []
    search = IntegerSearch(judge.table, suppressed)
    places = np.cumsum(suppressed) - 1
    failures, until = [], monotonic() + _SECONDS
    for done, cell in enumerate(cells):
        run.report("auditing with whole numbers", done, done + 2)
        failure = _by_whole_numbers(judge, attacker, search, cell, int(places[cell]), until)
        if failure is not None:
            failures.append(failure)
    return failures


def _by_whole_numbers(
    judge: Judge, attacker: Attacker, search: IntegerSearch, cell: int, place: int, until: float
) -> Failure | None:
    reached = _reaches(judge, attacker, search, cell, place, until)
    if reached:
        return None
    value = float(judge.table.values[cell])
    reason = UNDECIDED if reached is None else PINNED
    return Failure(
        cell=cell,
        labels=judge.table.label(cell),
        reason=reason,
        low=value,
        high=value,
        shortfall=float("nan"),
    )


def _reaches(
    judge: Judge, attacker: Attacker, search: IntegerSearch, cell: int, place: int, until: float
) -> bool | None:
    """Whether whole numbers take a cell as far as it must reach; None where that was not decided in time."""

    def moves(by: float) -> bool | None:
        change = attacker.smallest_movement(place, by)
        if change is not None and search.stands(change):
            return True
        return search.moves(place, by, min(_ONE, until - monotonic()))

    fall, rise, width = judge.whole_demand(cell)
    if not fall and not rise:
        # either way will do
        answers = [moves(by) for by in (1.0, -1.0)]
        return True if True in answers else None if None in answers else False
    answers = [moves(by) for by in (rise, -fall) if by]
    if not all(answers):
        return False if False in answers else None
    return search.spans(place, width, until) if width > fall + rise else True


class IntegerSearch:
    """Integer programs over changes of suppressed counts: M d = 0, low <= a + d <= high, d whole."""

    def __init__(self, table: Table, suppressed: Mask) -> None:
        rows, cells, signs = table.relations.among(suppressed, only_basis=True)
        n = int(suppressed.sum())
        place = (np.cumsum(suppressed) - 1)[cells]
        values = table.values[suppressed]
        self.low = np.ceil(table.low[suppressed] - _WHOLE) - values
        self.high = np.floor(table.high[suppressed] + _WHOLE) - values
        used, row = np.unique(rows, return_inverse=True)
        self.relations = sparse.csr_array((signs, (row, place)), shape=(used.size, n))
        self.part = parts_of(rows, place, n)
        self._models: dict[int, tuple[Ints, LinearProgram]] = {}

    def stands(self, change: Floats) -> bool:
        """Whether a change, rounded, is whole, within the bounds and adds up."""
        whole = np.rint(change)
        if np.abs(change - whole).max(initial=0.0) > _WHOLE:
            return False
        inside = bool((whole >= self.low).all() and (whole <= self.high).all())
        return inside and not np.abs(self.relations @ whole).any()

    def moves(self, place: int, by: float, seconds: float) -> bool | None:
        """Whether whole numbers take a cell so far, down where `by` is below 0; None: not decided in time."""
        change = self.movement(place, by, seconds)
        return change if change is None else change.size > 0

    def movement(self, place: int, by: float, seconds: float) -> Floats | None:
        """A whole change that takes a cell so far; empty where there is none; None: not decided in time."""
        members, program = self._model(place)
        own = int(np.searchsorted(members, place))
        low, high = (float(side[place]) for side in (self.low, self.high))
        ends = (max(low, by), high) if by > 0 else (low, min(high, by))
        if ends[0] > ends[1]:
            return np.zeros(0)
        return self._solve(members, program, own, ends, None, seconds)

    def spans(self, place: int, width: float, until: float) -> bool | None:
        """Whether the largest and the smallest whole change of a cell are so far apart."""
        members, program = self._model(place)
        own = int(np.searchsorted(members, place))
        ends = float(self.low[place]), float(self.high[place])
        reached = []
        for direction in (1.0, -1.0):
            x = self._solve(members, program, own, ends, direction, min(_ONE, until - monotonic()))
            if x is None:
                return None
            reached.append(direction * float(x[place]))
        return sum(reached) >= width - _WHOLE

    def _model(self, place: int) -> tuple[Ints, LinearProgram]:
        part = int(self.part[place])
        if part not in self._models:
            # the audit is imported by all that read plans, and few of these solve a program
            from tacita.solvers.highs import LinearProgram

            members = np.flatnonzero(self.part == part)
            columns = self.relations.tocsc()[:, members].tocsr()
            matrix = columns[np.flatnonzero(np.diff(columns.indptr))].tocsc()
            zero = np.zeros(matrix.shape[0])
            ends = self.low[members], self.high[members]
            self._models[part] = (
                members,
                LinearProgram.of(np.zeros(members.size), *ends, matrix, zero, zero),
            )
        return self._models[part]

    def _solve(
        self,
        members: Ints,
        program: LinearProgram,
        own: int,
        ends: tuple[float, float],
        direction: float | None,
        seconds: float,
    ) -> Floats | None:
        """A whole change with one cell between some ends, as far as it goes in a direction if there is one.

        Empty where there is none; None where time ran out.
        """
        if seconds <= 0:
            return None
        at = np.array([own])
        program.bound(at, np.array([ends[0]]), np.array([ends[1]]))
        program.cost(own, -(direction or 0.0))
        end = monotonic() + seconds
        solution = program.choose(None, lambda: monotonic() > end, time_limit=seconds)
        place = members[own]
        program.bound(at, self.low[[place]], self.high[[place]])
        program.cost(own, 0.0)
        if solution.status == "infeasible":
            return np.zeros(0)
        if solution.x is None or (direction is not None and solution.status != "optimal"):
            return None
        whole = np.zeros(self.low.size)
        whole[members] = np.rint(solution.x)
        # the solver is not believed: what it found must stand
        return whole if self.stands(whole) else None
