"""The additive aggregates of a table: sums of records, and figures of the contributors of its cells.

Only cells that have records are kept, in their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from tacita.core import CellKeys, Contributors, Hierarchy
from tacita.core.arrays import Floats, Ints, Mask
from tacita.core.data.cell_keys import KeySums

from .exact_sum import ExactSums
from .ranking import Contributions, starts_of


@dataclass(frozen=True, eq=False)
class Sums:
    """Of the records of each cell: what they add up to, and what its key is made of."""

    cell: Ints
    value: ExactSums
    keys: KeySums | None = None

    @classmethod
    def of(cls, cell: Ints, values: Floats, keys: KeySums | None) -> Sums:
        """Of records in the order of cells. O(n words)."""
        starts = starts_of(cell)
        return cls(cell[starts], ExactSums.of(values, starts), None if keys is None else keys.added(starts))

    @staticmethod
    def joined(parts: Sequence[Sums]) -> Sums:
        """Of all records of several. O(n log n) for n cells in all of them."""
        cell = np.concatenate([part.cell for part in parts])
        order = np.argsort(cell, kind="stable")
        starts = starts_of(cell[order])
        keys = [part.keys for part in parts if part.keys is not None]
        return Sums(
            cell[order][starts],
            ExactSums.joined([part.value for part in parts]).at(order).added(starts),
            KeySums.joined(keys).at(order).added(starts) if keys else None,
        )

    def rolled_up(self, dimensions: Sequence[Hierarchy]) -> Sums:
        """Of all cells, from those of the leaves. O(cells log cells) for each combination of levels."""
        parts = []
        for deep, above in levels(dimensions, self.cell):
            keys = None if self.keys is None else self.keys.at(deep)
            parts.append(Sums(above, self.value.at(deep), keys))
        return Sums.joined(parts)

    def values(self, cells: int) -> Floats:
        """What so many cells add up to."""
        return _spread(self.cell, self.value.rounded(), cells)

    def cell_keys(self, cells: int) -> CellKeys | None:
        """The keys of so many cells."""
        return None if self.keys is None else self.keys.cells(self.cell, cells)


@dataclass(frozen=True, eq=False)
class Figures:
    """Figures of the contributors of each cell.

    Their total, number and weight, the largest amount that requested protection, the largest that did not
    waive it, and the contributions that may be among the largest.
    """

    cell: Ints
    total: ExactSums
    frequency: ExactSums
    count: Ints
    requested: Floats
    open: Floats
    leading: Contributions

    @classmethod
    def of(cls, one: Contributions, requested: Mask, waived: Mask, depth: int) -> Figures:
        """Aggregate the contributions of holdings to cells. O(n depth) where no weight is below 1."""
        starts = one.starts
        return cls(
            cell=one.cell[starts],
            # by holding, not by record: a holding with several records may still be a singleton
            total=ExactSums.of(one.amount * one.weight, starts),
            frequency=ExactSums.of(one.weight, starts),
            count=np.diff(np.append(starts, one.cell.size)),
            requested=_largest(np.where(requested, one.amount, 0.0), starts),
            open=_largest(np.where(waived, 0.0, one.amount), starts),
            leading=one.leading(depth),
        )

    @staticmethod
    def joined(parts: Sequence[Figures], depth: int) -> Figures:
        """Of several, each of other holdings or other cells. O(n log n) for n cells in all of them."""
        cell = np.concatenate([part.cell for part in parts])
        order = np.argsort(cell, kind="stable")
        starts = starts_of(cell[order])
        count, requested, still_open = (
            np.concatenate([getattr(part, name) for part in parts])[order]
            for name in ("count", "requested", "open")
        )
        return Figures(
            cell=cell[order][starts],
            total=ExactSums.joined([part.total for part in parts]).at(order).added(starts),
            frequency=ExactSums.joined([part.frequency for part in parts]).at(order).added(starts),
            count=np.add.reduceat(count, starts) if starts.size else count,
            requested=_largest(requested, starts),
            open=_largest(still_open, starts),
            leading=Contributions.joined([part.leading for part in parts]).leading(depth),
        )

    def rolled_up(self, dimensions: Sequence[Hierarchy], depth: int) -> Figures:
        """Of all cells, from those of the leaves, where every record is a holding of its own."""
        parts = []
        for deep, above in levels(dimensions, self.cell):
            place = np.full(self.cell.size, -1, dtype=np.int64)
            place[deep] = above
            mine = place[np.searchsorted(self.cell, self.leading.cell)]
            own = self.leading.at(mine >= 0)
            parts.append(
                Figures(
                    cell=above,
                    total=self.total.at(deep),
                    frequency=self.frequency.at(deep),
                    count=self.count[deep],
                    requested=self.requested[deep],
                    open=self.open[deep],
                    leading=Contributions(mine[mine >= 0], own.holder, own.amount, own.weight),
                )
            )
        return Figures.joined(parts, depth)

    def contributors(self, cells: int, depth: int, respelled: int) -> Contributors:
        """The contributors of each cell."""
        largest, holders = self.leading.ranked(cells, depth)
        return Contributors(
            total=_spread(self.cell, self.total.rounded(), cells),
            count=_spread(self.cell, self.count, cells),
            largest=largest,
            holders=holders,
            frequency=_spread(self.cell, self.frequency.rounded(), cells),
            requested=_spread(self.cell, self.requested, cells),
            open=_spread(self.cell, self.open, cells),
            respelled=respelled,
        )


def levels(dimensions: Sequence[Hierarchy], cell: Ints) -> Iterator[tuple[Ints, Ints]]:
    """For every combination of levels the cells of leaves that have one, by place, and the cell above each.

    Of one combination there are no cells of another.
    """
    shape = tuple(len(dimension) for dimension in dimensions)
    leaves = np.unravel_index(cell, shape)
    paths = [dimension.ancestors() for dimension in dimensions]
    for at_levels in product(*(range(path.shape[1]) for path in paths)):
        at = [path[own, level] for path, own, level in zip(paths, leaves, at_levels, strict=True)]
        # a leaf that is less deep stands at its own level only
        deep = np.flatnonzero(np.logical_and.reduce([column >= 0 for column in at]))
        above = np.ravel_multi_index([column[deep] for column in at], shape).astype(np.int64, copy=False)
        # release the memory of millions of records while the caller works on the cells
        del at
        yield deep, above


def _largest(amounts: Floats, starts: Ints) -> Floats:
    return np.maximum.reduceat(amounts, starts) if starts.size else amounts


def _spread(places: Ints, figures: np.ndarray, cells: int) -> np.ndarray:
    full = np.zeros(cells, dtype=figures.dtype)
    full[places] = figures
    return full
