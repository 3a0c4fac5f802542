"""Who contributes most to each cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacita.core.arrays import Floats, Ints, Mask

# Places differ by less than this in nothing but the rounding of weights.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Contributions:
    """One entry per cell and holding, in the order of cells, then of holdings."""

    cell: Ints
    holder: Ints
    amount: Floats
    weight: Floats

    @property
    def starts(self) -> Ints:
        """The first entry of each cell that has one."""
        return starts_of(self.cell)

    def at(self, chosen: Ints | Mask) -> Contributions:
        """Some of the entries."""
        return Contributions(self.cell[chosen], self.holder[chosen], self.amount[chosen], self.weight[chosen])

    @staticmethod
    def joined(parts: Sequence[Contributions]) -> Contributions:
        """The entries of several, each of other holdings or other cells."""
        names = ("cell", "holder", "amount", "weight")
        joined = Contributions(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
        return joined.at(np.lexsort((joined.holder, joined.cell)))

    def leading(self, depth: int) -> Contributions:
        """The entries that can be among the first `depth` of their cell, whatever entries are added.

        Where all weights are at least 1, so many of each cell, by one pass over the entries for each place.
        Where some are less, as many as it takes until their weights add up. O(n depth), or O(n log n).
        """
        one = self.at(self.weight > 0) if (self.weight <= 0).any() else self
        starts = one.starts
        sizes = np.diff(np.append(starts, one.cell.size))
        if sizes.max(initial=0) <= depth:
            return one
        if (one.weight < 1).any():
            order = one.order
            before = running_sums(one.weight[order], starts) - one.weight[order]
            return one.at(np.sort(order[before < depth + _ROUNDING * len(order)]))
        left, chosen = one.amount.copy(), np.zeros(one.cell.size, dtype=bool)
        for _ in range(depth):
            most = np.maximum.reduceat(left, starts)
            tops = np.flatnonzero(left == np.repeat(most, sizes))
            # of equal ones the first, whose holding has the lowest number; none where all were taken
            tops = tops[np.append(True, np.diff(one.cell[tops]) > 0)]
            chosen[tops] = True
            left[tops] = -1.0
        return one.at(chosen)

    @property
    def order(self) -> Ints:
        """The entries of each cell from the largest down; of equal ones the first holding."""
        if not self.cell.size or self.amount.min() == self.amount.max():
            # they come by cell and holder already
            return np.arange(self.cell.size)
        return np.lexsort((self.holder, -self.amount, self.cell))

    def ranked(self, cells: int, depth: int) -> tuple[Floats, Ints]:
        """The largest contributions of so many cells, and whose they are, -1 where there is none.

        A weight of w takes w places, the last of them in part.
        """
        largest, holders = np.zeros((cells, depth)), np.full((cells, depth), -1, dtype=np.int64)
        order = self.order
        cell, amount, weight = self.cell[order], self.amount[order], self.weight[order]
        end = running_sums(weight, self.starts)
        start = end - weight
        for place in range(depth):
            taken = np.clip(np.minimum(end, place + 1) - np.maximum(start, place), 0.0, 1.0)
            np.add.at(largest[:, place], cell, amount * np.where(taken > _ROUNDING, taken, 0.0))
            here = (start <= place + _ROUNDING) & (end > place + _ROUNDING)
            holders[cell[here], place] = self.holder[order][here]
        # parts of places differ in the last digit
        np.minimum.accumulate(largest, axis=1, out=largest)
        return largest, holders


def starts_of(cell: Ints) -> Ints:
    """Where each cell begins among entries in the order of cells."""
    return np.flatnonzero(np.append(True, np.diff(cell) > 0)) if cell.size else np.zeros(0, dtype=np.int64)


def running_sums(values: Floats, starts: Ints) -> Floats:
    """What values add up to so far, from each of `starts` anew: the same whatever stands before it.

    O(n), by whatever there are fewer of: sums, or values of the longest.

    >>> running_sums(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 2])).tolist()
    [1.0, 3.0, 3.0, 7.0]
    """
    totals = values.copy()
    ends = np.append(starts[1:], values.size)
    longest = int((ends - starts).max(initial=0))
    if longest > starts.size:
        for begin, end in zip(starts.tolist(), ends.tolist(), strict=True):
            np.cumsum(values[begin:end], out=totals[begin:end])
        return totals
    for place in range(1, longest):
        at = starts[ends - starts > place] + place
        totals[at] += totals[at - 1]
    return totals
