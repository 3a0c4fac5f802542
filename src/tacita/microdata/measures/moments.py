"""Sums over records, of which means, spreads and moments are told: those of parts add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import NamedTuple

import numpy as np

from tacita.core import Comparison, Floats, Ints, Matrix

from .partial_aggregation import Part, Question, Rounds


def columns_of(pair: Comparison) -> Matrix:
    """Protected columns as they were, unchanged ones beside them, protected ones as they are released."""
    return np.hstack([pair.original, pair.context, pair.released])


class _Spread(NamedTuple):
    n: int
    mean: Floats
    squares: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class SpreadQuestion(Question):
    """Of every column mean, squares about it, least and largest value."""

    def answer(self, part: Part) -> _Spread:
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
    def merged(cls, found: Sequence[_Spread], protected: int) -> Spreads:
        """Of all parts, one after the other.

        Source: Chan, Golub & LeVeque (1983), The American Statistician 37(3), 242-247.
        """
        n, mean, squares = found[0].n, found[0].mean, found[0].squares
        for each in found[1:]:
            total, gap = n + each.n, each.mean - mean
            squares = squares + each.squares + gap**2 * (n * each.n / total)
            mean, n = mean + gap * (each.n / total), total
        low = np.array([each.low for each in found]).min(axis=0)
        high = np.array([each.high for each in found]).max(axis=0)
        # the mean of equal numbers can miss them by a bit
        constant = low == high
        mean, squares = np.where(constant, low, mean), np.where(constant, 0.0, squares)
        return cls(n=n, parts=len(found), protected=protected, mean=mean, squares=squares, low=low, high=high)

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


def spreads(protected: int) -> Rounds[Spreads]:
    """Means and spreads of all records. O(n d)."""
    return Spreads.merged((yield SpreadQuestion()), protected)


@dataclass(frozen=True)
class PowersQuestion(Question):
    """Sums of products of columns in z-scores of the original, each side about its own mean."""

    centre: tuple[float, ...]
    centre_after: tuple[float, ...]
    scale: tuple[float, ...]

    def answer(self, part: Part) -> tuple[Floats, ...]:
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


def moments(protected: int) -> Rounds[Moments]:
    """Moments of all records, up to the fourth. O(n d^2)."""
    known = yield from spreads(protected)
    scale = np.sqrt(known.squares[known.before] / known.n)
    scale = np.where(scale > 0, scale, 1.0)
    centre, after = known.mean[known.before], known.after(known.mean)
    answers = yield PowersQuestion(tuple(centre.tolist()), tuple(after.tolist()), tuple(scale.tolist()))
    before, later, mu22, mu31 = (summed(each) / known.n for each in zip(*answers, strict=True))
    shift = (after - centre) / scale
    return Moments(
        n=known.n, protected=protected, shift=shift, before=before, after=later, mu22=mu22, mu31=mu31
    )


def summed(found: Sequence[Floats]) -> Floats:
    """The sum of arrays of one shape, each entry rounded once.

    >>> summed([np.array([1e16, 1.0]), np.array([1.0, 2.0]), np.array([-1e16, 3.0])]).tolist()
    [1.0, 6.0]
    """
    if len(found) == 1:
        return found[0]
    flat = np.array([fsum(each) for each in np.reshape(found, (len(found), -1)).T.tolist()])
    return flat.reshape(found[0].shape)
