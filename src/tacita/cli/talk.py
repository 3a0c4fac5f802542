"""What the terminal shows: results on standard output, progress and complaints beside it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console

if TYPE_CHECKING:
    from tacita.core import Progress, Release, Report, Run
    from tacita.plan import Plan

Out = Console(highlight=False, soft_wrap=True)
Err = Console(stderr=True, highlight=False, soft_wrap=True)


def complain(message: str, code: int) -> int:
    """Say what is wrong, and hand back the exit code."""
    Err.print(message, style="red", markup=False)
    return code


def print_outcome(release: Release, plan: Plan, *, dry_run: bool) -> None:
    """What was done, what it cost, what to watch, where it is."""
    record = release.record
    least, most = min(record.group_sizes), max(record.group_sizes)
    sizes = f"{least}" if least == most else f"{least} to {most}"
    Out.print(
        f"{_count(record.records_out, 'record')} in {_count(record.groups, 'group')} of {sizes}; "
        f"{_count(len(record.verdicts), 'promise')} verified, {_count(len(record.cautions), 'warning')}.\n",
        markup=False,
    )
    print_scores(release.report)
    Out.print()
    for caution in record.cautions:
        Out.print(f"warning: {caution.text} [{caution.count}] {caution.advice}", style="yellow", markup=False)
    if dry_run:
        Out.print(f"\nNothing was written (dry run). The plan:\n\n{plan.to_toml()}", markup=False)
        Out.print(f"The same in Python:\n\n{plan.to_python()}", markup=False)
        return
    for what, path in (
        ("protected file", plan.output.path),
        ("quality note (public)", plan.output.note),
        ("review report (confidential)", plan.output.report),
        ("review report as JSON (confidential)", plan.output.json_report),
    ):
        if path is not None:
            Out.print(f"{what}: {path}", markup=False)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def print_scores(report: Report) -> None:
    """One line a measure."""
    from rich.table import Table

    from tacita import registry

    table = Table("measure", "value", "better", "what it means", box=None)
    for score in report:
        value = "none" if score.value is None else f"{score.value:.4g} {score.unit}".strip()
        meaning = registry.lookup(score.name).summary() if score.reason is None else score.reason
        table.add_row(score.name, value, score.direction, meaning)
    Out.print(table)
    for note in report.notes:
        Out.print(note, markup=False)


def print_parameters(method: Any) -> None:
    """The fields of a method as a table."""
    from rich.table import Table

    table = Table("parameter", "default", "meaning", box=None)
    for name, field in method.model_fields.items():
        table.add_row(name, "" if field.is_required() else str(field.default), field.description or "")
    if method.model_fields:
        Out.print()
        Out.print(table)


def print_json(value: Any) -> None:
    """JSON for other programs: never wrapped, never coloured."""
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Run]:
    """A run whose progress is a bar on the terminal, if there is one."""
    from tacita.core import Run

    if quiet or not Err.is_terminal:
        yield Run()
        return
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Err, transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def listen(progress: Progress) -> None:
            bar.update(task, description=progress.stage, total=1.0, completed=progress.share)

        yield Run(on_progress=listen)
