"""Loss seen in the moments: means, variances, and the axes along which the data spreads."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tacita.core import Comparison, Floats, Run, Score
from tacita.microdata.measure import ColumnMeasure, Measure


class MeanDifference(ColumnMeasure):
    """How far the means moved, in standard deviations of their columns.

    Change of the means in standard deviations of the original, mean over attributes, in percent.
    100 |m' - m| / S. 0: means as before; no upper bound. O(n d).
    Source: the standardised mean difference, Cohen (1988), Statistical Power Analysis.

    >>> MeanDifference().score(Comparison.of([[0.0], [2.0]], [[1.0], [1.0]])).value
    0.0
    """

    kind: ClassVar[str] = "loss"
    name: ClassVar[str] = "SMD"
    family: ClassVar[str] = "means and spreads"

    def figures(self, pair: Comparison, run: Run) -> tuple[Floats, None]:
        change = np.abs(pair.released.mean(axis=0) - pair.original.mean(axis=0))
        return 100 * change / pair.scale, None


class VarianceChange(ColumnMeasure):
    """How much the variances changed, as a share of what they were.

    Relative change of the variances, mean over attributes, in percent.
    100 |var'/var - 1|. 0: variances as before; 100: one became zero (or doubled). O(n d).
    Source: the variance ratio of Templ, Kowarik & Meindl (2015), J. Statistical Software 67(4).

    >>> VarianceChange().score(Comparison.of([[0.0], [2.0]], [[1.0], [1.0]])).value
    100.0
    """

    kind: ClassVar[str] = "loss"
    name: ClassVar[str] = "VARIANCE"
    family: ClassVar[str] = "means and spreads"

    def figures(self, pair: Comparison, run: Run) -> tuple[Floats, None]:
        return 100 * np.abs(pair.released.var(axis=0, ddof=1) / pair.scale**2 - 1), None


class EigenvalueChange(Measure):
    """How much the spread along the main directions of the data changed, as a share of all spread.

    Change of the eigenvalues of the covariance matrix of standardised attributes, in percent of their sum.
    100 sum |lambda' - lambda| / sum lambda, both in descending order. 0: spread along the main axes as
    before. O(n d^2 + d^3).
    Source: the eigenvalue measure of Templ, Kowarik & Meindl (2015), J. Statistical Software 67(4).

    >>> EigenvalueChange().score(Comparison.of([[0.0], [2.0]], [[1.0], [1.0]])).value
    100.0
    """

    kind: ClassVar[str] = "loss"
    name: ClassVar[str] = "EIGEN"
    family: ClassVar[str] = "means and spreads"

    def compute(self, pair: Comparison, run: Run) -> Score:
        pair = pair.varying()
        if not pair.attributes:
            return self.none("no original column varies")
        before, after = (_eigenvalues(values / pair.scale) for values in (pair.original, pair.released))
        return self.result(100 * np.abs(after - before).sum() / before.sum())


def _eigenvalues(x: Floats) -> Floats:
    x = x - x.mean(axis=0)
    return np.asarray(np.linalg.eigvalsh(x.T @ x / (len(x) - 1)), dtype=np.float64)


class MahalanobisShift(Measure):
    """How far the means of all columns together moved, in units of the spread of the records.

    Mahalanobis distance between the mean vectors of original and released records.
    sqrt((m' - m)' S^-1 (m' - m)), S the original covariance (its pseudo-inverse where attributes depend on
    each other linearly). 0: mean vectors agree; no upper bound. O(n d^2 + d^3).
    Source: Mahalanobis (1936), Proc. National Institute of Sciences of India 2(1), 49-55.

    >>> MahalanobisShift().score(Comparison.of([[0.0], [2.0]], [[1.0], [1.0]])).value
    0.0
    """

    kind: ClassVar[str] = "loss"
    name: ClassVar[str] = "MAHALANOBIS"
    family: ClassVar[str] = "means and spreads"
    measured_in: ClassVar[str] = ""

    def compute(self, pair: Comparison, run: Run) -> Score:
        pair = pair.varying()
        if not pair.attributes:
            return self.none("no original column varies")
        x, z = pair.original / pair.scale, pair.released / pair.scale
        shift = z.mean(axis=0) - x.mean(axis=0)
        covariance = np.atleast_2d(np.cov(x, rowvar=False))
        squared = shift @ np.linalg.pinv(covariance, rcond=1e-9, hermitian=True) @ shift
        return self.result(np.sqrt(max(0.0, float(squared))))
