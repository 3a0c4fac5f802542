"""Small tables inside a large one: a label and those below it, in every dimension."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np

from tacita.core import DataError, Relations, Run, Table
from tacita.core.arrays import Ints, Mask

# What chooses in a small table: the cells to withhold, or None where it cannot be protected.
Inside = Callable[[Table], Mask | None]


def subtables(table: Table) -> list[Ints]:
    """The cells of each, from the top down: those with fewest steps above them first.

    >>> [cells.size for cells in subtables(Table.from_array(np.ones((2, 3))))]
    [12]
    """
    families = []
    for dimension in table.dimensions:
        parents = np.array(dimension.parents)
        sums = np.flatnonzero(~dimension.is_leaf).tolist()
        families.append(
            [(int(dimension.depths[at]), np.append(np.flatnonzero(parents == at), at)) for at in sums]
            or [(0, np.array([dimension.top]))]
        )
    found = []
    rank = [np.full(len(dimension), -1) for dimension in table.dimensions]
    for members in sorted(product(*families), key=lambda each: sum(depth for depth, _ in each)):
        inside = np.ones(table.n, dtype=bool)
        for at, (_, labels) in enumerate(members):
            rank[at][:] = -1
            rank[at][labels] = 1
            inside &= rank[at][table.codes[:, at]] > 0
        found.append(np.flatnonzero(inside))
    return found


def top_down(table: Table, inside: Inside, run: Run) -> Mask:
    """Withhold in one small table after the other, from the top: what is withheld above is sensitive below.

    What a table above publishes stays published, unless a table below cannot do without it; then the tables
    above that share the cell are done again. Withheld cells only become more, so that this ends. What comes
    of it is no proof: small tables do not see each other. O(tables) choices, and those done again.
    """
    parts = subtables(table)
    holding: dict[int, list[int]] = {}
    for number, cells in enumerate(parts):
        for cell in cells.tolist():
            holding.setdefault(cell, []).append(number)
    withheld, settled = table.primary.copy(), np.zeros(table.n, dtype=bool)
    waiting, queued = deque(range(len(parts))), np.ones(len(parts), dtype=bool)
    done = 0
    while waiting:
        number = waiting.popleft()
        queued[number] = False
        cells, done = parts[number], done + 1
        if done % 8 == 0:
            run.report("withholding from the top down", min(done, len(parts)), len(parts))
        if withheld[cells].any():
            new = _chosen(table, cells, withheld, settled, inside)
            withheld[new] = True
            for other in {other for cell in new.tolist() for other in holding[cell]} - {number}:
                # tables below come anyway; those that were done are done again
                if not queued[other]:
                    queued[other] = True
                    waiting.append(other)
        settled[cells] = True
    return withheld


def _chosen(table: Table, cells: Ints, withheld: Mask, settled: Mask, inside: Inside) -> Ints:
    """The cells to withhold in a small table besides those that are; none where it cannot be protected."""
    for open_again in (False, True):
        small = part_of(table, cells, withheld, np.zeros_like(settled) if open_again else settled)
        chosen = inside(small)
        if chosen is not None:
            return cells[chosen & ~withheld[cells]]
    return cells[:0]


def part_of(table: Table, cells: Ints, withheld: Mask, published: Mask) -> Table:
    """Some cells as a table of their own, with the relations they close; what is withheld is sensitive."""
    place = np.full(table.n, -1)
    place[cells] = np.arange(cells.size)
    relations = table.relations
    inside = place[relations.cells] >= 0
    lengths = np.diff(relations.starts)
    whole = np.bincount(relations.rows, inside, len(relations)) == lengths
    kept = whole[relations.rows]
    closed = Relations(
        np.concatenate([[0], np.cumsum(lengths[whole])]),
        place[relations.cells[kept]],
        relations.signs[kept],
        np.ones(int(whole.sum()), dtype=bool),
    )
    per_cell = ("values", "lower", "upper", "sliding", "low", "high", "cost")
    return replace(
        table,
        codes=table.codes[cells],
        relations=closed,
        primary=withheld[cells],
        forced=((table.forced | published) & ~withheld)[cells],
        contributors=None,
        **{name: getattr(table, name)[cells] for name in per_cell},
    )


def by_elimination(small: Table) -> Mask | None:
    """Gaussian elimination in a small table: whatever is withheld can move, in some direction."""
    from tacita.tables.suppression.general.presolve import systems_of

    from .elimination import eliminated

    withheld = small.primary.copy()
    try:
        systems = systems_of(small, "general")
    except DataError:
        return None
    for system in systems:
        chosen = eliminated(system, Run())
        if chosen is None:
            return None
        withheld[system.of_table(chosen)] = True
    return withheld
