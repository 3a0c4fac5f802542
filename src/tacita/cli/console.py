"""Terminal output: results on standard output, progress and errors on standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from rich.console import Console

if TYPE_CHECKING:
    from pathlib import Path

    from tacita.core import (
        DisclosureWarning,
        Pattern,
        Progress,
        Record,
        RecordsRelease,
        Report,
        RunContext,
        Score,
        Trial,
        Trials,
        Verdict,
    )
    from tacita.core import Table as CellTable
    from tacita.core.results.uniqueness import Uniqueness
    from tacita.microdata.plans.plan import Plan
    from tacita.tables.plans.plan import AnyTablePlan, TabulatePlan
    from tacita.tables.release.adjustment_record import AdjustmentRecord
    from tacita.tables.release.compare import PatternTrials
    from tacita.tables.release.record import FileAudit, TableRecord
    from tacita.tables.release.suppression_record import SuppressionRecord


class _Terminal(Console):
    def on_broken_pipe(self) -> None:
        # the reader is gone; the work is done and keeps its exit code
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())


def _console(**options: Any) -> Console:
    # wrap between words on a terminal, and not at all in a file
    terminal = _Terminal(highlight=False, **options)
    terminal.soft_wrap = not terminal.is_terminal
    return terminal


Out, Err = _console(), _console(stderr=True)


def complain(message: str, code: int) -> int:
    """Print an error, and return the exit code."""
    Err.print(message, style="red", markup=False)
    return code


def print_outcome(
    release: RecordsRelease, plan: Plan, *, dry_run: bool, every: bool, saved: Path | None = None
) -> None:
    """Print a release: its verification, uniqueness, measures, warnings and files."""
    record = release.record
    Out.print(
        f"{_count(record.records_out, 'record')} {_grouping(record)}; "
        f"{_count(len(record.verdicts), 'promise')} verified, {_count(len(record.warnings), 'warning')}.",
        markup=False,
    )
    if levels := [f"{column} {level}" for column, level in record.levels.items()]:
        Out.print(f"Levels of the hierarchies: {', '.join(levels)} (0: unchanged).", markup=False)
    print_requirements(record.verdicts)
    print_uniqueness(record.uniqueness)
    Out.print()
    print_scores(release.report, every=every or plan.measure.names is not None)
    Out.print()
    print_grouped_warnings(record.warnings, record.uniqueness.before.columns)
    if dry_run:
        _print_plan(plan, saved)
        return
    for role, path in (
        ("synthetic file" if plan.roles.dependent else "protected file", plan.output.path),
        ("quality note (public)", plan.output.note),
        ("review report (confidential)", plan.output.report),
        ("review report as JSON (confidential)", plan.output.json_report),
    ):
        if path is not None:
            Out.print(f"{role}: {path}", markup=False)


def print_requirements(verdicts: Sequence[Verdict]) -> None:
    """Print the verdicts on requirements; promises of methods are only counted."""
    from tacita.core.spec import registry

    print_verdicts(
        [verdict for verdict in verdicts if registry.meanings(verdict.guarantee, *registry.MEASURING)]
    )


def print_verdicts(verdicts: Sequence[Verdict]) -> None:
    """Print one line per requirement, and its finding if it does not hold."""
    for verdict in verdicts:
        mark, style = ("kept", None) if verdict.passed else ("not met", "yellow")
        if not verdict.judged:
            mark = "not judged"
        Out.print(f"{verdict.guarantee} ({mark}): {verdict.promise}", style=style, markup=False)
        if verdict.detail != "holds":
            Out.print(f"  {verdict.detail}", style=style, markup=False)


def print_grouped_warnings(disclosure_warnings: Sequence[DisclosureWarning], columns: Sequence[str]) -> None:
    """Print warnings, most severe first; a warning that several columns share is printed once."""
    from tacita.core.results.grouped_warnings import grouped

    for kind in grouped(disclosure_warnings, columns):
        advice = " ".join(kind.advice)
        if kind.text is None:
            lines = [f"{line.text} [{line.count}]" for line in kind.lines]
        else:
            several = ", ".join(f"{line.text} [{line.count}]" for line in kind.lines)
            lines = [f"{kind.text[0]}...{kind.text[1]} {several}."]
        for text in lines[:-1]:
            Out.print(f"warning: {text}", style="yellow", markup=False)
        Out.print(f"warning: {lines[-1]} {advice}", style="yellow", markup=False)


def print_uniqueness(uniqueness: Uniqueness) -> None:
    """Print the number of records that are unique where k does not protect them."""
    Out.print(uniqueness.headline, style="yellow" if uniqueness.unchanged.alone else None, markup=False)


def _print_plan(plan: Plan | AnyTablePlan, saved: Path | None = None) -> None:
    written = "Nothing was written" if saved is None else f"Nothing but the plan was written ({saved})"
    # lines to copy are not wrapped
    Out.print(f"\n{written} (dry run). The plan (confidential):\n", markup=False)
    Out.print(plan.to_toml(), markup=False, soft_wrap=True)
    Out.print(f"The same in Python:\n\n{plan.to_python()}", markup=False, soft_wrap=True)


def _grouping(record: Record) -> str:
    if drawn := record.roles.get("dependent"):
        return f"with {_count(len(drawn), 'column')} made synthetic"
    if len(record.steps) > 1:
        return f"in {_count(len(record.steps), 'step')}"
    if record.withheld:
        return _suppressed_shares(record.withheld[0])
    if record.groups is None:
        declared = {"recoding": "recoded", "generalisation": "generalised", "coding": "coded"}
        declared["dropping"] = "unchanged"
        return declared.get(record.steps[0].kind, "masked, not in groups")
    least, most = min(record.group_sizes), max(record.group_sizes)
    grouped = f"in {_count(record.groups, 'group')} of {least if least == most else f'{least} to {most}'}"
    if record.gap is None:
        return grouped
    proof = (
        "no other groups lose less"
        if record.gap == 0
        else f"others lose at most {100 * record.gap:.2g} % less"
    )
    return f"{grouped}; proven: {proof}"


def _suppressed_shares(summary: Mapping[str, Any]) -> str:
    """The number of suppressed cells, and the proof."""
    proof = (
        "proven: none costs less"
        if summary["proven"]
        else f"cost {_figure(summary['cost'])}, the least is at most {100 * summary['gap']:.3g} % lower"
    )
    return f"with {_count(summary['cells'], 'cell')} suppressed; {proof}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _figure(value: float) -> str:
    # the remainder of a difference that cancelled is noise
    if abs(value) < 1e-9:
        return "0"
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{float(f'{value:.4g}'):f}".rstrip("0").rstrip(".")


# Longer tables are divided by families of measures.
_UNDIVIDED = 10


def print_scores(report: Report, *, every: bool) -> None:
    """Print the main figures of loss, risk and balance, or all of them, with their meanings."""
    from rich.table import Table
    from rich.text import Text

    from tacita.core.results.score import families, headlines

    shown = tuple(report) if every else headlines(report)
    table = Table("", "measure", "value", "better", "what it means", box=None)
    before = ""
    for family in families(shown):
        kind = family.kind if family.kind != before else ""
        if len(shown) > _UNDIVIDED:
            table.add_row(kind, "", "", "", Text(family.name.capitalize(), "bold"))
            kind = ""
        for score in family.scores:
            table.add_row(kind, score.name, _value_text(score), score.direction, Text(_meaning(score)))
            kind = ""
        before = family.kind
    Out.print(table, soft_wrap=False)
    if left := len(report) - len(shown):
        Out.print(f"{_count(left, 'more figure')} with --all, or in the report.", markup=False)
    for note in report.notes:
        Out.print(note, markup=False)


def _value_text(score: Score) -> str:
    value = "none" if score.value is None else f"{_figure(score.value)} {score.unit}".strip()
    return value if score.error is None else f"{value} +- {_figure(score.error)}"


def _meaning(score: Score) -> str:
    from tacita.core.spec import registry

    meaning = score.reason or registry.meaning_of(score.name, *registry.MEASURING)
    if score.reading:
        meaning = f"{meaning} Read with {score.read_as}."
    if score.sampled_as:
        meaning = f"{meaning} {score.sampled_as}"
    return f"(of {', '.join(score.covers)} only) {meaning}" if score.covers else meaning


def print_trials(trials: Trials, plan: Plan) -> None:
    """Print one line per trial, with the front marked; then reasons for missing figures, and the files."""
    from rich.table import Column, Table

    Out.print(f"{len(trials.front)} of {_count(len(trials), 'trial')} on the front.", markup=False)
    if trials.origin is not None:
        print_uniqueness(trials.origin.uniqueness)
    Out.print()
    method = Column("method", no_wrap=True)
    table = Table("", method, "parameters", *trials.columns, box=None)
    for trial in trials:
        values = [trial.value(name) for name in trials.columns]
        figures = ["none" if value is None else _figure(value) for value in values]
        table.add_row("*" if trial.on_front else "", trial.method, _parameters(trial, trials), *figures)
    Out.print(table)
    Out.print(
        f"\n* No other trial is as good by {trials.loss} and by {trials.risk}, and better by one.",
        markup=False,
    )
    for trial in trials.unrelated:
        named = f"{trial.method} {_parameters(trial, trials)}".strip()
        Out.print(
            f"warning: {named} is on the front, and lost {trial.value('RELATIONS'):.0f} % of the relations "
            f"between protected and unchanged columns, which {trials.loss} hardly measures. Compare by "
            "--loss RELATIONS.",
            style="yellow",
            markup=False,
        )
    reasons: dict[str, list[str]] = {}
    for trial in trials:
        if trial.reason is not None:
            reasons.setdefault(trial.reason, []).append(
                f"{trial.method} {_parameters(trial, trials)}".strip()
            )
    for reason, those in reasons.items():
        Out.print(f"{', '.join(those)}: {reason}", style="yellow", markup=False)
    for role, path in (
        ("comparison (confidential)", plan.output.report),
        ("comparison as JSON (confidential)", plan.output.json_report),
    ):
        if path is not None:
            Out.print(f"{role}: {path}", markup=False)


def _parameters(trial: Trial, trials: Trials) -> str:
    """The parameters that differ between trials; all if a trial has none of these."""
    names = [name for name in trials.differing if name in trial.parameters] or sorted(trial.parameters)
    return " ".join(f"{name}={trial.parameters[name]}" for name in names)


def print_published(record: TableRecord, plan: AnyTablePlan, *, dry_run: bool) -> None:
    """Print the result of a table: its quality, its warnings and its files."""
    describe: Any = _suppressed if plan.adjust is None else _adjusted
    Out.print(f"{describe(record)}, {_count(len(record.warnings), 'warning')}.", markup=False)
    _print_warnings(record.warnings)
    if dry_run:
        _print_plan(plan)
        return
    for role, path in (
        *(("published table", path) for path in plan.published),
        ("quality note", plan.output.note),
        ("result as JSON (confidential)", plan.output.json_report),
        ("report (confidential)", plan.output.report),
    ):
        if path is not None:
            Out.print(f"{role}: {path}", markup=False)


def _suppressed(record: SuppressionRecord) -> str:
    """The number of suppressed cells, their cost, and the proof."""
    pattern, audit = record.claim.pattern, record.claim.audit
    verdict = "audited"
    if audit.accepted:
        verdict = f"not audited: it was accepted that no cell is sensitive ({', '.join(audit.accepted)})"
    return (
        f"{_count(pattern.primary_count, 'sensitive cell')} and "
        f"{_count(pattern.secondary_count, 'other')} suppressed, cost {_figure(pattern.cost)}"
        f"{_proof(pattern)}; {verdict}"
    )


def _adjusted(record: AdjustmentRecord) -> str:
    """The number of changed cells, their distance, and the proof."""
    adjusted, audit = record.claim.adjusted, record.claim.audit
    near = ""
    if adjusted.gap is not None:
        near = (
            ", proven to be the closest"
            if adjusted.proven
            else f", others are at most {100 * adjusted.gap:.3g} % closer"
        )
    return (
        f"{adjusted.changed} of {_count(record.claim.table.n, 'cell')} changed by "
        f"{_figure(adjusted.distance)} in all{near}; {_count(len(audit.verdicts), 'promise')} verified"
    )


def _proof(pattern: Pattern) -> str:
    """The proof of a pattern: of the problem itself, and the cost against singletons and known sums."""
    proof = "proven to be the least"
    if not pattern.proven:
        proof = f"the least is at most {100 * pattern.gap:.3g} % lower"
    if not pattern.lone_count:
        return f", {proof}"
    return (
        f": {_figure(pattern.problem_cost)} for {pattern.problem} protection ({proof}) and "
        f"{_figure(pattern.lone_cost)} for {_count(pattern.lone_count, 'cell')} more against "
        "singletons and known sums (without a bound)"
    )


def print_patterns(trials: PatternTrials, json_report: Path | None) -> None:
    """Print one line per method, and why some have no pattern."""
    from rich.table import Table

    Out.print(f"{trials.headline}.\n", markup=False)
    table = Table("method", "suppressed", "value", "cost", "bound", "gap %", "seconds", "audit", box=None)
    for trial in trials:
        names = ("secondary_count", "value", "cost", "lower_bound", "gap_percent", "seconds")
        figures = [getattr(trial, name) for name in names]
        table.add_row(trial.method, *("none" if f is None else _figure(f) for f in figures), trial.audit)
    Out.print(table)
    for trial in trials:
        if trial.reason is not None:
            Out.print(f"{trial.method}: {trial.reason}", style="yellow", markup=False)
    if json_report is not None:
        Out.print(f"comparison as JSON (confidential): {json_report}", markup=False)


def print_audit(file_audit: FileAudit, json_report: Path | None) -> None:
    """Print the promises of adjusted values, and the interval that an attacker can compute for each cell."""
    from rich.table import Table

    result = file_audit.as_dict()
    table = Table(*result["places"], "low", "high", "", box=None)
    for cell in result["audit"]:
        sides = ("any" if cell[side] is None else _figure(cell[side]) for side in ("low", "high"))
        labels = (cell[name] for name in result["places"])
        table.add_row(*labels, *sides, cell.get("reason", "protected"))
    for promise in result.get("promises", ()):
        Out.print(f"{'kept' if promise['passed'] else 'not kept'}: {promise['promise']}", markup=False)
    if result["audit"]:
        Out.print(table)
    _print_warnings(file_audit.warnings)
    if json_report is not None:
        Out.print(f"audit as JSON (confidential): {json_report}", markup=False)


def print_table(table: CellTable, plan: TabulatePlan, *, dry_run: bool) -> None:
    """Print the size of a table, and its number of sensitive cells."""
    inner = table.primary & table.inner
    Out.print(
        f"{_count(int(table.inner.sum()), 'cell')}, {int(inner.sum())} sensitive; "
        f"{_count(int((~table.inner).sum()), 'sum')}, {int((table.primary & ~table.inner).sum())} sensitive.",
        markup=False,
    )
    if not table.judged:
        Out.print(
            "No rule was named, so no cell is marked as sensitive: `tacita suppress` refuses such a table "
            "unless no-sensitive-cells is accepted. Name rules (--rule).",
            markup=False,
        )
    if (table.primary & ~table.inner).any():
        Out.print(
            "A sensitive sum is suppressed, and usually another sum with it: give --margins to "
            "`tacita suppress`.",
            markup=False,
        )
    if table.contributors is not None and (merged := table.contributors.respelled):
        Out.print(
            f"warning: {_count(merged, 'name')} of units differ from another only in spelling, and were "
            "counted as the same unit.",
            style="yellow",
            markup=False,
        )
    if dry_run:
        _print_plan(plan)
        return
    Out.print(f"table (confidential): {plan.output.path}", markup=False)


def _print_warnings(disclosure_warnings: Iterable[DisclosureWarning]) -> None:
    for warning in disclosure_warnings:
        Out.print(f"warning: {warning.text} {warning.advice}", style="yellow", markup=False)


def print_parameters(method: Any) -> None:
    """Print the parameters of a method as a table."""
    from rich.table import Table

    table = Table("parameter", "default", "meaning", box=None)
    for name, field in method.model_fields.items():
        no_default = field.is_required() or field.default_factory is not None or field.default is None
        default = "" if no_default else str(field.default)
        table.add_row(field.alias or name, default, field.description or "")
    if method.model_fields:
        Out.print()
        Out.print(table)


def print_json(value: Any) -> None:
    """Print JSON for other programs, never wrapped or coloured."""
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def _stoppable(run: RunContext, anytime: bool, quiet: bool) -> AbstractContextManager[RunContext]:
    """A run whose search stops at the first Ctrl-C; the second cancels, as the first does elsewhere."""
    from tacita.core.results.interrupt import interruptible

    def tell(message: str) -> None:
        if not quiet:
            # bypass the console, which the signal may have interrupted, and overwrite the bar
            over = "\r\x1b[2K" if Err.is_terminal else ""
            os.write(Err.file.fileno(), f"{over}{message}\n".encode())

    return interruptible(run, tell) if anytime else nullcontext(run)


@contextmanager
def progress_bar(quiet: bool, *, anytime: bool = False) -> Iterator[RunContext]:
    """A run with a progress bar on a terminal; with `anytime`, its search can be stopped."""
    from tacita.core import RunContext

    def warn(warning: DisclosureWarning) -> None:
        if not quiet:
            Err.print(f"before the run: {warning.text} {warning.advice}", style="yellow", markup=False)

    if quiet or not Err.is_terminal:
        with _stoppable(RunContext(on_warning=warn), anytime, quiet) as run:
            yield run
        return
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Err, transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def listen(progress: Progress) -> None:
            # stay below 1: a finished task stops its clock, and another stage may follow
            bar.update(task, description=progress.stage, total=1.0, completed=min(progress.share, 0.999))

        with _stoppable(RunContext(on_progress=listen, on_warning=warn), anytime, quiet) as run:
            yield run
