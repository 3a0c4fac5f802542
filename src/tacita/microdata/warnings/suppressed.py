"""Warnings about removed records, suppressed values, and suppressed values that other columns determine."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.core import DisclosureWarning
from tacita.microdata.protection.protect import ProtectedStep
from tacita.microdata.protection.steps import PipelineResult
from tacita.microdata.verify.inference import way_out

from .finders import Finished, of_releases, of_steps
from .synthesis import is_synthetic

# Percent of suppressed values beyond which a column is of little use.
_MOST_SUPPRESSED = 20.0


@of_releases
def records_left_out(release: Finished) -> Iterator[DisclosureWarning]:
    """Records that are not in the release, by the rule that removed them."""
    made = release.made
    protected = made.whole
    suppressed = sum(step.left for step in made.protected if step.method.kind != "dropping")
    if suppressed:
        yield DisclosureWarning(
            "records-suppressed",
            "Records whose keys too few others share were removed from the release.",
            suppressed,
            "Totals of the release miss these records, which differ from the others. Lower the limit, or "
            "suppress their keys only (outliers).",
        )
    dropped = sum(step.left for step in made.protected if step.method.kind == "dropping")
    if dropped:
        yield DisclosureWarning(
            "records-left-out",
            "Records that meet the condition of a drop were removed from the release.",
            dropped,
            "Totals and means of the release do not include them; document which population it covers.",
        )
    yield from _undecided(made)
    yield from _weights_short(protected)
    incomplete = protected.claim.original.n - protected.data.n - suppressed - dropped
    if incomplete:
        yield DisclosureWarning(
            "records-dropped",
            "Records with a missing quasi-identifier were removed from the release."
            if not is_synthetic(protected)
            else "Records with a missing dependent or independent value were removed from the release.",
            incomplete,
            "Totals of the release miss these records. Complete the values"
            + ("." if is_synthetic(protected) else " or choose missing stratum."),
        )


def _undecided(made: PipelineResult) -> Iterator[DisclosureWarning]:
    """Records for which a missing value leaves the condition of a drop undecided."""
    for step in made.protected:
        if step.undecided:
            stays = step.claim.terms["unknown"] == "keep"
            yield DisclosureWarning(
                "condition-undecided",
                "A value is missing that decides the condition of a drop. As requested, these records were "
                f"{'kept' if stays else 'removed'}.",
                step.undecided,
                "Some of them may meet the condition. Complete the values, or drop these records too."
                if stays
                else "Some of them may not meet the condition. Complete the values, or keep these records.",
            )


def _weights_short(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """Records were removed and the weights of the others were not adjusted."""
    roles, left = protected.claim.original.roles, protected.claim.dropped_rows.size
    if left and roles is not None and roles.weight is not None:
        yield DisclosureWarning(
            "weights-not-rescaled",
            f"Records were removed, but weight column {roles.weight} is unchanged: weighted totals are below "
            "those of the population.",
            left,
            "Calibrate the weights again after protecting, or document which population they represent.",
        )


@of_releases
def keys_suppressed(release: Finished) -> Iterator[DisclosureWarning]:
    """Records whose keys are all suppressed."""
    made = release.made
    for step in made.standing.values():
        count = int(step.search.get("withheld", 0))
        if count:
            yield DisclosureWarning(
                "keys-withheld",
                "All keys of these records are suppressed: too few others share them.",
                count,
                "Tables by these keys miss these records; lower the limit to suppress fewer.",
            )


@of_steps
def values_suppressed(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """Values suppressed so that k records have the same pattern of missing values."""
    suppressed = protected.claim.suppressed
    if suppressed is None:
        return
    for name, count in zip(protected.claim.original.quasi, suppressed.sum(axis=0).tolist(), strict=True):
        if count:
            yield DisclosureWarning(
                "values-suppressed",
                f"Column {name} is suppressed in these records: too few records had the same missing values.",
                count,
                "Totals and means of the column do not include them. Complete the missing values, or drop "
                "records that have some.",
            )


@of_releases
def much_suppressed(release: Finished) -> Iterator[DisclosureWarning]:
    """Columns that lost more than a fifth of their values."""
    suppressions = (step for step in release.made.standing.values() if step.method.kind == "withholding")
    for summary in (step.search for step in suppressions):
        for name, share in summary.get("share_by_column", {}).items():
            if share > _MOST_SUPPRESSED:
                yield DisclosureWarning(
                    "much-withheld",
                    f"Column {name} lost {share:.0f} % of its values to suppression.",
                    summary["cells_by_column"][name],
                    "Recode it into fewer categories first, raise its importance, or use fewer keys.",
                )


@of_releases
def given_back(release: Finished) -> Iterator[DisclosureWarning]:
    """One warning per column, with the records that are left with fewer than k, or the cells restored."""
    for column in release.inferred:
        then = f"; with these filled in, {column.exposed} records have fewer than k" if column.exposed else ""
        yield DisclosureWarning(
            "cells-determined",
            f"{column.text}: anyone who groups the release by that restores the suppressed values{then}.",
            column.exposed or column.cells,
            way_out([column]),
        )
