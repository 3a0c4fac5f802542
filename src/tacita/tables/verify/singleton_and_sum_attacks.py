"""What singletons know beyond what is published, and what sums of suppressed cells give away."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from time import monotonic

import numpy as np

from tacita.core import RunContext, Table
from tacita.core.arrays import Mask

from .attacker import parts_of
from .integers import failures_of
from .protection_criteria import Failure, Judge, Leak
from .unions import sensitive_unions

LONE = "known to a lone contributor"
KNOWN_SUM = "part of a sensitive sum"


def lone_contributors(
    judge: Judge, suppressed: Mask, known_bad: set[int], run: RunContext, seconds: float = np.inf
) -> list[Leak]:
    """Leaks to singletons, one for each sensitive cell that fails once the cells of a singleton are known.

    Cells in `known_bad`, which fail anyway, are left out.
    """
    leaks: dict[int, Leak] = {}
    for leak in lone_leaks(judge, suppressed, frozenset(), run, seconds):
        if leak.failure.cell not in known_bad:
            leaks.setdefault(leak.failure.cell, leak)
    return list(leaks.values())


def lone_leaks(
    judge: Judge,
    suppressed: Mask,
    passed_over: Container[tuple[int, frozenset[int]]],
    run: RunContext,
    seconds: float = np.inf,
) -> list[Leak]:
    """All pairs of a singleton and a sensitive cell that fails once the cells of the singleton are known.

    Pairs in `passed_over` are left out. A contributor who is the only one in several suppressed cells knows
    all of them; where contributors are not named, every cell has its own. Only cells connected to the known
    ones are checked again. A movement that protects a cell protects it from everyone who knows none of the
    cells that move: one LP for each sensitive cell where a movement touches no singleton; else another, and
    one more for each singleton who knows some of the cells that move. Only where that does not settle it, the
    cell is attacked. Contributors always know their own part of a cell: the cell need not be able to fall
    below that. After `seconds`, the remaining pairs are skipped.
    """
    table = judge.table
    known_to_one = sets_known(table, suppressed)
    if not known_to_one:
        return []
    until = monotonic() + seconds
    open_to = _open_to(judge, suppressed, known_to_one, passed_over, run, until)
    leaks = []
    for done, known in enumerate(known_to_one):
        if (cells := open_to.get(done)) and monotonic() < until:
            left = suppressed.copy()
            left[list(known)] = False
            for failure in failures_of(judge, left, cells):
                own = own_part(table, suppressed, known, failure.cell)
                low = table.low.copy()
                if own > max(low[failure.cell], 0.0):
                    low[failure.cell] = own
                    knowing = Judge(table.with_bounds(low, table.high), judge.problem)
                    if next(failures_of(knowing, left, [failure.cell]), None) is None:
                        continue
                leaks.append(Leak(replace(failure, reason=LONE), known, low))
        run.report("auditing lone contributors", done, len(known_to_one) + 1)
    return leaks


def own_part(table: Table, suppressed: Mask, known: frozenset[int], cell: int) -> float:
    """The least value of a cell for the singleton who knows some others, in any pattern.

    Their part of a sum is what they know of its suppressed parts, each at its least value.
    """
    contributors = table.contributors
    if contributors is None or not table.nonnegative:
        return 0.0
    holder = int(contributors.holders[next(iter(known)), 0])
    kept = (contributors.holders[cell] == holder) & (holder >= 0)
    parts = [float(contributors.largest[cell, place]) for place in np.flatnonzero(kept)]
    least = _least(table, suppressed, known, cell, {})
    return min(max(least, *parts, 0.0), float(table.values[cell]))


def _least(
    table: Table, suppressed: Mask, known: frozenset[int], cell: int, known_least: dict[int, float]
) -> float:
    """The least value of a cell by the parts of its lines, of which only suppressed ones count."""
    if cell in known:
        return float(table.values[cell])
    if cell not in known_least:
        relations = table.relations
        # a circle of sums ends here
        known_least[cell] = least = float(table.low[cell]) if suppressed[cell] else 0.0
        for row in relations.rows[relations.cells == cell].tolist() if suppressed[cell] else ():
            cells, signs = relations.line(row)
            if bool((np.abs(signs) == 1).all()) and cells[signs < 0].tolist() == [cell]:
                parts = (
                    _least(table, suppressed, known, part, known_least) for part in cells[signs > 0].tolist()
                )
                least = max(least, sum(parts))
        known_least[cell] = least
    return known_least[cell]


def _open_to(
    judge: Judge,
    suppressed: Mask,
    known_to_one: list[frozenset[int]],
    passed_over: Container[tuple[int, frozenset[int]]],
    run: RunContext,
    until: float,
) -> dict[int, list[int]]:
    """The sensitive cells that no movement has settled, by the number of the singleton."""
    table, cells = judge.table, np.flatnonzero(suppressed)
    place = np.cumsum(suppressed) - 1
    rows, entries, _ = table.relations.among(suppressed)
    part = parts_of(rows, place[entries], cells.size)
    attacker = judge.attacker(suppressed)
    own = [place[np.array(sorted(known))] for known in known_to_one]
    who = np.repeat(np.arange(len(own)), [cells_of_one.size for cells_of_one in own])
    what = np.concatenate(own)
    sensitive = cells[table.primary[cells]]
    unsettled: dict[int, list[int]] = {}
    for done, cell in enumerate(sensitive.tolist()):
        if done % 64 == 0:
            run.report("looking for movements apart", done, sensitive.size)
        if monotonic() > until:
            break
        at = int(place[cell])
        connected = np.unique(who[part[what] == part[at]]).tolist()
        others = [number for number in connected if cell not in known_to_one[number]]
        near = [number for number in others if (cell, known_to_one[number]) not in passed_over]
        if not near or judge.apart(attacker, cell, at, what[np.isin(who, near)]) is not None:
            continue
        moving = judge.apart(attacker, cell, at, np.empty(0, dtype=np.int64))
        for number in near if moving is None else np.intersect1d(near, who[moving[what]]).tolist():
            if moving is None or judge.apart(attacker, cell, at, own[number]) is None:
                unsettled.setdefault(number, []).append(cell)
    return unsettled


def sets_known(table: Table, suppressed: Mask) -> list[frozenset[int]]:
    """Sets of suppressed cells that one singleton knows."""
    contributors = table.contributors
    if contributors is None:
        return []
    alone = np.flatnonzero(suppressed & contributors.lone)
    by_holder: dict[int, set[int]] = {}
    unnamed = []
    for cell in alone.tolist():
        holder = int(contributors.holders[cell, 0])
        if holder < 0:
            unnamed.append(frozenset([cell]))
        else:
            by_holder.setdefault(holder, set()).add(cell)
    return [*(frozenset(own) for own in by_holder.values()), *unnamed]


def unnamed_singletons(table: Table, suppressed: Mask) -> int:
    """Suppressed cells of one contributor each who may be the same for several of these cells."""
    if table.contributors is None:
        return 0
    alone = suppressed & table.contributors.lone
    unnamed = int((alone & (table.contributors.holders[:, 0] < 0)).sum())
    return unnamed if int(alone.sum()) > 1 else 0


def singletons_of_separate_lists(table: Table, suppressed: Mask) -> int:
    """Suppressed cells of one contributor in linked lists that number their contributors separately."""
    if table.contributors is None or not table.contributors.apart:
        return 0
    alone = int((suppressed & table.contributors.lone).sum())
    return alone if alone > 1 else 0


def sensitive_sums(table: Table, suppressed: Mask, fixed: Mask | None = None) -> list[Failure]:
    """Sensitive cells in a set of suppressed cells whose sum is known and sensitive itself.

    `fixed` marks suppressed cells that can be computed.
    """
    failures: dict[int, Failure] = {}
    for union in sensitive_unions(table, suppressed, fixed):
        for cell in union.cells[table.primary[union.cells]].tolist():
            at = float(table.values[cell])
            failures[cell] = Failure(
                cell=cell, labels=table.label(cell), reason=KNOWN_SUM, low=at, high=at, shortfall=float("nan")
            )
    return list(failures.values())


def single_counts(table: Table, suppressed: Mask) -> int:
    """Published lines in which one count is not zero, of two labels or more."""
    relations = table.relations
    rows, parts = relations.rows, relations.signs > 0
    hidden = np.bincount(rows, weights=suppressed[relations.cells], minlength=len(relations))
    filled = np.bincount(
        rows[parts], weights=table.values[relations.cells[parts]] != 0, minlength=len(relations)
    )
    labels = np.bincount(rows[parts], minlength=len(relations))
    return int(((hidden == 0) & (filled == 1) & (labels > 1)).sum())
