"""What must be known of all records before any of them is dealt: one pass over the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

import numpy as np
import pyarrow as pa

from tacita.core import DataError, Floats, Ints, Mask, Microdata, Roles, Run
from tacita.core.data.global_statistics import Whole
from tacita.core.data.microdata import refuse_passing_over
from tacita.core.data.number_parsing import Parsed
from tacita.io.hashing import Hashes, cells_of, fractions, mixed
from tacita.io.parts import ParquetParts
from tacita.microdata.protection.checks import refuse_gaps

# Records read at a time; sums are taken of so many, whatever the files are split into.
CHUNK = 2**18
# What numbers are drawn for: samples, and which of equal records goes where.
SAMPLING, TIES = 1, 2
# Records in the sample by which cuts are planted: at least, and of how many one.
_SAMPLE, _ONE_IN = 200_000, 1000


@dataclass(frozen=True)
class Dealt:
    """By what records are dealt: columns of numbers that cuts go across, strata, whether gaps make some.

    Who misses a value of `complete` leaves, and counts for no stratum.
    """

    columns: tuple[str, ...]
    strata: tuple[str, ...]
    gaps_apart: bool
    complete: tuple[str, ...] = ()

    def staying(self, data: Microdata) -> Mask:
        """Who does not leave for a missing value."""
        found: Mask = ~np.logical_or.reduce([np.zeros(data.n, dtype=bool), *map(data.missing, self.complete)])
        return found

    def stratum_of(self, table: pa.Table, x: Floats) -> Hashes:
        """A number for the stratum of each record."""
        found = cells_of(table, self.strata)
        if not self.gaps_apart:
            return found
        for column in x.T:
            found = mixed(found ^ np.isnan(column).astype(np.uint64))
        return found


@dataclass(frozen=True, repr=False)
class Facts:
    """Counts of strata, what parts must know of the whole, and a sample of records with their strata."""

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
    run: Run,
    *,
    passed_over: Sequence[str] = (),
) -> Facts:
    """Look at every record once; refuses gaps in columns that must be `complete`. O(n d) time.

    Columns that were `passed_over` since they are no numbers are looked at too: they may be, but for a few.
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
        own, stays = dealt.stratum_of(table, x), dealt.staying(data)
        of_strata = np.unique(own[stays], return_counts=True)
        counts.update(dict(zip(*(each.tolist() for each in of_strata), strict=True)))
        for column, each in words.items():
            each.add(data.words_as_numbers(column), first)
        missing = {each: data.missing(each) for each in complete}
        gaps.update({each: int(mask.sum()) for each, mask in missing.items()})
        lacking += int(np.logical_or.reduce([*missing.values(), np.zeros(data.n, dtype=bool)]).sum())
        rows = first + np.arange(data.n)
        chosen = stays & (fractions(rows, SAMPLING) < share)
        samples.append((x[chosen], own[chosen], rows[chosen]))
    run.report("looking at all records", 1, 1)
    if lacking:
        refuse_gaps(name, {each: gaps[each] for each in complete}, lacking)
    for column, found in words.items():
        found.refuse_numbers(name, column)
    if not counts:
        raise DataError(f"{name}: every record misses a quasi-identifier. No record is left.")
    if sums and all(each.constant for each in sums.values()):
        raise DataError(
            f"{name}: every quasi-identifier is constant or missing, there is nothing to protect. "
            "Name other columns."
        )
    whole = Whole(
        {column: each.spread for column, each in sums.items()},
        {column: each.integer for column, each in sums.items()},
    )
    x, own, rows = (np.concatenate(each) for each in zip(*samples, strict=True))
    return Facts(
        roles=resolved,
        whole=whole,
        strata=dict(counts),
        sample=_standardised(x, whole, dealt),
        sample_strata=own,
        sample_rows=rows,
    )


def _standardised(x: Floats, whole: Whole, dealt: Dealt) -> Floats:
    """The scale on which cuts are chosen; a gap counts as the mean."""
    known = whole.scale_of(dealt.columns)
    if known is None or not dealt.columns:
        return np.empty((len(x), 0))
    centre, scale = known
    return np.nan_to_num((x - centre) / np.where(scale > 0, scale, 1.0))


def standardised(data: Microdata, dealt: Dealt) -> Floats:
    """The columns that cuts go across, on the scale of the whole file."""
    x = data.coded(dealt.columns) if dealt.columns else np.empty((data.n, 0))
    assert data.whole is not None
    return _standardised(x, data.whole, dealt)


class _Words:
    """How many cells of a column of text are numbers, and how many are not, chunk by chunk."""

    def __init__(self) -> None:
        self._good, self._bad, self._first_bad = 0, 0, 0
        self._codes = False

    def add(self, found: Parsed | None, first: int) -> None:
        if found is None:
            self._codes = True
            return
        if found.bad and not self._bad:
            self._first_bad = first + found.first_bad
        self._good += int((~np.isnan(found.values)).sum())
        self._bad += found.bad

    def refuse_numbers(self, source: str, column: str) -> None:
        if not self._codes:
            refuse_passing_over(source, column, self._good, self._bad, self._first_bad)


class _Sums:
    """Moments of a column, chunk by chunk, about a value near its mean; whether it is whole numbers."""

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
        apart = present - self._shift
        self._count += present.size
        self._first.append(float(apart.sum()))
        self._second.append(float((apart**2).sum()))
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
