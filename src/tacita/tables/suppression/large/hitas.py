"""Small tables inside a large one, a label and those below it in every dimension, from the top down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from heapq import heappop, heappush
from itertools import product
from typing import Annotated, cast

import numpy as np
from pydantic import Field, field_validator

from tacita.core import DataError, Relations, RunContext, Table
from tacita.core.arrays import Ints, Mask
from tacita.core.spec import registry
from tacita.tables.suppression.suppression_method import Suppression
from tacita.tables.suppression.time_limit import Watch

from .large_table_method import Large, replaced, spared
from .movement_certificates import Proofs

# Seconds for the pattern of a small table.
_SECONDS = 2.0

# Chooses in a small table: the cells to suppress, or None where it cannot be protected.
Inside = Callable[[Table], Mask | None]


class HiTaS(Large):
    """Suppresses in small tables, each a label with those below it in every dimension, from the top down.

    A cell suppressed in a table above is sensitive in the tables below. A cell that a table above publishes
    stays published, unless a table below cannot be protected without it: then it is suppressed, and the
    tables above that share it are done again. Inside, a method chooses cells from which nobody can compute a
    suppressed one: Gaussian elimination, or any other that takes tables of any shape, such as `optimal` or
    `constructive`. Small tables do not see each other: a range that is wide enough in each may be too narrow
    in all together, and in large sparse tables most of the cells they suppress can be computed. So at last
    the table is treated as one, as by `constructive`: every demand gets a proof, cells are added where none
    is left, and dropped or replaced where no proof needs them.

    As many small tables as there are combinations of labels with others below, O(their cells and fill) each;
    then the work of `constructive`, within the suppressed cells. The lower bound is that of `constructive`.
    Source: de Wolf (2002), HiTaS: a heuristic approach to cell suppression in hierarchical tables, LNCS 2316.

    >>> from tacita.io.hierarchies import from_nested
    >>> region = from_nested("R", {"R1": ["a", "b"], "R2": ["c", "d"]})
    >>> from tacita.core import Hierarchy
    >>> values = np.array([[5.0, 3.0], [7.0, 9.0], [4.0, 6.0], [8.0, 2.0]])
    >>> table = Table.cross([region, Hierarchy.flat("size", ["x", "y"])], values, primary=values == 5.0)
    >>> pattern = HiTaS().suppress(table, "exact")
    >>> [table.label(cell) for cell in np.flatnonzero(pattern.withheld)]
    [('a', 'x'), ('a', 'y'), ('b', 'x'), ('b', 'y')]
    """

    inside: Annotated[
        str, Field(description="the method that chooses in a small table: any that takes its shape")
    ] = "gauss"

    @field_validator("inside")
    @classmethod
    def _known(cls, name: str) -> str:
        spelled = registry.canonical(name, "suppression")
        if not _serves(spelled):
            able = ", ".join(known for known in registry.names("suppression") if _serves(known))
            raise ValueError(f"{spelled} does not choose in small tables of any shape; these do: {able}")
        return spelled

    def start(self, table: Table, run: RunContext) -> Mask:
        return top_down(table, by_elimination if self.inside == "gauss" else _by(self.inside), run)

    def search(self, parts: list[Proofs], watch: Watch, run: RunContext) -> float:
        spared(parts, watch, run)
        replaced(parts, watch, run)
        return 0.0


def _serves(name: str) -> bool:
    method = cast("type[Suppression]", registry.lookup(name, "suppression"))
    return not issubclass(method, HiTaS) and "general" in method.problems and "any" in method.shapes


def _by(name: str) -> Inside:
    """A method of the registry in a small table: cells from which no suppressed cell can be computed."""
    method = cast("type[Suppression]", registry.lookup(name, "suppression"))
    limits = {"seconds": _SECONDS, "bound": 0.0}
    chooses = method(**{name: value for name, value in limits.items() if name in method.model_fields})

    def chosen(small: Table) -> Mask | None:
        try:
            return chooses.suppress(small.with_bounds(-np.inf, np.inf), "general").withheld
        except DataError:
            return None

    return chosen


def subtables(table: Table) -> list[Ints]:
    """The cells of each small table, from the top down: those with fewest levels above them first.

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
    subtable_cells = []
    rank = [np.full(len(dimension), -1) for dimension in table.dimensions]
    for members in sorted(product(*families), key=lambda family: sum(depth for depth, _ in family)):
        inside = np.ones(table.n, dtype=bool)
        for at, (_, labels) in enumerate(members):
            rank[at][:] = -1
            rank[at][labels] = 1
            inside &= rank[at][table.codes[:, at]] > 0
        subtable_cells.append(np.flatnonzero(inside))
    return subtable_cells


