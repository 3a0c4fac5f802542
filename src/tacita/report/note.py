"""The quality note: what a user of the released file must know, and nothing that helps an attacker.

Only these leave the confidential record: the method and its k, the promises that were verified, how
missing values were treated, whether whole numbers were rounded, a coarse band of the loss, and a matrix of
probabilities that the office wrote down and wants to be shown. Columns and the number of records are those of
the released file itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tacita.core import Microdata, Record, RecordsRelease
from tacita.core.results.release import StepRecord
from tacita.core.spec import registry

from .pages import render

# Together with the released spread, an exact loss gives the exact spread of the originals: one more
# equation for an attacker who sits in a group himself. A band of this width is none.
_BANDS = ((5.0, "below 5 %"), (10.0, "5 to 10 %"), (25.0, "10 to 25 %"), (50.0, "25 to 50 %"))
_BEYOND = "above 50 %"


def note_html(release: RecordsRelease) -> str:
    """A short page that is safe to publish beside the data."""
    record = release.record
    columns = Microdata.of(release.data).columns
    drawn = set(record.roles.get("dependent", ()))
    replaced = [name for name in columns if name in set(record.roles.get("pseudonyms", ()))]
    masked = [name for name in columns if name in {*record.roles.get("quasi", ()), *drawn}]
    declared = {*record.roles.get("nominal", ()), *record.roles.get("ordinal", ())}
    kept = {verdict.guarantee for verdict in record.verdicts if verdict.passed}
    in_steps = len(record.steps) > 1 or bool(kept & _IN_STEPS)
    if in_steps:
        # of groups all columns are named, of steps those that a step changed
        changed = {name for step in record.steps for name in step.columns if name not in step.as_they_were}
        masked = [name for name in masked if name in changed]
    return render(
        "note.html",
        records=record.records_out,
        k=record.parameters.get("k"),
        methods=[_spoken_method(name) for name in record.method],
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
        # record by record, synthetic values lose nearly all, which says nothing about their use
        steps=_steps(record) if in_steps else [],
        withheld=[share for summary in record.withheld for share in summary["share_by_column"].items()],
        left=_left(record),
        loss=None if drawn else _loss_band(release),
        loss_of=next((score.covers for score in release.report if score.name == "IL1"), ()),
    )


# Who is not in the file, by the warning that counts them; how many is not for the public.
_LEFT = {
    "records-suppressed": "Records whose combination of values too few others share are not part of this "
    "file: totals fall short by them, and they are not like the others.",
    "records-left-out": "Records that meet a condition were left out on purpose: figures are those of the "
    "others, and totals of the whole population fall short.",
    "records-dropped": "Records without a value in a protected column are not part of this file: totals fall "
    "short by them.",
    "keys-withheld": "Some records show none of their keys: tables by these fall short by them.",
}
# Told as steps even where there is one: what is done to categories has no words of its own elsewhere.
_IN_STEPS = {
    "recoded",
    "coded",
    "dropped",
    "generalised",
    "drawn-from-matrix",
    "swapped-in-pairs",
    "only-withheld",
}
# What a step does to its columns, and what they are good for then, in words for users of the file.
_DONE = {
    "microaggregation": "similar records were put into groups, and each carries the middle of its group.",
    "coding": "numbers were rounded, or those at the ends replaced by one.",
    "recoding": "values were replaced by coarser ones, the same for everybody who had the same.",
    "generalisation": "values were replaced by coarser ones, the risk of being found bounded by other means.",
    "dropping": "nothing was left out.",
    "masking": "values were changed, partly by chance.",
    "synthesis": "values were drawn anew from a statistical model.",
}
_USE = {
    "microaggregation": "means and totals of numbers over all records; variances come out too small, tails "
    "and extremes are gone, rare categories may be.",
    "coding": "figures that do not hang on the last digits or on the largest and smallest numbers.",
    "recoding": "counts of the values that are shown; finer ones are gone.",
    "generalisation": "counts of the values that are shown; finer ones are gone.",
    "withholding": "all that can be said of the values that are shown; empty cells are no random sample, "
    "they are those of rare combinations.",
    "dropping": "figures of the records that are there; totals of the whole population fall short.",
    "masking": "distributions as a whole; relations with other columns are weaker than they were.",
    "synthesis": "what the model holds, mostly means and linear relations; nothing rare.",
}
# The same of promises that say more than the kind does.
_DONE_OF = {
    "only-withheld": "single cells were left empty, all others are as they were.",
    "k-anonymous": "values were replaced by coarser ones, until several records share every combination.",
    "drawn-from-matrix": "some categories were exchanged for others, drawn by chance.",
    "swapped-in-pairs": "some units changed places with others of the same profile: regions were swapped.",
}
_USE_OF = {
    "expected-frequencies": "counts of each column, right on average; tables of several columns are weaker "
    "than they were, and small counts are uncertain.",
    "drawn-from-matrix": "counts, once they are corrected for the probabilities of the exchange; ask the "
    "producer where these are not told.",
    "swapped-in-pairs": "counts in a region of what the profile holds, exactly; other figures of small "
    "regions with care.",
}


def _left(record: Record) -> list[str]:
    """Who is not in the file; where that is the rule for missing values, another section says it anyway."""
    reasons = [warning.name for warning in record.cautions if warning.name in _LEFT]
    explained = {"records-dropped"} if record.options.get("missing") == "drop" else set()
    return [_LEFT[name] for name in dict.fromkeys(reasons) if name not in explained]


@dataclass(frozen=True)
class Step:
    """One of several steps in words that may be published."""

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
        # the k of a swapping says who was at risk, and helps an attacker
        hiding = step.kind != "masking" or "column-groups" in step.promises
        # and that of single records says nothing
        size = f" (k = {step.parameters['k']})" if step.parameters.get("k", 1) > 1 and hiding else ""
        done = next((_DONE_OF[name] for name in _DONE_OF if name in step.promises), None)
        use = next((_USE_OF[name] for name in _USE_OF if name in step.promises), None)
        paragraphs.append(
            Step(
                method=" then ".join(_spoken_method(name) for name in step.method) + size,
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
    """What a dropping left out: columns by name, records, or both."""
    if step.kind != "dropping":
        return None
    columns = step.parameters.get("columns") or ()
    left_out = [f"columns were left out: {', '.join(columns)}"] if columns else []
    left_out += ["records that meet a condition were left out"] if step.parameters.get("records") else []
    return f"{'; '.join(left_out)}." if left_out else None


def _spoken_method(name: str) -> str:
    known = registry.names(*registry.PROTECTING)
    return registry.record_method(name).spoken_name() if name in known else name


def _loss_band(release: RecordsRelease) -> str | None:
    value = next((score.value for score in release.report if score.name == "IL1"), None)
    if value is None:
        return None
    return next((words for limit, words in _BANDS if value < limit), _BEYOND)
