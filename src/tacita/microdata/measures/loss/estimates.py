"""Loss seen in what offices publish: estimates of a population, whole and by part, with their intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Comparison, Floats, Ints, RunContext, Score
from tacita.core.spec.roles import Names

from .models import overlap
from .survey_frame import MOST_LABELS, Coded, Survey, SurveyLoss

_QUARTILES = (0.25, 0.5, 0.75)
# half a 95 % interval, in standard errors
_WIDTH = 1.96


@dataclass(frozen=True, eq=False)
class Estimates:
    """One statistic of one column in every part of the population; NaN in parts that have no value."""

    statistic: str
    value: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, statistic: str, value: Floats, variance: Floats) -> Estimates:
        """With intervals that are symmetric around the value."""
        half = _WIDTH * np.sqrt(np.maximum(variance, 0.0))
        return cls(statistic, value, value - half, value + half)


@dataclass(frozen=True, eq=False)
class Sample:
    """Records of one file: their weights, and the part of the population each is in.

    Variances are those of a sample drawn with replacement, of totals and of what is linear in them:
    n / (n - 1) sum (u - mean u)^2, u the weighted (linearised) value of a record, zero outside the part.
    """

    weights: Floats
    parts: Ints
    count: int

    @property
    def factor(self) -> float:
        """n / (n - 1)."""
        n = len(self.weights)
        return n / (n - 1)

    def sums(self, values: Floats) -> Floats:
        """A sum for each part."""
        return np.bincount(self.parts, values, minlength=self.count).astype(np.float64, copy=False)

    def total(self, values: Floats) -> Estimates:
        """The total of weighted values, one for each record."""
        total = self.sums(values)
        spread = self.sums(values**2) - total**2 / len(values)
        return Estimates.of("total", total, self.factor * spread)

    def of_numbers(self, y: Floats) -> Iterator[Estimates]:
        """Totals, means and quartiles of a column. O(n log n)."""
        weights = np.where(np.isnan(y), 0.0, self.weights)
        y = np.nan_to_num(y)
        size = self.sums(weights)
        total = self.total(weights * y)
        mean = _ratio(total.value, size)
        yield total
        yield Estimates.of("mean", mean, self._spread(weights, y, mean, size))
        for share in _QUARTILES:
            yield self._quantile(share, weights, y, size)

    def _spread(self, weights: Floats, y: Floats, mean: Floats, size: Floats) -> Floats:
        """The variance of a ratio, linearised."""
        return self.factor * _ratio(
            self.sums((weights * (y - np.nan_to_num(mean)[self.parts])) ** 2), size**2
        )

    def _quantile(self, share: float, weights: Floats, y: Floats, size: Floats) -> Estimates:
        """By Woodruff: the interval of the share below a value, carried back to values."""
        used = weights > 0
        order = np.flatnonzero(used)[np.lexsort((y[used], self.parts[used]))]
        ranked = _Ranked(y[order], np.cumsum(weights[order]), self.parts[order], size)
        value = ranked.at(np.full(self.count, share))
        below = (y <= np.nan_to_num(value)[self.parts]).astype(np.float64)
        half = _WIDTH * np.sqrt(self._spread(weights, below, np.full(self.count, share), size))
        low, high = ranked.at(share - half), ranked.at(share + half)
        return Estimates(f"quantile {share:g}", value, low, high)

    def of_categories(self, codes: Ints, labels: int) -> Iterator[Estimates]:
        """The total and the share of each label in each part, label after label. O(n labels)."""
        known = np.where(codes < 0, 0.0, self.weights)
        size = self.sums(known)
        totals, shares = [], []
        for label in range(labels):
            here = (codes == label).astype(np.float64)
            totals.append(self.total(known * here))
            share = _ratio(totals[-1].value, size)
            shares.append(Estimates.of("share", share, self._spread(known, here, share, size)))
        yield from (*totals, *shares)


@dataclass(frozen=True, eq=False)
class _Ranked:
    """Values in order within their part, and the weight of all up to each."""

    values: Floats
    reached: Floats
    parts: Ints
    size: Floats

    def at(self, shares: Floats) -> Floats:
        """Of each part, the lowest value up to which there is such a share of its weight."""
        if not self.values.size:
            return np.full(self.size.size, np.nan)
        first = np.searchsorted(self.parts, np.arange(self.size.size), "left")
        last = np.searchsorted(self.parts, np.arange(self.size.size), "right") - 1
        before = np.where(first > 0, self.reached[np.maximum(first, 1) - 1], 0.0)
        # a hair less: what is reached just so must not hang on the order of the sum
        wanted = before + (np.nan_to_num(np.clip(shares, 0.0, 1.0)) - 1e-9) * self.size
        position = np.clip(np.searchsorted(self.reached, wanted, "left"), first, np.maximum(last, first))
        empty = last < first
        return np.where(empty, np.nan, self.values[np.where(empty, 0, position)])


def _ratio(above: Floats, below: Floats) -> Floats:
    ratio: Floats = np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below > 0)
    return ratio


@dataclass(frozen=True, eq=False)
class Change:
    """All estimates of one column before and after, in a row: overlap in percent, move in standard errors."""

    column: str
    overlap: Floats
    move: Floats


class _Weighted(SurveyLoss):
    """Looks at estimates of the whole population and of each part of it."""

    family: ClassVar[str] = "estimates"

    parts: Names = Field(
        default=(),
        description="columns that name parts of the population; if not given, the domains, or strata",
    )
    fewest: Annotated[int, Field(ge=2, description="records below which a part is not looked at")] = 10

    def figure(self, survey: Survey, pair: Comparison, run: RunContext) -> Score:
        if min(survey.source.n, survey.released.n) < 2:
            return self.none("an interval needs two records")
        domains = self.parts or survey.files.domains
        key = "estimates", domains, self.fewest
        changes: list[Change] = pair.remember(key, lambda: self._changes(survey, domains, run))
        if not changes:
            return self.none("no column has a value to estimate from")
        figures = {
            change.column: self.figure_of(change) for change in changes if change.column in survey.protected
        }
        everything = Change("", *(np.concatenate(column) for column in _columns(changes)))
        return self.result(self.figure_of(everything), per_attribute=figures)

    def figure_of(self, change: Change) -> float:
        """The figure of one column, or of all together."""
        raise NotImplementedError

    def _changes(self, survey: Survey, domains: tuple[str, ...], run: RunContext) -> list[Change]:
        groupings = [()] if not domains else [(), domains]
        sides = [samples(survey, names, self.fewest) for names in groupings]
        names = columns_estimated(survey, domains)
        changes = []
        for done, name in enumerate(names):
            run.report("comparing estimates", done, len(names))
            made = [_compared(survey, name, *side) for side in sides]
            shared, move = (np.concatenate(values) for values in zip(*made, strict=True))
            if shared.size:
                changes.append(Change(name, shared, move))
        run.report("comparing estimates", len(names), len(names))
        return changes


def columns_estimated(survey: Survey, domains: tuple[str, ...]) -> list[str]:
    """Protected columns, and unchanged ones too where records left or changed their part."""
    moved = survey.source.n != survey.released.n or bool({*domains} & {*survey.protected})
    return [*survey.protected, *(survey.beside if moved else ())]


def samples(survey: Survey, names: tuple[str, ...], fewest: int) -> tuple[Sample, Sample, Ints]:
    """The records of both files in parts by some columns (none: one part), and the parts that have enough."""
    weights = survey.weights()
    if not names:
        before, after, count = np.zeros(survey.source.n, int), np.zeros(survey.released.n, int), 1
        fewest = 2
    else:
        before, after, labels = survey.parts(names)
        count = len(labels)
    looked_at = np.flatnonzero(np.bincount(before, minlength=count) >= fewest)
    return Sample(weights[0], before, count), Sample(weights[1], after, count), looked_at


def _columns(changes: list[Change]) -> tuple[list[Floats], list[Floats]]:
    return [change.overlap for change in changes], [change.move for change in changes]


def _compared(survey: Survey, name: str, before: Sample, after: Sample, parts: Ints) -> tuple[Floats, Floats]:
    """Overlaps of intervals, and moves in standard errors (NaN where there is none), of one column."""
    if survey.is_numeric(name):
        x, z = survey.values(name)
        statistics = zip(before.of_numbers(x), after.of_numbers(z), strict=True)
    else:
        old, new, labels, _ = commonest(survey.recoded(name))
        statistics = zip(before.of_categories(old, labels), after.of_categories(new, labels), strict=True)
    shared, moves = [], []
    for one, other in statistics:
        known = parts[~np.isnan(one.value[parts])]
        # nobody has the label in this part: there is nothing to estimate
        known = known[(one.high[known] > one.low[known]) | (one.value[known] != 0)]
        gone = np.isnan(other.value[known])
        both = overlap((one.low[known], one.high[known]), (other.low[known], other.high[known]))
        shared.append(np.where(gone, 0.0, both))
        error = (one.high[known] - one.low[known]) / (2 * _WIDTH)
        moves.append(_ratio(np.abs(other.value[known] - one.value[known]), error))
    # a column of categories without a single one has nothing to estimate
    nothing = [np.empty(0)]
    return np.concatenate(nothing + shared), np.concatenate(nothing + moves)


def commonest(coded: Coded) -> tuple[Ints, Ints, int, list[str]]:
    """Codes of the commonest labels of the source, and as one code more all others; how many and which."""
    counts = np.bincount(coded.before[coded.before >= 0], minlength=coded.size)
    chosen = np.argsort(-counts, kind="stable")[: min(MOST_LABELS, int((counts > 0).sum()))]
    # one place more, the last: what is missing has code -1
    place = np.full(coded.size + 1, chosen.size)
    place[chosen], place[-1] = np.arange(chosen.size), -1
    names = [coded.labels[label] for label in chosen.tolist()]
    return place[coded.before], place[coded.after], chosen.size, names


class WeightedOverlap(_Weighted):
    """How much of the confidence intervals of survey estimates before and after is common to both.

    Totals, means and quartiles of numbers, totals and shares of the 50 commonest categories, of each
    protected column, in the whole population and in each part of it (`parts`, else domains, else strata) of
    `fewest` records or more; weighted by the column of weights. 95 % intervals: of a sample drawn with
    replacement, ratios linearised, quantiles by Woodruff. Two intervals overlap by the mean of overlap/length
    of either, 0 where they do not touch or nothing is left to estimate from; the score is the mean over all
    estimates, per attribute over its own. Columns that did not change count where records were left out or
    changed their part. 100: same intervals. O(n (log n + labels) d).
    Source: Karr et al. (2006), The American Statistician 60(3), 224-232 (overlap); Woodruff (1952), JASA 47,
    635-646 (quantiles); Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, 5.5 (ratios).

    >>> import pyarrow as pa
    >>> from tacita.core import Microdata, Roles
    >>> from tacita.core.results.score import Files
    >>> file = Microdata.of(pa.table({"wage": [3.0, 5.0, 9.0]})).with_roles(Roles(quasi="wage"))
    >>> WeightedOverlap().score(Comparison.of_files(Files(file, file, np.arange(3)))).value
    100.0
    """

    name: ClassVar[str] = "WEIGHTED"
    with_categories: ClassVar[bool] = True
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)
    direction: ClassVar[str] = "higher"  # type: ignore[assignment]

    def figure_of(self, change: Change) -> float:
        return float(change.overlap.mean())


class WeightedMove(_Weighted):
    """How far the survey estimate that moved most has moved, in its standard errors.

    The largest |after - before| / standard error before, over the estimates that WEIGHTED looks at; those
    without a standard error, or with nothing left to estimate from, are left out. 0: all stayed; up to about
    2 a move stays within the 95 % interval. O(n (log n + labels) d).
    Source: Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, 5.5 (errors); its largest
    move as a loss is ours.

    >>> import pyarrow as pa
    >>> from tacita.core import Microdata, Roles
    >>> from tacita.core.results.score import Files
    >>> before, after = (Microdata.of(pa.table({"wage": [1.0, 2.0, each]})) for each in (3.0, 6.0))
    >>> files = Files(after, before.with_roles(Roles(quasi="wage")), np.arange(3))
    >>> round(WeightedMove().score(Comparison.of_files(files)).per_attribute["wage"], 3)
    11.76
    """

    name: ClassVar[str] = "WEIGHTED_move"
    measured_in: ClassVar[str] = "standard errors"

    def figure_of(self, change: Change) -> float:
        return float(np.max(np.nan_to_num(change.move), initial=0.0))
