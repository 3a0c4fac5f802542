"""Probabilistic record linkage: which pairs agree on what, and what that says of their being one person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Comparison, Floats, Ints, Mask, Matrix, RunContext, Score
from tacita.microdata.measures.gower import Mixed
from tacita.microdata.measures.measure import Measure
from tacita.microdata.measures.moments import spreads
from tacita.microdata.measures.partial_aggregation import Part, PartialStatistic, Reduction

from .linkage_common import BLOCK, Linked, distinct_rows, foreseen, people, shares

if TYPE_CHECKING:
    from tacita.kernels.records.linkage import Agreements, Narrow

# Probabilities stay this far from 0 and 1, so that no weight is infinite.
_EDGE = 1e-9
_MOST_ATTRIBUTES = 62
_ALL_PATTERNS = 16
# Slots of the first table of patterns where there are more.
_SLOTS = 1 << 16
# Attributes that fit into a pattern of 32 bits.
_NARROW = 31
# People of a large file who are linked.
_PEOPLE = 20_000
# Candidates of a box that is not cut any further.
_LEAF = 128


@dataclass(frozen=True)
class Agreement:
    """Patterns of agreement (one row each, a column per attribute) and how many pairs show them."""

    patterns: Mask
    counts: Floats

    def of_more(self, own: Mask, times: float) -> Agreement:
        """The same, where a pair with another's record stands for so many; `own`: patterns with the own."""
        bits = 1 << np.arange(own.shape[1], dtype=np.int64)
        every = self.patterns @ bits
        order = np.argsort(every)
        place = order[np.searchsorted(every, own @ bits, sorter=order)]
        mine = np.bincount(place, minlength=self.counts.size)
        return Agreement(self.patterns, (self.counts - mine) * times + mine)


@dataclass(frozen=True)
class Linkage:
    """m and u of every attribute, the chance of agreement among matched and among unmatched pairs."""

    m: Floats
    u: Floats
    prevalence: float

    @property
    def gain(self) -> Floats:
        """What a pair that agrees on an attribute has more weight than one that does not."""
        return np.asarray(np.log(self.m / self.u) - np.log((1 - self.m) / (1 - self.u)))

    def log_ratios(self, patterns: Mask) -> Floats:
        """log of m(pattern) / u(pattern)."""
        agree, differ = np.log(self.m / self.u), np.log((1 - self.m) / (1 - self.u))
        return np.asarray(np.where(patterns, agree, differ).sum(axis=1))


def fit(agreement: Agreement, prevalence: float | None, most_rounds: int = 500) -> Linkage:
    """m and u by expectation-maximisation under conditional independence. O(patterns d) a round.

    `prevalence` is the share of matches among all pairs, known where both files hold the same records;
    None fits it too, which among n^2 pairs with n matches drifts to hundreds of matches a record.
    """
    patterns, counts = agreement.patterns.astype(float), agreement.counts
    matches = 0.1 if prevalence is None else prevalence
    u = np.clip(counts @ patterns / counts.sum(), _EDGE, 1 - _EDGE)
    m = np.maximum(np.full(u.size, 0.9), u)
    for _ in range(most_rounds):
        log_m = patterns @ np.log(m) + (1 - patterns) @ np.log1p(-m)
        log_u = patterns @ np.log(u) + (1 - patterns) @ np.log1p(-u)
        with np.errstate(over="ignore"):
            matched = 1 / (1 + (1 - matches) / matches * np.exp(log_u - log_m))
        weight, rest = counts * matched, counts * (1 - matched)
        new_m = np.clip(weight @ patterns / weight.sum(), _EDGE, 1 - _EDGE)
        u = np.clip(rest @ patterns / rest.sum(), _EDGE, 1 - _EDGE)
        if prevalence is None:
            matches = float(weight.sum() / counts.sum())
        change = np.abs(new_m - m).max()
        m = new_m
        if change < 1e-9:
            break
    return Linkage(m, u, matches)


