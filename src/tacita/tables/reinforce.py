"""A pattern that keeps more than its problem asks: from singletons, and where sums of cells are known.

A singleton, who is the only contributor of a suppressed cell, knows it. For them the cell might as well be
published, and others that it was to protect may fall. Suppressed cells with a known sum that is sensitive
itself are as good as one sensitive cell that is published. So more cells are suppressed until every sensitive
cell is protected from each singleton too, as far as the table allows, and no known sum is sensitive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tacita.core import DataError, Pattern, Run, Table
from tacita.core.arrays import Mask

from .suppression.base import Suppression
from .suppression.large.constructive import Constructive
from .suppression.twoway.paths import CheapestPaths
from .verify.certify import protects
from .verify.common import with_common_table
from .verify.insiders import InsiderLeak
from .verify.judge import Judge
from .verify.leaks import lone_leaks, sets_known
from .verify.unions import Union, is_sensitive, sensitive_unions

Leak = tuple[int, frozenset[int]]

# Attacks of a sensitive cell that dropping cells may take.
_MOST_ATTACKS = 30_000
# Cells that are tried to widen a sensitive sum: the cheapest ones.
_TRIED = 4
# Of a value: how far a cell must move at least where no level is known.
_SHARE = 1e-3
# How much farther than asked a cell must move where whole numbers give it away.
_FARTHER = (2.0, 4.0, 8.0, 16.0)
# What adds cells around a single one.
_QUICK = CheapestPaths(tries=1, changes=0, guided=False)
_QUICK_ANY = Constructive(bound=0.0)


def reinforce(table: Table, pattern: Pattern, run: Run, fixed: Mask | None = None) -> Pattern:
    """The pattern, with cells added where a singleton or a known sum would come too close to a sensitive one.

    For each sensitive cell and singleton: what the singleton knows counts as published, what is
    suppressed already costs nothing, and cheapest paths do the rest (cheapest movements in a table that is
    not two-way). A sensitive sum gets the cheapest further cell of its line, which must be able to move as
    far as the sum must stay open. A cell that is added may be known to somebody else, so this is repeated
    until nothing changes. A leak remains only where it would with all cells suppressed that may be. At last
    cells are dropped, most expensive first, that nobody needs any more, where the table is small enough. The
    lower bound is that of the problem alone: what this pattern costs more is told apart, and no bound is
    known for it. `fixed` marks suppressed cells that can be computed, as an audit has found them.

    One audit of singletons a round; every round adds a cell or ends. One for each cell to be dropped.
    """
    if table.contributors is None or not table.primary.any():
        return pattern
    judge = Judge(table, pattern.problem)
    mask, settled = pattern.withheld.copy(), _Settled()
    fixed = None if fixed is None else fixed.copy()
    mending: Suppression = _QUICK if _QUICK.fits(table) else _QUICK_ANY
    singletons = bool((table.contributors.lone & (table.primary | ~table.forced)).any())
    while True:
        before = int(mask.sum())
        _widen(judge, mending, mask, fixed, settled, run)
        if singletons:
            _add_for_singletons(judge, mending, mask, settled, run)
        if int(mask.sum()) == before:
            break
    if np.array_equal(mask, pattern.withheld):
        return pattern
    _drop(judge, mask, settled, run)
    return _with_its_price(table, mask, pattern)


def widen(table: Table, pattern: Pattern, cells: Sequence[int], run: Run) -> Pattern:
    """The pattern with cells added around some sensitive ones, which must be able to move farther than asked.

    By twice as much, four times, and so on, until that takes another cell. A cell around which none can be
    added stays as it is.
    """
    judge, mask = Judge(table, pattern.problem), pattern.withheld.copy()
    mending: Suppression = _QUICK if _QUICK.fits(table) else _QUICK_ANY
    for cell in cells:
        level = max(float(table.lower[cell]), float(table.upper[cell]), table.smallest_unit)
        for factor in _FARTHER:
            more = _around(judge, mending, mask, cell, frozenset(), run, factor * level)
            if more is not None and (more & ~mask).any():
                mask |= more
                break
    return pattern if np.array_equal(mask, pattern.withheld) else _with_its_price(table, mask, pattern)


def against_common_table(table: Table, pattern: Pattern, cells: Sequence[int], run: Run) -> Pattern:
    """The pattern of linked tables with cells added where their common table gives a sensitive one away.

    The entries of the common table are suppressed cells that cost nothing. A cell around which none can be
    added stays as it is.
    """
    common = with_common_table(table, pattern.withheld)
    if common is None:
        return pattern
    judge, mask = Judge(common.table, pattern.problem), common.suppressed(pattern.withheld)
    for cell in cells:
        more = _around(judge, _QUICK_ANY, mask, cell, frozenset(), run)
        if more is not None:
            mask |= more
    linked = mask[: table.n]
    return pattern if np.array_equal(linked, pattern.withheld) else _with_its_price(table, linked, pattern)


def against_insiders(table: Table, pattern: Pattern, leaks: Sequence[InsiderLeak], run: Run) -> Pattern:
    """The pattern with cells added where a contributor who knows their own part comes too close to a cell.

    A cell around which none can be added stays as it is.
    """
    mask = pattern.withheld.copy()
    mending: Suppression = _QUICK if _QUICK.fits(table) else _QUICK_ANY
    for leak in leaks:
        judge = Judge(table.with_bounds(leak.low, table.high), pattern.problem)
        more = _around(judge, mending, mask, leak.failure.cell, frozenset(), run)
        if more is not None:
            mask |= more
    return pattern if np.array_equal(mask, pattern.withheld) else _with_its_price(table, mask, pattern)


def _add_for_singletons(judge: Judge, mending: Suppression, mask: Mask, settled: _Settled, run: Run) -> None:
    """Suppress more around cells that a singleton comes too close to; `mask` is changed in place."""
    known_before = sets_known(judge.table, mask)
    leaks = lone_leaks(judge, mask, settled, run)
    settled.known.update(known_before)
    settled.open = {(failure.cell, known) for known, failure in leaks}
    for known, failure in leaks:
        more = _around(judge, mending, mask, failure.cell, known, run)
        if more is None:
            settled.hopeless.add((failure.cell, known))
        else:
            mask |= more


def _widen(
    judge: Judge, mending: Suppression, mask: Mask, fixed: Mask | None, settled: _Settled, run: Run
) -> None:
    """Add a cell to every sensitive sum that is known; `mask` and `fixed` are changed in place."""
    for union in sensitive_unions(judge.table, mask, fixed):
        cells = frozenset(union.cells.tolist())
        # an earlier one may have helped; where nothing does, the audit will say so
        if cells in settled.hopeless_sums or (bool(mask[union.others].any()) and fixed is None):
            continue
        more = _wider(judge, mending, mask, union, run)
        if more is None:
            settled.hopeless_sums.add(cells)
        else:
            mask |= more
            if fixed is not None:
                fixed &= ~more


def _wider(judge: Judge, mending: Suppression, mask: Mask, union: Union, run: Run) -> Mask | None:
    """Cells to suppress so that a sum is known no more, or only that of a set that is not sensitive."""
    table = judge.table
    price = np.where(mask, 0.0, table.cost)
    able = union.others[~table.forced[union.others] & (table.values[union.others] != 0)]
    able = able[np.argsort(price[able], kind="stable")]
    enough = [cell for cell in able.tolist() if not is_sensitive(table, np.append(union.cells, cell))]
    best: Mask | None = None
    for cell in (enough or able.tolist())[:_TRIED]:
        if best is not None and price[cell] >= price[best].sum():
            break
        level = max(union.lower, union.upper, table.smallest_unit, _SHARE * abs(float(table.values[cell])))
        more = _around(judge, mending, mask, cell, frozenset(), run, level)
        if more is not None and (best is None or price[more].sum() < price[best].sum()):
            best = more
    return best


@dataclass
class _Settled:
    """Pairs of a sensitive cell and what a singleton knows that need not be asked about again.

    Nothing helps some. Others were found apart: a movement along withheld cells stays one when more are.
    """

    hopeless: set[Leak] = field(default_factory=set)
    hopeless_sums: set[frozenset[int]] = field(default_factory=set)
    known: set[frozenset[int]] = field(default_factory=set)
    open: set[Leak] = field(default_factory=set)

    def __contains__(self, pair: object) -> bool:
        match pair:
            case (_, known):
                return pair in self.hopeless or (known in self.known and pair not in self.open)
        return False


def _with_its_price(table: Table, mask: Mask, before: Pattern) -> Pattern:
    """A pattern that was reinforced, next to the one before.

    It protects as the problem asks, too: where it costs no more than the one before, which a method may have
    left with needless cells, nothing was paid beyond the problem.
    """
    cost = float(table.cost[mask & ~table.primary].sum())
    added = int((mask & ~before.withheld).sum()) + before.lone_count
    more = added > 0 and cost > before.problem_cost
    return before.on(
        table, mask, problem_cost=before.problem_cost if more else cost, lone_count=added if more else 0
    )


def _drop(judge: Judge, mask: Mask, settled: _Settled, run: Run) -> None:
    """Publish again, most expensive first, what protects nobody; `mask` is changed in place."""
    table = judge.table
    assert table.contributors is not None
    secondary = np.flatnonzero(mask & ~table.primary)
    knowing = int((mask & table.contributors.lone).sum()) + 1
    if secondary.size * knowing * int(table.primary.sum()) > _MOST_ATTACKS:
        return
    for cell in secondary[np.argsort(-table.cost[secondary], kind="stable")].tolist():
        mask[cell] = False
        needed = (
            not protects(table, mask, judge.problem)
            or lone_leaks(judge, mask, settled.hopeless, run)
            or _sums_open(judge, mask, settled)
        )
        mask[cell] = bool(needed)


def _sums_open(judge: Judge, mask: Mask, settled: _Settled) -> bool:
    """Whether a sensitive sum is known, of those that could be helped."""
    attacker = judge.attacker(mask)
    fixed = np.zeros(mask.size, dtype=bool)
    fixed[np.flatnonzero(mask)] = [not attacker.moves(place) for place in range(attacker.n)]
    found = sensitive_unions(judge.table, mask, fixed)
    return any(frozenset(union.cells.tolist()) not in settled.hopeless_sums for union in found)


def _around(
    judge: Judge,
    mending: Suppression,
    withheld: Mask,
    cell: int,
    known: frozenset[int],
    run: Run,
    level: float | None = None,
) -> Mask | None:
    """Cells to suppress so that one cell is protected from who knows some; None where nothing helps.

    At the cell's own levels, or at another one below and above.
    """
    table, places = judge.table, np.arange(withheld.size)
    own, published = places == cell, np.isin(places, list(known))
    open_to_choice = (withheld | ~table.forced) & ~own & ~published
    asked = replace(
        table, primary=own, forced=~open_to_choice & ~own, cost=np.where(withheld, 0.0, table.cost)
    )
    if level is not None:
        levels = np.where(own, level, 0.0)
        asked = replace(asked, lower=levels, upper=levels, sliding=np.zeros(withheld.size))
    # a search that is cut short still gives what every pattern is held to
    steered = replace(run.branch(), enough=lambda: False)
    try:
        return mending.suppress(asked, judge.problem, steered).withheld
    except DataError:
        return None
