"""What the terminal shows of warnings and requirements, and when a file is refused for these."""

from __future__ import annotations

from collections.abc import Sequence

from tacita.core import Caution, RequirementError, Verdict
from tacita.core.results.grouped_warnings import grouped
from tacita.core.results.verdicts import WITHOUT_ORIGINAL, faults

from .console import Out


def print_kinds(cautions: Sequence[Caution], columns: Sequence[str]) -> None:
    """Warnings, the gravest first; those that say the same of several columns once."""
    for kind in grouped(cautions, columns):
        advice = " ".join(kind.advice)
        if kind.text is None:
            told = [f"{line.text} [{line.count}]" for line in kind.lines]
        else:
            several = ", ".join(f"{line.text} [{line.count}]" for line in kind.lines)
            told = [f"{kind.text[0]}...{kind.text[1]} {several}."]
        for text in told[:-1]:
            Out.print(f"warning: {text}", style="yellow", markup=False)
        Out.print(f"warning: {told[-1]} {advice}", style="yellow", markup=False)


def print_verdicts(verdicts: Sequence[Verdict]) -> None:
    """One line a requirement: what it asks, and what was found."""
    for each in verdicts:
        mark, style = ("kept", None) if each.passed else ("not met", "yellow")
        if not each.judged:
            mark = "not judged"
        Out.print(f"{each.guarantee} ({mark}): {each.promise}", style=style, markup=False)
        if each.detail != "holds":
            Out.print(f"  {each.detail}", style=style, markup=False)


def refuse_unmet(name: str, verdicts: Sequence[Verdict]) -> None:
    """Raise where requirements are not met, or could not be judged: neither is a file to publish."""
    apart = [each for each in verdicts if not each.judged]
    compared = [each.guarantee for each in apart if each.detail == WITHOUT_ORIGINAL]
    way_out = "Name it (--original), and the columns that were changed (--quasi)."
    reasons = [f"{each.guarantee} {each.detail}." for each in apart if each.detail != WITHOUT_ORIGINAL]
    reasons += [f"{', '.join(compared)} {WITHOUT_ORIGINAL}. {way_out}"] if compared else []
    missing = " ".join(reasons)
    if what := faults(verdicts):
        failed = sum(each.judged and not each.passed for each in verdicts)
        raise RequirementError(
            f"{name}: {failed} of {len(verdicts)} requirements are not met. {what}. Do not publish this file."
            + (f" {missing}" if missing else "")
        )
    if missing:
        raise RequirementError(
            f"{name}: {len(apart)} of {len(verdicts)} requirements are not judged. {missing}"
        )
