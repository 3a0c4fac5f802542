"""What a release does not promise, and promises of a step that a later one withdrew."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.core import DisclosureWarning
from tacita.core.results.release import Claim

from .finders import Finished, of_releases

_NOT_PROMISED_OF_WILDCARDS = (
    "That records look the same: a person who is compatible with k records may still fit one of them best.",
)
_NOT_PROMISED_OF_GROUPS = (
    "Attribute disclosure: members of a group may share a confidential value.",
    "Linkage through columns released unchanged: k holds for the quasi-identifiers named here only.",
)
_NOT_PROMISED_OF_MASKINGS = (
    "Groups of k records: a combination of masked values may point to one single record.",
    "Linkage through columns released unchanged: they are published next to the masked ones.",
)
_NOT_PROMISED_OF_RECODINGS = (
    "Groups of k records: coarser values may still point to one single record.",
    "Linkage through columns released unchanged: they are published next to the recoded ones.",
)
_NOT_PROMISED_OF_DROPPINGS = (
    "Secrecy of the removed records: anyone who knows a total of all records can compute their total.",
    "Linkage through columns released unchanged: the remaining records are published as they were.",
)
_NOT_PROMISED_OF_SYNTHESIS = (
    "Groups of k records: records keep their independent columns and may be found by them.",
    "Secrecy of values that independent columns determine: these are disclosed.",
    "Linkage through columns released unchanged: they are published next to the synthetic ones.",
)
_NOT_PROMISED_OF_CATEGORIES = (
    "That a published category differs from the true one: most are true; nobody can tell which ones.",
    *_NOT_PROMISED_OF_MASKINGS,
)
_NOT_PROMISED_OF_WEAK_MASKINGS = (
    "That values are protected at all: a masking was accepted that rounding undoes.",
)
_OF_PSEUDONYMS = (
    "Anonymity of pseudonyms: they link files of the same key, and anyone with the key finds the persons."
)
_OF_STRATA = "Protection of the strata themselves: their values are released as they are."
_NEVER_PROMISED = (
    "Differences between releases: publishing nearly the same records again can reveal who joined or left.",
    "Population uniqueness: the measures assume an attacker who knows this file, not the population.",
    _OF_STRATA,
)


def not_promised(claim: Claim) -> tuple[str, ...]:
    """What the release does not promise; with several steps, all sentences that apply to any of them."""
    kinds = (line for step in claim.steps or (claim,) if step.guarantees for line in _not_promised_of(step))
    unchanged, strata = _released_unchanged(claim)
    linked = () if claim.identified is None else (_OF_PSEUDONYMS,)
    return tuple(
        line
        for line in dict.fromkeys((*kinds, *linked, *_NEVER_PROMISED))
        if (unchanged or not line.startswith("Linkage through columns")) and (strata or line != _OF_STRATA)
    )


def _released_unchanged(claim: Claim) -> tuple[frozenset[str], frozenset[str]]:
    """Columns that are released unchanged, and the strata among them."""
    original, roles = claim.original, claim.original.roles
    dropped = {name for step in (claim, *claim.steps) for name in step.terms.get("columns") or ()}
    strata = frozenset() if roles is None else frozenset(roles.strata)
    identifying = frozenset() if roles is None else frozenset((*roles.identifiers, *roles.pseudonyms))
    unchanged = frozenset(original.columns) - frozenset(original.quasi) - identifying - dropped
    return unchanged, strata & unchanged


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
    return (_NOT_PROMISED_OF_WEAK_MASKINGS if "rounding-restores" in claim.accepted_risks else ()) + kind


@of_releases
def promises_withdrawn(release: Finished) -> Iterator[DisclosureWarning]:
    """Promises of a step that a later step withdrew."""
    made = release.made
    for number, by in dict.fromkeys((promise.step, promise.by) for promise in made.withdrawn):
        withdrawn = [promise for promise in made.withdrawn if (promise.step, promise.by) == (number, by)]
        names = ["+".join(made.steps[at - 1].names) for at in (number, by)]
        changed = tuple(dict.fromkeys(name for promise in withdrawn for name in promise.columns))
        actions = [f"changed {', '.join(changed)}"] if changed else []
        actions += ["removed records"] if any(not promise.columns for promise in withdrawn) else []
        yield DisclosureWarning(
            "promise-withdrawn",
            f"Step {number} ({names[0]}) promised {', '.join(promise.guarantee for promise in withdrawn)}; "
            f"step {by} ({names[1]}) {' and '.join(actions)} afterwards, so this no longer holds.",
            len(withdrawn),
            "Expected if the later step builds on the earlier one. Otherwise put the later step first, or "
            "state as a requirement what must hold in the release.",
        )
