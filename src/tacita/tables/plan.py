"""One run of a table as a file: which columns are what, what is asked of the pattern, where it goes.

TOML, version 1, with a [table] section instead of [roles]; paths are relative to the plan file.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from tacita.core import registry
from tacita.core.document import Document, arguments_of, literal_of
from tacita.core.errors import ParameterError
from tacita.core.method import Method
from tacita.core.params import Parameters
from tacita.core.percent import Level, in_percent
from tacita.core.roles import Names
from tacita.io import InputSection, by_ending

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


LevelOption = Annotated[Level, BeforeValidator(_as_level)]


class RecordInputSection(InputSection):
    """The file of records, which may be one of tau-ARGUS."""

    meta: Path | None = Field(None, description="metadata of a file of tau-ARGUS (.rda)")


class TableInputSection(RecordInputSection):
    """[input] of a table: a list of inner cells, or a file of tau-ARGUS.

    The kind follows from the ending, and a plan that is saved names it.

    >>> TableInputSection(path="cells.csv").kind, TableInputSection(path="problem.jj").kind
    ('cells', 'jj')
    """

    path: Path = Field(description="file of the table: .csv of inner cells, or .tab or .jj of tau-ARGUS")
    meta: Path | None = Field(
        None, description="metadata of a .tab of tau-ARGUS; the .rda of the same name beside it if not given"
    )
    kind: Kind | None = Field(
        None, description="cells (a list of inner cells), tab or jj (tau-ARGUS); by its ending if not given"
    )

    @model_validator(mode="before")
    @classmethod
    def _kind_by_ending(cls, values: Any) -> Any:
        if not isinstance(values, dict) or values.get("kind") is not None or "path" not in values:
            return values
        found = by_ending(Path(str(values["path"])), "cells")
        kind = found.name if found is not None else "tab" if values.get("meta") else "cells"
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


class TableSection(Parameters):
    """[table]: which columns of the list of inner cells are what. Files of tau-ARGUS say so themselves."""

    rows: str | None = Field(None, description="column of labels of the rows; required of a list of your own")
    columns: str | None = Field(
        None, description="column of labels of the columns; required of a list of your own"
    )
    value: str | None = Field(None, description="column of values; required of a list of your own")
    primary: str | None = Field(
        None,
        description="column that is 1 for sensitive cells and 0 for others; required of a list of your own",
    )
    lower: LevelOption = Field(
        15.0, description="how far below its value a sensitive cell must stay open: percent, or a column"
    )
    upper: LevelOption = Field(
        15.0, description="how far above its value a sensitive cell must stay open: percent, or a column"
    )
    sliding: LevelOption = Field(
        0.0, description="how wide the open range of a sensitive cell must be in all: percent, or a column"
    )
    contributors: str | None = Field(
        None, description="column of the number of contributors: who is alone in a cell knows it"
    )
    fill_zeros: bool = Field(False, description="combinations of labels that are not listed are zeros")

    @property
    def levels(self) -> dict[str, str | float]:
        """Each level in percent, shares taken for what they are, or the name of its column."""
        given = {name: getattr(self, name) for name in LEVELS}
        return {name: each if isinstance(each, str) else in_percent(each) for name, each in given.items()}

    @property
    def asked_levels(self) -> dict[str, str | float]:
        """Those that were asked for by name, as they were given."""
        return {name: getattr(self, name) for name in LEVELS if name in self.model_fields_set}

    def require_columns(self, said: Container[str] = ()) -> None:
        """Refuse a list of cells of which neither it itself nor this says which column is what."""
        if missing := [name for name in COLUMNS if getattr(self, name) is None and name not in said]:
            raise ParameterError(
                f"A list of cells needs {', '.join(COLUMNS)}: the columns that say what is what. Missing: "
                f"{', '.join('--' + name for name in missing)} (in a plan: under [table])."
            )

    def refuse_columns(self, source: str) -> None:
        """Refuse to be told what a file of tau-ARGUS says itself."""
        given = [name for name in (*COLUMNS, "contributors", "fill_zeros") if name in self.model_fields_set]
        given += [name for name in LEVELS if isinstance(getattr(self, name), str)]
        if given:
            raise ParameterError(
                f"{source}: a file of tau-ARGUS says itself which column is what. Leave away "
                f"{', '.join('--' + name.replace('_', '-') for name in given)} (in a plan: under [table])."
            )


COLUMNS = ("rows", "columns", "value", "primary")
LEVELS = ("lower", "upper", "sliding")


class SuppressSection(Parameters):
    """[suppress]: the problem, what withholding costs, and the method. Other keys go to the method."""

    model_config = ConfigDict(extra="allow")

    problem: Literal["general", "exact", "interval"] = Field(
        description="what protects: general (nothing known), exact (no negative values), interval (levels)"
    )
    objective: str = Field(
        "value", description="what a withheld cell costs: value, count, or a column of weights"
    )
    margins: bool = Field(
        False, description="sums may be withheld too, at their value; files of tau-ARGUS say so themselves"
    )
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
        False, description="accept less than a rule asks for, or what signs give away; recorded"
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

    @property
    def public(self) -> tuple[Path, ...]:
        """What others may read."""
        return (self.path,)


class TablePlan(Document):
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
    (60.0, 15.0)
    """

    paths: ClassVar[Mapping[str, Sequence[str]]] = {
        "input": ("path", "meta"),
        "output": ("path", "json", "report"),
    }

    input: TableInputSection
    table: TableSection = Field(default_factory=TableSection)
    suppress: SuppressSection
    output: TableOutputSection

    @model_validator(mode="after")
    def _says_what_is_what(self) -> TablePlan:
        if self.input.kind != "cells":
            self.table.refuse_columns(self.input.path.name)
        return self

    def told(self) -> dict[str, Any]:
        """What was given, defaults too: files of tau-ARGUS hold where the plan says nothing."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude_none=True)

    def to_python(self) -> str:
        """The script that does the same through the Python interface.

        >>> columns = {"rows": "region", "columns": "sector", "value": "turnover", "primary": "sensitive"}
        >>> plan = TablePlan(
        ...     input={"path": "cells.csv"},
        ...     table=columns,
        ...     suppress={"problem": "exact"},
        ...     output={"path": "published.csv"},
        ... )
        >>> print(plan.to_python().replace(", rows", ",\\n    rows"))
        import tacita
        <BLANKLINE>
        table = tacita.read_table('cells.csv', problem='exact',
            rows='region', columns='sector', value='turnover', primary='sensitive')
        pattern = tacita.suppress(table, problem='exact', method='optimal', margins=False)
        tacita.save_table(table, pattern, 'published.csv')
        """
        asked = self.suppress
        reading = self.input.model_dump(mode="json", exclude={"path"}, exclude_defaults=True)
        if reading.get("kind") == TableInputSection(path=self.input.path, meta=self.input.meta).kind:
            del reading["kind"]
        problem = {"problem": asked.problem}
        table = {**problem, **reading, **self.table.model_dump(exclude_defaults=True)}
        around = asked.model_dump(include={"zeros", "insist", "strict"}, exclude_defaults=True)
        if self.input.kind == "cells":
            table |= asked.model_dump(include={"objective"}, exclude_defaults=True)
            around["margins"] = asked.margins
        else:
            # what the file says holds where the plan does not
            around |= asked.model_dump(include={"objective", "margins"}, exclude_unset=True)
        method = asked.build().model_dump(mode="json", exclude_defaults=True)
        steps = {**problem, "method": asked.method, **around, **method}
        targets = self.output.model_dump(mode="json", exclude={"path"}, exclude_none=True)
        source, target = (literal_of(str(path)) for path in (self.input.path, self.output.path))
        lines = (
            "import tacita",
            "",
            f"table = tacita.read_table({source}{arguments_of(table)})",
            f"pattern = tacita.suppress(table{arguments_of(steps)})",
            f"tacita.save_table(table, pattern, {target}{arguments_of(targets)})",
        )
        return "\n".join(lines)


class TabulateSection(Parameters):
    """What a table is made of: dimensions, the column to sum, who stands behind a record, and the rules."""

    rows: str | None = Field(
        None, description="column whose labels become rows; required unless metadata has two dimensions"
    )
    columns: str | None = Field(
        None, description="column whose labels become columns; required unless metadata has two dimensions"
    )
    value: str | None = Field(None, description="column to sum up; if not given, records are counted")
    rule: Names = Field(
        (),
        description="rules for sensitive cells, commas between, each with parameters of its own or not: "
        "minimum-frequency:threshold=3:margin=10,request; see `tacita methods`",
    )
    hierarchy: Names = Field((), description="COLUMN=FILE.hrc, commas between two of them")
    weight: str | None = Field(None, description="column of sampling weights")
    unit: str | None = Field(None, description="column naming the firm or household behind a record")
    request: str | None = Field(None, description="column that marks who asked for protection")
    waiver: str | None = Field(None, description="column that marks who renounced it")
    insist: bool = Field(False, description="of no effect any more: lists say which sums are sensitive")
