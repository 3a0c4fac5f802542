"""The verbs of tables: make one, choose what to withhold, attack, publish. `api` hands them on.

What needs compiled code is imported when used: a list of methods should not wait for it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import io, registry
from .core import ParameterError, Pattern, Run, Table
from .core.microdata import speakable
from .io import argus, content_of
from .io.atomic import refuse_bad_targets
from .rulewords import build_rules, describe_rules, spell_rules
from .tablefiles import Source, read_records, read_source
from .tableplan import (
    SuppressSection,
    TableInputSection,
    TablePlan,
    TableSection,
    TabulateSection,
    plan_in_bytes,
)
from .versions import versions

if TYPE_CHECKING:
    from .tables.audit import Audit
    from .tables.suppress import Suppressed


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
    from .tables.build import tabulate as build

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


def save_table(
    table: Table,
    pattern: Pattern,
    path: str | Path,
    *,
    json_report: str | Path | None = None,
    report: str | Path | None = None,
    run: Run | None = None,
    force: bool = False,
) -> None:
    """Write a published table (.csv, .xlsx or .html), after an audit of the very bytes; all files or none.

    `path` is public; `json_report` and `report` are confidential. The pattern is audited again against the
    table, whoever made it. Files that are there are overwritten with `force` only.
    """
    from .tables.audit import audit as attack
    from .tables.audit import require_safe
    from .tables.outcome import result
    from .tables.release import encoded, form_of
    from .tables.suppress import Suppressed, against_bounds

    targets = _targets(path, json_report, report)
    refuse_bad_targets(targets, {}, force=force)
    form = form_of(Path(path))
    insisted = bool(pattern.parameters.get("insist"))
    seen = table
    if pattern.problem == "general":
        against_bounds(table, pattern, insisted, run or Run())
        seen = table.with_bounds(-math.inf, math.inf)
    found = require_safe(attack(seen, pattern, None, run, insist=insisted))
    suppressed = Suppressed(seen, pattern, found)
    content = encoded(seen, pattern, form, run)
    told = {**_provenance(table, content), **result(suppressed)}
    files = _files_of(TableRelease(suppressed, content, told), targets)
    io.write_all(files, public=[targets["output"]], force=force)


def _targets(
    path: str | Path, json_report: str | Path | None, report: str | Path | None
) -> dict[str, Path | None]:
    given = {"output": path, "JSON report": json_report, "report": report}
    return {what: None if each is None else Path(each) for what, each in given.items()}


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
    from .tables.audit import audit as attack

    return attack(table, pattern, problem, run, strict=strict, insist=insist)  # type: ignore[arg-type]


def _suppressed(table: Table, method: Any, problem: str, run: Run | None, **options: Any) -> Suppressed:
    from .tables.suppress import suppress as choose

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


def run_table(
    plan: TablePlan,
    run: Run | None = None,
    *,
    dry_run: bool = False,
    plan_file: str | Path | None = None,
    save_plan: str | Path | None = None,
    force: bool = False,
) -> TableRelease:
    """Carry out a plan of a table: choose, audit, encode, read back, audit again; write all or nothing.

    `plan_file`, `save_plan` and `force` are as in `run`.
    """
    from .tables.outcome import about_levels, not_in_the_file, result
    from .tables.release import encoded, form_of

    targets = plan.output.targets
    inputs = {"input": plan.input.path, "metadata": plan.input.meta}
    inputs["plan file"] = None if plan_file is None else Path(plan_file)
    plan_target = {"plan": None if save_plan is None else Path(save_plan)}
    refuse_bad_targets(targets, inputs, force=force or dry_run)
    refuse_bad_targets(plan_target, {**inputs, **targets}, force=force)
    form = form_of(plan.output.path)
    method = plan.suppress.build()
    around = plan.suppress
    source = read_source(plan.input, plan.table, around)
    refuse_bad_targets({**targets, **plan_target}, source.inputs, force=True)
    if plan.output.report is not None and len(source.table.dimensions) != 2:
        raise ParameterError(
            f"{plan.output.report.name}: a report draws rows and columns, and this table has no labels of "
            "them. Leave the report away; the JSON has all figures."
        )
    found = _suppressed(
        source.table,
        method,
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
    release = TableRelease(found, content, told)
    files = {} if dry_run else _files_of(release, plan.output.targets)
    io.write_all({**files, **plan_in_bytes(plan, save_plan)}, public=plan.output.public, force=force)
    return release


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


def _files_of(release: TableRelease, targets: Mapping[str, Path | None]) -> dict[Path, bytes]:
    from . import report as page

    told = release.result
    made = {
        "output": lambda: release.content,
        "JSON report": lambda: _json(told),
        "report": lambda: page.suppression_html(release.found.table, release.pattern, told).encode(),
    }
    return {path: made[what]() for what, path in targets.items() if path is not None}


def audit_published(
    path: Path,
    published: Path,
    section: TableSection,
    problem: str,
    run: Run | None = None,
    *,
    strict: bool = False,
    insist: bool = False,
    json_report: Path | None = None,
    reading: Mapping[str, Any] | None = None,
    force: bool = False,
) -> dict[str, Any]:
    """Attack a published file, whoever made it: ranges, verdict, and what in it is not the table's.

    `safe` says that every sensitive cell is protected, every value is the table's, and nothing else is there.
    """
    from .tables.outcome import about_levels, audited, not_in_the_file
    from .tables.release import audit_published as attack
    from .tables.release import form_of

    inputs = {"table": path, "published table": published}
    refuse_bad_targets({"JSON report": json_report}, inputs, force=force)
    form = form_of(published)
    asked = SuppressSection(problem=problem)
    given = TableInputSection(path=path, **(reading or {}))
    source = read_source(given, section, asked)
    refuse_bad_targets({"JSON report": json_report}, source.inputs, force=force)
    table, content = source.table, content_of(published)
    found, differing, besides = attack(
        table,
        content,
        form,
        asked.problem,
        run,
        source=published.name,
        strict=strict,
        insist=insist,
    )
    told = {
        **_provenance(table, content, source),
        "confidential": True,
        "problem": problem,
        "withheld_count": int(found.cells.size),
        "values_changed": differing,
        "besides": list(besides),
        **audited(table, found),
        "safe": found.safe and not differing and not besides,
    }
    told["warnings"] += about_levels(section.asked_levels, problem, int(table.primary.sum()))
    told["warnings"] += not_in_the_file(table, given.kind)
    if json_report is not None:
        io.write_all({json_report: _json(told)}, force=force)
    return told


def tabulate_file(
    path: Path,
    section: TabulateSection,
    parameters: Mapping[str, Any],
    out: Path,
    *,
    reading: Mapping[str, Any] | None = None,
    force: bool = False,
) -> Table:
    """Records as a list of cells and sums (.csv), or as files of tau-ARGUS (.tab with .rda, .jj).

    With `meta` among the ways of `reading`, the records are those of tau-ARGUS: without a header line, and
    with hierarchies, holdings and requests as the metadata says unless the section says otherwise.
    """
    beside = {"metadata beside it": out.with_suffix(".rda")} if out.suffix.lower() == ".tab" else {}
    refuse_bad_targets({"output": out, **beside}, {"input": path}, force=force)
    records = read_records(path, section, reading or {})
    refuse_bad_targets({"output": out, **beside}, records.inputs, force=force)
    rules = build_rules(section.rule, parameters)
    table = tabulate(
        records.data,
        records.dimensions,
        section.value,
        weight=section.weight,
        unit=section.unit or records.unit,
        request=section.request or records.request,
        waiver=section.waiver,
        rules=rules,
    )
    files = _encoded_table(table, out)
    refuse_bad_targets({f"output {file.name}": file for file in files}, records.inputs, force=force)
    io.write_all(files, force=force)
    return table


def _encoded_table(table: Table, out: Path) -> dict[Path, bytes]:
    from .tables.cells import to_cells

    ending = out.suffix.lower()
    if ending == ".jj":
        return {out: argus.format_jj(table).encode()}
    if ending == ".tab":
        files = argus.encode_tab(table)
        hierarchies = {out.with_name(name): text.encode() for name, text in files.hrc.items()}
        return {out: files.tab.encode(), out.with_suffix(".rda"): files.rda.encode(), **hierarchies}
    if io.format_of(out) != "csv":
        raise ParameterError(f"{out.name}: wanted a table ending in .csv, .tab or .jj.")
    if deep := [dimension.name for dimension in table.dimensions if not dimension.is_flat]:
        raise ParameterError(
            f"{out.name}: the hierarchy of {speakable(deep)} has subtotals, and a list of cells has none: "
            "what is withheld without them may be computed once they are published. Write a .tab, whose .hrc "
            "keeps the hierarchy; or leave the hierarchy away, and publish no subtotals."
        )
    return {out: to_cells(table, spell_rules(table.rules))}


def _json(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


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
