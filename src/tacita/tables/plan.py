"""One run of a table as a file: what it is made of, what is asked of the pattern, where it goes.

TOML, version 1, with a [table] section instead of [roles]; paths are relative to the plan file. A table comes
from a file of its cells, or is made of records by dimensions and [[rules]].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field, model_validator

from tacita.core.document import Document, arguments_of, literal_of
from tacita.core.errors import ParameterError

from .sections import (
    RecordInputSection,
    RuleSection,
    SuppressSection,
    TableInputSection,
    TableOutputSection,
    TableSection,
    TabulateSection,
)


class _OfTables(Document):
    """What plans of tables share, whatever the table comes from."""

    def told(self) -> dict[str, Any]:
        """What was given, defaults too: files of tau-ARGUS hold where the plan says nothing."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude_none=True)


def _script(table: str, around: Mapping[str, Any], asked: SuppressSection, output: TableOutputSection) -> str:
    """The lines that choose and save, after one that makes the table; `around` is what is asked besides."""
    method = asked.build().model_dump(mode="json", exclude_defaults=True)
    steps = {"problem": asked.problem, "method": asked.method, **around, **method}
    targets = output.model_dump(mode="json", exclude={"path"}, exclude_none=True)
    lines = (
        "import tacita",
        "",
        f"table = {table}",
        f"pattern = tacita.suppress(table{arguments_of(steps)})",
        f"tacita.save_table(table, pattern, {literal_of(str(output.path))}{arguments_of(targets)})",
    )
    return "\n".join(lines)


class TablePlan(_OfTables):
    """A whole run of a table that a file describes.

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

    paths: ClassVar[Mapping[str, Sequence[str]]] = {
        "input": ("path", "meta"),
        "table": ("hierarchy",),
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

    def to_python(self) -> str:
        """The script that does the same through the Python interface."""
        asked = self.suppress
        reading = self.input.model_dump(mode="json", exclude={"path"}, exclude_defaults=True)
        if reading.get("kind") == TableInputSection(path=self.input.path, meta=self.input.meta).kind:
            del reading["kind"]
        columns = self.table.model_dump(mode="json", exclude_defaults=True)
        table = {"problem": asked.problem, **reading, **columns}
        around = asked.model_dump(include={"zeros", "insist", "strict"}, exclude_defaults=True)
        if self.input.kind == "cells":
            table |= asked.model_dump(include={"objective"}, exclude_defaults=True)
            around["margins"] = asked.margins
        else:
            # what the file says holds where the plan does not
            around |= asked.model_dump(include={"objective", "margins"}, exclude_unset=True)
        made = f"tacita.read_table({literal_of(str(self.input.path))}{arguments_of(table)})"
        return _script(made, around, asked, self.output)


class TabulatePlan(_OfTables):
    """A whole run from records: their table, as a confidential list; or, with [suppress], published.

    >>> plan = TabulatePlan.from_toml('''
    ... version = 1
    ... [input]
    ... path = "firms.csv"
    ... [table]
    ... dimensions = ["region", "sector"]
    ... value = "turnover"
    ... [[rules]]
    ... name = "p-percent"
    ... p = 15
    ... [suppress]
    ... problem = "interval"
    ... [output]
    ... path = "published.csv"
    ... ''')
    >>> print(plan.to_python().replace(", rules", ",\\n    rules"))
    import tacita
    <BLANKLINE>
    table = tacita.tabulate('firms.csv', ['region', 'sector'], value='turnover',
        rules=[tacita.method('p-percent', p=15)])
    pattern = tacita.suppress(table, problem='interval', method='optimal', margins=False)
    tacita.save_table(table, pattern, 'published.csv')
    """

    paths: ClassVar[Mapping[str, Sequence[str]]] = {
        "input": ("path", "meta"),
        "table": ("hierarchy",),
        "output": ("path", "json", "report"),
    }

    input: RecordInputSection
    table: TabulateSection = Field(default_factory=TabulateSection)
    rules: tuple[RuleSection, ...] = ()
    suppress: SuppressSection | None = None
    output: TableOutputSection

    @model_validator(mode="after")
    def _pages_about_something(self) -> TabulatePlan:
        if self.suppress is None and (self.output.json_report or self.output.report):
            raise ParameterError(
                "Plan: output.json and output.report tell of withheld cells, and there is no [suppress] that "
                "withholds any. Add one, or leave them away."
            )
        if self.suppress is None and self.table.title:
            raise ParameterError(
                "Plan: table.title is the heading of a published table, and without [suppress] a list is "
                "written that has none. Add one, or leave the title away."
            )
        return self

    def to_python(self) -> str:
        """The script that does the same through the Python interface."""
        section, asked = self.table, self.suppress
        hierarchies = section.model_dump(mode="json", include={"hierarchy"})["hierarchy"]
        if hierarchies and not section.spanning:
            raise ParameterError("Plan: a script needs the names of all dimensions. Name them (dimensions).")
        named = [*section.spanning]
        dimensions = {name: hierarchies.get(name) for name in named} if hierarchies else named
        reading = self.input.model_dump(mode="json", exclude={"path"}, exclude_defaults=True)
        own = {"value", "weight", "unit", "request", "waiver", "prefixes", "parents", "total", "title"}
        given = section.model_dump(mode="json", include=own, exclude_defaults=True)
        rules = ", ".join(
            f"tacita.method({literal_of(rule.name)}{arguments_of(rule.model_extra or {})})"
            for rule in self.rules
        )
        source = f"{literal_of(str(self.input.path))}, {literal_of(dimensions)}"
        made = f"tacita.tabulate({source}{arguments_of({**reading, **given})}, rules=[{rules}])"
        if asked is None:
            target = literal_of(str(self.output.path))
            return f"import tacita\n\ntacita.save_cells({made}, {target})"
        kept = {"objective", "zeros", "insist", "strict"}
        around = {**asked.model_dump(include=kept, exclude_defaults=True), "margins": asked.margins}
        return _script(made, around, asked, self.output)


def kind_of(values: Mapping[str, Any]) -> type[TablePlan] | type[TabulatePlan] | None:
    """Which plan of a table some values of TOML are; None where they are of no table.

    >>> kind_of({"table": {"dimensions": ["region"]}}).__name__
    'TabulatePlan'
    """
    given, table = (values.get(name, {}) for name in ("input", "table"))
    of_table = {"table", "suppress", "rules"} & set(values) or (isinstance(given, dict) and "meta" in given)
    if not of_table:
        return None
    told = {*values, *table} if isinstance(table, dict) else set(values)
    if "rules" in told:
        return TabulatePlan
    # what only a list of cells has columns for
    of_list = {"primary", "lower", "upper", "sliding", "contributors", "fill_zeros"} & told
    of_records = not of_list and ("dimensions" in told or "suppress" not in told)
    return TabulatePlan if of_records else TablePlan
