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
    many they are, how many asked for protection, and how many renounced it.
    """

    cell: Ints
    holder: Ints
    amount: Floats
    size: Floats
    spread: Floats
    weight: Floats
    records: Floats
    asked: Floats
    waived: Floats

    @classmethod
    def of(
        cls, cell: Ints, holder: Ints, amount: Floats, weight: Floats, asked: Mask, waived: Mask
    ) -> Holdings:
        """Of records, those of a holding added in their order. O(n log n)."""
        size = np.abs(amount)
        ones = np.ones(cell.size)
        return cls(cell, holder, amount, size, size * weight, weight, ones, asked * ones, waived * ones).at(
            cell
        )

    def at(self, cell: Ints) -> Holdings:
        """The same in other cells, such as those above; entries of one cell and holding are one."""
        span = int(self.holder.max(initial=0)) + 1
        keys, entry = np.unique(cell * span + self.holder, return_inverse=True)
        names = ("amount", "size", "spread", "weight", "records", "asked", "waived")
        sums: list[Floats] = [
            np.bincount(entry, weights=getattr(self, name), minlength=keys.size).astype(np.float64)
            for name in names
        ]
        return Holdings(keys // span, keys % span, *sums)

    def chosen(self, places: Ints) -> Holdings:
        """Some of the entries."""
        return Holdings(*(getattr(self, name)[places] for name in self.__dataclass_fields__))

    def contributions(self) -> Contributions:
        """Their sizes, at the weight at which a sum is what its records stand for."""
        plain = self.weight / np.maximum(self.records, 1)
        mean = mean_weight(self.spread, self.size, plain)
        return Contributions(self.cell, self.holder, np.abs(self.amount), mean)


def mean_weight(spread: Floats, size: Floats, plain: Floats) -> Floats:
    """The weight of each sum: what its sizes stand for, by their sum; a plain mean where that is nought."""
    return np.divide(spread, size, out=plain, where=size > 0)
