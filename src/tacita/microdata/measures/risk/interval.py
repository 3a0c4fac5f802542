"""Interval disclosure: how often a released value pins its original down to a narrow interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Comparison, Floats, Ints, RunContext, Score
from tacita.microdata.measures.measure import CellMeasure, ColumnMeasure
from tacita.microdata.measures.moments import spreads, summed
from tacita.microdata.measures.partial_aggregation import Part, PartialStatistic, Reduction
from tacita.microdata.measures.quantiles import Standing, standings

# How many values are less than each of some, and how many are no larger.
_Ranks = tuple[Floats | Ints, Floats | Ints]

Widths = Annotated[
    tuple[Annotated[float, Field(gt=0, le=1)], ...],
    Field(
        min_length=1,
        max_length=100,
        description="how far an interval reaches to either side, averaged: shares of a standard deviation or "
        "of the ranks",
    ),
]
# 1 % to 10 %
WIDTHS = tuple(width / 100 for width in range(1, 11))


class IDSd(CellMeasure):
    """Share of values that the released ones nearly give away: to 1 to 10 % of a standard deviation.

    Share of original values within p standard deviations of the released one, averaged over the `widths` p
    (1 % to 10 %). |x - z| <= p S_j, S_j with divisor n - 1; mean over p, records and attributes. 0: no value
    is pinned down; 100: every one is. O(n d).
    Values of records are counted, whatever units there are.
    Source: Domingo-Ferrer & Torra (2001), A quantitative comparison of disclosure control methods for
    microdata, in Confidentiality, Disclosure and Data Access, North-Holland, 111-133.

    >>> IDSd().score(Comparison.of([[0.0], [1.0]], [[0.0], [9.0]])).value
    50.0
    """

    kind: ClassVar[str] = "risk"
    name: ClassVar[str] = "ID_sd"
    family: ClassVar[str] = "values pinned down"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)

    widths: Widths = WIDTHS

    def cells(self, gap: Floats) -> Floats:
        # how many of the intervals hold the value: rounding must not decide at a border
        widths = np.sort(self.widths)
        inside = widths.size - np.searchsorted(widths, np.abs(gap) * (1 - 1e-12))
        return np.asarray(inside * (100.0 / widths.size), dtype=np.float64)


class IDRank(ColumnMeasure):
    """Share of values that the released ones nearly give away: to within 1 to 10 % of the ranks.

    Share of original values between the released values p n ranks below and above, averaged over the `widths`
    p (1 % to 10 %). With r the rank of the released value in its released column (ties share their middle
    rank), the original counts if it lies between the released order statistics of rank r - pn and r + pn (cut
    at the ends). 0: no value is pinned down; 100: every one is. O(n log n d). Of a file in parts, ranks are
    known to one in 16 000.
    Values of records are counted, whatever units there are.
    Source: Domingo-Ferrer & Torra (2001), A quantitative comparison of disclosure control methods for
    microdata, in Confidentiality, Disclosure and Data Access, North-Holland, 111-133.

    >>> IDRank().score(Comparison.of([[0.0], [1.0], [2.0]], [[0.0], [1.0], [9.0]])).value
    66.66666666666667
    """

    kind: ClassVar[str] = "risk"
    name: ClassVar[str] = "ID_rank"
    family: ClassVar[str] = "values pinned down"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)

    widths: Widths = WIDTHS

    def in_parts(self, names: tuple[str, ...], run: RunContext) -> Reduction[Score]:
        known = yield from spreads(len(names))
        if not known.varying.size:
            return self.none("no original column varies")
        standing = yield from standings()
        released = tuple(standing[len(names) + j] for j in known.varying)
        partials = yield RankStatistic(tuple(known.varying.tolist()), released, known.n, self.widths)
        shares = summed(partials) / known.n
        named = {names[j]: figure for j, figure in zip(known.varying, shares.tolist(), strict=True)}
        return self.result(shares.mean(), per_attribute=named)

    def figures(self, pair: Comparison, run: RunContext) -> tuple[Floats, Floats]:
        inside = np.zeros((len(pair.attributes), pair.n))
        for j, (x, z) in enumerate(zip(pair.original.T, pair.released.T, strict=True)):
            order = np.argsort(z)
            ordered = z[order]
            released = np.empty((2, pair.n), dtype=np.int64)
            released[:, order] = _own_ranks(ordered)
            # in ascending order too: what is looked up one after the other is at hand
            rising = np.argsort(x)
            original = np.empty((2, pair.n), dtype=np.int64)
            looked_up = x[rising]
            original[:, rising] = [np.searchsorted(ordered, looked_up, side) for side in ("left", "right")]
            inside[j] = _pinned((original[0], original[1]), (released[0], released[1]), pair.n, self.widths)
        return inside.mean(axis=1), inside.mean(axis=0)


def _own_ranks(ordered: Floats) -> _Ranks:
    """Where the run of equals of each value begins and ends. O(n).

    >>> [each.tolist() for each in _own_ranks(np.array([1.0, 1.0, 4.0]))]
    [[0, 0, 2], [2, 2, 3]]
    """
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    ends = np.append(starts[1:], ordered.size)
    return np.repeat(starts, ends - starts), np.repeat(ends, ends - starts)


def _pinned(original: _Ranks, released: _Ranks, n: int, widths: tuple[float, ...]) -> Floats:
    """How many intervals, in percent, hold each original; by how many released values are less or equal."""
    # the released values of ranks first .. last - 1 are those that equal the original, all before are lower
    (first, last), middle = original, (released[0] + released[1] - 1) / 2
    # how far from the middle the interval must reach to hold one that is no lower, and one that is no higher
    needed = np.maximum(middle - last + 1, first - middle)
    hits = len(widths) - np.searchsorted(np.sort(widths) * n, needed)
    # no interval goes beyond the least and the largest released value
    share = hits * (100.0 / len(widths))
    return np.asarray(np.where((last > 0) & (first < n), share, 0.0), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class RankStatistic(PartialStatistic):
    """Sums over the cells of each varying column, by where their values stand among all released ones."""

    columns: tuple[int, ...]
    standing: tuple[Standing, ...]
    n: int
    widths: tuple[float, ...]

    def compute(self, part: Part) -> Floats:
        x, z = part.pair.original, part.pair.released
        return np.array(
            [
                _pinned(landmarks.ranks(x[:, j]), landmarks.ranks(z[:, j]), self.n, self.widths).sum()
                for j, landmarks in zip(self.columns, self.standing, strict=True)
            ]
        )
