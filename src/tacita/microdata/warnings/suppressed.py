"""Records and values that the release no longer has, and hidden ones that other columns give back."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.core import Caution
from tacita.microdata.protection.protect import Protected
from tacita.microdata.protection.steps import Made
from tacita.microdata.verify.inference import way_out

from .finders import Finished, of_releases, of_steps
from .synthesis import is_synthetic

# Percent of the values of a column beyond which it is hardly of use.
_MUCH = 20.0


@of_releases
def records_left_out(release: Finished) -> Iterator[Caution]:
    """Records that are not in the release, by the rule that took them out."""
    made = release.made
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
            if not is_synthetic(protected)
            else "Records that miss a dependent or independent value were left out of the release.",
            gone,
            "Totals computed from the release fall short by them; complete the values"
            + ("." if is_synthetic(protected) else " or use a stratum."),
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


@of_releases
def keys_withheld(release: Finished) -> Iterator[Caution]:
    """Records that show none of their keys."""
    made = release.made
    for step in made.standing.values():
        count = int(step.search.get("withheld", 0))
        if count:
            yield Caution(
                "keys-withheld",
                "Records show none of their keys: too few others share them.",
                count,
                "Tables by these keys fall short by them; lower the limit to have fewer.",
            )


@of_steps
def values_suppressed(protected: Protected) -> Iterator[Caution]:
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


@of_releases
def much_withheld(release: Finished) -> Iterator[Caution]:
    """Columns that lost a fifth of their values or more."""
    withheld = (each for each in release.made.standing.values() if each.method.kind == "withholding")
    for found in (each.search for each in withheld):
        for name, share in found.get("share_by_column", {}).items():
            if share > _MUCH:
                yield Caution(
                    "much-withheld",
                    f"Column {name} lost {share:.0f} % of its values.",
                    found["cells_by_column"][name],
                    "Recode it into fewer categories first, give it more importance, or leave a key out.",
                )


@of_releases
def given_back(release: Finished) -> Iterator[Caution]:
    """One warning a column, with the records that it leaves with fewer than k, or its cells."""
    for each in release.inferred:
        then = f"; filled in, {each.exposed} records stand with fewer than k" if each.exposed else ""
        yield Caution(
            "cells-determined",
            f"{each.text}: whoever groups the release by that finds what was hidden{then}.",
            each.exposed or each.cells,
            way_out([each]),
        )
