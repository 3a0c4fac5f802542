"""Synthesis by a Gaussian copula: every column as it is by itself, and one normal law behind all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tacita.core import Floats, Ints, Mask, Matrix, RunContext

from .column_margins import Margin
from .mixed import MixedSynthesis, Sampler, Training, counted
from .restrictions import Restrictions


@dataclass(frozen=True)
class CopulaSettings:
    """Series, rounds and tolerances of the normal variables behind columns.

    `python -m benchmarks mixed_synthesis` prints what a synthesis takes.
    """

    # terms of the series by which correlations of levels tell those of the normal variables
    terms: int = 24
    # correlation beyond which it is as good as a function, and the series converges slowly
    strongest: float = 0.995
    # rounds in which categories without an order get one
    ordering_rounds: int = 4
    # rounds in which levels that are kept are placed within theirs
    sweeps: int = 8
    # variance below which there is none
    least_variance: float = 1e-6


SETTINGS = CopulaSettings()


class Copula(MixedSynthesis):
    """A normal variable behind each column: margins as they are, dependence by one correlation matrix.

    Each column cuts the normal law at its cumulative shares: a category and a number that many share take an
    interval each; whether a value is missing has a variable of its own. Correlations of the variables behind
    are found from those of the mean normal scores, by the Hermite series of their steps (polychoric
    correlations), and made a correlation matrix by leaving out negative eigenvalues. Drawn are normal
    variables given those of the independent columns, then quantiles: straight between means of k neighbours,
    never beyond the ends. A nominal column is put in the order in which it goes best with the others; what no
    order shows is lost, and so is what is not monotone: take trees there.
    O(n (p + q)^2 + n log n (p + q)) time, O(n (p + q)) memory.
    Source: Nelsen (2006), An Introduction to Copulas; latent correlations as in Olsson (1979),
    Psychometrika 44(4), 443-460.

    >>> rng = np.random.default_rng(0)
    >>> s = rng.normal(size=(500, 1))
    >>> y = np.exp(s + 0.5 * rng.normal(size=(500, 1)))
    >>> drawn = Copula().synthesize(y, s, RunContext(seed=1))
    >>> bool(abs(np.corrcoef(np.log(drawn[:, 0]), s[:, 0])[0, 1] - 0.9) < 0.05)
    True
    """

    def fit(self, training: Training, run: RunContext) -> Sampler:
        x, columns, margins = training.x, training.columns, training.margins
        restrictions, units = training.restrictions, training.units
        p = len(margins)
        order = restrictions.order([np.unique(x[:, j]).size for j in range(p)])
        known = set(range(p, x.shape[1]))
        used = np.ones(x.shape, dtype=bool)
        for j in order:
            # what a rule gives says nothing of how the column goes with others
            free = ~restrictions.structural(j, x, known)
            there = free & ~np.isnan(x[:, j])
            if counted(None if units is None else units[there], int(there.sum())) >= 2 * self.fewest:
                used[:, j] = free
            known.add(j)
        inner = tuple(
            Margin.of(
                x[used[:, j], j], columns.kinds[j], self.fewest, None if units is None else units[used[:, j]]
            )
            if margins[j].ordered.size
            else margins[j]
            for j in range(p)
        )
        gaps = np.isnan(x)
        having = [j for j in range(x.shape[1]) if gaps[:, j].any() and (j >= p or inner[j].missing)]
        # whether a value is there has a normal variable of its own
        behind = np.hstack([np.where(gaps, 0.0, x), gaps[:, having]])
        used = np.hstack([used & ~gaps, used[:, having]])
        kinds = zip(behind.T, used.T, (*columns.kinds, *["numeric"] * len(having)), strict=True)
        scales = [_Scale.of(values[keep], kind == "nominal") for values, keep, kind in kinds]
        scales = _ordered(scales, behind, used)
        indicators = {j: x.shape[1] + at for at, j in enumerate(having)}
        fitted = _Fitted(
            scales=tuple(scales),
            indicators=indicators,
            correlations=_correlations(scales, behind, used),
            margins=inner,
            order=tuple(order),
            restrictions=restrictions,
        )
        run.report("fitting the model", 1, 1)
        return fitted if used.all() else fitted.calibrated(x, run)


@dataclass(frozen=True, eq=False)
class _Scale:
    """The levels of a column from lowest to highest, and where they cut the normal law.

    `levels` are values or codes in their order on the line, `cuts` the shares below each and above the last.
    """

    levels: Floats
    cuts: Floats
    nominal: bool

    @classmethod
    def of(cls, values: Floats, nominal: bool, order: Floats | None = None) -> _Scale:
        levels, counts = np.unique(values, return_counts=True)
        if order is not None:
            counts = counts[np.searchsorted(levels, order)]
            levels = order
        return cls(levels, np.concatenate([[0.0], np.cumsum(counts) / max(values.size, 1)]), nominal)

    def places(self, values: Floats) -> Ints:
        """The number of each value's level on the line."""
        order = np.argsort(self.levels, kind="stable")
        return order[np.minimum(np.searchsorted(self.levels[order], values), self.levels.size - 1)]

    @property
    def scores(self) -> Floats:
        """The mean of the normal law within each level."""
        from scipy.special import ndtri

        cuts = np.clip(self.cuts, 0.0, 1.0)
        density = _density(ndtri(cuts))
        return np.asarray((density[:-1] - density[1:]) / np.maximum(np.diff(cuts), 1e-300))

    @property
    def spread(self) -> float:
        """The standard deviation of the scores."""
        return float(np.sqrt((np.diff(self.cuts) * self.scores**2).sum())) if self.levels.size else 0.0

    @property
    def hermite(self) -> Floats:
        """Coefficients of the scores, as steps, in normalised Hermite polynomials 1, 2, ..."""
        from scipy.special import ndtri

        cuts = ndtri(np.clip(self.cuts, 0.0, 1.0))
        density, finite = _density(cuts), np.where(np.isfinite(cuts), cuts, 0.0)
        before, last = np.zeros_like(cuts), np.ones_like(cuts)
        series = np.empty(SETTINGS.terms)
        for n in range(1, SETTINGS.terms + 1):
            edges = last * density
            series[n - 1] = (self.scores * (edges[:-1] - edges[1:])).sum() / np.sqrt(n)
            # normalised: He_n / sqrt(n!) from the two before it
            before, last = last, (finite * last - np.sqrt(n - 1) * before) / np.sqrt(n)
        return series


