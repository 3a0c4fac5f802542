"""Warnings about published values that are close to the originals, or impossible in the column."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.core import DisclosureWarning, Mask, Matrix
from tacita.microdata.measures.evaluate import usable_numbers
from tacita.microdata.protection.group_representatives import exposed_groups
from tacita.microdata.protection.protect import ProtectedStep

from . import rounding_attack
from .finders import of_steps

# Share of the restored values of a column, beyond chance, from which on there is a warning.
_MIN_SHARE = 0.05
# Largest residual of a linear relation of standardised columns: in the originals, and in the release.
_RELATED = 1e-10
_BROKEN = 1e-6


@of_steps
def true_records(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """Groups that publish a real record."""
    k = protected.claim.k
    if protected.partition is None or k is None:
        return
    exposed = exposed_groups(
        protected.original,
        protected.released,
        protected.partition.labels,
        protected.strata,
        k,
        protected.company.units,
    )
    if exposed.size:
        yield DisclosureWarning(
            "published-true-record",
            f"These groups publish a combination of values that fewer than {k} {protected.company.what} "
            "have: a real record is published, once for each member of the group.",
            int(exposed.size),
            "Raise k, or coarsen columns so that more records share their values.",
        )


@of_steps
def rounding_restores(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """Values and whole records that an attacker restores by rounding."""
    if not rounding_attack.changes_values(protected.claim):
        return
    for column in rounding_attack.restored_columns(protected):
        if column.beyond_chance and column.share > _MIN_SHARE:
            yield DisclosureWarning(
                "rounding-restores",
                f"Rounding column {column.name} to the decimals of the originals restores the true value of "
                f"these records. By chance {column.by_chance:.0f} would match.",
                column.back,
                "Mask more strongly, or coarsen the column first.",
            )
    records = rounding_attack.restored_records(protected)
    if records:
        yield DisclosureWarning(
            "rounding-restores",
            "Rounding to the decimals of the originals restores these records on all protected columns, with "
            f"a combination of values that fewer than 3 {protected.company.what} have.",
            records,
            "Mask more strongly, or coarsen the columns first.",
        )


@of_steps
def impossible_values(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """Values below zero, or with decimals, in columns whose originals have none."""
    if protected.partition is not None or "numeric" not in protected.claim.original.scales:
        return
    synthetic = bool(protected.claim.original.roles and protected.claim.original.roles.dependent)
    for j, name in enumerate(protected.claim.original.quasi):
        before, after = (values[:, j][~np.isnan(values[:, j])] for values in _both(protected))
        negative = int((after < 0).sum()) if before.min(initial=0.0) >= 0 else 0
        if negative:
            yield DisclosureWarning(
                "negative-values",
                f"Column {name} has no negative values in the originals, but these in the release.",
                negative,
                "Draw with nonnegative or lowest 0; exact moments are then not preserved."
                if synthetic
                else "Use noise with lowest 0, or rank-swap or shuffle, which publish original values.",
            )
        fractional = int((after != np.rint(after)).sum()) if (before == np.rint(before)).all() else 0
        if fractional:
            yield DisclosureWarning(
                "fractional-values",
                f"Column {name} has only whole numbers in the originals, but these decimals in the release.",
                fractional,
                "Inform the users: rounding would break what the method preserves exactly."
                if not protected.method.roundable
                else "Release with round-integers, or inform the users.",
            )


@of_steps
def broken_relations(protected: ProtectedStep) -> Iterator[DisclosureWarning]:
    """Sums and other linear relations that hold in all originals but not in the release. O(n d^2)."""
    if protected.partition is not None or "numeric" not in protected.claim.original.scales:
        return
    data, rows = protected.claim.original, np.sort(protected.claim.rows)
    others = [name for name in protected.data.columns if name not in data.quasi]
    context = {name: values for name in others if (values := usable_numbers(data, name)) is not None}
    numeric = [j for j, name in enumerate(data.quasi) if data.scale(name) == "numeric"]
    names = np.array([*(data.quasi[j] for j in numeric), *context])
    x, z = (
        np.column_stack([values[:, numeric], *(column[rows] for column in context.values())])
        for values in _both(protected)
    )
    present = ~np.isnan(x).any(axis=1)
    x, z = x[present], z[present]
    # with fewer records than columns some relation always holds
    if len(x) <= 2 * (x.shape[1] + 1):
        return
    centre, scale = x.mean(axis=0), np.where(np.ptp(x, axis=0) > 0, x.std(axis=0), np.inf)
    relations = _relations((x - centre) / scale, scale < np.inf)
    off = np.abs(((z - centre) / scale) @ relations.T) > _BROKEN
    broken = int(off.any(axis=1).sum())
    if broken:
        tied = names[np.abs(relations[off.any(axis=0)]).max(axis=0) > _BROKEN]
        yield DisclosureWarning(
            "broken-relations",
            f"Columns with a sum or another linear relation in all originals ({', '.join(tied)}) break it in "
            "these records.",
            broken,
            "Mask all of them by correlated-noise or romm, synthesise all of them, or leave one out.",
        )


def _relations(z: Matrix, varies: Mask) -> Matrix:
    """Independent linear combinations of standardised columns that are zero in every record, one a row."""
    _, sizes, axes = np.linalg.svd(np.linalg.qr(z[:, varies], mode="r"))
    null_axes = axes[sizes <= _RELATED * np.sqrt(len(z))]
    relations = np.zeros((len(null_axes), z.shape[1]))
    relations[:, varies] = null_axes
    return relations


def _both(protected: ProtectedStep) -> tuple[Matrix, Matrix]:
    return protected.original, protected.released
