"""Synthesis by a Gaussian copula: every column as it is by itself, and one normal law behind all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tacita.core import Floats, Ints, Mask, Matrix, Run

from .columns import Columns, Margin
from .mixed import MixedSynthesis, Sampler
from .restrictions import Restrictions

# Terms of the series by which correlations of levels tell those of the normal variables behind them.
_TERMS = 24
# Correlations beyond it are as good as a function, and series converge slowly there.
_STRONGEST = 0.995
# Rounds in which categories without an order get one, and in which levels kept are placed within theirs.
_ORDERING, _SWEEPS = 4, 8
# A variance below it is none.
_SMALLEST = 1e-6


class Copula(MixedSynthesis):
    """A normal variable behind each column: margins as they are, dependence by one correlation matrix.

    Each column cuts the normal law at its cumulative shares: a category, a number that many share, and what
    is missing take an interval each. Correlations of the variables behind are found from those of the mean
    normal scores, by the Hermite series of their steps (polychoric correlations), and made a correlation
    matrix by leaving out negative eigenvalues. Drawn are normal variables given those of the independent
    columns, then quantiles: straight between means of k neighbours, never beyond the ends. A nominal column
    is put in the order in which it goes best with the others; what no order shows is lost, and so is
    what is not monotone: take trees there.
    O(n (p + q)^2 + n log n (p + q)) time, O(n (p + q)) memory.
    Source: Nelsen (2006), An Introduction to Copulas; latent correlations as in Olsson (1979),
    Psychometrika 44(4), 443-460.

    >>> rng = np.random.default_rng(0)
    >>> s = rng.normal(size=(500, 1))
    >>> y = np.exp(s + 0.5 * rng.normal(size=(500, 1)))
    >>> drawn = Copula().synthesize(y, s, Run(seed=1))
    >>> bool(abs(np.corrcoef(np.log(drawn[:, 0]), s[:, 0])[0, 1] - 0.9) < 0.05)
    True
    """

    def fit(
        self,
        x: Matrix,
        columns: Columns,
        margins: Sequence[Margin],
        restrictions: Restrictions,
        run: Run,
    ) -> Sampler:
        p = len(margins)
        order = restrictions.order([np.unique(x[:, j]).size for j in range(p)])
        known = set(range(p, x.shape[1]))
        used = np.ones(x.shape, dtype=bool)
        for j in order:
            # what a rule gives says nothing of how the column goes with others
            free = ~restrictions.structural(j, x, known)
            if (~np.isnan(x[free, j])).sum() >= 2 * self.k:
                used[:, j] = free
            known.add(j)
        plain = zip(x.T, used.T, columns.kinds, strict=True)
        scales = [_Scale.of(values[keep], kind == "nominal") for values, keep, kind in plain]
        scales = _ordered(scales, x, used)
        inner = tuple(
            Margin.of(x[used[:, j], j], columns.kinds[j], self.k) if margins[j].ordered.size else margins[j]
            for j in range(p)
        )
        fitted = _Fitted(tuple(scales), _correlations(scales, x, used), inner, tuple(order), restrictions)
        run.report("fitting the model", 1, 1)
        return fitted if used.all() else fitted.calibrated(x, run)


@dataclass(frozen=True, eq=False)
class _Scale:
    """The levels of a column from lowest to highest, and where they cut the normal law.

    `levels` are values or codes in their order on the line, `shares` the cumulative shares up to each. What
    is missing is the lowest level (`gaps` its share).
    """

    levels: Floats
    shares: Floats
    gaps: float
    nominal: bool

    @classmethod
    def of(cls, values: Floats, nominal: bool, order: Floats | None = None) -> _Scale:
        present = values[~np.isnan(values)]
        levels, counts = np.unique(present, return_counts=True)
        if order is not None:
            counts = counts[np.searchsorted(levels, order)]
            levels = order
        gaps = (values.size - present.size) / max(values.size, 1)
        shares = gaps + (1 - gaps) * np.cumsum(counts) / max(present.size, 1)
        return cls(levels, shares, gaps, nominal)

    @property
    def cuts(self) -> Floats:
        """Shares below and above each level, the missing ones first if there are any."""
        first = [0.0, self.gaps] if self.gaps else [0.0]
        return np.concatenate([first, self.shares])

    def places(self, values: Floats) -> Ints:
        """The number of each value's level on the line."""
        order = np.argsort(self.levels, kind="stable")
        found = order[np.minimum(np.searchsorted(self.levels[order], values), self.levels.size - 1)]
        return np.where(np.isnan(values), 0, found + (self.gaps > 0))

    @property
    def scores(self) -> Floats:
        """The mean of the normal law within each level."""
        from scipy.special import ndtri

        cuts = np.clip(self.cuts, 0.0, 1.0)
        density = _density(ndtri(cuts))
        return np.asarray((density[:-1] - density[1:]) / np.maximum(np.diff(cuts), 1e-300))

    @property
    def hermite(self) -> Floats:
        """Coefficients of the scores, as steps, in normalised Hermite polynomials 1, 2, ..."""
        from scipy.special import ndtri

        cuts = ndtri(np.clip(self.cuts, 0.0, 1.0))
        density, finite = _density(cuts), np.where(np.isfinite(cuts), cuts, 0.0)
        before, last = np.zeros_like(cuts), np.ones_like(cuts)
        found = np.empty(_TERMS)
        for n in range(1, _TERMS + 1):
            edges = last * density
            found[n - 1] = (self.scores * (edges[:-1] - edges[1:])).sum() / np.sqrt(n)
            # normalised: He_n / sqrt(n!) from the two before it
            before, last = last, (finite * last - np.sqrt(n - 1) * before) / np.sqrt(n)
        return found


