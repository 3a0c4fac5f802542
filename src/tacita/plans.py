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
from .core import (
    Adjusted,
    Microdata,
    ParameterError,
    Pattern,
    RecordsRelease,
    Report,
    RiskProfile,
    Run,
    Table,
    Trials,
    Verdict,
)
from .core.document import parsed, text_of
from .core.door import entered_by
from .io import content_of
from .io.atomic import refuse_bad_targets
from .microdata import verify
from .microdata.noted import notes_of
from .microdata.plan import Plan
from .microdata.profile import profile
from .microdata.require import required
from .microdata.riskplan import RiskOutputSection, RiskPlan
from .microdata.run import compare, make_release
from .microdata.sections import OutputSection
from .tables import run as tables
from .tables.adjusted_record import AdjustedRelease
from .tables.plan import TablePlan, TabulatePlan, kind_of
from .tables.record import PublishedAudit, TableRelease
from .tables.sections import SuppressSection, TableInputSection, TableOutputSection, TableSection
from .tables.sources import Files, Source, read_source, source_of

AnyPlan = Plan | RiskPlan | TablePlan | TabulatePlan


def load_plan(path: str | Path) -> AnyPlan:
    """Read a plan file of any kind: with a section [table], [suppress] or [[rules]] it is one of a table,
    with [risk] one of the risk of keys."""
    place = Path(path)
    values = parsed(text_of(content_of(place), place.name))
    if "risk" in values:
        return RiskPlan.from_values(values, place.parent)
    return (kind_of(values) or Plan).from_values(values, place.parent)


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

    `path` (its ending names the format) and `note` are public; `report` (HTML) and `json_report` are
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
    claim = release.claim
    data = Microdata.of(
        release.data,
        dialect=claim.original.dialect,
        notes=notes_of(claim, release.data),
        source=target.name,
    )
    form = io.format_of(target, writing=True)().like(data)
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
    io.format_of(plan.output.path, writing=True)
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


def run_risk(
    plan: RiskPlan,
    run: Run | None = None,
    *,
    dry_run: bool = False,
    plan_file: str | Path | None = None,
    force: bool = False,
) -> RiskProfile:
    """Measure the risk of the keys of a file, and write what [output] names; with `dry_run` all but that."""
    read = {"input": plan.input.path, "plan file": _path(plan_file)}
    refuse_bad_targets(plan.output.targets, read, force=force or dry_run)
    if plan.output.records is not None:
        io.format_of(plan.output.records)
    found = profile(io.read(plan.input.path, plan.input), plan.risk, plan.measure, run)
    if not dry_run:
        io.write_all(_risk_files(found, plan.output), force=force)
    return found


def save_risk(
    profile: RiskProfile,
    *,
    report: str | Path | None = None,
    json_report: str | Path | None = None,
    records: str | Path | None = None,
    force: bool = False,
) -> None:
    """Write a profile of risk as a page and as JSON, and figures of single records (CSV or Parquet).

    All are confidential, and readable by their owner alone; `records` is for the reviewer only. All appear
    or none, never over what was read.
    """
    section = RiskOutputSection(report=report, json_report=json_report, records=records)
    refuse_bad_targets(section.targets, {"input": profile.path}, force=force)
    io.write_all(_risk_files(profile, section), force=force)


def _risk_files(profile: RiskProfile, section: RiskOutputSection) -> dict[Path, bytes]:
    files: dict[Path, bytes] = {}
    if section.report is not None:
        files[section.report] = page.risk_html(profile).encode()
    if section.json_report is not None:
        files[section.json_report] = _json(profile.as_dict())
    if (target := section.records) is not None:
        files[target] = io.format_of(target)().encode(Microdata.of(profile.frame(), source=target.name))
    return files


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
    """Write a published table (.csv, .xlsx or .html) after an audit, its bytes read back; all files or none.

    `path` is public; `json_report` and `report` are confidential. The pattern is audited against the table,
    whoever made it. Files that are there are overwritten with `force` only.
    """
    section = TableOutputSection(path=Path(path), json_report=json_report, report=report)
    refuse_bad_targets(section.targets, {}, force=force)
    release = tables.release_of(table, pattern, section.path, run)
    io.write_all(_table_files(release, section), public=section.public, force=force)


def save_adjusted(
    table: Table,
    adjusted: Adjusted,
    path: str | Path,
    *,
    json_report: str | Path | None = None,
    report: str | Path | None = None,
    note: str | Path | None = None,
    run: Run | None = None,
    force: bool = False,
) -> None:
    """Write an adjusted table (.csv, .xlsx or .html) after an audit, its bytes read back; all files or none.

    `path` and `note`, what users of the table must know, are public; `json_report` and `report` are
    confidential. The values are audited against the table, whoever made them. Files that are there need
    `force`.
    """
    section = TableOutputSection(path=Path(path), json_report=json_report, report=report, note=note)
    refuse_bad_targets(section.targets, {}, force=force)
    release = tables.adjusted_release_of(table, adjusted, section.path, run)
    io.write_all(_adjusted_files(release, section), public=section.public, force=force)


