"""What counts as protected, for each of the three problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from tacita.core import DataError, ParameterError, Problem, Table
from tacita.core.arrays import Floats, Ints, Mask
from tacita.core.spec.setting_syntax import setting

from .attacker import Attacker

# Share of the larger of a value and its level that rounding may take.
_ROUNDING = 1e-9
# What a solver may be off a whole number.
_WHOLE = 1e-6
# Of what a cell can move by itself: how far it is moved to show that it can move at all.
_SHARE = 1e-3


@dataclass(frozen=True)
class Failure:
    """A sensitive cell that is not protected, why, and by how much its range falls short. Confidential."""

    cell: int
    labels: tuple[str, ...]
    reason: str
    low: float = field(repr=False)
    high: float = field(repr=False)
    shortfall: float = field(repr=False)


@dataclass(frozen=True, eq=False)
class Leak:
    """A failure for an attacker who also knows some cells, and that no cell is below `low`.

    Both refer to the cells of the table that was attacked.
    """

    failure: Failure
    known: frozenset[int]
    low: Floats


class Judge:
    """Gets the range of a cell from an attacker, and says what is wrong with it.

    Cells count as unbounded for the general problem alone, and only where the table has no bounds at all;
    where an attacker knows bounds, general protection is judged as exact protection. A level of nothing, or
    lost in rounding, or beyond what the attacker knows anyway, asks nothing of an interval: such cells
    (`without_level`) are judged as exact protection too.
    """

    def __init__(self, table: Table, problem: Problem) -> None:
        self.bounded = bool(np.isfinite(table.low).any() or np.isfinite(table.high).any())
        self.table, self.problem = table, problem
        self.free = problem == "general" and not self.bounded
        self.interval = problem == "interval"
        # whole numbers may say more than real ones
        self.whole = not self.free and counts_whole(table)
        self._needed_low, self._needed_high, self._needed_width = table.needed()
        level = np.maximum.reduce(
            [table.values - self._needed_low, self._needed_high - table.values, self._needed_width]
        )
        self._rounding = _ROUNDING * np.maximum(np.abs(table.values), level)
        self.without_level: Mask = table.primary & (level <= self._rounding) & self.interval

    def attacker(self, suppressed: Mask) -> Attacker:
        """An attacker who knows all cells but the suppressed ones."""
        table, n = self.table, int(suppressed.sum())
        if self.free:
            return Attacker(table.relations, suppressed, np.full(n, np.inf), np.full(n, np.inf))
        down, up = table.values - table.low, table.high - table.values
        return Attacker(table.relations, suppressed, down[suppressed], up[suppressed])

    def range_of(self, attacker: Attacker, cell: int, place: int, brief: bool = False) -> tuple[float, float]:
        """The least and the largest value of a cell; `place` is its number among the suppressed ones.

        A `brief` range is at least so wide: the search stops as soon as the verdict is known.
        """
        value = float(self.table.values[cell])
        if self.free:
            # without bounds, what can move at all can move anywhere
            return (-np.inf, np.inf) if attacker.moves(place) else (value, value)
        fall, rise = self._enough(cell) if brief else (np.inf, np.inf)
        risen = attacker.reach(place, 1, rise)
        if brief and risen >= rise and self._either_way(cell):
            fall = 0.0
        low, high = value - attacker.reach(place, -1, fall), value + risen
        if self.table.frequency and not attacker.network:
            # counts are whole, and everyone knows it; the ends of a network's ranges are whole anyway
            low, high = float(np.ceil(low - _WHOLE)), float(np.floor(high + _WHOLE))
        return low, high

    def _either_way(self, cell: int) -> bool:
        return not self.interval or bool(self.without_level[cell]) or not self.table.primary[cell]

    def _enough(self, cell: int) -> tuple[float, float]:
        """How far a cell must be known to fall and rise for the verdict to be settled."""
        # of others than sensitive cells: whether they can be computed
        if self._either_way(cell):
            least = 1.0 if self.table.frequency else np.nextafter(0.0, 1.0)
            return least, least
        value = float(self.table.values[cell])
        fall, rise = value - float(self._needed_low[cell]), float(self._needed_high[cell]) - value
        if self._needed_width[cell] > fall + rise:
            return np.inf, np.inf
        return (float(np.ceil(fall)), float(np.ceil(rise))) if self.table.frequency else (fall, rise)

    def demand(self, attacker: Attacker, cell: int, place: int) -> tuple[float, float]:
        """How far a sensitive cell must be able to fall and rise; where it need only move, a small step.

        A width that may lie on either side is demanded from above as far as the cell can rise.
        """
        value = float(self.table.values[cell])
        if self._either_way(cell):
            step = 1.0 if self.table.frequency else max(_SHARE * abs(value), self.table.smallest_unit)
            return min(step, value - float(self.table.low[cell])), step
        fall, rise = self._enough(cell)
        if np.isfinite(fall):
            return fall, rise
        fall, rise = value - float(self._needed_low[cell]), float(self._needed_high[cell]) - value
        width = float(self._needed_width[cell])
        more = min(attacker.reach(place, 1, width - fall), width - fall)
        if self.table.frequency:
            rise, more = float(np.ceil(rise)), float(np.floor(more + _WHOLE))
        rise = max(rise, more)
        fall = max(fall, width - rise)
        return (float(np.ceil(fall)) if self.table.frequency else fall), rise

    def whole_demand(self, cell: int) -> tuple[float, float, float]:
        """How far a sensitive count must be able to fall and rise, and how wide its range must be.

        In whole numbers. Where it need only move at all, nothing.
        """
        if self._either_way(cell):
            return 0.0, 0.0, 0.0
        value, rounding = float(self.table.values[cell]), float(self._rounding[cell])
        fall = float(np.ceil(value - self._needed_low[cell] - rounding))
        rise = float(np.ceil(self._needed_high[cell] - value - rounding))
        return max(fall, 0.0), max(rise, 0.0), float(np.ceil(self._needed_width[cell] - rounding))

    def apart(self, attacker: Attacker, cell: int, place: int, stays: Ints) -> Mask | None:
        """Cells whose movements alone show that one is protected while some stay; None where that is open.

        An attacker who knows none of them cannot make it fail. Counts need a movement in whole numbers.
        """
        fall, rise = self._enough(cell)
        if np.isinf(fall) or np.isinf(rise):
            return None
        if self.free or self._either_way(cell):
            spans = attacker.up[place], attacker.down[place]
            least = 1.0 if self.table.frequency and not self.free else 0.0
            sizes = [least or (_SHARE * span if np.isfinite(span) else 1.0) for span in spans]
            tries = (self._apart(attacker, place, by, stays) for by in (sizes[0], -sizes[1]) if by)
            return next((moved for moved in tries if moved is not None), None)
        together = np.zeros(attacker.n, dtype=bool)
        for by in (rise, -fall):
            if by:
                moved = self._apart(attacker, place, by, stays)
                if moved is None:
                    return None
                together |= moved
        return together

    def _apart(self, attacker: Attacker, place: int, by: float, stays: Ints) -> Mask | None:
        change = attacker.moving_apart(place, by, stays)
        if change is None:
            return None
        off = np.abs(change - np.rint(change)).max() if self.whole and not attacker.network else 0.0
        return np.asarray(change != 0, dtype=bool) if off <= _WHOLE else None

    def failures(self, suppressed: Mask, cells: Iterable[int]) -> Iterator[Failure]:
        """Which of some suppressed sensitive cells a pattern does not protect, one attack after the other."""
        attacker, places = self.attacker(suppressed), np.cumsum(suppressed) - 1
        for cell in cells:
            failure = self.failure(attacker, cell, int(places[cell]))
            if failure is not None:
                yield failure

    def failure(self, attacker: Attacker, cell: int, place: int) -> Failure | None:
        """What real numbers show to be wrong with a sensitive cell, if anything."""
        low, high = self.range_of(attacker, cell, place, brief=True)
        reason, shortfall = self.fault(attacker, cell, place, low, high)
        return (
            Failure(
                cell=cell,
                labels=self.table.label(cell),
                reason=reason,
                low=low,
                high=high,
                shortfall=shortfall,
            )
            if reason
            else None
        )

    def fault(self, attacker: Attacker, cell: int, place: int, low: float, high: float) -> tuple[str, float]:
        """What is wrong with the range of a sensitive cell (nothing: ''), and by how much."""
        if self.interval:
            reason, worst = max(
                ("too close from below", low - self._needed_low[cell]),
                ("too close from above", self._needed_high[cell] - high),
                ("too narrow", self._needed_width[cell] - (high - low)),
                key=lambda fault: fault[1],
            )
            if worst > self._rounding[cell]:
                return reason, float(worst)
            if not self.without_level[cell]:
                return "", 0.0
        return ("", 0.0) if low < high and attacker.moves(place) else ("can be computed exactly", 0.0)


def counts_whole(table: Table) -> bool:
    """Whether the table holds counts, all of them whole numbers."""
    return table.frequency and bool((table.values == np.rint(table.values)).all())


def with_known_zeros(table: Table, suppressed: Mask, problem: Problem, zeros: str | None) -> Table:
    """The table as an attacker knows it who sees that every zero was published.

    No suppressed cell is zero then, so each is at least the smallest unit. Where zeros may be suppressed, or
    one is, nothing follows.
    """
    published = (zeros or ("withhold" if problem == "exact" else "publish")) == "publish"
    if not published or table.smallest_unit <= 0 or (suppressed & (table.values == 0)).any():
        return table
    least = np.minimum(table.smallest_unit, np.abs(table.values))
    raised = np.where((table.low >= 0) & (table.low < least), least, table.low)
    return table if np.array_equal(raised, table.low) else table.with_bounds(raised, table.high)


def check_problem_meets_rules(table: Table, problem: Problem, accept_less_protection: bool = False) -> None:
    """Check that the problem is as strict as the rules; ParameterError where a rule requires intervals."""
    rules = [type(rule).__name__ for rule in table.rules if getattr(rule, "wants_interval", False)]
    if rules and problem != "interval" and not accept_less_protection:
        acceptance = setting("suppress", "insist", True)
        raise ParameterError(
            f"Audit: {', '.join(rules)} asks that nobody comes too close to a contribution, which {problem} "
            f"protection does not give. Use {setting('suppress', 'problem', 'interval')}, or accept less, "
            f"which is recorded ({acceptance})."
        )


def check_levels(table: Table, problem: Problem) -> None:
    """Check that every sensitive cell has a protection level, if the problem needs levels; DataError if not.

    A cell without one would be the only suppressed cell of its line.
    """
    bare = np.flatnonzero(Judge(table, problem).without_level)
    if bare.size:
        where = " / ".join(table.label(int(bare[0])))
        raise DataError(
            f"suppress: {bare.size} sensitive cells have no protection level (first: {where}). A share of 0 "
            "is 0; what the attacker knows anyway, or what is lost in rounding, is no level either. Interval "
            "protection would suppress no other cell with it, and anybody could compute it. Give absolute "
            "levels (a column, an array, or the rule zero-cells), or use exact protection "
            f"({setting('suppress', 'problem', 'exact')})."
        )
