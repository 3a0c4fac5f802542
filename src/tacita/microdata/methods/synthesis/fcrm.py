"""FCRM: fuzzy clusters, each with a regression of its own.

The regression of a cluster includes an intercept and uses the pseudo-inverse. The start of fuzzy c-means
draws centres with odds by distance. `nonnegative` keeps columns without negative values so; `order` keeps
one attribute below another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from tacita.core import DataError, Ints, Matrix, RunContext
from tacita.core.arrays import as_matrix

from .constraints import Constraints
from .fuzzy import fuzzy_c_means, shares
from .regression import Features, Regression
from .synthesis_method import SYNTHETIC, Synthesis


@dataclass(frozen=True)
class FCRMSettings:
    """Tolerances of fuzzy c-regression, and how many records are worked on at once."""

    # share of the largest eigenvalue of X'DX below which one is none: S may be singular, all the more in a
    # cluster
    least_eigenvalue: float = 1e-11
    # squared residual of a perfect fit, which is rounding: none is more perfect than another
    perfect_residual: float = 1e-20
    # records at once: memory against calls
    block: int = 8192


SETTINGS = FCRMSettings()


@dataclass(frozen=True, eq=False)
class Iteration:
    """What one round of FCRM found, for a page that draws it.

    `attribute` is the dependent column, or None where all share their memberships. `coefficients[k]` is the
    model of cluster k on the scale of the file: a row per term ([1, s_1 .. s_q], then the radial functions
    of S if there are any), a column per dependent attribute. `memberships` are n x c.

    `released` are the values that the file would get if this round were the last, bounds, order and linear
    relations kept; where every attribute has memberships of its own, the bare predictions of that one.
    `terms(s)` are the terms of the models at any places.
    """

    attribute: int | None
    iteration: int
    objective: float
    change: float
    memberships: Matrix
    coefficients: Matrix
    released: Matrix
    terms: Callable[[Matrix], Matrix]

    @property
    def labels(self) -> Ints:
        """The cluster that each record belongs to most; ties to the first."""
        return strongest(self.memberships)

    def curves(self, s: npt.ArrayLike) -> Matrix:
        """What every cluster predicts at some places (n x q, as in the file): c x n x p. O(c n f p)."""
        return np.asarray(self.terms(as_matrix(s, "FCRM")) @ self.coefficients)


@dataclass(frozen=True, eq=False)
class _Round:
    """One round on the scale of the regression."""

    iteration: int
    objective: float
    change: float
    memberships: Matrix
    coefficients: Matrix


@dataclass(frozen=True, eq=False)
class Fitted:
    """Where the iteration ended: predictions, labels and leverage of every record in its own cluster."""

    predictions: Matrix
    labels: Ints
    leverage: Matrix
    iterations: int
    objective: float
    change: float


Listener = Callable[[Iteration], None]


class FCRM(Synthesis):
    """Fuzzy c-regression models: each record takes the prediction of the cluster it belongs to most.

    Minimises sum_ik u_ik^m e_ik, with e_ik the squared residual of record i under the model of cluster k. It
    starts from fuzzy c-means on all standardised attributes and repeats two steps: least squares per
    cluster with weights u^m, and u_ik = 1 / sum_j (e_ik / e_ij)^(1/(m-1)). It ends when no u changes by eps
    or more, or after rmax rounds, and so does the start. If it is stopped early, it uses the current round.

    "joint" memberships are shared by all dependent attributes and preserve linear relations; "separate"
    ones, an FCRM per attribute, break them unless `equalities` restores them by projection (the default).
    Models are linear, or linear with Gaussian radial functions of S. `nonnegative` and `order` move values
    to the nearest that satisfy what all originals satisfy. Moments are not preserved.

    Few clusters lose the spread around the regressions; many come close to the true values. Nothing is
    random but the start (fixed unless the run has a seed): an attacker who guesses the cluster of a record
    computes its value from S. Clusters that determine an attribute by S are refused beyond `max_unchanged`
    of a column.
    O(rmax n c (p + q)^2) time, O(n (c + p + q)) memory.
    Source: Hathaway & Bezdek (1993), Switching regression models and fuzzy clustering, IEEE Trans. Fuzzy
    Systems 1(3), 195-204.

    >>> s = np.linspace(-1, 1, 60).reshape(-1, 1)
    >>> y = np.abs(s) + 0.05 * np.sin(40 * s)
    >>> released = FCRM(c=2).synthesize(y, s)
    >>> bool(np.abs(released - np.abs(s)).max() < 0.05)
    True
    """

    guarantees: ClassVar[tuple[str, ...]] = (*SYNTHETIC, "linear-relations")
    by_chance: ClassVar[bool] = False
    anytime: ClassVar[bool] = True
    against_true_values: ClassVar[str] = (
        "A cluster makes them a function of the independent ones: use fewer clusters or joint memberships"
    )

    c: int = Field(default=4, ge=1, le=10_000, description="number of clusters")
    m: float = Field(
        default=1.5, gt=1, le=10, description="fuzziness; near 1 a record belongs to one cluster only"
    )
    eps: float = Field(default=1e-4, gt=0, lt=1, description="stop when no membership changes by more")
    rmax: int = Field(default=30, ge=1, le=100_000, description="stop after so many rounds at the latest")
    memberships: Literal["joint", "separate"] = Field(
        default="joint", description="one membership for all dependent attributes, or one for each"
    )
    model: Literal["linear", "radial"] = Field(default="linear", description="regression inside a cluster")
    functions: int = Field(
        default=8, ge=1, le=1000, description="radial functions, where the model is radial"
    )
    equalities: bool = Field(default=True, description="keep exact linear relations among the attributes")
    order: bool = Field(default=False, description="keep one attribute below another where all records do")

    def promised(self) -> tuple[str, ...]:
        """Linear relations, unless they were given up."""
        given_up = () if self.equalities else ("linear-relations",)
        return tuple(name for name in super().promised() if name not in given_up)

    def synthesize(
        self,
        y: npt.ArrayLike,
        s: npt.ArrayLike | None = None,
        run: RunContext | None = None,
        *,
        on_iteration: Listener | None = None,
        constraints: Constraints | None = None,
    ) -> Matrix:
        """As every synthesis; `on_iteration` gets each round, `constraints` stand in for those found."""
        run = run or RunContext()
        if on_iteration is not None:
            run = replace(run, on_iteration=on_iteration)
        return self.searched(y, s, run, constraints=constraints)[0]

    def searched(
        self, y: npt.ArrayLike, s: npt.ArrayLike | None, run: RunContext, **options: Any
    ) -> tuple[Matrix, list[dict[str, Any]]]:
        """The release, and of each fit its rounds, its objective and the last change of a membership."""
        released, fits = self._released(y, s, run, options.get("constraints"))
        return released, [
            {
                **({"column": j} if self.memberships == "separate" else {}),
                "rounds": fit.iterations,
                "objective": fit.objective,
                "change": fit.change,
            }
            for j, fit in enumerate(fits)
        ]

    def _released(
        self, y: npt.ArrayLike, s: npt.ArrayLike | None, run: RunContext, constraints: Constraints | None
    ) -> tuple[Matrix, list[Fitted]]:
        regression = self.regress(y, s)
        independent = np.empty((regression.n, 0)) if s is None or np.size(s) == 0 else as_matrix(s, "FCRM")
        kept = constraints or self.constraints(as_matrix(y, "FCRM"), independent, order=self.order)

        def within(z: Matrix) -> Matrix:
            return kept.project(z, regression, independent, relations=self.equalities)

        fits = self.fit(regression, run, within)
        self._check_leverage(fits)
        released = within(stacked(fits))
        self.check_unchanged_share(regression, released)
        return released, fits

    def draw(self, regression: Regression, run: RunContext) -> Matrix:
        """Predictions alone, without constraints."""
        return stacked(self.fit(regression, run))

    def fit(
        self, regression: Regression, run: RunContext, within: Callable[[Matrix], Matrix] | None = None
    ) -> list[Fitted]:
        """One fit for all dependent attributes, or one for each; `within` makes values of predictions."""
        n, p = regression.y.shape
        if self.c > n:
            raise DataError(f"FCRM: wanted at least c={self.c} records, got {n}. Lower c.")
        features = Features.of(regression, self.functions if self.model == "radial" else 0, run)
        start = fuzzy_c_means(
            np.hstack([regression.s, regression.y]),
            self.c,
            run.search_generator(),
            m=self.m,
            tolerance=self.eps,
            rounds=self.rmax,
            report=lambda done, total: run.report("finding clusters", done, total),
        ).memberships
        blocks = [list(range(p))] if self.memberships == "joint" else [[j] for j in range(p)]
        fits = []
        for done, columns in enumerate(blocks):

            def report(share: float, done: int = done) -> None:
                run.report("fitting clusters", done + share, len(blocks))

            def hear(seen: _Round, columns: list[int] = columns) -> None:
                if not run.watched:
                    return
                alone = self.memberships == "separate"
                drawn = predicted(features.values, seen.memberships, seen.coefficients)
                released = regression.centre[columns] + regression.scale[columns] * drawn
                if within is not None and not alone:
                    released = within(drawn)
                run.on_iteration(
                    Iteration(
                        attribute=columns[0] if alone else None,
                        iteration=seen.iteration,
                        objective=seen.objective,
                        change=seen.change,
                        memberships=seen.memberships,
                        coefficients=features.on_file_scale(seen.coefficients, regression, columns),
                        released=released,
                        terms=lambda s: features.terms(s, regression),
                    )
                )

            y = np.ascontiguousarray(regression.y[:, columns])
            fits.append(self.iterate(features.values, y, start, hear, report, run.should_stop))
        return fits

    def iterate(
        self,
        x: Matrix,
        y: Matrix,
        memberships: Matrix,
        hear: Callable[[_Round], None] = lambda _seen: None,
        report: Callable[[float], None] = lambda _share: None,
        enough: Callable[[], bool] = lambda: False,
    ) -> Fitted:
        """Alternate models and memberships from given ones; x holds the terms of the model, 1 among them.

        If it is stopped early, it ends with the round that it is in: any round has a model for every record.
        """
        change, objective, iteration = np.inf, np.inf, 0
        following = memberships**self.m
        while iteration < self.rmax and not change < self.eps and not (iteration and enough()):
            weights = following
            inverse, moments = weighted_moments(x, y, weights)
            coefficients = inverse @ moments
            errors = squared_residuals(x, y, coefficients)
            before, memberships = memberships, shares(errors, self.m, SETTINGS.perfect_residual)
            change = float(np.abs(memberships - before).max())
            following = memberships**self.m
            objective = float(np.einsum("ik,ik->", following, errors))
            iteration += 1
            report(iteration / self.rmax)
            hear(_Round(iteration, objective, change, memberships, coefficients))
        report(1.0)
        predictions, leverage = predicted(x, memberships, coefficients), np.empty(y.shape[0])
        labels = strongest(memberships)
        for k in range(self.c):
            rows = np.flatnonzero(labels == k)
            own = x[rows]
            leverage[rows] = weights[rows, k] * np.einsum("ij,ij->i", own @ inverse[k], own)
        return Fitted(
            predictions=predictions,
            labels=labels,
            leverage=np.minimum(leverage, 1.0),
            iterations=iteration,
            objective=objective,
            change=change,
        )

    def _check_leverage(self, fits: list[Fitted]) -> None:
        high = int(np.any([fit.leverage > self.max_leverage for fit in fits], axis=0).sum())
        if high:
            raise DataError(
                f"FCRM: {high} records have a leverage over {self.max_leverage:g} in their cluster: their "
                "values would come out all but unchanged. Use fewer clusters or independent attributes, or "
                "set max_leverage = 1 to accept it."
            )


def stacked(fits: list[Fitted]) -> Matrix:
    """The predictions of all fits side by side."""
    return np.hstack([fit.predictions for fit in fits])


def strongest(memberships: Matrix) -> Ints:
    """The cluster that each record belongs to most; ties to the first."""
    return memberships.argmax(axis=1).astype(np.int64)


def predicted(x: Matrix, memberships: Matrix, coefficients: Matrix) -> Matrix:
    """What each record's own cluster predicts of it, from the terms of the model. O(n f p)."""
    labels = strongest(memberships)
    predictions = np.empty((x.shape[0], coefficients.shape[2]))
    for k, model in enumerate(coefficients):
        rows = np.flatnonzero(labels == k)
        predictions[rows] = x[rows] @ model
    return predictions


