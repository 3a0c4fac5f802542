"""One run of a table as a file: what it is made of, what is asked of the pattern, where it goes.

TOML, version 1, with a [table] section instead of [roles]; paths are relative to the plan file. A table comes
from a file of its cells, or is made of records by dimensions and [[rules]].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field, model_validator

from tacita.core.errors import ParameterError
from tacita.core.spec.plan_document import Document, arguments_of, literal_of
from tacita.executors.section import ExecutorSection

from .dimension_section import DIVIDING
from .sections import (
    OF_LISTS,
    AdjustSection,
    LinkedOutputSection,
    LinkedTableSection,
    RecordInputSection,
    RuleSection,
    SuppressSection,
    TableInputSection,
    TableOutputSection,
    TableSection,
    TabulateSection,
    TrySection,
)


class _OfTables(Document):
    """What plans of tables share, whatever the table comes from."""

    renamed: ClassVar[Mapping[str, str]] = {"engine": "executor"}
    paths: ClassVar[Mapping[str, Sequence[str]]] = {
        "input": ("path", "meta"),
        "table": ("hierarchy",),
        "output": ("path", "json", "report", "note"),
    }

    def to_dict(self) -> dict[str, Any]:
        """What was given, defaults too: files of tau-ARGUS hold where the plan says nothing."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude_none=True)

    @property
    def asked(self) -> SuppressSection | AdjustSection | None:
        """How the table is published: by withholding or by adjusting; None where it is not."""
        return self.adjust or self.suppress  # type: ignore[attr-defined, no-any-return]

    @property
    def published(self) -> tuple[Path, ...]:
        """The files that are published: one for each table."""
        return (self.output.path,)  # type: ignore[attr-defined]

    @property
    def targets(self) -> dict[str, Path | None]:
        """What is written where, by the words a message uses."""
        return dict(self.output.targets)  # type: ignore[attr-defined]

    @property
    def public(self) -> tuple[Path, ...]:
        """What others may read: the tables, and the note of adjusted ones."""
        note = self.output.note  # type: ignore[attr-defined]
        return self.published if note is None else (*self.published, note)


def _script(made: str, plan: AnyTablePlan, saved: str, paths: str) -> str:
    """The script whose first lines make a table, or several that are linked: choose or adjust, and save."""
    asked, whole = plan.asked, "tacita.link_tables(tables)" if saved == "tables" else saved
    assert asked is not None, "a table that is not published is saved as a list"
    method = asked.build().model_dump(mode="json", exclude_defaults=True)
    if isinstance(asked, AdjustSection):
        around = asked.model_dump(mode="json", include={"seed", "insist"}, exclude_defaults=True)
        verb, found, save = (
            "adjust",
            "adjusted",
            "save_adjusted_tables" if saved == "tables" else "save_adjusted",
        )
        steps = {"method": asked.method, **around, **method}
    else:
        first = plan.members()[0] if isinstance(plan, LinkedPlan) else plan
        verb, found, save = "suppress", "pattern", f"save_{saved}"
        steps = {"problem": asked.problem, "method": asked.method, **first.around(), **method}
    targets = plan.output.model_dump(mode="json", exclude={"path"}, exclude_none=True)
    lines = (
        *("import tacita", "", made),
        f"{found} = tacita.{verb}({whole}{arguments_of(steps)})",
        f"tacita.{save}({saved}, {found}, {paths}{arguments_of(targets)})",
    )
    return "\n".join(lines)


def _refuse_two_ways(plan: AnyTablePlan) -> None:
    """Refuse two ways of publishing one table, and what belongs to the other way."""
    if plan.suppress is not None and plan.adjust is not None:
        raise ParameterError(
            "Plan: [suppress] withholds cells and [adjust] changes them; a table is published in one way. "
            "Leave one of the sections away."
        )
    if plan.adjust is None and plan.output.note is not None:
        raise ParameterError(
            "Plan: output.note is the quality note of an adjusted table, and there is no [adjust]. Leave it "
            "away."
        )
    if plan.adjust is not None and plan.compare is not None:
        raise ParameterError(
            "Plan: [compare] tries methods of suppression, and [adjust] withholds nothing. Leave one of the "
            "sections away."
        )


