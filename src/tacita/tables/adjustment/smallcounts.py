"""Rounding of small counts only."""

from __future__ import annotations

from time import perf_counter
from typing import ClassVar

import numpy as np
from pydantic import Field
from scipy import sparse

from tacita.core import Adjusted, DataError, RunContext, Table, Terms
from tacita.core.arrays import Floats, Mask

from .adjustment_method import Adjustment
from .greedy import nearest_sums
from .sums import sums_of


class SmallCounts(Adjustment):
    """Inner counts below a base become zero or the base, all others stay, sums follow.

    Of the inner counts y_i < b as many become b as keep the total nearest, the rest become 0: those whose
    inner products with what the published sums still lack are largest, one after the other, and then
    exchanged as long as that helps. No count of 1 to b - 1 is left anywhere; sums of cells that are not small
    change least.

    O(small counts squared times the sums of a cell) at most.
    Source: Langsrud & Heldal (2018), An algorithm for small count rounding of tabular data, PSD 2018.

    >>> table = Table.from_array([[2, 7], [1, 9]], frequency=True)
    >>> found = SmallCounts(base=3).adjust(table)
    >>> table.grid(found.values).tolist()
    [[3.0, 7.0, 10.0], [0.0, 9.0, 9.0], [3.0, 16.0, 19.0]]
    """

    guarantees: ClassVar[tuple[str, ...]] = ("adds-up", "small-are-rounded", "none-hidden", "zeros-stay")

    base: int = Field(default=3, ge=2, le=10**6, description="counts below this become zero or this")

    def revalue(self, table: Table, run: RunContext) -> Adjusted:
        """Round the small inner counts of a table whose cells are all published."""
        self.require_whole(table)
        began = perf_counter()
        run.report("rounding small counts", 0, 1)
        sums = sums_of(table.relations, table.n)
        inner = rounded_counts(table.values[sums.parts], sums.matrix, self.base, run.search_generator())
        values = sums.of(inner)
        if np.abs(table.relations.residuals(values)).any():
            raise DataError(
                "SmallCounts: inner cells are tied among themselves, as by linked tables, and cannot be "
                "rounded one by one. Use the method rounding."
            )
        run.report("rounding small counts", 1, 1)
        return Adjusted.of(
            table,
            values,
            seconds=perf_counter() - began,
            terms=self.terms(table, values),
        )

    def terms(self, table: Table, values: Floats) -> Terms:
        """The base, and that no count below it is left."""
        return Terms(small=self.base, hidden=self.base - 1, whole=True)


def rounded_counts(
    counts: Floats, published: sparse.csr_array, base: int, generator: np.random.Generator
) -> Floats:
    """Inner counts, the small ones of which became zero or the base.

    Row c of `published` has the inner counts that published cell c is the sum of. Only inner counts behind a
    small published one are rounded; where that makes others small, these too.

    >>> published = sparse.csr_array(np.array([[1, 1, 1]]))
    >>> rounded_counts(np.array([1.0, 1.0, 9.0]), published, 3, np.random.default_rng(0)).tolist()
    [1.0, 1.0, 9.0]
    """
    rounded = counts.copy()
    while True:
        behind = _behind_small(rounded, published, base)
        if not behind.any():
            return rounded
        small = np.flatnonzero(behind)
        rounded[small] = 0.0
        lacking = published @ counts - published @ rounded
        number = int(np.rint((counts.sum() - rounded.sum()) / base))
        felt = published[:, small]
        rounded[small[nearest_sums(felt, lacking, float(base), number, generator)]] = base


def _behind_small(counts: Floats, published: sparse.csr_array, base: int) -> Mask:
    """Small inner counts that a small published count is made of."""
    shown = published @ counts
    small = (shown > 0) & (shown < base)
    behind = np.asarray(published.T @ (small * 1.0)) > 0
    small_parts: Mask = behind & (counts > 0) & (counts < base)
    return small_parts
