"""Run plans: read their inputs, make the release, and write all output files or none.

The packages `microdata` and `tables` make releases in memory; they do not import report pages or each other.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import cast

from tacita import io
from tacita import report as page
from tacita.core import (
    Hierarchy,
    InferenceError,
    Microdata,
    ParameterError,
    RecordsRelease,
    Report,
    RequirementError,
    RiskProfile,
    RunContext,
    Trials,
    Verdict,
)
from tacita.core.results.warning_severity import gravest_first
from tacita.core.spec.deprecated import renamed_arguments
from tacita.io import toml_of
from tacita.io.atomic import refuse_bad_targets
from tacita.io.formats.parquet import Parquet
from tacita.io.hierarchies import format_arx
from tacita.io.parquet_dataset import ParquetParts
from tacita.microdata import verify
from tacita.microdata.explore.risk_profile import profile
from tacita.microdata.plans.plan import Plan
from tacita.microdata.plans.risk_plan import RiskOutputSection, RiskPlan
from tacita.microdata.plans.sections import OutputSection
from tacita.microdata.release.compare import compare
from tacita.microdata.release.encode import encode
from tacita.microdata.release.release import ReleasedFile, make_file, make_release, verify_release
from tacita.microdata.release.requirement_checks import require_met
from tacita.microdata.streaming.stream import made_in_parts
from tacita.tables.plans.plan import AnyTablePlan, kind_of

from .file_paths import as_json, as_path
from .table_plans import read_by
from .writing import check_output

AnyPlan = Plan | RiskPlan | AnyTablePlan


def load_plan(path: str | Path) -> AnyPlan:
    """Read a plan file of any kind.

    A section [table], [suppress] or [[rules]] makes it a plan of a table, [[tables]] one of linked tables,
    and [risk] one of the risk of keys.
    """
    file = Path(path)
    values = toml_of(file)
    if "risk" in values:
        return RiskPlan.from_values(values, file.parent)
    return (kind_of(values) or Plan).from_values(values, file.parent)


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
    """Write a release after verifying the bytes that are written; all files appear or none.

    Parameters
    ----------
    release : Release
        What `protect` or `synthesize` returned.
    path : path
        Public: the release, in the format that its ending names.
    report, json_report : path, optional
        Confidential: the review as a page and as JSON, readable by their owner alone.
    note : path, optional
        Public: a note for users of the release.
    source : path, optional
        A file that is never overwritten, as the file that was read.
    force : bool, default=False
        Overwrite files.

    Raises
    ------
    VerificationError
        If the written bytes do not keep what the method guarantees.
    ParameterError
        If a file exists, cannot be written, or has an ending of no format.

    See Also
    --------
    Release.save : The same as a method of the release.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> import tacita
    >>> release = tacita.protect(pa.table({"x": [1.0, 2.0, 3.0]}), quasi="x", k=3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(release, Path(folder, "out.csv"), report=Path(folder, "review.html"))
    ...     Path(folder, "out.csv").read_text().split()
    ['x', '2', '2', '2']
    """
    section = OutputSection(path=Path(path), report=report, json_report=json_report, note=note)
    inputs = {"input": release.claim.original.path, "source": as_path(source)}
    refuse_bad_targets(section.targets, inputs, force=force)
    released = Microdata.of(release.data)
    written = encode(released, release.claim, Path(path))
    verify_release(released, release.claim, written, RunContext())
    io.write_all(_with_pages(release, written.content, section), public=section.public, force=force)


def _with_pages(release: RecordsRelease, content: bytes, section: OutputSection) -> dict[Path, bytes]:
    """The file of a release, and its pages."""
    assert section.path is not None
    record = replace(release.record, release_fingerprint=io.fingerprint_of(content))
    return {section.path: content, **_pages_of(replace(release, record=record), section)}


def _pages_of(release: RecordsRelease, section: OutputSection) -> dict[Path, bytes]:
    """The pages of a release."""
    pages = (
        (section.report, page.review_html),
        (section.json_report, page.review_json),
        (section.note, page.note_html),
    )
    return {path: render(release).encode() for path, render in pages if path is not None}


@renamed_arguments(run="context")
def run_plan(
    plan: Plan,
    context: RunContext | None = None,
    *,
    dry_run: bool = False,
    report_refused: bool = False,
    plan_file: str | Path | None = None,
    save_plan: str | Path | None = None,
    shown_as: str | None = None,
    force: bool = False,
) -> RecordsRelease:
    """Carry out a plan: read, protect, verify, measure, and write all files or none.

    Parameters
    ----------
    plan : Plan
        The plan.
    context : RunContext, optional
        Listens to progress, and stops or cancels the work.
    dry_run : bool, default=False
        Do all but the writing. Where the release does not meet its requirements, or its columns give back
        what was hidden, the confidential report is written all the same, so that a person can see why.
    report_refused : bool, default=False
        Write the confidential report of such releases in other runs too.
    plan_file : path, optional
        The file that the plan was read from; never overwritten.
    save_plan : path, optional
        Where to write the plan, together with the release (in a dry run, alone).
    shown_as : str, optional
        What messages and the record call the input; its name by default.
    force : bool, default=False
        Overwrite files.

    Returns
    -------
    Release
        The protected records with verdicts, measures and warnings.

    Raises
    ------
    ParameterError
        If the plan is wrong, a risk is not accepted, or a file cannot be written.
    DataError
        If the records cannot be used.
    VerificationError, RequirementError
        If the release does not keep its guarantees, or does not meet its requirements. It is not written.

    See Also
    --------
    protect : The same without a plan.

    Examples
    --------
    >>> import tempfile
    >>> from tacita import Plan
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     source, target = Path(folder, "in.csv"), Path(folder, "out.csv")
    ...     _ = source.write_text("x\\n1\\n2\\n3\\n")
    ...     plan = Plan(input={"path": source}, roles={"quasi": "x"}, output={"path": target})
    ...     release = run_plan(plan)
    ...     target.read_text().split()
    ['x', '2', '2', '2']
    """
    # check paths before any work, which may take an hour
    if plan.output.path is None:
        raise ParameterError(
            "Plan: output.path is required to protect a file; this plan only compares. Name one in [output], "
            "or run it with `tacita compare`."
        )
    inputs = {
        "input": plan.input.path,
        "plan file": as_path(plan_file),
        "pseudonym key": plan.protect.pseudonym_key,
    }
    refuse_bad_targets(plan.output.targets, inputs, force=force or dry_run)
    refuse_bad_targets({"plan": as_path(save_plan)}, {**inputs, **plan.output.targets}, force=force)
    if plan.executor.in_parts:
        # a path without an ending is a folder of files
        if plan.output.path.suffix and io.format_of(plan.output.path, writing=True) is not Parquet:
            raise ParameterError(
                f"{plan.output.path.name}: the executor {plan.executor.name} works in parts and writes "
                "Parquet. Choose an output ending in .parquet, or leave out the executor."
            )
        if report_refused:
            raise ParameterError(
                f"Plan: the executor {plan.executor.name} writes no report of a refused release. Leave it "
                "out."
            )
        return _run_in_parts(plan, context, dry_run, save_plan, shown_as, force)
    io.format_of(plan.output.path, writing=True)
    if plan.executor.device != "cpu":
        context = replace(context or RunContext(), device=plan.executor.device)
    data = _read_for(plan, shown_as)
    return _run_in_memory(data, plan, context, dry_run, save_plan, force, report_refused)


def _run_in_memory(
    data: Microdata,
    plan: Plan,
    run: RunContext | None,
    dry_run: bool,
    save_plan: str | Path | None,
    force: bool,
    report_refused: bool = False,
) -> RecordsRelease:
    """Make, verify and write a release in memory; the encoded bytes are verified if they are written."""
    target = cast(Path, plan.output.path)
    form = io.format_of(target, writing=True)().like(data)
    keep_refused = dry_run or report_refused
    lost = check_output(data, plan, form)
    if lost is not None:
        (run or RunContext()).on_warning(lost)
    try:
        if dry_run:
            released = ReleasedFile(make_release(data, plan, run, to_look_at=True), b"")
        else:
            released = make_file(data, plan, run, target, to_look_at=keep_refused)
    except RequirementError as refusal:
        raise refusal.reworded(f"{refusal} A dry run writes its report, if one is named.") from None
    release = released.release
    if lost is not None:
        record = replace(release.record, warnings=gravest_first((*release.record.warnings, lost)))
        release = replace(release, record=record)
    if keep_refused:
        _refuse(release, plan, force, tell=dry_run)
    files = {} if dry_run else _with_pages(release, released.content, plan.output)
    io.write_all({**files, **plan.as_file(save_plan)}, public=plan.output.public, force=force)
    return release


def _refuse(release: RecordsRelease, plan: Plan, force: bool, *, tell: bool) -> None:
    """Raise where columns reveal hidden values, or a requirement is not met.

    The confidential report is written first; with `tell`, the message names its files.
    """
    verdicts, limited = release.record.verdicts, _measures(plan)
    try:
        verify.require_passed(tuple(verdict for verdict in verdicts if verdict.guarantee not in limited))
        require_met(tuple(verdict for verdict in verdicts if verdict.guarantee in limited))
    except (InferenceError, RequirementError) as refusal:
        pages = _pages_of(release, plan.output.model_copy(update={"note": None}))
        named = ", ".join(path.name for path in pages)
        if not pages:
            raise refusal.reworded(f"{refusal} Name a report to see why.") from None
        if not force and any(path.exists() for path in pages):
            look = f"{named} exists already: give --force (force=True) to replace it."
            raise refusal.reworded(f"{refusal} {look}") from None
        io.write_all(pages, force=force)
        look = f" See {named} (confidential)." if tell else ""
        raise refusal.reworded(f"{refusal}{look}") from None


def _measures(plan: Plan) -> set[str]:
    return {requirement.name for requirement in plan.require.requirements}


def _run_in_parts(
    plan: Plan,
    run: RunContext | None,
    dry_run: bool,
    save_plan: str | Path | None,
    shown_as: str | None,
    force: bool,
) -> RecordsRelease:
    """Run a plan in parts by its executor; a file of a single part is protected in memory."""
    target = cast(Path, plan.output.path)
    source = ParquetParts.at(plan.input.path)
    name = shown_as or plan.input.path.name
    if source.rows <= plan.executor.part and target.suffix:
        data = Microdata.of(
            source.read(0, source.rows),
            source=name,
            fingerprint=source.fingerprint(),
            path=plan.input.path.absolute(),
        )
        return _run_in_memory(data, plan, run, dry_run, save_plan, force)
    files: dict[Path, bytes | Path] = {**plan.as_file(save_plan)}
    with made_in_parts(source, name, target, plan, plan.executor, run) as parts:
        release = parts.release
        if not dry_run:
            record = replace(release.record, release_fingerprint=ParquetParts.at(parts.file).fingerprint())
            release = replace(release, record=record)
            files |= {target: parts.file, **_pages_of(release, plan.output)}
        io.write_all(files, public=plan.output.public, force=force)
    # the record describes a sample; the release itself is the file
    return replace(release, data=None if dry_run else target)


@renamed_arguments(run="context")
def run_comparison(
    plan: Plan,
    context: RunContext | None = None,
    *,
    plan_file: str | Path | None = None,
    shown_as: str | None = None,
    force: bool = False,
) -> Trials:
    """Run the [compare] section of a plan, and write the pages that [output] names.

    The input and `plan_file`, from which the plan was read, are never overwritten; other existing files with
    `force` only. `shown_as` is as in `run`.
    """
    if plan.compare is None:
        raise ParameterError(
            'Plan: there is no [compare] section. Add one, such as method = ["mdav"] and k = [3, 5, 10].'
        )
    pages = {"report": plan.output.report, "JSON report": plan.output.json_report}
    refuse_bad_targets(pages, {"input": plan.input.path, "plan": as_path(plan_file)}, force=force)
    trials = compare(_read_for(plan, shown_as), plan, plan.compare, context)
    save_comparison(trials, report=plan.output.report, json_report=plan.output.json_report, force=force)
    return trials


def save_comparison(
    trials: Trials,
    *,
    report: str | Path | None = None,
    json_report: str | Path | None = None,
    force: bool = False,
) -> None:
    """Write a comparison as a page and as JSON, both confidential; both appear or none.

    Parameters
    ----------
    trials : Trials
        What `compare_methods` returned.
    report : path, optional
        The page (HTML).
    json_report : path, optional
        The figures as JSON.
    force : bool, default=False
        Overwrite files.

    Raises
    ------
    ParameterError
        If a file exists, cannot be written, or has an ending of no format.

    See Also
    --------
    Trials.save : The same as a method of the comparison.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> import tacita
    >>> frame = pa.table({"x": [1.0, 2.0, 3.0, 10.0, 11.0, 12.0]})
    >>> trials = tacita.compare_methods(frame, quasi="x", k=[2, 3], loss="IL1", risk="DLD")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_comparison(trials, json_report=Path(folder, "trials.json"))
    ...     len(json.loads(Path(folder, "trials.json").read_text())["trials"])
    2
    """
    pages = {"report": as_path(report), "JSON report": as_path(json_report)}
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


def save_hierarchy(hierarchy: Hierarchy, path: str | Path, *, force: bool = False) -> None:
    """Write a hierarchy as ARX has it (.csv): a line from each value to the top; confidential.

    Parameters
    ----------
    hierarchy : Hierarchy
        What `build_hierarchy` returned.
    path : path
        The file to write.
    force : bool, default=False
        Overwrite files.

    Raises
    ------
    ParameterError
        If a file exists, cannot be written, or has an ending of no format.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> import tacita
    >>> town = tacita.build_hierarchy(pa.table({"zip": ["4000", "4050"]}), "zip", lengths=[2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_hierarchy(town, Path(folder, "zip.csv"))
    ...     Path(folder, "zip.csv").read_text().split()
    ['4000;40**;****', '4050;40**;****']
    """
    target = Path(path)
    refuse_bad_targets({"hierarchy": target}, {}, force=force)
    io.write_all({target: format_arx(hierarchy).encode()}, force=force)


def save_plan(plan: AnyPlan, path: str | Path, *, force: bool = False) -> None:
    """Write a plan as TOML, paths relative to its folder where they lie below it; confidential."""
    target = Path(path)
    named = (
        {**read_by(plan), **plan.targets}
        if isinstance(plan, AnyTablePlan)
        else {"input": plan.input.path, **plan.output.targets}
    )
    refuse_bad_targets({"plan": target}, named, force=force)
    io.write_all(plan.as_file(target), force=force)


def save_report(
    report: Report, path: str | Path, *, inputs: Sequence[str | Path] = (), force: bool = False
) -> None:
    """Write scores as JSON, confidential; never over one of the inputs."""
    target = Path(path)
    known = {f"input {i}": Path(input_path) for i, input_path in enumerate(inputs)}
    refuse_bad_targets({"JSON report": target}, known, force=force)
    content = json.dumps(report.as_dict(), indent=2, allow_nan=False) + "\n"
    io.write_all({target: content.encode()}, force=force)


@renamed_arguments(run="context")
def run_risk(
    plan: RiskPlan,
    context: RunContext | None = None,
    *,
    dry_run: bool = False,
    plan_file: str | Path | None = None,
    force: bool = False,
) -> RiskProfile:
    """Measure the risk of the keys of a file, and write the files of [output] unless `dry_run`."""
    read = {"input": plan.input.path, "plan file": as_path(plan_file)}
    refuse_bad_targets(plan.output.targets, read, force=force or dry_run)
    if plan.output.records is not None:
        io.format_of(plan.output.records)
    profiled = profile(io.read(plan.input.path, plan.input), plan.risk, plan.measure, context)
    if not dry_run:
        io.write_all(_risk_files(profiled, plan.output), force=force)
    return profiled


def save_risk(
    profile: RiskProfile,
    *,
    report: str | Path | None = None,
    json_report: str | Path | None = None,
    records: str | Path | None = None,
    force: bool = False,
) -> None:
    """Write a risk profile as a page and as JSON, and the figures of single records; all confidential.

    Files are readable by their owner alone. All appear or none, never over the file that was read.

    Parameters
    ----------
    profile : RiskProfile
        What `risk_profile` returned.
    report : path, optional
        The page (HTML).
    json_report : path, optional
        The figures as JSON.
    records : path, optional
        The figures of single records, as CSV or Parquet, for the reviewer alone.
    force : bool, default=False
        Overwrite files.

    Raises
    ------
    ParameterError
        If a file exists, cannot be written, or has an ending of no format.

    See Also
    --------
    RiskProfile.save : The same as a method of the profile.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> import tacita
    >>> profile = tacita.risk_profile(pa.table({"sex": list("ffm")}), keys="sex")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_risk(profile, json_report=Path(folder, "risk.json"))
    ...     json.loads(Path(folder, "risk.json").read_text())["records"]
    3
    """
    section = RiskOutputSection(report=report, json_report=json_report, records=records)
    refuse_bad_targets(section.targets, {"input": profile.path}, force=force)
    io.write_all(_risk_files(profile, section), force=force)


def _risk_files(profile: RiskProfile, section: RiskOutputSection) -> dict[Path, bytes]:
    files: dict[Path, bytes] = {}
    if section.report is not None:
        files[section.report] = page.risk_html(profile).encode()
    if section.json_report is not None:
        files[section.json_report] = as_json(profile.as_dict())
    if (target := section.records) is not None:
        files[target] = io.format_of(target)().encode(Microdata.of(profile.to_arrow(), source=target.name))
    return files


def save_verdicts(
    verdicts: Sequence[Verdict], path: str | Path, *, inputs: Sequence[str | Path] = (), force: bool = False
) -> None:
    """Write verdicts as JSON, confidential; never over one of the inputs."""
    target = Path(path)
    known = {f"input {i}": Path(input_path) for i, input_path in enumerate(inputs)}
    refuse_bad_targets({"JSON report": target}, known, force=force)
    passed = all(verdict.passed for verdict in verdicts)
    judged = all(verdict.judged for verdict in verdicts)
    summary = {
        "confidential": True,
        "passed": passed,
        "judged": judged,
        "verdicts": [asdict(verdict) for verdict in verdicts],
    }
    io.write_all({target: as_json(summary)}, force=force)


def _read_for(plan: Plan, shown_as: str | None) -> Microdata:
    return io.read(plan.input.path, plan.input, shown_as=shown_as)
