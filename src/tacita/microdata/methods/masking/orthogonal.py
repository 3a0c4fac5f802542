"""Random orthogonal matrix masking (ROMM), which preserves means and covariances.

T is never computed. With X = 1 m' + U S V' (U orthonormal, n x r), only T U matters. Here it is the
orthonormal frame nearest to U + (strength / sqrt(n)) N, where N is n x r standard normal noise orthogonal
to the ones: what the matrix I + (strength / sqrt(n)) M, with M n x n normal, makes of U, orthonormalised.
Any such frame is T U for some orthogonal T with T 1 = 1.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from tacita.core import Matrix, RunContext

from .masking_method import Masked, Masking
from .spectrum import spectrum


class ROMM(Masking):
    """Random orthogonal matrix masking: new records with exactly the old means and covariances.

    Z = T X with a random orthogonal n x n matrix T that preserves the vector of ones (T 1 = 1). Then 1'Z =
    1'X and Z'Z = X'X: the mean vector, the covariance matrix and every regression among the masked columns
    are those of the originals. strength 0 is the identity; as it grows, T becomes uniformly distributed
    (Haar), and Z a new sample. Original and masked columns correlate by about 1 / sqrt(1 + strength^2).

    Use it if users need exact moments. Preserved: means and covariances of the masked columns, to 1e-12 of
    sd_i sd_j, and linear relations among them. Not preserved: marginal distributions (which approach the
    normal), bounds, whole numbers (hence no rounding), and relations with columns that are not masked.
    Attacks: with a small strength the nearest record is often the right one, and outliers remain outliers.
    The exact moments are one equation for an attacker who knows all other records; two releases of nearly
    the same records reveal the record of a newcomer.

    O(n d^2) time, O(n d) memory. Needs 2 d + 3 records: with fewer, the moments determine almost everything.
    Source: Ting, Fienberg & Trottini (2008), Random orthogonal matrix masking methodology for microdata
    release, Int. J. Information and Computer Security 2(1), 86-105. Their way to make T from its distance
    to the identity takes an n x n matrix; ours, with the same two ends, does not.

    >>> x = np.random.default_rng(0).lognormal(size=(50, 2))
    >>> z = ROMM(strength=2.0).mask(x)
    >>> bool(np.allclose(np.cov(z.T), np.cov(x.T), rtol=1e-12)), bool(np.allclose(z, x))
    (True, False)
    """

    guarantees: ClassVar[tuple[str, ...]] = ("masked-cells", "moments-preserved")
    roundable: ClassVar[bool] = False

    strength: float = Field(
        default=0.5,
        gt=0,
        le=1e6,
        allow_inf_nan=False,
        description="how far the random matrix is from the identity; above 10 the originals hardly matter",
    )

    def fewest(self, columns: int) -> int:
        return 2 * columns + 3

    def change(self, x: Matrix, units: npt.ArrayLike | None, beside: Matrix, run: RunContext) -> Masked:
        decomposed = spectrum(x)
        n, rank = decomposed.scores.shape
        noise = run.protective_generator().standard_normal((n, rank))
        run.report("masking records", 0, 1)
        frame = decomposed.scores + (self.strength / np.sqrt(n)) * (noise - noise.mean(axis=0))
        # once more takes away what the first orthonormalisation rounded
        for _ in range(2):
            frame = _nearest_orthonormal(frame - frame.mean(axis=0))
        return Masked(
            decomposed.centre
            + (decomposed.drift + (frame * decomposed.sizes) @ (decomposed.axes.T * decomposed.scale))
        )


def _nearest_orthonormal(frame: Matrix) -> Matrix:
    """frame (frame' frame)^(-1/2): the orthonormal columns nearest to those of a frame (Löwdin). O(n r^2)."""
    sizes, axes = np.linalg.eigh(frame.T @ frame)
    return np.asarray(frame @ ((axes / np.sqrt(sizes)) @ axes.T), dtype=np.float64)
