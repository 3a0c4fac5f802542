"""Rounding attack: how many originals are restored by rounding published values as the originals were.

Noise below half the decimal step of a column vanishes when values are rounded. A value that is unchanged by
chance, or swapped for an equal one, is counted too. Values that many records share (zeros) are restored in
any release, so counts are compared with those expected if the records were permuted at random.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.core import Ints, Matrix, ParameterError, TacitaError
from tacita.core.arrays import decimal_step
from tacita.core.results.release import DECLARED, Claim
from tacita.core.spec.setting_syntax import accepting
from tacita.microdata.protection.protect import ProtectedStep

# Largest shares of restored values (beyond chance) and of restored records that a release may have.
_MOST_OF_A_COLUMN = 0.5
_MOST_RECORDS = 0.2
# So many records that share a combination of values protect each other.
_FEW = 3
# Within this share of the spread a value counts as known, however many digits the column has.
_FINE = 1e-3


@dataclass(frozen=True)
class Restored:
    """Restored values of one column, and how many are expected if the records are permuted at random."""

    name: str
    back: int
    by_chance: float
    records: int

    @property
    def share(self) -> float:
        """Share of values restored beyond chance: 1 for the originals themselves."""
        open_ones = self.records - self.by_chance
        return (self.back - self.by_chance) / open_ones if open_ones > 0 else 0.0

    @property
    def beyond_chance(self) -> bool:
        """Whether chance is an unlikely explanation; it never explains that all values are restored."""
        all_restored = self.back == self.records and self.by_chance < self.records
        return all_restored or self.back - self.by_chance > 2 * np.sqrt(self.by_chance + 1)

    @property
    def too_many(self) -> bool:
        """Whether the column is insufficiently masked."""
        return self.beyond_chance and self.share > _MOST_OF_A_COLUMN


def changes_values(claim: Claim) -> bool:
    """Whether the step protects numbers by changing them, not by groups of k.

    Syntheses of columns of all kinds are excluded: they have a promise of their own (`values-redrawn`).
    """
    return not DECLARED & set(claim.guarantees) and "numeric" in claim.original.scales


def restored_columns(protected: ProtectedStep) -> tuple[Restored, ...]:
    """Restored values of every protected column. O(n log n) a column."""
    x, z, strata = protected.original, protected.released, protected.strata
    return tuple(
        _restored(name, x[:, j], z[:, j], strata) for j, name in enumerate(protected.claim.original.quasi)
    )


def restored_records(protected: ProtectedStep) -> int:
    """Number of records restored on all of at least two columns whose combination of values is rare.

    Rare: fewer than three records have it, or fewer than three units where units are named.
    """
    x, z, strata = protected.original, protected.released, protected.strata
    present = ~np.isnan(x)
    step = np.column_stack([steps(column, strata)[strata] for column in x.T])
    restored = ((np.abs(z - x) <= step / 2) | ~present).all(axis=1) & present.any(axis=1)
    if x.shape[1] < 2 or not restored.any():
        return 0
    with np.errstate(divide="ignore", invalid="ignore"):
        cells = np.where(present & (step > 0), np.rint(x / step), 0.0)
    combination = np.unique(np.column_stack([strata, cells]), axis=0, return_inverse=True)[1].reshape(-1)
    return int((restored & (protected.company.sharing(combination) < _FEW)).sum())


def steps(x: Matrix, strata: Ints) -> Matrix:
    """Step of a column in each stratum: its decimal step, or a thousandth of its spread if that is larger.

    >>> steps(np.array([1.25, 2.5, 1000.0, 3000.0]), np.array([0, 0, 1, 1])).round(3).tolist()
    [0.01, 1.414]
    """
    grain = decimal_step(x[~np.isnan(x)])
    order = np.argsort(strata, kind="stable")
    parts = np.split(x[order], np.cumsum(np.bincount(strata))[:-1])
    spread = [part.std(ddof=1) if part.size > 1 and not np.isnan(part).any() else 0.0 for part in parts]
    return np.maximum(grain, _FINE * np.array(spread))


def _restored(name: str, x: Matrix, z: Matrix, strata: Ints) -> Restored:
    half = steps(x, strata) / 2
    back = np.abs(z - x) <= half[strata]
    by_chance = 0.0
    order = np.argsort(strata, kind="stable")
    for stratum, rows in enumerate(np.split(order, np.cumsum(np.bincount(strata))[:-1])):
        if np.isnan(x[rows[0]]):
            continue
        # sorted queries keep the binary search local in memory
        originals, published = np.sort(x[rows]), np.sort(z[rows])
        above = np.searchsorted(originals, published + half[stratum], side="right")
        below = np.searchsorted(originals, published - half[stratum], side="left")
        by_chance += float((above - below).sum()) / rows.size
    return Restored(name, int(back.sum()), by_chance, int((~np.isnan(x)).sum()))


def against_advice(protected: ProtectedStep) -> dict[str, TacitaError]:
    """The error that refuses a release if rounding restores too many of its values or records."""
    if not changes_values(protected.claim):
        return {}
    who, n = protected.method.display_name(), protected.original.shape[0]
    restored = [
        f"column {column.name} gives back {column.back} of {column.records} values (by chance "
        f"{column.by_chance:.0f})"
        for column in restored_columns(protected)
        if column.too_many
    ]
    records = restored_records(protected)
    if records > _MOST_RECORDS * n:
        restored.append(f"{records} of {n} records come back on all columns")
    if not restored:
        return {}
    strengths = [name for name in ("alpha", "strength", "p") if name in type(protected.method).model_fields]
    stronger = f"Raise {strengths[0]}" if strengths else "Use another method"
    return {
        "rounding-restores": ParameterError(
            f"{who}: rounded to the step of the originals, {'; '.join(restored)}. This protects too little. "
            f"{stronger}, protect such columns by groups of k (mdav), or {accepting('rounding-restores')}."
        )
    }
