"""A pattern that protects beyond its problem: from singletons, and where sums of cells are known.

A singleton, who is the only contributor of a suppressed cell, knows it. For them the cell might as well be
published, and others that it was to protect may fall. Suppressed cells with a known sum that is sensitive
itself are as good as one sensitive cell that is published. So more cells are suppressed until every sensitive
cell is protected from each singleton too, as far as the table allows, and no known sum is sensitive.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tacita.core import DataError, Pattern, Relations, RunContext, Table
from tacita.core.arrays import Mask
from tacita.tables.suppression.heuristics.paths import CheapestPaths
from tacita.tables.suppression.large.constructive import Constructive
from tacita.tables.suppression.suppression_method import Suppression
from tacita.tables.verify.certify import protects
from tacita.tables.verify.common import common_table_of
from tacita.tables.verify.integers import failures_of
from tacita.tables.verify.protection_criteria import Judge, Leak
from tacita.tables.verify.singleton_and_sum_attacks import lone_leaks, sets_known
from tacita.tables.verify.unions import Union, is_sensitive, sensitive_unions

Pair = tuple[int, frozenset[int]]

# Attacks of a sensitive cell that dropping cells may take.
_MOST_ATTACKS = 30_000
# Cells that are tried to widen a sensitive sum: the cheapest ones.
_TRIED = 4
# Of a value: how far a cell must move at least where no level is known.
_SHARE = 1e-3
# How many times its level a cell must move where whole numbers give it away.
_FARTHER = (2.0, 4.0, 8.0, 16.0)
# Number of added cells up to which needless ones are published again.
_MOST_PUBLISHED = 200
# What adds cells around a single one.
_QUICK = CheapestPaths(tries=1, changes=0, guided=False)
_QUICK_ANY = Constructive(bound=0.0)


def reinforce(
    table: Table, pattern: Pattern, run: RunContext, fixed: Mask | None = None, kept: Mask | None = None
) -> Pattern:
    """The pattern, with cells added where a singleton or a known sum comes too close to a sensitive cell.

    For each sensitive cell and singleton: what the singleton knows counts as published, what is
    suppressed already costs nothing, and cheapest paths do the rest (cheapest movements in a table that is
    not two-way). A sensitive sum gets the cheapest further cell of its line, which must be able to move as
    far as the sum must stay open. A cell that is added may be known to somebody else, so this is repeated
    until nothing changes. A leak remains only where it would with all cells suppressed that may be. At last
    cells that are no longer needed are dropped, most expensive first, where the table is small enough. The
    lower bound is that of the problem alone: the extra cost of this pattern is recorded separately, without a
    bound. `fixed` marks suppressed cells that can be computed, as an audit has found them, `kept` those that
    must not be dropped.

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
    _drop(judge, mask, settled, run, kept)
    return _with_its_price(table, mask, pattern)


def close(
    table: Table,
    pattern: Pattern,
    leaks: Sequence[Leak],
    hopeless: set[Pair],
    run: RunContext,
) -> Pattern:
    """The pattern with cells added until nobody comes too close any more who does by some `leaks`.

    Leaks are those of linked tables or of their common table, whose entries are suppressed cells that cost
    nothing. Around a cell, the cheapest movement says which cells to add: one as far as it must move, or
    twice, four times as far, and so on, since whole numbers give a cell away that real ones leave open. Where
    none helps, the cheapest of all cells that may be suppressed are, as many as it takes; where all of them
    do not help, the leak is `hopeless`.
    """
    leaks = [leak for leak in leaks if (leak.failure.cell, leak.known) not in hopeless]
    if not leaks:
        return pattern
    judge, mask = Judge(table, pattern.problem), pattern.withheld.copy()
    common = common_table_of(judge, mask)
    if common is not None:
        judge, mask = Judge(common.table, pattern.problem), common.suppressed(mask)
    for leak in leaks:
        who = leak.failure.cell, leak.known
        low = judge.table.low.copy()
        low[: leak.low.size] = np.maximum(low[: leak.low.size], leak.low)
        knowing = Judge(judge.table.with_bounds(low, judge.table.high), judge.problem)
        more = _closing(knowing, mask, *who, run)
        if more is None:
            hopeless.add(who)
        else:
            mask |= more
    linked = mask[: table.n]
    return pattern if np.array_equal(linked, pattern.withheld) else _with_its_price(table, linked, pattern)


