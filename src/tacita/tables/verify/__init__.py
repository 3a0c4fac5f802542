"""The independent verifier of tables: is what is withheld protected, and does the file show just the rest?

It shares no code with the methods. The pattern is attacked once, by `audit`. What an outsider reads in the
bytes counts then, not what was meant: they must withhold the very cells that were attacked, show the true
values of the others, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacita.core import DataError, Pattern, Table
from tacita.core.arrays import Mask
from tacita.core.results.verdicts import Check, Verdict, insist, verdicts
from tacita.io.tables.published_table import Shown
from tacita.io.tables.reading import Seen, differs
from tacita.io.tables.table_format import PublishedFormat

from .audit import Audit
from .parts import Part, parts_or_whole, seen_together


@dataclass(frozen=True, repr=False)
class TableClaim:
    """What is said of a published table: these cells are withheld, and this came of attacking them.

    Of linked tables, `linked` are those that are published, each in a file of its own, and they were attacked
    together. Confidential: the audit holds the table.
    """

    pattern: Pattern
    audit: Audit
    linked: tuple[Part, ...] = ()

    @property
    def table(self) -> Table:
        """The table as it was priced and attacked."""
        return self.audit.table

    @property
    def parts(self) -> tuple[Part, ...]:
        """The tables that are published: those that are linked, or the one."""
        return parts_or_whole(self.linked, self.table)


@dataclass(frozen=True)
class Evidence:
    """What a reader finds in a file, next to what is claimed of it."""

    seen: Seen
    claim: TableClaim


def _not_attacked(evidence: Evidence) -> str | None:
    audit, pattern = evidence.claim.audit, evidence.claim.pattern
    if not audit.safe:
        return f"{audit.exposed} of {int(audit.table.primary.sum())} sensitive cells are not protected"
    attacked = np.array_equal(audit.cells, np.flatnonzero(evidence.seen.withheld))
    same = attacked and audit.problem == pattern.problem
    return None if same else "the audit was of other cells, or of another problem"


def _other_cells(evidence: Evidence) -> str | None:
    same = np.array_equal(evidence.seen.withheld, evidence.claim.pattern.withheld)
    return None if same else "read back, it does not withhold the cells that it should"


def _other_things(evidence: Evidence) -> str | None:
    besides = evidence.seen.besides
    return f"read back, it shows more than the table: {'; '.join(besides)}" if besides else None


def _other_values(evidence: Evidence) -> str | None:
    wrong = int(changed(evidence.claim.table, evidence.seen).sum())
    return f"read back, {wrong} values are not those of the table" if wrong else None


CHECKS: dict[str, Check[Evidence]] = {
    "cells-withheld": Check("The file withholds the cells of the pattern, and no others.", _other_cells),
    "nothing-besides": Check("The file shows nothing but the table.", _other_things),
    "values-true": Check("Every published value is that of the table, to 15 digits.", _other_values),
    "pattern-audited": Check(
        "Every sensitive cell is protected, by an attack on the cells that the file withholds.", _not_attacked
    ),
}


def verify_files(
    contents: Sequence[bytes], forms: Sequence[PublishedFormat], claim: TableClaim
) -> tuple[Verdict, ...]:
    """Try to refute what is claimed of published tables from the very bytes that would be written."""
    try:
        names = ["Published table"] * len(contents)
        seen = seen_together(contents, forms, claim.parts, names, claim.table.n)
    except DataError as problem:
        # readers name counts and columns of the table, never what they found
        return (Verdict("cells-withheld", CHECKS["cells-withheld"].promise, False, str(problem)),)
    return verdicts(Evidence(seen, claim), CHECKS, CHECKS)


def verify_file(content: bytes, form: PublishedFormat, claim: TableClaim) -> tuple[Verdict, ...]:
    """The same of a single table."""
    return verify_files([content], [form], claim)


def encoded_all(claim: TableClaim, forms: Sequence[PublishedFormat]) -> tuple[bytes, ...]:
    """Published tables as bytes that have been read back and compared with what was audited."""
    withheld = claim.pattern.withheld
    contents = tuple(
        form.encode(Shown.of(table, withheld[cells]))
        for form, (table, cells) in zip(forms, claim.parts, strict=True)
    )
    insist(verify_files(contents, forms, claim))
    return contents


def encoded(claim: TableClaim, form: PublishedFormat) -> bytes:
    """The same of a single table."""
    return encoded_all(claim, [form])[0]


def changed(table: Table, seen: Seen) -> Mask:
    """Published cells whose value in the file is not that of the table."""
    return ~seen.withheld & differs(seen.values, table.values)
