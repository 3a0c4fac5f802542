"""Dependent columns on independent ones by least squares, with every rank revealed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacita.core import Matrix
from tacita.microdata.statistics.standardise import centre_and_scale, standardise

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
        scales = (*centre_and_scale(y), *centre_and_scale(s))
        y, s = standardise(y), standardise(s)
        basis = column_basis(s)
        remainder = without(y, basis)
        left, strength, right = np.linalg.svd(remainder, full_matrices=False)
        kept = strength > RANK_TOLERANCE * np.sqrt(n)
        right = np.ascontiguousarray(right[kept].T)
        left = np.ascontiguousarray(left[:, kept])
        return cls(y, s, *scales, basis, y - remainder, left, strength[kept], right)

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
        return np.minimum(np.einsum("ij,ij->i", self.basis, self.basis), 1.0)

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
