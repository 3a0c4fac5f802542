"""Sums of suppressed cells that the published figures give away, and whether such a sum is sensitive itself.

Where the total of a line is published, so is the sum of its suppressed cells. A suppressed subtotal in such a
sum may be replaced by its own suppressed parts, since the published ones can be subtracted. Several lines
together give away the sums of other sets (`mixed_sums`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from tacita.core import Table
from tacita.core.arrays import Ints, Mask

from .mixed_sums import mixed_sums

# Sums that are derived from one line at most.
_MOST_DERIVED = 64
# What rounding may take from a sum, of the sum.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Union:
    """Suppressed cells with a known sum that the rules call sensitive, and how far it must stay open.

    `others` are the published cells that give the sum away: the total of a line, and its other parts. There
    are none where several lines do so together.
    """

    cells: Ints
    others: Ints
    lower: float
    upper: float


def sensitive_unions(
    table: Table, suppressed: Mask, fixed: Mask | None = None, beyond_lines: bool = True
) -> list[Union]:
    """Sets of suppressed cells, one of them sensitive, whose known sum is sensitive by the table's rules.

    Without rules only a sum of a single contributor counts. `fixed` marks suppressed cells that can be
    computed: they count as published. Sums of single lines, and with `beyond_lines` small ones that several
    lines give away together. O(entries of the lines that hold a sensitive cell), and the cost of
    `mixed_sums`.
    """
    if table.contributors is None:
        return []
    open_cells = suppressed if fixed is None else suppressed & ~fixed
    unions, seen, nobody = [], set[tuple[int, ...]](), np.empty(0, dtype=np.int64)
    mixed = ((cells, nobody) for cells in mixed_sums(table, open_cells)) if beyond_lines else ()
    for cells, others in chain(known_sums(table, open_cells), mixed):
        if (key := tuple(cells.tolist())) in seen:
            continue
        seen.add(key)
        if _is_a_cell(table, cells, others):
            continue
        if (levels := _levels(table, cells)) is not None:
            unions.append(Union(cells, others, *levels))
    return unions


def _is_a_cell(table: Table, cells: Ints, others: Ints) -> bool:
    """Whether a sum is a published cell that the rules found not to be sensitive: it is all of the line."""
    assert table.contributors is not None
    filled = others[table.contributors.count[others] > 0]
    if filled.size != 1:
        return False
    whole, parts = float(table.values[filled[0]]), float(table.values[cells].sum())
    return not bool(table.primary[filled[0]]) and abs(whole - parts) <= _ROUNDING * abs(whole)


def known_sums(table: Table, open_cells: Mask) -> Iterator[tuple[Ints, Ints]]:
    """Sets of suppressed cells, one of them sensitive, with a known sum; and the cells that give it away."""
    relations = table.relations
    rows = relations.rows
    hidden = open_cells[relations.cells]
    # a line says a sum: one total, and parts that count once
    plain = np.bincount(rows, np.abs(relations.signs) != 1, len(relations)) == 0
    plain &= np.bincount(rows, relations.signs < 0, len(relations)) == 1
    total_open = np.bincount(rows, hidden & (relations.signs < 0), len(relations)) > 0
    parts_of_total: dict[int, list[_Sum]] = {}
    for row in np.flatnonzero(plain & total_open).tolist():
        cells, signs = relations.line(row)
        if (parts := _sum(cells[signs > 0], open_cells)).cells:
            parts_of_total.setdefault(int(cells[signs < 0][0]), []).append(parts)
    counts = np.bincount(rows, hidden & (relations.signs > 0), len(relations))
    seen: set[frozenset[int]] = set()
    for row in np.flatnonzero(plain & ~total_open & (counts > 0)).tolist():
        for known in _derived(_sum(relations.line(row)[0], open_cells), parts_of_total):
            if len(known.cells) < 2 or known.cells in seen:
                continue
            seen.add(known.cells)
            members = np.array(sorted(known.cells), dtype=np.int64)
            if table.primary[members].any():
                yield members, np.array(sorted(known.others), dtype=np.int64)


class _Sum(NamedTuple):
    """Suppressed cells, and the published ones of the same line."""

    cells: frozenset[int]
    others: frozenset[int]


def _sum(line: Ints, open_cells: Mask) -> _Sum:
    is_open = open_cells[line]
    return _Sum(frozenset(line[is_open].tolist()), frozenset(line[~is_open].tolist()))


def _derived(start: _Sum, parts_of_total: dict[int, list[_Sum]]) -> list[_Sum]:
    """A sum of cells, and those that come of it when subtotals are replaced by their suppressed parts."""
    sums, waiting = [start], [start]
    while waiting and len(sums) < _MOST_DERIVED:
        known = waiting.pop()
        for cell in sorted(known.cells & parts_of_total.keys()):
            rest = known.cells - {cell}
            for parts in parts_of_total[cell]:
                # a cell that would count twice makes no union
                if rest & parts.cells:
                    continue
                derived = _Sum(rest | parts.cells, known.others | parts.others)
                if derived not in sums:
                    sums.append(derived)
                    waiting.append(derived)
    return sums


def _levels(table: Table, cells: Ints) -> tuple[float, float] | None:
    """How far below and above the sum of some cells must stay open; None where it is not sensitive."""
    assert table.contributors is not None
    together = table.contributors.together(cells)
    rules = [rule for rule in table.rules if getattr(rule, "of_sums", False)]
    if not rules:
        return (0.0, 0.0) if together.count[0] == 1 else None
    flags = [rule.flag(together) for rule in rules]  # type: ignore[attr-defined]
    if not any(flag.mask[0] for flag in flags):
        return None
    return max(float(flag.lower[0]) for flag in flags), max(float(flag.upper[0]) for flag in flags)


def is_sensitive(table: Table, cells: Ints) -> bool:
    """Whether some cells taken as one are sensitive by the table's rules."""
    return _levels(table, cells) is not None
