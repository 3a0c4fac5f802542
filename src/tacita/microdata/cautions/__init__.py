"""Where the promise of k is thinner than it sounds: one small function per weakness, each with a count."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.core import Caution
from tacita.core.release import Claim
from tacita.core.uniqueness import Uniqueness
from tacita.microdata.protect import Protected

from . import groups, insisting, maskings, synthesis, unchanged, values

_NOT_PROMISED_OF_GROUPS = (
    "Attribute disclosure: members of a group may share a confidential value.",
    "Linkage through columns released unchanged: k holds for the quasi-identifiers named here only.",
)
_NOT_PROMISED_OF_MASKINGS = (
    "Groups of k records: a combination of masked values may point to one single record.",
    "Linkage through columns released unchanged: they stand as they were beside the masked ones.",
)
_NOT_PROMISED_OF_SYNTHESIS = (
    "Groups of k records: records keep their independent columns, and may be found by them.",
    "Secrecy of what independent columns tell: a dependent value that they determine is given away.",
    "Linkage through columns released unchanged: they stand as they were beside the synthetic ones.",
)
_NOT_PROMISED_OF_WEAK_MASKINGS = (
    "That values are hidden at all: it was insisted on a masking that rounding undoes.",
)
_NEVER_PROMISED = (
    "Differences between releases: publishing nearly the same records again can reveal who joined or left.",
    "Population uniqueness: the assessor's attacker knows all records of this file, not the population.",
    "Protection of the strata themselves: their values are released as they are.",
)


def not_promised(claim: Claim) -> tuple[str, ...]:
    """What a reader might take for granted and must not."""
    if "groups-of-k" in claim.guarantees:
        return _NOT_PROMISED_OF_GROUPS + _NEVER_PROMISED
    synthetic = "synthetic-cells" in claim.guarantees
    given_up = _NOT_PROMISED_OF_WEAK_MASKINGS if "rounding-restores" in claim.insisted else ()
    kind = _NOT_PROMISED_OF_SYNTHESIS if synthetic else _NOT_PROMISED_OF_MASKINGS
    return given_up + kind + _NEVER_PROMISED


def find(protected: Protected, uniqueness: Uniqueness, *, shuffled: bool) -> tuple[Caution, ...]:
    """All that apply to one release."""
    finders = (
        insisting.guessable_seed(protected),
        _dropped(protected),
        unchanged.unique_combinations(protected, uniqueness),
        unchanged.nearly_unique(uniqueness),
        unchanged.skipped(protected),
        unchanged.unit_released(protected),
        unchanged.units_merged(protected),
        unchanged.recomputable(protected),
        unchanged.index(protected),
        unchanged.row_order(protected, shuffled),
        groups.zero_variance(protected),
        *(_of_synthesis(protected) if synthesis.is_synthetic(protected) else _of_maskings(protected)),
        values.true_records(protected),
        values.rounding_restores(protected),
        values.impossible_values(protected),
        values.broken_relations(protected),
        maskings.unit_unused(protected),
        groups.constant_columns(protected),
        groups.codes_averaged(protected),
        groups.unrounded_integers(protected),
        groups.homogeneous(protected),
        groups.thin_strata(protected),
        unchanged.formulas(protected),
    )
    return tuple(caution for found in finders for caution in found)


def _of_maskings(protected: Protected) -> tuple[Iterator[Caution], ...]:
    return (
        maskings.singled_out(protected),
        maskings.cells_kept(protected),
        maskings.extremes_reproduced(protected),
    )


def _of_synthesis(protected: Protected) -> tuple[Iterator[Caution], ...]:
    return (
        synthesis.beside_synthetic(protected),
        synthesis.values_near(protected),
        synthesis.extremes_near(protected),
        synthesis.exact_moments(protected),
    )


def _dropped(protected: Protected) -> Iterator[Caution]:
    gone = protected.claim.original.n - protected.data.n
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
