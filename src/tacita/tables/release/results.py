"""What `suppress` and `adjust` hand out: the outcome, with the table that it is of and its audit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from tacita.core import Adjusted, Pattern, RunContext, Table
from tacita.core.arrays import Floats
from tacita.core.data.dataframes import Column, Framed
from tacita.core.data.saving import writer
from tacita.core.spec.deprecated import renamed_arguments
from tacita.tables.verify.adjusted import AdjustedAudit, AdjustmentClaim
from tacita.tables.verify.audit import Audit
from tacita.tables.verify.suppressed import SuppressionClaim


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SuppressedTable(Pattern, Framed):
    """A table with suppressed cells: the pattern, the `table` that it is of, and its `audit`. Confidential.

    As a frame, what may be published: a row a cell, with its labels, and its value where it is not
    suppressed.

    >>> from tacita.tables import Table, suppress
    >>> result = suppress(Table.from_array([[20, 50], [8, 19]], primary=[[0, 0], [1, 0]]), "exact")
    >>> result, result.audit.safe
    (<SuppressedTable of 4 withheld cells, 3 of them to protect others, by optimal: optimal>, True)
    >>> result.to_arrow()["value"].to_pylist()
    [None, None, 70.0, None, None, 27.0, 28.0, 69.0, 97.0]
    """

    table: Table
    audit: Audit

    @classmethod
    def audited(cls, table: Table, claim: SuppressionClaim) -> SuppressedTable:
        """The pattern of a claim, on the table as it was handed over."""
        return cls(**_fields(claim.pattern, Pattern), table=table, audit=claim.audit)

    @property
    def outcome(self) -> Pattern:
        """The pattern by itself."""
        return Pattern(**_fields(self, Pattern))

    @renamed_arguments(run="context")
    def save(
        self,
        path: str | Path,
        *,
        report: str | Path | None = None,
        json_report: str | Path | None = None,
        context: RunContext | None = None,
        force: bool = False,
    ) -> None:
        """Write the published table after another audit, its bytes read back; all files or none.

        Parameters
        ----------
        path : path
            Public: the table, ending in .csv, .xlsx or .html.
        report, json_report : path
            Confidential: the review as a page and as JSON.
        context : RunContext, optional
            Listens to the audit.
        force : bool, default=False
            Overwrite files.
        """
        writer("suppressed")(
            self.table, self, path, report=report, json_report=json_report, context=context, force=force
        )

    def _columns(self) -> Iterable[Column]:
        return _cells(self.table, np.where(self.withheld, np.nan, self.table.values))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AdjustedTable(Adjusted, Framed):
    """A table with adjusted values: these, the `table` that they are of, and their `audit`. Confidential.

    As a frame, what may be published: a row a cell, with its labels and its new value.

    >>> from tacita.tables import Table, adjust
    >>> result = adjust(Table.from_array([[4, 7], [2, 1]], frequency=True), "rounding", base=5)
    >>> result, result.audit.safe, result.to_arrow()["value"].to_pylist()[:3]
    (<AdjustedTable of 9 cells, 7 of them changed, by rounding: optimal>, True, [5.0, 5.0, 10.0])
    """

    table: Table
    audit: AdjustedAudit

    @classmethod
    def audited(cls, table: Table, claim: AdjustmentClaim) -> AdjustedTable:
        """The values of a claim, on the table as it was handed over."""
        return cls(**_fields(claim.adjusted, Adjusted), table=table, audit=claim.audit)

    @property
    def outcome(self) -> Adjusted:
        """The values by themselves."""
        return Adjusted(**_fields(self, Adjusted))

    @renamed_arguments(run="context")
    def save(
        self,
        path: str | Path,
        *,
        report: str | Path | None = None,
        json_report: str | Path | None = None,
        note: str | Path | None = None,
        context: RunContext | None = None,
        force: bool = False,
    ) -> None:
        """Write the published table after another audit, its bytes read back; all files or none.

        Parameters
        ----------
        path, note : path
            Public: the table, ending in .csv, .xlsx or .html, and what its users must know.
        report, json_report : path
            Confidential: the review as a page and as JSON.
        context : RunContext, optional
            Listens to the audit.
        force : bool, default=False
            Overwrite files.
        """
        pages = {"report": report, "json_report": json_report, "note": note}
        writer("adjusted")(self.table, self, path, **pages, context=context, force=force)

    def _columns(self) -> Iterable[Column]:
        return _cells(self.table, self.values)


def _fields(outcome: Pattern | Adjusted, kind: type[Pattern] | type[Adjusted]) -> dict[str, Any]:
    return {field.name: getattr(outcome, field.name) for field in fields(kind)}


def _cells(table: Table, values: Floats) -> Iterable[Column]:
    labels = [table.label(cell) for cell in range(table.n)]
    for at, dimension in enumerate(table.dimensions):
        yield Column(dimension.name, str, [label[at] for label in labels], ours=False)
    yield Column("value", float, [None if np.isnan(value) else value for value in values.tolist()])