def _density(z: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi))


def _ordered(scales: list[_Scale], x: Matrix, used: Mask) -> list[_Scale]:
    """Nominal columns in the order in which they go best with what all columns have in common. O(n d^2)."""
    unordered = [j for j, scale in enumerate(scales) if scale.nominal and scale.levels.size > 2]
    for _ in range(SETTINGS.ordering_rounds if unordered else 0):
        scores = _scores(scales, x, used)
        for j in unordered:
            others = np.delete(scores, j, axis=1)
            if not others.shape[1]:
                continue
            axes = np.linalg.eigh(others.T @ others)[1]
            common = others @ (axes[:, -1] * np.sign(axes[np.abs(axes[:, -1]).argmax(), -1]))
            here = used[:, j]
            codes = x[here, j].astype(np.int64)
            levels = np.sort(scales[j].levels)
            means = np.bincount(codes, weights=common[here]) / np.maximum(np.bincount(codes), 1)
            order = levels[np.argsort(means[levels.astype(np.int64)], kind="stable")]
            scales[j] = _Scale.of(x[used[:, j], j], True, order)
    return scales


def _scores(scales: Sequence[_Scale], x: Matrix, used: Mask) -> Matrix:
    """Mean normal scores of all records, 0 where a rule gave the value."""
    scores = np.zeros_like(x)
    for j, scale in enumerate(scales):
        if scale.levels.size:
            scores[used[:, j], j] = scale.scores[scale.places(x[used[:, j], j])]
    return scores