def top_down(table: Table, inside: Inside, run: RunContext) -> Mask:
    """Suppress in one small table after the other, from the top; cells suppressed above are sensitive below.

    A cell that a table above publishes stays published, unless a table below cannot be protected without it;
    then the tables above that share the cell are done again. This ends, since suppressed cells only become
    more. The pattern is not proven to protect: small tables do not see each other. O(tables) choices, and
    those done again.
    """
    parts, cutting = subtables(table), Cutting(table)
    holding: dict[int, list[int]] = {}
    for number, cells in enumerate(parts):
        for cell in cells.tolist():
            holding.setdefault(cell, []).append(number)
    suppressed, settled = table.primary.copy(), np.zeros(table.n, dtype=bool)
    # the uppermost of those that wait is next
    waiting, queued = list(range(len(parts))), np.ones(len(parts), dtype=bool)
    while waiting:
        number = heappop(waiting)
        queued[number] = False
        run.report("suppressing from the top down", number, len(parts))
        cells = parts[number]
        if suppressed[cells].any():
            new = _chosen(cutting, cells, suppressed, settled, inside)
            suppressed[new] = True
            for other in {other for cell in new.tolist() for other in holding[cell]} - {number}:
                if not queued[other]:
                    queued[other] = True
                    heappush(waiting, other)
        settled[cells] = True
    return suppressed


def _chosen(cutting: Cutting, cells: Ints, suppressed: Mask, settled: Mask, inside: Inside) -> Ints:
    """More cells to suppress in a small table; none where it cannot be protected."""
    for published in (settled[cells], np.zeros(cells.size, dtype=bool)):
        chosen = inside(cutting.part(cells, suppressed[cells], published))
        if chosen is not None:
            return cells[chosen & ~suppressed[cells]]
    return cells[:0]


class Cutting:
    """Cuts small tables out of a large one. O(cells and relations of the small one) each.

    >>> table = Table.from_array(np.ones((2, 2)))
    >>> nothing = np.zeros(6, dtype=bool)
    >>> len(Cutting(table).part(np.arange(6), nothing, nothing).relations)
    2
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        relations = table.relations
        order = np.argsort(relations.cells, kind="stable")
        self._rows = relations.rows[order]
        self._starts = np.searchsorted(relations.cells[order], np.arange(table.n + 1))
        self._place = np.full(table.n, -1)

    def part(self, cells: Ints, suppressed: Mask, published: Mask) -> Table:
        """Some cells as a table, with the relations they close; the suppressed cells are sensitive."""
        table, place = self._table, self._place
        place[cells] = np.arange(cells.size)
        spans = zip(self._starts[cells].tolist(), self._starts[cells + 1].tolist(), strict=True)
        touched = np.unique(np.concatenate([self._rows[start:end] for start, end in spans]))
        lines = [table.relations.line(row) for row in touched.tolist()]
        closed = Relations.of([(place[at], signs) for at, signs in lines if (place[at] >= 0).all()])
        place[cells] = -1
        per_cell = ("values", "lower", "upper", "sliding", "low", "high", "cost")
        return replace(
            table,
            codes=table.codes[cells],
            relations=closed,
            primary=suppressed,
            forced=(table.forced[cells] | published) & ~suppressed,
            contributors=None,
            **{name: getattr(table, name)[cells] for name in per_cell},
        )


def by_elimination(small: Table) -> Mask | None:
    """Gaussian elimination in a small table: every suppressed cell can move, in some direction."""
    from tacita.tables.suppression.heuristics.elimination import eliminated
    from tacita.tables.suppression.optimal.relation_presolve import systems_of
    from tacita.tables.suppression.optimal.single_relation_bounds import Lines

    suppressed = small.primary.copy()
    try:
        systems = systems_of(small, "general")
    except DataError:
        return None
    for system in systems:
        chosen = eliminated(system, Lines(system).x, RunContext())
        if chosen is None:
            return None
        suppressed[system.of_table(chosen)] = True
    return suppressed
