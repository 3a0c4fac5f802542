"""A pattern that does not lean on lone contributors: who is alone in a withheld cell knows it.

For such a contributor the cell might as well be published, and others that it was to protect may fall. So
more cells are withheld until every sensitive cell is protected from each lone contributor too, as far as the
table allows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from tacita.core import DataError, Pattern, Run, Table
from tacita.core.arrays import Mask

from .suppression.base import Suppression
from .suppression.large.constructive import Constructive
from .suppression.twoway.paths import CheapestPaths
from .verify.certify import protects
from .verify.judge import Judge
from .verify.leaks import lone_leaks, sets_known

Leak = tuple[int, frozenset[int]]

# Attacks of a sensitive cell that dropping cells may take.
_MOST_ATTACKS = 30_000
# What adds cells around a single one.
_QUICK = CheapestPaths(tries=1, changes=0, guided=False)
_QUICK_ANY = Constructive(bound=0.0)


def not_leaning(table: Table, pattern: Pattern, run: Run) -> Pattern:
    """The pattern, with cells added where a lone contributor could come too close to a sensitive one.

    For each sensitive cell and lone contributor: what the contributor knows counts as published, what is
    withheld already costs nothing, and cheapest paths do the rest (cheapest movements in a table that is not
    two-way). A cell that is added may be known to somebody else, so this is repeated until nothing
    changes. A leak remains only where it would with all cells withheld that may be. At last cells are
    dropped, dearest first, that nobody needs any more, where the table is small enough. The lower bound is
    that of patterns that may lean: what this one costs more is told apart, and no bound is known for it.

    One audit of lone contributors a round; every round adds a cell or ends. One for each cell to be dropped.
    """
    if table.contributors is None or not (table.contributors.lone & (table.primary | ~table.forced)).any():
        return pattern
    judge = Judge(table, pattern.problem)
    mask, settled = pattern.withheld.copy(), _Settled()
    mending: Suppression = _QUICK if _QUICK.fits(table) else _QUICK_ANY
    while True:
        before, asked = int(mask.sum()), sets_known(table, mask)
        leaks = lone_leaks(judge, mask, settled, run)
        settled.known.update(asked)
        settled.open = {(failure.cell, known) for known, failure in leaks}
        for known, failure in leaks:
            more = _around(judge, mending, mask, failure.cell, known, run)
            if more is None:
                settled.hopeless.add((failure.cell, known))
            else:
                mask |= more
        if int(mask.sum()) == before:
            break
    if np.array_equal(mask, pattern.withheld):
        return pattern
    _drop(judge, mask, settled.hopeless, run)
    return _with_its_price(table, mask, pattern)


@dataclass
class _Settled:
    """Pairs of a sensitive cell and what a lone contributor knows that need not be asked about again.

    Nothing helps some. Others were found apart: a movement along withheld cells stays one when more are.
    """

    hopeless: set[Leak] = field(default_factory=set)
    known: set[frozenset[int]] = field(default_factory=set)
    open: set[Leak] = field(default_factory=set)

    def __contains__(self, pair: object) -> bool:
        match pair:
            case (_, known):
                return pair in self.hopeless or (known in self.known and pair not in self.open)
        return False


def _with_its_price(table: Table, mask: Mask, before: Pattern) -> Pattern:
    """A pattern that heeds lone contributors, next to the one before that does not.

    It protects as the problem asks, too: where it costs no more than the one before, which a method may have
    left with needless cells, nothing was paid for lone contributors.
    """
    cost = float(table.cost[mask & ~table.primary].sum())
    added = int((mask & ~before.withheld).sum())
    dearer = added > 0 and cost > before.cost
    return before.on(
        table, mask, problem_cost=before.cost if dearer else cost, lone_count=added if dearer else 0
    )


def _drop(judge: Judge, mask: Mask, hopeless: set[Leak], run: Run) -> None:
    """Publish again, dearest first, what protects nobody; `mask` is changed in place."""
    table = judge.table
    assert table.contributors is not None
    secondary = np.flatnonzero(mask & ~table.primary)
    knowing = int((mask & table.contributors.lone).sum()) + 1
    if secondary.size * knowing * int(table.primary.sum()) > _MOST_ATTACKS:
        return
    for cell in secondary[np.argsort(-table.cost[secondary], kind="stable")].tolist():
        mask[cell] = False
        needed = not protects(table, mask, judge.problem) or lone_leaks(judge, mask, hopeless, run)
        mask[cell] = bool(needed)


def _around(
    judge: Judge, mending: Suppression, withheld: Mask, cell: int, known: frozenset[int], run: Run
) -> Mask | None:
    """Cells to withhold so that one cell is protected from who knows some; None where nothing helps."""
    table, places = judge.table, np.arange(withheld.size)
    own, published = places == cell, np.isin(places, list(known))
    open_to_choice = (withheld | ~table.forced) & ~own & ~published
    asked = replace(
        table, primary=own, forced=~open_to_choice & ~own, cost=np.where(withheld, 0.0, table.cost)
    )
    # who has enough of a search still gets what every pattern is held to
    steered = replace(run.branch(), enough=lambda: False)
    try:
        return mending.suppress(asked, judge.problem, steered).withheld
    except DataError:
        return None
