"""What some know beyond what is published: lone contributors, and what sums of withheld cells give away."""

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
    judge: Judge, withheld: Mask, known_bad: set[int], run: RunContext, seconds: float = np.inf
) -> list[Leak]:
    """Leaks of sensitive cells that fail once a lone contributor's own cells are known; one a cell.

    Of a cell that fails for nobody else.
    """
    found: dict[int, Leak] = {}
    for leak in lone_leaks(judge, withheld, frozenset(), run, seconds):
        if leak.failure.cell not in known_bad:
            found.setdefault(leak.failure.cell, leak)
    return list(found.values())


def lone_leaks(
    judge: Judge,
    withheld: Mask,
    passed_over: Container[tuple[int, frozenset[int]]],
    run: RunContext,
    seconds: float = np.inf,
) -> list[Leak]:
    """What a lone contributor knows, and a sensitive cell that fails once it is; all such pairs but some.

    Who is alone in several suppressed cells knows all of them; where holders are not named, every cell has
    its own. Only cells connected to the known ones are asked again. A movement that protects a cell protects
    it from all who know none of the cells that move: one program a sensitive cell where a movement touches no
    lone contributor; else another, and one more for each who knows some of the cells that move; an attack of
    its own only where that does not settle it. Nobody can be kept from knowing their own part of a cell: it
    need not be able to fall below that. After some `seconds`, what is left is not asked.
    """
    table = judge.table
    known_to_one = sets_known(table, withheld)
    if not known_to_one:
        return []
    until = monotonic() + seconds
    open_to = _open_to(judge, withheld, known_to_one, passed_over, run, until)
    found = []
    for done, known in enumerate(known_to_one):
        if (asked := open_to.get(done)) and monotonic() < until:
            left = withheld.copy()
            left[list(known)] = False
            for each in failures_of(judge, left, asked):
                own = own_part(table, withheld, known, each.cell)
                low = table.low.copy()
                if own > max(low[each.cell], 0.0):
                    low[each.cell] = own
                    knowing = Judge(table.with_bounds(low, table.high), judge.problem)
                    if next(failures_of(knowing, left, [each.cell]), None) is None:
                        continue
                found.append(Leak(replace(each, reason=LONE), known, low))
        run.report("auditing lone contributors", done, len(known_to_one) + 1)
    return found


def own_part(table: Table, withheld: Mask, known: frozenset[int], cell: int) -> float:
    """What a cell is at least to the contributor who is alone in some others, whatever is published.

    Their part of a sum is what is known of its suppressed parts, each of them no less than it can be.
    """
    contributors = table.contributors
    if contributors is None or not table.nonnegative:
        return 0.0
    holder = int(contributors.holders[next(iter(known)), 0])
    kept = (contributors.holders[cell] == holder) & (holder >= 0)
    parts = [float(contributors.largest[cell, place]) for place in np.flatnonzero(kept)]
    least = _least(table, withheld, known, cell, {})
    return min(max(least, *parts, 0.0), float(table.values[cell]))


def _least(table: Table, withheld: Mask, known: frozenset[int], cell: int, found: dict[int, float]) -> float:
    """The least value of a cell by the parts of its lines, of which only suppressed ones count."""
    if cell in known:
        return float(table.values[cell])
    if cell not in found:
        relations = table.relations
        # a circle of sums ends here
        found[cell] = least = float(table.low[cell]) if withheld[cell] else 0.0
        for row in relations.rows[relations.cells == cell].tolist() if withheld[cell] else ():
            cells, signs = relations.line(row)
            if bool((np.abs(signs) == 1).all()) and cells[signs < 0].tolist() == [cell]:
                parts = (_least(table, withheld, known, part, found) for part in cells[signs > 0].tolist())
                least = max(least, sum(parts))
        found[cell] = least
    return found[cell]


def _open_to(
    judge: Judge,
    withheld: Mask,
    known_to_one: list[frozenset[int]],
    passed_over: Container[tuple[int, frozenset[int]]],
    run: RunContext,
    until: float,
) -> dict[int, list[int]]:
    """For the number of each lone contributor the sensitive cells that no movement has settled."""
    table, cells = judge.table, np.flatnonzero(withheld)
    place = np.cumsum(withheld) - 1
    rows, entries, _ = table.relations.among(withheld)
    part = parts_of(rows, place[entries], cells.size)
    attacker = judge.attacker(withheld)
    own = [place[np.array(sorted(known))] for known in known_to_one]
    who = np.repeat(np.arange(len(own)), [each.size for each in own])
    what = np.concatenate(own)
    sensitive = cells[table.primary[cells]]
    found: dict[int, list[int]] = {}
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
                found.setdefault(number, []).append(cell)
    return found


def sets_known(table: Table, withheld: Mask) -> list[frozenset[int]]:
    """Sets of withheld cells that one contributor alone knows."""
    contributors = table.contributors
    if contributors is None:
        return []
    alone = np.flatnonzero(withheld & contributors.lone)
    by_holder: dict[int, set[int]] = {}
    unnamed = []
    for cell in alone.tolist():
        holder = int(contributors.holders[cell, 0])
        if holder < 0:
            unnamed.append(frozenset([cell]))
        else:
            by_holder.setdefault(holder, set()).add(cell)
    return [*(frozenset(own) for own in by_holder.values()), *unnamed]


def unnamed_loners(table: Table, withheld: Mask) -> int:
    """Withheld cells of one contributor of whom nobody knows whether it is that of another such cell."""
    if table.contributors is None:
        return 0
    alone = withheld & table.contributors.lone
    unnamed = int((alone & (table.contributors.holders[:, 0] < 0)).sum())
    return unnamed if int(alone.sum()) > 1 else 0


def loners_apart(table: Table, withheld: Mask) -> int:
    """Withheld cells of one contributor in linked lists, of which each numbers contributors by itself."""
    if table.contributors is None or not table.contributors.apart:
        return 0
    alone = int((withheld & table.contributors.lone).sum())
    return alone if alone > 1 else 0


def sensitive_sums(table: Table, withheld: Mask, fixed: Mask | None = None) -> list[Failure]:
    """Sensitive cells in a set of suppressed cells whose sum is known and sensitive itself.

    `fixed` marks suppressed cells that can be computed.
    """
    found: dict[int, Failure] = {}
    for union in sensitive_unions(table, withheld, fixed):
        for cell in union.cells[table.primary[union.cells]].tolist():
            at = float(table.values[cell])
            found[cell] = Failure(
                cell=cell, labels=table.label(cell), reason=KNOWN_SUM, low=at, high=at, shortfall=float("nan")
            )
    return list(found.values())


def single_counts(table: Table, withheld: Mask) -> int:
    """Published lines in which one count is not zero, of two labels or more."""
    relations = table.relations
    rows, parts = relations.rows, relations.signs > 0
    hidden = np.bincount(rows, weights=withheld[relations.cells], minlength=len(relations))
    filled = np.bincount(
        rows[parts], weights=table.values[relations.cells[parts]] != 0, minlength=len(relations)
    )
    labels = np.bincount(rows[parts], minlength=len(relations))
    return int(((hidden == 0) & (filled == 1) & (labels > 1)).sum())
