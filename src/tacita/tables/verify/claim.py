"""The claim about a published table, and whether the very bytes that would be written bear it out.

What an outsider reads in the bytes counts, not what was meant. The checks depend on the outcome: a table with
suppressed cells (`suppressed`), or one with other values (`adjusted`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from tacita.core import Adjusted, DataError, Pattern, Table
from tacita.core.arrays import Floats
from tacita.core.results.verdicts import Check, Verdict, require_passed, verdicts
from tacita.io.tables.published_table import Shown
from tacita.io.tables.reading import Seen
from tacita.io.tables.table_format import PublishedFormat

from .published_tables import Part, parts_or_whole, seen_together


class TableClaim(ABC):
    """The claim about a published table: an outcome, and the `audit` that attacked it. Confidential.

    Of linked tables, `linked` are those that are published, each in its own file; they were attacked
    together. `checks` are tried on what a file shows; the first one fails for a file that cannot be read.
    """

    checks: ClassVar[Mapping[str, Check[FileEvidence]]]
    # fields of the claims of each outcome
    audit: Any
    linked: tuple[Part, ...]

    @property
    @abstractmethod
    def outcome(self) -> Pattern | Adjusted:
        """Which cells are suppressed, or which values replace the true ones."""

    @property
    def meant(self) -> Floats | None:
        """The values that files should show; None for those of the table."""
        return None

    @abstractmethod
    def shown(self, part: Part) -> Shown:
        """What one of its files should show."""

    @property
    def table(self) -> Table:
        """The true table, as it was attacked."""
        table: Table = self.audit.table
        return table

    @property
    def parts(self) -> tuple[Part, ...]:
        """The tables that are published: those that are linked, or the one."""
        return parts_or_whole(self.linked, self.table)


@dataclass(frozen=True)
class FileEvidence:
    """What a reader finds in files, next to what is claimed of them."""

    seen: Seen
    claim: Any


def shows_more(evidence: FileEvidence) -> str | None:
    """What files have besides their tables."""
    besides = evidence.seen.besides
    return f"read back, it shows more than the table: {'; '.join(besides)}" if besides else None


NOTHING_BESIDES = Check("The file shows nothing but the table.", shows_more)


def verify_files(
    contents: Sequence[bytes], forms: Sequence[PublishedFormat], claim: TableClaim
) -> tuple[Verdict, ...]:
    """Try to refute what is claimed of published tables from the very bytes that would be written."""
    try:
        names = ["Published table"] * len(contents)
        seen = seen_together(contents, forms, claim.parts, names, claim.table.n, claim.meant)
    except DataError as error:
        first = next(iter(claim.checks))
        # readers name counts and columns of the table, never what they found
        return (
            Verdict(guarantee=first, promise=claim.checks[first].promise, passed=False, detail=str(error)),
        )
    return verdicts(FileEvidence(seen, claim), claim.checks, claim.checks)


def verify_file(content: bytes, form: PublishedFormat, claim: TableClaim) -> tuple[Verdict, ...]:
    """The same of a single table."""
    return verify_files([content], [form], claim)


def encoded_all(claim: TableClaim, forms: Sequence[PublishedFormat]) -> tuple[bytes, ...]:
    """Published tables as bytes that have been read back and compared with what was audited."""
    contents = tuple(form.encode(claim.shown(part)) for form, part in zip(forms, claim.parts, strict=True))
    require_passed(verify_files(contents, forms, claim))
    return contents


def encoded(claim: TableClaim, form: PublishedFormat) -> bytes:
    """The same of a single table."""
    return encoded_all(claim, [form])[0]
