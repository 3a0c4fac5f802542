"""The independent verifier of suppressed tables: are suppressed cells protected, and are all others true?

It shares no code with the methods. The pattern is attacked once, by `audit`. Files must suppress exactly the
cells that were attacked, show the true values of the others, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.core import Pattern, Table
from tacita.core.arrays import Mask
from tacita.core.results.verdicts import Check
from tacita.io.tables.published_table import Shown
from tacita.io.tables.reading import Seen, differs

from .audit import Audit
from .claim import NOTHING_BESIDES, FileEvidence, TableClaim
from .published_tables import Part


def _not_attacked(evidence: FileEvidence) -> str | None:
    audit, pattern = evidence.claim.audit, evidence.claim.pattern
    if not audit.safe:
        return f"{audit.exposed} of {int(audit.table.primary.sum())} sensitive cells are not protected"
    attacked = np.array_equal(audit.cells, np.flatnonzero(evidence.seen.withheld))
    same = attacked and audit.problem == pattern.problem
    return None if same else "the audit was of other cells, or of another problem"


def _other_cells(evidence: FileEvidence) -> str | None:
    same = np.array_equal(evidence.seen.withheld, evidence.claim.pattern.withheld)
    return None if same else "read back, it does not suppress the cells that it should"


def _other_values(evidence: FileEvidence) -> str | None:
    wrong = int(changed(evidence.claim.table, evidence.seen).sum())
    return f"read back, {wrong} values are not those of the table" if wrong else None


def changed(table: Table, seen: Seen) -> Mask:
    """Published cells whose value in the file is not that of the table."""
    return ~seen.withheld & differs(seen.values, table.values)


CHECKS: dict[str, Check[FileEvidence]] = {
    "cells-withheld": Check("The file suppresses the cells of the pattern, and no others.", _other_cells),
    "nothing-besides": NOTHING_BESIDES,
    "values-true": Check("Every published value is that of the table, to 15 digits.", _other_values),
    "pattern-audited": Check(
        "Every sensitive cell is protected, by an attack on the cells that the file suppresses.",
        _not_attacked,
    ),
}


@dataclass(frozen=True, repr=False)
class SuppressionClaim(TableClaim):
    """The claim about a suppressed table: its suppressed cells, and the audit that attacked them.

    Confidential: the audit holds the table, as it was priced and attacked.
    """

    checks: ClassVar[Mapping[str, Check[FileEvidence]]] = CHECKS

    pattern: Pattern
    audit: Audit
    linked: tuple[Part, ...] = ()

    @property
    def outcome(self) -> Pattern:
        return self.pattern

    def shown(self, part: Part) -> Shown:
        return Shown.of(part.table, self.pattern.withheld[part.cells])
