"""The sums that tie the cells of a table together: M a = 0, kept sparse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np
import numpy.typing as npt

from tacita.core.arrays import Floats, Ints, Mask
from tacita.core.errors import DataError

from .hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class Relations:
    """Rows of M: row r has the coefficients `signs[starts[r]:starts[r + 1]]` at the cells `cells[...]`.

    A line of a table is +1 at its cells and -1 at their sum. `basis` marks rows that imply all others:
    an attacker needs no more, and with fewer rows a problem is more often a network.

    >>> two_way = Relations.cross([Hierarchy.flat("r", ["a", "b"]), Hierarchy.flat("c", ["x", "y"])])
    >>> len(two_way), int(two_way.basis.sum())
    (6, 5)
    >>> two_way.residuals(np.array([1.0, 2, 3, 4, 5, 9, 5, 7, 12])).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """

    starts: Ints
    cells: Ints
    signs: Floats
    basis: Mask = field(repr=False)

    @classmethod
    def of(cls, rows: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]]) -> Relations:
        """Rows given as pairs of cells and coefficients; all of them count as basis."""
        cells = [np.asarray(row, dtype=np.int64) for row, _ in rows]
        signs = [
            np.broadcast_to(np.asarray(sign, dtype=np.float64), row.shape)
            for (_, sign), row in zip(rows, cells, strict=True)
        ]
        starts = np.concatenate([[0], np.cumsum([row.size for row in cells], dtype=np.int64)])
        joined = np.concatenate(cells) if cells else np.empty(0, dtype=np.int64)
        coefficients = np.concatenate(signs) if signs else np.empty(0)
        return cls(starts.astype(np.int64), joined, coefficients, np.ones(len(cells), dtype=bool))

    @classmethod
    def cross(cls, dimensions: Sequence[Hierarchy]) -> Relations:
        """All lines of the cross of some dimensions, cells in C order.

        A line of the first dimension always belongs to the basis; one of a later dimension only where all
        earlier dimensions stand at leaves. So each sum is explained exactly once. O(entries of M).
        """
        shape = tuple(len(dimension) for dimension in dimensions)
        places = np.arange(int(np.prod(shape))).reshape(shape)
        starts, cells, signs, basis = [np.zeros(1, dtype=np.int64)], [], [], []
        end = 0
        for axis, dimension in enumerate(dimensions):
            moved = np.moveaxis(places, axis, -1).reshape(-1, shape[axis])
            earlier = [
                d.is_leaf if at < axis else np.ones(len(d), dtype=bool) for at, d in enumerate(dimensions)
            ]
            at_leaves = _outer([mask for at, mask in enumerate(earlier) if at != axis])
            for parent, children in dimension.sums():
                block = moved[:, [*children, parent]]
                cells.append(block.ravel())
                signs.append(np.tile(np.append(np.ones(children.size), -1.0), len(block)))
                basis.append(at_leaves)
                starts.append(end + block.shape[1] * np.arange(1, len(block) + 1))
                end += block.size
        none = np.empty(0)
        return cls(
            np.concatenate(starts),
            np.concatenate(cells) if cells else none.astype(np.int64),
            np.concatenate(signs) if signs else none,
            np.concatenate(basis) if basis else none.astype(bool),
        )

    def __len__(self) -> int:
        return int(self.starts.size) - 1

    @cached_property
    def rows(self) -> Ints:
        """The row of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def line(self, row: int) -> tuple[Ints, Floats]:
        """Cells and coefficients of one row."""
        span = slice(int(self.starts[row]), int(self.starts[row + 1]))
        return self.cells[span], self.signs[span]

    def residuals(self, values: Floats) -> Floats:
        """M a, one figure per row; zero where the sums are right."""
        if not len(self):
            return np.empty(0)
        sums = np.bincount(self.rows, weights=self.signs * values[self.cells], minlength=len(self))
        return sums.astype(np.float64, copy=False)

    def among(self, chosen: Mask, only_basis: bool = False) -> tuple[Ints, Ints, Floats]:
        """Rows, cells and coefficients of the entries at chosen cells, numbered as in the table."""
        rows = self.rows
        kept = chosen[self.cells]
        if only_basis:
            kept &= self.basis[rows]
        return rows[kept], self.cells[kept], self.signs[kept]

    def wrong(self, values: Floats, tolerance: float = 1e-6) -> Ints:
        """A mask of the relations that differ from zero by more than rounding errors."""
        if not len(self):
            return np.zeros(0, dtype=np.int64)
        if self.cells.size and not 0 <= self.cells.min() <= self.cells.max() < values.size:
            raise DataError("Relations: some refer to a cell that does not exist.")
        size = np.bincount(self.rows, weights=np.abs(self.signs * values[self.cells]), minlength=len(self))
        off = np.abs(self.residuals(values)) > tolerance * np.maximum(size, 1e-300)
        return np.asarray(np.flatnonzero(off), dtype=np.int64)

    def sum_of(self, relation: int) -> int | None:
        """The cell that is the sum of a relation; None if it has none."""
        total = self.cells[(self.rows == relation) & (self.signs < 0)]
        return int(total[0]) if total.size else None


def _outer(masks: Sequence[Mask]) -> Mask:
    """Whether all masks hold, for every combination of their entries in C order."""
    return np.array([all(masked) for masked in product(*masks)], dtype=bool)