def _adjusted_files(release: AdjustedRelease, section: TableOutputSection) -> dict[Path, bytes]:
    files, told = {section.path: release.data}, release.record.as_dict()
    if section.json_report is not None:
        files[section.json_report] = _json(told)
    if section.report is not None:
        files[section.report] = page.adjustment_html(told).encode()
    if section.note is not None:
        files[section.note] = page.adjustment_note_html(release.claim.table, told).encode()
    return files


def save_cells(table: Table, path: str | Path, *, force: bool = False) -> None:
    """Write a table with its true values: a list (.csv), or files of tau-ARGUS (.tab with .rda, or .jj).

    Confidential, and readable by its owner alone. Files that are there are overwritten with `force` only.
    """
    io.write_all(tables.encoded_cells(table, Path(path)), force=force)


@entered_by("plan")
def run_table(
    plan: TablePlan | TabulatePlan,
    run: Run | None = None,
    *,
    dry_run: bool = False,
    plan_file: str | Path | None = None,
    save_plan: str | Path | None = None,
    force: bool = False,
) -> TableRelease | AdjustedRelease:
    """Carry out a plan of a table: make it, choose or adjust, attack, encode, read back; write all or
    nothing.

    `plan_file`, `save_plan` and `force` are as in `run`.
    """
    if plan.suppress is None and plan.adjust is None:
        raise ParameterError(
            "Plan: there is no [suppress] section, and no [adjust]; such a plan only makes a list of cells."
        )
    source = _source(plan, plan.output.targets, _path(plan_file), _path(save_plan), force, dry_run)
    release: TableRelease | AdjustedRelease
    if plan.suppress is not None:
        release = tables.make_release(plan.suppress, source, plan.output, run)
        files = _table_files(release, plan.output)
    else:
        assert plan.adjust is not None, "one of them is there"
        release = tables.make_adjusted(plan.adjust, source, plan.output, run)
        files = _adjusted_files(release, plan.output)
    written = {} if dry_run else files
    io.write_all({**written, **plan.as_file(save_plan)}, public=plan.output.public, force=force)
    return release


@entered_by("plan")
def tabulate_file(
    plan: TabulatePlan,
    *,
    dry_run: bool = False,
    plan_file: str | Path | None = None,
    save_plan: str | Path | None = None,
    force: bool = False,
) -> Table:
    """Carry out a plan that publishes nothing: records as a list of cells and sums, or files of tau-ARGUS."""
    out = plan.output.path
    beside = out.with_suffix(".rda") if out.suffix.lower() == ".tab" else None
    targets = {"output": out, "metadata beside it": beside}
    source = _source(plan, targets, _path(plan_file), _path(save_plan), force, dry_run)
    files = tables.encoded_cells(source.table, out)
    refuse_bad_targets({f"output {file.name}": file for file in files}, source.inputs, force=force or dry_run)
    io.write_all({**({} if dry_run else files), **plan.as_file(save_plan)}, force=force)
    return source.table


def _source(
    plan: TablePlan | TabulatePlan,
    targets: Files,
    plan_file: Path | None,
    saved: Path | None,
    force: bool,
    dry_run: bool,
) -> Source:
    """The table of a plan; before any work, nothing that is read may be written over."""
    inputs = {"input": plan.input.path, "metadata": plan.input.meta, "plan file": plan_file}
    refuse_bad_targets(targets, inputs, force=force or dry_run)
    refuse_bad_targets({"plan": saved}, {**inputs, **targets}, force=force)
    source = source_of(plan)
    refuse_bad_targets({**targets, "plan": saved}, source.inputs, force=True)
    return source


def _table_files(release: TableRelease, section: TableOutputSection) -> dict[Path, bytes]:
    files, told = {section.path: release.data}, release.record.as_dict()
    if section.json_report is not None:
        files[section.json_report] = _json(told)
    if section.report is not None:
        claim = release.claim
        files[section.report] = page.suppression_html(claim.table, claim.pattern, told).encode()
    return files


def audit_published(
    given: TableInputSection,
    published: Path,
    section: TableSection,
    asked: SuppressSection,
    run: Run | None = None,
    *,
    json_report: Path | None = None,
    force: bool = False,
) -> PublishedAudit:
    """Attack a published file, whoever made it: ranges, verdict, and what in it is not the table's."""
    inputs = {"table": given.path, "published table": published}
    refuse_bad_targets({"JSON report": json_report}, inputs, force=force)
    source = read_source(given, section, asked)
    refuse_bad_targets({"JSON report": json_report}, source.inputs, force=force)
    found = tables.attack_published(source, published, asked, run)
    if json_report is not None:
        io.write_all({json_report: _json(found.as_dict())}, force=force)
    return found


def _json(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _read_for(plan: Plan) -> Microdata:
    return io.read(plan.input.path, plan.input)


def _path(path: str | Path | None) -> Path | None:
    return None if path is None else Path(path)
