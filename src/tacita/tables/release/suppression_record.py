"""The confidential record of a suppressed table, in plain figures for JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacita.core import Pattern
from tacita.core.display.repr_html import Section
from tacita.core.results.release import warned
from tacita.core.spec.accepted_risks import NO_SENSITIVE_CELLS
from tacita.core.spec.setting_syntax import setting
from tacita.tables.verify.audit import Audit
from tacita.tables.verify.published_tables import Part
from tacita.tables.verify.suppressed import SuppressionClaim
from tacita.tables.verify.unjudged import NOTHING_JUDGED

from .record import FileAudit, TableRecord, finite, place_names, place_of

# What JSON has of a pattern, in this order.
_OF_PATTERN = (
    *("problem", "method", "parameters", "status", "cost", "problem_cost", "lone_cost", "lone_count"),
    *("secondary_count", "primary_count", "lower_bound", "gap", "proven", "seconds"),
)


@dataclass(frozen=True, repr=False)
class SuppressionRecord(TableRecord):
    """How a suppressed table was made."""

    claim: SuppressionClaim

    @property
    def headline(self) -> str:
        claim = self.claim
        return f"{claim.audit.cells.size} of {claim.table.n} cells suppressed by {claim.pattern.method}"

    @property
    def sections(self) -> tuple[Section, ...]:
        """Counts, the verdict of the audit, and warnings. The cost stays out: it is a sum of true values."""
        verdict = Section((), ((self.claim.audit.headline,),))
        return self.claim.pattern.counts, verdict, warned(self.warnings)

    def figures(self) -> dict[str, Any]:
        """Cost, proof, suppressed cells and the audit of each sensitive cell, for JSON.

        `lower_bound`, `gap`, `proven` and `status` refer to the problem alone, at `problem_cost`; `lone_cost`
        is the extra cost of protection from singletons, without a bound.
        """
        return {
            **{name: getattr(self.claim.pattern, name) for name in _OF_PATTERN},
            "withheld": _suppressed(self.claim.audit),
            **_audited(self.claim.audit),
        }

    def by_table(self) -> list[dict[str, Any]]:
        parts = self.claim.parts
        if len(parts) == 1 and parts[0].table.is_two_way:
            return []
        return [_by_level(part, self.claim.pattern) for part in parts]


@dataclass(frozen=True, repr=False)
class SuppressedFileAudit(FileAudit):
    """The attack on published files with suppressed cells.

    `values_changed` counts values that are not those of the table.
    """

    audit: Audit
    values_changed: int = 0

    @property
    def safe(self) -> bool:
        """Whether sensitive cells are protected, values are the table's, and nothing else is there."""
        return super().safe and not self.values_changed

    def figures(self) -> dict[str, Any]:
        return {
            "problem": self.audit.problem,
            "withheld_count": int(self.audit.cells.size),
            "values_changed": self.values_changed,
            "besides": list(self.besides),
            **_audited(self.audit),
        }

    def faults(self) -> list[str]:
        outcome, faults = _audited(self.audit), []
        if bad := [cell for cell in outcome["audit"] if not cell["protected"]]:
            where = f"{' / '.join(bad[0][name] for name in outcome['places'])}, {bad[0]['reason']}"
            faults.append(
                f"{len(bad)} of {len(outcome['audit'])} sensitive cells are not protected (first: {where})"
            )
        if not self.audit.safe and not self.audit.failures:
            faults.append(
                f"{NOTHING_JUDGED}: name rules, mark sensitive cells, or accept that none is "
                f"({setting('suppress', 'accept', NO_SENSITIVE_CELLS)})"
            )
        if self.values_changed:
            faults.append(f"{self.values_changed} published values are not those of the table")
        return faults


def _audited(audit: Audit) -> dict[str, Any]:
    """The verdict and the range of every sensitive cell."""
    table = audit.table
    failed = {failure.cell: failure for failure in audit.failures}
    ranges = {
        int(cell): (low, high) for cell, low, high in zip(audit.cells, audit.low, audit.high, strict=True)
    }
    needed = dict(zip(("wanted_low", "wanted_high", "wanted_width"), table.needed(), strict=True))
    cells = []
    for cell in np.flatnonzero(table.primary).tolist():
        value = float(table.values[cell])
        low, high = ranges.get(cell, (value, value))
        entry = {**place_of(table, cell), "low": finite(low), "high": finite(high)}
        if audit.problem == "interval":
            entry |= {name: finite(figures[cell]) for name, figures in needed.items()}
        entry["protected"] = cell not in failed
        if cell in failed:
            entry |= {"reason": failed[cell].reason, "shortfall": finite(failed[cell].shortfall)}
        cells.append(entry)
    return {
        "safe": audit.safe,
        "judged": bool(audit.table.judged),
        "accepted": [*audit.accepted],
        "places": place_names(table),
        "audit": cells,
    }


def _suppressed(audit: Audit) -> list[dict[str, Any]]:
    return [
        {
            **place_of(audit.table, int(cell)),
            "kind": "primary" if audit.table.primary[cell] else "secondary",
            "low": finite(low),
            "high": finite(high),
        }
        for cell, low, high in zip(audit.cells, audit.low, audit.high, strict=True)
    ]


def _by_level(part: Part, pattern: Pattern) -> dict[str, Any]:
    """How many cells of a table are suppressed, for each combination of levels of its hierarchies."""
    table, cells = part
    depths = np.column_stack(
        [dimension.depths[table.codes[:, at]] for at, dimension in enumerate(table.dimensions)]
    )
    levels, which = np.unique(depths, axis=0, return_inverse=True)
    masks = {"primary": pattern.primary, "secondary": pattern.secondary, "published": ~pattern.withheld}
    counts = {
        name: np.bincount(which.ravel(), weights=mask[cells], minlength=len(levels)).astype(int).tolist()
        for name, mask in {"cells": np.ones_like(pattern.primary), **masks}.items()
    }
    by_level = [
        {"levels": level, **{name: figures[at] for name, figures in counts.items()}}
        for at, level in enumerate(levels.tolist())
    ]
    return {
        "dimensions": [dimension.name for dimension in table.dimensions],
        "cells": table.n,
        "levels": by_level,
    }