def classify(linkage: Linkage, patterns: Mask, false_link: float, false_nonlink: float) -> Ints:
    """The classical decision for every pattern: 1 link, -1 no link, 0 possible link.

    Patterns sorted by m/u descending: link while the cumulative u stays within `false_link`; from the
    other end, no link while the cumulative m stays within `false_nonlink`. u and m are taken over the
    patterns given, which should be all that can occur.
    """
    agree_u = np.where(patterns, linkage.u, 1 - linkage.u).prod(axis=1)
    agree_m = np.where(patterns, linkage.m, 1 - linkage.m).prod(axis=1)
    order = np.argsort(-linkage.log_ratios(patterns), kind="stable")
    decision = np.zeros(len(patterns), dtype=np.int64)
    decision[order[np.cumsum(agree_u[order]) <= false_link]] = 1
    bottom = order[::-1]
    refused = bottom[np.cumsum(agree_m[bottom]) <= false_nonlink]
    decision[refused[decision[refused] == 0]] = -1
    return decision


class Candidates:
    """Released records as the kernels look at them: ranks of values, each distinct row once."""

    def __init__(self, released: Matrix, tolerance: Floats) -> None:
        from tacita.kernels.records.kd_boxes import grow

        distinct, _, repeats = distinct_rows(released)
        self.n, self.d = released.shape
        self.tolerance = tolerance
        self.ordered = np.sort(distinct.T, axis=1)
        ranks = [np.searchsorted(ordered, z) for ordered, z in zip(self.ordered, distinct.T, strict=True)]
        self.tree = grow(np.column_stack(ranks).astype(np.float64), _LEAF)
        self.until = np.concatenate([[0], np.cumsum(repeats[self.tree.order])])

    def agreements(self, queries: Matrix) -> float:
        """How many (query, candidate, attribute) agree."""
        first, last = self._agreeing(queries)
        return float((last - first).sum(dtype=np.int64))

    def _agreeing(self, queries: Matrix) -> tuple[Narrow, Narrow]:
        """The ranks with which each query agrees on each attribute: the first, and the first beyond."""
        first, last = (np.empty(queries.shape, dtype=np.int32) for _ in range(2))
        for c, (ordered, reach) in enumerate(zip(self.ordered, self.tolerance, strict=True)):
            x = queries[:, c]
            first[:, c] = np.searchsorted(ordered, x - reach, "left")
            last[:, c] = np.searchsorted(ordered, x + reach, "right")
        return first, last

    def known(self, queries: Matrix) -> Agreements:
        """What the kernels need of some queries."""
        from tacita.kernels.records.linkage import Agreements

        wide = np.int32 if self.d < _NARROW else np.int64
        first, last = self._agreeing(queries)
        return Agreements(
            first=first,
            last=last,
            ranks=self.tree.columns.astype(np.int32),
            low=self.tree.low.astype(np.int32),
            high=self.tree.high.astype(np.int32),
            levels=self.tree.levels,
            until=self.until,
            bits=(1 << np.arange(self.d)).astype(wide),
        )

    def count(self, known: Agreements, run: RunContext) -> Agreement:
        """Agreement patterns between some queries and all candidates."""
        from tacita.kernels.records.linkage import count_patterns

        every, queries = 1 << self.d, len(known.first)

        def block(start: int, stop: int) -> dict[int, int]:
            size = _SLOTS
            while True:
                keys = np.zeros(0 if self.d <= _ALL_PATTERNS else size, dtype=np.int64)
                counts = np.zeros(keys.size or every, dtype=np.int64)
                if count_patterns(start, stop, known, keys, counts):
                    at = np.flatnonzero(counts)
                    return dict(
                        zip((keys[at] if keys.size else at).tolist(), counts[at].tolist(), strict=True)
                    )
                size *= 4

        merged: dict[int, int] = {}
        for part in run.map_blocks("comparing records", queries, block, BLOCK):
            for pattern, count in part.items():
                merged[pattern] = merged.get(pattern, 0) + count
        merged[0] = 0
        merged[0] = queries * self.n - sum(merged.values())
        masks = np.array(sorted(merged), dtype=np.int64)
        bits = (masks[:, None] >> np.arange(self.d)) & 1
        return Agreement(bits.astype(bool), np.array([float(merged[mask]) for mask in masks.tolist()]))

    def as_likely(self, known: Agreements, gain: Floats, mine: Floats, run: RunContext) -> Ints:
        """How many candidates are as likely for each query as `mine` says; -1 where one is likelier."""
        from tacita.kernels.records.linkage import as_likely

        counts = np.empty(mine.size, dtype=np.int64)

        def block(start: int, stop: int) -> None:
            as_likely(start, stop, known, gain, mine, counts[start:stop])

        for _ in run.map_blocks("linking records", mine.size, block, BLOCK):
            pass
        return counts


