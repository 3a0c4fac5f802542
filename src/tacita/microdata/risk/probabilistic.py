"""Probabilistic record linkage: which pairs agree on what, and what that says of their being one person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Comparison, Floats, Ints, Mask, Run, Score
from tacita.microdata.measure import Measure
from tacita.microdata.mixed import Mixed

# Probabilities stay this far from 0 and 1, so that no weight is infinite.
_EDGE = 1e-9
_MOST_ATTRIBUTES = 62
_ALL_PATTERNS = 16


@dataclass(frozen=True)
class Agreement:
    """Patterns of agreement (one row each, a column per attribute) and how many pairs show them."""

    patterns: Mask
    counts: Floats


@dataclass(frozen=True)
class Linkage:
    """m and u of every attribute, the chance of agreement among matched and among unmatched pairs."""

    m: Floats
    u: Floats
    prevalence: float

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


class _Pairs:
    """Everything the kernels need of two files, with equal released rows told once."""

    def __init__(self, mixed: Mixed, tolerance: float) -> None:
        from tacita.kernels.records.linkage import Agreements

        released, own, repeats = np.unique(mixed.released, axis=0, return_inverse=True, return_counts=True)
        rows = np.argsort(released, axis=0, kind="stable").T
        self.released = mixed.released
        scale = mixed.original.std(axis=0, ddof=1)
        self.known = Agreements(
            queries=mixed.original,
            sorted_values=np.ascontiguousarray(np.take_along_axis(released.T, rows, axis=1)),
            sorted_rows=np.ascontiguousarray(rows),
            repeats=repeats.astype(np.int64),
            own=own.reshape(-1).astype(np.int64),
            # rounding must not decide whether a difference of exactly the tolerance agrees; names are codes
            tolerance=np.where(mixed.nominal, 0.25, tolerance * scale * (1 + 1e-9)),
        )
        self.n, self.d = mixed.original.shape

    def agreements(self) -> float:
        """How many (query, candidate, attribute) agree: the cost of one pass over all pairs."""
        total, known = 0.0, self.known
        for c in range(self.d):
            x, z = known.queries[:, c], known.sorted_values[c]
            above = np.searchsorted(z, x + known.tolerance[c], "right")
            total += float((above - np.searchsorted(z, x - known.tolerance[c], "left")).sum())
        return total

    def count(self, rows: Ints, run: Run) -> Agreement:
        """Agreement patterns between some queries and all candidates."""
        from tacita.kernels.records.linkage import count_patterns

        def block(start: int, stop: int) -> dict[int, int]:
            size = 1 << min(self.d + 2, 16)
            while True:
                keys, counts = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
                if count_patterns(rows[start:stop], self.known, keys, counts):
                    used = keys != 0
                    return dict(zip(keys[used].tolist(), counts[used].tolist(), strict=True))
                size *= 4

        merged: dict[int, int] = {}
        for part in run.map_blocks("comparing records", rows.size, block, block=256):
            for pattern, count in part.items():
                merged[pattern] = merged.get(pattern, 0) + count
        merged[0] = rows.size * self.n - sum(merged.values())
        masks = np.array(sorted(merged), dtype=np.int64)
        bits = (masks[:, None] >> np.arange(self.d)) & 1
        return Agreement(bits.astype(bool), np.array([float(merged[mask]) for mask in masks.tolist()]))

    def linked(self, rows: Ints, linkage: Linkage, run: Run) -> Floats:
        """Share of each query that is linked to its own record."""
        from tacita.kernels.records.linkage import own_has_most_weight

        gain = np.log(linkage.m / linkage.u) - np.log((1 - linkage.m) / (1 - linkage.u))

        def block(start: int, stop: int) -> Floats:
            found = np.empty(stop - start)
            own_has_most_weight(rows[start:stop], self.known, gain, self.n, found)
            return found

        return np.concatenate(list(run.map_blocks("linking records", rows.size, block, block=256)))


class PRL(Measure):
    """Share of people whose likeliest released record is their own: they can be found by probability.

    Probabilistic record linkage: share of original records whose likeliest released match is their own.
    Fellegi and Sunter: two values agree if they differ by at most `tolerance` standard deviations (levels by
    their ranks; names if they are equal); the patterns of agreement over all pairs are counted; m and u of
    each attribute are fitted by EM with the share of matches fixed at 1/n; each original is linked to the
    released record of highest weight log(m/u); t records of equal weight share 1/t. 0: nobody is found; 100:
    everybody is.

    One step per agreeing pair and attribute, twice, O(n^2 d) at worst; beyond `budget` steps a random
    sample of originals is linked and the figure carries its standard error.
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

    def compute(self, pair: Comparison, run: Run) -> Score:
        mixed = Mixed.of(pair)
        if not mixed.attributes:
            return self.none("no original column varies")
        if len(mixed.attributes) > _MOST_ATTRIBUTES:
            return self.none(f"more than {_MOST_ATTRIBUTES} attributes; choose some of them")
        pairs = _Pairs(mixed, self.tolerance)
        rows = np.arange(pair.n)
        share = self.budget / max(1.0, pairs.agreements())
        if share < 1:
            chosen = run.search_generator().permutation(pair.n)[: max(100, int(share * pair.n))]
            rows = np.sort(chosen)
        linkage = fit(pairs.count(rows, run), 1 / pair.n)
        found = 100 * pairs.linked(rows, linkage, run)
        if rows.size == pair.n:
            return self.result(found.mean(), per_record=found)
        error = found.std(ddof=1) / np.sqrt(rows.size) * np.sqrt(1 - rows.size / pair.n)
        return self.result(found.mean(), error=float(error))


class PRLBounds(Measure):
    """Share of people found by an attacker who links only what is likely enough.

    The classical rule with two error bounds. As PRL, but every pair is decided by its pattern alone: patterns
    sorted by m/u descending are links while the cumulative u stays within `false_link`, from the other end no
    links while the cumulative m stays within `false_nonlink`, and possible links between. Counted: own pairs
    declared links. The cost of one pass of PRL, one step per agreeing pair and attribute: O(n^2 d) at worst.
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

    def compute(self, pair: Comparison, run: Run) -> Score:
        mixed = Mixed.of(pair)
        if not mixed.attributes:
            return self.none("no original column varies")
        if len(mixed.attributes) > _ALL_PATTERNS:
            return self.none(f"more than {_ALL_PATTERNS} attributes have too many patterns to sort")
        pairs = _Pairs(mixed, self.tolerance)
        linkage = fit(pairs.count(np.arange(pair.n), run), 1 / pair.n)
        every = (np.arange(2**pairs.d)[:, None] >> np.arange(pairs.d) & 1).astype(bool)
        decision = classify(linkage, every, self.false_link, self.false_nonlink)
        agrees = np.abs(pairs.known.queries - pairs.released) <= pairs.known.tolerance
        own = decision[agrees @ (1 << np.arange(pairs.d))]
        linked = 100.0 * (own == 1)
        return self.result(linked.mean(), per_record=linked)
