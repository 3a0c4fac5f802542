"""The least cost by a MIP: which set of columns each kind of record leaves empty.

x[o] counts the records that take option o, a kind of record with a set of columns. Read as categories, a
combination q that is shown is open (y[q] = 1) or not: options that show it need it open, and k records or
units must show it then. Read as wildcards, options that too few originals fit are left out, and the options
compatible with an original must be taken by k records or units. z[u] tells whether a unit is among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from tacita.core import Floats, Ints, RunContext

from .candidate_patterns import Families, Options, agreeing
from .key_patterns import Keys

_STAGE = "proving the least cost"


@dataclass(frozen=True)
class ExactSettings:
    """How large a MIP of exact local suppression may be, and how parts are solved again.

    `python -m benchmarks withhold` prints cost and seconds.
    """

    # entries of the constraint matrix up to which a MIP is solved
    entries: int = 3_000_000
    # tolerance of costs and bounds
    tolerance: float = 1e-6
    # parts that are solved again, at most
    parts: int = 40
    # kinds of records in a part, about
    part_kinds: int = 40
    # options of a part, at most
    part_options: int = 3000
    # nodes of the MIP of a part, at most
    part_nodes: int = 20
    # parts in a row that save nothing before the others are left alone
    idle_parts: int = 6
    # records up to which parts are a share of them that is worth the time
    records: int = 5000


SETTINGS = ExactSettings()


@dataclass(frozen=True)
class Terms:
    """Parameters: k, the reading of gaps, the number of keys at a time, the effort of a proof."""

    k: int
    wildcard: bool
    m: int | None
    options: int
    nodes: int

    def families(self, d: int) -> list[list[int]]:
        """The combinations of columns that k records must share."""
        return [list(columns) for columns in combinations(range(d), self.m or d)]


class Proof(NamedTuple):
    """Sets of columns, never worse than those at the start, and what no choice costs less than."""

    stars: Ints
    bound: float


@dataclass
class _MixedIntegerProgram:
    """Columns are options, then indicators of some of them; rows are collected entry by entry."""

    upper: list[Floats]
    columns: int
    indicators: list[tuple[Ints, Ints]] = field(default_factory=list)
    entries: list[tuple[Ints, Ints, Floats]] = field(default_factory=list)
    lower: list[Floats] = field(default_factory=list)
    above: list[Floats] = field(default_factory=list)
    rows: int = 0

    def add(self, lower: Floats, entries: Sequence[tuple[Ints, Ints, Any]], above: Any = np.inf) -> None:
        """Rows, numbered from 0 in their entries (row, column, value)."""
        for row, column, value in entries:
            self.entries.append((row + self.rows, column, np.broadcast_to(np.float64(value), row.shape)))
        self.lower.append(lower)
        self.above.append(np.broadcast_to(np.float64(above), lower.shape))
        self.rows += lower.size

    def indicate(self, groups: Ints, options: Ints) -> Ints:
        """A column for each group, 1 where an option of it is taken; the column of each entry."""
        columns = self.columns + groups
        count = int(groups.max(initial=-1)) + 1
        self.indicators.append((columns, options))
        self.upper.append(np.ones(count))
        self.columns += count
        return columns

    def whole(self, taken: Floats) -> Floats:
        """All columns, given how often options are taken."""
        x = np.zeros(self.columns)
        x[: taken.size] = taken
        for columns, options in self.indicators:
            np.maximum.at(x, columns, (x[options] > 0.5).astype(np.float64))
        return x

    @property
    def matrix(self) -> Any:
        row, column, value = (np.concatenate(part) for part in zip(*self.entries, strict=True))
        return sparse.csc_matrix((value, (row, column)), shape=(self.rows, self.columns))


def improved(keys: Keys, stars: Ints, families: Families, terms: Terms, run: RunContext) -> Proof | None:
    """The least cost or a bound of it, from a known choice; None where the MIP would be too large."""
    listed = Options.of(keys)
    if listed is None:
        return None
    options = listed.fitting(families, terms.k) if terms.wildcard else listed.able(families, terms.k)
    if options is None or options.kind.size > terms.options:
        return None
    most = options.counts[options.kind].astype(np.float64)
    mip = _MixedIntegerProgram(upper=[most], columns=options.kind.size)
    amounts = options.counts.astype(np.float64)
    mip.add(amounts, [(options.kind, np.arange(options.kind.size), 1.0)], amounts)
    for columns in families:
        if terms.wildcard:
            _compatible(mip, options, columns, terms.k)
        else:
            _alike(mip, options, columns, terms.k)
    if sum(entry[0].size for entry in mip.entries) > SETTINGS.entries:
        return None
    start = _started(options, keys, stars)
    taken, bound = _solved(mip, options, start, keys, stars, terms.nodes, run)
    if taken is None or float(options.costs @ taken) > keys.price(stars) - SETTINGS.tolerance:
        return Proof(stars, bound)
    return Proof(_assigned(options, np.rint(taken).astype(np.int64)), bound)


def _alike(mip: _MixedIntegerProgram, options: Options, columns: Sequence[int], k: int) -> None:
    """Combinations of some columns are shown by k or by nobody."""
    cells, every = options.cells(columns), np.arange(options.kind.size)
    opened = mip.indicate(cells, every)
    mip.add(np.zeros(every.size), [(every, opened, options.counts[options.kind]), (every, every, -1.0)])
    shown = np.unique(np.column_stack([cells, opened]), axis=0)
    least = (shown[:, 0], shown[:, 1], -float(k))
    nothing = np.zeros(len(shown))
    if options.lone:
        mip.add(nothing, [(cells, every, 1.0), least])
    else:
        mip.add(nothing, [_units(mip, options, cells, every), least])


def _compatible(mip: _MixedIntegerProgram, options: Options, columns: Sequence[int], k: int) -> None:
    """Every original combination of some columns is compatible with k that are taken."""
    originals = np.unique(options.codes[:, list(columns)], axis=0)
    shown = options.shown[:, list(columns)]
    cells, taken = np.nonzero(agreeing(originals, shown))
    needed = np.full(len(originals), float(k))
    if options.lone:
        mip.add(needed, [(cells, taken, 1.0)])
    else:
        mip.add(needed, [_units(mip, options, cells, taken)])


def _units(mip: _MixedIntegerProgram, options: Options, cells: Ints, taken: Ints) -> tuple[Ints, Ints, float]:
    """Entries that count in each cell the units of which an option is taken."""
    both = np.column_stack([cells, options.units[options.kind[taken]]])
    pairs, own = np.unique(both, axis=0, return_inverse=True)
    own = own.reshape(-1)
    marks = mip.indicate(own, taken)
    columns = np.unique(marks)
    places = np.arange(len(pairs))
    mip.add(np.zeros(len(pairs)), [(own, taken, 1.0), (places, columns, -1.0)])
    return pairs[:, 0], columns, 1.0


def _started(options: Options, keys: Keys, stars: Ints) -> Floats | None:
    """How often each option is taken in a known choice; None where one of its options was left out."""
    number = {
        pair: at for at, pair in enumerate(zip(options.kind.tolist(), options.stars.tolist(), strict=True))
    }
    taken = np.zeros(options.kind.size)
    for pair in zip(options.of_record.tolist(), (stars & ~keys.missing).tolist(), strict=True):
        if pair not in number:
            return None
        taken[number[pair]] += 1
    return taken


def _assigned(options: Options, taken: Ints) -> Ints:
    """The set of columns of each record: of one kind, the first records take the first option."""
    order = np.argsort(options.of_record, kind="stable")
    stars = np.empty(order.size, dtype=np.int64)
    by_kind = np.argsort(options.kind, kind="stable")
    stars[order] = np.repeat(options.stars[by_kind], taken[by_kind])
    return stars


def _solved(
    mip: _MixedIntegerProgram,
    options: Options,
    start: Floats | None,
    keys: Keys,
    stars: Ints,
    nodes: int,
    run: RunContext,
) -> tuple[Floats | None, float]:
    """How often options are taken, and a bound; fixes costly columns, and solves independent parts apart."""
    from tacita.solvers.highs import LinearProgram

    run.report(_STAGE, 0, 1)
    costs = np.zeros(mip.columns)
    costs[: options.kind.size] = options.costs
    matrix, upper = mip.matrix, np.concatenate(mip.upper)
    lower, above = np.concatenate(mip.lower), np.concatenate(mip.above)
    relaxed = LinearProgram.of(costs, np.zeros(upper.size), upper, matrix, lower, above)
    if relaxed.solve() != "optimal":
        return None, 0.0
    known, step = keys.price(stars), _step(keys.weights)
    bound = _rounded_up(relaxed.value, step)
    kept = relaxed.answer().reduced <= known - relaxed.value + SETTINGS.tolerance
    taken = np.zeros(upper.size)
    if bound >= known - SETTINGS.tolerance:
        return None, bound
    first = None if start is None else mip.whole(start)
    total = 0.0
    parts = _parts(matrix, kept)
    for done, (columns, rows) in enumerate(parts):
        run.report(_STAGE, done, len(parts))
        part = matrix[:, columns][rows]
        ends = np.zeros(columns.size), upper[columns]
        own = LinearProgram.of(costs[columns], *ends, part.tocsc(), lower[rows], above[rows])
        begun = None if first is None else first[columns]
        answer = own.choose(begun, run.ended, mip_max_nodes=nodes)
        if answer.x is None:
            return None, bound
        taken[columns] = answer.x
        total += _rounded_up(max(0.0, answer.bound), step)
    run.report(_STAGE, 1, 1)
    return taken[: options.kind.size], max(bound, total)


def _parts(matrix: Any, kept: Any) -> list[tuple[Ints, Ints]]:
    """Columns that are left and rows, apart where no row holds columns of two."""
    columns = np.flatnonzero(kept)
    left = matrix[:, columns]
    rows = left.shape[0]
    links = sparse.bmat([[None, left], [left.T, None]])
    count, labels = connected_components(links, directed=False)
    parts = [
        (columns[labels[rows:] == label], np.flatnonzero(labels[:rows] == label)) for label in range(count)
    ]
    return [(own, held) for own, held in parts if own.size]


def _step(weights: Floats) -> float:
    """What costs differ by at least, where importance is in whole numbers; else nothing is known."""
    whole = np.array_equal(weights, np.rint(weights)) and weights.max() < 2**31
    return float(np.gcd.reduce(weights.astype(np.int64))) if whole else 0.0


def _rounded_up(bound: float, step: float) -> float:
    return float(np.ceil(bound / step - SETTINGS.tolerance) * step) if step else bound


_SOLVED_AGAIN = "solving parts again"


def polished(keys: Keys, stars: Ints, k: int, run: RunContext) -> Ints:
    """Sets of empty columns that cost no more: solves again for records of a pattern and of patterns nearby.

    Every part holds all records of its patterns, so that its choice leaves the others as they were. The cost
    of some small MIPs.
    """
    if keys.n > SETTINGS.records:
        return stars
    stars, idle = stars.copy(), 0
    for done, rows in zip(range(SETTINGS.parts), _groups_of_patterns(keys, stars), strict=False):
        run.report(_SOLVED_AGAIN, done, SETTINGS.parts)
        if run.should_stop() or idle == SETTINGS.idle_parts:
            break
        own = Keys(keys.codes[rows], keys.units[rows], keys.weights)
        proof = improved(
            own,
            stars[rows],
            [list(range(keys.d))],
            Terms(k, wildcard=False, m=None, options=SETTINGS.part_options, nodes=SETTINGS.part_nodes),
            run,
        )
        idle += 1
        if proof is not None and own.price(proof.stars) < own.price(stars[rows]):
            stars[rows], idle = proof.stars, 0
    run.report(_SOLVED_AGAIN, 1, 1)
    return stars


def _groups_of_patterns(keys: Keys, stars: Ints) -> Iterator[Ints]:
    """Records of patterns that stand together when sorted, by one column after another as the last."""
    for turn in range(keys.d):
        order = np.lexsort([keys.codes[:, (j + turn) % keys.d] for j in range(keys.d)])
        taken = np.zeros(keys.n, dtype=bool)
        for at, first in enumerate(order.tolist()):
            if taken[first] or not stars[first]:
                continue
            # kinds nearby, and all who show what they show
            near = order[max(0, at - SETTINGS.part_kinds // 2) : at + SETTINGS.part_kinds]
            shown = keys.shown(stars)
            rows = np.flatnonzero(np.isin(shown, np.unique(shown[near])))
            taken[rows] = True
            yield rows