def agreeing(x: Matrix, z: Matrix, tolerance: Floats) -> Mask:
    """Whether the values of two records agree, one row with one row."""
    return np.asarray((z >= x - tolerance) & (z <= x + tolerance))


def tolerances(tolerance: float, scale: Floats, nominal: Mask | None = None) -> Floats:
    """How far values may be apart and agree; names are codes, which agree where they are equal."""
    # rounding must not decide whether a difference of exactly the tolerance agrees
    reach = tolerance * scale * (1 + 1e-9)
    return reach if nominal is None else np.where(nominal, 0.25, reach)


class PRL(Measure):
    """Share of people whose likeliest released record is their own: they can be found by probability.

    Probabilistic record linkage: share of original records whose likeliest released match is their own.
    Fellegi and Sunter: two values agree if they differ by at most `tolerance` standard deviations (levels by
    their ranks; names if they are equal); the patterns of agreement over all pairs are counted; m and u of
    each attribute are fitted by EM with the share of matches fixed at 1/n; each original is linked to the
    released record of highest weight log(m/u); t records of equal weight share 1/t. 0: nobody is found; 100:
    everybody is.

    O(n^2 d) to count patterns, with each distinct released record once and many compared at a time; links
    open only the boxes of a tree that can hold one as likely. Beyond `budget` agreeing pairs and attributes,
    as estimated from a thousand people, and of every file in parts, a random sample of 20 000 people is
    linked, each to all released records, with m and u of the pairs among them, and the figure carries its
    standard error: in groups of 3, from about 90 000 records of 8 skewed columns. A budget of 1e18 is exact
    for any file in memory. Records are linked, whatever units there are: a link to another record of the same
    unit counts as wrong, although it finds the unit.
    Source: Fellegi & Sunter (1969), J. American Statistical Association 64, 1183-1210; Torra &
    Domingo-Ferrer (2003), in Information Fusion in Data Mining, Springer, 101-132.

    >>> x = [[0.0], [1.0], [2.0], [9.0]]
    >>> PRL().score(Comparison.of(x, x)).value
    100.0
    """

    kind: ClassVar[str] = "risk"
    name: ClassVar[str] = "PRL"
    family: ClassVar[str] = "records linked"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)
    of_categories: ClassVar[bool] = True

    tolerance: Annotated[
        float, Field(ge=0, description="values agree within so many standard deviations")
    ] = 0.1
    budget: Annotated[
        float, Field(gt=0, description="agreeing pairs to look at before a sample of records is taken")
    ] = 2e9

    def in_parts(self, names: tuple[str, ...], run: RunContext) -> Reduction[Score]:
        known = yield from spreads(len(names))
        if not known.varying.size:
            return self.none("no original column varies")
        if known.varying.size > _MOST_ATTRIBUTES:
            return self.none(f"more than {_MOST_ATTRIBUTES} attributes; choose some of them")
        drawn = yield from people(_PEOPLE, known)
        x, z, reach = drawn.original, drawn.released, tolerances(self.tolerance, known.scale[known.varying])
        gain = self._gain(x, z, reach, known.n, run)
        statistic = LikelyStatistic(
            x, tuple(known.varying.tolist()), reach, gain, agreeing(x, z, reach) @ gain
        )
        linked = drawn.linked((yield statistic)).percent()
        return self.result(linked.mean, error=linked.error)

    def _gain(self, x: Matrix, z: Matrix, reach: Floats, n: int, run: RunContext) -> Floats:
        """What agreement on each attribute weighs, by pairs of people and records of which there are n.

        The pairs are those of the people at hand with each other's records; beyond the budget, of some of
        them.
        """
        candidates, rows = Candidates(z, reach), np.arange(len(x))
        share = self._affordable(x, candidates, run)
        if share < 1:
            rows = np.sort(run.search_generator().permutation(len(x))[: max(100, int(share * len(x)))])
        counted = candidates.count(candidates.known(x[rows]), run)
        own = agreeing(x[rows], z[rows], reach)
        return fit(counted.of_more(own, (n - 1) / max(len(x) - 1, 1)), 1 / n).gain

    def _affordable(self, x: Matrix, candidates: Candidates, run: RunContext) -> float:
        """The share of people whose agreements with all candidates can be looked at within the budget."""
        if float(len(x)) * candidates.ordered.size <= self.budget:
            return 1.0
        predicted = foreseen(len(x), lambda few: candidates.agreements(x[few]), run)
        return min(1.0, self.budget / max(1.0, predicted))

    def compute(self, pair: Comparison, run: RunContext) -> Score:
        mixed = Mixed.of(pair)
        if not mixed.attributes:
            return self.none("no original column varies")
        if len(mixed.attributes) > _MOST_ATTRIBUTES:
            return self.none(f"more than {_MOST_ATTRIBUTES} attributes; choose some of them")
        x, z = mixed.original, mixed.released
        reach = tolerances(self.tolerance, x.std(axis=0, ddof=1), mixed.nominal)
        candidates, rows = Candidates(z, reach), np.arange(pair.n)
        if self._affordable(x, candidates, run) < 1:
            rows = np.sort(run.search_generator().permutation(pair.n)[:_PEOPLE])
        gain = self._gain(x[rows], z[rows], reach, pair.n, run)
        mine = agreeing(x[rows], z[rows], reach) @ gain
        chances = shares(candidates.as_likely(candidates.known(x[rows]), gain, mine, run))
        linked = Linked.of_all(chances) if rows.size == pair.n else Linked.of_sample([chances], [pair.n])
        linked = linked.percent()
        return self.result(linked.mean, error=linked.error, per_record=linked.per_record)