def _closing(judge: Judge, mask: Mask, cell: int, known: frozenset[int], run: RunContext) -> Mask | None:
    """Cells to suppress so that one cell is protected from somebody; None where nothing helps."""
    table = judge.table
    mending: Suppression = _QUICK if _QUICK.fits(table) else _QUICK_ANY
    level = max(float(table.lower[cell]), float(table.upper[cell]), table.smallest_unit)
    if _protected(judge, mask, cell, known):
        return mask
    for factor in (0.0, *_FARTHER):
        more = _around(judge, mending, mask, cell, known, run, factor * level if factor else None)
        if more is not None and _protected(judge, mask | more, cell, known):
            return more
    able = np.flatnonzero(~mask & ~table.forced & ~np.isin(np.arange(table.n), list(known)))
    able = able[np.argsort(table.cost[able], kind="stable")]

    def with_first(count: int) -> Mask:
        more = mask.copy()
        more[able[:count]] = True
        return more

    def is_enough(count: int) -> bool:
        return _protected(judge, with_first(count), cell, known)

    if not is_enough(able.size):
        return None
    enough = bisect_left(range(able.size + 1), True, key=is_enough)
    more = with_first(enough)
    for place in able[:enough][::-1].tolist() if enough <= _MOST_PUBLISHED else ():
        more[place] = False
        more[place] = not _protected(judge, more, cell, known)
    return more


def _protected(judge: Judge, mask: Mask, cell: int, known: frozenset[int]) -> bool:
    """Whether a cell is protected from somebody who knows some others."""
    left = mask.copy()
    left[list(known)] = False
    return next(failures_of(judge, left, [cell]), None) is None


def _add_for_singletons(
    judge: Judge, mending: Suppression, mask: Mask, settled: _Settled, run: RunContext
) -> None:
    """Suppress more around cells that a singleton comes too close to; `mask` is changed in place."""
    known_before = sets_known(judge.table, mask)
    leaks = lone_leaks(judge, mask, settled, run)
    settled.known.update(known_before)
    settled.open = {(leak.failure.cell, leak.known) for leak in leaks}
    for leak in leaks:
        more = _around(judge, mending, mask, leak.failure.cell, leak.known, run)
        if more is None:
            settled.hopeless.add((leak.failure.cell, leak.known))
        else:
            mask |= more


