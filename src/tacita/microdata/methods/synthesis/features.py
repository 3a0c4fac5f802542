"""The terms of a regression model: constant, linear, and radial functions of the independent attributes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.core import Matrix, Run

from .fuzzy import fuzzy_c_means
from .regression import Regression


@dataclass(frozen=True, eq=False)
class Features:
    """Columns that span [1, S] and the radial functions exp(-|s - centre|^2 / (2 width^2))."""

    values: Matrix
    centres: Matrix
    width: float

    @classmethod
    def of(cls, regression: Regression, functions: int, run: Run) -> Features:
        """Linear if `functions` is 0; else with Gaussian functions at fuzzy centres of S, standardised.

        The width is the root mean square distance of a centre to the nearest other one. O(n (q + f c)).
        """
        s, linear = regression.s, regression.basis * np.sqrt(regression.n)
        if functions == 0 or s.shape[1] == 0:
            return cls(linear, np.empty((0, s.shape[1])), 1.0)
        centres = fuzzy_c_means(s, min(functions, len(s)), run.search_generator()).centres
        width = _typical_gap(centres)
        radial = gaussian(s, centres, width)
        return cls(np.ascontiguousarray(np.hstack([linear, radial])), centres, width)

    def terms(self, s: Matrix, regression: Regression) -> Matrix:
        """[1, s_1 .. s_q, radial functions] at any places, s as it would stand in the file. O(n q f)."""
        linear = np.hstack([np.ones((len(s), 1)), s])
        if not len(self.centres):
            return linear
        spread = regression.independent_scale
        standard = (s - regression.independent_centre) / np.where(spread > 0, spread, 1.0)
        return np.hstack([linear, gaussian(standard, self.centres, self.width)])

    def on_file_scale(self, coefficients: Matrix, regression: Regression, columns: list[int]) -> Matrix:
        """Coefficients of [1, s_1 .. s_q, radial functions] for values as they stand in the file.

        Of the many solutions that a singular S leaves, the shortest on the standardised scale. O(c q^2 p).
        """
        rank = regression.independent_rank
        from_terms = regression.basis_from_terms * np.sqrt(regression.n)
        linear = from_terms @ coefficients[:, :rank] * regression.scale[columns]
        spread = regression.independent_scale
        slopes = np.where(spread > 0, 1 / np.where(spread > 0, spread, 1.0), 0.0)[:, None] * linear[:, 1:]
        intercepts = regression.centre[columns] + linear[:, 0] - regression.independent_centre @ slopes
        radial = coefficients[:, rank:] * regression.scale[columns]
        return np.concatenate([intercepts[:, None, :], slopes, radial], axis=1)


def gaussian(s: Matrix, centres: Matrix, width: float) -> Matrix:
    """exp(-|s - centre|^2 / (2 width^2)) for every record and centre. O(n q f)."""
    from scipy.spatial.distance import cdist

    return np.asarray(np.exp(cdist(s, centres, "sqeuclidean") / (-2 * width**2)))


def _typical_gap(centres: Matrix) -> float:
    from scipy.spatial.distance import cdist

    if len(centres) == 1:
        return 1.0
    gaps = cdist(centres, centres, "sqeuclidean")
    np.fill_diagonal(gaps, np.inf)
    return float(np.sqrt(gaps.min(axis=1).mean())) or 1.0