@dataclass(frozen=True, eq=False)
class LikelyStatistic(PartialStatistic):
    """How many records of a part are as likely for each of some people as their own; -1: one is likelier."""

    asking: Matrix
    columns: tuple[int, ...]
    tolerance: Floats
    gain: Floats
    mine: Floats

    def compute(self, part: Part) -> Ints:
        released = np.ascontiguousarray(part.pair.released[:, list(self.columns)])
        candidates = Candidates(released, self.tolerance)
        return candidates.as_likely(candidates.known(self.asking), self.gain, self.mine, part.run)


class PRLBounds(Measure):
    """Share of people found by an attacker who links only what is likely enough.

    The classical rule with two error bounds. As PRL, but every pair is decided by its pattern alone: patterns
    sorted by m/u descending are links while the cumulative u stays within `false_link`, from the other end no
    links while the cumulative m stays within `false_nonlink`, and possible links between. Counted: own pairs
    declared links. The cost of one pass of PRL, one step per agreeing pair and attribute: O(n^2 d) at worst.
    Records are linked, whatever units there are: a link to another record of the same unit counts as wrong,
    although it finds the unit.
    Source: Fellegi & Sunter (1969), J. American Statistical Association 64, 1183-1210.

    >>> x = [[0.0], [1.0], [2.0], [9.0]]
    >>> PRLBounds(false_link=0.5).score(Comparison.of(x, x)).value
    100.0
    """

    kind: ClassVar[str] = "risk"
    name: ClassVar[str] = "PRL_bounds"
    family: ClassVar[str] = "records linked"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)
    of_categories: ClassVar[bool] = True
    by_default: ClassVar[bool] = False

    tolerance: Annotated[
        float, Field(ge=0, description="values agree within so many standard deviations")
    ] = 0.1
    false_link: Annotated[
        float, Field(gt=0, lt=1, description="accepted share of unmatched pairs linked, 0 to 1")
    ] = 0.001
    false_nonlink: Annotated[
        float, Field(gt=0, lt=1, description="accepted share of matched pairs refused, 0 to 1")
    ] = 0.01

    def compute(self, pair: Comparison, run: RunContext) -> Score:
        mixed = Mixed.of(pair)
        if not mixed.attributes:
            return self.none("no original column varies")
        if len(mixed.attributes) > _ALL_PATTERNS:
            return self.none(f"more than {_ALL_PATTERNS} attributes have too many patterns to sort")
        x, z, d = mixed.original, mixed.released, len(mixed.attributes)
        reach = tolerances(self.tolerance, x.std(axis=0, ddof=1), mixed.nominal)
        candidates = Candidates(z, reach)
        linkage = fit(candidates.count(candidates.known(x), run), 1 / pair.n)
        every = (np.arange(2**d)[:, None] >> np.arange(d) & 1).astype(bool)
        decision = classify(linkage, every, self.false_link, self.false_nonlink)
        own = decision[agreeing(x, z, reach) @ (1 << np.arange(d))]
        linked = 100.0 * (own == 1)
        return self.result(linked.mean(), per_record=linked)
