"""When a file is refused for the requirements that it does not meet."""

from __future__ import annotations

from collections.abc import Sequence

from tacita.core import RequirementError, Verdict
from tacita.core.results.verdicts import WITHOUT_ORIGINAL, faults


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
