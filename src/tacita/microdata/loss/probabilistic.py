"""Probabilistic information loss: would sampling alone have moved a statistic as far as the masking did?"""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tacita.core import Comparison, Matrix, Run, Score
from tacita.microdata.measure import Measure

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


class _Standard:
    """Both sides in z-scores of the original (divisor n), protected columns first, then unchanged ones.

    Every part of PIL is the same in z-scores, and sums of fourth powers stay in range.
    """

    def __init__(self, pair: Comparison) -> None:
        before = np.hstack([pair.original, pair.context])
        after = np.hstack([pair.released, pair.context])
        # the mean of equal numbers can miss them by a bit, the first one cannot
        constant = np.ptp(before, axis=0) == 0
        centre = np.where(constant, before[0], before.mean(axis=0))
        scale = np.where(constant, 1.0, before.std(axis=0))
        self.n, self.protected = before.shape[0], pair.original.shape[1]
        self.before, self.after = (before - centre) / scale, (after - centre) / scale


def _central(x: Matrix) -> Matrix:
    return x - x.mean(axis=0)


class PILPart(Measure):
    """One of the five statistics whose movement makes up PIL. Subclasses give values and variances."""

    kind: ClassVar[str] = "loss"
    family: ClassVar[str] = "usual analyses"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)

    def compute(self, pair: Comparison, run: Run) -> Score:
        if pair.n < 2:
            return self.none("a single record has no sampling variance")
        data = pair.remember(_Standard, partial(_Standard, pair))
        figures = self.movements(data)
        if figures.size == 0:
            return self.none("there is no pair of attributes")
        per_attribute = dict(zip(pair.attributes, self.by_attribute(figures, data).tolist(), strict=True))
        return self.result(figures.mean(), per_attribute=per_attribute)

    @abstractmethod
    def movements(self, data: _Standard) -> Matrix:
        """How far each statistic moved, 0..100; a column per protected attribute, or a list of pairs."""

    def by_attribute(self, figures: Matrix, data: _Standard) -> Matrix:
        """The mean figure of each protected attribute."""
        return np.asarray(figures.mean(axis=0))


class PILMean(PILPart):
    """How far the means moved, against what another sample would have given.

    How far the means moved, against their sampling error: mean of erf(|m' - m| / sqrt(2 mu2 / n)).
    0: unchanged; 100: no sample would differ so much. O(n d).
    Source: Mateo-Sanz, Domingo-Ferrer & Sebé (2005), Data Mining and Knowledge Discovery 11(2), 181-193.

    >>> PILMean().score(Comparison.of([[0.0], [1.0], [2.0]], [[1.0], [1.0], [1.0]])).value
    0.0
    """

    name: ClassVar[str] = "PIL_mean"

    def movements(self, data: _Standard) -> Matrix:
        x, z = data.before[:, : data.protected], data.after[:, : data.protected]
        return moved(x.mean(axis=0), z.mean(axis=0), x.var(axis=0) / data.n)[None, :]


class PILVariance(PILPart):
    """How far the variances moved, against what another sample would have given.

    How far the variances moved, against their sampling error (mu4 - mu2^2) / n.
    0: unchanged; 100: no sample would differ so much. O(n d).
    Source: Mateo-Sanz, Domingo-Ferrer & Sebé (2005), Data Mining and Knowledge Discovery 11(2), 181-193.

    >>> PILVariance().score(Comparison.of([[0.0], [1.0], [5.0]], [[0.0], [1.0], [5.0]])).value
    0.0
    """

    name: ClassVar[str] = "PIL_variance"

    def movements(self, data: _Standard) -> Matrix:
        x, z = _central(data.before[:, : data.protected]), _central(data.after[:, : data.protected])
        mu2, mu4 = (x**2).mean(axis=0), (x**4).mean(axis=0)
        return moved(mu2, (z**2).mean(axis=0), (mu4 - mu2**2) / data.n)[None, :]