def _require_a_way(plan: TablePlan | LinkedPlan) -> None:
    """Refuse a plan that does not say how its tables are published."""
    _refuse_two_ways(plan)
    if plan.asked is None:
        raise ParameterError(
            "Plan: suppress is required, or adjust: whether cells are withheld or changed. Write "
            "[suppress] with its problem, or [adjust] with its method."
        )


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

    input: TableInputSection
    table: TableSection = Field(default_factory=TableSection)
    suppress: SuppressSection | None = None
    adjust: AdjustSection | None = None
    compare: TrySection | None = None
    output: TableOutputSection

    @property
    def reading(self) -> SuppressSection:
        """How the file of the table is read."""
        reading = self.adjust.reading if self.adjust is not None else self.suppress
        assert reading is not None, "one of them is there, or the plan was refused"
        return reading

    @model_validator(mode="after")
    def _says_what_is_what(self) -> TablePlan:
        _require_a_way(self)
        if self.input.kind != "cells":
            self.table.check_columns(self.input.path.name)
        return self

    def to_python(self) -> str:
        """The script that does the same through the Python interface."""
        return _script(f"table = {self.made()}", self, "table", literal_of(str(self.output.path)))

    def made(self) -> str:
        """What makes the table in such a script."""
        asked = self.reading
        reading = self.input.model_dump(mode="json", exclude={"path"}, exclude_defaults=True)
        if reading.get("kind") == TableInputSection(path=self.input.path, meta=self.input.meta).kind:
            del reading["kind"]
        columns = self.table.model_dump(mode="json", exclude_defaults=True)
        table = {"problem": asked.problem, **reading, **columns}
        if self.input.kind == "cells":
            table |= asked.model_dump(include={"objective"}, exclude_defaults=True)
        if self.adjust is not None:
            table["sensitive"] = False
        return f"tacita.read_table({literal_of(str(self.input.path))}{arguments_of(table)})"

    def around(self) -> dict[str, Any]:
        """What is asked of its pattern besides the method."""
        asked = self.reading
        said = {"zeros", "insist", "strict", "insiders", "accept"}
        around = asked.model_dump(include=said, exclude_defaults=True)
        if self.input.kind == "cells":
            return {**around, "margins": asked.margins}
        # what the file says holds where the plan does not
        return around | asked.model_dump(include={"objective", "margins"}, exclude_unset=True)


class TabulatePlan(_OfTables):
    """A whole run from records: their table, as a confidential list; or, with [suppress] or [adjust],
    published.

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
        rules=[tacita.get_method('p-percent', p=15)])
    pattern = tacita.suppress(table, problem='interval', method='optimal', margins=False)
    tacita.save_table(table, pattern, 'published.csv')
    """

    input: RecordInputSection
    executor: ExecutorSection = Field(default_factory=ExecutorSection)
    table: TabulateSection = Field(default_factory=TabulateSection)
    rules: tuple[RuleSection, ...] = ()
    suppress: SuppressSection | None = None
    adjust: AdjustSection | None = None
    compare: TrySection | None = None
    output: TableOutputSection

    @model_validator(mode="after")
    def _pages_about_something(self) -> TabulatePlan:
        _refuse_two_ways(self)
        if self.asked is None and (self.output.json_report or self.output.report):
            raise ParameterError(
                "Plan: output.json and output.report tell of withheld cells, and there is no [suppress] that "
                "withholds any. Add one, or leave them away."
            )
        if self.asked is None and self.table.title:
            raise ParameterError(
                "Plan: table.title is the heading of a published table, and without [suppress] a list is "
                "written that has none. Add one, or leave the title away."
            )
        return self

    def to_python(self) -> str:
        """The script that does the same through the Python interface."""
        target = literal_of(str(self.output.path))
        if self.asked is None:
            return f"import tacita\n\ntacita.save_cells({self.made()}, {target})"
        return _script(f"table = {self.made()}", self, "table", target)

    def made(self) -> str:
        """What makes the table in such a script."""
        section = self.table
        hierarchies = section.model_dump(mode="json", include={"hierarchy"})["hierarchy"]
        if hierarchies and not section.spanning:
            raise ParameterError("Plan: a script needs the names of all dimensions. Name them (dimensions).")
        named = [*section.spanning]
        dimensions = {name: hierarchies.get(name) for name in named} if hierarchies else named
        reading = self.input.model_dump(mode="json", exclude={"path"}, exclude_defaults=True)
        own = {"value", "weight", "unit", "request", "waiver", "key", "prefixes", "parents", "total", "title"}
        given = section.model_dump(mode="json", include=own, exclude_defaults=True)
        if self.executor.in_parts:
            given["executor"] = self.executor.model_dump(exclude_defaults=True)
        rules = ", ".join(
            f"tacita.get_method({literal_of(rule.name)}{arguments_of(rule.model_extra or {})})"
            for rule in self.rules
        )
        source = f"{literal_of(str(self.input.path))}, {literal_of(dimensions)}"
        return f"tacita.tabulate({source}{arguments_of({**reading, **given})}, rules=[{rules}])"

    def around(self) -> dict[str, Any]:
        """What is asked of its pattern besides the method."""
        assert self.suppress is not None
        kept = {"objective", "zeros", "insist", "strict", "insiders", "accept"}
        asked = self.suppress.model_dump(include=kept, exclude_defaults=True)
        return {**asked, "margins": self.suppress.margins}


