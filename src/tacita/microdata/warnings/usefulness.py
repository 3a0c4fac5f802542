"""Warnings about steps without effect, and about releases with little information left."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from tacita.core import Comparison, DisclosureWarning, Microdata, Report, Score
from tacita.core.results.plot_data import Estimate
from tacita.core.results.score import Files
from tacita.microdata.measures.loss.generalised import NormalisedCertainty
from tacita.microdata.measures.loss.relations import RelationsLost
from tacita.microdata.protection.protect import ProtectedStep
from tacita.microdata.protection.steps import PipelineResult
from tacita.microdata.statistics.sample_uniqueness import spoken

from .finders import Finished, of_releases

_ADVICE = {
    "coding": "Choose another limit or base, or remove the step: it protects nothing.",
    "recoding": "Choose a coarser level or other classes, or remove the step: it protects nothing.",
    "dropping": "Check the condition, its labels and upper and lower case, or remove the step.",
}


@of_releases
def changed(release: Finished) -> Iterator[DisclosureWarning]:
    """Codings and recodings that change no value, and conditions that no record meets. O(n d).

    Columns that are not released are skipped. The text says "released as in the source" only of columns that
    no other step changes.
    """
    made = release.made
    for number, (step, protected) in enumerate(zip(made.steps, made.protected, strict=True), 1):
        kind = protected.method.kind
        if kind not in _ADVICE:
            continue
        who = f"Step {number} ({'+'.join(step.names)})" if made.stages else "+".join(step.names)
        before, later = (
            {name for other in others for name in other.columns}
            for others in (made.steps[: number - 1], made.steps[number:])
        )
        same = [name for name in as_they_were(protected) if name in made.data.columns]
        left = [name for name in same if name not in before | later]
        if same:
            released = f": {spoken(left)} {'is' if len(left) == 1 else 'are'} released as in the source"
            yield DisclosureWarning(
                "nothing-changed",
                f"{who} changed no value of {spoken(same)}{released if left else ''}.",
                len(same),
                _ADVICE[kind],
            )
        if kind == "dropping" and protected.claim.terms.get("records") and not protected.left:
            yield DisclosureWarning(
                "nothing-changed", f"{who} removed no record: none meets the condition.", 1, _ADVICE[kind]
            )


def as_they_were(protected: ProtectedStep) -> tuple[str, ...]:
    """Columns in which a step changed no value. O(n d)."""
    columns = zip(protected.claim.original.quasi, protected.original.T, protected.released.T, strict=True)
    return tuple(name for name, old, new in columns if np.array_equal(old, new, equal_nan=True))


# Percent of a column's information (NCP) whose loss leaves it of little use.
_MOST_LOST = 80.0
# The same for its relations with unchanged columns (RELATIONS).
_MOST_UNRELATED = 50.0
_COARSER = ("recoding", "generalisation", "withholding", "dropping")


@of_releases
def one_value_left(release: Finished) -> Iterator[DisclosureWarning]:
    """Columns that had several values and have one or none in the release. O(n d)."""
    made = release.made
    for name in _emptied(made):
        shown = _values(made.data, name)
        what = "a single value in all records" if shown else "no value in any record"
        yield DisclosureWarning(
            "one-value-left",
            f"Column {name} had several values and shows {what}: it has no information left.",
            made.data.n,
            "Protect less (a lower level, a smaller k, fewer keys), or leave the column out.",
        )


@of_releases
def little_left(release: Finished) -> Iterator[DisclosureWarning]:
    """Columns that keep several categories, but became so coarse that little information is left."""
    made = release.made
    measured = _certainty(made, release.files, release.report)
    if measured is None:
        return
    emptied = _emptied(made)
    for name, lost in measured.per_attribute.items():
        if lost > _MOST_LOST and name not in emptied and name in made.data.columns:
            yield DisclosureWarning(
                "little-left",
                f"Column {name} lost {_percent(lost)} of its information (NCP).",
                made.data.n,
                "Protect less (a lower level, a smaller k, fewer keys), or leave the column out.",
            )


@of_releases
def relations_lost(release: Finished) -> Iterator[DisclosureWarning]:
    """Protected columns that lost most of their relations with unchanged columns."""
    report = release.report
    score = next((measure for measure in report if measure.name == RelationsLost.name), None)
    lost = {} if score is None else {n: v for n, v in score.per_attribute.items() if v > _MOST_UNRELATED}
    if score is None or score.value is None or score.value <= _MOST_UNRELATED or not lost:
        return
    worst = max(lost, key=lambda name: lost[name])
    shown = [m.name for m in report if m.name in ("PIL", "SCORE") and m.value is not None]
    one = len(shown) == 1
    others = f" {' and '.join(shown)} {'measures' if one else 'measure'} mainly protected columns and "
    others += f"{'shows' if one else 'show'} little of this."
    yield DisclosureWarning(
        "relations-lost",
        f"Protected columns lost {_percent(score.value)} of their relations with columns released unchanged "
        f"(RELATIONS), column {worst} {_percent(lost[worst])}: tables and regressions of both differ from "
        f"those of the source.{others if shown else ''}",
        len(lost),
        "Protect less, protect columns that are analysed together in one step, or inform the users.",
    )


@of_releases
def estimates_moved(release: Finished) -> Iterator[DisclosureWarning]:
    """Weighted population estimates that lie outside their confidence interval in the source.

    Columns that a generalisation changed are skipped: their labels cannot be compared, and NCP measures them.
    """
    steps = [step for step in release.made.steps if step.method.kind == "generalisation"]
    coarser = {name for step in steps for name in step.columns}
    estimates = [estimate for estimate in release.estimates if estimate.column not in coarser]
    outside = [estimate for estimate in estimates if _outside_interval(estimate)]
    if not outside:
        return
    worst = min(outside, key=lambda estimate: estimate.overlap)
    names = tuple(dict.fromkeys(estimate.column for estimate in outside))
    yield DisclosureWarning(
        "estimate-moved",
        f"Of {len(estimates)} weighted population estimates, these lie outside their 95 % interval in the "
        f"source or can no longer be computed (columns {', '.join(names)}). The largest difference is in the "
        f"{worst.statistic} of {worst.column}.",
        len(outside),
        "See the estimates in the report. Protect less, or calibrate the weights again if records were "
        "removed.",
    )


def _outside_interval(estimate: Estimate) -> bool:
    before, after = estimate.before, estimate.after
    if after is None:
        return True
    slack = 1e-9 * max(abs(before.low), abs(before.high))
    return not before.low - slack <= after.value <= before.high + slack


def _emptied(made: PipelineResult) -> Collection[str]:
    source = made.claim.original
    return [
        name
        for name in source.quasi
        if name in made.data.columns and _values(made.data, name) < 2 <= _values(source, name)
    ]


def _values(data: Microdata, name: str) -> int:
    """Number of different values of a column, without missing ones. O(n)."""
    return int(np.unique(data.codes([name])[~data.missing(name)]).size)


def _certainty(made: PipelineResult, files: Files, report: Report) -> Score | None:
    """NCP, if categories were only made coarser or suppressed."""
    of_labels = [step.method.kind for step in made.steps if set(step.method.takes) != {"numeric"}]
    if not of_labels or not set(of_labels) <= set(_COARSER):
        return None
    measured = next((measure for measure in report if measure.name == NormalisedCertainty.name), None)
    if measured is None:
        measured = NormalisedCertainty().score(Comparison.of_files(files))
    return None if measured.value is None else measured


def _percent(value: float) -> str:
    # 99.6 % must not read as all; a relation whose sign turned counts twice, so a value may exceed 100
    return "all" if value >= 100 else f"{min(value, 99.0):.0f} %"
