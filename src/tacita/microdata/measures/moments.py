"""Means, spreads and moments of records, out of sums that parts add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import NamedTuple

import numpy as np

from tacita.core import Comparison, Floats, Ints, Matrix

from .partial_aggregation import Part, PartialStatistic, Reduction


def columns_of(pair: Comparison) -> Matrix:
    """Protected columns before, unchanged columns, and protected columns after."""
    return np.hstack([pair.original, pair.context, pair.released])


class _Spread(NamedTuple):
    n: int
    mean: Floats
    squares: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class SpreadStatistic(PartialStatistic):
    """Of every column mean, squares about it, least and largest value."""

    def compute(self, part: Part) -> _Spread:
        x = columns_of(part.pair)
        mean = x.mean(axis=0)
        return _Spread(len(x), mean, ((x - mean) ** 2).sum(axis=0), x.min(axis=0), x.max(axis=0))


@dataclass(frozen=True, eq=False)
class Spreads:
    """Means and spreads of all records: protected columns, unchanged ones, protected ones as released."""

    n: int
    parts: int
    protected: int
    mean: Floats
    squares: Floats
    low: Floats
    high: Floats

    @classmethod
    def merged(cls, parts: Sequence[_Spread], protected: int) -> Spreads:
        """Of all parts, one after the other.

        Source: Chan, Golub & LeVeque (1983), The American Statistician 37(3), 242-247.
        """
        n, mean, squares = parts[0].n, parts[0].mean, parts[0].squares
        for part in parts[1:]:
            total, gap = n + part.n, part.mean - mean
            squares = squares + part.squares + gap**2 * (n * part.n / total)
            mean, n = mean + gap * (part.n / total), total
        low = np.array([part.low for part in parts]).min(axis=0)
        high = np.array([part.high for part in parts]).max(axis=0)
        # the mean of equal numbers can miss them by a bit
        constant = low == high
        mean, squares = np.where(constant, low, mean), np.where(constant, 0.0, squares)
        return cls(n=n, parts=len(parts), protected=protected, mean=mean, squares=squares, low=low, high=high)

    @property
    def varying(self) -> Ints:
        """Which protected columns vary in the original."""
        return np.flatnonzero(self.low[: self.protected] < self.high[: self.protected])

    @property
    def scale(self) -> Floats:
        """Standard deviations of the protected columns in the original (divisor n - 1)."""
        return np.sqrt(self.squares[: self.protected] / max(self.n - 1, 1))

    @property
    def before(self) -> slice:
        """Where protected columns as they were stand, and unchanged ones."""
        return slice(0, self.mean.size - self.protected)

    def after(self, values: Floats) -> Floats:
        """Of a figure for each column those of the release: protected columns, and unchanged ones."""
        return np.concatenate([values[self.before.stop :], values[self.protected : self.before.stop]])


def spreads(protected: int) -> Reduction[Spreads]:
    """Means and spreads of all records. O(n d)."""
    return Spreads.merged((yield SpreadStatistic()), protected)


@dataclass(frozen=True)
class PowersStatistic(PartialStatistic):
    """Sums of products of columns in z-scores of the original, each side about its own mean."""

    centre: tuple[float, ...]
    centre_after: tuple[float, ...]
    scale: tuple[float, ...]

    def compute(self, part: Part) -> tuple[Floats, ...]:
        pair = part.pair
        x = (np.hstack([pair.original, pair.context]) - self.centre) / self.scale
        z = (np.hstack([pair.released, pair.context]) - self.centre_after) / self.scale
        squares = x**2
        return x.T @ x, z.T @ z, squares.T @ squares, (squares * x).T @ x


@dataclass(frozen=True, eq=False)
class Moments:
    """Central moments in z-scores of the original (divisor n): protected columns, then unchanged ones.

    `shift` is how far the released means are from the original ones. A column that does not vary has a z-
    score of 0. mu22[i, j] is the mean of x_i^2 x_j^2, mu31[i, j] that of x_i^3 x_j.
    """

    n: int
    protected: int
    shift: Floats
    before: Floats
    after: Floats
    mu22: Floats
    mu31: Floats


def moments(protected: int) -> Reduction[Moments]:
    """Moments of all records, up to the fourth. O(n d^2)."""
    known = yield from spreads(protected)
    scale = np.sqrt(known.squares[known.before] / known.n)
    scale = np.where(scale > 0, scale, 1.0)
    centre, after = known.mean[known.before], known.after(known.mean)
    partials = yield PowersStatistic(tuple(centre.tolist()), tuple(after.tolist()), tuple(scale.tolist()))
    before, later, mu22, mu31 = (summed(sums) / known.n for sums in zip(*partials, strict=True))
    shift = (after - centre) / scale
    return Moments(
        n=known.n, protected=protected, shift=shift, before=before, after=later, mu22=mu22, mu31=mu31
    )


def summed(parts: Sequence[Floats]) -> Floats:
    """The sum of arrays of one shape, each entry rounded once.

    >>> summed([np.array([1e16, 1.0]), np.array([1.0, 2.0]), np.array([-1e16, 3.0])]).tolist()
    [1.0, 6.0]
    """
    if len(parts) == 1:
        return parts[0]
    flat = np.array([fsum(entries) for entries in np.reshape(parts, (len(parts), -1)).T.tolist()])
    return flat.reshape(parts[0].shape)
