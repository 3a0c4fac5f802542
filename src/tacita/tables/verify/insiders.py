"""What contributors find out who know their own part of every suppressed cell.

A contributor knows that a cell is at least what they contribute to it, and all of a cell that they are alone
in. So their ranges are narrower than those of an outsider, also where they are not alone. Of the contributors
that a table keeps for each cell, the largest ones, this tries every one. A movement that shows a cell to be
protected from outsiders shows the same for each contributor whose part it leaves in place, where that
movement was checked, and is whole if the table counts; all others are attacked one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic

import numpy as np

from tacita.core import RunContext, Table
from tacita.core.arrays import Floats, Ints, Mask

from .attacker import Attacker
from .integers import IntegerSearch, failures_of
from .protection_criteria import Judge, Leak

INSIDER = "known to a contributor"

# Seconds for the attacks of single contributors.
_SECONDS = 60.0
# Seconds for one movement in whole numbers.
_ONE = 5.0
# Of a value: what rounding may take from it.
_ROUNDING = 1e-9


def insider_leaks(
    judge: Judge, attacker: Attacker, suppressed: Mask, cells: Sequence[int], run: RunContext
) -> tuple[list[Leak], int]:
    """A leak for every sensitive cell that a contributor comes too close to, and how many were not judged."""
    table = judge.table
    if table.contributors is None or judge.free or not table.nonnegative:
        return [], 0
    own, movements = _Parts.of(table, suppressed), _Movements(judge, attacker, suppressed)
    leaks, end = list[Leak](), monotonic() + _SECONDS
    places = np.cumsum(suppressed) - 1
    for done, cell in enumerate(cells):
        run.report("auditing contributors", done, len(cells) + 1)
        for insider in _near(movements, own, cell, int(places[cell])):
            if monotonic() > end:
                return leaks, len(cells) - done
            known, low = own.alone(insider), np.maximum(table.low, own.known_to(insider))
            if cell in known:
                continue
            left = suppressed.copy()
            left[list(known)] = False
            knowing = Judge(table.with_bounds(low, table.high), judge.problem)
            failure = next(failures_of(knowing, left, [cell], max(0.0, end - monotonic())), None)
            if failure is not None:
                leaks.append(Leak(replace(failure, reason=INSIDER), known, low))
                break
    return leaks, 0


@dataclass(frozen=True, eq=False)
class _Parts:
    """Who contributes how much to which suppressed cell, of those that are known: an entry each.

    `lone` marks the entries of cells that the contributor is alone in, and so knows.
    """

    table: Table
    cell: Ints
    place: Ints
    insider: Ints
    amount: Floats
    lone: Mask

    @classmethod
    def of(cls, table: Table, suppressed: Mask) -> _Parts:
        contributors = table.contributors
        assert contributors is not None
        # negative contributions count by their size, which says nothing of the least value then
        plain = suppressed & (np.abs(contributors.total - table.values) <= _ROUNDING * np.abs(table.values))
        cell, slot = np.nonzero((contributors.largest > 0) & plain[:, None])
        insider = contributors.holders[cell, slot]
        # of those without a number each cell has its own
        unnamed = insider < 0
        numbers = int(contributors.holders.max(initial=-1)) + 1 + np.arange(int(unnamed.sum()))
        insider = insider.copy()
        insider[unnamed] = numbers
        place = (np.cumsum(suppressed) - 1)[cell]
        return cls(
            table=table,
            cell=cell,
            place=place,
            insider=insider,
            amount=contributors.largest[cell, slot],
            lone=contributors.lone[cell],
        )

    def known_to(self, insider: int) -> Floats:
        """What one contributes to each cell, no more than its value."""
        known = np.zeros(self.table.n)
        mine = self.insider == insider
        known[self.cell[mine]] = np.minimum(self.amount[mine], self.table.values[self.cell[mine]])
        return known

    def alone(self, insider: int) -> frozenset[int]:
        """The cells that are one contributor's alone."""
        return frozenset(self.cell[self.lone & (self.insider == insider)].tolist())

    def in_the_way(self, change: Floats) -> Ints:
        """Those of whose part a movement would take something, or who know a cell that it moves."""
        moved = change[self.place]
        taken = self.table.values[self.cell] + moved < self.amount * (1 - _ROUNDING)
        return np.unique(self.insider[taken | (self.lone & (moved != 0))])


class _Movements:
    """Changes that move a cell as far as it must, checked, and whole where all know that values are."""

    def __init__(self, judge: Judge, attacker: Attacker, suppressed: Mask) -> None:
        self.judge, self.attacker, self._suppressed = judge, attacker, suppressed
        self._search: IntegerSearch | None = None

    def of(self, place: int, by: float) -> Floats | None:
        """A small one; None where none was found, which shows nothing."""
        change = self.attacker.moving_apart(place, by, np.empty(0, dtype=np.int64))
        if change is None or not self.judge.whole or self.attacker.network:
            return change
        self._search = self._search or IntegerSearch(self.judge.table, self._suppressed)
        if self._search.stands(change):
            return np.rint(change)
        whole = self._search.movement(place, by, _ONE)
        return whole if whole is not None and whole.size else None


def _near(movements: _Movements, own: _Parts, cell: int, place: int) -> list[int]:
    """The contributors for whom no movement shows that a sensitive cell is protected."""
    fall, rise = movements.judge.demand(movements.attacker, cell, place)
    near = set[int]()
    for by in (rise, -fall):
        if by:
            change = movements.of(place, by)
            blocked = own.insider if change is None else own.in_the_way(change)
            near |= set(np.unique(blocked).tolist())
    return sorted(near)
