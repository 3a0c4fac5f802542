"""Loss seen in the moments: means, variances, and the axes along which the data spreads."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from tacita.core import Floats, Ints, Score
from tacita.microdata.measures.measure import SummedMeasure
from tacita.microdata.measures.moments import Moments, moments
from tacita.microdata.measures.partial_aggregation import Reduction


class MomentMeasure(SummedMeasure):
    """A measure of moments of the columns that vary in the original. Subclasses say which, in `figure`."""

    kind: ClassVar[str] = "loss"
    family: ClassVar[str] = "means and spreads"

    def reduction(self, names: tuple[str, ...]) -> Reduction[Score]:
        known = yield from moments(len(names))
        varying = np.flatnonzero(np.diag(known.before)[: len(names)])
        if not varying.size:
            return self.none("no original column varies")
        figure = self.figure(known, varying)
        if isinstance(figure, float):
            return self.result(figure)
        return self.result(
            figure.mean(),
            per_attribute={names[j]: one for j, one in zip(varying, figure.tolist(), strict=True)},
        )

    @abstractmethod
    def figure(self, known: Moments, varying: Ints) -> float | Floats:
        """The figure, or one of each varying column, whose mean it is."""


class MeanDifference(MomentMeasure):
    """How far the means moved, in standard deviations of their columns.

    Change of the means in standard deviations of the original, mean over attributes, in percent.
    100 |m' - m| / S. 0: means as before; no upper bound. O(n d).
    Source: the standardised mean difference, Cohen (1988), Statistical Power Analysis.

    >>> from tacita.core import Comparison
    >>> MeanDifference().score(Comparison.of([[0.0], [2.0]], [[1.0], [1.0]])).value
    0.0
    """

    name: ClassVar[str] = "SMD"

    def figure(self, known: Moments, varying: Ints) -> Floats:
        return 100 * np.abs(_shift(known, varying))


class VarianceChange(MomentMeasure):
    """How much the variances changed, as a share of what they were.

    Relative change of the variances, mean over attributes, in percent.
    100 |var'/var - 1|. 0: variances as before; 100: one became zero (or doubled). O(n d).
    Source: the variance ratio of Templ, Kowarik & Meindl (2015), J. Statistical Software 67(4).

    >>> from tacita.core import Comparison
    >>> VarianceChange().score(Comparison.of([[0.0], [2.0]], [[1.0], [1.0]])).value
    100.0
    """

    name: ClassVar[str] = "VARIANCE"

    def figure(self, known: Moments, varying: Ints) -> Floats:
        return 100 * np.abs(np.diag(known.after)[varying] / np.diag(known.before)[varying] - 1)


class EigenvalueChange(MomentMeasure):
    """How much the spread along the main directions of the data changed, as a share of all spread.

    Change of the eigenvalues of the covariance matrix of standardised attributes, in percent of their sum.
    100 sum |lambda' - lambda| / sum lambda, both in descending order. 0: spread along the main axes as
    before. O(n d^2 + d^3).
    Source: the eigenvalue measure of Templ, Kowarik & Meindl (2015), J. Statistical Software 67(4).

    >>> from tacita.core import Comparison
    >>> EigenvalueChange().score(Comparison.of([[0.0], [2.0]], [[1.0], [1.0]])).value
    100.0
    """

    name: ClassVar[str] = "EIGEN"

    def figure(self, known: Moments, varying: Ints) -> float:
        before, after = (
            np.linalg.eigvalsh(matrix)
            for matrix in (_among(known.before, varying), _among(known.after, varying))
        )
        return float(100 * np.abs(after - before).sum() / before.sum())


class MahalanobisShift(MomentMeasure):
    """How far the means of all columns together moved, in units of the spread of the records.

    Mahalanobis distance between the mean vectors of original and released records.
    sqrt((m' - m)' S^-1 (m' - m)), S the original covariance (its pseudo-inverse where attributes depend on
    each other linearly). 0: mean vectors agree; no upper bound. O(n d^2 + d^3).
    Source: Mahalanobis (1936), Proc. National Institute of Sciences of India 2(1), 49-55.

    >>> from tacita.core import Comparison
    >>> MahalanobisShift().score(Comparison.of([[0.0], [2.0]], [[1.0], [1.0]])).value
    0.0
    """

    name: ClassVar[str] = "MAHALANOBIS"
    measured_in: ClassVar[str] = ""

    def figure(self, known: Moments, varying: Ints) -> float:
        shift = _shift(known, varying)
        squared = shift @ np.linalg.pinv(_among(known.before, varying), rcond=1e-9, hermitian=True) @ shift
        return float(np.sqrt(max(0.0, float(squared))))


def _shift(known: Moments, varying: Ints) -> Floats:
    """How far means moved, in standard deviations of the original (divisor n - 1)."""
    shift: Floats = known.shift[varying] * np.sqrt((known.n - 1) / known.n)
    return shift


def _among(matrix: Floats, columns: Ints) -> Floats:
    return matrix[np.ix_(columns, columns)]
