"""What a reader might take for granted of a release and must not, and what a later step took back."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.core import Caution
from tacita.core.results.release import Claim

from .finders import Finished, of_releases

_NOT_PROMISED_OF_WILDCARDS = (
    "That records look alike: who is compatible with k records may still fit one of them best.",
)
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
        return _NOT_PROMISED_OF_WILDCARDS + _NOT_PROMISED_OF_GROUPS
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


@of_releases
def promises_withdrawn(release: Finished) -> Iterator[Caution]:
    """Promises of a step that a later one took back."""
    made = release.made
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
