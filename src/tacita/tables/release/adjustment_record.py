"""The confidential record of an adjusted table, in plain figures for JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tacita.core import Adjusted, Table
from tacita.core.display.repr_html import Section
from tacita.core.results.release import warned
from tacita.core.results.verdicts import faults
from tacita.core.spec.seeds import portable
from tacita.tables.verify.adjusted import AdjustedAudit, AdjustmentClaim
from tacita.tables.verify.published_tables import Part

from .record import FileAudit, TableRecord, finite, place_names, place_of

# What JSON has of adjusted values, in this order.
_OF_VALUES = (
    *("method", "parameters", "status", "relaxed", "changed", "distance", "lower_bound", "gap", "proven"),
    "seconds",
)
# Cells up to which the record lists every true value next to the published one.
_MOST = 20_000


@dataclass(frozen=True, repr=False)
class AdjustmentRecord(TableRecord):
    """How an adjusted table was made."""

    claim: AdjustmentClaim

    @property
    def headline(self) -> str:
        made = self.claim.adjusted
        return f"{made.changed} of {self.claim.table.n} cells adjusted by {made.method}"

    @property
    def sections(self) -> tuple[Section, ...]:
        """Counts, promises, the verdict of the audit, and warnings; no figure of the table."""
        audit = self.claim.audit
        promises = tuple(
            (verdict.guarantee, "kept" if verdict.passed else "not kept", verdict.promise)
            for verdict in audit.verdicts
        )
        return (
            self.claim.adjusted.counts,
            Section(("Promise", "Verified", "What it says"), promises),
            Section((), ((audit.headline,),)),
            warned(self.warnings),
        )

    def figures(self) -> dict[str, Any]:
        """Distance, proof, promises, and what the audit inferred of each attacked cell, for JSON.

        `distance` is what the method kept small, `lower_bound` what no other values undercut (None where
        nobody knows).
        """
        audit, made, table = self.claim.audit, self.claim.adjusted, self.claim.table
        return {
            **{name: getattr(made, name) for name in _OF_VALUES},
            "seed": portable(made.seed if made.drawn else None),
            "base": made.terms.base or made.terms.small,
            "reach": made.terms.reach,
            "sums_broken": int((np.abs(table.relations.residuals(made.values)) > 0).sum())
            if not self.additive
            else 0,
            "cells": table.n,
            "sensitive": int(table.primary.sum()),
            "promises": [asdict(verdict) for verdict in audit.verdicts],
            "safe": audit.safe,
            "accepted": audit.accepted,
            "places": place_names(table),
            "attacked": _attacked(audit),
            "values": _values(table, made.values) if table.n <= _MOST else [],
        }

    def by_table(self) -> list[dict[str, Any]]:
        return [_moved(part, self.claim.adjusted) for part in self.claim.linked]

    @property
    def additive(self) -> bool:
        """Whether sums are still those of their parts."""
        return any(verdict.guarantee == "adds-up" for verdict in self.claim.audit.verdicts)


@dataclass(frozen=True, repr=False)
class AdjustedFileAudit(FileAudit):
    """What an attacker infers from published files of other values, and what these promise."""

    audit: AdjustedAudit

    def figures(self) -> dict[str, Any]:
        return {
            "method": self.audit.adjusted.method,
            "parameters": self.audit.adjusted.parameters,
            "changed": self.audit.adjusted.changed,
            "promises": [asdict(verdict) for verdict in self.audit.verdicts],
            "besides": list(self.besides),
            "places": place_names(self.audit.table),
            "audit": _attacked(self.audit),
        }

    def faults(self) -> list[str]:
        parts = []
        if broken := faults(self.audit.verdicts):
            parts.append(f"the table is not what its method promises ({broken})")
        if self.audit.failures:
            first = self.audit.failures[0]
            where = f"{' / '.join(first.labels)}, {first.reason}"
            parts.append(f"{self.audit.exposed} cells give too much away (first: {where})")
        return parts


def _attacked(audit: AdjustedAudit) -> list[dict[str, Any]]:
    inferred, table = audit.inferred, audit.table
    reasons = {failure.cell: failure.reason for failure in inferred.failures}
    return [
        {
            **place_of(table, int(cell)),
            "sensitive": bool(table.primary[cell]),
            "low": finite(low),
            "high": finite(high),
            "all_of_it": bool(exact),
            "protected": int(cell) not in reasons,
        }
        | ({"reason": reasons[int(cell)]} if int(cell) in reasons else {})
        for cell, low, high, exact in zip(
            inferred.cells, inferred.low, inferred.high, inferred.exact, strict=True
        )
    ]


def _moved(part: Part, made: Adjusted) -> dict[str, Any]:
    """How many cells of one of several linked tables changed."""
    table, cells = part
    changed = int((made.values[cells] != table.values).sum())
    return {
        "dimensions": [dimension.name for dimension in table.dimensions],
        "cells": table.n,
        "changed": changed,
    }


def _values(table: Table, shown: np.ndarray) -> list[dict[str, Any]]:
    return [
        {**place_of(table, cell), "true": float(table.values[cell]), "published": float(shown[cell])}
        for cell in range(table.n)
    ]
