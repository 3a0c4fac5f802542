"""What each kind of record may leave empty, as far as it can matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacita.core import Floats, Ints, Mask

from .key_patterns import Keys, as_masks


@dataclass(frozen=True)
class CandidateSettings:
    """How many options are listed and compared; `python -m benchmarks withhold` prints cost and seconds."""

    # pairs of a kind of record and a set of columns, beyond which the exact method lists nothing
    listed: int = 400_000
    # pairs of these and a kind of record, beyond which nothing is compared
    compared: int = 100_000_000
    # options that are compared at once: memory against calls
    block: int = 4096


SETTINGS = CandidateSettings()


Families = Sequence[Sequence[int]]


@dataclass(frozen=True, eq=False)
class Options:
    """Kinds of records (codes, unit, how many there are), and options: a kind with a set of columns.

    `lone` says that records are counted, not units. `of_record` is the kind of each record.
    """

    codes: Ints
    units: Ints
    counts: Ints
    of_record: Ints
    lone: bool
    kind: Ints
    stars: Ints
    costs: Floats

    @classmethod
    def of(cls, keys: Keys) -> Options | None:
        """All that there are; None where they are too many."""
        rows = keys.codes if keys.lone else np.column_stack([keys.codes, keys.units])
        kinds, of_record, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
        if keys.d > 16 or len(kinds) << keys.d > SETTINGS.listed:
            return None
        codes = kinds[:, : keys.d]
        units = np.arange(len(kinds)) if keys.lone else kinds[:, keys.d]
        missing = (codes == 0).astype(np.int64) @ (1 << np.arange(keys.d))
        sets = np.arange(1 << keys.d)
        kind, stars = np.nonzero(missing[:, None] & sets[None, :] == 0)
        of_each = of_record.reshape(-1)
        return cls(
            codes=codes,
            units=units,
            counts=counts,
            of_record=of_each,
            lone=keys.lone,
            kind=kind,
            stars=stars,
            costs=keys.cost(stars),
        )

    def only(self, chosen: Mask) -> Options:
        """Some of them."""
        return replace(self, kind=self.kind[chosen], stars=self.stars[chosen], costs=self.costs[chosen])

    @property
    def shown(self) -> Ints:
        """What a record shows that takes each option."""
        return np.where(as_masks(self.stars, self.codes.shape[1]), 0, self.codes[self.kind])

    def cells(self, columns: Sequence[int]) -> Ints:
        """A number for what each option shows on some columns."""
        return np.unique(self.shown[:, list(columns)], axis=0, return_inverse=True)[1].reshape(-1)

    def able(self, families: Families, k: int) -> Options:
        """Those whose combinations could be shown by k, and that nobody could show more of.

        Where all who could show a combination agree in a column that it leaves empty, they show it as well.
        """
        options = self
        while True:
            keep = np.ones(options.kind.size, dtype=bool)
            for columns in families:
                cells = options.cells(columns)
                keep &= options._reach(cells)[cells] >= k
            if len(families) == 1:
                keep &= ~options._needless(options.cells(families[0]))
            if keep.all():
                return options
            options = options.only(keep)

    def _reach(self, cells: Ints) -> Ints:
        """How many records, or units, could show each combination."""
        if self.lone:
            pairs = np.unique(np.column_stack([cells, self.kind]), axis=0)
            return np.bincount(pairs[:, 0], self.counts[pairs[:, 1]]).astype(np.int64)
        pairs = np.unique(np.column_stack([cells, self.units[self.kind]]), axis=0)
        return np.bincount(pairs[:, 0])

    def _needless(self, cells: Ints) -> Mask:
        empty, own = as_masks(self.stars, self.codes.shape[1]), self.codes[self.kind]
        needless = np.zeros(self.kind.size, dtype=bool)
        for j in range(own.shape[1]):
            low = np.full(int(cells.max(initial=0)) + 1, np.iinfo(np.int64).max)
            high = np.full(low.size, -1)
            np.minimum.at(low, cells, own[:, j])
            np.maximum.at(high, cells, own[:, j])
            needless |= empty[:, j] & (low == high)[cells]
        return needless

    def fitting(self, families: Families, k: int) -> Options | None:
        """Those that k originals fit in every combination, and whose empty columns help; None if too many."""
        if self.kind.size * len(self.codes) * len(families) > SETTINGS.compared:
            return None
        keep = np.ones(self.kind.size, dtype=bool)
        for columns in families:
            for start in range(0, self.kind.size, SETTINGS.block):
                at = slice(start, start + SETTINGS.block)
                keep[at] &= self._fitted(at, columns, k, len(families) == 1)
        return self.only(keep)

    def _fitted(self, at: slice, columns: Sequence[int], k: int, whole: bool) -> Mask:
        fits = agreeing(self.shown[at][:, list(columns)], self.codes[:, list(columns)])
        if self.lone:
            enough: Mask = fits @ self.counts >= k
        else:
            enough = (fits @ (self.units[:, None] == np.unique(self.units)[None, :])).sum(axis=1) >= k
        if whole:
            own, empty = self.codes[self.kind[at]], as_masks(self.stars[at], self.codes.shape[1])
            for j in range(own.shape[1]):
                other = (self.codes[None, :, j] != own[:, j, None]) & (self.codes[None, :, j] > 0)
                enough &= ~empty[:, j] | (fits & other).any(axis=1)
        return enough


def agreeing(rows: Ints, others: Ints) -> Mask:
    """Which of the others each row is compatible with: 0 agrees with all. O(rows x others x d).

    >>> agreeing(np.array([[1, 0]]), np.array([[1, 2], [2, 2], [0, 1]])).tolist()
    [[True, False, True]]
    """
    compatible = np.ones((len(rows), len(others)), dtype=bool)
    for a, b in zip(rows.T, others.T, strict=True):
        compatible &= (a[:, None] == b[None, :]) | (a[:, None] == 0) | (b[None, :] == 0)
    return compatible
