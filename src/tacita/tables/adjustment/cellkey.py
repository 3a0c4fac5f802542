"""Noise by keys: the same cell gets the same noise in every table that it stands in."""

from __future__ import annotations

from time import perf_counter
from typing import ClassVar

import numpy as np
from pydantic import Field, model_validator

from tacita.core import (
    Adjusted,
    CellKeys,
    DataError,
    Flex,
    NoiseTable,
    ParameterError,
    Percent,
    RunContext,
    Table,
    Terms,
)
from tacita.core.arrays import Floats, Ints, Mask

from .adjustment_method import Adjustment
from .sums import sums_of

# Rows of the noise of magnitudes.
_ROWS = 3
# Steps of that noise in a unit.
_PARTS = 4


class CellKey(Adjustment):
    """Noise that depends on the records of a cell: the same in every table, zero for empty cells.

    A record has a key, uniform in [0, 1); the key of a cell is the fractional part of the sum of those of its
    records. A count i becomes i + v with the first change v whose cumulated probability exceeds the key: of
    all noise in [-D, D] with mean 0 and variance V at most, no result below 0 or in 1 to js, that of largest
    entropy. A magnitude becomes X + v m x, with x its largest contribution, m the share, and v from rows
    between which X / (m x) lies; beyond a flex point the share falls. Sums are not those of the parts any
    more.

    O(records + cells log D), and the table of noise.
    Source: Thompson, Broadfoot & Elazar (2013), UNECE work session on confidentiality; Giessing (2016), PSD,
    LNCS 9867, 237-251.

    >>> table = Table.from_array([[5, 1], [0, 30]], frequency=True)
    >>> found = CellKey(largest=5, variance=3, hidden=2).adjust(table, RunContext(seed=1))
    >>> int(found.values[3]), bool(((found.values == 0) | (found.values > 2)).all())
    (0, True)
    """

    guarantees: ClassVar[tuple[str, ...]] = ("as-keyed", "same-cell-same-noise", "zeros-stay", "none-hidden")

    largest: int = Field(default=5, ge=1, le=100, description="D: no count changes by more than this")
    variance: float = Field(default=3.0, gt=0, allow_inf_nan=False, description="V: variance of the noise")
    hidden: int = Field(default=2, ge=0, le=50, description="js: counts of 1 up to this are never published")
    monotone: bool = Field(
        default=True, description="small changes are likelier than large ones, below the count"
    )
    stay: float = Field(
        default=0.0, ge=0, lt=1, description="share of counts that stay as they are, at least"
    )
    share: Percent = Field(
        default=25.0, gt=0, le=100, description="noise on magnitudes, in percent of the largest contribution"
    )
    share_large: Percent | None = Field(
        default=None, gt=0, le=100, description="the same where the contribution is large; share if not given"
    )
    flex_point: float = Field(
        default=1000.0,
        gt=0,
        allow_inf_nan=False,
        description="contribution from which the share falls to share_large",
    )
    power: float = Field(
        default=3.0, ge=1, le=100, description="how fast the share falls beyond the flex point"
    )

    @model_validator(mode="after")
    def _falls(self) -> CellKey:
        if self.share_large is not None and self.share_large > self.share:
            raise ParameterError("CellKey: share_large must be at most share: noise does not grow with size.")
        return self

    def revalue(self, table: Table, run: RunContext) -> Adjusted:
        """Look up the noise of every cell."""
        began = perf_counter()
        run.report("looking up noise", 0, 1)
        if table.frequency or table.keys is None:
            self.require_counts(table)
        keys, drawn = (table.keys, 0) if table.keys is not None else (drawn_keys(table, run), table.n)
        values, noise = self._counts(table, keys) if table.frequency else self._magnitudes(table, keys)
        run.report("looking up noise", 1, 1)
        return Adjusted.of(
            table,
            values,
            seconds=perf_counter() - began,
            drawn=drawn,
            terms=self._terms(table, keys, noise),
        )

    def terms(self, table: Table, values: Floats) -> Terms:
        """The table of noise, and the keys that cells have of their records."""
        if table.keys is None:
            raise DataError(
                "CellKey: without the keys of its cells nobody can say what noise a table should have. Name "
                "their column (key); keys that were drawn for one table alone are not kept."
            )
        return self._terms(table, table.keys, self._noise(table))

    def _terms(self, table: Table, keys: CellKeys, noise: NoiseTable) -> Terms:
        if table.frequency:
            return Terms(hidden=self.hidden, noise=noise, keys=keys)
        return Terms(noise=noise, keys=keys, flex=self._flex)

    def _noise(self, table: Table) -> NoiseTable:
        from .noise import noise_table

        if table.frequency:
            stay = self.stay or None
            return noise_table(self.largest, self.variance, self.hidden, monotone=self.monotone, stay=stay)
        rows = sorted({1, (self.largest + 1) // 2, self.largest})[-_ROWS:]
        return noise_table(self.largest, self.variance, monotone=self.monotone, parts=_PARTS, counts=rows)

    def require_counts(self, table: Table) -> None:
        """Raise where a table without keys is no table of counts."""
        if not table.frequency:
            raise DataError(
                "CellKey: wanted a table of counts, or one of magnitudes with keys of its records. Make it "
                "from records, with the column of their keys (key)."
            )
        if table.keys is None:
            self.require_whole(table)

    def _counts(self, table: Table, keys: CellKeys) -> tuple[Floats, NoiseTable]:
        noise = self._noise(table)
        place = np.minimum(keys.count, noise.counts.size - 1)
        noisy = keys.count + changes_at(noise, place, keys.key)
        # a weighted count keeps the mean weight of its records
        mean = np.divide(table.values, keys.count, out=np.zeros(table.n), where=keys.count > 0)
        return noisy * mean if (table.values != keys.count).any() else noisy, noise

    @property
    def _flex(self) -> Flex:
        large = self.share if self.share_large is None else self.share_large
        return Flex(self.share / 100.0, large / 100.0, self.flex_point, self.power)

    def _magnitudes(self, table: Table, keys: CellKeys) -> tuple[Floats, NoiseTable]:
        if unknown := int(((table.values != 0) & (keys.largest <= 0)).sum()):
            raise DataError(
                f"CellKey: the largest contribution of {unknown} cells is not known, and without it there "
                "would be no noise on them. Make the table from records, with the column of their keys (key)."
            )
        noise = self._noise(table)
        scale = flexed(self._flex, keys.largest) * keys.largest
        # in units of the noise: a value of few of them has little room below
        at = np.divide(np.abs(table.values), scale, out=np.zeros(table.n), where=scale > 0)
        change = between_rows(noise, at, keys.of_sizes) * scale
        return table.values + np.sign(table.values) * change, noise


def changes_at(noise: NoiseTable, place: Ints, key: Floats) -> Floats:
    """The change of each cell: the first in its row whose cumulated probability exceeds the key."""
    noise_of_cells = np.zeros(key.size)
    for row in np.unique(place).tolist():
        changes, probabilities = noise.row(row)
        here = place == row
        ends = np.cumsum(probabilities)
        ends[-1] = 1.0
        noise_of_cells[here] = changes[np.searchsorted(ends, key[here], side="right")]
    return noise_of_cells


def flexed(flex: Flex, size: Floats) -> Floats:
    """The share of each contribution: `small` up to the point, towards `large` beyond."""
    beyond = np.maximum(np.abs(size), flex.point)
    excess = (flex.small * beyond - flex.large * flex.point) / (flex.large * flex.point)
    falling = flex.large * (1.0 + excess * (2.0 * flex.point / (flex.point + beyond)) ** flex.power)
    plain: Mask = (np.abs(size) < flex.point) | (flex.small == flex.large)
    return np.where(plain, flex.small, falling)


def between_rows(noise: NoiseTable, at: Floats, key: Floats) -> Floats:
    """The change between those of the two rows that a place lies between, in proportion."""
    at = np.clip(at, noise.counts[0], noise.counts[-1])
    above = np.clip(np.searchsorted(noise.counts, at, side="left"), 1, noise.counts.size - 1)
    low, high = noise.counts[above - 1], noise.counts[above]
    part = (at - low) / (high - low)
    return (1.0 - part) * changes_at(noise, above - 1, key) + part * changes_at(noise, above, key)


def drawn_keys(table: Table, run: RunContext) -> CellKeys:
    """Keys as if every record had drawn one: uniform for inner cells, and sums add up to a fraction.

    The fractional part of a sum of independent uniform keys is uniform: nobody can tell the difference.
    O(cells).
    """
    sums = sums_of(table.relations, table.n)
    inner = run.protective_generator().integers(0, 2**53, sums.parts.size, dtype=np.uint64)
    inner[table.values[sums.parts] == 0] = 0
    total = np.zeros(table.n, dtype=np.uint64)
    rows = np.repeat(np.arange(table.n), np.diff(sums.matrix.indptr))
    np.add.at(total, rows, inner[sums.matrix.indices] << np.uint64(11))
    return CellKeys(
        (total >> np.uint64(11)) / 2.0**53,
        table.values.astype(np.int64),
        np.abs(table.values).astype(np.float64),
    )
