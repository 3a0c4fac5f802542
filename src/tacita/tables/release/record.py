"""What a confidential record keeps of a suppressed or audited table, in plain figures for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tacita.core import Caution, Pattern, Release, Table
from tacita.core.display.repr_html import Section
from tacita.core.results.release import warned
from tacita.core.spec.accepted_risks import NO_SENSITIVE_CELLS
from tacita.core.spec.setting_syntax import setting
from tacita.tables.verify import TableClaim
from tacita.tables.verify.audit import Audit
from tacita.tables.verify.parts import Part
from tacita.tables.verify.unjudged import NOTHING_JUDGED

# What JSON has of a pattern, in this order.
_OF_PATTERN = (
    *("problem", "method", "parameters", "status", "cost", "problem_cost", "lone_cost", "lone_count"),
    *("secondary_count", "primary_count", "lower_bound", "gap", "proven", "seconds"),
)

# What to do about a file that shows more than a table.
CLEAN_FILE = (
    " Publish the file as tacita wrote it, or only the labels, values and status of its cells as CSV."
)


@dataclass(frozen=True)
class Provenance:
    """Out of what, by which rules and programs, and the SHA-256 of the very bytes that go out.

    Of linked tables there are several, commas between, in the order of the tables.

    No date: a record should be the same when the run is repeated; the page beside it tells the date.
    """

    source: str | None
    fingerprint: str | None
    release_fingerprint: str
    rules: list[dict[str, Any]]
    versions: Mapping[str, str]


@dataclass(frozen=True, repr=False)
class TableRecord:
    """How a published table was made: where from, what is claimed of it, where that is thin. Confidential.

    `objective` is what withholding was said to cost, where somebody was asked.
    """

    provenance: Provenance
    claim: TableClaim
    cautions: tuple[Caution, ...]
    objective: str | None = None

    @property
    def headline(self) -> str:
        """How much is withheld, by which method."""
        claim = self.claim
        return f"{claim.audit.cells.size} of {claim.table.n} cells withheld by {claim.pattern.method}"

    @property
    def sections(self) -> tuple[Section, ...]:
        """Counts, the verdict of the audit, and warnings. The cost stays out: it is a sum of true values."""
        verdict = Section((), ((self.claim.audit.headline,),))
        return self.claim.pattern.counts, verdict, warned(self.cautions)

    def as_dict(self) -> dict[str, Any]:
        """Cost, proof, withheld cells and what the audit found of each sensitive one, for JSON.

        A side of a range without limit is None. `lower_bound`, `gap`, `proven` and `status` speak of the
        problem alone, at `problem_cost`; `lone_cost` was paid against lone contributors, and no bound is
        known for it.
        """
        told = {
            **asdict(self.provenance),
            "confidential": True,
            **{name: getattr(self.claim.pattern, name) for name in _OF_PATTERN},
            "withheld": _withheld(self.claim.audit),
            **_audited(self.claim.audit, self.cautions),
        }
        if self.objective is not None:
            told["objective"] = self.objective
        parts = self.claim.parts
        if len(parts) > 1 or not parts[0].table.is_two_way:
            told["tables"] = [_by_level(part, self.claim.pattern) for part in parts]
        return told


TableRelease = Release[TableRecord, TableClaim]


@dataclass(frozen=True, repr=False)
class PublishedAudit:
    """What an attacker makes of a published file: ranges, verdict, and what is not the table's. Confidential.

    `values_changed` counts values that are not the table's, `besides` names kinds of things that are no part
    of it.
    """

    provenance: Provenance
    audit: Audit
    cautions: tuple[Caution, ...]
    values_changed: int
    besides: tuple[str, ...]

    @property
    def safe(self) -> bool:
        """Whether sensitive cells are protected, values are the table's, and nothing else is there."""
        return self.audit.safe and not self.values_changed and not self.besides

    def as_dict(self) -> dict[str, Any]:
        """The verdict and the range of every sensitive cell, for JSON."""
        return {
            **asdict(self.provenance),
            "confidential": True,
            "problem": self.audit.problem,
            "withheld_count": int(self.audit.cells.size),
            "values_changed": self.values_changed,
            "besides": list(self.besides),
            **_audited(self.audit, self.cautions),
            "safe": self.safe,
        }

    def refusal(self) -> str:
        """Why the file is not safe, without any figure of it."""
        told, parts = self.as_dict(), []
        if bad := [each for each in told["audit"] if not each["protected"]]:
            where = f"{' / '.join(bad[0][name] for name in told['places'])}, {bad[0]['reason']}"
            parts.append(
                f"{len(bad)} of {len(told['audit'])} sensitive cells are not protected (first: {where})"
            )
        if not self.audit.safe and not self.audit.failures:
            parts.append(
                f"{NOTHING_JUDGED}: name rules, mark sensitive cells, or accept that none is "
                f"({setting('suppress', 'accept', NO_SENSITIVE_CELLS)})"
            )
        if self.values_changed:
            parts.append(f"{self.values_changed} published values are not those of the table")
        if self.besides:
            parts.append(f"the file shows more than the table: {', '.join(self.besides)}")
        return f"Audit: {'; '.join(parts)}. Do not publish this file.{CLEAN_FILE if self.besides else ''}"


