"""Loss seen in whole distributions: could one tell released records from original ones?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.core import Comparison, Floats, Ints, Matrix, RunContext, Score
from tacita.microdata.measures.measure import Measure, SummedMeasure
from tacita.microdata.measures.moments import spreads
from tacita.microdata.measures.partial_aggregation import Part, PartialStatistic, Reduction
from tacita.microdata.measures.quantiles import quantiles

from .design_matrix import beside, estimable, fit, terms_of
from .survey_frame import Survey, SurveyLoss

# A random sample is cut into so many parts to see how much it may be off.
_PARTS = 8


class Hellinger(SummedMeasure):
    """How different the distribution of each column has become: 0 is the same, 100 nothing in common.

    Hellinger distance between the distributions of each attribute before and after.
    sqrt(1 - sum over bins of sqrt(p q)), in percent; bins are the original's quantiles, as many as
    `bins`, and values below and above. 0: same shares in every bin; 100: no bin in common. O(n log n d).
    Source: Hellinger (1909), J. reine und angewandte Mathematik 136, 210-271.

    >>> Hellinger().score(Comparison.of([[0.0], [1.0], [2.0]], [[0.0], [1.0], [2.0]])).value
    0.0
    """

    kind: ClassVar[str] = "loss"
    name: ClassVar[str] = "HELLINGER"
    family: ClassVar[str] = "distributions"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)

    bins: Annotated[int, Field(ge=2, description="how many bins")] = 20

    def reduction(self, names: tuple[str, ...]) -> Reduction[Score]:
        known = yield from spreads(len(names))
        if not known.varying.size:
            return self.none("no original column varies")
        before, _ = yield from quantiles(known, np.arange(self.bins + 1) / self.bins)
        edges = tuple(tuple(np.unique(before[:, j]).tolist()) for j in known.varying)
        partials = yield BinStatistic(tuple(known.varying.tolist()), edges)
        figures = {}
        for j, parts in zip(known.varying, zip(*partials, strict=True), strict=True):
            p, q = (np.sum(side, axis=0) / known.n for side in zip(*parts, strict=True))
            # the same as 1 - sum sqrt(p q), and exactly 0 where the shares agree
            figures[names[j]] = 100 * float(np.sqrt(0.5 * ((np.sqrt(p) - np.sqrt(q)) ** 2).sum()))
        return self.result(float(np.mean(list(figures.values()))), per_attribute=figures)


@dataclass(frozen=True)
class BinStatistic(PartialStatistic):
    """How many values of some columns, original and released, lie at and between the edges of bins."""

    columns: tuple[int, ...]
    edges: tuple[tuple[float, ...], ...]

    def compute(self, part: Part) -> list[tuple[Ints, Ints]]:
        return [
            (_binned(part.pair.original[:, j], own), _binned(part.pair.released[:, j], own))
            for j, own in zip(self.columns, map(np.array, self.edges), strict=True)
        ]


def _binned(values: Floats, edges: Floats) -> Ints:
    # a value equal to an edge stands apart from both neighbours: spikes such as zero keep their place
    places = np.searchsorted(edges, values, "left") + np.searchsorted(edges, values, "right")
    return np.bincount(places, minlength=2 * edges.size + 1)


class EnergyDistance(Measure):
    """How different the distribution of whole records has become: 0 only if it is the same.

    Energy distance between original and released records, standardised: 0 if and only if alike.
    sqrt(2 E|X - Z| - E|X - X'| - E|Z - Z'|), Euclidean on standardised attributes, divided by
    sqrt(2 E|X - Z|), so between 0 and 1. O(n^2 d): beyond `sample` records a random sample of them,
    whose eight parts tell the standard error.
    Source: Székely & Rizzo (2013), J. Statistical Planning and Inference 143(8), 1249-1272.

    >>> EnergyDistance().score(Comparison.of([[0.0], [1.0], [2.0]], [[0.0], [1.0], [2.0]])).value
    0.0
    """

    kind: ClassVar[str] = "loss"
    name: ClassVar[str] = "ENERGY"
    family: ClassVar[str] = "distributions"
    span: ClassVar[tuple[float, float | None]] = (0.0, 1.0)
    measured_in: ClassVar[str] = ""

    sample: Annotated[int, Field(ge=100, description="most records to compare")] = 2_000

    def compute(self, pair: Comparison, run: RunContext) -> Score:
        pair = pair.varying()
        if not pair.attributes:
            return self.none("no original column varies")
        x, z = pair.original / pair.scale, pair.released / pair.scale
        if pair.n <= self.sample:
            return self.result(_energy(x, z))
        chosen = run.search_generator().permutation(pair.n)[: self.sample]
        parts = [_energy(x[rows], z[rows]) for rows in np.array_split(chosen, _PARTS)]
        error = float(np.std(parts, ddof=1) / np.sqrt(_PARTS))
        return self.result(_energy(x[chosen], z[chosen]), error=error)


def _energy(x: Floats, z: Floats) -> float:
    from scipy.spatial.distance import cdist, pdist

    n = len(x)
    between = cdist(x, z).sum() / n**2
    within = 2 * (pdist(x).sum() + pdist(z).sum()) / n**2
    squared = (2 * between - within) / (2 * between) if between > 0 else 0.0
    return float(np.sqrt(min(1.0, max(0.0, squared))))


class PMSE(Measure):
    """How well a classifier tells released records from original ones.

    The propensity score. pMSE = mean (p - 1/2)^2 of its predicted probabilities, in percent of the largest
    possible 1/4. `logistic`: logistic regression on attributes and their squares and products; `tree`: a
    decision tree with leaves of at least 5 % of the records. 0: cannot tell; 100: always can. O(n d^2) a
    step.
    Source: Woo, Reiter, Oganian & Karr (2009), J. Privacy and Confidentiality 1(1), 111-124.

    >>> x = [[float(i % 7)] for i in range(40)]
    >>> round(PMSE().score(Comparison.of(x, x)).value, 6)
    0.0
    """

    kind: ClassVar[str] = "loss"
    name: ClassVar[str] = "PMSE"
    family: ClassVar[str] = "distributions"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)
    by_default: ClassVar[bool] = False

    classifier: Annotated[Literal["logistic", "tree"], Field(description="which classifier")] = "logistic"

    def compute(self, pair: Comparison, run: RunContext) -> Score:
        pair = pair.varying()
        if not pair.attributes:
            return self.none("no original column varies")
        run.report("telling records apart", 0, 1)
        both = np.vstack([pair.original, pair.released]) / pair.scale
        both -= both.mean(axis=0)
        is_released = np.repeat([0, 1], pair.n)
        chance = self._fitted(both, is_released).predict_proba(self._features(both))[:, 1]
        run.report("telling records apart", 1, 1)
        return self.result(400 * float(((chance - 0.5) ** 2).mean()))

    def _features(self, x: Floats) -> Floats:
        if self.classifier == "tree":
            return x
        first, second = np.triu_indices(x.shape[1])
        # tame the far tails: a few huge squares would drown everything else
        x = np.tanh(x / 3) * 3
        return np.hstack([x, x[:, first] * x[:, second]])

    def _fitted(self, x: Floats, y: Ints):  # type: ignore[no-untyped-def]
        if self.classifier == "tree":
            from sklearn.tree import DecisionTreeClassifier

            return DecisionTreeClassifier(min_samples_leaf=max(1, len(x) // 20), random_state=0).fit(x, y)
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(C=1.0, max_iter=1000).fit(self._features(x), y)


class PropensityRatio(SurveyLoss):
    """How much better released records can be distinguished from original ones than draws of a true model.

    The propensity score of a logistic regression on protected columns: numbers, labels (the twelve commonest
    of a column, and the rest), and whether a value is missing; with `interactions` the products of terms of
    two columns too. pMSE = mean (p - c)^2 with c the share of released records among N; the ratio is to its
    expectation q c (1 - c)^2 / N where the release is drawn by a right model, fitted to the source, and the
    regression has q terms. 0: nothing changed; 1: as drawn by such a model; 2: as a second sample of the same
    population; far above: easy to distinguish. O(n d^2) a step.
    Source: Snoke, Raab, Nowok, Dibben & Slavković (2018), J. Royal Statistical Society A 181(3), 663-688.

    >>> import pyarrow as pa
    >>> from tacita.core import Microdata, Roles
    >>> from tacita.core.results.score import Files
    >>> before, after = (Microdata.of(pa.table({"sex": list(each)})) for each in ("ffmm", "fmmm"))
    >>> files = Files(after, before.with_roles(Roles(quasi="sex", nominal="sex")), np.arange(4))
    >>> round(PropensityRatio().score(Comparison.of_files(files)).value, 6)
    1.066667
    """

    name: ClassVar[str] = "PMSE_mixed"
    family: ClassVar[str] = "distributions"
    measured_in: ClassVar[str] = ""

    interactions: Annotated[bool, Field(description="whether terms of two columns are multiplied too")] = (
        False
    )

    def figure(self, survey: Survey, pair: Comparison, run: RunContext) -> Score:
        run.report("telling records apart", 0, 1)
        terms = [terms_of(survey, name) for name in survey.protected]
        blocks = [np.vstack([term.before, term.after]) for term in terms]
        if self.interactions:
            blocks += [_products(one, other) for one, other in combinations(blocks, 2)]
        n, m = survey.source.n, survey.released.n
        x = beside(blocks, n + m)
        kept = estimable(x) if x.shape[1] else []
        if not kept:
            return self.none("no protected column varies")
        if n + m <= len(kept) + 1:
            return self.none("there are too few records for a regression on the protected columns")
        is_released = np.repeat([0.0, 1.0], [n, m])
        share = m / (n + m)
        chance = fit(x[:, kept], is_released, "logistic").expected
        expectation = len(kept) * share * (1 - share) ** 2 / (n + m)
        run.report("telling records apart", 1, 1)
        return self.result(float(((chance - share) ** 2).mean()) / expectation)


def _products(one: Matrix, other: Matrix) -> Matrix:
    return (one[:, :, None] * other[:, None, :]).reshape(len(one), -1)
