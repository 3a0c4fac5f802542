"""The confidential record of a published or audited table, in plain figures for JSON.

The part that suppressed and adjusted tables share; the figures of either have a module.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tacita.core import Adjusted, AnyRelease, DisclosureWarning, Pattern, Table
from tacita.core.display.repr_html import Section
from tacita.core.spec.deprecated import renamed_attribute
from tacita.tables.verify.adjusted import AdjustedAudit
from tacita.tables.verify.audit import Audit
from tacita.tables.verify.claim import TableClaim

# What to do about a file that shows more than a table.
CLEAN_FILE = (
    " Publish the file as tacita wrote it, or only the labels, values and status of its cells as CSV."
)


@dataclass(frozen=True)
class Provenance:
    """The source, the rules and the programs of a table, and the SHA-256 of the bytes that are published.

    For linked tables there are several hashes, separated by commas, in the order of the tables.

    No date: a record should be the same when the run is repeated; the page written with it states the date.
    """

    source: str | None
    fingerprint: str | None
    release_fingerprint: str
    rules: list[dict[str, Any]]
    versions: Mapping[str, str]


@dataclass(frozen=True, repr=False)
class TableRecord(ABC):
    """How a published table was made: its source, the claim about it, and warnings. Confidential.

    `objective` is the cost of suppressing a cell, where one was requested.
    """

    provenance: Provenance
    claim: TableClaim
    warnings: tuple[DisclosureWarning, ...]
    objective: str | None = None

    cautions = renamed_attribute("cautions", "warnings")

    @property
    @abstractmethod
    def headline(self) -> str:
        """How many cells were changed or suppressed, by which method."""

    @property
    @abstractmethod
    def sections(self) -> tuple[Section, ...]:
        """Counts, what was verified, and warnings; no figure of the table."""

    @abstractmethod
    def figures(self) -> dict[str, Any]:
        """What the outcome is worth and what its audit found, for JSON."""

    @abstractmethod
    def by_table(self) -> list[dict[str, Any]]:
        """The figures of each published table; empty where they are those of the only table."""

    def as_dict(self) -> dict[str, Any]:
        """Where the table is from, the figures of its outcome, and warnings, for JSON.

        A side of a range without limit is None.
        """
        record = {
            **asdict(self.provenance),
            "confidential": True,
            **self.figures(),
            "warnings": [asdict(warning) for warning in self.warnings],
        }
        if self.objective is not None:
            record["objective"] = self.objective
        if tables := self.by_table():
            record["tables"] = tables
        return record


class TableRelease(AnyRelease[Any, TableRecord, TableClaim]):
    """A table that is ready to publish, or linked ones: an outcome that was audited, and its very bytes."""

    @property
    def outcome(self) -> Pattern | Adjusted:
        """Which cells are suppressed, or which values replace the true ones."""
        return self.claim.outcome

    @property
    def contents(self) -> tuple[bytes, ...]:
        """The bytes of each published file."""
        return self.data if self.claim.linked else (self.data,)


@dataclass(frozen=True, repr=False)
class FileAudit(ABC):
    """What an attacker makes of published files, and what in them is not the table's. Confidential.

    `besides` names kinds of things that are no part of the table.
    """

    provenance: Provenance
    audit: Audit | AdjustedAudit
    warnings: tuple[DisclosureWarning, ...]
    besides: tuple[str, ...]

    @property
    def safe(self) -> bool:
        """Whether the audit found nothing, and nothing else is there."""
        return self.audit.safe and not self.besides

    @abstractmethod
    def figures(self) -> dict[str, Any]:
        """What was tried, and the range of every attacked cell, for JSON."""

    @abstractmethod
    def faults(self) -> list[str]:
        """Why the table in the files is not safe, without any figure of it."""

    def as_dict(self) -> dict[str, Any]:
        """The verdict and the range of every attacked cell, for JSON."""
        return {
            **asdict(self.provenance),
            "confidential": True,
            **self.figures(),
            "warnings": [asdict(warning) for warning in self.warnings],
            "safe": self.safe,
        }

    def refusal(self) -> str:
        """Why the files are not safe, without any figure of them."""
        faults = self.faults()
        if self.besides:
            faults.append(f"the file shows more than the table: {', '.join(self.besides)}")
        return f"Audit: {'; '.join(faults)}. Do not publish this file.{CLEAN_FILE if self.besides else ''}"


def place_names(table: Table) -> list[str]:
    """What says in a record where a cell stands: row and column; else the names of the dimensions."""
    return (
        ["row", "column"]
        if len(table.dimensions) == 2
        else [dimension.name for dimension in table.dimensions]
    )


def place_of(table: Table, cell: int) -> dict[str, str]:
    """The labels of a cell, by what says where it stands."""
    return dict(zip(place_names(table), table.label(cell), strict=True))


def finite(value: float) -> float | None:
    """A number that JSON has; None without limit."""
    return float(value) if np.isfinite(value) else None