def _audited(found: Audit, cautions: tuple[Caution, ...]) -> dict[str, Any]:
    """The verdict, the range of every sensitive cell, and the warnings."""
    table = found.table
    failed = {each.cell: each for each in found.failures}
    ranges = {
        int(cell): (low, high) for cell, low, high in zip(found.cells, found.low, found.high, strict=True)
    }
    needed = dict(zip(("wanted_low", "wanted_high", "wanted_width"), table.needed(), strict=True))
    told = []
    for cell in np.flatnonzero(table.primary).tolist():
        value = float(table.values[cell])
        low, high = ranges.get(cell, (value, value))
        entry = {**place_of(table, cell), "low": finite(low), "high": finite(high)}
        if found.problem == "interval":
            entry |= {name: finite(figures[cell]) for name, figures in needed.items()}
        entry["protected"] = cell not in failed
        if cell in failed:
            entry |= {"reason": failed[cell].reason, "shortfall": finite(failed[cell].shortfall)}
        told.append(entry)
    return {
        "safe": found.safe,
        "judged": bool(found.table.judged),
        "accepted": [*found.accepted],
        "places": place_names(table),
        "audit": told,
        "warnings": [asdict(each) for each in cautions],
    }


def _withheld(found: Audit) -> list[dict[str, Any]]:
    return [
        {
            **place_of(found.table, int(cell)),
            "kind": "primary" if found.table.primary[cell] else "secondary",
            "low": finite(low),
            "high": finite(high),
        }
        for cell, low, high in zip(found.cells, found.low, found.high, strict=True)
    ]


def _by_level(part: Part, pattern: Pattern) -> dict[str, Any]:
    """How many cells of a table are withheld, for each combination of levels of its hierarchies."""
    table, cells = part
    depths = np.column_stack([each.depths[table.codes[:, at]] for at, each in enumerate(table.dimensions)])
    levels, which = np.unique(depths, axis=0, return_inverse=True)
    masks = {"primary": pattern.primary, "secondary": pattern.secondary, "published": ~pattern.withheld}
    counts = {
        name: np.bincount(which.ravel(), weights=mask[cells], minlength=len(levels)).astype(int).tolist()
        for name, mask in {"cells": np.ones_like(pattern.primary), **masks}.items()
    }
    told = [
        {"levels": level, **{name: figures[at] for name, figures in counts.items()}}
        for at, level in enumerate(levels.tolist())
    ]
    return {"dimensions": [each.name for each in table.dimensions], "cells": table.n, "levels": told}


def place_names(table: Table) -> list[str]:
    """What says in a record where a cell stands: row and column; else the names of the dimensions."""
    return ["row", "column"] if len(table.dimensions) == 2 else [each.name for each in table.dimensions]


def place_of(table: Table, cell: int) -> dict[str, str]:
    """The labels of a cell, by what says where it stands."""
    return dict(zip(place_names(table), table.label(cell), strict=True))


def finite(value: float) -> float | None:
    """A number that JSON has; None without limit."""
    return float(value) if np.isfinite(value) else None
