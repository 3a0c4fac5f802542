"""What holdings contribute: the sums of their records, cell by cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.core.arrays import Floats, Ints, Mask

from .ranking import Contributions


@dataclass(frozen=True, eq=False)
class Holdings:
    """One entry per cell and holding, in the order of cells, then of holdings.

    Of its records there: the sum, the sum of sizes, that of sizes with their weights, the sum of weights, how
    many they are, whether one asked for protection, and whether all renounced it.
    """

    cell: Ints
    holder: Ints
    amount: Floats
    size: Floats
    spread: Floats
    weight: Floats
    records: Floats
    asked: Mask
    waived: Mask

    @classmethod
    def of(
        cls, cell: Ints, holder: Ints, amount: Floats, weight: Floats, asked: Mask, waived: Mask
    ) -> Holdings:
        """Of records, those of a holding added in their order. O(n log n)."""
        plain = bool((weight == 1).all())
        # one array under several names is held, and summed, once
        size = amount if (amount >= 0).all() else np.abs(amount)
        spread = size if plain else size * weight
        records = weight if plain else np.ones(cell.size)
        return cls(cell, holder, amount, size, spread, weight, records, asked, waived).at(cell)

    def at(self, cell: Ints, chosen: Ints | None = None) -> Holdings:
        """The same, or some of the entries, in other cells; entries of one cell and holding become one."""

        def own(column: np.ndarray) -> np.ndarray:
            return column if chosen is None or chosen.size == column.size else column[chosen]

        holder = own(self.holder)
        span = int(holder.max(initial=0)) + 1
        keys, entry = np.unique(cell * span + holder, return_inverse=True)
        columns = (self.amount, self.size, self.spread, self.weight, self.records)
        sums = {
            number: np.bincount(entry, weights=own(column), minlength=keys.size)
            for number, column in {id(column): column for column in columns}.items()
        }
        amount, size, spread, weight, records = (
            sums[id(column)].astype(np.float64, copy=False) for column in columns
        )
        asked, lasting = np.zeros(keys.size, dtype=bool), np.zeros(keys.size, dtype=bool)
        asked[entry[own(self.asked)]] = True
        lasting[entry[~own(self.waived)]] = True
        return Holdings(keys // span, keys % span, amount, size, spread, weight, records, asked, ~lasting)

    def contributions(self) -> Contributions:
        """Their sizes, at the weight at which a sum is what its records stand for."""
        mean = mean_weight(self.spread, self.size, self.weight / np.maximum(self.records, 1))
        return Contributions(self.cell, self.holder, np.abs(self.amount), mean)


def mean_weight(spread: Floats, size: Floats, plain: Floats) -> Floats:
    """The weight of each sum: what its sizes stand for, by their sum; a plain mean where that is nought."""
    return np.divide(spread, size, out=plain, where=size > 0)
