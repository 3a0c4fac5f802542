"""Synthesis by one tree a column: each drawn from leaves of records that look alike so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import Field

from tacita.core import Floats, Ints, Mask, Matrix, ParameterError, RunContext
from tacita.core.data.microdata import join_names
from tacita.core.spec.roles import Names

from .column_margins import Columns, Margin
from .mixed import SMALLEST_K, MixedSynthesis, Sampler, Training, counted
from .restrictions import Restrictions


@dataclass(frozen=True)
class TreeSettings:
    """How trees are grown; `python -m benchmarks mixed_synthesis` prints what a synthesis takes."""

    # bins of equal size into which a numeric column is cut, besides some at its ends
    bins: int = 255
    # share of what is to be explained that a split must explain, as in synthpop
    least_gain: float = 1e-8
    # donors of its leaf that a record which breaks a restriction may try
    donors: int = 10
    # parts of a stratum, by units, that a leaf begins with where no k is given
    leaves_per_stratum: int = 150


SETTINGS = TreeSettings()


# Orders of columns that go by how many values they have.
MANY_FIRST = "many-first"
FEW_FIRST = "few-first"


class Trees(MixedSynthesis):
    """One column after the other from classification and regression trees: numbers, categories, gaps mixed.

    Column j is explained by the independent columns and by those drawn before it; the tree splits records
    (Gini for categories, squares of ranks for numbers) until a leaf has fewer than 2 k. A record goes down
    the tree with its drawn values and takes the value of a random member of its leaf: a category as it is, a
    number from the interval halfway to its neighbours in the leaf, at least as wide as k values of the column
    reach; a number that k records share as it is. What is missing is drawn first, by a tree of its own. Keeps
    relations of any shape, as far as leaves of k records show them.
    O(p (p + q) n log n) time, O((p + q) n) memory.
    Source: Reiter (2005), J. Official Statistics 21(3), 441-462; order, leaves and smoothing as in synthpop,
    Nowok, Raab & Dibben (2016), J. Statistical Software 74(11).

    >>> rng = np.random.default_rng(0)
    >>> s = rng.normal(size=(400, 1))
    >>> y = np.abs(s) + 0.1 * rng.normal(size=(400, 1))
    >>> drawn = Trees().synthesize(y, s, RunContext(seed=1))
    >>> bool(np.corrcoef(drawn[:, 0], y[:, 0])[0, 1] > 0.9)
    True
    """

    order: Names = Field(
        default=(MANY_FIRST,),
        description="many-first or few-first: columns by how many values they have; or dependent columns in "
        "the order they are drawn, the others following, those of many values first",
    )
    systematic: bool = Field(
        default=True,
        description="records that reach a leaf take its values evenly, which keeps shares and means; false: "
        "each takes the value of a random member",
    )

    def fit(self, training: Training, run: RunContext) -> Sampler:
        x, columns, margins = training.x, training.columns, training.margins
        restrictions, units = training.restrictions, training.units
        p, k = len(margins), self.fewest
        direction = 1 if self.order == (FEW_FIRST,) else -1
        sizes = [direction * np.unique(x[:, j]).size for j in range(p)]
        order = restrictions.order(sizes, self._first(columns, p))
        binned = _Binned.of(x, columns)
        known = list(range(p, x.shape[1]))
        fitted = []
        for done, j in enumerate(order):
            structural = restrictions.structural(j, x, set(known))
            rows = np.flatnonzero(~structural)
            there = rows[~np.isnan(x[rows, j])]
            if counted(None if units is None else units[there], there.size) < 2 * k:
                rows = np.arange(len(x))
            fitted.append(_Column.of(j, x, rows, binned, known, margins[j], k, units))
            known.append(j)
            run.report("growing trees", done + 1, p)
        return _Fitted(tuple(fitted), binned, tuple(margins), restrictions, self.systematic)

    def first_k(self, units: int) -> int:
        """A 150th of the units of a stratum: few enough that relations still show."""
        return max(SMALLEST_K, units // SETTINGS.leaves_per_stratum)

    def _first(self, columns: Columns, p: int) -> list[int]:
        if self.order in ((MANY_FIRST,), (FEW_FIRST,)):
            return []
        unknown = [name for name in self.order if name not in columns.names[:p]]
        if unknown or len(set(self.order)) < len(self.order):
            raise ParameterError(
                f"Trees: order must name dependent columns, each once, or be {MANY_FIRST} or "
                f"{FEW_FIRST}; {join_names(unknown or self.order)} "
                f"{'is not one' if unknown else 'has one twice'}."
            )
        return [columns.names.index(name) for name in self.order]


@dataclass(frozen=True, eq=False)
class _Binned:
    """How columns become bins: bin 0 is missing; numbers by quantiles, categories by their codes."""

    edges: tuple[Floats | None, ...]
    sizes: Ints
    unordered: Mask
    bins: Ints

    @classmethod
    def of(cls, x: Matrix, columns: Columns) -> _Binned:
        edges: list[Floats | None] = []
        for values, kind in zip(x.T, columns.kinds, strict=True):
            present = values[~np.isnan(values)]
            if kind == "nominal" or not present.size:
                edges.append(None)
                continue
            distinct = np.unique(present)
            if distinct.size > SETTINGS.bins:
                distinct = np.unique(np.quantile(present, _shares(present.size), method="inverted_cdf"))
            edges.append(distinct)
        sizes = [
            2 + (int(np.nanmax(values, initial=0)) if edge is None else edge.size)
            for values, edge in zip(x.T, edges, strict=True)
        ]
        unordered = np.array([kind == "nominal" for kind in columns.kinds])
        made = cls(tuple(edges), np.array(sizes, dtype=np.int64), unordered, np.empty((0, 0), dtype=np.int64))
        bins = np.stack([made.of_column(j, values) for j, values in enumerate(x.T)])
        return cls(made.edges, made.sizes, unordered, bins)

    def of_column(self, j: int, values: Floats) -> Ints:
        """The bins of other values of a column."""
        edges = self.edges[j]
        gaps = np.isnan(values)
        plain = np.where(gaps, 0.0, values)
        positions = plain if edges is None else np.searchsorted(edges, plain)
        bins = np.where(gaps, 0, 1 + positions.astype(np.int64))
        # a category that no record of the model has goes with what is missing
        return np.where(bins < self.sizes[j], bins, 0)


def _shares(n: int) -> Floats:
    """Where a column of n numbers is cut: evenly, and ever finer towards its ends, where money lies."""
    tail = 0.5 ** np.arange(1, max(2, int(np.log2(n / 10)) + 1))
    return np.unique(np.concatenate([np.arange(1, SETTINGS.bins) / SETTINGS.bins, tail, 1 - tail]))


@dataclass(frozen=True, eq=False)
class _Leaves:
    """A tree, and the donors of each leaf, those of one leaf side by side."""

    tree: Any
    features: tuple[int, ...]
    donors: Ints
    starts: Ints
    counts: Ints

    @classmethod
    def grown(
        cls,
        rows: Ints,
        target: Floats | Ints,
        binned: _Binned,
        features: Sequence[int],
        k: int,
        units: Ints | None,
    ) -> _Leaves:
        """Of some records; a target of whole numbers is one of classes. Donors of a leaf ascend by target."""
        from tacita.kernels.records.cart import grow

        chosen = list(features)
        by_class = target.dtype == np.int64
        numbers = np.empty(0) if by_class else target
        classes = target if by_class else np.empty(0, dtype=np.int64)
        bins = np.ascontiguousarray(binned.bins[np.ix_(np.array(chosen, dtype=np.int64), rows)])
        kinds = int(target.max()) + 1 if by_class else 0
        owners = (
            np.empty(0, dtype=np.int64) if units is None else np.unique(units[rows], return_inverse=True)[1]
        )
        tree, leaf, leaves = grow(
            bins,
            binned.sizes[chosen],
            binned.unordered[chosen],
            numbers,
            classes,
            kinds,
            owners.reshape(-1).astype(np.int64),
            k,
            SETTINGS.least_gain,
        )
        counts = np.bincount(leaf, minlength=leaves)
        return cls(tree, tuple(chosen), np.lexsort((target, leaf)), np.cumsum(counts) - counts, counts)

    def of_records(self, x: Matrix, binned: _Binned) -> Ints:
        """The leaf that each record comes to."""
        from tacita.kernels.records.cart import leaves_of

        bins = np.empty((len(self.features), len(x)), dtype=np.int64)
        for at, j in enumerate(self.features):
            bins[at] = binned.of_column(j, x[:, j])
        return np.asarray(leaves_of(self.tree, bins, binned.unordered[list(self.features)]))

    def donor(self, leaf: Ints, generator: np.random.Generator, *, systematic: bool) -> Ints:
        """A member of the leaf of each record, by its place among those that the tree was grown on.

        At random; or, systematic, evenly over the members in the order of their values: of m records that
        reach a leaf, in random order, record i takes the one at the share (i + u) / m, with one u a leaf.
        """
        if not systematic:
            return self.donors[self.starts[leaf] + generator.integers(0, self.counts[leaf])]
        order = np.lexsort((generator.random(leaf.size), leaf))
        reached = np.bincount(leaf, minlength=self.counts.size)
        turn = np.empty(leaf.size)
        turn[order] = np.arange(leaf.size) - (np.cumsum(reached) - reached)[leaf[order]]
        share = (turn + generator.random(self.counts.size)[leaf]) / reached[leaf]
        place = np.minimum((share * self.counts[leaf]).astype(np.int64), self.counts[leaf] - 1)
        return np.asarray(self.donors[self.starts[leaf] + place])


@dataclass(frozen=True, eq=False)
class _Column:
    """What one column is drawn from: whether it is missing, then a donor, and from where to where."""

    column: int
    missing: tuple[_Leaves, Mask] | None
    values: _Leaves | None
    low: Floats
    high: Floats

    @classmethod
    def of(
        cls,
        j: int,
        x: Matrix,
        rows: Ints,
        binned: _Binned,
        features: Sequence[int],
        margin: Margin,
        k: int,
        units: Ints | None,
    ) -> _Column:
        values = x[rows, j]
        gaps = np.isnan(values)
        missing = None
        if margin.missing and gaps.any():
            missing = _Leaves.grown(rows, gaps.astype(np.int64), binned, features, k, units), gaps
        kept = margin.donors(values)
        if not kept.any():
            return cls(j, missing, None, values[:0], values[:0])
        rows, values = rows[kept], values[kept]
        if not margin.numeric:
            leaves = _Leaves.grown(rows, values.astype(np.int64), binned, features, k, units)
            return cls(j, missing, leaves, values, values)
        # ranks, so that a few huge values do not decide where records are parted
        ordered = np.sort(values)
        ranks = (np.searchsorted(ordered, values) + np.searchsorted(ordered, values, "right")) / 2.0
        leaves = _Leaves.grown(rows, ranks, binned, features, k, units)
        return cls(j, missing, leaves, *_cells(values, leaves, margin))

    def leaves(self, x: Matrix, binned: _Binned) -> tuple[Ints | None, Ints | None]:
        """Where records come to in both trees."""
        trees = None if self.missing is None else self.missing[0], self.values
        first, second = (None if tree is None else tree.of_records(x, binned) for tree in trees)
        return first, second

    def draw(
        self,
        leaves: tuple[Ints | None, Ints | None],
        rows: Ints,
        margin: Margin,
        generator: np.random.Generator,
        *,
        systematic: bool,
    ) -> Floats:
        """A value for some of the records whose leaves are given."""
        drawn = np.full(rows.size, np.nan)
        if self.values is not None and leaves[1] is not None:
            donor = self.values.donor(leaves[1][rows], generator, systematic=systematic)
            low, high = self.low[donor], self.high[donor]
            drawn = margin.settled(low + generator.random(rows.size) * (high - low))
        if self.missing is not None and leaves[0] is not None:
            tree, gaps = self.missing
            drawn[gaps[tree.donor(leaves[0][rows], generator, systematic=systematic)]] = np.nan
        return drawn


def _cells(values: Floats, leaves: _Leaves, margin: Margin) -> tuple[Floats, Floats]:
    """The interval that stands for each donor. O(n log n).

    Halfway to its neighbours in the leaf, and no narrower than its neighbourhood in the column.
    """
    low, high = margin.neighbourhoods(values)
    leaf = np.empty(values.size, dtype=np.int64)
    leaf[leaves.donors] = np.repeat(np.arange(leaves.counts.size), leaves.counts)
    alone = np.flatnonzero(~np.isin(values, margin.shared))
    order = alone[np.lexsort((values[alone], leaf[alone]))]
    gap = np.diff(values[order]) / 2
    together = np.diff(leaf[order]) == 0
    below = np.concatenate([[np.nan], np.where(together, gap, np.nan)])
    above = np.concatenate([np.where(together, gap, np.nan), [np.nan]])
    # both ends of a leaf reach as far as the smaller of its outer gaps: then its mean stays
    first, last = np.flatnonzero(np.isnan(below)), np.flatnonzero(np.isnan(above))
    below[first] = above[last] = np.fmin(above[first], below[last])
    centre = values[order]
    low[order] = np.fmin(low[order], centre - np.nan_to_num(below))
    high[order] = np.fmax(high[order], centre + np.nan_to_num(above))
    return low, high


@dataclass(frozen=True, eq=False)
class _Fitted:
    """The columns in the order they are drawn."""

    columns: tuple[_Column, ...]
    binned: _Binned
    margins: tuple[Margin, ...]
    restrictions: Restrictions
    systematic: bool

    def draw(self, x: Matrix, generator: np.random.Generator, run: RunContext) -> None:
        """Every column in turn; within their leaves, records that break something look for other donors."""
        known = set(range(len(self.margins), x.shape[1]))
        for done, column in enumerate(self.columns):
            j, margin = column.column, self.margins[column.column]
            leaves = column.leaves(x, self.binned)
            known.add(j)
            waiting = np.arange(len(x))
            for _ in range(SETTINGS.donors):
                x[waiting, j] = column.draw(leaves, waiting, margin, generator, systematic=self.systematic)
                part = x[waiting]
                waiting = waiting[self.restrictions.broken_by(j, part, known)]
                if not waiting.size:
                    break
            self.restrictions.settle(j, x, known, margin)
            run.report("drawing values", done, len(self.columns))
