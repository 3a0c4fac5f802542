"""What the terminal shows of requirements, and when a file is refused for them."""

from __future__ import annotations

from collections.abc import Sequence

from tacita.core import RequirementError, Verdict
from tacita.core.verify import faults

from .talk import Out


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
    apart = [each.guarantee for each in verdicts if not each.judged]
    way_out = "Name it (--original), and the columns that were changed (--quasi)."
    missing = f"{', '.join(apart)} cannot be judged without the original file. {way_out}" if apart else ""
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
