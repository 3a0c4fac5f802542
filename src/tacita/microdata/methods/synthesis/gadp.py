"""GADP: perturbed values whose expected moments are the original's."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Matrix, Run

from .ipso import normal_directions
from .regression import Regression
from .synthesis_method import SYNTHETIC, Synthesis


class GADP(Synthesis):
    """Normal perturbation that keeps means and all covariances in expectation.

    Y' = F + a R + sqrt(1 - a^2) E, with F the prediction from S, R the residuals, a the similarity, and the
    rows of E drawn from N(0, Sigma), Sigma = R'R / (n - rank [1, S]). Then Cov(Y') = Cov(Y) and Cov(Y', S) =
    Cov(Y, S) in expectation, and the correlation of true and released residuals is a. Linear relations among
    all attributes hold exactly. At a = 0, the default and the safest, Y' given S does not depend on Y, as in
    IPSO-A. With a > 0 an attacker gets closer to the true residual: a share a^2 of its variance is known,
    and outliers stay outliers.

    O(n (p + q)^2) time, O(n (p + q)) memory.
    Source: Muralidhar, Parsa & Sarathy (1999), A general additive data perturbation method for database
    security, Management Science 45(10), 1399-1415.

    >>> rng = np.random.default_rng(0)
    >>> s = rng.normal(size=(500, 2))
    >>> y = s @ [[1.0], [2.0]] + rng.normal(size=(500, 1))
    >>> released = GADP(similarity=0.5).synthesize(y, s)
    >>> bool(abs(released.std() / y.std() - 1) < 0.1)
    True
    """

    guarantees: ClassVar[tuple[str, ...]] = (*SYNTHETIC, "linear-relations")

    similarity: float = Field(0.0, ge=0, lt=1, description="correlation of released and true residuals")

    def draw(self, regression: Regression, run: Run) -> Matrix:
        noise = normal_directions(regression, run) / np.sqrt(regression.n - regression.independent_rank)
        run.report("drawing values", 1, 1)
        mixed = self.similarity * regression.left + np.sqrt(1 - self.similarity**2) * noise
        return regression.with_residuals(mixed)
