"""A table for a person who looks at it, before it is published or in the review of a release.

What a page or a notebook draws; it holds true values and is confidential.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tacita.core import AnyRelease, DisclosureWarning, Table
from tacita.core.arrays import Floats, Ints, Mask
from tacita.core.data.panels import Panel, panels_of
from tacita.tables.input.read import Source
from tacita.tables.plans.plan import AnyTablePlan, TabulatePlan
from tacita.tables.verify.adjusted import AdjustmentClaim
from tacita.tables.verify.suppressed import SuppressionClaim

from .record import finite

# Shades of a heat map, from the smallest values to the largest.
SHADES = 6


@dataclass(frozen=True)
class Range:
    """The range that an attacker computes of a cell, and the range that the rule requires; None: no limit.

    `labels` name the cell. `protected` is False where the first range does not cover the second.
    """

    labels: tuple[str, ...]
    low: float | None
    high: float | None
    wanted_low: float | None
    wanted_high: float | None
    protected: bool


@dataclass(frozen=True, eq=False)
class TableView:
    """A table as panels of rows and columns; figures are by the number of a cell. Confidential.

    `states` has one letter a cell: p primary suppression, s secondary suppression, f always published, o
    open; `shades` the rank of its value in so many classes, None for sums. `published` are the published
    values where they are not the true ones.
    """

    names: tuple[str, ...]
    response: str
    panels: tuple[Panel, ...]
    values: tuple[float, ...]
    states: str
    shades: tuple[int | None, ...]
    contributors: tuple[int, ...] | None
    ranges: dict[int, Range]
    published: tuple[float, ...] | None = None

    @property
    def closest(self) -> list[int]:
        """Sensitive cells, those first of which an attacker knows most for their size."""

        def openness(cell: int) -> tuple[bool, float]:
            attacked = self.ranges[cell]
            if attacked.low is None or attacked.high is None:
                return attacked.protected, np.inf
            return attacked.protected, (attacked.high - attacked.low) / max(abs(self.values[cell]), 1e-9)

        return sorted((cell for cell in self.ranges if self.states[cell] == "p"), key=openness)

    def as_dict(self) -> dict[str, Any]:
        """All of it in plain figures, for JSON."""
        ranges = {str(cell): asdict(attacked) for cell, attacked in self.ranges.items()}
        return {**asdict(self), "ranges": ranges, "closest": self.closest}


def view_table(table: Table | AnyRelease[Any, Any, Any]) -> TableView:
    """A table, or the release of one, as a person reviews it. O(n log n). Confidential.

    >>> table = Table.from_array([[5, 3], [2, 4]], primary=[[True, False], [False, False]])
    >>> view = view_table(table)
    >>> view.states, view.shades[:3], [label.text for label in view.panels[0].across]
    ('pofooffff', (4, 1, None), ['1', '2', 'Total'])
    """
    if isinstance(table, Table):
        return _view(table)
    claim: SuppressionClaim | AdjustmentClaim = table.claim
    if isinstance(claim, AdjustmentClaim):
        shown = tuple(claim.adjusted.values.tolist())
        return _view(claim.table, ranges=_inferred(claim), published=shown)
    return _view(claim.table, claim.pattern.withheld, _attacked(claim))


def _view(
    table: Table,
    suppressed: Any = None,
    ranges: dict[int, Range] | None = None,
    published: tuple[float, ...] | None = None,
) -> TableView:
    out = np.zeros(table.n, dtype=bool) if suppressed is None else suppressed
    letters = np.select([table.primary, out, table.forced], ["p", "s", "f"], "o")
    behind = table.contributors
    return TableView(
        names=tuple(dimension.name for dimension in table.dimensions),
        response=table.response,
        panels=tuple(panels_of(table.dimensions, table.codes, table.response)),
        values=tuple(table.values.tolist()),
        states="".join(letters.tolist()),
        shades=_shades(table),
        contributors=None if behind is None else tuple(behind.count.tolist()),
        ranges=ranges or {},
        published=published,
    )


def _shades(table: Table) -> tuple[int | None, ...]:
    """The class of each inner cell by the rank of its value, equal values alike."""
    inner = table.inner
    sizes: Floats = np.sort(table.values[inner])
    below: Ints = np.searchsorted(sizes, table.values, side="left")
    classes = np.minimum(SHADES * below // max(sizes.size, 1), SHADES - 1)
    return tuple(
        int(shade) if own else None for shade, own in zip(classes.tolist(), inner.tolist(), strict=True)
    )


def _attacked(claim: SuppressionClaim) -> dict[int, Range]:
    audit, failed = claim.audit, {failure.cell for failure in claim.audit.failures}
    has_levels = claim.table.primary if audit.problem == "interval" else np.zeros(claim.table.n, dtype=bool)
    return _ranges(claim.table, has_levels, failed, audit.cells, audit.low, audit.high)


def _inferred(claim: AdjustmentClaim) -> dict[int, Range]:
    inferred = claim.audit.inferred
    failed = {failure.cell for failure in inferred.failures}
    return _ranges(claim.table, claim.table.primary, failed, inferred.cells, inferred.low, inferred.high)


def _ranges(
    table: Table, has_levels: Mask, failed: set[int], cells: Ints, low: Floats, high: Floats
) -> dict[int, Range]:
    down, up, _ = table.needed()
    return {
        cell: Range(
            labels=table.label(cell),
            low=finite(least),
            high=finite(most),
            wanted_low=finite(down[cell]) if has_levels[cell] else None,
            wanted_high=finite(up[cell]) if has_levels[cell] else None,
            protected=cell not in failed,
        )
        for cell, least, most in zip(cells.tolist(), low, high, strict=True)
    }


@dataclass(frozen=True, eq=False)
class TableLook:
    """A table, how many cells each rule marks by itself, in the order of the plan, and what to warn of.

    Confidential: it holds the table.
    """

    table: Table
    by_rule: tuple[int, ...]
    warnings: tuple[DisclosureWarning, ...]

    @property
    def sensitive(self) -> int:
        """How many cells are sensitive, by any rule or by the list itself."""
        return int(self.table.primary.sum())


def looked_at(source: Source, plan: AnyTablePlan) -> TableLook:
    """The table of a source as the rules of its plan see it. O(cells rules)."""
    rules = [rule.build() for rule in plan.rules] if isinstance(plan, TabulatePlan) else []
    counts = tuple(int(rule.flag_table(source.table).mask.sum()) for rule in rules)
    return TableLook(source.table, counts, source.warnings)
