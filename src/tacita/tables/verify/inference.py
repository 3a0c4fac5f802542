"""What can be inferred about true values from the values that are published in their place.

The attacker knows the method and its promises: the base and how far a value is from the true one, which
small counts became zero or the base, the table of noise. True values add up and stay within their bounds.
Imports nothing of the methods. Movements are changes of the true values, as in `attacker`: an error here can
only make a table look less safe than it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.core import Adjusted, NoiseTable, RunContext, Table
from tacita.core.arrays import Floats, Ints, Mask

from .attacker import Attacker
from .protection_criteria import Failure

# Cells up to which every one is attacked, not only the sensitive ones.
_ALL = 300
# Linear programs, at most.
_MOST = 400
# Share of a level that rounding may take from it.
_ROUNDING = 1e-9
_WHOLE = 1e-6


@dataclass(frozen=True, eq=False)
class Inferred:
    """The least and the largest value that each attacked cell can have, and which give away too much.

    Where `exact` is not set, the range is at least that wide. All arrays are empty where nothing limits the
    true values.
    """

    cells: Ints
    low: Floats
    high: Floats
    exact: Mask
    failures: tuple[Failure, ...]
    pinned: int = 0


def nothing_inferred() -> Inferred:
    """For a method that does not state how far values are from the true ones."""
    none = np.zeros(0)
    return Inferred(cells=none.astype(np.int64), low=none, high=none, exact=none.astype(bool), failures=())


def infer(table: Table, adjusted: Adjusted, run: RunContext) -> Inferred:
    """Attack the values that would be published: two linear programs a sensitive cell, or flows."""
    known = limits(table, adjusted)
    if known is None:
        return nothing_inferred()
    low, high = known
    secret = np.flatnonzero(table.primary)
    cells = np.arange(table.n) if table.n <= _ALL else secret
    query = _RangeQuery(table, low, high)
    answers = [query.range_of(int(cell), run) for cell in cells]
    ranges = np.array([(a, b) for a, b, _ in answers]).reshape(-1, 2)
    exact = np.array([is_exact for _, _, is_exact in answers], dtype=bool)
    failures = []
    for at, cell in enumerate(cells.tolist()):
        if table.primary[cell] and (why := query.fault(cell, *ranges[at])):
            reason, short = why
            low_end, high_end = ranges[at].tolist()
            failures.append(
                Failure(
                    cell=cell,
                    labels=table.label(cell),
                    reason=reason,
                    low=low_end,
                    high=high_end,
                    shortfall=short,
                )
            )
    pinned = ranges[:, 1] - ranges[:, 0] <= _WHOLE
    if adjusted.terms.noise is None:
        failures += query.computed(adjusted, {failure.cell for failure in failures})
    small = (table.values[cells] > 0) & (table.values[cells] <= _few(adjusted))
    return Inferred(
        cells=cells,
        low=ranges[:, 0],
        high=ranges[:, 1],
        exact=exact,
        failures=tuple(failures),
        pinned=int((pinned & small).sum()),
    )


def _few(adjusted: Adjusted) -> float:
    """Up to where a count is small."""
    return float(max(adjusted.terms.hidden, 2))


def limits(table: Table, adjusted: Adjusted) -> tuple[Floats, Floats] | None:
    """The bounds of every true value by the promises alone; None where nothing is promised."""
    terms, shown = adjusted.terms, adjusted.values
    if terms.small is not None:
        low, high = _of_small(table, shown, terms.small)
    elif terms.reach is not None:
        # counts are whole, and everyone knows it
        least = 1.0 if table.frequency and float(terms.reach).is_integer() else 0.0
        low, high = shown - terms.reach + least, shown + terms.reach - least
    elif terms.noise is not None and terms.flex is None and _unweighted(table, adjusted):
        low, high = _of_noise(terms.noise, shown)
    else:
        return None
    return np.maximum(low, table.low), np.minimum(high, table.high)


def _unweighted(table: Table, adjusted: Adjusted) -> bool:
    keys = adjusted.terms.keys
    return keys is not None and bool((keys.count == table.values).all())


def parts_of_sums(table: Table) -> Mask:
    """Cells that are no sum."""
    part = np.ones(table.n, dtype=bool)
    part[table.relations.cells[table.relations.signs < 0]] = False
    return part


def _of_small(table: Table, shown: Floats, base: int) -> tuple[Floats, Floats]:
    part = parts_of_sums(table)
    low = np.where(shown == base, 1.0, np.where(shown == 0, 0.0, shown))
    high = np.where(shown == 0, base - 1.0, shown)
    return np.where(part, low, -np.inf), np.where(part, high, np.inf)


def _of_noise(noise: NoiseTable, shown: Floats) -> tuple[Floats, Floats]:
    """Of each number that is shown, the least and the largest count that can have become it."""
    low, high = np.full(shown.size, np.inf), np.full(shown.size, -np.inf)
    for place, count in enumerate(noise.counts.tolist()):
        changes, probabilities = noise.row(place)
        there = np.isin(shown, count + changes[probabilities > 0])
        low, high = (
            np.where(there, np.minimum(low, count), low),
            np.where(there, np.maximum(high, count), high),
        )
    last, (changes, probabilities) = noise.counts[-1], noise.row(noise.counts.size - 1)
    least, most = shown - changes[probabilities > 0].max(), shown - changes[probabilities > 0].min()
    beyond = most > last
    low = np.where(beyond, np.minimum(low, np.maximum(least, last + 1)), low)
    return low, np.where(beyond, np.maximum(high, most), high)


class _RangeQuery:
    """Finds the range of a cell: by one part of it, and by linear programs where that falls short."""

    _above: dict[int, set[int]]
    _lines: dict[int, list[list[int]]]

    def __init__(self, table: Table, low: Floats, high: Floats) -> None:
        self.table, self.low, self.high = table, low, high
        self._needed = table.needed()
        self._level = np.maximum.reduce([table.lower, table.upper, table.sliding])
        self._attacker: Attacker | None = None
        self._left = _MOST if table.n > _ALL else 2 * _ALL
        relations, self._above, self._lines = table.relations, {}, {}
        for row in range(len(relations)):
            cells, signs = relations.line(row)
            for whole in cells[signs < 0].tolist():
                parts = cells[signs > 0].tolist()
                self._lines.setdefault(whole, []).append(parts)
                for part in parts:
                    self._above.setdefault(part, set()).add(whole)

    def range_of(self, cell: int, run: RunContext) -> tuple[float, float, bool]:
        """The range of a cell, and whether it is exact."""
        plain = self.by_one_part(cell)
        if self.table.n > _ALL and (self.fault(cell, *plain) is None or self._left <= 0):
            return *plain, False
        self._left -= 1
        run.report("attacking the adjusted table", _MOST - max(0, self._left), _MOST + 1)
        value, attacker = float(self.table.values[cell]), self._own_attacker()
        low, high = value - attacker.reach(cell, -1), value + attacker.reach(cell, 1)
        if self.table.frequency:
            low, high = float(np.ceil(low - _WHOLE)) + 0.0, float(np.floor(high + _WHOLE)) + 0.0
        return low, high, True

    def may_move(self, cell: int) -> bool:
        """Whether a cell can have another value; movements found before are reused.

        Where tables are linked, a part cannot change alone: others of another table change with it.
        """
        value, attacker = abs(float(self.table.values[cell])), self._own_attacker()
        least = 1.0 - _WHOLE if self.table.frequency else 2 * _ROUNDING * max(1.0, value)
        return any(attacker.reach(cell, direction, least) >= least for direction in (1, -1))

    def _own_attacker(self) -> Attacker:
        if self._attacker is None:
            every = np.ones(self.table.n, dtype=bool)
            down, up = self.table.values - self.low, self.high - self.table.values
            self._attacker = Attacker(self.table.relations, every, np.maximum(down, 0.0), np.maximum(up, 0.0))
        return self._attacker

    def by_one_part(self, cell: int, start: Floats | None = None) -> tuple[float, float]:
        """The range of a cell if one part of it changes, and with it all sums that contain the part.

        From the true values, or from another start that adds up and is possible.
        """
        begun = self.table.values if start is None else start
        part = cell
        while part in self._lines:
            part = self._lines[part][0][0]
        moved, waiting = {part}, [part]
        while waiting:
            for above in self._above.get(waiting.pop(), ()):
                if above not in moved:
                    moved.add(above)
                    waiting.append(above)
        lines = (line for other in moved for line in self._lines.get(other, ()))
        if any(sum(other in moved for other in line) != 1 for line in lines):
            return (float(begun[cell]),) * 2
        every = np.fromiter(moved, dtype=np.int64)
        values = begun[every]
        down, up = float((values - self.low[every]).min()), float((self.high[every] - values).min())
        value = float(begun[cell])
        return value - max(0.0, down), value + max(0.0, up)

    def fault(self, cell: int, low: float, high: float) -> tuple[str, float] | None:
        """What is wrong with the range of a cell, and by how much."""
        down, up, width = (need[cell] for need in self._needed)
        allowed = _ROUNDING * max(abs(float(self.table.values[cell])), float(self._level[cell]), 1e-300)
        reason, worst = max(
            ("too close from below", low - down),
            ("too close from above", up - high),
            ("too narrow", width - (high - low)),
            key=lambda fault: fault[1],
        )
        if worst > allowed:
            return reason, float(worst)
        return ("can be computed exactly", 0.0) if high - low <= allowed else None

    def computed(self, adjusted: Adjusted, reported: set[int]) -> list[Failure]:
        """Cells that are published unchanged, and that can be computed: no other value is possible.

        The published values add up and keep all promises, so that they might be the truth: a cell whose
        value was changed has two possible values at least, an unchanged one if a part of it may change.
        `reported` are the cells that failed already.
        """
        table, small = self.table, adjusted.terms.small
        possible = not np.abs(table.relations.residuals(adjusted.values)).any()
        start = adjusted.values if possible else None
        same = adjusted.values == table.values
        if small is not None:
            # counts above the base are published as they are, which is what the method says
            same &= parts_of_sums(table) & (table.values <= small)
        failures = []
        for cell in np.flatnonzero(same).tolist():
            low, high = self.by_one_part(cell, start)
            closed = high - low <= _ROUNDING * max(1.0, abs(low))
            if closed and cell not in reported and not self.may_move(cell):
                failures.append(
                    Failure(
                        cell=cell,
                        labels=table.label(cell),
                        reason="can be computed exactly",
                        low=low,
                        high=high,
                        shortfall=0.0,
                    )
                )
        return failures
