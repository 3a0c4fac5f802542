"""One run of a table as a file: which columns are what, what is asked of the pattern, where it goes.

TOML, version 1, with a [table] section instead of [roles]; paths are relative to the plan file.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from . import registry
from .core.errors import ParameterError
from .core.method import Method
from .core.params import Parameters
from .core.roles import Names
from .plan import InputSection, Plan

Solver = Literal["highs", "scip"]


def _as_level(value: object) -> object:
    # a number is a share of the value, anything else names a column
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


Level = Annotated[str | float, BeforeValidator(_as_level)]


class TableSection(Parameters):
    """[table]: which columns of the list of inner cells are what."""

    rows: str = Field(description="column of labels of the rows")
    columns: str = Field(description="column of labels of the columns")
    value: str = Field(description="column of values")
    primary: str = Field(description="column that is 1 for sensitive cells and 0 for others")
    lower: Level = Field(
        0.15, description="how far below its value a sensitive cell must stay open: share, or a column"
    )
    upper: Level = Field(
        0.15, description="how far above its value a sensitive cell must stay open: share, or a column"
    )
    fill_zeros: bool = Field(False, description="combinations of labels that are not listed are zeros")


class SuppressSection(Parameters):
    """[suppress]: the problem, what withholding costs, and the method. Other keys go to the method."""

    model_config = ConfigDict(extra="allow")

    problem: Literal["general", "exact", "interval"] = Field(
        description="what protects: general (nothing known), exact (no negative values), interval (levels)"
    )
    objective: str = Field(
        "value", description="what a withheld cell costs: value, count, or a column of weights"
    )
    margins: bool = Field(False, description="sums may be withheld too, at their value")
    zeros: Literal["publish", "withhold"] | None = Field(
        None, description="cells of zero; withheld, at a cost of 1, only for exact unless given"
    )
    method: str = Field("optimal", description="name of a method of suppression, see `tacita methods`")
    solver: Solver = Field("highs", description="solver of the method optimal: highs or scip")
    time: float = Field(60.0, gt=0, le=1e7, description="seconds after which the best pattern is taken")
    strict: bool = Field(
        False, description="refuse what lone contributors or sums along a line give away, too"
    )
    insist: bool = Field(
        False, description="accept general protection that falls to who knows signs; recorded"
    )

    @model_validator(mode="after")
    def _method_takes_its_parameters(self) -> SuppressSection:
        self.build()
        return self

    def build(self) -> Method:
        """The method with its parameters, time limit and solver."""
        found = registry.lookup(self.method, *registry.SUPPRESSING)
        fields = found.model_fields
        given = dict(self.model_extra or {})
        if "seconds" in fields:
            given.setdefault("seconds", self.time)
        if "solver" in fields:
            given.setdefault("solver", self.solver)
        elif self.solver != "highs":
            raise ParameterError(
                f"{self.method}: there is no solver {self.solver} for this method. Leave out --solver, or "
                "use highs."
            )
        return found(**given)


class TableOutputSection(Parameters):
    """[output]: what is written where. Only `path` may be published."""

    model_config = ConfigDict(populate_by_name=True)

    path: Path = Field(description="the published table: .csv, .xlsx or .html")
    json_report: Path | None = Field(None, alias="json", description="cost, proof and audit; confidential")
    report: Path | None = Field(None, description="the same as a page with a map; confidential")

    @property
    def targets(self) -> dict[str, Path | None]:
        """What is written where, by the words a message uses."""
        return {"output": self.path, "JSON report": self.json_report, "report": self.report}


class TablePlan(Parameters):
    """A whole run of a table.

    >>> plan = TablePlan.from_toml('''
    ... version = 1
    ... [input]
    ... path = "cells.csv"
    ... [table]
    ... rows = "region"
    ... columns = "sector"
    ... value = "turnover"
    ... primary = "sensitive"
    ... [suppress]
    ... problem = "interval"
    ... [output]
    ... path = "published.csv"
    ... ''')
    >>> plan.suppress.build().seconds, plan.table.lower
    (60.0, 0.15)
    """

    version: Literal[1] = 1
    input: InputSection
    table: TableSection
    suppress: SuppressSection
    output: TableOutputSection

    @classmethod
    def from_toml(cls, text: str, folder: Path | None = None) -> TablePlan:
        """Read a plan; relative paths are taken from `folder`."""
        values = _parsed(text)
        if "version" not in values:
            raise ParameterError("Plan: version is required. Write version = 1 as the first line.")
        return cls(**_with_paths(values, folder or Path()))

    @classmethod
    def spoken_name(cls) -> str:
        """As plans of records are called."""
        return "Plan"


class TabulateSection(Parameters):
    """What a table is made of: dimensions, the column to sum, who stands behind a record, and the rules."""

    rows: str = Field(description="column whose labels become rows")
    columns: str = Field(description="column whose labels become columns")
    value: str | None = Field(None, description="column to sum up; if not given, records are counted")
    rule: Names = Field((), description="names of rules for sensitive cells, see `tacita methods`")
    hierarchy: Names = Field((), description="COLUMN=FILE.hrc for each column with a hierarchy")
    weight: str | None = Field(None, description="column of sampling weights")
    unit: str | None = Field(None, description="column naming the firm or household behind a record")
    request: str | None = Field(None, description="column that marks who asked for protection")
    waiver: str | None = Field(None, description="column that marks who renounced it")
    insist: bool = Field(False, description="write inner cells although sums are sensitive themselves")


def load_plan(path: str | Path) -> Plan | TablePlan:
    """Read a plan file of either kind: with a [table] section it is one of a table."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
        tabular = "table" in tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        # the plan of records says what is wrong
        return Plan.load(path)
    return TablePlan.from_toml(text, path.parent) if tabular else Plan.load(path)


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise ParameterError(f"Plan: this is not valid TOML ({problem}).") from None


def _with_paths(values: dict[str, Any], folder: Path) -> dict[str, Any]:
    placed = dict(values)
    for section, keys in {"input": ("path",), "output": ("path", "json", "report")}.items():
        if isinstance(part := values.get(section), dict):
            placed[section] = {
                key: folder / value if key in keys and isinstance(value, str) else value
                for key, value in part.items()
            }
    return placed