class _PairPart(PILPart):
    """A statistic of two attributes, over every pair with at least one protected."""

    def by_attribute(self, figures: Matrix, data: _Standard) -> Matrix:
        ends = np.concatenate(self.pairs(data))
        total = np.bincount(ends, np.tile(figures, 2))[: data.protected]
        # every protected attribute stands in some pair, or there would be no figures
        return np.asarray(total / np.bincount(ends)[: data.protected])

    @staticmethod
    def pairs(data: _Standard) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Row and column of every pair with at least one protected attribute."""
        first, second = np.triu_indices(data.before.shape[1], 1)
        kept = first < data.protected
        return first[kept], second[kept]


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

    def movements(self, data: _Standard) -> Matrix:
        x, z = _central(data.before), _central(data.after)
        squares = x**2
        mu11, mu22 = x.T @ x / data.n, squares.T @ squares / data.n
        pairs = self.pairs(data)
        return moved(mu11[pairs], (z.T @ z / data.n)[pairs], (mu22 - mu11**2)[pairs] / data.n)


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

    def movements(self, data: _Standard) -> Matrix:
        # of z-scores all second moments are 1 (or 0 in a column without spread)
        x = data.before
        r = _correlations(x)
        squares = x**2
        mu22, mu31 = squares.T @ squares / data.n, (x**3).T @ x / data.n
        fourth = (x**4).mean(axis=0)
        variance = mu22 + r**2 / 4 * (fourth[:, None] + fourth[None, :] + 2 * mu22) - r * (mu31 + mu31.T)
        pairs = self.pairs(data)
        return moved(r[pairs], _correlations(data.after)[pairs], variance[pairs] / data.n)


def _correlations(z: Matrix) -> Matrix:
    z = _central(z)
    spread = np.sqrt((z**2).mean(axis=0))
    varies = spread > _NOTHING
    z = np.where(varies, z / np.where(varies, spread, 1.0), 0.0)
    return np.asarray(z.T @ z / z.shape[0])


class PILQuantile(PILPart):
    """How far the quantiles moved, against what another sample would have given.

    How far the 5 %, 10 %, ..., 95 % quantiles moved, against their sampling error q(1-q) / (n f^2).
    f is a Gaussian kernel density of the original with Silverman's bandwidth. O(n d) times 19.
    Source: Mateo-Sanz, Domingo-Ferrer & Sebé (2005), Data Mining and Knowledge Discovery 11(2), 181-193.

    >>> PILQuantile().score(Comparison.of([[0.0], [1.0], [5.0]], [[0.0], [1.0], [5.0]])).value
    0.0
    """

    name: ClassVar[str] = "PIL_quantile"

    def movements(self, data: _Standard) -> Matrix:
        x, z = data.before[:, : data.protected], data.after[:, : data.protected]
        before, after = np.quantile(x, QUANTILES, axis=0), np.quantile(z, QUANTILES, axis=0)
        density = np.column_stack([_density(x[:, j], before[:, j]) for j in range(data.protected)])
        with np.errstate(divide="ignore"):
            variance = (QUANTILES * (1 - QUANTILES))[:, None] / (data.n * density**2)
        return moved(before, after, np.where(np.isfinite(variance), variance, 0.0))


def _density(values: Matrix, points: Matrix) -> Matrix:
    """A Gaussian kernel estimate at some points; infinite where all values are one."""
    spread = values.std(ddof=1)
    if spread == 0:
        return np.full(points.shape, np.inf)
    width = spread * (0.75 * values.size) ** -0.2
    # 19 points at a time against blocks of values: linear in n, no n x n matrix
    total = np.zeros(points.shape)
    for start in range(0, values.size, 65_536):
        gaps = (points[:, None] - values[None, start : start + 65_536]) / width
        total += np.exp(-0.5 * gaps**2).sum(axis=1)
    return total / (values.size * width * np.sqrt(2 * np.pi))


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

    def compute(self, pair: Comparison, run: Run) -> Score:
        parts = [part().score(pair, run) for part in PARTS]
        found = [part for part in parts if part.value is not None]
        if not found:
            return self.none(parts[0].reason or "no part can be computed")
        per_attribute = {
            name: float(np.mean([part.per_attribute[name] for part in found])) for name in pair.attributes
        }
        return self.result(float(np.mean([part.value for part in found])), per_attribute=per_attribute)


PARTS: tuple[type[PILPart], ...] = (PILMean, PILVariance, PILCovariance, PILCorrelation, PILQuantile)
