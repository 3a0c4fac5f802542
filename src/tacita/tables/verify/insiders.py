"""What contributors find out who know their own part of every suppressed cell.

A contributor knows that a cell is at least what they contribute to it. So their ranges are narrower than
those of an outsider, also where they are not alone. Of the contributors that a table keeps for each cell, the
largest ones, this tries every one. A movement that shows a cell to be protected from outsiders shows
the same for each contributor whose part it leaves in place; only others are attacked one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic

import numpy as np

from tacita.core import Run, Table
from tacita.core.arrays import Floats, Ints, Mask

from .attacker import Attacker
from .judge import Failure, Judge

INSIDER = "known to a contributor"

# Seconds for the attacks of single contributors.
_SECONDS = 60.0
# Of a value: what rounding may take from it.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class InsiderLeak:
    """A sensitive cell that comes too close to a contributor, who knows that cells are at least `low`."""

    failure: Failure
    low: Floats


def insider_leaks(
    judge: Judge, attacker: Attacker, withheld: Mask, cells: Sequence[int], run: Run
) -> tuple[list[InsiderLeak], int]:
    """A leak for every sensitive cell that a contributor comes too close to, and how many were not judged."""
    table = judge.table
    if table.contributors is None or judge.free or not table.nonnegative:
        return [], 0
    own = _Parts.of(table, withheld)
    found, end = list[InsiderLeak](), monotonic() + _SECONDS
    places = np.cumsum(withheld) - 1
    for done, cell in enumerate(cells):
        run.report("auditing contributors", done, len(cells) + 1)
        for insider in _near(judge, attacker, own, cell, int(places[cell])):
            if monotonic() > end:
                return found, len(cells) - done
            low = np.maximum(table.low, own.known_to(insider))
            knowing = Judge(table.with_bounds(low, table.high), judge.problem)
            failure = next(knowing.failures(withheld, [cell]), None)
            if failure is not None:
                found.append(InsiderLeak(replace(failure, reason=INSIDER), low))
                break
    return found, 0


@dataclass(frozen=True, eq=False)
class _Parts:
    """Who contributes how much to which suppressed cell, of those that are known: an entry each."""

    table: Table
    cell: Ints
    place: Ints
    insider: Ints
    amount: Floats

    @classmethod
    def of(cls, table: Table, withheld: Mask) -> _Parts:
        contributors = table.contributors
        assert contributors is not None
        # negative contributions count by their size, which says nothing of the least value then
        plain = withheld & (np.abs(contributors.total - table.values) <= _ROUNDING * np.abs(table.values))
        cell, slot = np.nonzero((contributors.largest > 0) & plain[:, None])
        insider = contributors.holders[cell, slot]
        # of those without a number each cell has its own
        unnamed = insider < 0
        numbers = int(contributors.holders.max(initial=-1)) + 1 + np.arange(int(unnamed.sum()))
        insider = insider.copy()
        insider[unnamed] = numbers
        place = (np.cumsum(withheld) - 1)[cell]
        return cls(table, cell, place, insider, contributors.largest[cell, slot])

    def known_to(self, insider: int) -> Floats:
        """What one contributes to each cell, no more than its value."""
        known = np.zeros(self.table.n)
        mine = self.insider == insider
        known[self.cell[mine]] = np.minimum(self.amount[mine], self.table.values[self.cell[mine]])
        return known

    def in_the_way(self, change: Floats) -> Ints:
        """Those of whose part a movement would take something."""
        left = self.table.values[self.cell] + change[self.place]
        return np.unique(self.insider[left < self.amount * (1 - _ROUNDING)])


def _near(judge: Judge, attacker: Attacker, own: _Parts, cell: int, place: int) -> list[int]:
    """The contributors for whom no movement shows that a sensitive cell is protected."""
    fall, rise = judge.demand(cell)
    near = set[int]()
    for by in (rise, -fall):
        if by:
            change = attacker.smallest_movement(place, by)
            blocked = own.insider if change is None else own.in_the_way(change)
            near |= set(np.unique(blocked).tolist())
    return sorted(near)