def _widen(
    judge: Judge, mending: Suppression, mask: Mask, fixed: Mask | None, settled: _Settled, run: RunContext
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


def _wider(judge: Judge, mending: Suppression, mask: Mask, union: Union, run: RunContext) -> Mask | None:
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
    return _moving(judge, mask, union, run) if best is None else best


def _moving(judge: Judge, mask: Mask, union: Union, run: RunContext) -> Mask | None:
    """Cells to suppress so that a sum, as a cell of its own, can move; None where nothing helps."""
    table, n = judge.table, judge.table.n
    value = float(table.values[union.cells].sum())
    line = Relations.of([(np.append(union.cells, n), np.append(np.ones(union.cells.size), -1.0))])
    old = table.relations
    with_line = Relations(
        np.append(old.starts, old.starts[-1] + line.starts[1:]),
        np.append(old.cells, line.cells),
        np.append(old.signs, line.signs),
        np.append(old.basis, line.basis),
    )
    own = {
        "values": value,
        "low": float(table.low[union.cells].sum()),
        "high": float(table.high[union.cells].sum()),
        **dict.fromkeys(("lower", "upper", "sliding", "cost"), 0.0),
        **dict.fromkeys(("primary", "forced"), False),
    }
    columns: dict[str, Any] = {
        name: np.append(getattr(table, name), value_of_sum) for name, value_of_sum in own.items()
    }
    extended = replace(
        table,
        codes=np.append(table.codes, table.codes[:1], axis=0),
        relations=with_line,
        contributors=None,
        keys=None,
        rules=(),
        **columns,
    )
    level = max(union.lower, union.upper, table.smallest_unit, _SHARE * abs(value))
    more = _around(
        Judge(extended, judge.problem), _QUICK_ANY, np.append(mask, True), n, frozenset(), run, level
    )
    return None if more is None else more[:n]


@dataclass
class _Settled:
    """Pairs of a sensitive cell and the cells that a singleton knows that need no further check.

    Some cannot be helped. For others a movement was found that moves no known cell: it remains one when more
    cells are suppressed.
    """

    hopeless: set[Pair] = field(default_factory=set)
    hopeless_sums: set[frozenset[int]] = field(default_factory=set)
    known: set[frozenset[int]] = field(default_factory=set)
    open: set[Pair] = field(default_factory=set)

    def __contains__(self, pair: object) -> bool:
        match pair:
            case (_, known):
                return pair in self.hopeless or (known in self.known and pair not in self.open)
        return False


def _with_its_price(table: Table, mask: Mask, before: Pattern) -> Pattern:
    """A pattern that was reinforced, next to the one before.

    It protects as the problem requires, too: where it costs no more than the one before, which a method may
    have left with needless cells, there is no extra cost.
    """
    cost = float(table.cost[mask & ~table.primary].sum())
    added = int((mask & ~before.withheld).sum()) + before.lone_count
    more = added > 0 and cost > before.problem_cost
    return before.on(
        table, mask, problem_cost=before.problem_cost if more else cost, lone_count=added if more else 0
    )


def _drop(judge: Judge, mask: Mask, settled: _Settled, run: RunContext, kept: Mask | None) -> None:
    """Publish needless cells again, most expensive first; `mask` is changed in place."""
    table = judge.table
    assert table.contributors is not None
    secondary = np.flatnonzero(mask & ~table.primary & (True if kept is None else ~kept))
    knowing = int((mask & table.contributors.lone).sum()) + 1
    if secondary.size * knowing * int(table.primary.sum()) > _MOST_ATTACKS:
        return
    before = mask.copy()
    for cell in secondary[np.argsort(-table.cost[secondary], kind="stable")].tolist():
        mask[cell] = False
        needed = (
            not protects(table, mask, judge.problem)
            or lone_leaks(judge, mask, settled.hopeless, run)
            or _sums_open(judge, mask, settled, beyond_lines=False)
        )
        mask[cell] = bool(needed)
    if not np.array_equal(mask, before) and _sums_open(judge, mask, settled, beyond_lines=True):
        mask[:] = before


def _sums_open(judge: Judge, mask: Mask, settled: _Settled, beyond_lines: bool) -> bool:
    """Whether a sensitive sum is known, of those that could be helped."""
    attacker = judge.attacker(mask)
    fixed = np.zeros(mask.size, dtype=bool)
    fixed[np.flatnonzero(mask)] = [not attacker.moves(place) for place in range(attacker.n)]
    unions = sensitive_unions(judge.table, mask, fixed, beyond_lines)
    return any(frozenset(union.cells.tolist()) not in settled.hopeless_sums for union in unions)


def _around(
    judge: Judge,
    mending: Suppression,
    suppressed: Mask,
    cell: int,
    known: frozenset[int],
    run: RunContext,
    level: float | None = None,
) -> Mask | None:
    """Cells to suppress so that one cell is protected from who knows some; None where nothing helps.

    At the cell's own levels, or at another one below and above.
    """
    table, places = judge.table, np.arange(suppressed.size)
    own, published = places == cell, np.isin(places, list(known))
    open_to_choice = (suppressed | ~table.forced) & ~own & ~published
    single_cell = replace(
        table, primary=own, forced=~open_to_choice & ~own, cost=np.where(suppressed, 0.0, table.cost)
    )
    if level is not None:
        levels = np.where(own, level, 0.0)
        single_cell = replace(single_cell, lower=levels, upper=levels, sliding=np.zeros(suppressed.size))
    # even if the search is cut short, the pattern must protect
    steered = replace(run.branch(), should_stop=lambda: False)
    try:
        return mending.suppress(single_cell, judge.problem, steered).withheld
    except DataError:
        return None
