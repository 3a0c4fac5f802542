"""Quantiles and ranks of all records, out of partial statistics of the parts of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacita.core import Floats, Ints, Matrix

from .moments import Spreads
from .partial_aggregation import Part, PartialStatistic, Reduction

# Values of a column that every part names.
_LANDMARKS = 513
# Values of all parts that are looked at.
_MOST = 2**14


@dataclass(frozen=True)
class QuantileStatistic(PartialStatistic):
    """Quantiles of the protected columns, original and released, of records that are all."""

    shares: tuple[float, ...]

    def compute(self, part: Part) -> tuple[Matrix, Matrix]:
        before, after = (
            np.quantile(side, self.shares, axis=0) for side in (part.pair.original, part.pair.released)
        )
        return before, after


@dataclass(frozen=True)
class LandmarkStatistic(PartialStatistic):
    """Some of the values of every column, evenly through its order: original ones, then released ones."""

    def compute(self, part: Part) -> list[Floats]:
        return [column[_evenly(column.size, _LANDMARKS)] for column in _ordered(part)]


@dataclass(frozen=True, eq=False)
class StandingStatistic(PartialStatistic):
    """How many values of every column are less than each landmark, and how many are no larger."""

    landmarks: tuple[Floats, ...]

    def compute(self, part: Part) -> list[tuple[Ints, Ints]]:
        return [
            (np.searchsorted(column, marks, "left"), np.searchsorted(column, marks, "right"))
            for column, marks in zip(_ordered(part), self.landmarks, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class BetweenStatistic(PartialStatistic):
    """The values of every column that lie within some open intervals, each by its ends."""

    intervals: tuple[tuple[tuple[float, float], ...], ...]

    def compute(self, part: Part) -> list[list[Floats]]:
        between = []
        for column, own in zip(_ordered(part), self.intervals, strict=True):
            ends = [
                (np.searchsorted(column, low, "right"), np.searchsorted(column, high)) for low, high in own
            ]
            between.append([column[first:last] for first, last in ends])
        return between


def _ordered(part: Part) -> list[Floats]:
    """The protected columns in ascending order, original ones, then released ones."""
    pair = part.pair
    both = (*pair.original.T, *pair.released.T)
    ordered: list[Floats] = pair.remember("ordered", lambda: [np.sort(values) for values in both])
    return ordered


def _evenly(n: int, most: int) -> Ints:
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.int64))


@dataclass(frozen=True, eq=False)
class Standing:
    """Landmarks of a column, and how many of all values are less than each, and no larger than each."""

    marks: Floats
    less: Ints
    upto: Ints

    def ranks(self, values: Floats) -> tuple[Floats, Floats]:
        """How many values are less than each of some, and how many are no larger.

        Exact at a landmark. Between two, as if values were spread evenly between them: to the share of all
        values that lie there, which is about one in 16 000 at most.
        """
        last = self.marks.size - 1
        above = np.minimum(np.searchsorted(self.marks, values), last)
        at = self.marks[above] == values
        below = np.maximum(above - 1, 0)
        width = self.marks[above] - self.marks[below]
        share = np.where(width > 0, (values - self.marks[below]) / np.where(width > 0, width, 1.0), 0.0)
        between = self.upto[below] + np.clip(share, 0.0, 1.0) * (self.less[above] - self.upto[below])
        # who is beyond all landmarks is beyond all values
        between = np.where(values < self.marks[0], 0.0, between)
        between = np.where(values > self.marks[last], self.upto[last], between)
        return np.where(at, self.less[above], between), np.where(at, self.upto[above], between)


def standings() -> Reduction[list[Standing]]:
    """Where landmarks of the protected columns stand, original ones, then released ones. O(n d log n)."""
    named = yield LandmarkStatistic()
    marks = []
    for landmarks in zip(*named, strict=True):
        every = np.sort(np.concatenate(landmarks))
        # the least and the largest value of all are among them
        marks.append(np.unique(every[_evenly(every.size, _MOST)]))
    partials = yield StandingStatistic(tuple(marks))
    counted = [
        [np.sum(side, axis=0) for side in zip(*counts, strict=True)] for counts in zip(*partials, strict=True)
    ]
    return [Standing(mark, less, upto) for mark, (less, upto) in zip(marks, counted, strict=True)]


def quantiles(known: Spreads, shares: Floats) -> Reduction[tuple[Matrix, Matrix]]:
    """Quantiles of the original and of the released columns, a row for each share; exact. O(n d log n).

    Of several parts: values are counted between landmarks, and then those are looked at that lie where a
    quantile must be.
    """
    if known.parts == 1:
        of_parts: Sequence[tuple[Matrix, Matrix]] = yield QuantileStatistic(tuple(shares.tolist()))
        return of_parts[0]
    places = shares * (known.n - 1)
    wanted = np.unique(np.concatenate([np.floor(places), np.ceil(places)])).astype(np.int64)
    standing = yield from standings()
    located = [_located(standing_of, wanted) for standing_of in standing]
    partials = yield BetweenStatistic(tuple(tuple(dict.fromkeys(where)) for _, where, _ in located))
    columns = []
    for (values, where, offsets), parts in zip(located, zip(*partials, strict=True), strict=True):
        intervals = tuple(dict.fromkeys(where))
        inside = {
            ends: np.sort(np.concatenate(between))
            for ends, between in zip(intervals, zip(*parts, strict=True), strict=True)
        }
        at = [inside[ends][offset] for ends, offset in zip(where, offsets, strict=True)]
        values[np.isnan(values)] = at
        columns.append(_interpolated(wanted, values, places))
    d = known.protected
    return np.column_stack(columns[:d]), np.column_stack(columns[d:])


def _located(standing: Standing, ranks: Ints) -> tuple[Floats, list[tuple[float, float]], list[int]]:
    """The values of these ranks, NaN where one is no landmark; of those the interval, and the rank in it."""
    above = np.searchsorted(standing.upto, ranks, "right")
    values = np.where(standing.less[above] <= ranks, standing.marks[above], np.nan)
    unknown = np.flatnonzero(np.isnan(values))
    where = [(float(standing.marks[i - 1]), float(standing.marks[i])) for i in above[unknown]]
    return values, where, (ranks[unknown] - standing.upto[above[unknown] - 1]).tolist()


def _interpolated(ranks: Ints, values: Floats, places: Floats) -> Floats:
    """The values at places between ranks, on the line between neighbours."""
    low, high = (values[np.searchsorted(ranks, side(places))] for side in (np.floor, np.ceil))
    return np.asarray(low + (high - low) * (places - np.floor(places)))
