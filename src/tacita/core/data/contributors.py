"""The contributors of the cells of a table, in the few figures that sensitivity rules need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tacita.core.arrays import Floats, Ints, Mask
from tacita.core.errors import DataError


@dataclass(frozen=True, eq=False)
class Contributors:
    """The contributors of each cell, in the figures that sensitivity rules need. Confidential.

    total      (n,)   sum of the sizes of contributions; negative ones count without sign
    count      (n,)   number of contributors, without sampling weights
    largest    (n, d) the largest contributions, descending, padded with zeros
    holders    (n, d) number of the holding of each of them, -1 if unknown or none
    frequency  (n,)   number of contributors with their sampling weights
    requested  (n,)   largest contribution of a contributor that requested protection
    open       (n,)   largest contribution of a contributor that did not waive protection
    respelled         number of holdings' names that were merged with another spelling
    listed            whether holdings are numbered for this table alone
    apart             whether one holding may have several numbers

    >>> two = Contributors.of([[60.0, 30.0, 10.0], [5.0]])
    >>> two.total.tolist(), two.count.tolist(), two.open.tolist()
    ([100.0, 5.0], [3, 1], [60.0, 5.0])
    """

    total: Floats
    count: Ints
    largest: Floats
    holders: Ints = field(repr=False)
    frequency: Floats = field(repr=False)
    requested: Floats = field(repr=False)
    open: Floats = field(repr=False)
    respelled: int = 0
    listed: bool = False
    apart: bool = False

    def __post_init__(self) -> None:
        n = self.total.size
        one_each = (self.count, self.frequency, self.requested, self.open)
        if any(a.shape != (n,) for a in one_each) or self.largest.shape != self.holders.shape:
            raise DataError("Contributors: wanted figures for the same cells everywhere.")
        if self.largest.ndim != 2 or self.largest.shape[0] != n or self.largest.shape[1] < 1:
            raise DataError("Contributors: wanted at least the largest contribution of each cell.")
        if (np.diff(self.largest, axis=1) > 0).any() or (self.largest < 0).any():
            raise DataError("Contributors: wanted sizes of contributions from the largest down.")

    @classmethod
    def of(cls, contributions: Sequence[Sequence[float]], depth: int = 3) -> Contributors:
        """From a list of contributions per cell, every one of another contributor."""
        largest = np.zeros((len(contributions), depth))
        for cell, values in enumerate(contributions):
            top = np.sort(np.abs(np.asarray(values, dtype=np.float64)))[::-1][:depth]
            largest[cell, : top.size] = top
        total = np.array([float(np.abs(values).sum()) for values in map(np.asarray, contributions)])
        count = np.array([len(values) for values in contributions], dtype=np.int64)
        nobody = np.full(largest.shape, -1, dtype=np.int64)
        return cls(
            total=total,
            count=count,
            largest=largest,
            holders=nobody,
            frequency=count.astype(float),
            requested=np.zeros(len(total)),
            open=largest[:, 0],
        )

    @classmethod
    def counts(cls, frequency: npt.ArrayLike) -> Contributors:
        """Of a frequency table: every contributor counts one."""
        counts = np.asarray(frequency, dtype=np.float64)
        one = np.minimum(counts, 1.0)[:, None]
        nobody = np.full(one.shape, -1, dtype=np.int64)
        return cls(
            total=counts,
            count=np.rint(counts).astype(np.int64),
            largest=one,
            holders=nobody,
            frequency=counts,
            requested=np.zeros(counts.size),
            open=one[:, 0],
        )

    @property
    def depth(self) -> int:
        """How many of the largest contributions are kept."""
        return int(self.largest.shape[1])

    @property
    def lone(self) -> Mask:
        """Cells of a single contributor who stands for nobody else: who that is knows the cell."""
        return np.asarray((self.count == 1) & (self.frequency < 1.5), dtype=bool)

    def at(self, cells: npt.ArrayLike) -> Contributors:
        """The same figures of some cells only."""
        chosen = np.asarray(cells)
        return Contributors(
            total=self.total[chosen],
            count=self.count[chosen],
            largest=self.largest[chosen],
            holders=self.holders[chosen],
            frequency=self.frequency[chosen],
            requested=self.requested[chosen],
            open=self.open[chosen],
        )

    def together(self, cells: Sequence[int] | Ints) -> Contributors:
        """Some cells taken as one: contributions of one holder are added before they are ranked.

        What a holder gives beyond the kept `depth` of a cell is not known to be the holder's; the count is
        the least there can be, so that a rule flags too much rather than too little. O(cells depth).
        """
        chosen = np.asarray(cells, dtype=np.int64)
        amounts, holders = self.largest[chosen].ravel(), self.holders[chosen].ravel()
        stands_for = _times_before(self.holders[chosen]).ravel()[amounts > 0]
        amounts, holders = amounts[amounts > 0], holders[amounts > 0]
        known = np.unique(holders[holders >= 0])
        # a holder of some weight stands for several of its size in a cell: they are not one
        as_one = np.stack([holders, stands_for])[:, holders >= 0]
        several, index = np.unique(as_one, axis=1, return_inverse=True)
        sums = np.bincount(index.reshape(-1), weights=amounts[holders >= 0], minlength=several.shape[1])
        unknown = amounts[holders < 0]
        ranked = np.concatenate([sums, unknown])
        named = np.concatenate([several[0], np.full(unknown.size, -1)]).astype(np.int64)
        order = np.argsort(-ranked, kind="stable")[: self.depth]
        largest, whose = np.zeros((1, self.depth)), np.full((1, self.depth), -1, dtype=np.int64)
        largest[0, : order.size], whose[0, : order.size] = ranked[order], named[order]
        everyone_known = bool((self.count[chosen] <= self.depth).all()) and not unknown.size
        distinct = known.size if everyone_known else self._least_count(chosen, known.size)
        # a sum of one holder over several cells can exceed the largest open contribution of each
        waived = bool((self.open[chosen] < self.largest[chosen, 0]).any())
        open_there = float(self.open[chosen].max(initial=0.0))
        still_open = open_there if waived else max(open_there, float(largest[0, 0]))
        return Contributors(
            total=np.array([self.total[chosen].sum()]),
            count=np.array([distinct], dtype=np.int64),
            largest=largest,
            holders=whose,
            frequency=np.array([self.frequency[chosen].sum()]),
            requested=np.array([self.requested[chosen].max(initial=0.0)]),
            open=np.array([still_open]),
        )

    def _least_count(self, chosen: Ints, known: int) -> int:
        if (self.holders[chosen] < 0).all():
            # nobody is named: contributors of different cells are different ones
            return int(self.count[chosen].sum())
        return max(int(self.count[chosen].max()), known)


def _times_before(holders: Ints) -> Ints:
    """How often the holder at each place stands at earlier places of the same cell. O(cells depth^2)."""
    alike = holders[:, :, None] == holders[:, None, :]
    return np.asarray(np.tril(alike, -1).sum(axis=2), dtype=np.int64)
