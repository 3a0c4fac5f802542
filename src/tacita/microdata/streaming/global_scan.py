"""Statistics of all records that the partition needs: one pass over the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

import numpy as np
import pyarrow as pa

from tacita.core import DataError, Floats, Ints, Mask, Microdata, Roles, RunContext
from tacita.core.data.global_statistics import Whole
from tacita.core.data.microdata import check_numeric_columns
from tacita.core.data.number_parsing import Parsed
from tacita.io.hashing import Hashes, cells_of, fractions, mixed
from tacita.io.parquet_dataset import ParquetParts
from tacita.microdata.protection.checks import check_missing_values

# Records read at a time; sums are taken over so many, however the source is split into files.
CHUNK = 2**18
# Purposes of hashed random numbers: samples, and the order of equal records.
SAMPLING = 1
TIES = 2
# Sample by which cuts are chosen: at least so many records, and one in so many.
_SAMPLE = 200_000
_ONE_IN = 1000


@dataclass(frozen=True)
class Dealt:
    """Columns by which records are partitioned.

    columns     numeric columns that are cut
    strata      columns of the strata
    gaps_apart  whether records with different missing columns are different strata
    complete    records with a missing value of these columns will be dropped, and are not counted
    """

    columns: tuple[str, ...]
    strata: tuple[str, ...]
    gaps_apart: bool
    complete: tuple[str, ...] = ()

    def staying(self, data: Microdata) -> Mask:
        """Records that are not dropped for a missing value."""
        gaps = np.logical_or.reduce([np.zeros(data.n, dtype=bool), *map(data.missing, self.complete)])
        return np.asarray(~gaps)

    def stratum_of(self, table: pa.Table, x: Floats) -> Hashes:
        """A hash of the stratum of each record."""
        hashes = cells_of(table, self.strata)
        if not self.gaps_apart:
            return hashes
        for column in x.T:
            hashes = mixed(hashes ^ np.isnan(column).astype(np.uint64))
        return hashes


@dataclass(frozen=True, repr=False)
class Facts:
    """Counts of strata, statistics of the whole file, and a sample of records with their strata."""

    roles: Roles
    whole: Whole
    strata: dict[int, int]
    sample: Floats
    sample_strata: Hashes
    sample_rows: Ints


def survey(
    source: ParquetParts,
    name: str,
    roles: Roles,
    dealt: Dealt,
    complete: Sequence[str],
    run: RunContext,
    *,
    passed_over: Sequence[str] = (),
) -> Facts:
    """Read every record once; raises for missing values in columns that must be `complete`. O(n d) time.

    Columns `passed_over` as not numeric are checked too: they may be numeric except for a few cells.
    """
    sums: dict[str, _Sums] = {}
    counts: Counter[int] = Counter()
    gaps: Counter[str] = Counter()
    lacking = 0
    samples: list[tuple[Floats, Hashes, Ints]] = []
    words = {column: _Words() for column in passed_over}
    share = min(1.0, max(_SAMPLE / source.rows, 1 / _ONE_IN))
    resolved = roles
    for first, table in source.chunks(CHUNK):
        run.report("looking at all records", first, source.rows)
        data = Microdata.of(table, source=name).with_roles(resolved)
        assert data.roles is not None
        resolved = data.roles
        for column in data.quasi:
            if data.scale(column) == "numeric":
                sums.setdefault(column, _Sums()).add(data.numbers(column))
        x = data.coded(dealt.columns) if dealt.columns else np.empty((data.n, 0))
        stratum, stays = dealt.stratum_of(table, x), dealt.staying(data)
        of_strata = np.unique(stratum[stays], return_counts=True)
        counts.update(dict(zip(*(values.tolist() for values in of_strata), strict=True)))
        for column, cells in words.items():
            cells.add(data.words_as_numbers(column), first)
        missing = {column: data.missing(column) for column in complete}
        gaps.update({column: int(mask.sum()) for column, mask in missing.items()})
        lacking += int(np.logical_or.reduce([*missing.values(), np.zeros(data.n, dtype=bool)]).sum())
        rows = first + np.arange(data.n)
        chosen = stays & (fractions(rows, SAMPLING) < share)
        samples.append((x[chosen], stratum[chosen], rows[chosen]))
    run.report("looking at all records", 1, 1)
    if lacking:
        check_missing_values(name, {column: gaps[column] for column in complete}, lacking)
    for column, cells in words.items():
        cells.check_numeric(name, column)
    if not counts:
        raise DataError(f"{name}: every record misses a quasi-identifier. No record is left.")
    if sums and all(moments.constant for moments in sums.values()):
        raise DataError(
            f"{name}: every quasi-identifier is constant or missing, so there is nothing to protect. "
            "Name other columns."
        )
    whole = Whole(
        {column: moments.spread for column, moments in sums.items()},
        {column: moments.integer for column, moments in sums.items()},
    )
    x, stratum, rows = (np.concatenate(pieces) for pieces in zip(*samples, strict=True))
    return Facts(
        roles=resolved,
        whole=whole,
        strata=dict(counts),
        sample=_standardised(x, whole, dealt),
        sample_strata=stratum,
        sample_rows=rows,
    )


def _standardised(x: Floats, whole: Whole, dealt: Dealt) -> Floats:
    """The scale on which cuts are chosen; missing values count as the mean."""
    known = whole.scale_of(dealt.columns)
    if known is None or not dealt.columns:
        return np.empty((len(x), 0))
    centre, scale = known
    return np.nan_to_num((x - centre) / np.where(scale > 0, scale, 1.0))


def standardised(data: Microdata, dealt: Dealt) -> Floats:
    """The columns that are cut, on the scale of the whole file."""
    x = data.coded(dealt.columns) if dealt.columns else np.empty((data.n, 0))
    assert data.whole is not None
    return _standardised(x, data.whole, dealt)


class _Words:
    """Counts the numeric and other cells of a column of text, chunk by chunk."""

    def __init__(self) -> None:
        self._good, self._bad, self._first_bad = 0, 0, 0
        self._codes = False

    def add(self, parsed: Parsed | None, first: int) -> None:
        if parsed is None:
            self._codes = True
            return
        if parsed.bad and not self._bad:
            self._first_bad = first + parsed.first_bad
        self._good += int((~np.isnan(parsed.values)).sum())
        self._bad += parsed.bad

    def check_numeric(self, source: str, column: str) -> None:
        if not self._codes:
            check_numeric_columns(source, column, self._good, self._bad, self._first_bad)


class _Sums:
    """Moments of a column, chunk by chunk, around a value near its mean; whether all are whole numbers."""

    def __init__(self) -> None:
        self._shift: float | None = None
        self._count = 0
        self._first: list[float] = []
        self._second: list[float] = []
        self._low, self._high = np.inf, -np.inf
        self._whole = True

    def add(self, values: Floats) -> None:
        present = values[~np.isnan(values)]
        if not present.size:
            return
        if self._shift is None:
            self._shift = float(present.mean())
        shifted = present - self._shift
        self._count += present.size
        self._first.append(float(shifted.sum()))
        self._second.append(float((shifted**2).sum()))
        self._low, self._high = min(self._low, present.min()), max(self._high, present.max())
        exact = (np.abs(present) <= 2**53).all()
        self._whole &= bool(exact and (present == np.rint(present)).all())

    @property
    def constant(self) -> bool:
        return not self._low < self._high

    @property
    def integer(self) -> bool:
        return self._whole and self._count > 0

    @property
    def spread(self) -> tuple[float, float]:
        """Mean and standard deviation (divisor n - 1); a column without spread has 0."""
        if self._shift is None:
            return 0.0, 0.0
        mean = fsum(self._first) / self._count
        squares = fsum(self._second) - self._count * mean**2
        scale = sqrt(max(squares, 0.0) / max(self._count - 1, 1))
        return self._shift + mean, 0.0 if self.constant else scale
