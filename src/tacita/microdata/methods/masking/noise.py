"""Noise added to the values: independent for each cell, or with the covariance of the records."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from tacita.core import DataError, Ints, Mask, Matrix, RunContext
from tacita.core.data.value_bounds import Bounded

from .masking_method import Masked, Masking
from .spectrum import spectrum

# A record is drawn again at most so often; beyond, the bounds leave hardly any room.
_ROUNDS = 2000

Draw = Callable[[Ints], Matrix]


class AdditiveNoise(Bounded, Masking):
    """Adds normal noise whose variance is `alpha` times that of the data, within bounds if given."""

    alpha: float = Field(
        default=0.1,
        gt=0,
        le=100,
        allow_inf_nan=False,
        description="variance of the noise, as a multiple of the column's",
    )

    def change(self, x: Matrix, units: npt.ArrayLike | None, beside: Matrix, run: RunContext) -> Masked:
        self.check_originals(x)
        rows = np.arange(x.shape[0])
        draw = self.draws(x, run.protective_generator())
        z = draw(rows)
        for done in range(_ROUNDS):
            outside = self.outside(z)
            rows = np.flatnonzero(outside.any(axis=1))
            if rows.size == 0:
                return Masked(z)
            z[rows] = self.redrawn(z[rows], outside[rows], draw(rows))
            run.report("drawing within bounds", done, _ROUNDS)
        raise DataError(
            f"{self.display_name()}: {rows.size} records found no noise within the bounds in {_ROUNDS} "
            "draws. Widen the bounds, lower alpha, or use noise, which draws each column by itself."
        )

    @abstractmethod
    def draws(self, x: Matrix, chance: np.random.Generator) -> Draw:
        """A function that draws masked values for some rows, anew at each call."""

    @abstractmethod
    def redrawn(self, z: Matrix, outside: Mask, fresh: Matrix) -> Matrix:
        """Rows with something outside the bounds, with fresh values where they are to be drawn again."""


class Noise(AdditiveNoise):
    """Independent normal noise on every cell.

    z_ij = x_ij + e_ij with e_ij ~ N(0, alpha var_j), var_j the variance of column j (divisor n - 1; in its
    stratum, where there are strata).
    With bounds a cell outside is drawn again until it lies inside: noise from the normal distribution cut off
    at the bounds. Bounds are yours, never those of the data, whose extremes they would give away.

    Preserved, in expectation: means and covariances; variances grow by the factor 1 + alpha, correlations
    shrink by it. With bounds, means near a bound are pushed inwards.
    An attacker: knows each value up to a few standard deviations of the noise; an outlier stays one, and a
    record known in many columns is found by its nearest neighbour (see DBRL). Values that several records
    of one person repeat can be averaged. Linear relations (a total and its parts) break, and averaging over
    them takes noise away: mask with correlated-noise then.

    O(n d) time and memory; with bounds a few times that.
    Source: the usual additive noise, e.g. Brand (2002), in Inference Control in Statistical Databases, LNCS
    2316, 97-116.

    >>> x = np.arange(2000.0).reshape(-1, 1)
    >>> z = Noise(alpha=0.25, lowest=0).mask(x)
    >>> bool(z.min() >= 0), bool(0.4 < (z - x).std() / x.std() < 0.6)
    (True, True)
    """

    guarantees: ClassVar[tuple[str, ...]] = ("masked-cells", "bounds-kept", "noise-independent")

    def draws(self, x: Matrix, chance: np.random.Generator) -> Draw:
        spread = np.sqrt(self.alpha) * x.std(axis=0, ddof=1) * (np.ptp(x, axis=0) > 0)
        return lambda rows: x[rows] + spread * chance.standard_normal((rows.size, x.shape[1]))

    def redrawn(self, z: Matrix, outside: Mask, fresh: Matrix) -> Matrix:
        return np.where(outside, fresh, z)


class CorrelatedNoise(AdditiveNoise):
    """Normal noise with the covariance of the records themselves.

    z_i = x_i + e_i with e_i ~ N(0, alpha Sigma), Sigma the covariance matrix of the columns (of the
    stratum). With `shrink`, z_i = m + (x_i - m + e_i) / sqrt(1 + alpha), m the means. With bounds a record
    of which any value lies outside is drawn again as a whole.

    Preserved: in expectation the means and all correlations; the covariance matrix is (1 + alpha) Sigma,
    with `shrink` Sigma itself. Linear relations among the columns stay, unless whole numbers are rounded: a
    total is the sum of its parts. Bounds bias means and covariances near them.
    An attacker: knows each value up to a few standard deviations of the noise. Since noise and data have
    one shape, nothing is gained by averaging over columns, as it is with independent noise; outliers stay
    outliers.

    O(n d^2) time, O(n d) memory; with bounds a few times that. A singular covariance matrix is no obstacle.
    Source: Kim (1986), A method for limiting disclosure in microdata based on random noise and
    transformation, Proc. ASA Section on Survey Research Methods; Tendick & Matloff (1994), ACM Trans.
    Database Systems 19(1), 47-63 (shrinking).

    >>> x = np.random.default_rng(0).normal(size=(500, 2)) @ [[1.0, 2.0], [0.0, 0.1]]
    >>> z = CorrelatedNoise(alpha=0.5).mask(x)
    >>> bool(np.corrcoef((z - x).T)[0, 1] > 0.99)
    True
    """

    guarantees: ClassVar[tuple[str, ...]] = ("masked-cells", "bounds-kept", "noise-correlated")

    shrink: bool = Field(default=False, description="draw values to the mean, so that variances do not grow")

    def draws(self, x: Matrix, chance: np.random.Generator) -> Draw:
        decomposed = spectrum(x)
        shape = (
            np.sqrt(self.alpha / (x.shape[0] - 1))
            * decomposed.sizes[:, None]
            * decomposed.axes.T
            * decomposed.scale
        )
        shrinking = 1 / np.sqrt(1 + self.alpha) if self.shrink else 1.0

        def draw(rows: Ints) -> Matrix:
            noise = chance.standard_normal((rows.size, decomposed.sizes.size)) @ shape
            result: Matrix = decomposed.centre + shrinking * (x[rows] - decomposed.centre + noise)
            return result

        return draw

    def redrawn(self, z: Matrix, outside: Mask, fresh: Matrix) -> Matrix:
        return fresh
