"""Run plans of tables and of linked tables, and write all of their files or none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tacita import io
from tacita import report as page
from tacita.core import Adjusted, Microdata, ParameterError, Pattern, RunContext, Table
from tacita.core.spec.deprecated import renamed_arguments
from tacita.core.spec.setting_syntax import entered_by
from tacita.io.atomic import refuse_bad_targets
from tacita.tables.input.read import Files, Source, read_source, source_of
from tacita.tables.plans.plan import AnyTablePlan, LinkedPlan, TabulatePlan
from tacita.tables.plans.sections import (
    AdjustSection,
    LinkedOutputSection,
    SuppressSection,
    TableInputSection,
    TableOutputSection,
    TableSection,
    TrySection,
)
from tacita.tables.release import release as table_runs
from tacita.tables.release.compare import PatternTrials, compare_suppressions
from tacita.tables.release.record import FileAudit, TableRelease
from tacita.tables.release.review_view import TableLook, looked_at
from tacita.tables.verify.adjusted import AdjustedAudit
from tacita.tables.verify.audit import Audit

from .file_paths import as_json, as_path

# The section of a plan that publishes a table.
PublicationSection = SuppressSection | AdjustSection


@renamed_arguments(run="context")
def save_table(
    table: Table,
    pattern: Pattern,
    path: str | Path,
    *,
    json_report: str | Path | None = None,
    report: str | Path | None = None,
    context: RunContext | None = None,
    force: bool = False,
) -> None:
    """Write a table with suppressed cells after an audit, its bytes read back; all files or none.

    The pattern is audited against the table, whatever made it.

    Parameters
    ----------
    table : Table
        The table with its true values.
    pattern : Pattern or SuppressedTable
        The suppressed cells.
    path : path
        Public: the table, ending in .csv, .xlsx or .html.
    json_report, report : path, optional
        Confidential: the review as JSON and as a page.
    context : RunContext, optional
        Listens to the audit.
    force : bool, default=False
        Overwrite files.

    Raises
    ------
    VerificationError
        If the audit finds a sensitive cell that is not protected. Nothing is written.
    ParameterError
        If a file exists, cannot be written, or has an ending of no format.

    See Also
    --------
    SuppressedTable.save : The same as a method of the result.
    save_tables : The same for linked tables.

    Examples
    --------
    >>> import tempfile
    >>> import tacita
    >>> table = tacita.Table.from_array([[20, 50], [8, 19]], primary=[[0, 0], [1, 0]])
    >>> pattern = tacita.suppress(table, "exact")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_table(table, pattern, Path(folder, "table.csv"))
    ...     len(Path(folder, "table.csv").read_text().splitlines())
    10
    """
    save_tables(
        [table], pattern, [path], json_report=json_report, report=report, context=context, force=force
    )


@renamed_arguments(run="context")
def save_tables(
    tables: Sequence[Table],
    pattern: Pattern,
    paths: Sequence[str | Path],
    *,
    json_report: str | Path | None = None,
    report: str | Path | None = None,
    context: RunContext | None = None,
    force: bool = False,
) -> None:
    """Write linked tables by the pattern of their link, a file for each; all files or none.

    The whole system is audited, and what all files show together is read back.

    Parameters
    ----------
    tables : list of Table
        The tables with their true values.
    pattern : Pattern or SuppressedTable
        The suppressed cells of the link.
    paths : list of path
        Public: a file for each table, ending in .csv, .xlsx or .html.
    json_report, report : path, optional
        Confidential: the review as JSON and as a page.
    context : RunContext, optional
        Listens to the audit.
    force : bool, default=False
        Overwrite files.

    Raises
    ------
    VerificationError
        If the audit finds a sensitive cell that is not protected. Nothing is written.
    ParameterError
        If a file exists, cannot be written, or has an ending of no format.

    See Also
    --------
    link_tables : Link tables.
    save_table : The same for one table.

    Examples
    --------
    >>> import tempfile
    >>> import tacita
    >>> one = tacita.Table.from_array(
    ...     [[5, 3], [2, 4]], names=["region", "size"], labels=[["n", "s"], ["a", "b"]], frequency=True,
    ...     primary=[[0, 1], [0, 0]],
    ... )
    >>> two = tacita.Table.from_array(
    ...     [[1, 7], [4, 2]], names=["region", "sex"], labels=[["n", "s"], ["f", "m"]], frequency=True,
    ...     primary=[[0, 0], [0, 0]],
    ... )
    >>> pattern = tacita.suppress(tacita.link_tables([one, two]), "exact")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_tables([one, two], pattern, [Path(folder, "one.csv"), Path(folder, "two.csv")])
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['one.csv', 'two.csv']
    """
    _save(tables, pattern, paths, LinkedOutputSection(json_report=json_report, report=report), context, force)


@renamed_arguments(run="context")
def save_adjusted(
    table: Table,
    adjusted: Adjusted,
    path: str | Path,
    *,
    json_report: str | Path | None = None,
    report: str | Path | None = None,
    note: str | Path | None = None,
    context: RunContext | None = None,
    force: bool = False,
) -> None:
    """Write an adjusted table after an audit, its bytes read back; all files or none.

    The values are audited against the table, whatever made them.

    Parameters
    ----------
    table : Table
        The table with its true values.
    adjusted : Adjusted or AdjustedTable
        The new values.
    path : path
        Public: the table, ending in .csv, .xlsx or .html.
    json_report, report : path, optional
        Confidential: the review as JSON and as a page.
    note : path, optional
        Public: what users of the table must know.
    context : RunContext, optional
        Listens to the audit.
    force : bool, default=False
        Overwrite files.

    Raises
    ------
    VerificationError
        If the audit finds a sensitive cell that is not protected. Nothing is written.
    ParameterError
        If a file exists, cannot be written, or has an ending of no format.

    See Also
    --------
    AdjustedTable.save : The same as a method of the result.
    save_adjusted_tables : The same for linked tables.

    Examples
    --------
    >>> import tempfile
    >>> import tacita
    >>> table = tacita.Table.from_array([[4, 7], [2, 1]], frequency=True)
    >>> adjusted = tacita.adjust(table, "rounding", base=5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_adjusted(table, adjusted, Path(folder, "table.csv"))
    ...     len(Path(folder, "table.csv").read_text().splitlines())
    10
    """
    pages = {"json_report": json_report, "report": report, "note": note}
    save_adjusted_tables([table], adjusted, [path], **pages, context=context, force=force)


@renamed_arguments(run="context")
def save_adjusted_tables(
    tables: Sequence[Table],
    adjusted: Adjusted,
    paths: Sequence[str | Path],
    *,
    json_report: str | Path | None = None,
    report: str | Path | None = None,
    note: str | Path | None = None,
    context: RunContext | None = None,
    force: bool = False,
) -> None:
    """Write linked tables with the adjusted values of their link, a file for each; all or none.

    The whole system is audited, and what all files show together is read back.

    Parameters
    ----------
    tables : list of Table
        The tables with their true values.
    adjusted : Adjusted or AdjustedTable
        The new values of the link.
    paths : list of path
        Public: a file for each table, ending in .csv, .xlsx or .html.
    json_report, report : path, optional
        Confidential: the review as JSON and as a page.
    note : path, optional
        Public: what users of the table must know.
    context : RunContext, optional
        Listens to the audit.
    force : bool, default=False
        Overwrite files.

    Raises
    ------
    VerificationError
        If the audit finds a sensitive cell that is not protected. Nothing is written.
    ParameterError
        If a file exists, cannot be written, or has an ending of no format.

    See Also
    --------
    link_tables : Link tables.
    save_adjusted : The same for one table.

    Examples
    --------
    >>> import tempfile
    >>> import tacita
    >>> one = tacita.Table.from_array(
    ...     [[5, 3], [2, 4]], names=["region", "size"], labels=[["n", "s"], ["a", "b"]], frequency=True,
    ... )
    >>> two = tacita.Table.from_array(
    ...     [[1, 7], [4, 2]], names=["region", "sex"], labels=[["n", "s"], ["f", "m"]], frequency=True,
    ... )
    >>> adjusted = tacita.adjust(tacita.link_tables([one, two]), "rounding", base=5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_adjusted_tables([one, two], adjusted, [Path(folder, "one.csv"), Path(folder, "two.csv")])
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['one.csv', 'two.csv']
    """
    pages = LinkedOutputSection(json_report=json_report, report=report, note=note)
    _save(tables, adjusted, paths, pages, context, force)


def _save(
    tables: Sequence[Table],
    outcome: Pattern | Adjusted,
    paths: Sequence[str | Path],
    pages: LinkedOutputSection,
    run: RunContext | None,
    force: bool,
) -> None:
    places = _places(paths)
    refuse_bad_targets({**places, **pages.targets}, {}, force=force)
    published = [*places.values()]
    release = table_runs.release_of(tables, outcome, published, run)
    public = [*published, *([] if pages.note is None else [pages.note])]
    io.write_all(_files(release, published, pages), public=public, force=force)


def _places(paths: Sequence[str | Path]) -> dict[str, Path]:
    """The output paths, by their names in messages."""
    several = len(paths) > 1
    return {f"output {at}" if several else "output": Path(path) for at, path in enumerate(paths, start=1)}


def save_audit(audit: Audit | AdjustedAudit, path: str | Path, *, force: bool = False) -> None:
    """Write the ranges of attacked cells, a row each, in the format of the ending (.csv, .parquet ...).

    The file is confidential, and readable by its owner alone.
    """
    target = Path(path)
    refuse_bad_targets({"audit": target}, {}, force=force)
    content = io.format_of(target, writing=True)().encode(Microdata.of(audit.to_arrow(), source=target.name))
    io.write_all({target: content}, force=force)


def save_cells(table: Table, path: str | Path, *, force: bool = False) -> None:
    """Write a table with its true values, as a list of cells or for tau-ARGUS.

    Confidential, and readable by its owner alone.

    Parameters
    ----------
    table : Table
        The table.
    path : path
        The file: a list (.csv), or files of tau-ARGUS (.tab with .rda, or .jj).
    force : bool, default=False
        Overwrite files.

    Raises
    ------
    ParameterError
        If a file exists, cannot be written, or has an ending of no format.

    See Also
    --------
    read_table : Read such a file.

    Examples
    --------
    >>> import tempfile
    >>> import tacita
    >>> table = tacita.Table.from_array([[20, 50], [8, 19]], primary=[[0, 0], [1, 0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_cells(table, Path(folder, "cells.tab"))
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['cells.rda', 'cells.tab']
    """
    io.write_all(table_runs.encoded_cells(table, Path(path)), force=force)


@renamed_arguments(run="context")
@entered_by("plan")
def run_table(
    plan: AnyTablePlan,
    context: RunContext | None = None,
    *,
    dry_run: bool = False,
    plan_file: str | Path | None = None,
    save_plan: str | Path | None = None,
    shown_as: str | None = None,
    also: Sequence[str | Path] = (),
    force: bool = False,
) -> TableRelease:
    """Run a plan of a table or of linked tables.

    Build the table, suppress or adjust, audit, encode and read back; then write all files or none.
    `plan_file`, `save_plan`, `shown_as` and `force` are as in `run`. `also` are further files of the same
    published table in other formats (.csv, .xlsx, .html), all of them read back.
    """
    if plan.protection is None:
        raise ParameterError(
            "Plan: without a section [suppress] or [adjust], a plan only makes a list of cells."
        )
    others = [Path(path) for path in also]
    if others and isinstance(plan, LinkedPlan):
        raise ParameterError("Plan: linked tables are published in one format each. Leave out also.")
    targets = {**plan.targets, **{f"output {path.name}": path for path in others}}
    source = _source(plan, targets, as_path(plan_file), as_path(save_plan), force, dry_run, context, shown_as)
    release = table_runs.publish(plan.protection, source, plan.published, context)
    files = _files(release, plan.published, plan.output)
    files |= table_runs.in_other_forms(release, others)
    written = {} if dry_run else files
    io.write_all({**written, **plan.as_file(save_plan)}, public=(*plan.public, *others), force=force)
    return release


@entered_by("plan")
def look_at_table(plan: AnyTablePlan, *, shown_as: str | None = None) -> TableLook:
    """The table of a plan before publication, with the number of cells that each rule marks.

    `shown_as` is as in `run`. Confidential.
    """
    return looked_at(source_of(plan, shown_as), plan)


@renamed_arguments(run="context")
@entered_by("plan")
def tabulate_file(
    plan: TabulatePlan,
    context: RunContext | None = None,
    *,
    dry_run: bool = False,
    plan_file: str | Path | None = None,
    save_plan: str | Path | None = None,
    force: bool = False,
) -> Table:
    """Run a plan that publishes nothing: make a list of cells and sums, or files of tau-ARGUS."""
    out = plan.output.path
    listing = out.with_suffix(".rda") if out.suffix.lower() == ".tab" else None
    targets = {"output": out, "its metadata": listing}
    source = _source(plan, targets, as_path(plan_file), as_path(save_plan), force, dry_run, context)
    files = table_runs.encoded_cells(source.table, out)
    refuse_bad_targets({f"output {file.name}": file for file in files}, source.inputs, force=force or dry_run)
    io.write_all({**({} if dry_run else files), **plan.as_file(save_plan)}, force=force)
    return source.table


def read_by(plan: AnyTablePlan) -> Files:
    """The input files of a plan."""
    inputs: Files = {"input": plan.input.path, "metadata": plan.input.meta} if plan.input else {}
    if not isinstance(plan, LinkedPlan):
        return inputs
    lists = {f"input {at}": table.input for at, table in enumerate(plan.tables, start=1)}
    return {
        **inputs,
        **lists,
        **{f"metadata {at}": table.meta for at, table in enumerate(plan.tables, start=1)},
    }


def _source(
    plan: AnyTablePlan,
    targets: Files,
    plan_file: Path | None,
    saved: Path | None,
    force: bool,
    dry_run: bool,
    run: RunContext | None,
    shown_as: str | None = None,
) -> Source:
    """The table of a plan, after checking that no output overwrites an input."""
    inputs = {**read_by(plan), "plan file": plan_file}
    refuse_bad_targets(targets, inputs, force=force or dry_run)
    refuse_bad_targets({"plan": saved}, {**inputs, **targets}, force=force)
    source = source_of(plan, shown_as, run)
    refuse_bad_targets({**targets, "plan": saved}, source.inputs, force=True)
    return source


# the section with the paths of the pages of one table, or of linked tables
_Pages = TableOutputSection | LinkedOutputSection


def _files(release: TableRelease, published: Sequence[Path], pages: _Pages) -> dict[Path, bytes]:
    """The published tables of a release, and their pages."""
    claim, summary = release.claim, release.record.as_dict()
    files = dict(zip(published, release.contents, strict=True))
    if pages.json_report is not None:
        files[pages.json_report] = as_json(summary)
    if pages.report is not None:
        files[pages.report] = page.table_html(claim.table, release.outcome, summary, claim.linked).encode()
    if pages.note is not None:
        titles = [table.title for table, _ in claim.parts]
        files[pages.note] = page.adjustment_note_html(claim.table, summary, titles).encode()
    return files


@renamed_arguments(run="context")
@entered_by("plan")
def audit_plan(
    plan: AnyTablePlan,
    context: RunContext | None = None,
    *,
    json_report: Path | None = None,
    shown_as: str | None = None,
    force: bool = False,
) -> FileAudit:
    """Attack the published files of a plan; those of linked tables together.

    `shown_as` is as in `run`.
    """
    if plan.protection is None:
        raise ParameterError("Plan: without a section [suppress] or [adjust], a plan publishes nothing.")
    inputs = {**read_by(plan), **plan.targets}
    refuse_bad_targets({"JSON report": json_report}, inputs, force=force)
    return _attacked(
        source_of(plan, shown_as, context), plan.published, plan.protection, context, json_report, force
    )


@renamed_arguments(run="context")
def audit_published(
    input_section: TableInputSection,
    published: Path,
    section: TableSection,
    spec: PublicationSection,
    context: RunContext | None = None,
    *,
    json_report: Path | None = None,
    force: bool = False,
) -> FileAudit:
    """Attack any published file: intervals of cells, verdict, and contents besides the table.

    `spec` has the protection of its suppressed cells, or the method that adjusted its values.
    """
    inputs = {"table": input_section.path, "published table": published}
    refuse_bad_targets({"JSON report": json_report}, inputs, force=force)
    if isinstance(spec, AdjustSection):
        source = read_source(input_section, section, spec.reading, sensitive=False)
    else:
        source = read_source(input_section, section, spec)
    return _attacked(source, [published], spec, context, json_report, force)


def _attacked(
    source: Source,
    published: Sequence[Path],
    spec: PublicationSection,
    run: RunContext | None,
    json_report: Path | None,
    force: bool,
) -> FileAudit:
    refuse_bad_targets({"JSON report": json_report}, source.inputs, force=force)
    file_audit = table_runs.attack_files(source, published, spec, run)
    if json_report is not None:
        io.write_all({json_report: as_json(file_audit.as_dict())}, force=force)
    return file_audit


@renamed_arguments(run="context")
@entered_by("plan")
def compare_table(
    plan: AnyTablePlan,
    methods: Sequence[str] = (),
    context: RunContext | None = None,
    *,
    json_report: str | Path | None = None,
    force: bool = False,
) -> PatternTrials:
    """Compare methods on the table of a plan, or on its linked tables as one system; nothing is published.

    `methods` are by default those of [compare], or the one of [suppress]. The settings of [suppress] apply to
    all of them, the parameters of [compare] to the methods that have them.
    """
    if plan.suppress is None:
        raise ParameterError("Plan: there is no [suppress] section with the protection to compare for.")
    target, spec, section = as_path(json_report), plan.suppress, plan.compare or TrySection()
    named = TrySection(method=tuple(methods)).method or section.method or (spec.method,)
    refuse_bad_targets({"JSON report": target}, {**read_by(plan), **plan.targets}, force=force)
    source = source_of(plan, run=context)
    refuse_bad_targets({"JSON report": target}, source.inputs, force=force)
    trials = compare_suppressions(
        source.table,
        named,
        spec.problem,
        context=context,
        **spec.model_dump(include={"zeros", "insist", "strict", "insiders", "accept"}),
        seconds=spec.time,
        **(section.model_extra or {}),
    )
    if target is not None:
        io.write_all({target: as_json(trials.as_dict())}, force=force)
    return trials
