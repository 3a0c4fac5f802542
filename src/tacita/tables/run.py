"""The verbs of tables: make one, choose what to withhold, attack, publish. `api` hands them on.

What needs compiled code is imported when used: a list of methods should not wait for it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita import io
from tacita.core import ParameterError, Pattern, Run, Table, registry
from tacita.core.microdata import speakable
from tacita.io import content_of
from tacita.io.formats.csv import CSV
from tacita.io.versions import versions

from .plan import (
    SuppressSection,
    TableInputSection,
    TablePlan,
    TableSection,
    TabulateSection,
)
from .rules.words import build_rules, describe_rules, spell_rules
from .sources import RecordSource, Source, read_source

if TYPE_CHECKING:
    from .audit import Audit
    from .suppress import Suppressed


def tabulate(
    data: Any, dimensions: Sequence[str] | Mapping[str, Any], value: str | None = None, **fields: Any
) -> Table:
    """Sum a column of records, or count them, over all combinations of some columns.

    `data` is a frame, a path, or what `read` returned. `dimensions` names columns, or maps each to its
    hierarchy. Without `value` the table counts. `rules` says which cells are sensitive:
    `rules=[tacita.method("p-percent", p=15)]`. Also weight, unit, request, waiver, depth, total, margins, and
    the fields of a Table.

    >>> import pyarrow as pa
    >>> firms = pa.table({"region": list("aabb"), "size": list("slss"), "turnover": [1, 90, 5, 4]})
    >>> tabulate(firms, ["region", "size"], "turnover", rules=registry.lookup("minimum-frequency")())
    <Table of 9 cells (3 x 3), 6 of them sensitive>
    """
    from .build import tabulate as build

    return build(io.read(data) if isinstance(data, str | Path) else data, dimensions, value, **fields)


def read_table(
    path: str | Path, *, problem: str = "interval", objective: str | None = None, **fields: Any
) -> Table:
    """A two-way table from a file: a list of its inner cells, or a .tab or .jj file of tau-ARGUS.

    Of a list of cells `rows`, `columns`, `value` and `primary` (0 or 1) name the columns; sums are computed.
    Also `lower` and `upper` (in percent of the value, 15 if not given, or a column of levels), `sliding` (the
    same of the whole width, 0 if not given), `objective` (what withholding a cell costs: value, count, or a
    column), `contributors`, `fill_zeros`, and how to read the file (delimiter, decimal, encoding,
    missing_values). Files of tau-ARGUS say all that themselves; `meta` is the .rda of a .tab. Values
    below zero are refused unless the `problem` is general.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cells = Path(folder, "cells.csv")
    ...     _ = cells.write_text("r,c,v,p\\na,x,5,1\\na,y,3,0\\nb,x,2,0\\nb,y,4,0\\n")
    ...     read_table(cells, rows="r", columns="c", value="v", primary="p")
    <Table of 9 cells (3 x 3), 1 of them sensitive>
    """
    reading = {name: fields.pop(name) for name in tuple(fields) if name in TableInputSection.model_fields}
    asked = {"problem": problem} if objective is None else {"problem": problem, "objective": objective}
    return read_source(
        TableInputSection(path=path, **reading), TableSection(**fields), SuppressSection(**asked)
    ).table


def suppress(
    table: Table,
    problem: str = "interval",
    method: str = "optimal",
    *,
    objective: Any = None,
    margins: bool | None = None,
    zeros: str | None = None,
    insist: bool = False,
    strict: bool = False,
    run: Run | None = None,
    **parameters: Any,
) -> Pattern:
    """Which cells of a table to withhold besides its sensitive ones; audited, or an error.

    `problem` is general, exact or interval; `method` the name of one of suppression, with its `parameters`
    (seconds=60, ...). `objective` is what withholding loses: value, count, log, contributors, or figures;
    None keeps the table's own cost. `margins` says whether sums may be withheld; None: as the table says.
    `zeros` are publish or withhold; None: withhold for exact, publish otherwise. `insist` accepts less than a
    rule asks for, and is recorded; `strict` refuses what lone contributors and sums along a line give away.

    >>> regions = [[11, 47, 58], [1, 15, 33], [2, 31, 20]]
    >>> table = Table.from_array(regions, primary=[[0, 0, 0], [0, 1, 0], [0, 0, 0]])
    >>> pattern = suppress(table, problem="exact")
    >>> pattern.cost, pattern.proven, pattern.secondary_count
    (34.0, True, 3)
    """
    chosen = registry.lookup(method, *registry.SUPPRESSING)(**parameters)
    return _suppressed(
        table,
        chosen,
        problem,
        run,
        objective=objective,
        margins=margins,
        zeros=zeros,
        insist=insist,
        strict=strict,
        name=method,
    ).pattern


def audit(
    table: Table,
    pattern: Pattern | Any,
    problem: str | None = None,
    *,
    strict: bool = False,
    insist: bool = False,
    run: Run | None = None,
) -> Audit:
    """Attack a pattern (or a mask of withheld cells): the range of every withheld cell, and what is wrong.

    >>> table = Table.from_array([[5, 3], [2, 4]], primary=[[True, False], [False, False]])
    >>> audit(table, table.inner, "exact").range_of(0)
    (1.0, 7.0)
    """
    from .audit import audit as attack

    return attack(table, pattern, problem, run, strict=strict, insist=insist)  # type: ignore[arg-type]


def _suppressed(table: Table, method: Any, problem: str, run: Run | None, **options: Any) -> Suppressed:
    from .suppress import suppress as choose

    return choose(table, method, problem, run=run, **options)  # type: ignore[arg-type]


@dataclass(frozen=True, repr=False)
class TableRelease:
    """A published table as verified bytes, and the confidential record of how it was made."""

    found: Suppressed
    content: bytes = field(repr=False)
    result: dict[str, Any] = field(repr=False)

    @property
    def pattern(self) -> Pattern:
        """The withheld cells."""
        return self.found.pattern

    def __repr__(self) -> str:
        return f"<TableRelease of {self.found!r}>"


def source_of(plan: TablePlan) -> Source:
    """The table that a plan is about, as its file has it."""
    return read_source(plan.input, plan.table, plan.suppress)


def make_release(plan: TablePlan, source: Source, run: Run | None = None) -> TableRelease:
    """Choose what to withhold, audit, encode, read back, audit again."""
    from .outcome import about_levels, not_in_the_file, result
    from .release import encoded

    form, around = io.format_of(plan.output.path, "published")(), plan.suppress
    if plan.output.report is not None and len(source.table.dimensions) != 2:
        raise ParameterError(
            f"{plan.output.report.name}: a report draws rows and columns, and this table has no labels of "
            "them. Leave the report away; the JSON has all figures."
        )
    found = _suppressed(
        source.table,
        around.build(),
        around.problem,
        run,
        objective=source.objective,
        margins=source.margins,
        zeros=around.zeros,
        insist=around.insist,
        strict=around.strict,
        name=around.method,
    )
    content = encoded(found.table, found.pattern, form, run)
    told = {**_provenance(source.table, content, source), **result(found)}
    told["objective"] = source.objective_spoken
    told["warnings"] += about_levels(plan.table.asked_levels, around.problem, told["primary_count"])
    told["warnings"] += not_in_the_file(source.table, plan.input.kind)
    return TableRelease(found, content, told)


def release_of(table: Table, pattern: Pattern, path: Path, run: Run | None = None) -> TableRelease:
    """The release of a table by a pattern of whoever made it, audited as pattern and as bytes."""
    from .audit import audit as attack
    from .audit import require_safe
    from .outcome import result
    from .release import encoded
    from .suppress import Suppressed, against_bounds

    form = io.format_of(path, "published")()
    insisted = bool(pattern.parameters.get("insist"))
    seen = table
    if pattern.problem == "general":
        against_bounds(table, pattern, insisted, run or Run())
        seen = table.with_bounds(-math.inf, math.inf)
    found = Suppressed(seen, pattern, require_safe(attack(seen, pattern, None, run, insist=insisted)))
    content = encoded(seen, pattern, form, run)
    return TableRelease(found, content, {**_provenance(table, content), **result(found)})


def attack_published(
    source: Source,
    published: Path,
    section: TableSection,
    asked: SuppressSection,
    kind: str | None,
    run: Run | None = None,
) -> dict[str, Any]:
    """What an attacker makes of a published file of a table: ranges, verdict, and what is not the table's."""
    from .outcome import about_levels, audited, not_in_the_file
    from .release import audit_published as attack

    table, form, content = source.table, io.format_of(published, "published")(), content_of(published)
    found, differing, besides = attack(
        table,
        content,
        form,
        asked.problem,
        run,
        source=published.name,
        strict=asked.strict,
        insist=asked.insist,
    )
    told = {
        **_provenance(table, content, source),
        "confidential": True,
        "problem": asked.problem,
        "withheld_count": int(found.cells.size),
        "values_changed": differing,
        "besides": list(besides),
        **audited(table, found),
        "safe": found.safe and not differing and not besides,
    }
    told["warnings"] += about_levels(section.asked_levels, asked.problem, int(table.primary.sum()))
    told["warnings"] += not_in_the_file(table, kind)
    return told


