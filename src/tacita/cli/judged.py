"""When a file is refused for the requirements that it does not meet."""

from __future__ import annotations

from collections.abc import Sequence

from tacita.core import RequirementError, Verdict
from tacita.core.results.verdicts import WITHOUT_ORIGINAL, faults


def refuse_unmet(name: str, verdicts: Sequence[Verdict]) -> None:
    """Raise where requirements are not met or could not be judged: the file must not be published."""
    not_judged = [verdict for verdict in verdicts if not verdict.judged]
    compared = [verdict.guarantee for verdict in not_judged if verdict.detail == WITHOUT_ORIGINAL]
    way_out = "Name it (--original), and the columns that were changed (--quasi)."
    reasons = [
        f"{verdict.guarantee} {verdict.detail}."
        for verdict in not_judged
        if verdict.detail != WITHOUT_ORIGINAL
    ]
    reasons += [f"{', '.join(compared)} {WITHOUT_ORIGINAL}. {way_out}"] if compared else []
    missing = " ".join(reasons)
    if reasons_failed := faults(verdicts):
        failed = sum(verdict.judged and not verdict.passed for verdict in verdicts)
        raise RequirementError(
            f"{name}: {failed} of {len(verdicts)} requirements are not met. {reasons_failed}. "
            f"Do not publish this file.{f' {missing}' if missing else ''}"
        )
    if missing:
        raise RequirementError(
            f"{name}: {len(not_judged)} of {len(verdicts)} requirements are not judged. {missing}"
        )
