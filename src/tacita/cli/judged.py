"""What the terminal shows of requirements, and when a file is refused for these."""

from __future__ import annotations

from collections.abc import Sequence

from tacita.core import RequirementError, Verdict
from tacita.core.results.verdicts import WITHOUT_ORIGINAL, faults

from .console import Out


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