def tabulate_records(records: RecordSource, section: TabulateSection, parameters: Mapping[str, Any]) -> Table:
    """The table that a section asks for, out of records as they were read."""
    return tabulate(
        records.data,
        records.dimensions,
        section.value,
        weight=section.weight,
        unit=section.unit or records.unit,
        request=section.request or records.request,
        waiver=section.waiver,
        rules=build_rules(section.rule, parameters),
    )


def _provenance(table: Table, content: bytes, source: Source | None = None) -> dict[str, Any]:
    """Out of what, by which rules and programs, and the SHA-256 of the very bytes that go out.

    No date: a record should be the same when the run is repeated; the page beside it tells the date.
    """
    return {
        "source": None if source is None else source.name,
        "fingerprint": None if source is None else source.fingerprint,
        "release_fingerprint": io.fingerprint_of(content),
        "rules": describe_rules(table.rules),
        "versions": versions(),
    }


def encoded_cells(table: Table, out: Path) -> dict[Path, bytes]:
    """A table with its true values as a list of cells, or as files of tau-ARGUS, by the ending."""
    from .cells import to_cells

    if (form := io.by_ending(out, "cells")) is not None:
        files: dict[Path, bytes] = form().encode(table, out)
        return files
    if io.format_of(out) is not CSV:
        raise ParameterError(f"{out.name}: wanted a table ending in .csv, .tab or .jj.")
    if deep := [dimension.name for dimension in table.dimensions if not dimension.is_flat]:
        raise ParameterError(
            f"{out.name}: the hierarchy of {speakable(deep)} has subtotals, and a list of cells has none: "
            "what is withheld without them may be computed once they are published. Write a .tab, whose .hrc "
            "keeps the hierarchy; or leave the hierarchy away, and publish no subtotals."
        )
    return {out: to_cells(table, spell_rules(table.rules))}


def audit_refusal(told: Mapping[str, Any]) -> str:
    """Why a published file is not safe, without any figure of it."""
    bad = [each for each in told["audit"] if not each["protected"]]
    parts = []
    if bad:
        where = f"{' / '.join(bad[0][name] for name in told['places'])}, {bad[0]['reason']}"
        parts.append(f"{len(bad)} of {len(told['audit'])} sensitive cells are not protected (first: {where})")
    if told["values_changed"]:
        parts.append(f"{told['values_changed']} published values are not those of the table")
    advice = ""
    if told["besides"]:
        parts.append(f"the file shows more than the table: {', '.join(told['besides'])}")
        advice = (
            " Publish the file as tacita wrote it, or only the labels, values and status of its cells as CSV."
        )
    return f"Audit: {'; '.join(parts)}. Do not publish this file.{advice}"
