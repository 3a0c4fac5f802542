"""How many originals come back when published values are rounded as the originals were written.

Noise that is smaller than half a step of the column vanishes when it is rounded away. Whether chance or a
swap for an equal value did it makes no difference to the record. What everybody shares (zeros) comes back in
any release, and so counts are held against those of records dealt out anew.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.core import Ints, Matrix, ParameterError, TacitaError
from tacita.core.arrays import decimal_step
from tacita.core.results.release import DECLARED, Claim
from tacita.microdata.protection.protect import Protected

# Of the values that chance alone would not give back, and of whole records; above, it is no masking.
_MOST_OF_A_COLUMN = 0.5
_MOST_RECORDS = 0.2
# More records than this that share a combination of values hide each other.
_FEW = 3
# To a thousandth of its spread a value is known, however many digits it is written with.
_FINE = 1e-3


@dataclass(frozen=True)
class Restored:
    """Values of one column that come back, and how many would if the records changed places at random."""

    name: str
    back: int
    by_chance: float
    records: int

    @property
    def share(self) -> float:
        """Of the values that chance leaves open, those that come back: 1 for the originals themselves."""
        open_ones = self.records - self.by_chance
        return (self.back - self.by_chance) / open_ones if open_ones > 0 else 0.0

    @property
    def beyond_chance(self) -> bool:
        """Whether so many cannot well be chance; all of them never are."""
        all_of_them = self.back == self.records and self.by_chance < self.records
        return all_of_them or self.back - self.by_chance > 2 * np.sqrt(self.by_chance + 1)

    @property
    def too_many(self) -> bool:
        """Whether the column is hardly masked at all."""
        return self.beyond_chance and self.share > _MOST_OF_A_COLUMN


def changes_values(claim: Claim) -> bool:
    """Whether numbers were to be hidden by changing them, not behind k others.

    What is drawn anew of all kinds of columns has a promise of its own about what comes back.
    """
    return not DECLARED & set(claim.guarantees) and "numeric" in claim.original.scales


def restored_columns(protected: Protected) -> tuple[Restored, ...]:
    """Every protected column. O(n log n) a column."""
    x, z, strata = protected.original, protected.released, protected.strata
    return tuple(
        _restored(name, x[:, j], z[:, j], strata) for j, name in enumerate(protected.claim.original.quasi)
    )


def restored_records(protected: Protected) -> int:
    """Records that come back on all of several columns, with a combination of steps that few have.

    Few records, or units where these are named.
    """
    x, z, strata = protected.original, protected.released, protected.strata
    present = ~np.isnan(x)
    step = np.column_stack([steps(column, strata)[strata] for column in x.T])
    whole = ((np.abs(z - x) <= step / 2) | ~present).all(axis=1) & present.any(axis=1)
    if x.shape[1] < 2 or not whole.any():
        return 0
    with np.errstate(divide="ignore", invalid="ignore"):
        cells = np.where(present & (step > 0), np.rint(x / step), 0.0)
    combination = np.unique(np.column_stack([strata, cells]), axis=0, return_inverse=True)[1].reshape(-1)
    return int((whole & (protected.company.sharing(combination) < _FEW)).sum())


def steps(x: Matrix, strata: Ints) -> Matrix:
    """The step of a column in each stratum: that of its decimals, or a thousandth of its spread if coarser.

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
        # both sorted: the search then walks through memory instead of jumping
        originals, published = np.sort(x[rows]), np.sort(z[rows])
        above = np.searchsorted(originals, published + half[stratum], side="right")
        below = np.searchsorted(originals, published - half[stratum], side="left")
        by_chance += float((above - below).sum()) / rows.size
    return Restored(name, int(back.sum()), by_chance, int((~np.isnan(x)).sum()))


def against_advice(protected: Protected) -> dict[str, TacitaError]:
    """The error that refuses a release whose values, or whole records, come back by rounding."""
    if not changes_values(protected.claim):
        return {}
    who, n = protected.method.spoken_name(), protected.original.shape[0]
    told = [
        f"column {column.name} gives back {column.back} of {column.records} values (by chance "
        f"{column.by_chance:.0f})"
        for column in restored_columns(protected)
        if column.too_many
    ]
    records = restored_records(protected)
    if records > _MOST_RECORDS * n:
        told.append(f"{records} of {n} records come back on all columns")
    if not told:
        return {}
    strengths = [name for name in ("alpha", "strength", "p") if name in type(protected.method).model_fields]
    stronger = f"Raise {strengths[0]}" if strengths else "Use another method"
    return {
        "rounding-restores": ParameterError(
            f"{who}: rounded to the step of the originals, {'; '.join(told)}. This hides too little. "
            f"{stronger}, protect such columns by groups of k (mdav), or insist (--insist; it is recorded)."
        )
    }
