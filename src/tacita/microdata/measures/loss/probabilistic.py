"""Probabilistic information loss: would sampling alone have moved a statistic as far as the masking did?"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tacita.core import Comparison, Matrix, RunContext, Score
from tacita.microdata.measures.measure import Measure, SummedMeasure
from tacita.microdata.measures.moments import Moments, moments, spreads, summed
from tacita.microdata.measures.partial_aggregation import Part, PartialStatistic, Reduction
from tacita.microdata.measures.quantiles import quantiles

# Row and column of pairs.
_Pairs = tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]

QUANTILES = np.arange(1, 20) / 20

# In z-scores every statistic is of order one: what lies below is rounding.
_NOTHING = 1e-12


def moved(before: Matrix, after: Matrix, variance: Matrix) -> Matrix:
    """100 erf(|after - before| / sqrt(2 variance)); without variance 0 if unchanged and 100 if changed."""
    from scipy.special import erf

    change = np.abs(after - before)
    safe = np.where(variance > _NOTHING**1.5, variance, 1.0)
    certain = np.where(change > _NOTHING, 1.0, 0.0)
    return 100 * np.where(variance > _NOTHING**1.5, erf(change / np.sqrt(2 * safe)), certain)


class PILPart(SummedMeasure):
    """One of the five statistics whose movement makes up PIL. Subclasses give values and variances.

    All are taken in z-scores of the original (divisor n), of protected columns and then unchanged ones: every
    part of PIL is the same in them, and sums of fourth powers stay in range.
    """

    kind: ClassVar[str] = "loss"
    family: ClassVar[str] = "usual analyses"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)

    def score_of(self, names: tuple[str, ...], n: int, figures: Matrix, by_attribute: Matrix) -> Score:
        """The score, by how far each statistic moved, 0..100, and the mean of those of each attribute."""
        if n < 2:
            return self.none("a single record has no sampling variance")
        if figures.size == 0:
            return self.none("there is no pair of attributes")
        return self.result(figures.mean(), per_attribute=dict(zip(names, by_attribute.tolist(), strict=True)))


class _MomentPart(PILPart):
    """A statistic of each protected attribute that moments tell."""

    def reduction(self, names: tuple[str, ...]) -> Reduction[Score]:
        known = yield from moments(len(names))
        figures = self.movements(known)[: len(names)]
        return self.score_of(names, known.n, figures, figures)

    @abstractmethod
    def movements(self, known: Moments) -> Matrix:
        """How far the statistic of each attribute moved, 0..100."""


class PILMean(_MomentPart):
    """How far the means moved, against what another sample would have given.

    How far the means moved, against their sampling error: mean of erf(|m' - m| / sqrt(2 mu2 / n)).
    0: unchanged; 100: no sample would differ so much. O(n d).
    Source: Mateo-Sanz, Domingo-Ferrer & Sebé (2005), Data Mining and Knowledge Discovery 11(2), 181-193.

    >>> PILMean().score(Comparison.of([[0.0], [1.0], [2.0]], [[1.0], [1.0], [1.0]])).value
    0.0
    """

    name: ClassVar[str] = "PIL_mean"

    def movements(self, known: Moments) -> Matrix:
        return moved(np.zeros_like(known.shift), known.shift, np.diag(known.before) / known.n)


class PILVariance(_MomentPart):
    """How far the variances moved, against what another sample would have given.

    How far the variances moved, against their sampling error (mu4 - mu2^2) / n.
    0: unchanged; 100: no sample would differ so much. O(n d).
    Source: Mateo-Sanz, Domingo-Ferrer & Sebé (2005), Data Mining and Knowledge Discovery 11(2), 181-193.

    >>> PILVariance().score(Comparison.of([[0.0], [1.0], [5.0]], [[0.0], [1.0], [5.0]])).value
    0.0
    """

    name: ClassVar[str] = "PIL_variance"

    def movements(self, known: Moments) -> Matrix:
        mu2, mu4 = np.diag(known.before), np.diag(known.mu22)
        return moved(mu2, np.diag(known.after), (mu4 - mu2**2) / known.n)


class _PairPart(PILPart):
    """A statistic of two attributes, over every pair with at least one protected."""

    def reduction(self, names: tuple[str, ...]) -> Reduction[Score]:
        known = yield from moments(len(names))
        first, second = np.triu_indices(len(known.before), 1)
        pairs = first[first < len(names)], second[first < len(names)]
        figures = self.movements(known, pairs)
        ends = np.concatenate(pairs)
        # every protected attribute stands in some pair, or there are no figures
        often = np.maximum(np.bincount(ends, minlength=len(names)), 1)
        own = np.bincount(ends, np.tile(figures, 2), minlength=len(names)) / often
        return self.score_of(names, known.n, figures, own[: len(names)])

    @abstractmethod
    def movements(self, known: Moments, pairs: _Pairs) -> Matrix:
        """How far the statistic of each pair moved, 0..100."""


class PILCovariance(_PairPart):
    """How far the covariances moved, against what another sample would have given.

    How far the covariances moved, against their sampling error (mu22 - mu11^2) / n.
    Over every pair with at least one protected attribute: a version over protected pairs only would
    call it harmless to shuffle whole protected rows among the unchanged ones. O(n d^2).
    Source: Mateo-Sanz, Domingo-Ferrer & Sebé (2005), Data Mining and Knowledge Discovery 11(2), 181-193.

    >>> x = [[0.0, 1.0], [1.0, 0.0], [5.0, 2.0]]
    >>> PILCovariance().score(Comparison.of(x, x)).value
    0.0
    """

    name: ClassVar[str] = "PIL_covariance"

    def movements(self, known: Moments, pairs: _Pairs) -> Matrix:
        mu11, mu22 = known.before, known.mu22
        return moved(mu11[pairs], known.after[pairs], (mu22 - mu11**2)[pairs] / known.n)


class PILCorrelation(_PairPart):
    """How far the correlations moved, against what another sample would have given.

    The movement of Pearson correlations against their sampling error, Var(r) = (1/n) {mu22/(mu20 mu02) +
    (r^2/4) [mu40/mu20^2 + mu04/mu02^2 + 2 mu22/(mu20 mu02)] - r [mu31/(mu20^1.5 mu02^.5) + mu13/(mu20^.5
    mu02^1.5)]}; a column without spread has correlation 0. Over every pair with at least one protected
    attribute. O(n d^2).
    Source: Mateo-Sanz, Domingo-Ferrer & Sebé (2005), Data Mining and Knowledge Discovery 11(2), 181-193.

    >>> x = [[0.0, 1.0], [1.0, 0.0], [5.0, 2.0]]
    >>> PILCorrelation().score(Comparison.of(x, x)).value
    0.0
    """

    name: ClassVar[str] = "PIL_correlation"

    def movements(self, known: Moments, pairs: _Pairs) -> Matrix:
        # of z-scores all second moments are 1 (or 0 in a column without spread)
        r, mu22, mu31 = _correlations(known.before), known.mu22, known.mu31
        fourth = np.diag(mu22)
        variance = mu22 + r**2 / 4 * (fourth[:, None] + fourth[None, :] + 2 * mu22) - r * (mu31 + mu31.T)
        return moved(r[pairs], _correlations(known.after)[pairs], variance[pairs] / known.n)


def _correlations(covariance: Matrix) -> Matrix:
    spread = np.sqrt(np.diag(covariance))
    varies = spread > _NOTHING
    weight = np.where(varies, 1 / np.where(varies, spread, 1.0), 0.0)
    return np.asarray(covariance * weight[:, None] * weight[None, :])


class PILQuantile(PILPart):
    """How far the quantiles moved, against what another sample would have given.

    How far the 5 %, 10 %, ..., 95 % quantiles moved, against their sampling error q(1-q) / (n f^2).
    f is a Gaussian kernel density of the original with Silverman's bandwidth. O(n d) times 19.
    Source: Mateo-Sanz, Domingo-Ferrer & Sebé (2005), Data Mining and Knowledge Discovery 11(2), 181-193.

    >>> PILQuantile().score(Comparison.of([[0.0], [1.0], [5.0]], [[0.0], [1.0], [5.0]])).value
    0.0
    """

    name: ClassVar[str] = "PIL_quantile"

    def reduction(self, names: tuple[str, ...]) -> Reduction[Score]:
        known = yield from spreads(len(names))
        before, after = yield from quantiles(known, QUANTILES)
        # in z-scores, as all of PIL
        d = len(names)
        scale = np.sqrt(known.squares[:d] / known.n)
        varies = scale > 0
        before, after = (
            (values - known.mean[:d]) / np.where(varies, scale, 1.0) for values in (before, after)
        )
        width = np.sqrt(known.n / max(known.n - 1, 1)) * (0.75 * known.n) ** -0.2
        near = yield DensityStatistic(
            tuple(map(tuple, before.T.tolist())),
            tuple(known.mean[:d].tolist()),
            tuple(np.where(varies, scale, 1.0).tolist()),
            width,
        )
        density = summed(near) / (known.n * width * np.sqrt(2 * np.pi))
        # all in one place: no sample would have another quantile
        density = np.where(varies, density, np.inf)
        with np.errstate(divide="ignore"):
            variance = (QUANTILES * (1 - QUANTILES))[:, None] / (known.n * density**2)
        figures = moved(before, after, np.where(np.isfinite(variance), variance, 0.0))
        return self.score_of(names, known.n, figures, figures.mean(axis=0))


@dataclass(frozen=True)
class DensityStatistic(PartialStatistic):
    """Sums of a Gaussian kernel of some width over the values of each protected column, at its points.

    Points are in z-scores by `centre` and `scale`; so is the width. O(n d) times points.
    """

    points: tuple[tuple[float, ...], ...]
    centre: tuple[float, ...]
    scale: tuple[float, ...]
    width: float

    def compute(self, part: Part) -> Matrix:
        density = np.zeros((len(self.points[0]), len(self.points)))
        for j, points in enumerate(self.points):
            at, values = np.array(points)[:, None], part.pair.original[:, j]
            # 19 points at a time against blocks of values: linear in n, no n x n matrix
            for start in range(0, values.size, 65_536):
                z = (values[None, start : start + 65_536] - self.centre[j]) / self.scale[j]
                density[:, j] += np.exp(-0.5 * ((at - z) / self.width) ** 2).sum(axis=1)
        return density


class PIL(Measure):
    """How far the results of usual analyses moved, against what another sample would have given.

    Probabilistic information loss: how far five kinds of statistics moved, against their sampling error.
    The mean of five parts: means, variances, covariances, correlations, quantiles. Each statistic
    contributes the probability that sampling error alone would stay below the change seen. 0: every
    statistic as before; 100: none as any sample would give. O(n d^2).
    Source: Mateo-Sanz, Domingo-Ferrer & Sebé (2005), Data Mining and Knowledge Discovery 11(2), 181-193.

    >>> x = [[0.0, 1.0], [1.0, 0.0], [5.0, 2.0]]
    >>> PIL().score(Comparison.of(x, x)).value
    0.0
    """

    kind: ClassVar[str] = "loss"
    name: ClassVar[str] = "PIL"
    family: ClassVar[str] = "usual analyses"
    headline: ClassVar[bool] = True
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)

    def asks(self) -> tuple[Measure, ...]:
        return tuple(part() for part in PARTS)

    def compute(self, pair: Comparison, run: RunContext) -> Score:
        parts = [part.score(pair, run) for part in self.asks()]
        computed = [part for part in parts if part.value is not None]
        if not computed:
            return self.none(parts[0].reason or "no part can be computed")
        per_attribute = {
            name: float(np.mean([part.per_attribute[name] for part in computed])) for name in pair.attributes
        }
        return self.result(float(np.mean([part.value for part in computed])), per_attribute=per_attribute)


PARTS: tuple[type[PILPart], ...] = (PILMean, PILVariance, PILCovariance, PILCorrelation, PILQuantile)
