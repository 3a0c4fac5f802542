"""The records behind linked tables: what an attacker gains who writes down the table of all dimensions.

Linked tables come from one file, so there is a table of all their dimensions, with entries that are not
negative, of which every linked table is a margin. Relations between the linked cells alone leave wider ranges
than these entries do. Here the entries become cells of their own, all suppressed, that nobody has to protect.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from time import monotonic

import numpy as np
from scipy import sparse

from tacita.core import Contributors, Relations, RunContext, Table
from tacita.core.arrays import Floats, Ints, Mask

from .integers import failures_of
from .protection_criteria import Failure, Judge, counts_whole

# Entries of the common table up to which it is written down.
_MOST = 20_000
# Seconds for its linear programs.
_SECONDS = 120.0
# Seconds for entries of counts.
_SECONDS_FOR_ENTRIES = 20.0
# Tolerance of a solver's whole numbers.
_WHOLE = 1e-6

COMMON = "given away by the common table of linked ones"


@dataclass(frozen=True, eq=False)
class CommonTable:
    """Linked cells, followed by the entries of the table that they are margins of."""

    table: Table
    linked: int

    def suppressed(self, suppressed: Mask) -> Mask:
        """A pattern of the linked cells, with all entries suppressed."""
        return np.concatenate([suppressed, np.ones(self.table.n - self.linked, dtype=bool)])


def common_table_of(judge: Judge, suppressed: Mask) -> CommonTable | None:
    """The common table where an attacker gains by writing it down; None else."""
    table = judge.table
    return None if judge.free or not is_linked(table) else with_common_table(table, suppressed)


def given_away_by_common_table(
    judge: Judge, suppressed: Mask, cells: Sequence[int], run: RunContext, common: CommonTable | None = None
) -> tuple[list[Failure], int]:
    """Which of some sensitive cells the common table brings too close, and how many were not judged.

    Counts have whole entries.
    """
    table = judge.table
    if judge.free or not is_linked(table) or not table.nonnegative or not cells:
        return [], 0
    common = common or with_common_table(table, suppressed)
    if common is None:
        return [], len(cells) if entries_behind(table) > _MOST else 0
    knowing, end, judged = Judge(common.table, judge.problem), monotonic() + _SECONDS, 0

    def in_time() -> Iterator[int]:
        nonlocal judged
        for cell in cells:
            if judged and monotonic() > end:
                return
            run.report("auditing with the common table", judged, len(cells) + 1)
            judged += 1
            yield cell

    failures = [
        replace(failure, labels=table.label(failure.cell), reason=COMMON)
        for failure in failures_of(knowing, common.suppressed(suppressed), in_time())
    ]
    return failures, len(cells) - judged


def is_linked(table: Table) -> bool:
    """Whether a table is no full cross of its dimensions: several tables that share cells."""
    crossed = table.n == int(np.prod(table.shape, dtype=np.float64))
    return len(table.dimensions) > 1 and not crossed


def entries_behind(table: Table) -> int:
    """How many entries the common table of linked ones has, those under a published zero included."""
    return int(np.prod([dimension.leaves.size for dimension in table.dimensions], dtype=np.float64))


def with_common_table(table: Table, suppressed: Mask) -> CommonTable | None:
    """Linked cells with the entries behind them; None where nothing is gained, or there are too many.

    An entry in a published zero is zero. Of the others, some that fit all linked cells are found by a linear
    program: where an attacker starts from does not matter. None where none fit; such tables do not come from
    one file.
    """
    if not is_linked(table) or not table.nonnegative or entries_behind(table) > _MOST:
        return None
    dimensions = table.dimensions
    leaves = np.array(list(product(*(dimension.leaves.tolist() for dimension in dimensions))), dtype=np.int64)
    known = {tuple(code): cell for cell, code in enumerate(table.codes.tolist())}
    margins = _margins(table)
    rows = np.concatenate([np.full(len(leaves), -1) for _ in margins]).reshape(len(margins), -1)
    for number, kept in enumerate(margins):
        tops = np.array([dimension.top for dimension in dimensions])
        codes = np.where(kept, leaves, tops)
        rows[number] = [known.get(tuple(code), -1) for code in codes.tolist()]
    there = (rows >= 0).all(axis=0)
    there &= ((table.values > 0) | suppressed)[np.maximum(rows, 0)].all(axis=0)
    rows, leaves = rows[:, there], leaves[there]
    if not leaves.size or any(tuple(code) in known for code in leaves[:1].tolist()):
        return None
    entries = _entries(table, rows)
    return None if entries is None else CommonTable(_joined(table, rows, leaves, entries), table.n)


def _margins(table: Table) -> list[Mask]:
    """Which dimensions each of the linked tables has, of those that no other one covers."""
    tops = np.array([dimension.top for dimension in table.dimensions])
    leaf = np.stack([d.is_leaf[table.codes[:, at]] for at, d in enumerate(table.dimensions)], axis=1)
    at_top = table.codes == tops
    inner = (leaf | at_top).all(axis=1)
    spanned = np.unique(leaf[inner], axis=0)
    return [
        own for own in spanned if not any((own <= other).all() and (own < other).any() for other in spanned)
    ]


def _entries(table: Table, rows: Ints) -> Floats | None:
    """Entries that are not negative and add up to the linked cells; None where there are none.

    Whole ones for counts, where they are found in time.
    """
    from scipy.optimize import LinearConstraint, linprog, milp

    count, n = rows.shape
    cells, place = np.unique(rows, return_inverse=True)
    matrix = sparse.csr_array(
        (np.ones(rows.size), (place.reshape(-1), np.tile(np.arange(n), count))), shape=(cells.size, n)
    )
    values = table.values[cells]
    solved = linprog(np.zeros(n), A_eq=matrix, b_eq=values, bounds=(0, None), method="highs-ipm")
    if solved.x is None:
        return None
    entries = np.maximum(solved.x, 0.0)
    if counts_whole(table) and np.abs(entries - np.rint(entries)).max() > _WHOLE:
        limit = {"time_limit": _SECONDS_FOR_ENTRIES}
        solution = milp(
            np.zeros(n),
            integrality=np.ones(n),
            constraints=LinearConstraint(matrix, values, values),
            options=limit,
        )
        entries = entries if solution.x is None else np.maximum(solution.x, 0.0)
    whole: Floats = np.rint(entries)
    if counts_whole(table) and not np.abs(matrix @ whole - values).any():
        return whole
    off = np.abs(matrix @ entries - values)
    return entries if bool((off <= 1e-6 * np.maximum(values, 1.0)).all()) else None


def _contributors_with_entries(contributors: Contributors | None, entries: int) -> Contributors | None:
    """The contributors of linked cells, and of entries, whose contributors are unknown."""
    if contributors is None:
        return None

    def more(column: np.ndarray, own: float = 0.0) -> np.ndarray:
        return np.concatenate([column, np.full((entries, *column.shape[1:]), own, dtype=column.dtype)])

    return replace(
        contributors,
        total=more(contributors.total),
        count=more(contributors.count),
        largest=more(contributors.largest),
        holders=more(contributors.holders, -1),
        frequency=more(contributors.frequency),
        requested=more(contributors.requested),
        open=more(contributors.open),
    )


def _joined(table: Table, rows: Ints, leaves: Ints, entries: Floats) -> Table:
    """The linked cells and the entries as one table; an entry is never sensitive, and costs nothing."""
    n, more = table.n, entries.size
    cells, starts = [], [0]
    signs = []
    for own in rows:
        order = np.argsort(own, kind="stable")
        sums, first = np.unique(own[order], return_index=True)
        for cell, parts in zip(sums.tolist(), np.split(order, first[1:]), strict=True):
            cells.append(np.append(n + parts, cell))
            signs.append(np.append(np.ones(parts.size), -1.0))
            starts.append(starts[-1] + parts.size + 1)
    old = table.relations
    relations = Relations(
        np.concatenate([old.starts, old.starts[-1] + np.array(starts[1:], dtype=np.int64)]),
        np.concatenate([old.cells, *cells]).astype(np.int64),
        np.concatenate([old.signs, *signs]),
        np.concatenate([old.basis, np.ones(len(cells), dtype=bool)]),
    )
    zero, no = np.zeros(more), np.zeros(more, dtype=bool)

    def joined(column: np.ndarray, own: np.ndarray) -> np.ndarray:
        return np.concatenate([column, own])

    return replace(
        table,
        codes=np.concatenate([table.codes, leaves]),
        values=joined(table.values, entries),
        relations=relations,
        primary=joined(table.primary, no),
        lower=joined(table.lower, zero),
        upper=joined(table.upper, zero),
        sliding=joined(table.sliding, zero),
        low=joined(table.low, zero),
        high=joined(table.high, np.full(more, np.inf)),
        cost=joined(table.cost, zero),
        forced=joined(table.forced, no),
        contributors=_contributors_with_entries(table.contributors, more),
        rules=(),
        keys=None,
    )
