"""Regression on what is kept, with residuals that are drawn anew (IPSO) or partly (GADP)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Matrix, RunContext

from .regression import Regression, without
from .synthesis_method import SYNTHETIC, Synthesis

ALL_MOMENTS = (
    *SYNTHETIC,
    "means-preserved",
    "covariances-preserved",
    "coefficients-preserved",
    "linear-relations",
)


class LinearRegression(Synthesis):
    """Every dependent value becomes its prediction from the independent ones.

    Y' = [1, S] B with B the least-squares coefficients. Means, coefficients, covariances with S and linear
    relations stay exactly; variances shrink to what S explains, so that tables of spread or tails mislead.
    An attacker learns what S tells about Y and no more; a record of high leverage is nearly its own
    prediction, which is why such data are refused.

    O(n (p + q)^2) time, O(n (p + q)) memory.
    Source: least squares; some texts call this IPSO-A, which in Burridge (2003), Statistics and Computing
    13(4), 321-327, draws residuals.

    >>> s = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
    >>> y = np.array([[1.0], [0.0], [2.0], [1.0], [3.0]])
    >>> LinearRegression().synthesize(y, s).round(3).ravel().tolist()
    [0.4, 0.9, 1.4, 1.9, 2.4]
    """

    guarantees: ClassVar[tuple[str, ...]] = (
        *SYNTHETIC,
        "means-preserved",
        "coefficients-preserved",
        "linear-relations",
    )
    by_chance: ClassVar[bool] = False

    def draw(self, regression: Regression, run: RunContext) -> Matrix:
        run.report("drawing values", 1, 1)
        return regression.fitted


class IPSOA(Synthesis):
    """Prediction from the independent attributes plus a normal residual.

    Y' = [1, S] B + E, the rows of E drawn from N(0, Sigma), Sigma = R'R / (n - rank [1, S]) the covariance of
    the residuals R. Means, covariances and coefficients hold in expectation, linear relations exactly. An
    attacker learns what S tells about Y; the residual of a record has no part in its release.

    O(n (p + q)^2) time, O(n (p + q)) memory.
    Source: Burridge (2003), Information preserving statistical obfuscation, Statistics and Computing 13(4),
    321-327, method A.

    >>> rng = np.random.default_rng(0)
    >>> s = rng.normal(size=(200, 2))
    >>> y = s @ [[1.0], [2.0]] + rng.normal(size=(200, 1))
    >>> released = IPSOA().synthesize(y, s)
    >>> bool(abs(released.mean() - y.mean()) < 0.3)
    True
    """

    guarantees: ClassVar[tuple[str, ...]] = (*SYNTHETIC, "linear-relations")

    def draw(self, regression: Regression, run: RunContext) -> Matrix:
        noise = normal_directions(regression, run) / np.sqrt(regression.n - regression.independent_rank)
        run.report("drawing values", 1, 1)
        return regression.with_residuals(noise)


class IPSOB(Synthesis):
    """Prediction plus normal residuals made orthogonal to the independent attributes.

    As IPSO-A, with E replaced by its part orthogonal to [1, S]: regressing Y' on S gives exactly the
    coefficients of the original, and the means are exact. Residual covariances hold in expectation, linear
    relations exactly. An attacker learns what S tells about Y, with the exact coefficients.

    O(n (p + q)^2) time, O(n (p + q)) memory.
    Source: Burridge (2003), Statistics and Computing 13(4), 321-327, method B.

    >>> rng = np.random.default_rng(0)
    >>> s = rng.normal(size=(200, 2))
    >>> y = s @ [[1.0], [2.0]] + rng.normal(size=(200, 1))
    >>> released = IPSOB().synthesize(y, s)
    >>> bool(np.allclose(s.T @ (released - y), 0))
    True
    """

    guarantees: ClassVar[tuple[str, ...]] = (
        *SYNTHETIC,
        "means-preserved",
        "coefficients-preserved",
        "linear-relations",
    )

    def draw(self, regression: Regression, run: RunContext) -> Matrix:
        noise = without(normal_directions(regression, run), regression.basis)
        run.report("drawing values", 1, 1)
        return regression.with_residuals(noise / np.sqrt(regression.n - regression.independent_rank))


class IPSOC(Synthesis):
    """Prediction plus residuals with exactly the original's covariance.

    With F the prediction and R = U diag(s) V' the residuals (rank r): Z, n x r normal, is made orthogonal to
    [1, S] and to U, and its columns orthonormal (G); Y' = F + G diag(s) V'. Means, covariances of all
    attributes and coefficients are those of the original to machine precision, linear relations too, and
    everything computed from them: regressions, principal components, factor analyses. Marginal
    distributions become normal around the prediction: values can be negative where the original's cannot.
    An attacker knows the exact moments and what S tells about Y; residuals released and true are
    uncorrelated. Two releases of nearly the same records with exact moments reveal who was added.

    O(n (p + q)^2) time, O(n (p + q)) memory.
    Source: Burridge (2003), Statistics and Computing 13(4), 321-327, method C; rank-revealing form ours.

    >>> rng = np.random.default_rng(0)
    >>> s = rng.normal(size=(200, 2))
    >>> y = s @ [[1.0], [2.0]] + rng.normal(size=(200, 1))
    >>> released = IPSOC().synthesize(y, s)
    >>> bool(np.isclose(released.var(), y.var(), rtol=1e-12))
    True
    """

    guarantees: ClassVar[tuple[str, ...]] = ALL_MOMENTS

    def draw(self, regression: Regression, run: RunContext) -> Matrix:
        directions = exact_directions(regression, normal_directions(regression, run))
        run.report("drawing values", 1, 1)
        return regression.with_residuals(directions)


class IPSOQ(Synthesis):
    """IPSO-C with the marginal distributions brought back, moments still exact.

    Starts from IPSO-C and repeats: (a) every column takes the original's sorted values in the order of the
    synthetic ones; (b) the residuals of that are replaced by the nearest ones orthogonal to [1, S] and to
    the original residuals with the original's covariance (a polar decomposition). It ends on (b): moments,
    coefficients and linear relations are exact, marginals close. More rounds bring distributions closer, and
    with them the risk: the largest and smallest values come out nearly as they were, though not in the same
    record. An attacker otherwise knows what IPSO-C tells.

    O(n (p + q)^2 + rounds p n (log n + p + q)) time, O(n (p + q)) memory.
    Source: ours, from IPSO-C (Burridge 2003, Statistics and Computing 13(4), 321-327).

    >>> rng = np.random.default_rng(0)
    >>> s = rng.normal(size=(200, 2))
    >>> y = np.exp(s @ [[0.1], [0.2]] + rng.normal(size=(200, 1)))
    >>> released = IPSOQ().synthesize(y, s)
    >>> bool(np.isclose(released.var(), y.var(), rtol=1e-12))
    True
    >>> bool(abs(np.median(released) - np.median(y)) < 0.1 * y.std())
    True
    """

    guarantees: ClassVar[tuple[str, ...]] = ALL_MOMENTS

    alternations: int = Field(
        default=20, ge=1, le=1000, description="how often marginals and moments are restored"
    )

    def draw(self, regression: Regression, run: RunContext) -> Matrix:
        current = regression.with_residuals(exact_directions(regression, normal_directions(regression, run)))
        marginals = np.sort(regression.y, axis=0)
        for done in range(self.alternations):
            current = regression.with_residuals(nearest_directions(regression, by_rank(current, marginals)))
            run.report("drawing values", done + 1, self.alternations)
        return current


def normal_directions(regression: Regression, run: RunContext) -> Matrix:
    """Independent standard normal numbers, one column per direction of the residuals."""
    return run.protective_generator().standard_normal((regression.n, regression.residual_rank))


def exact_directions(regression: Regression, draws: Matrix) -> Matrix:
    """Orthonormal columns out of draws, orthogonal to [1, S] and to the residuals. O(n r (r + q))."""
    taken = np.hstack([regression.basis, regression.left])
    columns = np.linalg.qr(without(draws, taken))[0]
    # draws that happen to lie in what is taken leave rounding, which leans on it: once more
    return np.asarray(np.linalg.qr(without(columns, taken))[0])


def nearest_directions(regression: Regression, y: Matrix) -> Matrix:
    """Orthonormal columns G, orthogonal to [1, S] and the residuals, with F + G diag(s) V' nearest to y.

    The polar factor of (y - F) V diag(s), less what is not orthogonal. O(n r (r + q + p)).
    """
    taken = np.hstack([regression.basis, regression.left])
    free = without((y @ regression.right) * regression.strength, taken)
    left, _, right = np.linalg.svd(free, full_matrices=False)
    # a direction that all but vanished may lean on what is taken: out with it, and straighten again
    left, _, right = np.linalg.svd(without(left @ right, taken), full_matrices=False)
    return np.asarray(left @ right)


def by_rank(values: Matrix, marginals: Matrix) -> Matrix:
    """The sorted columns of `marginals` in the order of `values`; ties by row. O(n p log n).

    >>> by_rank(np.array([[5.0], [1.0], [3.0]]), np.array([[10.0], [20.0], [70.0]])).ravel().tolist()
    [70.0, 10.0, 20.0]
    """
    mapped = np.empty_like(values)
    for column in range(values.shape[1]):
        mapped[np.argsort(values[:, column], kind="stable"), column] = marginals[:, column]
    return mapped


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

    similarity: float = Field(
        default=0.0, ge=0, lt=1, description="correlation of released and true residuals"
    )

    def draw(self, regression: Regression, run: RunContext) -> Matrix:
        noise = normal_directions(regression, run) / np.sqrt(regression.n - regression.independent_rank)
        run.report("drawing values", 1, 1)
        mixed = self.similarity * regression.left + np.sqrt(1 - self.similarity**2) * noise
        return regression.with_residuals(mixed)