def _correlations(scales: Sequence[_Scale], x: Matrix, used: Mask) -> Matrix:
    """Of the normal variables behind, with no negative eigenvalue. O(n d^2)."""
    scores = _scores(scales, x, used)
    series = np.array([scale.hermite if scale.levels.size else np.zeros(SETTINGS.terms) for scale in scales])
    full = [scale.spread for scale in scales]
    d = len(scales)
    correlations = np.eye(d)
    for i in range(d):
        for j in range(i):
            both = used[:, i] & used[:, j]
            seen = _unrestricted(scores[both, i], scores[both, j], full[i], full[j])
            correlations[i, j] = correlations[j, i] = _behind(seen * full[i] * full[j], series[i] * series[j])
    values, vectors = np.linalg.eigh(correlations)
    repaired = (vectors * np.maximum(values, SETTINGS.least_variance)) @ vectors.T
    scale = np.sqrt(np.diag(repaired))
    return np.asarray(repaired / np.outer(scale, scale))


def _unrestricted(a: Floats, b: Floats, full_a: float, full_b: float) -> float:
    """The correlation of two scores as it would be if all records had both: those without one were chosen by
    the other (Pearson's correction for restricted range)."""
    spread = a.std(), b.std()
    if min(*spread, full_a, full_b) < SETTINGS.least_variance:
        return 0.0
    r = float(((a - a.mean()) * (b - b.mean())).mean() / (spread[0] * spread[1]))
    kept = min(1.0, (spread[0] / full_a) ** 2, (spread[1] / full_b) ** 2)
    return float(r / np.sqrt(kept + r * r * (1 - kept)))


def _behind(product: float, terms: Floats) -> float:
    """The correlation r at which sum terms_n r^n is the product of scores that was seen; by bisection."""
    powers = np.arange(1, SETTINGS.terms + 1)
    low, high = -SETTINGS.strongest, SETTINGS.strongest
    for _ in range(50):
        middle = (low + high) / 2
        if (terms * middle**powers).sum() < product:
            low = middle
        else:
            high = middle
    return 0.0 if terms[0] <= 0 else (low + high) / 2


