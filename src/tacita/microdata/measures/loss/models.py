"""Loss seen by analysts: regressions, and means and covariances of parts of the population."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.core import Comparison, Floats, RunContext, Score
from tacita.microdata.measures.measure import Measure, SummedMeasure
from tacita.microdata.measures.moments import spreads
from tacita.microdata.measures.partial_aggregation import Part, PartialStatistic, Reduction


class CoefficientOverlap(SummedMeasure):
    """How much of the confidence intervals of regressions before and after is common to both.

    Overlap of confidence intervals of regression coefficients before and after, in percent.
    Each protected attribute in turn is regressed on all others (linearly dependent ones left out, the
    unchanged numeric ones included); for every coefficient the 95 % intervals of original and release
    overlap by the mean of overlap/length of either, 0 where they do not touch. 100: same intervals.
    O(n d^2 + d^3).
    Source: Karr, Kohnen, Oganian, Reiter & Sanil (2006), The American Statistician 60(3), 224-232.

    >>> x = np.random.default_rng(0).normal(size=(50, 3))
    >>> CoefficientOverlap().score(Comparison.of(x, x)).value
    100.0
    """

    kind: ClassVar[str] = "loss"
    name: ClassVar[str] = "OVERLAP"
    family: ClassVar[str] = "regressions"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)
    direction: ClassVar[str] = "higher"  # type: ignore[assignment]

    def reduction(self, names: tuple[str, ...]) -> Reduction[Score]:
        known = yield from spreads(len(names))
        scale = np.sqrt(known.squares[known.before])
        scale = np.where(scale > 0, scale, 1.0)
        before, after = (
            tuple(means.tolist()) for means in (known.mean[known.before], known.after(known.mean))
        )
        partials = yield TriangleStatistic(before, after, tuple(scale.tolist()))
        # factors of factors: as stable as one of all records
        root, root_after = (factor(np.vstack(factors)) for factors in zip(*partials, strict=True))
        kept = independent(root)
        protected = [j for j in kept if j < len(names)]
        if len(kept) < 2 or not protected:
            return self.none("a regression needs two attributes that do not depend on each other")
        if known.n <= len(kept) + 1:
            return self.none("there are too few records for a regression on the other attributes")
        if len(independent(root_after[:, kept])) < len(kept):
            return self.none("released attributes depend on each other linearly, coefficients are not unique")
        low, high = zip(
            *(_intervals(triangle[:, kept], known.n) for triangle in (root, root_after)), strict=True
        )
        shared = overlap((low[0], high[0]), (low[1], high[1]))
        others = ~np.eye(len(kept), dtype=bool)
        figures = {
            names[response]: float(shared[others[:, at], at].mean())
            for at, response in enumerate(kept)
            if response in protected
        }
        return self.result(float(np.mean(list(figures.values()))), per_attribute=figures)


@dataclass(frozen=True)
class TriangleStatistic(PartialStatistic):
    """R of the factors Q R of the centred columns, of the original and of the release; both on its scale."""

    centre: tuple[float, ...]
    centre_after: tuple[float, ...]
    scale: tuple[float, ...]

    def compute(self, part: Part) -> tuple[Floats, Floats]:
        pair = part.pair
        before = (np.hstack([pair.original, pair.context]) - self.centre) / self.scale
        after = (np.hstack([pair.released, pair.context]) - self.centre_after) / self.scale
        return factor(before), factor(after)


def factor(x: Floats) -> Floats:
    """R of the factors Q R: columns have the lengths of those of x, and the angles between them. O(n d^2)."""
    return np.asarray(np.linalg.qr(x, mode="r"), dtype=np.float64)


def independent(centred: Floats) -> list[int]:
    """Columns of mean zero, from the left, that are not linear combinations of those before."""
    kept: list[int] = []
    basis = np.empty((len(centred), 0))
    for j, column in enumerate(centred.T):
        length = np.linalg.norm(column)
        if length == 0:
            continue
        # twice: once is not enough against rounding
        for _ in range(2):
            column = column - basis @ (basis.T @ column)
        if np.linalg.norm(column) > 1e-7 * length:
            kept.append(j)
            basis = np.column_stack([basis, column / np.linalg.norm(column)])
    return kept


def _intervals(root: Floats, n: int) -> tuple[Floats, Floats]:
    """Ends of the 95 % confidence intervals of the slopes of every column on all others, by their factor R.

    Entry (i, j): slope of column j on column i, all other columns in the model. With K the inverse of the
    cross products, the slope is -K_ij / K_jj, the residual sum of squares 1 / K_jj, and the inverse
    without column j has diagonal K_ii - K_ij^2 / K_jj: one factorisation serves all regressions.
    """
    scale = np.sqrt((root**2).sum(axis=0))
    inverse = np.linalg.inv(factor(root / scale))
    k = inverse @ inverse.T
    diagonal = np.diag(k)
    slopes = -k / diagonal
    spread = np.maximum(diagonal[:, None] - k**2 / diagonal, 0.0) / diagonal
    errors = np.sqrt(spread / (n - root.shape[1]))
    to_source = scale[None, :] / scale[:, None]
    return (slopes - 1.96 * errors) * to_source, (slopes + 1.96 * errors) * to_source


def overlap(before: tuple[Floats, Floats], after: tuple[Floats, Floats]) -> Floats:
    """How much two intervals (low ends, high ends) have in common, in percent: the mean share of either."""
    common = np.minimum(before[1], after[1]) - np.maximum(before[0], after[0])
    lengths = before[1] - before[0], after[1] - after[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = 50 * (common / lengths[0] + common / lengths[1])
    # intervals of no length: the same point or not
    point = (lengths[0] == 0) & (lengths[1] == 0)
    return np.where(point, 100.0 * (before[0] == after[0]), np.clip(np.nan_to_num(share), 0.0, 100.0))


class _Subdomains(Measure):
    """A statistic within each subdomain that was named; those with a single record are left out."""

    kind: ClassVar[str] = "loss"
    family: ClassVar[str] = "parts of the population"

    def compute(self, pair: Comparison, run: RunContext) -> Score:
        if pair.domains is None:
            return self.none("no subdomains were named")
        varying = pair.varying()
        if not varying.attributes:
            return self.none("no original column varies")
        assert varying.domains is not None
        rows = np.split(
            np.argsort(varying.domains, kind="stable"), np.cumsum(np.bincount(varying.domains))[:-1]
        )
        x, z = varying.original / varying.scale, varying.released / varying.scale
        figures = [self.change(x[part], z[part]) for part in rows if part.size > 1]
        if not figures:
            return self.none("no subdomain has two records")
        return self.result(float(np.mean(figures)))

    def change(self, x: Floats, z: Floats) -> float:
        """How much the statistic of one subdomain changed, on standardised values."""
        raise NotImplementedError


class SubdomainMeans(_Subdomains):
    """How far the means within parts of the population moved, in standard deviations of the whole.

    Change of the means within subdomains, in standard deviations of the whole, mean over all, in percent.
    0: every named part of the population keeps its means. O(n d).
    Source: the analytic validity of Winkler (1998), Research in Official Statistics 1(2), 50-69.

    >>> pair = Comparison.of([[0.0], [2.0], [4.0]], [[1.0], [1.0], [4.0]], domains=[0, 0, 1])
    >>> SubdomainMeans().score(pair).value
    0.0
    """

    name: ClassVar[str] = "SUB_mean"

    def change(self, x: Floats, z: Floats) -> float:
        return 100 * float(np.abs(z.mean(axis=0) - x.mean(axis=0)).mean())


class SubdomainCovariances(_Subdomains):
    """How much the covariances within parts of the population changed, as a share of what they were.

    Change of the covariances within subdomains, relative, mean over subdomains, in percent.
    100 ||C' - C|| / ||C|| in the Frobenius norm, C the covariance of standardised attributes in one part.
    0: every named part keeps its covariances. O(n d^2).
    Source: the analytic validity of Winkler (1998), Research in Official Statistics 1(2), 50-69.

    >>> pair = Comparison.of([[0.0], [2.0], [4.0]], [[1.0], [1.0], [4.0]], domains=[0, 0, 1])
    >>> SubdomainCovariances().score(pair).value
    100.0
    """

    name: ClassVar[str] = "SUB_covariance"

    def change(self, x: Floats, z: Floats) -> float:
        before, after = (np.atleast_2d(np.cov(values, rowvar=False)) for values in (x, z))
        size = np.linalg.norm(before)
        if size == 0:
            return 0.0 if np.linalg.norm(after) == 0 else 100.0
        return 100 * float(np.linalg.norm(after - before) / size)
