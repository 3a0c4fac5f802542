"""The sections of plans of tables: the file, which columns are what, the rules, the problem, the output."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator

from tacita.core.data.percent import Level, in_percent
from tacita.core.data.suppression_pattern import Problem
from tacita.core.errors import ParameterError
from tacita.core.spec import registry
from tacita.core.spec.accepted_risks import ACCEPT_WORDS, Accepted
from tacita.core.spec.method import Method
from tacita.core.spec.params import Parameters
from tacita.core.spec.release_options import Seed
from tacita.core.spec.roles import Names
from tacita.io import InputSection, by_ending

from .dimension_section import DIVIDING, DivisionSection

Solver = Literal["highs", "scip"]
Kind = Literal["cells", "tab", "jj"]


def _as_level(value: object) -> object:
    # a number is in percent of the value, anything else names a column
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


def _as_suppression(name: str) -> str:
    return registry.canonical(name, *registry.SUPPRESSING)


def _as_suppressions(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_as_suppression, names))


def _as_adjustment(name: str) -> str:
    return registry.canonical(name, *registry.ADJUSTING)


def _as_rule(name: str) -> str:
    return registry.canonical(name, "rule")


def _as_heading(value: object) -> object:
    if isinstance(value, str) and not value.isprintable():
        raise ParameterError("Table: a title is one line of text, got line breaks or signs that do not show.")
    return value


Title = Annotated[str, Field(min_length=1, max_length=200), BeforeValidator(_as_heading)]
# public by declaration: anyone who sets a title agrees that anybody may read it
_HEADING = "heading of the published .html or .xlsx, public; the names of value and dimensions if not given"


LevelOption = Annotated[Level, BeforeValidator(_as_level)]


class RecordInputSection(InputSection):
    """The file of records, which may be one of tau-ARGUS."""

    meta: Path | None = Field(default=None, description="metadata of a file of tau-ARGUS (.rda)")


class TableInputSection(RecordInputSection):
    """[input] of a table: a list of inner cells, or a file of tau-ARGUS.

    The kind follows from the ending, and a plan that is saved names it.

    >>> TableInputSection(path="cells.csv").kind, TableInputSection(path="problem.jj").kind
    ('cells', 'jj')
    """

    path: Path = Field(description="file of the table: .csv of inner cells, or .tab or .jj of tau-ARGUS")
    meta: Path | None = Field(
        default=None,
        description="metadata of a .tab of tau-ARGUS; the .rda of the same name beside it if not given",
    )
    kind: Kind | None = Field(
        default=None,
        description="cells (a list of inner cells), tab or jj (tau-ARGUS); by its ending if not given",
    )

    @model_validator(mode="before")
    @classmethod
    def _kind_by_ending(cls, values: Any) -> Any:
        if not isinstance(values, dict) or values.get("kind") is not None or "path" not in values:
            return values
        file_format = by_ending(Path(str(values["path"])), "cells")
        kind = file_format.name if file_format is not None else "tab" if values.get("meta") else "cells"
        return {**values, "kind": kind}

    @model_validator(mode="after")
    def _metadata_where_it_is_used(self) -> TableInputSection:
        if self.meta is not None and self.kind != "tab":
            raise ParameterError(
                f"{self.path.name}: metadata (meta) belongs to kind tab, this is of kind {self.kind}."
            )
        if self.kind != "cells" and (
            odd := sorted(self.model_fields_set & {"delimiter", "decimal", "missing_values"})
        ):
            raise ParameterError(
                f"{self.path.name}: {', '.join(odd)} cannot be chosen for a file of tau-ARGUS. Leave it away."
            )
        return self


class TableSection(DivisionSection):
    """[table]: which columns of a list of cells are what. Files of tau-ARGUS say so themselves."""

    value: str | None = Field(default=None, description="column of values; required of a list of your own")
    primary: str | None = Field(
        default=None,
        description="column that is 1 for sensitive cells and 0 for others; required of a list of your own",
    )
    lower: LevelOption = Field(
        default=15.0,
        description="how far below its value a sensitive cell must stay open: percent, or a column",
    )
    upper: LevelOption = Field(
        default=15.0,
        description="how far above its value a sensitive cell must stay open: percent, or a column",
    )
    sliding: LevelOption = Field(
        default=0.0,
        description="how wide the open range of a sensitive cell must be in all: percent, or a column",
    )
    contributors: str | None = Field(
        default=None, description="column of the number of contributors: who is alone in a cell knows it"
    )
    key: str | None = Field(default=None, description="column of cell keys, for the method cell-key")
    counts: bool = Field(default=False, description="the values are counts of records: whole numbers")
    fill_zeros: bool = Field(
        default=False, description="combinations of labels that are not listed are zeros"
    )
    title: Title | None = Field(default=None, description=_HEADING)

    @property
    def levels(self) -> dict[str, str | float]:
        """Each level in percent, shares taken for what they are, or the name of its column."""
        levels = {name: getattr(self, name) for name in LEVELS}
        return {
            name: level if isinstance(level, str) else in_percent(level) for name, level in levels.items()
        }

    @property
    def requested_levels(self) -> dict[str, str | float]:
        """The levels that were set by name, as they were set."""
        return {name: getattr(self, name) for name in LEVELS if name in self.model_fields_set}

    def require_columns(self, own_columns: Mapping[str, Any], sensitive: bool = True) -> None:
        """Check that the columns of a list are named, here or in the list itself; ParameterError if not.

        The column of `sensitive` cells is not needed where all cells are adjusted alike.
        """
        known = {*own_columns, *(("rows", "columns") if None not in own_columns["dimensions"] else ())}
        wanted = COLUMNS if sensitive else COLUMNS[:-1]
        if missing := [name for name in wanted if getattr(self, name) is None and name not in known]:
            raise ParameterError(
                f"A list of cells needs {', '.join(wanted)}: the columns that say what is what (dimensions "
                "instead of rows and columns where there are not two). Missing: "
                f"{', '.join('--' + name for name in missing)} (in a plan: under [table])."
            )

    def check_no_columns(self, source: str) -> None:
        """Check that no columns are set for a file of tau-ARGUS, which has its own; ParameterError if any."""
        own = ("dimensions", *COLUMNS, *DIVIDING, "contributors", "key", "fill_zeros")
        columns = [name for name in own if name in self.model_fields_set]
        columns += [name for name in LEVELS if isinstance(getattr(self, name), str)]
        if columns:
            raise ParameterError(
                f"{source}: a file of tau-ARGUS says itself which column is what. Leave away "
                f"{', '.join('--' + name.replace('_', '-') for name in columns)} (in a plan: under [table])."
            )


COLUMNS = ("rows", "columns", "value", "primary")
LEVELS = ("lower", "upper", "sliding")


class SuppressSection(Parameters):
    """[suppress]: the problem, what suppressing a cell costs, and the method. Other keys go to the method."""

    model_config = ConfigDict(extra="allow")

    problem: Problem = Field(
        description="what counts as protected: interval (nobody comes within the levels of a sensitive cell; "
        "take it where a rule such as p-percent or dominance marked the cells), exact (nobody computes one, "
        "knowing that no value is negative), general (nobody computes one, where values may be negative)"
    )
    objective: str = Field(
        default="value", description="what a suppressed cell costs: value, count, or a column of weights"
    )
    margins: bool = Field(
        default=False,
        description="sums may be suppressed too, at their value; files of tau-ARGUS say so themselves",
    )
    zeros: Literal["publish", "withhold"] | None = Field(
        default=None, description="cells of zero; suppressed, at a cost of 1, only for exact unless given"
    )
    method: Annotated[str, AfterValidator(_as_suppression)] = Field(
        default="optimal", description="name of a method of suppression, see `tacita methods`"
    )
    solver: Solver = Field(default="highs", description="solver of the method optimal: highs or scip")
    time: float = Field(
        default=60.0, gt=0, le=1e7, description="seconds after which the best pattern is taken"
    )
    strict: bool = Field(
        default=False, description="refuse what singletons, alone in a suppressed cell, could find out"
    )
    insiders: bool = Field(
        default=False,
        description="protect from contributors who know their own part of every suppressed cell",
    )
    insist: bool = Field(
        default=False, description="accept less than a rule asks for, or what signs give away; recorded"
    )
    accept: Accepted = Field(default=(), description=ACCEPT_WORDS)

    @model_validator(mode="after")
    def _method_takes_its_parameters(self) -> SuppressSection:
        self.build()
        return self

    def build(self) -> Method:
        """The method with its parameters, time limit and solver."""
        method = registry.lookup(self.method, *registry.SUPPRESSING)
        fields = method.model_fields
        params = dict(self.model_extra or {})
        if "seconds" in fields:
            params.setdefault("seconds", self.time)
        if "solver" in fields:
            params.setdefault("solver", self.solver)
        elif self.solver != "highs":
            raise ParameterError(
                f"{self.method}: there is no solver {self.solver} for this method. Leave out --solver, or "
                "use highs."
            )
        return method(**params)


class AdjustSection(Parameters):
    """[adjust]: the method that publishes other values, and how it is steered. Other keys go to the method.

    >>> AdjustSection(method="rounding", base=10).build().base
    10.0
    """

    model_config = ConfigDict(extra="allow")

    method: Annotated[str, AfterValidator(_as_adjustment)] = Field(
        description="name of a method of adjustment, see `tacita methods`"
    )
    time: float = Field(
        default=30.0, gt=0, le=1e7, description="seconds after which the best values are taken"
    )
    seed: Seed = Field(
        default=None,
        description="seed of what is drawn, or new to draw and record one; if not given, nobody knows it",
    )
    signed: bool = Field(
        default=False, description="values may be negative, and nobody is taken to know which"
    )
    insist: bool = Field(
        default=False,
        description="accept that cells give more away than their levels allow, or a short seed; recorded",
    )

    @model_validator(mode="after")
    def _method_takes_its_parameters(self) -> AdjustSection:
        self.build()
        return self

    def build(self) -> Method:
        """The method with its parameters and time limit."""
        method = registry.lookup(self.method, *registry.ADJUSTING)
        params = dict(self.model_extra or {})
        if "seconds" in method.model_fields:
            params.setdefault("seconds", self.time)
        return method(**params)

    @property
    def reading(self) -> SuppressSection:
        """How the file of the table is read: as for patterns, and sums are cells like others."""
        return SuppressSection(problem="general" if self.signed else "interval")


class TrySection(Parameters):
    """[compare] of a table: methods of suppression to try in turn. Other keys are parameters of theirs."""

    model_config = ConfigDict(extra="allow")

    method: Annotated[Names, AfterValidator(_as_suppressions)] = Field(
        default=(), description="names of methods of suppression; if not given, the one of [suppress]"
    )


class TableOutputSection(Parameters):
    """[output]: what is written where. Only `path` and `note` may be published."""

    model_config = ConfigDict(populate_by_name=True)

    path: Path = Field(description="the published table: .csv, .xlsx or .html")
    json_report: Path | None = Field(
        default=None, alias="json", description="cost, proof and audit; confidential"
    )
    report: Path | None = Field(default=None, description="the same as a page with a map; confidential")
    note: Path | None = Field(default=None, description="quality note of an adjusted table, public: a page")

    @property
    def targets(self) -> dict[str, Path | None]:
        """What is written where, by the words a message uses."""
        pages = {"JSON report": self.json_report, "report": self.report, "note": self.note}
        return {"output": self.path, **pages}


class LinkedOutputSection(Parameters):
    """[output] of linked tables, whose published files [[tables]] name: the pages written with them."""

    model_config = ConfigDict(populate_by_name=True)

    json_report: Path | None = Field(
        default=None, alias="json", description="cost, proof and audit; confidential"
    )
    report: Path | None = Field(default=None, description="the same as a page with maps; confidential")
    note: Path | None = Field(default=None, description="quality note of adjusted tables, public: a page")

    @property
    def targets(self) -> dict[str, Path | None]:
        """What is written where, by the words a message uses."""
        return {"JSON report": self.json_report, "report": self.report, "note": self.note}


class LinkedTableSection(Parameters):
    """One of [[tables]]: the file that is published of it. Other keys are those of [table]."""

    model_config = ConfigDict(extra="allow")

    output: Path = Field(description="the published table: .csv, .xlsx or .html")
    input: Path | None = Field(
        default=None,
        description="list of its cells, or .tab of tau-ARGUS; the records of [input] if not given",
    )
    meta: Path | None = Field(default=None, description="metadata of a .tab of tau-ARGUS")


class TabulateSection(DivisionSection):
    """[table] of records: dimensions, the column to sum, and who stands behind a record."""

    value: str | None = Field(default=None, description="column to sum up; if not given, records are counted")
    weight: str | None = Field(default=None, description="column of sampling weights")
    unit: str | None = Field(default=None, description="column naming the firm or household behind a record")
    request: str | None = Field(default=None, description="column that marks who asked for protection")
    waiver: str | None = Field(default=None, description="column that marks who renounced it")
    key: str | None = Field(
        default=None,
        description="column of record keys in [0, 1), drawn once and kept; for the method cell-key",
    )
    title: Title | None = Field(default=None, description=_HEADING)

    @model_validator(mode="after")
    def _both_or_none(self) -> TabulateSection:
        if (self.rows is None) != (self.columns is None):
            missing = "--rows" if self.rows is None else "--columns"
            raise ParameterError(
                f"tabulate: wanted the columns that become rows and columns. Missing: {missing}. For one "
                "dimension, or more than two, use --dimensions."
            )
        return self


# what tells a list of cells from records
OF_LISTS = frozenset(TableSection.model_fields) - frozenset(TabulateSection.model_fields)


class RuleSection(Parameters):
    """One of [[rules]]: the name of a rule for sensitive cells. Other keys are its parameters.

    >>> RuleSection(name="p-percent", p=15).build()
    PPercent(p=15.0, coalition=1)
    """

    model_config = ConfigDict(extra="allow")

    name: Annotated[str, AfterValidator(_as_rule)] = Field(description="name of a rule, see `tacita methods`")

    @model_validator(mode="after")
    def _rule_takes_its_parameters(self) -> RuleSection:
        self.build()
        return self

    def build(self) -> Any:
        """The rule with its parameters."""
        return registry.lookup(self.name, "rule")(**(self.model_extra or {}))
