"""Steps that changed nothing, and releases that protect everybody because they say next to nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from tacita.core import Caution, Comparison, Microdata, Report, Score
from tacita.core.results.plot_data import Estimate
from tacita.core.results.score import Files
from tacita.microdata.measures.loss.generalised import NormalisedCertainty
from tacita.microdata.measures.loss.relations import RelationsLost
from tacita.microdata.protection.protect import Protected
from tacita.microdata.protection.steps import Made
from tacita.microdata.statistics.sample_uniqueness import spoken

from .finders import Finished, of_releases

_ADVICE = {
    "coding": "Choose another limit or base, or leave out the step: it protects nobody.",
    "recoding": "Choose a coarser level or other classes, or leave out the step: it protects nobody.",
    "dropping": "Look at the condition, its labels and capitals; or leave it out.",
}


@of_releases
def changed(release: Finished) -> Iterator[Caution]:
    """Codings and recodings that leave columns as they were, and conditions that nobody meets. O(n d).

    Columns that are not released are no matter, and of those that a later step changed only this is said.
    """
    made = release.made
    for number, (step, protected) in enumerate(zip(made.steps, made.protected, strict=True), 1):
        kind = protected.method.kind
        if kind not in _ADVICE:
            continue
        who = f"Step {number} ({'+'.join(step.names)})" if made.stages else "+".join(step.names)
        before, later = (
            {name for each in some for name in each.columns}
            for some in (made.steps[: number - 1], made.steps[number:])
        )
        same = [name for name in as_they_were(protected) if name in made.data.columns]
        left = [name for name in same if name not in before | later]
        if same:
            released = f": {spoken(left)} {'is' if len(left) == 1 else 'are'} released as in the source"
            yield Caution(
                "nothing-changed",
                f"{who} changed no value of {spoken(same)}{released if left else ''}.",
                len(same),
                _ADVICE[kind],
            )
        if kind == "dropping" and protected.claim.terms.get("records") and not protected.left:
            yield Caution(
                "nothing-changed", f"{who} took out no record: nobody meets the condition.", 1, _ADVICE[kind]
            )


def as_they_were(protected: Protected) -> tuple[str, ...]:
    """Columns of which a step changed no value. O(n d)."""
    columns = zip(protected.claim.original.quasi, protected.original.T, protected.released.T, strict=True)
    return tuple(name for name, old, new in columns if np.array_equal(old, new, equal_nan=True))


# Percent of what the values of a column told beyond which a release of it is hardly of use.
_MOST_LOST = 80.0
# Percent of the relations with unchanged columns.
_MOST_UNRELATED = 50.0
_COARSER = ("recoding", "generalisation", "withholding", "dropping")


@of_releases
def one_value_left(release: Finished) -> Iterator[Caution]:
    """Columns that had several values, and show one or none in all records. O(n d)."""
    made = release.made
    for name in _emptied(made):
        shown = _values(made.data, name)
        what = "a single value in all records" if shown else "no value in any record"
        yield Caution(
            "one-value-left",
            f"Column {name} had several values and shows {what}: it is of no use any more.",
            made.data.n,
            "Ask for less (a lower level, a smaller k, fewer keys), or leave the column out.",
        )


@of_releases
def little_left(release: Finished) -> Iterator[Caution]:
    """Columns of categories that became so coarse that little is left, and did not end in one value."""
    made = release.made
    measured = _certainty(made, release.files, release.report)
    if measured is None:
        return
    emptied = _emptied(made)
    for name, lost in measured.per_attribute.items():
        if lost > _MOST_LOST and name not in emptied and name in made.data.columns:
            yield Caution(
                "little-left",
                f"Column {name} lost {_percent(lost)} of what its values told (NCP).",
                made.data.n,
                "Ask for less (a lower level, a smaller k, fewer keys), or leave the column out.",
            )


@of_releases
def relations_lost(release: Finished) -> Iterator[Caution]:
    """Protected columns that hardly go with unchanged ones any more, whatever they look like themselves."""
    report = release.report
    score = next((each for each in report if each.name == RelationsLost.name), None)
    lost = {} if score is None else {n: v for n, v in score.per_attribute.items() if v > _MOST_UNRELATED}
    if score is None or score.value is None or score.value <= _MOST_UNRELATED or not lost:
        return
    worst = max(lost, key=lambda name: lost[name])
    seen = [each.name for each in report if each.name in ("PIL", "SCORE") and each.value is not None]
    others = f" {' and '.join(seen)}, which look{'s' * (len(seen) == 1)} at protected columns first, "
    others += f"show{'s' * (len(seen) == 1)} little of it."
    yield Caution(
        "relations-lost",
        f"Protected columns lost {_percent(score.value)} of what tied them to columns released unchanged "
        f"(RELATIONS), column {worst} {_percent(lost[worst])}: tables and regressions of both are not those "
        f"of the source.{others if seen else ''}",
        len(lost),
        "Protect less, name the columns that are analysed together in one step, or tell the users.",
    )


@of_releases
def estimates_moved(release: Finished) -> Iterator[Caution]:
    """Weighted estimates of the population outside the interval that the source gives them.

    Of labels that a generalisation replaced there is nothing to compare; NCP tells what that cost.
    """
    steps = [step for step in release.made.steps if step.method.kind == "generalisation"]
    coarser = {name for step in steps for name in step.columns}
    estimates = [each for each in release.estimates if each.column not in coarser]
    outside = [each for each in estimates if _leaves(each)]
    if not outside:
        return
    worst = min(outside, key=lambda each: each.overlap)
    names = tuple(dict.fromkeys(each.column for each in outside))
    yield Caution(
        "estimate-moved",
        f"Of {len(estimates)} weighted estimates of the population these lie outside the 95 % interval they "
        f"have in the source, or are gone: of {', '.join(names)}; first the {worst.statistic} of "
        f"{worst.column}.",
        len(outside),
        "Look at the estimates in the report. Protect less, or calibrate the weights anew where records "
        "left.",
    )


def _leaves(each: Estimate) -> bool:
    if each.after is None:
        return True
    slack = 1e-9 * max(abs(each.before.low), abs(each.before.high))
    return not each.before.low - slack <= each.after.value <= each.before.high + slack


def _emptied(made: Made) -> Collection[str]:
    source = made.claim.original
    return [
        name
        for name in source.quasi
        if name in made.data.columns and _values(made.data, name) < 2 <= _values(source, name)
    ]


def _values(data: Microdata, name: str) -> int:
    """How many values a column shows; what is missing is none. O(n)."""
    return int(np.unique(data.codes([name])[~data.missing(name)]).size)


def _certainty(made: Made, files: Files, report: Report) -> Score | None:
    """NCP where all that was done to categories was to make them coarser or to leave them empty."""
    of_labels = [step.method.kind for step in made.steps if set(step.method.takes) != {"numeric"}]
    if not of_labels or not set(of_labels) <= set(_COARSER):
        return None
    measured = next((each for each in report if each.name == NormalisedCertainty.name), None)
    if measured is None:
        measured = NormalisedCertainty().score(Comparison.of_files(files))
    return None if measured.value is None else measured


def _percent(value: float) -> str:
    # 99.6 % is not all; and signs that turned count twice
    return "all" if value >= 100 else f"{min(value, 99.0):.0f} %"
