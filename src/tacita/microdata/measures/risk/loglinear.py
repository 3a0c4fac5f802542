"""Risk of sample uniques where a model says how many of the population have each combination of keys."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import ConfigDict, Field

from tacita.core import DataError, Floats, Ints, RunContext, Score
from tacita.core.spec.roles import Names

from .keys import KeyTable
from .population import SampleMeasure

_MOST_CELLS = 20_000_000
_MOST_ROUNDS = 500
# Margins are met to this share of all records.
_CLOSE = 1e-9
# A statistic of the fit beyond it is no chance, one time in twenty.
_FAR = 1.96


def fitted(counts: Floats, margins: Sequence[tuple[int, ...]], run: RunContext) -> Floats:
    """Means of a Poisson log-linear model with some margins of a table: iterative proportional fitting.

    O(cells margins) a round; one round where margins do not overlap.

    >>> fitted(np.array([[3.0, 1.0], [1.0, 3.0]]), [(0,), (1,)], RunContext()).tolist()
    [[2.0, 2.0], [2.0, 2.0]]
    """
    means = np.full(counts.shape, counts.sum() / counts.size)
    axes = [tuple(j for j in range(counts.ndim) if j not in margin) for margin in margins]
    wanted = [counts.sum(axis=others, keepdims=True) for others in axes]
    for done in range(_MOST_ROUNDS):
        off = 0.0
        for others, margin in zip(axes, wanted, strict=True):
            own = means.sum(axis=others, keepdims=True)
            off = max(off, float(np.abs(own - margin).max()))
            means *= np.divide(margin, own, out=np.zeros_like(own), where=own > 0)
        run.report("fitting a model", done, _MOST_ROUNDS)
        if off <= _CLOSE * counts.sum():
            run.report("fitting a model", 1, 1)
            return means
    raise DataError("the model of the keys does not settle; name fewer keys or terms")


def risk_of_uniques(means: Floats, fraction: Floats) -> tuple[Floats, Floats]:
    """Of sample uniques: the chance to be unique in the population, and the mean of 1 / F.

    The others of the population are Poisson of mean mu = lambda (1 - pi) / pi, which gives exp(-mu) and
    (1 - exp(-mu)) / mu.
    """
    others = means * (1 - fraction) / fraction
    alone = np.exp(-others)
    return alone, np.divide(-np.expm1(-others), others, out=np.ones_like(others), where=others > 0)


class Fit(NamedTuple):
    """How far an estimate is off for want of terms (above 0) or by too many (below), in standard errors."""

    statistic: float

    @property
    def words(self) -> str:
        """What to make of it."""
        if abs(self.statistic) <= _FAR:
            return "no fault of fit is seen"
        return "under-fitted, risk overstated" if self.statistic > 0 else "over-fitted, risk understated"


def goodness(counts: Floats, means: Floats, fraction: float) -> Fit:
    """The estimated bias of tau1 by its standard error.

    With b = (1 - pi) / pi the bias is the sum over cells of lambda exp(-lambda / pi) b {(f - lambda) +
    b [(f - lambda)^2 - f] / 2}. Under the model f - lambda and (f - lambda)^2 - f have the variances lambda
    and 2 lambda^2, and no covariance.
    """
    odds = (1 - fraction) / fraction
    weight = means * np.exp(-means / fraction) * odds
    off = counts - means
    bias = float((weight * (off + odds * (off**2 - counts) / 2)).sum())
    spread = float((weight**2 * (means + odds**2 * means**2 / 2)).sum())
    return Fit(float(bias / np.sqrt(spread)) if spread > 0 else 0.0)


class ModelRisk(SampleMeasure):
    """Expected number of sample uniques that are correctly linked, by a log-linear model of the keys.

    The count of each combination of keys is Poisson of mean lambda, fitted to the sample by a model:
    `independence`, `two-way` (all pairs of keys), or given `terms` such as sex*age. The others in the
    population are Poisson of mean mu = lambda (1 - pi) / pi, pi the chance to be sampled (1 / weight, or the
    sampling fraction). tau1 = sum over sample uniques of exp(-mu): those unique in the population. tau2 = sum
    of (1 - exp(-mu)) / mu: correct links. `fit` tells in standard errors whether terms are lacking
    (above 1.96: risk overstated) or too many (below -1.96: understated). Missing keys are values. Where units
    are known, each counts once in every combination that it shows, and sums are over units. O(cells of the
    whole cross-classification) a round of fitting.
    Source: Skinner & Shlomo (2008), Assessing identification risk in survey microdata using log-linear
    models, J. American Statistical Association 103, 989-1001.

    >>> import pyarrow as pa
    >>> from tacita.core import Comparison, Microdata
    >>> from tacita.core.results.score import Files
    >>> data = Microdata.of(pa.table({"sex": list("ffffm"), "town": list("aaabb")}))
    >>> found = ModelRisk(keys=["sex", "town"], fraction=0.2).score(Comparison.of_files(Files(data)))
    >>> round(found.value, 3), round(found.beside["tau1"], 3)
    (0.655, 0.204)
    """

    model_config = ConfigDict(protected_namespaces=())

    name: ClassVar[str] = "model_risk"
    measured_in: ClassVar[str] = "records"
    of_the_worst: ClassVar[bool] = False
    limit_type: ClassVar[Any] = Annotated[float, Field(gt=0, allow_inf_nan=False)]

    model: Literal["independence", "two-way"] = Field(
        default="independence", description="which terms the model has"
    )
    terms: Names = Field(
        default=(), description="terms in place of these, keys with * between, such as sex*age"
    )
    tau: Literal["tau1", "tau2"] = Field(
        default="tau2", description="what is counted: population uniques (tau1) or correct links (tau2)"
    )

    def figure(self, table: KeyTable, run: RunContext) -> Score:
        """The sum over sample uniques; both sums and the fit of the model as extra figures."""
        fraction = self.sampling_fraction(table)
        if fraction is None:
            raise DataError("neither weights nor a sampling fraction is known")
        codes, shape = _from_zero(table.codes)
        cells = int(np.prod([float(side) for side in shape]))
        if cells > _MOST_CELLS:
            raise DataError(f"the keys have {cells} combinations, more than {_MOST_CELLS}; name fewer keys")
        place = np.ravel_multi_index(tuple(codes.T), shape)
        once = np.sort(table.once)
        counts = np.bincount(place[once], minlength=cells).astype(np.float64).reshape(shape)
        means = fitted(counts, self._margins(table.names), run)
        alone = once[table.frequencies[once] == 1]
        own = self._chances(table, fraction)[alone]
        unique, linked = risk_of_uniques(means.ravel()[place[alone]], own)
        fit = goodness(counts, means, fraction) if fraction < 1 else Fit(0.0)
        sums = {"tau1": float(unique.sum()), "tau2": float(linked.sum())}
        of_class = np.zeros(table.sizes.size)
        of_class[table.classes[alone]] = unique if self.tau == "tau1" else linked
        per_record = of_class[table.classes]
        return self.result(
            sums[self.tau],
            per_record=per_record,
            reading={"model": ", ".join(self.terms) or self.model, "fit": fit.words},
            beside={**sums, "sample_uniques": float(alone.size), "fit": fit.statistic},
        )

    def _chances(self, table: KeyTable, fraction: float) -> Floats:
        """The chance of each record to be in the sample."""
        name = self.weight_name(table.files)
        if self.fraction is not None or name is None:
            return np.full(table.n, fraction)
        return np.minimum(1.0, 1 / table.weights_of_units(table.weights(name)))

    def _margins(self, names: tuple[str, ...]) -> list[tuple[int, ...]]:
        every = range(len(names))
        if self.terms:
            return self._given(names)
        if self.model == "independence" or len(names) == 1:
            return [(j,) for j in every]
        return list(combinations(every, 2))

    def _given(self, names: tuple[str, ...]) -> list[tuple[int, ...]]:
        margins = [tuple(part.strip() for part in term.split("*")) for term in self.terms]
        unknown = sorted({name for margin in margins for name in margin} - set(names))
        if unknown:
            raise DataError(f"the terms name {', '.join(unknown)}, which is no key")
        placed = [tuple(sorted({names.index(name) for name in margin})) for margin in margins]
        # a key that no term names counts by itself
        return placed + [(j,) for j in range(len(names)) if not any(j in margin for margin in placed)]


def _from_zero(codes: Ints) -> tuple[Ints, tuple[int, ...]]:
    """Codes of the values that occur, a missing one among them, and how many each key has."""
    columns = [np.unique(column, return_inverse=True)[1].reshape(-1) for column in codes.T]
    return np.column_stack(columns), tuple(int(column.max()) + 1 for column in columns)
