"""Published values that are nearly the originals, or that no original could be: each with a count."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.core import Caution, Mask, Matrix
from tacita.microdata.measures.evaluate import usable_numbers
from tacita.microdata.protection.group_representatives import exposed_groups
from tacita.microdata.protection.protect import Protected

from . import rounding_attack
from .finders import of_steps

# Fewer of a column that come back, of those that chance leaves open, are not worth a word.
_WORTH_TELLING = 0.05
# Columns of spread 1 that cancel to this part of it are tied in the originals; in the release to the second.
_RELATED = 1e-10
_BROKEN = 1e-6


@of_steps
def true_records(protected: Protected) -> Iterator[Caution]:
    """Groups that publish the very record of somebody."""
    k = protected.claim.k
    if protected.partition is None or k is None:
        return
    found = exposed_groups(
        protected.original,
        protected.released,
        protected.partition.labels,
        protected.strata,
        k,
        protected.company.units,
    )
    if found.size:
        yield Caution(
            "published-true-record",
            f"Groups that publish a combination of values which fewer than {k} {protected.company.what} "
            "have: somebody's record stands there as it was, as often as the group has members.",
            int(found.size),
            "Raise k, or coarsen columns so that more records share their values.",
        )


@of_steps
def rounding_restores(protected: Protected) -> Iterator[Caution]:
    """Values, and whole records, that rounding brings back."""
    if not rounding_attack.changes_values(protected.claim):
        return
    for column in rounding_attack.restored_columns(protected):
        if column.beyond_chance and column.share > _WORTH_TELLING:
            yield Caution(
                "rounding-restores",
                f"Column {column.name} gives back the true value of these records when it is rounded as the "
                f"originals are written. Chance alone would give back {column.by_chance:.0f}.",
                column.back,
                "Mask more strongly, or coarsen the column first.",
            )
    records = rounding_attack.restored_records(protected)
    if records:
        yield Caution(
            "rounding-restores",
            "These records come back on all protected columns when they are rounded as the originals are "
            f"written, with a combination of values that fewer than 3 {protected.company.what} have.",
            records,
            "Mask more strongly, or coarsen the columns first.",
        )


@of_steps
def impossible_values(protected: Protected) -> Iterator[Caution]:
    """Values that no original could have: below zero, or with decimals, where all originals have none."""
    if protected.partition is not None or "numeric" not in protected.claim.original.scales:
        return
    synthetic = bool(protected.claim.original.roles and protected.claim.original.roles.dependent)
    for j, name in enumerate(protected.claim.original.quasi):
        before, after = (values[:, j][~np.isnan(values[:, j])] for values in _both(protected))
        negative = int((after < 0).sum()) if before.min(initial=0.0) >= 0 else 0
        if negative:
            yield Caution(
                "negative-values",
                f"Column {name} has no negative value in the originals and these in the release.",
                negative,
                "Draw with nonnegative, or with lowest 0: exact moments are not kept then."
                if synthetic
                else "Mask by noise with lowest 0, or by rank-swap or shuffle, whose values were there.",
            )
        fractional = int((after != np.rint(after)).sum()) if (before == np.rint(before)).all() else 0
        if fractional:
            yield Caution(
                "fractional-values",
                f"Column {name} holds whole numbers in the originals and these with decimals in the release.",
                fractional,
                "Tell the users: rounding them would break what is exact."
                if not protected.method.roundable
                else "Release with round-integers, or tell the users.",
            )


@of_steps
def broken_relations(protected: Protected) -> Iterator[Caution]:
    """Sums and other linear relations of all originals that do not hold in the release. O(n d^2)."""
    if protected.partition is not None or "numeric" not in protected.claim.original.scales:
        return
    data, rows = protected.claim.original, np.sort(protected.claim.rows)
    others = [name for name in protected.data.columns if name not in data.quasi]
    beside = {name: values for name in others if (values := usable_numbers(data, name)) is not None}
    numeric = [j for j, name in enumerate(data.quasi) if data.scale(name) == "numeric"]
    names = np.array([*(data.quasi[j] for j in numeric), *beside])
    x, z = (
        np.column_stack([values[:, numeric], *(kept[rows] for kept in beside.values())])
        for values in _both(protected)
    )
    present = ~np.isnan(x).any(axis=1)
    x, z = x[present], z[present]
    # of fewer records than columns everything is tied
    if len(x) <= 2 * (x.shape[1] + 1):
        return
    centre, scale = x.mean(axis=0), np.where(np.ptp(x, axis=0) > 0, x.std(axis=0), np.inf)
    relations = _relations((x - centre) / scale, scale < np.inf)
    off = np.abs(((z - centre) / scale) @ relations.T) > _BROKEN
    broken = int(off.any(axis=1).sum())
    if broken:
        tied = names[np.abs(relations[off.any(axis=0)]).max(axis=0) > _BROKEN]
        yield Caution(
            "broken-relations",
            f"Columns that add up, or are otherwise tied, in all originals ({', '.join(tied)}) no longer are "
            "in these records.",
            broken,
            "Mask all of them by correlated-noise or romm, draw all of them anew, or leave one out.",
        )


def _relations(z: Matrix, varies: Mask) -> Matrix:
    """One row for each independent combination of standardised columns that vanishes in every record."""
    _, sizes, axes = np.linalg.svd(np.linalg.qr(z[:, varies], mode="r"))
    found = axes[sizes <= _RELATED * np.sqrt(len(z))]
    relations = np.zeros((len(found), z.shape[1]))
    relations[:, varies] = found
    return relations


def _both(protected: Protected) -> tuple[Matrix, Matrix]:
    return protected.original, protected.released
