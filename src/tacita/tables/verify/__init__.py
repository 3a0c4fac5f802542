"""The independent verifier of tables: is what is withheld protected, and does the file show just the rest?

It shares no code with the methods. The pattern is attacked once, by `audit`. What an outsider reads in the
bytes counts then, not what was meant: they must withhold the very cells that were attacked, show the true
values of the others, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tacita.core import DataError, Pattern, Table
from tacita.core.arrays import Ints, Mask
from tacita.core.verify import Check, Verdict, insist, verdicts
from tacita.io.tables.base import PublishedFormat
from tacita.io.tables.reading import Seen, differs, read_back
from tacita.io.tables.shown import Shown

from .audit import Audit


class Part(NamedTuple):
    """A published table, and where its cells stand among those that were attacked."""

    table: Table
    cells: Ints


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
        return self.linked or (Part(self.table, np.arange(self.table.n)),)


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
        seen = seen_together(contents, forms, claim.table, claim.parts, names)
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


def seen_together(
    contents: Sequence[bytes],
    forms: Sequence[PublishedFormat],
    whole: Table,
    parts: Sequence[Part],
    names: Sequence[str],
) -> Seen:
    """What all files of linked tables show: a cell that one of them publishes is published.

    Where two show different values of a cell, that which is not the table's counts.
    """
    withheld, values = np.ones(whole.n, dtype=bool), np.full(whole.n, np.nan)
    hidden, besides = np.zeros(whole.n, dtype=bool), list[str]()
    for content, form, (table, cells), name in zip(contents, forms, parts, names, strict=True):
        seen = read_back(content, form, table, name)
        open_cells = ~seen.withheld
        wrong = open_cells & differs(seen.values, table.values)
        fresh = wrong | (open_cells & np.isnan(values[cells]))
        values[cells[fresh]] = seen.values[fresh]
        withheld[cells[open_cells]], hidden[cells[seen.withheld]] = False, True
        besides += [each for each in seen.besides if each not in besides]
    if torn := int((hidden & ~withheld).sum()):
        besides.append(f"cells that one table withholds and another shows ({torn})")
    return Seen(withheld, values, tuple(besides))


def changed(table: Table, seen: Seen) -> Mask:
    """Published cells whose value in the file is not that of the table."""
    return ~seen.withheld & differs(seen.values, table.values)
