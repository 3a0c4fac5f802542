"""Where the promise of k is thinner than it sounds: one small function per weakness, each with a count."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from tacita.core import Caution, Report
from tacita.core.results.inferred_cells import Determined
from tacita.core.results.plot_data import Estimate
from tacita.core.results.release import Claim
from tacita.core.results.score import Files
from tacita.core.results.uniqueness import Uniqueness
from tacita.core.results.warning_severity import gravest_first
from tacita.microdata.protection.protect import Protected
from tacita.microdata.protection.steps import Made

from . import (
    accepted_risks,
    categories,
    groups,
    inferred_cells,
    local_suppression,
    maskings,
    no_effect,
    synthesis,
    units,
    unmasked_columns,
    usefulness,
    values,
)
from .no_effect import as_they_were

__all__ = ["as_they_were", "find", "not_promised"]

_NOT_PROMISED_OF_GROUPS = (
    "Attribute disclosure: members of a group may share a confidential value.",
    "Linkage through columns released unchanged: k holds for the quasi-identifiers named here only.",
)
_NOT_PROMISED_OF_MASKINGS = (
    "Groups of k records: a combination of masked values may point to one single record.",
    "Linkage through columns released unchanged: they stand as they were beside the masked ones.",
)
_NOT_PROMISED_OF_RECODINGS = (
    "Groups of k records: coarser values may still point to one single record.",
    "Linkage through columns released unchanged: they stand as they were beside the recoded ones.",
)
_NOT_PROMISED_OF_DROPPINGS = (
    "Secrecy of what was left out: who knows a total of all records sees what is missing from it.",
    "Linkage through columns released unchanged: what stays stands as it was.",
)
_NOT_PROMISED_OF_SYNTHESIS = (
    "Groups of k records: records keep their independent columns, and may be found by them.",
    "Secrecy of what independent columns tell: a dependent value that they determine is given away.",
    "Linkage through columns released unchanged: they stand as they were beside the synthetic ones.",
)
_NOT_PROMISED_OF_CATEGORIES = (
    "That a published category is not the true one: most are, and what protects is that nobody knows which.",
    *_NOT_PROMISED_OF_MASKINGS,
)
_NOT_PROMISED_OF_WEAK_MASKINGS = (
    "That values are hidden at all: it was insisted on a masking that rounding undoes.",
)
_OF_PSEUDONYMS = (
    "Anonymity of pseudonyms: they link files of the same key, and who has the key finds who is behind them."
)
_OF_STRATA = "Protection of the strata themselves: their values are released as they are."
_NEVER_PROMISED = (
    "Differences between releases: publishing nearly the same records again can reveal who joined or left.",
    "Population uniqueness: the assessor's attacker knows all records of this file, not the population.",
    _OF_STRATA,
)


def not_promised(claim: Claim) -> tuple[str, ...]:
    """What a reader might take for granted and must not; of several steps all that applies to one of them."""
    kinds = (line for step in claim.steps or (claim,) if step.guarantees for line in _not_promised_of(step))
    unchanged, strata = _released_unchanged(claim)
    linked = () if claim.identified is None else (_OF_PSEUDONYMS,)
    return tuple(
        line
        for line in dict.fromkeys((*kinds, *linked, *_NEVER_PROMISED))
        if (unchanged or not line.startswith("Linkage through columns")) and (strata or line != _OF_STRATA)
    )


def _released_unchanged(claim: Claim) -> tuple[frozenset[str], frozenset[str]]:
    """Columns that are in the release as they were, and the strata among them."""
    original, roles = claim.original, claim.original.roles
    gone = {name for each in (claim, *claim.steps) for name in each.terms.get("columns") or ()}
    named = frozenset() if roles is None else frozenset(roles.strata)
    left_out = frozenset() if roles is None else frozenset((*roles.identifiers, *roles.pseudonyms))
    there = frozenset(original.columns) - frozenset(original.quasi) - left_out - gone
    return there, named & there


def _not_promised_of(claim: Claim) -> tuple[str, ...]:
    if "only-withheld" in claim.guarantees and "k-anonymous" not in claim.guarantees:
        return local_suppression.NOT_PROMISED_OF_WILDCARDS + _NOT_PROMISED_OF_GROUPS
    if {"groups-of-k", "k-anonymous", "only-withheld"} & set(claim.guarantees):
        return _NOT_PROMISED_OF_GROUPS
    if "synthetic-cells" in claim.guarantees:
        kind: tuple[str, ...] = _NOT_PROMISED_OF_SYNTHESIS
    elif "dropped" in claim.guarantees:
        kind = _NOT_PROMISED_OF_DROPPINGS
    elif {"recoded", "coded", "generalised"} & set(claim.guarantees):
        kind = _NOT_PROMISED_OF_RECODINGS
    else:
        numbers = "numeric" in claim.original.scales
        kind = _NOT_PROMISED_OF_MASKINGS if numbers else _NOT_PROMISED_OF_CATEGORIES
    return (_NOT_PROMISED_OF_WEAK_MASKINGS if "rounding-restores" in claim.insisted else ()) + kind


def find(
    made: Made,
    uniqueness: Uniqueness,
    files: Files,
    report: Report,
    estimates: Sequence[Estimate],
    inferred: Sequence[Determined] = (),
    *,
    shuffled: bool,
) -> tuple[Caution, ...]:
    """All that apply to one release, the gravest first: to the file as it is, and to what each step made that
    still stands.

    `files` and `report` are those after the last step, `estimates` of the population where it has weights;
    `inferred` is what the verifier found to follow of hidden cells.
    """
    whole = made.whole
    # a recoding or coding publishes what it says, and shows in what is unique
    plain = ("recoding", "generalisation", "coding", "withholding", "dropping")
    parts = {at: _shown(each, made) for at, each in made.standing.items() if each.method.kind not in plain}
    changed = {name for step in made.steps for name in step.columns}
    emptied = [
        caution for each in made.standing.values() for caution in local_suppression.much_withheld(each)
    ]

    def of_steps(
        finder: Callable[[Protected], Iterator[Caution]], synthetic: bool | None = None
    ) -> Iterator[Caution]:
        for number, part in parts.items():
            if synthetic in (None, part.method.kind == "synthesis"):
                for caution in finder(part):
                    yield caution if not made.stages else _of_step(caution, number, made)

    finders = (
        accepted_risks.guessable_seed(whole),
        inferred_cells.given_back(inferred),
        _withdrawn(made),
        _dropped(made),
        no_effect.changed(made),
        usefulness.one_value_left(made),
        usefulness.little_left(made, files, report),
        usefulness.relations_lost(report),
        usefulness.estimates_moved(made, estimates),
        of_steps(_suppressed),
        _withheld(made),
        iter(emptied),
        *(accepted_risks.alone_by_keys(each) for each in made.standing.values()),
        unmasked_columns.unique_combinations(whole, uniqueness),
        unmasked_columns.nearly_unique(uniqueness),
        unmasked_columns.skipped(whole),
        unmasked_columns.unit_released(whole),
        unmasked_columns.units_merged(whole),
        unmasked_columns.pseudonyms(made),
        units.no_longer_alike(made),
        unmasked_columns.recomputable(whole),
        unmasked_columns.index(whole),
        unmasked_columns.row_order(whole, shuffled),
        of_steps(groups.zero_variance),
        *(of_steps(finder, synthetic=False) for finder in _OF_MASKINGS),
        of_steps(partial(synthesis.beside_synthetic, changed=changed), synthetic=True),
        *(of_steps(finder, synthetic=True) for finder in _OF_SYNTHESIS),
        of_steps(values.true_records),
        of_steps(values.rounding_restores),
        of_steps(values.impossible_values),
        of_steps(values.broken_relations),
        of_steps(maskings.unit_unused),
        of_steps(groups.constant_columns),
        of_steps(groups.codes_averaged),
        of_steps(groups.unrounded_integers),
        of_steps(groups.homogeneous),
        of_steps(groups.thin_strata),
        unmasked_columns.formulas(whole),
    )
    return gravest_first(caution for found in finders for caution in found)


_OF_MASKINGS = (
    maskings.singled_out,
    maskings.cells_kept,
    maskings.extremes_reproduced,
    categories.rare_categories,
    categories.likely_unchanged,
    categories.not_swapped,
)
_OF_SYNTHESIS = (
    synthesis.values_near,
    synthesis.extremes_near,
    synthesis.exact_moments,
    synthesis.membership_open,
    synthesis.copies,
    synthesis.rare_values,
    synthesis.levels_lost,
)


def _shown(part: Protected, made: Made) -> Protected:
    """A step with the columns that are released in the end: identifiers leave after the last one."""
    there = [name for name in part.data.columns if name in made.data.columns]
    if len(there) == len(part.data.columns):
        return part
    return replace(part, data=part.data.with_frame(part.data.frame.select(there)))


def _withdrawn(made: Made) -> Iterator[Caution]:
    """Promises of a step that a later one took back."""
    for number, by in dict.fromkeys((each.step, each.by) for each in made.withdrawn):
        taken = [each for each in made.withdrawn if (each.step, each.by) == (number, by)]
        names = ["+".join(made.steps[place - 1].names) for place in (number, by)]
        changed = tuple(dict.fromkeys(name for each in taken for name in each.columns))
        what = [f"changed {', '.join(changed)}"] if changed else []
        what += ["took out records"] if any(not each.columns for each in taken) else []
        yield Caution(
            "promise-withdrawn",
            f"Step {number} ({names[0]}) promised {', '.join(each.guarantee for each in taken)}; step {by} "
            f"({names[1]}) {' and '.join(what)} since, and nothing is promised of that any more.",
            len(taken),
            "As it should be where the later step builds on it; else put it first, or require at the end "
            "what must hold.",
        )


def _of_step(caution: Caution, number: int, made: Made) -> Caution:
    return replace(caution, text=f"Step {number} ({'+'.join(made.steps[number - 1].names)}): {caution.text}")


def _dropped(made: Made) -> Iterator[Caution]:
    """Records that are not in the release, by the rule that took them out."""
    protected = made.whole
    suppressed = sum(each.left for each in made.protected if each.method.kind != "dropping")
    if suppressed:
        yield Caution(
            "records-suppressed",
            "Records whose keys too few others share were left out of the release.",
            suppressed,
            "Totals computed from the release fall short by them, and they are not like the others; lower "
            "the limit, or withhold their keys alone (outliers).",
        )
    met = sum(each.left for each in made.protected if each.method.kind == "dropping")
    if met:
        yield Caution(
            "records-left-out",
            "Records that meet the condition of a drop were left out of the release.",
            met,
            "Totals and means computed from the release are those of the others; say in words for whom it "
            "still speaks.",
        )
    yield from _undecided(made)
    yield from _weights_short(protected)
    gone = protected.claim.original.n - protected.data.n - suppressed - met
    if gone:
        yield Caution(
            "records-dropped",
            "Records with a missing quasi-identifier were left out of the release."
            if not synthesis.is_synthetic(protected)
            else "Records that miss a dependent or independent value were left out of the release.",
            gone,
            "Totals computed from the release fall short by them; complete the values"
            + ("." if synthesis.is_synthetic(protected) else " or use a stratum."),
        )


def _undecided(made: Made) -> Iterator[Caution]:
    """Records of which a missing value left open whether they meet a condition."""
    for each in made.protected:
        if each.undecided:
            stays = each.claim.terms["unknown"] == "keep"
            yield Caution(
                "condition-undecided",
                "Records miss a value by which the condition of a drop is decided; they were "
                f"{'kept' if stays else 'left out'}, as was asked for.",
                each.undecided,
                "Some of them may be of those who were to leave. Complete the values, or drop them too."
                if stays
                else "Some of them may be of those who were to stay. Complete the values, or keep them.",
            )


def _weights_short(protected: Protected) -> Iterator[Caution]:
    """Records left, and the weights of the others are what they were."""
    roles, left = protected.claim.original.roles, protected.claim.leaving.size
    if left and roles is not None and roles.weight is not None:
        yield Caution(
            "weights-not-rescaled",
            f"Records left the file, and column {roles.weight} is released as it is: weighted totals fall "
            "short of the population.",
            left,
            "Calibrate the weights anew after protecting, or tell users for which population they stand.",
        )


def _withheld(made: Made) -> Iterator[Caution]:
    """Records that show none of their keys."""
    for step in made.standing.values():
        count = int(step.search.get("withheld", 0))
        if count:
            yield Caution(
                "keys-withheld",
                "Records show none of their keys: too few others share them.",
                count,
                "Tables by these keys fall short by them; lower the limit to have fewer.",
            )


def _suppressed(protected: Protected) -> Iterator[Caution]:
    """Values taken away so that k records miss the same columns."""
    taken = protected.claim.suppressed
    if taken is None:
        return
    for name, count in zip(protected.claim.original.quasi, taken.sum(axis=0).tolist(), strict=True):
        if count:
            yield Caution(
                "values-suppressed",
                f"Column {name} is published without a value in these records, which have one: too few "
                "records missed the same columns.",
                count,
                "Totals and means of the column fall short by them; complete the missing values, or drop the "
                "records that miss them.",
            )
