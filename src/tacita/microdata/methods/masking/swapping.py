"""Values that change places with others of nearly the same rank."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from tacita.core import DataError, Matrix, Percent, RunContext

from .masking_method import Masked, Masking


class RankSwap(Masking):
    """Rank swapping: each value changes places with one whose rank is at most p percent away.

    Column by column: values are sorted, and from the lowest up each that has not been swapped changes
    places with one drawn at random among those not yet swapped of the next floor(p n / 100) ranks. Where
    none is left, a value stays where it is (few do; the warning `value-unchanged` counts them, with those
    swapped for equals).

    Preserved: the marginal distribution of every column in its stratum, exactly; hence means, variances,
    quantiles, bounds, whole numbers. Not preserved: correlations, which weaken as p grows, and linear
    relations.
    An attacker: every true value stands somewhere in the release, extremes too. The value of a record is
    within p percent of the ranks of the published one; who uses that in many columns at once often
    finds the record (measured by RSRL).

    O(d n log n) time, O(n d) memory. Ties are put in order of rows.
    Source: Moore (1996), Controlled data-swapping techniques for masking public use microdata sets,
    Statistical Research Division Report RR 96-04, U.S. Bureau of the Census.

    >>> x = np.arange(10.0).reshape(-1, 1)
    >>> z = RankSwap(p=20).mask(x)
    >>> np.sort(z, axis=0).ravel().tolist() == x.ravel().tolist(), bool(np.abs(z - x).max() <= 2)
    (True, True)
    """

    guarantees: ClassVar[tuple[str, ...]] = ("masked-cells", "marginals-preserved", "ranks-near")

    p: Percent = Field(
        default=10.0,
        gt=0,
        le=100,
        allow_inf_nan=False,
        description="largest difference of ranks, in percent of the records",
    )

    def change(self, x: Matrix, units: npt.ArrayLike | None, beside: Matrix, run: RunContext) -> Masked:
        from tacita.kernels.records.swapping import pair_ranks

        n, d = x.shape
        reach = int(self.p * n / 100)
        if reach < 1:
            raise DataError(
                f"RankSwap: p={self.p:g} percent of {n} records is less than one rank, nothing would be "
                "swapped. Raise p or merge strata."
            )
        chance = run.protective_generator()
        z = np.empty_like(x)
        partner = np.empty(n, dtype=np.int64)
        for j in range(d):
            order = np.argsort(x[:, j], kind="stable")
            pair_ranks(reach, chance.random(n), partner)
            z[order, j] = x[order[partner], j]
            run.report("masking records", j, d)
        return Masked(z)