@dataclass(frozen=True, eq=False)
class _Fitted:
    """Scales of all columns, the dependent first, then of whether those with gaps have one (`indicators`).

    `references` has, of columns that a rule or a gap takes from some records, the normal variables of the
    others in order: they were chosen, and are no longer normal.
    """

    scales: tuple[_Scale, ...]
    indicators: Mapping[int, int]
    correlations: Matrix
    margins: tuple[Margin, ...]
    order: tuple[int, ...]
    restrictions: Restrictions
    references: Mapping[int, Floats] = field(default_factory=dict)

    def calibrated(self, x: Matrix, run: RunContext) -> _Fitted:
        """With references from a draw that nobody sees."""
        references: dict[int, Floats] = {}
        trial = x.copy()
        for j, variables, known in self._columns(trial, run.search_generator()):
            free = ~self.restrictions.structural(j, trial, known - {j})
            for at in (self.indicators.get(j), j):
                if at is None:
                    continue
                if at == j and j in self.indicators:
                    free &= ~np.isnan(self._drawn(j, variables, references))
                if 0 < free.sum() < len(x):
                    references[at] = np.sort(variables[:, at][free])
            self._publish(j, trial, variables, known, references)
        return replace(self, references=references)

    def draw(self, x: Matrix, generator: np.random.Generator, run: RunContext) -> None:
        """Normal variables given those of the independent columns, then quantiles, then restrictions."""
        for done, (j, variables, known) in enumerate(self._columns(x, generator)):
            self._publish(j, x, variables, known, self.references)
            run.report("drawing values", done, len(self.order))

    def _columns(self, x: Matrix, generator: np.random.Generator) -> Iterator[tuple[int, Matrix, set[int]]]:
        """Dependent columns in turn, the normal variables behind all, and what is known with it."""
        p = len(self.margins)
        mine = [*range(p), *(at for j, at in self.indicators.items() if j < p)]
        others = [at for at in range(len(self.scales)) if at not in mine]
        matrix, variables = self.correlations, np.zeros((len(x), len(self.scales)))
        variables[:, others] = self._kept(x, others, generator)
        across = matrix[np.ix_(mine, others)]
        weights = np.linalg.solve(matrix[np.ix_(others, others)], across.T).T if across.size else across
        values, vectors = np.linalg.eigh(matrix[np.ix_(mine, mine)] - weights @ across.T)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        noise = generator.standard_normal((len(x), len(mine))) @ root.T
        variables[:, mine] = variables[:, others] @ weights.T + noise
        known = set(range(p, x.shape[1]))
        for j in self.order:
            known.add(j)
            yield j, variables, known

    def _publish(
        self, j: int, x: Matrix, variables: Matrix, known: set[int], references: Mapping[int, Floats]
    ) -> None:
        x[:, j] = self._drawn(j, variables, references)
        self.restrictions.settle(j, x, known, self.margins[j])

    def _drawn(self, j: int, variables: Matrix, references: Mapping[int, Floats]) -> Floats:
        """The value of a column: one of its categories in their order, or a number, or none."""
        scale, margin = self.scales[j], self.margins[j]
        if not margin.ordered.size:
            return np.full(len(variables), np.nan)
        shares = _shares(variables[:, j], references.get(j))
        if scale.nominal:
            ends = (np.searchsorted(margin.ordered, scale.levels, side) for side in ("right", "left"))
            counts = np.subtract(*ends)
            place = np.searchsorted(np.cumsum(counts) / margin.ordered.size, shares)
            # a share of 1 lies in the last level that may be published
            values = scale.levels[np.minimum(place, np.flatnonzero(counts)[-1])]
        else:
            values = margin.quantiles(shares)
        at = self.indicators.get(j)
        if at is None:
            return np.asarray(values)
        there = self.scales[at].cuts[1]
        return np.where(_shares(variables[:, at], references.get(at)) > there, np.nan, values)

    def _kept(self, x: Matrix, chosen: Sequence[int], generator: np.random.Generator) -> Matrix:
        """Normal variables behind the independent columns: each within its level, in step with the others."""
        from scipy.special import ndtr, ndtri

        low, high = np.empty((len(x), len(chosen))), np.empty((len(x), len(chosen)))
        value_of = {at: j for j, at in self.indicators.items()}
        for place, at in enumerate(chosen):
            scale, cuts = self.scales[at], ndtri(np.clip(self.scales[at].cuts, 0.0, 1.0))
            values = np.isnan(x[:, value_of[at]]).astype(np.float64) if at in value_of else x[:, at]
            gaps = np.isnan(values)
            level = scale.places(np.where(gaps, 0.0, values)) if scale.levels.size else np.zeros(len(x), int)
            low[:, place] = np.where(gaps, -np.inf, cuts[level])
            high[:, place] = np.where(gaps, np.inf, cuts[np.minimum(level + 1, cuts.size - 1)])
        variables = np.zeros_like(low)
        matrix = self.correlations[np.ix_(chosen, chosen)]
        for j in [*range(len(chosen))] * SETTINGS.sweeps:
            others = [i for i in range(len(chosen)) if i != j]
            weights = np.linalg.solve(matrix[np.ix_(others, others)], matrix[others, j])
            mean = variables[:, others] @ weights
            spread = float(np.sqrt(np.maximum(1 - matrix[j, others] @ weights, SETTINGS.least_variance)))
            ends = ndtr((low[:, j] - mean) / spread), ndtr((high[:, j] - mean) / spread)
            share = ends[0] + generator.random(len(x)) * (ends[1] - ends[0])
            inside = mean + spread * ndtri(np.clip(share, 1e-15, 1 - 1e-15))
            variables[:, j] = np.clip(inside, low[:, j], high[:, j])
        return variables


def _shares(variable: Floats, among: Floats | None) -> Floats:
    """The share of the normal law, or of others, that lies below."""
    from scipy.special import ndtr

    if among is None:
        return np.asarray(ndtr(variable))
    return np.interp(variable, among, (np.arange(among.size) + 0.5) / among.size)