def weighted_moments(x: Matrix, y: Matrix, weights: Matrix) -> tuple[Matrix, Matrix]:
    """(X'D_k X)^+ and X'D_k Y for every cluster k. O(n c f (f + p)) time, O(n) memory beyond."""
    f, p, c = x.shape[1], y.shape[1], weights.shape[1]
    sums = np.zeros((c, f, f + p))
    both = np.hstack([x, y])
    for start in range(0, x.shape[0], SETTINGS.block):
        rows = slice(start, start + SETTINGS.block)
        # memory in the order it is read: one long row per term
        terms, weight = np.ascontiguousarray(x[rows].T), np.ascontiguousarray(weights[rows].T)
        for k in range(c):
            sums[k] += (terms * weight[k]) @ both[rows]
    values, vectors = np.linalg.eigh(sums[:, :, :f])
    kept = values > SETTINGS.least_eigenvalue * values[:, -1:]
    shrunk = vectors * np.where(kept, 1 / np.where(kept, values, 1.0), 0.0)[:, None, :]
    return shrunk @ vectors.transpose(0, 2, 1), sums[:, :, f:]


def squared_residuals(x: Matrix, y: Matrix, coefficients: Matrix) -> Matrix:
    """Squared length of every record's residual under every cluster's model. O(n c f p)."""
    errors = np.empty((x.shape[0], len(coefficients)))
    for start in range(0, x.shape[0], SETTINGS.block):
        rows = slice(start, start + SETTINGS.block)
        for k, model in enumerate(coefficients):
            residual = y[rows] - x[rows] @ model
            errors[rows, k] = np.einsum("ij,ij->i", residual, residual)
    return errors
