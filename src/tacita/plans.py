"""Carrying out plans: which files are read and written, in what order, all of them or none.

The rooms of records and of tables make releases in memory and know nothing of pages or of each other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, cast

from . import io
from . import report as page
from .core import Microdata, ParameterError, Pattern, RecordsRelease, Report, Run, Table, Trials, Verdict
from .core.document import parsed, text_of
from .io import content_of
from .io.atomic import refuse_bad_targets
from .microdata import verify
from .microdata.plan import Plan
from .microdata.require import required
from .microdata.run import compare, make_release
from .microdata.sections import OutputSection
from .tables import run as tables
from .tables.plan import (
    SuppressSection,
    TableInputSection,
    TableOutputSection,
    TablePlan,
    TableSection,
    TabulateSection,
)
from .tables.sources import read_records, read_source

AnyPlan = Plan | TablePlan


def load_plan(path: str | Path) -> AnyPlan:
    """Read a plan file of either kind: with a section [table] or [suppress] it is one of a table."""
    place = Path(path)
    values = parsed(text_of(content_of(place), place.name))
    kind: type[Plan] | type[TablePlan] = TablePlan if {"table", "suppress"} & set(values) else Plan
    return kind.from_values(values, place.parent)


def save(
    release: RecordsRelease,
    path: str | Path,
    *,
    report: str | Path | None = None,
    json_report: str | Path | None = None,
    note: str | Path | None = None,
    source: str | Path | None = None,
    force: bool = False,
) -> None:
    """Write a release, after checking the very bytes that are written; all files appear or none.

    `path` (CSV or Parquet by its ending) and `note` are public; `report` (HTML) and `json_report` are
    confidential, and readable by their owner alone. Files that are there are overwritten with `force` only;
    the file that was read never is, nor is `source` if given.
    """
    section = OutputSection(path=Path(path), report=report, json_report=json_report, note=note)
    inputs = {"input": release.claim.original.path, "source": _path(source)}
    refuse_bad_targets(section.targets, inputs, force=force)
    io.write_all(_files_of(release, section), public=section.public, force=force)


def _files_of(release: RecordsRelease, section: OutputSection) -> dict[Path, bytes]:
    """The release in bytes, verified, and the pages beside it."""
    target = cast(Path, section.path)
    data = Microdata.of(release.data, dialect=release.claim.original.dialect, source=target.name)
    form = io.format_of(target)().like(data)
    content = form.encode(data)
    verify.insist(verify.verify_file(content, form, release.claim))
    if release.claim.requirements:
        required(release.claim, form.decode(content, target.name))
    files = {target: content}
    written = replace(release.record, release_fingerprint=io.fingerprint_of(content))
    release = replace(release, record=written)
    for beside, render in (
        (section.report, page.review_html),
        (section.json_report, page.review_json),
        (section.note, page.note_html),
    ):
        if beside is not None:
            files[beside] = render(release).encode()
    return files


def run(
    plan: Plan,
    run: Run | None = None,
    *,
    dry_run: bool = False,
    plan_file: str | Path | None = None,
    save_plan: str | Path | None = None,
    force: bool = False,
) -> RecordsRelease:
    """Carry out a plan; with `dry_run` everything but the writing.

    `plan_file`, where the plan was read from, is never overwritten; `save_plan` is where to write it,
    together with the release (in a dry run, alone). Files that are there need `force`.
    """
    # before any work: nobody wants to hear of a wrong path after an hour
    if plan.output.path is None:
        raise ParameterError(
            "Plan: output.path is required to protect a file; this plan only compares. Name one in [output], "
            "or carry it out with `tacita compare`."
        )
    inputs = {"input": plan.input.path, "plan file": _path(plan_file)}
    refuse_bad_targets(plan.output.targets, inputs, force=force or dry_run)
    refuse_bad_targets({"plan": _path(save_plan)}, {**inputs, **plan.output.targets}, force=force)
    io.format_of(plan.output.path)
    release = make_release(_read_for(plan), plan, run)
    files = {} if dry_run else _files_of(release, plan.output)
    io.write_all({**files, **plan.as_file(save_plan)}, public=plan.output.public, force=force)
    return release


def run_comparison(
    plan: Plan, run: Run | None = None, *, plan_file: str | Path | None = None, force: bool = False
) -> Trials:
    """Carry out the [compare] section of a plan, and write the pages that [output] names.

    Neither the input nor `plan_file`, where the plan was read from, is ever overwritten; other files are
    with `force` only.
    """
    if plan.compare is None:
        raise ParameterError(
            'Plan: there is no [compare] section. Add one, such as method = ["mdav"] and k = [3, 5, 10].'
        )
    pages = {"report": plan.output.report, "JSON report": plan.output.json_report}
    refuse_bad_targets(pages, {"input": plan.input.path, "plan": _path(plan_file)}, force=force)
    trials = compare(_read_for(plan), plan, plan.compare, run)
    save_comparison(trials, report=plan.output.report, json_report=plan.output.json_report, force=force)
    return trials


def save_comparison(
    trials: Trials,
    *,
    report: str | Path | None = None,
    json_report: str | Path | None = None,
    force: bool = False,
) -> None:
    """Write a comparison as a page and as JSON, both confidential; both appear or none."""
    pages = {"report": _path(report), "JSON report": _path(json_report)}
    refuse_bad_targets(pages, {"input": trials.origin.path if trials.origin else None}, force=force)
    renderers = (page.comparison_html, page.comparison_json)
    io.write_all(
        {
            target: render(trials).encode()
            for target, render in zip(pages.values(), renderers, strict=True)
            if target is not None
        },
        force=force,
    )


def save_plan(plan: AnyPlan, path: str | Path, *, force: bool = False) -> None:
    """Write a plan as TOML, paths relative to its folder where they lie below it; confidential."""
    target = Path(path)
    read = {"input": plan.input.path, "metadata": getattr(plan.input, "meta", None)}
    refuse_bad_targets({"plan": target}, {**read, **plan.output.targets}, force=force)
    io.write_all(plan.as_file(target), force=force)


def save_report(
    report: Report, path: str | Path, *, inputs: Sequence[str | Path] = (), force: bool = False
) -> None:
    """Write scores as JSON, confidential; never over one of the inputs."""
    target = Path(path)
    known = {f"input {i}": Path(given) for i, given in enumerate(inputs)}
    refuse_bad_targets({"JSON report": target}, known, force=force)
    content = json.dumps(report.as_dict(), indent=2, allow_nan=False) + "\n"
    io.write_all({target: content.encode()}, force=force)


def save_verdicts(
    verdicts: Sequence[Verdict], path: str | Path, *, inputs: Sequence[str | Path] = (), force: bool = False
) -> None:
    """Write verdicts as JSON, confidential; never over one of the inputs."""
    target = Path(path)
    known = {f"input {i}": Path(given) for i, given in enumerate(inputs)}
    refuse_bad_targets({"JSON report": target}, known, force=force)
    passed = all(each.passed for each in verdicts)
    told = {"confidential": True, "passed": passed, "verdicts": [asdict(each) for each in verdicts]}
    io.write_all({target: _json(told)}, force=force)


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
    section = TableOutputSection(path=Path(path), json_report=json_report, report=report)
    refuse_bad_targets(section.targets, {}, force=force)
    release = tables.release_of(table, pattern, section.path, run)
    io.write_all(_table_files(release, section), public=section.public, force=force)


def run_table(
    plan: TablePlan,
    run: Run | None = None,
    *,
    dry_run: bool = False,
    plan_file: str | Path | None = None,
    save_plan: str | Path | None = None,
    force: bool = False,
) -> tables.TableRelease:
    """Carry out a plan of a table: choose, audit, encode, read back, audit again; write all or nothing.

    `plan_file`, `save_plan` and `force` are as in `run`.
    """
    targets = plan.output.targets
    inputs = {"input": plan.input.path, "metadata": plan.input.meta, "plan file": _path(plan_file)}
    plan_target = {"plan": _path(save_plan)}
    refuse_bad_targets(targets, inputs, force=force or dry_run)
    refuse_bad_targets(plan_target, {**inputs, **targets}, force=force)
    source = tables.source_of(plan)
    refuse_bad_targets({**targets, **plan_target}, source.inputs, force=True)
    release = tables.make_release(plan, source, run)
    files = {} if dry_run else _table_files(release, plan.output)
    io.write_all({**files, **plan.as_file(save_plan)}, public=plan.output.public, force=force)
    return release


def _table_files(release: tables.TableRelease, section: TableOutputSection) -> dict[Path, bytes]:
    files = {section.path: release.content}
    if section.json_report is not None:
        files[section.json_report] = _json(release.result)
    if section.report is not None:
        shown = page.suppression_html(release.found.table, release.pattern, release.result)
        files[section.report] = shown.encode()
    return files


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
    inputs = {"table": path, "published table": published}
    refuse_bad_targets({"JSON report": json_report}, inputs, force=force)
    given = TableInputSection(path=path, **(reading or {}))
    asked = SuppressSection(problem=problem, strict=strict, insist=insist)
    source = read_source(given, section, asked)
    refuse_bad_targets({"JSON report": json_report}, source.inputs, force=force)
    told = tables.attack_published(source, published, section, asked, given.kind, run)
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
    table = tables.tabulate_records(records, section, parameters)
    files = tables.encoded_cells(table, out)
    refuse_bad_targets({f"output {file.name}": file for file in files}, records.inputs, force=force)
    io.write_all(files, force=force)
    return table


def _json(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _read_for(plan: Plan) -> Microdata:
    return io.read(plan.input.path, plan.input)


def _path(path: str | Path | None) -> Path | None:
    return None if path is None else Path(path)
