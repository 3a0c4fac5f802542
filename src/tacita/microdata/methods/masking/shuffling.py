"""The original values, dealt out in the order of synthetic ones."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from tacita.core import Matrix, RunContext
from tacita.core.spec.roles import Names

from .masking_method import Masked, Masking


class Shuffle(Masking):
    """Data shuffling: original values in the rank order of values drawn from a normal copula.

    Y are the masked columns, S columns that are kept (`beside`). All are turned into normal scores, Y*_ij =
    Phi^-1((rank_ij - 1/2) / n), equal values sharing their mean rank. For each record new scores are drawn
    from the conditional normal distribution Y*' | S* ~ N(B'S*, Sigma_YY - Sigma_YS Sigma_SS^-1 Sigma_SY)
    with the moments of the scores; then the value of rank r in column j goes to the record whose new score
    has rank r. Without S the scores are drawn from N(0, R), R the correlations of the scores.

    Preserved: the marginal distribution of every column in its stratum, exactly; rank correlations among Y,
    and of Y with S, approximately (as well as one normal copula describes them). Not preserved: linear
    relations, and relations with kept columns that are not in `beside`.
    An attacker: given S, the new values do not depend on the true ones, so a record is found no better than
    by S and chance. But every true value stands somewhere, extremes too, and where S determines Y the
    shuffled value lies near the true one.

    O(n (d + s)^2 + d n log n) time, O(n (d + s)) memory. Needs d + s + 3 records.
    Source: Muralidhar & Sarathy (2006), Data shuffling, Management Science 52(5), 658-670. They derive the
    correlations of the scores from rank correlations; here they are those of the scores themselves.

    >>> x = np.random.default_rng(0).lognormal(size=(100, 2))
    >>> z = Shuffle().mask(x, beside=x[:, :1])
    >>> bool((np.sort(z, axis=0) == np.sort(x, axis=0)).all())
    True
    """

    guarantees: ClassVar[tuple[str, ...]] = ("masked-cells", "marginals-preserved")

    beside: Names = Field(
        default=(),
        description="kept numeric columns that the masked ones should go with, as far as a normal copula can",
    )

    @property
    def context_columns(self) -> tuple[str, ...]:
        return self.beside

    def fewest(self, columns: int) -> int:
        return columns + 3

    def change(self, x: Matrix, units: npt.ArrayLike | None, beside: Matrix, run: RunContext) -> Masked:
        n, d = x.shape
        y, s = _normal_scores(x), _normal_scores(beside)
        run.report("masking records", 0, d + 1)
        fitted = s @ np.linalg.lstsq(s, y, rcond=None)[0] if s.shape[1] else np.zeros_like(y)
        # rows of the triangle have the covariance of what S leaves open, also where it is singular
        left_open = np.linalg.qr(y - fitted, mode="r") / np.sqrt(n)
        drawn = fitted + run.protective_generator().standard_normal((n, left_open.shape[0])) @ left_open
        z = np.empty_like(x)
        for j in range(d):
            z[np.argsort(drawn[:, j], kind="stable"), j] = np.sort(x[:, j])
            run.report("masking records", j + 1, d + 1)
        return Masked(z)


def _normal_scores(x: Matrix) -> Matrix:
    """Normal quantiles of the ranks, equal values sharing their mean rank; a constant column becomes 0."""
    from scipy.special import ndtri

    scores = np.empty_like(x)
    for j in range(x.shape[1]):
        _, place, counts = np.unique(x[:, j], return_inverse=True, return_counts=True)
        middle = np.cumsum(counts) - 0.5 * counts
        scores[:, j] = ndtri(middle / x.shape[0])[place.reshape(-1)]
    return scores - scores.mean(axis=0)