def _density(z: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi))


def _ordered(scales: list[_Scale], x: Matrix, used: Mask) -> list[_Scale]:
    """Nominal columns in the order in which they go best with what all columns have in common. O(n d^2)."""
    unordered = [j for j, scale in enumerate(scales) if scale.nominal and scale.levels.size > 2]
    for _ in range(_ORDERING if unordered else 0):
        scores = _scores(scales, x, used)
        for j in unordered:
            others = np.delete(scores, j, axis=1)
            if not others.shape[1]:
                continue
            axes = np.linalg.eigh(others.T @ others)[1]
            common = others @ (axes[:, -1] * np.sign(axes[np.abs(axes[:, -1]).argmax(), -1]))
            here = used[:, j] & ~np.isnan(x[:, j])
            codes = x[here, j].astype(np.int64)
            levels = np.sort(scales[j].levels)
            means = np.bincount(codes, weights=common[here]) / np.maximum(np.bincount(codes), 1)
            order = levels[np.argsort(means[levels.astype(np.int64)], kind="stable")]
            scales[j] = _Scale.of(x[used[:, j], j], True, order)
    return scales


def _scores(scales: Sequence[_Scale], x: Matrix, used: Mask) -> Matrix:
    """Mean normal scores of all records, 0 where a rule gave the value."""
    found = np.zeros_like(x)
    for j, scale in enumerate(scales):
        if scale.levels.size:
            found[used[:, j], j] = scale.scores[scale.places(x[used[:, j], j])]
    return found


def _correlations(scales: Sequence[_Scale], x: Matrix, used: Mask) -> Matrix:
    """Of the normal variables behind, with no negative eigenvalue. O(n d^2)."""
    scores = _scores(scales, x, used)
    series = np.array([scale.hermite if scale.levels.size else np.zeros(_TERMS) for scale in scales])
    full = np.sqrt((series**2).sum(axis=1))
    d = len(scales)
    found = np.eye(d)
    for i in range(d):
        for j in range(i):
            both = used[:, i] & used[:, j]
            seen = _unrestricted(scores[both, i], scores[both, j], full[i], full[j])
            found[i, j] = found[j, i] = _behind(seen * full[i] * full[j], series[i] * series[j])
    values, vectors = np.linalg.eigh(found)
    repaired = (vectors * np.maximum(values, _SMALLEST)) @ vectors.T
    scale = np.sqrt(np.diag(repaired))
    return np.asarray(repaired / np.outer(scale, scale))


def _unrestricted(a: Floats, b: Floats, full_a: float, full_b: float) -> float:
    """The correlation of two scores as it would be if all records had both: those without one were chosen by
    the other (Pearson's correction for restricted range)."""
    spread = a.std(), b.std()
    if min(*spread, full_a, full_b) < _SMALLEST:
        return 0.0
    r = float(((a - a.mean()) * (b - b.mean())).mean() / (spread[0] * spread[1]))
    kept = min(1.0, (spread[0] / full_a) ** 2, (spread[1] / full_b) ** 2)
    return float(r / np.sqrt(kept + r * r * (1 - kept)))


def _behind(product: float, terms: Floats) -> float:
    """The correlation r at which sum terms_n r^n is the product of scores that was seen; by bisection."""
    powers = np.arange(1, _TERMS + 1)
    low, high = -_STRONGEST, _STRONGEST
    for _ in range(50):
        middle = (low + high) / 2
        if (terms * middle**powers).sum() < product:
            low = middle
        else:
            high = middle
    return 0.0 if terms[0] <= 0 else (low + high) / 2


