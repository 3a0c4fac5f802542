"""The levels that all keys may be shown at, and what becomes of the records at each combination of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import floor, prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tacita.core import DataError, Floats, Ints, Mask
from tacita.core.data.memory import check_memory

from .file_models import DeltaPresence, Shown, least_size
from .key_hierarchies import Keys
from .models import Models, guard_of

if TYPE_CHECKING:
    from tacita.kernels.records.classes import Counted

Node = tuple[int, ...]
Codes = npt.NDArray[np.int32]


@dataclass(frozen=True)
class LatticeSettings:
    """Limits of a lattice of generalisations; `python -m benchmarks generalise` times its searches."""

    # nodes whose counts are kept so that others are counted from them
    sources: int = 48
    # distinct tuples from which on that pays
    source_tuples: int = 1000
    # keys, at most: an array has 64 axes, and one is for the counts
    most_keys: int = 63
    # bytes of a node besides 8 or 32 for each key
    node_bytes: int = 64
    # keys that local suppression takes, which is advised up to there
    most_keys_to_suppress: int = 60


SETTINGS = LatticeSettings()


@dataclass(frozen=True, repr=False)
class Tuples:
    """Distinct tuples, each for `weights` records: codes of every key at every level, a row each.

    Row `starts[j] + level` has the codes of key j at that level, below `sizes` of it; rows from `starts[-1]`
    on stand for strata, confidential values and units, in this order. Tuples hold from `levels` upwards.
    `masses` are the persons that they stand for, a row for each column of weights.
    """

    rows: Codes
    sizes: Ints
    weights: Ints
    levels: Node
    masses: Floats


@dataclass(frozen=True, repr=False)
class Checked:
    """Classes at a node: of each tuple, the records in each, which of them fail, and records in those.

    `short` counts records in classes of fewer than k: it never grows with generalisation. `permitted` tells
    whether the rest is allowed: suppressed records may form a class of their own, and none of the population
    is known to be absent.
    """

    node: Node
    tuples: Tuples
    of: Ints
    totals: Ints
    failing: Mask
    short: int
    suppressed: int
    permitted: bool


def check_lattice_size(keys: Keys, who: str, *, separable: bool = True) -> None:
    """Raise where the nodes, and what a search and the replay of its proof hold of each, would not fit.

    Of a quality whose floors are `separable`, four numbers for each key and node are held at a time.
    """
    m = len(keys.ladders)
    others = (
        "mondrian or local-suppression, which do"
        if m <= SETTINGS.most_keys_to_suppress
        else "mondrian, which does"
    )
    advice = (
        "Leave out keys, give hierarchies of fewer levels, or use "
        f"{others} not look at combinations of levels."
    )
    if m > SETTINGS.most_keys:
        raise DataError(f"{who}: wanted at most {SETTINGS.most_keys} keys, got {m}. {advice}")
    nodes = prod(ladder.height + 1 for ladder in keys.ladders)
    codes = 4 * keys.n * sum(ladder.height + 1 for ladder in keys.ladders)
    needed = nodes * (SETTINGS.node_bytes + (32 if separable else 8) * m) + 2 * codes
    check_memory(needed, who, f"{nodes:,} combinations of the levels of {m} keys", advice)


class Lattice:
    """All nodes over the keys of records, the limit, and what a class must satisfy."""

    def __init__(self, keys: Keys, models: Models, limit: float, *, keep_outliers: bool = False) -> None:
        from tacita.kernels.records.classes import classes_of, summed

        self.keys, self.models, self.keep_outliers = keys, models, keep_outliers
        self.n, self.people = keys.n, keys.people
        self.most = floor(limit * keys.n + 1e-9)
        self.heights = np.array([ladder.height for ladder in keys.ladders], dtype=np.int64)
        self.shape: Node = tuple((self.heights + 1).tolist())
        self.starts = np.concatenate([[0], np.cumsum(self.heights + 1)])
        self.codes = [_dense(ladder.levels) for ladder in keys.ladders]
        beside = [keys.strata, *(keys.confidential or {}).values()]
        beside += [] if keys.units is None else [keys.units]
        every = np.ascontiguousarray(np.vstack([keys.leaves, *beside]), dtype=np.int32)
        sizes = every.max(axis=1).astype(np.int64) + 1
        counted = classes_of(every, np.arange(len(every)), sizes)
        distinct = every[:, counted.first]
        m = len(keys.ladders)
        rows = np.empty((int(self.starts[-1]) + len(beside), distinct.shape[1]), dtype=np.int32)
        for j, (code, _) in enumerate(self.codes):
            for level, at in enumerate(range(self.starts[j], self.starts[j + 1])):
                np.take(code[level], distinct[j], out=rows[at])
        rows[self.starts[-1] :] = distinct[m:]
        self.every = Tuples(
            rows,
            np.concatenate([*(size for _, size in self.codes), sizes[m:]]).astype(np.int64),
            summed(counted.of, np.ones(keys.n, dtype=np.int64), counted.first.size),
            (0,) * m,
            _masses(counted.of, list((keys.weighing or {}).values()), counted.first.size),
        )
        self.of_record = counted.of
        self.sources = [self.every]
        # what quality models found of single keys, by their settings
        self.parts: dict[tuple[str, float, int], Floats] = {}
        self.populations = {
            path: Shown(population, self.codes, int(keys.strata.max(initial=0)) + 1)
            for path, population in (keys.populations or {}).items()
        }

    @property
    def nodes(self) -> int:
        """How many there are."""
        return prod(self.shape)

    @cached_property
    def level_counts(self) -> list[list[Ints]]:
        """Records with each code, of each key at each level."""
        rows, weights = self.every.rows, self.every.weights
        return [
            [
                np.bincount(rows[start + level], weights, int(self.every.sizes[start + level])).astype(
                    np.int64
                )
                for level in range(height + 1)
            ]
            for start, height in zip(self.starts.tolist(), self.heights.tolist(), strict=False)
        ]

    @cached_property
    def level_shares(self) -> list[list[Floats]]:
        """The share of all leaves that each code covers, of each key at each level."""
        shares = []
        for ladder, (codes, sizes) in zip(self.keys.ladders, self.codes, strict=True):
            own = []
            for level, (code, size) in enumerate(zip(codes, sizes, strict=True)):
                of_code = np.zeros(int(size))
                of_code[code] = ladder.shares[ladder.levels[level]]
                own.append(of_code)
            shares.append(own)
        return shares

    @cached_property
    def flat_shares(self) -> tuple[Floats, Ints]:
        """The same in one array, and where each row's begin."""
        parts = [part for own in self.level_shares for part in own]
        return np.concatenate(parts), np.concatenate([[0], np.cumsum([part.size for part in parts])])

    def picks(self, node: Node) -> Ints:
        """The rows of keys that count at a node."""
        return self.starts[:-1] + np.array(node, dtype=np.int64)

    def _source(self, node: Node) -> Tuples:
        fit = (
            source for source in self.sources if all(a <= b for a, b in zip(source.levels, node, strict=True))
        )
        return min(fit, key=lambda source: source.weights.size)

    def check(self, node: Node, at_hand: Tuples | None = None) -> Checked:
        """Group tuples, those given or the fewest at hand, and find classes that fail. O(tuples keys)."""
        from tacita.kernels.records.class_models import failing_classes
        from tacita.kernels.records.classes import classes_of, members_of, summed

        tuples = at_hand or self._source(node)
        if (
            at_hand is None
            and tuples.weights.size > SETTINGS.source_tuples
            and len(self.sources) < SETTINGS.sources
        ):
            between = (np.array(tuples.levels) + np.array(node) + 1) // 2
            self.keep(tuple(between.tolist()))
            tuples = self._source(node)
        # the stratum is the first row after the keys
        picks = np.append(self.picks(node), self.starts[-1])
        counted = classes_of(tuples.rows, picks, tuples.sizes)
        totals = summed(counted.of, tuples.weights, counted.first.size)
        failing = totals < self.models.k
        short = int(totals[failing].sum())
        plain = self.keys.units is None and not self.models.rows
        if not plain:
            order, starts = members_of(counted.of.astype(np.int64), counted.first.size)
            failing = failing_classes(order, starts, *self._guard(tuples))
            if not self.models.rows:
                short = int(totals[failing].sum())
        permitted = True
        if self.models.populations:
            shown = np.ascontiguousarray(tuples.rows[picks][:, counted.first])
            permitted = self._fail_in_populations(node, shown, totals, failing)
        if self.models.whole:
            sizes = totals if self.keys.units is None else self._units_of(tuples, counted)
            least = least_size(self.models.whole, sizes[~failing], self.people)
            failing |= sizes < least
        suppressed = int(totals[failing].sum())
        if self.keep_outliers and suppressed:
            permitted = permitted and self._stands(tuples, failing[counted.of])
        return Checked(
            node=node,
            tuples=tuples,
            of=counted.of,
            totals=totals,
            failing=failing,
            short=short,
            suppressed=suppressed,
            permitted=permitted,
        )

    def _fail_in_populations(self, node: Node, shown: Codes, totals: Ints, failing: Mask) -> bool:
        """Mark classes that fail by who else is like them; whether nobody is known not to be in the file."""
        nobody_absent = True
        for model in self.models.populations:
            assert model.population is not None
            persons, without = self.populations[model.population].behind(node, shown)
            failing |= model.fails(totals, persons)
            nobody_absent &= not (without and isinstance(model, DeltaPresence) and model.least > 0)
        return nobody_absent

    def _units_of(self, tuples: Tuples, counted: Counted) -> Ints:
        """How many different units each class has."""
        from tacita.kernels.records.classes import classes_of

        rows = np.ascontiguousarray(np.vstack([counted.of, tuples.rows[-1]]))
        sizes = np.array([counted.first.size, tuples.sizes[-1]], dtype=np.int64)
        pairs = classes_of(rows, np.arange(2), sizes)
        return np.bincount(counted.of[pairs.first], minlength=counted.first.size)

    def _guard(self, tuples: Tuples):  # type: ignore[no-untyped-def]
        first = int(self.starts[-1]) + 1
        columns = len(self.keys.confidential or {})
        units = tuples.rows[first + columns].astype(np.int64) if self.keys.units is not None else None
        guard = guard_of(
            self.keys,
            self.models,
            tuples.weights,
            tuples.rows[first : first + columns].astype(np.int64),
            units,
            tuples.masses,
        )
        owners = 1 if units is None else int(tuples.sizes[first + columns])
        stamps = np.zeros(max(owners, int(guard.pairs.max(initial=-1)) + 1), dtype=np.int64)
        return guard, stamps

    def _stands(self, tuples: Tuples, gone: Mask) -> bool:
        """Whether the records that fail may stand together, in each stratum by themselves."""
        from tacita.kernels.records.class_models import failing_classes

        strata = tuples.rows[int(self.starts[-1])]
        order = np.flatnonzero(gone)
        order = order[np.argsort(strata[order], kind="stable")]
        starts = np.flatnonzero(np.diff(strata[order], prepend=-1, append=-1)).astype(np.int64)
        return not failing_classes(order, starts, *self._guard(tuples)).any()

    def gone(self, node: Node) -> Mask:
        """Records in failing classes of a node."""
        checked = self.check(node, self.every)
        gone: Mask = checked.failing[checked.of][self.of_record]
        return gone

    def keep(self, node: Node) -> None:
        """Remember the tuples at a node: all nodes above it are counted from them."""
        from tacita.kernels.records.classes import classes_of, summed

        tuples = self._source(node)
        beside = np.arange(self.starts[-1], len(tuples.rows))
        counted = classes_of(tuples.rows, np.concatenate([self.picks(node), beside]), tuples.sizes)
        if counted.first.size <= 0.8 * tuples.weights.size:
            weights = summed(counted.of, tuples.weights, counted.first.size)
            rows = np.ascontiguousarray(tuples.rows[:, counted.first])
            masses = _masses(counted.of, tuples.masses, counted.first.size)
            self.sources.append(replace(tuples, rows=rows, weights=weights, levels=node, masses=masses))

    def short_of_pairs(self) -> dict[tuple[int, int], Ints]:
        """For every two keys, at each two levels: records in classes of fewer than k by these keys alone.

        No node at these levels has fewer: classes by all keys are parts of those by two. O(pairs tuples).
        """
        from tacita.kernels.records.classes import short_pairs

        rows, weights, short = self.every.rows, self.every.weights, {}
        for i in range(len(self.shape)):
            for j in range(i):
                (left, lefts), (right, rights) = self.codes[j], self.codes[i]
                shape = int(lefts[0]), int(rights[0])
                pairs = rows[self.starts[j]].astype(np.int64) * shape[1] + rows[self.starts[i]]
                table = np.bincount(pairs, weights, shape[0] * shape[1]).astype(np.int64).reshape(shape)
                if table.size > 250_000:
                    continue
                # codes of level 0 number the leaves themselves
                short[j, i] = np.array(
                    [
                        [
                            short_pairs(table, a, b, int(na), int(nb), self.models.k)
                            for b, nb in zip(right, rights, strict=True)
                        ]
                        for a, na in zip(left, lefts, strict=True)
                    ]
                )
        return short


def _masses(of: Ints, masses: Sequence[Floats] | Floats, classes: int) -> Floats:
    """The persons that classes stand for, a row for each column of weights."""
    if len(masses) == 0:
        return np.zeros((0, classes))
    return np.array([np.bincount(of, own, classes) for own in masses])


def _dense(levels: Ints) -> tuple[Codes, Ints]:
    """The places of each level as codes from 0, and how many there are. Those of level 0 number leaves."""
    codes = np.array([np.unique(level, return_inverse=True)[1] for level in levels], dtype=np.int32)
    codes[0] = np.arange(levels.shape[1])
    return codes, codes.max(axis=1).astype(np.int64) + 1