class LinkedPlan(_OfTables):
    """A whole run of several tables with cells in common: one pattern, or one set of other values, and a file
    for each table.

    All are made of the records of [input], or each of a list that its `input` names. [table] has what they
    share.

    >>> plan = LinkedPlan.from_toml('''
    ... version = 1
    ... [input]
    ... path = "firms.csv"
    ... [table]
    ... value = "turnover"
    ... [[tables]]
    ... dimensions = ["region", "sector"]
    ... output = "by-sector.csv"
    ... [[tables]]
    ... dimensions = ["region", "size"]
    ... output = "by-size.csv"
    ... [suppress]
    ... problem = "exact"
    ... ''')
    >>> print(plan.to_python())
    import tacita
    <BLANKLINE>
    tables = [
        tacita.tabulate('firms.csv', ['region', 'sector'], value='turnover', rules=[]),
        tacita.tabulate('firms.csv', ['region', 'size'], value='turnover', rules=[]),
    ]
    pattern = tacita.suppress(tacita.link_tables(tables), problem='exact', method='optimal', margins=False)
    tacita.save_tables(tables, pattern, ['by-sector.csv', 'by-size.csv'])
    """

    paths: ClassVar[Mapping[str, Sequence[str]]] = {
        "input": ("path", "meta"),
        "table": ("hierarchy",),
        "tables": ("input", "meta", "output", "hierarchy"),
        "output": ("json", "report", "note"),
    }

    input: RecordInputSection | None = None
    executor: ExecutorSection = Field(default_factory=ExecutorSection)
    table: dict[str, Any] = Field(default_factory=dict)
    tables: tuple[LinkedTableSection, ...] = Field(min_length=1)
    rules: tuple[RuleSection, ...] = ()
    suppress: SuppressSection | None = None
    adjust: AdjustSection | None = None
    compare: TrySection | None = None
    output: LinkedOutputSection = Field(default_factory=LinkedOutputSection)

    @model_validator(mode="after")
    def _all_of_one_kind(self) -> LinkedPlan:
        _require_a_way(self)
        lists = [each for each in self.tables if each.input is not None]
        if lists and (self.input is not None or len(lists) < len(self.tables)):
            raise ParameterError(
                "Plan: linked tables are all made of the records of [input], or each of a list (input under "
                f"[[tables]]); {len(lists)} of {len(self.tables)} name one. Choose one way."
            )
        if not lists and self.input is None:
            raise ParameterError("Plan: linked tables need records ([input]), or a list each (input).")
        if lists and self.rules:
            raise ParameterError("Plan: lists say which cells are sensitive; [[rules]] are for records.")
        if lists and (self.executor.in_parts or self.executor.device != "cpu"):
            raise ParameterError(
                f"Plan: the executor {self.executor.name} sums up records, and lists hold sums already. "
                "Leave out the executor.",
                field="executor",
            )
        targets = [each.output for each in self.tables]
        if len(set(targets)) < len(targets):
            raise ParameterError("Plan: two of [[tables]] have the same output. Name a file for each.")
        self.members()
        return self

    @property
    def published(self) -> tuple[Path, ...]:
        """The files that are published: one for each table."""
        return tuple(each.output for each in self.tables)

    @property
    def targets(self) -> dict[str, Path | None]:
        """What is written where, by the words a message uses."""
        outputs = {f"output {at}": path for at, path in enumerate(self.published, start=1)}
        return {**outputs, **self.output.targets}

    def members(self) -> tuple[TablePlan | TabulatePlan, ...]:
        """A plan for each table alone, as far as it goes."""
        return tuple(self._member(each) for each in self.tables)

    def _member(self, own: LinkedTableSection) -> TablePlan | TabulatePlan:
        section = {**self.table, **(own.model_extra or {})}
        named = {*section.get("dimensions", ()), section.get("rows"), section.get("columns")}
        for key in DIVIDING:
            # of what all share, a table takes what is said of its own dimensions
            if isinstance(shared := section.get(key), dict) and key not in (own.model_extra or {}):
                section[key] = {name: each for name, each in shared.items() if name in named}
        asked = {"suppress": self.suppress, "adjust": self.adjust, "output": {"path": own.output}}
        if own.input is None:
            return TabulatePlan(
                input=self.input, executor=self.executor, table=section, rules=self.rules, **asked
            )
        reading = {"path": own.input, "meta": own.meta}
        return TablePlan(input=reading, table=section, **asked)

    def to_python(self) -> str:
        """The script that does the same through the Python interface."""
        made = "".join(f"    {each.made()},\n" for each in self.members())
        return _script(f"tables = [\n{made}]", self, "tables", literal_of([*map(str, self.published)]))


AnyTablePlan = TablePlan | TabulatePlan | LinkedPlan


def kind_of(values: Mapping[str, Any]) -> type[TablePlan] | type[TabulatePlan] | type[LinkedPlan] | None:
    """Which plan of a table some values of TOML are; None where they are of no table.

    >>> kind_of({"table": {"dimensions": ["region"]}}).__name__
    'TabulatePlan'
    """
    if "tables" in values:
        return LinkedPlan
    given, table = (values.get(name, {}) for name in ("input", "table"))
    of_table = {"table", "suppress", "adjust", "rules"} & set(values) or (
        isinstance(given, dict) and "meta" in given
    )
    if not of_table:
        return None
    told = {*values, *table} if isinstance(table, dict) else set(values)
    if "rules" in told:
        return TabulatePlan
    # what only a list of cells has
    of_list = OF_LISTS & told or (isinstance(given, dict) and "kind" in given)
    of_records = not of_list and ("dimensions" in told or not {"suppress", "adjust"} & told)
    return TabulatePlan if of_records else TablePlan
