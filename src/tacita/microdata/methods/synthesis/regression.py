"""Rank-revealing least-squares regression, with radial terms in addition to linear ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacita.core import Matrix, RunContext
from tacita.microdata.statistics.standardise import centre_and_scale, standardise

from .fuzzy import fuzzy_c_means

# Relative to columns of standard deviation 1, what lies below is rounding: a direction that is not there.
RANK_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Regression:
    """Y on [1, S] by least squares, in standardised columns, with every rank revealed.

    Y = fitted + left diag(strength) right', the last term the residuals by their singular values; basis is
    an orthonormal basis of [1, S]. Directions under 1e-9 of a column's spread are no directions. A value v
    of dependent column j stands for centre_j + scale_j v.
    """

    y: Matrix
    s: Matrix
    centre: Matrix
    scale: Matrix
    independent_centre: Matrix
    independent_scale: Matrix
    basis: Matrix
    fitted: Matrix
    left: Matrix
    strength: Matrix
    right: Matrix

    @classmethod
    def of(cls, y: Matrix, s: Matrix) -> Regression:
        """From columns on any scale. O(n (p + q)^2) time, O(n (p + q)) memory."""
        n = y.shape[0]
        (centre, scale), (independent_centre, independent_scale) = centre_and_scale(y), centre_and_scale(s)
        y, s = standardise(y), standardise(s)
        basis = column_basis(s)
        remainder = without(y, basis)
        left, strength, right = np.linalg.svd(remainder, full_matrices=False)
        kept = strength > RANK_TOLERANCE * np.sqrt(n)
        right = np.ascontiguousarray(right[kept].T)
        left = np.ascontiguousarray(left[:, kept])
        return cls(
            y=y,
            s=s,
            centre=centre,
            scale=scale,
            independent_centre=independent_centre,
            independent_scale=independent_scale,
            basis=basis,
            fitted=y - remainder,
            left=left,
            strength=strength[kept],
            right=right,
        )

    @property
    def n(self) -> int:
        """How many records."""
        return int(self.y.shape[0])

    @property
    def independent_rank(self) -> int:
        """Rank of [1, S]."""
        return int(self.basis.shape[1])

    @property
    def residual_rank(self) -> int:
        """Rank of the residuals: dependent columns less their exact relations among each other and with S."""
        return int(self.strength.size)

    @property
    def leverage(self) -> Matrix:
        """Weight of each record's own value in its prediction, between 1/n and 1."""
        leverage: Matrix = np.minimum(np.einsum("ij,ij->i", self.basis, self.basis), 1.0)
        return leverage

    @cached_property
    def basis_from_terms(self) -> Matrix:
        """The matrix T with [1, S] T = basis, S standardised; the shortest where S is singular. O(n q^2)."""
        terms = np.hstack([np.ones((self.n, 1)), self.s])
        return np.asarray(np.linalg.lstsq(terms, self.basis, rcond=RANK_TOLERANCE)[0])

    def original_scale(self, y: Matrix) -> Matrix:
        """Standardised dependent values as they would stand in the file."""
        return np.asarray(self.centre + self.scale * y)

    def with_residuals(self, directions: Matrix) -> Matrix:
        """fitted + directions diag(strength) right': whatever the directions, linear relations stay."""
        return self.fitted + (directions * self.strength) @ self.right.T

    def keep_relations(self, y: Matrix) -> Matrix:
        """The nearest values that keep every exact linear relation of [1, S, Y]; O(n p r)."""
        if self.residual_rank == self.y.shape[1]:
            return y
        return self.fitted + ((y - self.fitted) @ self.right) @ self.right.T


def column_basis(s: Matrix) -> Matrix:
    """Orthonormal basis of [1, s], the constant first; s has centred columns of like scale. O(n q^2)."""
    n = s.shape[0]
    constant = np.full((n, 1), 1 / np.sqrt(n))
    if s.shape[1] == 0:
        return constant
    left, strength, _ = np.linalg.svd(without(s, constant), full_matrices=False)
    kept = left[:, strength > RANK_TOLERANCE * np.sqrt(n)]
    return np.ascontiguousarray(np.hstack([constant, without(kept, constant)]))


def without(x: Matrix, basis: Matrix) -> Matrix:
    """What of x is orthogonal to a basis; twice, for the first pass leaves rounding behind. O(n p q)."""
    x = x - basis @ (basis.T @ x)
    return np.asarray(x - basis @ (basis.T @ x))


@dataclass(frozen=True, eq=False)
class Features:
    """Columns that span [1, S] and the radial functions exp(-|s - centre|^2 / (2 width^2))."""

    values: Matrix
    centres: Matrix
    width: float

    @classmethod
    def of(cls, regression: Regression, functions: int, run: RunContext) -> Features:
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