@dataclass(frozen=True, eq=False)
class _Fitted:
    """Scales of all columns, the dependent first; correlations behind; what may be published of each.

    `references` has, of columns that rules give to some records, the normal variables of the others in order:
    they were chosen by the rule, and are no longer normal.
    """

    scales: tuple[_Scale, ...]
    correlations: Matrix
    margins: tuple[Margin, ...]
    order: tuple[int, ...]
    restrictions: Restrictions
    references: Mapping[int, Floats] = field(default_factory=dict)

    def calibrated(self, x: Matrix, run: Run) -> _Fitted:
        """With references from a draw that nobody sees."""
        references: dict[int, Floats] = {}
        trial = x.copy()
        for j, variable, known in self._columns(trial, run.search_generator()):
            free = ~self.restrictions.structural(j, trial, known - {j})
            if 0 < free.sum() < len(x):
                references[j] = np.sort(variable[free])
            self._publish(j, trial, variable, known, references)
        return replace(self, references=references)

    def draw(self, x: Matrix, generator: np.random.Generator, run: Run) -> None:
        """Normal variables given those of the independent columns, then quantiles, then restrictions."""
        for done, (j, variable, known) in enumerate(self._columns(x, generator)):
            self._publish(j, x, variable, known, self.references)
            run.report("drawing values", done, len(self.order))

    def _columns(self, x: Matrix, generator: np.random.Generator) -> Iterator[tuple[int, Floats, set[int]]]:
        """Dependent columns in turn, the normal variable behind each, and what is known with it."""
        p = len(self.margins)
        given = self._kept(x, generator)
        inner, across = self.correlations[:p, :p], self.correlations[:p, p:]
        weights = np.linalg.solve(self.correlations[p:, p:], across.T).T if across.size else across
        values, vectors = np.linalg.eigh(inner - weights @ across.T)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        drawn = given @ weights.T + generator.standard_normal((len(x), p)) @ root.T
        known = set(range(p, x.shape[1]))
        for j in self.order:
            known.add(j)
            yield j, drawn[:, j], known

    def _publish(
        self, j: int, x: Matrix, variable: Floats, known: set[int], references: Mapping[int, Floats]
    ) -> None:
        from scipy.special import ndtr

        shares = ndtr(variable)
        if j in references:
            among = references[j]
            shares = np.interp(variable, among, (np.arange(among.size) + 0.5) / among.size)
        x[:, j] = self._quantiles(j, shares)
        self.restrictions.settle(j, x, known, self.margins[j])

    def _quantiles(self, j: int, shares: Floats) -> Floats:
        """The value of a column at each share: missing, one of its categories in their order, or a number."""
        scale, margin = self.scales[j], self.margins[j]
        gaps = scale.gaps if margin.missing else 0.0
        if not margin.ordered.size:
            return np.full(shares.size, np.nan)
        inside = np.clip((shares - gaps) / max(1 - gaps, 1e-300), 0.0, 1.0)
        if scale.nominal:
            ends = (np.searchsorted(margin.ordered, scale.levels, side) for side in ("right", "left"))
            counts = np.subtract(*ends)
            place = np.searchsorted(np.cumsum(counts) / margin.ordered.size, inside)
            # a share of 1 lies in the last level that may be published
            found = scale.levels[np.minimum(place, np.flatnonzero(counts)[-1])]
        else:
            found = margin.quantiles(inside)
        return np.where(shares < gaps, np.nan, found)

    def _kept(self, x: Matrix, generator: np.random.Generator) -> Matrix:
        """Normal variables behind the independent columns: each within its level, in step with the others."""
        from scipy.special import ndtr, ndtri

        p, d = len(self.margins), x.shape[1]
        low, high = np.empty((len(x), d - p)), np.empty((len(x), d - p))
        for at, scale in enumerate(self.scales[p:]):
            places, cuts = scale.places(x[:, p + at]), ndtri(np.clip(scale.cuts, 0.0, 1.0))
            low[:, at], high[:, at] = cuts[places], cuts[places + 1]
        found = np.zeros_like(low)
        matrix = self.correlations[p:, p:]
        for _ in range(_SWEEPS if d > p else 0):
            for j in range(d - p):
                others = [i for i in range(d - p) if i != j]
                weights = np.linalg.solve(matrix[np.ix_(others, others)], matrix[others, j])
                mean = found[:, others] @ weights
                spread = float(np.sqrt(np.maximum(1 - matrix[j, others] @ weights, _SMALLEST)))
                ends = ndtr((low[:, j] - mean) / spread), ndtr((high[:, j] - mean) / spread)
                share = ends[0] + generator.random(len(x)) * (ends[1] - ends[0])
                inside = mean + spread * ndtri(np.clip(share, 1e-15, 1 - 1e-15))
                found[:, j] = np.clip(inside, low[:, j], high[:, j])
        return found
