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
    """A table with suppressed cells: what `suppress` returns. Confidential.

    As a data frame it is what may be published: one row for each cell, with its labels, and its value where
    the cell is not suppressed.

    Attributes
    ----------
    withheld : array of bool
        The suppressed cells.
    primary : array of bool
        The sensitive cells.
    cost : float
        Cost of the secondary suppressions. Never published: it is one more equation for an attacker.
    lower_bound : float
        Proven lower bound on the cost of any pattern for the problem alone.
    status : {"optimal", "feasible", "time limit", "stopped"}
        What ended the search: a proof, nothing left to try, its time, or the caller.
    seconds : float
        Duration of the search.
    method : str
        Name of the method.
    problem : {"general", "exact", "interval"}
        What protection means; see `suppress`.
    parameters : mapping
        Parameters of the method, and the options of `suppress`.
    problem_cost : float
        Least known cost of a pattern for the problem alone; all of `cost` by default.
    lone_count : int
        Number of cells that protect from singletons, known sums and the like.
    table : Table
        The table with its true values.
    audit : Audit
        What an attacker can compute of each suppressed cell.

    Examples
    --------
    >>> from tacita.tables import Table, suppress
    >>> result = suppress(Table.from_array([[20, 50], [8, 19]], primary=[[0, 0], [1, 0]]), "exact")
    >>> result, result.audit.safe
    (<SuppressedTable of 4 suppressed cells, 3 of them to protect others, by optimal: optimal>, True)
    >>> result.to_arrow()["value"].to_pylist()
    [None, None, 70.0, None, None, 27.0, 28.0, 69.0, 97.0]
    """

    table: Table
    audit: Audit

    @classmethod
    def audited(cls, table: Table, claim: SuppressionClaim) -> SuppressedTable:
        """Make the result of a claim that was audited.

        Parameters
        ----------
        table : Table
            The table as it was handed over.
        claim : SuppressionClaim
            The pattern and its audit.

        Returns
        -------
        SuppressedTable
            The result.
        """
        return cls(**_fields(claim.pattern, Pattern), table=table, audit=claim.audit)

    @property
    def outcome(self) -> Pattern:
        """The pattern alone, without table and audit."""
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
        report, json_report : path, optional
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
    """A table with adjusted values: what `adjust` returns. Confidential.

    As a data frame it is what may be published: one row for each cell, with its labels and its new value.

    Attributes
    ----------
    values : array of float
        The new value of each cell.
    distance : float
        Weighted sum of the changes that the method kept small.
    changed : int
        Number of cells that changed.
    lower_bound : float, optional
        Proven lower bound on the distance of any table that keeps the same promises.
    status : {"optimal", "feasible", "time limit", "stopped"}
        What ended the search: a proof, nothing left to try, its time, or the caller.
    seconds : float
        Duration of the search.
    method : str
        Name of the method.
    parameters : mapping
        Parameters of the method.
    terms : Terms
        What the promises of the method are about.
    relaxed : str
        What was relaxed where the request had no solution, or none was found.
    drawn : int
        Number of cells whose values depend on drawn numbers.
    seed : int, optional
        What these were drawn with. Secret.
    table : Table
        The table with its true values.
    audit : AdjustedAudit
        What an attacker can compute of each sensitive cell.

    Examples
    --------
    >>> from tacita.tables import Table, adjust
    >>> result = adjust(Table.from_array([[4, 7], [2, 1]], frequency=True), "rounding", base=5)
    >>> result, result.audit.safe, result.to_arrow()["value"].to_pylist()[:3]
    (<AdjustedTable of 9 cells, 9 of them changed, by rounding: optimal>, True, [5.0, 5.0, 10.0])
    """

    table: Table
    audit: AdjustedAudit

    @classmethod
    def audited(cls, table: Table, claim: AdjustmentClaim) -> AdjustedTable:
        """Make the result of a claim that was audited.

        Parameters
        ----------
        table : Table
            The table as it was handed over.
        claim : AdjustmentClaim
            The values and their audit.

        Returns
        -------
        AdjustedTable
            The result.
        """
        return cls(**_fields(claim.adjusted, Adjusted), table=table, audit=claim.audit)

    @property
    def outcome(self) -> Adjusted:
        """The values alone, without table and audit."""
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
        path : path
            Public: the table, ending in .csv, .xlsx or .html.
        report, json_report : path, optional
            Confidential: the review as a page and as JSON.
        note : path, optional
            Public: what users of the table must know.
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
