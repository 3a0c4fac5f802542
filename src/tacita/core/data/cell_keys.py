"""Keys of records and cells, which give a cell the same noise in every table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tacita.core.arrays import Floats, Ints, Mask
from tacita.core.errors import DataError

from .cell_layout import sums_of_leaves
from .hierarchy import Hierarchy

# Bits of a key; sums of keys are exact in 64-bit integers.
_BITS = 53
_SPARE = np.uint64(64 - _BITS)


@dataclass(frozen=True, eq=False)
class CellKeys:
    """The key of every cell, its number of records, and its largest contribution.

    A cell key is the fractional part of the sum of the keys of its records, so that the same records give the
    same key in every table. `largest` is the contribution of the record of largest size, with its weight.
    Confidential: with the keys of a release its noise can be taken off.

    >>> keys = KeySums.of(np.array([0.5, 0.75, 0.25]), np.ones(3), np.ones(3)).added(np.array([0, 2])).cells(
    ...     np.array([0, 1]), n=3
    ... )
    >>> keys.key.tolist(), keys.count.tolist()
    ([0.25, 0.25, 0.0], [2, 1, 0])
    """

    key: Floats
    count: Ints
    largest: Floats

    def __post_init__(self) -> None:
        if not (self.key.shape == self.count.shape == self.largest.shape) or self.key.ndim != 1:
            raise DataError("Keys: wanted a key, a count and a contribution for every cell.")
        if ((self.key < 0) | (self.key >= 1)).any() or (self.count < 0).any() or np.isnan(self.key).any():
            raise DataError("Keys: wanted keys from 0 up to, but not including, 1, and counts of at least 0.")

    def at(self, cells: Ints) -> CellKeys:
        """The keys of some cells."""
        return CellKeys(self.key[cells], self.count[cells], self.largest[cells])

    @property
    def empty(self) -> Mask:
        """Cells without records."""
        return np.asarray(self.count == 0, dtype=bool)

    @property
    def of_sizes(self) -> Floats:
        """Other keys for the noise of magnitudes, so that it is not that of the counts: digits move up one.

        >>> CellKeys(np.array([0.25]), np.array([1]), np.array([9.0])).of_sizes.tolist()
        [0.5]
        """
        return np.asarray((10.0 * self.key) % 1.0, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class KeySums:
    """What makes a cell key, in a form that adds up: keys as whole numbers, records, the record of most size.

    `size` is that of the largest record, `largest` the same with its weight.
    """

    total: np.ndarray
    count: Ints
    size: Floats
    largest: Floats

    @classmethod
    def of(cls, keys: Floats, amounts: Floats | None, weights: Floats) -> KeySums:
        """The sums of single records, with amount 1 if none are given."""
        count = np.ones(keys.size, dtype=np.int64)
        if amounts is None:
            return cls(_as_integers(keys), count, np.ones(keys.size), np.ones(keys.size))
        # a record that contributes 0 is not part of a sum
        there = amounts != 0
        return cls(
            np.where(there, _as_integers(keys), np.uint64(0)),
            count * there,
            np.abs(amounts),
            np.abs(amounts * weights),
        )

    @staticmethod
    def joined(parts: Sequence[KeySums]) -> KeySums:
        """The concatenation of several sums."""
        names = ("total", "count", "size", "largest")
        return KeySums(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def at(self, chosen: Ints) -> KeySums:
        """A selection of the sums."""
        return KeySums(self.total[chosen], self.count[chosen], self.size[chosen], self.largest[chosen])

    def added(self, starts: Ints) -> KeySums:
        """The sums of neighbours, from each of `starts` to the next, in any order. O(n)."""
        if not starts.size:
            return self
        size = np.maximum.reduceat(self.size, starts)
        first = self.size == np.repeat(size, np.diff(np.append(starts, self.size.size)))
        return KeySums(
            # integers that overflow: the sum does not depend on the order of records
            np.add.reduceat(self.total, starts),
            np.add.reduceat(self.count, starts),
            size,
            np.maximum.reduceat(np.where(first, self.largest, 0.0), starts),
        )

    def cells(self, places: Ints, n: int) -> CellKeys:
        """The keys of n cells, those at some places being these."""
        key, count, largest = np.zeros(n), np.zeros(n, dtype=np.int64), np.zeros(n)
        key[places], count[places], largest[places] = _fraction(self.total), self.count, self.largest
        return CellKeys(key, count, largest)


def sums_of_keys(dimensions: Sequence[Hierarchy], inner: Floats) -> Floats:
    """The keys of all cells of a cross from those of its inner ones: fractional parts of their sums.

    The same in whatever order they are added. O(cells times the depth of a hierarchy).

    >>> sums_of_keys([Hierarchy.flat("sex", ["f", "m"])], np.array([0.5, 0.75])).tolist()
    [0.5, 0.75, 0.25]
    """
    return _fraction(sums_of_leaves(dimensions, _as_integers(inner)))


def _as_integers(keys: Floats) -> np.ndarray:
    return (keys * 2.0**_BITS).astype(np.uint64) << _SPARE


def _fraction(total: np.ndarray) -> Floats:
    return np.asarray((total >> _SPARE) / 2.0**_BITS, dtype=np.float64)


class Flex(NamedTuple):
    """The size of noise on magnitudes: a share of the largest contribution, less where that is large.

    `small` of contributions up to `point`, towards `large` beyond, the faster the larger `power` is.
    """

    small: float
    large: float
    point: float
    power: float


@dataclass(frozen=True, eq=False)
class NoiseTable:
    """The distribution of the change of a count: changes and their probabilities for every count i.

    No change is larger than `largest`, none leads to a count of 1 to `hidden`, and the variance of a row is
    at most `variance`. Counts beyond the last have its row. `starts[i]` is where the changes of count i
    begin. Row 0 has one change, none.

    >>> figures = [np.array(each) for each in ([0.0, 1.0], [0.0, -1.0, 1.0], [1.0, 0.5, 0.5], [0, 1, 3])]
    >>> table = NoiseTable(*figures, largest=1.0, hidden=1, variance=1.0)
    >>> table.row(1)[0].tolist(), table.row(1)[1].tolist()
    ([-1.0, 1.0], [0.5, 0.5])
    """

    counts: Floats
    changes: Floats
    probabilities: Floats
    starts: Ints
    largest: float
    hidden: int
    variance: float

    def __post_init__(self) -> None:
        if (
            self.changes.shape != self.probabilities.shape
            or self.starts.size != self.counts.size + 1
            or self.starts[-1] != self.changes.size
        ):
            raise DataError("Noise: wanted a row of changes and probabilities for every count.")

    def row(self, row: int) -> tuple[Floats, Floats]:
        """The changes of the count at a place, and their probabilities."""
        span = slice(int(self.starts[row]), int(self.starts[row + 1]))
        return self.changes[span], self.probabilities[span]
