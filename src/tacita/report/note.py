"""The public quality note: what users of a release must know, without anything that helps an attacker.

It takes only these facts from the confidential record: the method and its k, the verified promises, the
treatment of missing values, whether whole numbers were rounded, a coarse band of the loss, and a transition
matrix if the plan declares it public. Columns and the number of records are those of the released file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tacita.core import Microdata, Record, RecordsRelease
from tacita.core.results.release import StepRecord
from tacita.core.spec import registry

from .pages import render

# An exact loss and the released variance give the exact variance of the originals: one more equation for an
# attacker who belongs to a group. A band this wide gives none.
_BANDS = ((5.0, "below 5 %"), (10.0, "5 to 10 %"), (25.0, "10 to 25 %"), (50.0, "25 to 50 %"))
_BEYOND = "above 50 %"


def note_html(release: RecordsRelease) -> str:
    """A short page that is safe to publish with the data."""
    record = release.record
    columns = Microdata.of(release.data).columns
    drawn = set(record.roles.get("dependent", ()))
    replaced = [name for name in columns if name in set(record.roles.get("pseudonyms", ()))]
    masked = [name for name in columns if name in {*record.roles.get("quasi", ()), *drawn}]
    declared = {*record.roles.get("nominal", ()), *record.roles.get("ordinal", ())}
    kept = {verdict.guarantee for verdict in record.verdicts if verdict.passed}
    in_steps = len(record.steps) > 1 or bool(kept & _IN_STEPS)
    if in_steps:
        # a release in groups names all columns, a release in steps those that a step changed
        changed = {name for step in record.steps for name in step.columns if name not in step.as_they_were}
        masked = [name for name in masked if name in changed]
    return render(
        "note.html",
        records=record.records_out,
        k=record.parameters.get("k"),
        methods=[_display_name(name) for name in record.method],
        masked=masked,
        categories=[name for name in masked if name in declared],
        numbers=[name for name in masked if name not in declared],
        unchanged=[name for name in columns if name not in {*masked, *replaced}],
        pseudonyms=replaced,
        strata=[name for name in columns if name in set(record.roles.get("strata", ()))],
        independent=[name for name in columns if name in set(record.roles.get("independent", ()))],
        identifiers_removed=bool(record.roles.get("identifiers")),
        weighted=record.roles.get("weight") is not None,
        kept=kept,
        missing=record.options.get("missing"),
        gaps_drawn=any(step.parameters.get("missing_category") for step in record.steps),
        rounded=bool(record.options.get("round_integers")),
        # synthetic values do not match records, so a loss by record says nothing about their use
        steps=_steps(record) if in_steps else [],
        withheld=[share for summary in record.withheld for share in summary["share_by_column"].items()],
        left=_removed_records(record),
        loss=None if drawn else _loss_band(release),
        loss_of=next((score.covers for score in release.report if score.name == "IL1"), ()),
    )


# The records that are not in the file, by the warning that counts them; the number is confidential.
_REMOVED = {
    "records-suppressed": "Records with rare combinations of values are not part of this file: totals are "
    "too low by them, and they differ from the others.",
    "records-left-out": "Records that meet a condition were left out on purpose: figures are those of the "
    "others, and totals of the whole population are too low.",
    "records-dropped": "Records without a value in a protected column are not part of this file: totals are "
    "too low by them.",
    "keys-withheld": "All keys of some records are suppressed: tables by these keys lack them.",
}
# Releases with these promises are described as steps, even if there is only one.
_IN_STEPS = {
    "recoded",
    "coded",
    "dropped",
    "generalised",
    "drawn-from-matrix",
    "swapped-in-pairs",
    "only-withheld",
}
# What a step of each kind did to its columns, and what they can be used for, for users of the file.
_DONE = {
    "microaggregation": "similar records were put into groups, and each has the average of its group.",
    "coding": "numbers were rounded, or extreme ones replaced by a limit.",
    "recoding": "values were replaced by coarser ones, by the same rule for all records.",
    "generalisation": "values were replaced by coarser ones; other means bound the re-identification risk.",
    "dropping": "nothing was left out.",
    "masking": "values were changed, partly by chance.",
    "synthesis": "values were drawn from a statistical model.",
}
_USE = {
    "microaggregation": "means and totals of numbers over all records; variances come out too small, tails "
    "and extremes are gone, rare categories may be.",
    "coding": "figures that do not depend on the last digits or on the largest and smallest numbers.",
    "recoding": "counts of the published categories; finer ones are lost.",
    "generalisation": "counts of the published categories; finer ones are lost.",
    "withholding": "figures of the published values; empty cells are not a random sample, but belong to rare "
    "combinations.",
    "dropping": "figures of the records in the file; totals of the whole population are too low.",
    "masking": "the distribution of a column; relations with other columns are weaker than in the source.",
    "synthesis": "what the model preserves, mostly means and linear relations; nothing rare.",
}
# The same for promises that are more specific than the kind.
_DONE_OF = {
    "only-withheld": "single cells were suppressed, all others are unchanged.",
    "k-anonymous": "values were replaced by coarser ones, until several records share every combination.",
    "drawn-from-matrix": "some categories were replaced by others at random.",
    "swapped-in-pairs": "the regions of some units were swapped with those of units with the same profile.",
}
_USE_OF = {
    "expected-frequencies": "counts of each column, right on average; relations between columns are weaker "
    "than in the source, and small counts are uncertain.",
    "drawn-from-matrix": "counts, corrected for the transition probabilities; the producer can provide these "
    "if they are not published.",
    "swapped-in-pairs": "counts by region of the columns of the profile, exactly; other figures of small "
    "regions with care.",
}


def _removed_records(record: Record) -> list[str]:
    """Texts about records that are not in the file, without those that the section on gaps explains."""
    reasons = [warning.name for warning in record.warnings if warning.name in _REMOVED]
    explained = {"records-dropped"} if record.options.get("missing") == "drop" else set()
    return [_REMOVED[name] for name in dict.fromkeys(reasons) if name not in explained]


@dataclass(frozen=True)
class Step:
    """The public description of a step."""

    method: str
    columns: tuple[str, ...]
    changed: tuple[str, ...]
    as_they_were: tuple[str, ...]
    by_unit: bool
    done: str
    use: str
    promises: tuple[str, ...]
    matrices: Mapping[str, Mapping[str, Mapping[str, float]]]


def _steps(record: Record) -> list[Step]:
    paragraphs = []
    for number, step in enumerate(record.steps, 1):
        kept = [verdict for verdict in record.verdicts if verdict.step in (None, number) and verdict.passed]
        # the k of a swapping shows which records were at risk, which would help an attacker
        hiding = step.kind != "masking" or "column-groups" in step.promises
        # k = 1 promises nothing
        size = f" (k = {step.parameters['k']})" if step.parameters.get("k", 1) > 1 and hiding else ""
        done = next((_DONE_OF[name] for name in _DONE_OF if name in step.promises), None)
        use = next((_USE_OF[name] for name in _USE_OF if name in step.promises), None)
        paragraphs.append(
            Step(
                method=" then ".join(_display_name(name) for name in step.method) + size,
                columns=step.columns,
                changed=tuple(name for name in step.columns if name not in step.as_they_were),
                as_they_were=step.as_they_were,
                by_unit=step.by_unit,
                done=_dropped(step) or done or _DONE.get(step.kind, "values were changed."),
                use=use or _USE.get(step.kind, "see the producer of the file."),
                promises=tuple(verdict.promise for verdict in kept if verdict.guarantee in step.promises),
                matrices=step.parameters["matrix"] if step.parameters.get("publish_matrix") else {},
            )
        )
    return paragraphs


def _dropped(step: StepRecord) -> str | None:
    """What a dropping step removed: columns by name, records, or both."""
    if step.kind != "dropping":
        return None
    columns = step.parameters.get("columns") or ()
    left_out = [f"columns were left out: {', '.join(columns)}"] if columns else []
    left_out += ["records that meet a condition were left out"] if step.parameters.get("records") else []
    return f"{'; '.join(left_out)}." if left_out else None


def _display_name(name: str) -> str:
    known = registry.names(*registry.PROTECTING)
    return registry.record_method(name).display_name() if name in known else name


def _loss_band(release: RecordsRelease) -> str | None:
    value = next((score.value for score in release.report if score.name == "IL1"), None)
    if value is None:
        return None
    return next((words for limit, words in _BANDS if value < limit), _BEYOND)
