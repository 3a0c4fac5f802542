"""The root of the search in a system: a linear bound by cuts, and patterns guided by it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from tacita.core import RunContext
from tacita.core.arrays import Floats, Ints, Mask
from tacita.kernels.tables.benders_cuts import Rows
from tacita.tables.suppression.time_limit import Watch

from .cutting_planes import CuttingPlaneLP
from .provers import mend_whole, solve_integer
from .relation_patterns import Builder, Known
from .relation_system import System
from .search_state import Standing
from .separation import Separation
from .single_relation_bounds import Lines


@dataclass(frozen=True)
class RelationSearchSettings:
    """When the root of a search ends, and how its time is shared between bound and incumbents.

    `python -m benchmarks general_tables` prints what the engine reaches with these on tables of all shapes.
    """

    # share of the gap: a round of cuts that closes less has stalled; lower, and the root takes longer
    least_gain: float = 3e-3
    # rounds in a row that stall before the root ends
    stalled_rounds: int = 4
    # rounds of cuts from one new pattern along the solution to the next
    rounds_between_patterns: int = 10
    # times the work of a pattern in a network: callers' counts of patterns are divided by it
    pattern_cost: int = 4
    # branches from one look for a better incumbent to the next
    branches_between_patterns: int = 10
    # share of the time limit that one series of patterns may take, so that the bound has its own
    pattern_share: float = 0.2
    # share of the time limit after which the first pattern is no longer cleaned
    first_share: float = 0.2
    # seconds before which it always is
    first_seconds: float = 5.0
    # nodes of an integer program over the rows so far
    sketch_nodes: int = 300
    # integer programs in a row that may fail to shrink the gap enough
    idle_sketches: int = 1
    # share of the gap that must at most be left for a sketch to have shrunk it
    sketch_progress: float = 0.8
    # share of the cost: a gap below it is closed sooner by branches than by sketches
    sketch_gap: float = 0.08


SETTINGS = RelationSearchSettings()


class Master(CuttingPlaneLP):
    """The LP of a system: a column for every cell that may be suppressed, all from the start."""

    def __init__(self, system: System, separation: Separation, columns: Ints | None = None) -> None:
        super().__init__()
        self.system, self.separation = system, separation
        self.columns = np.flatnonzero(~system.primary) if columns is None else columns
        self.fixed = np.zeros(len(self.columns), dtype=bool)
        count = len(self.columns)
        starts, nobody = np.zeros(count, dtype=np.int64), np.zeros(0, dtype=np.int64)
        ends = np.zeros(count), np.ones(count)
        self.lp.add_columns(system.cost[self.columns], *ends, starts, nobody, np.zeros(0))
        self.seen: set[bytes] = set()
        # all rows ever found, over all cells
        self.all_rows: list[Rows] = []

    def over_cells(self) -> Floats:
        """The present x over all cells; 1 for primaries."""
        x = self.system.primary.astype(float)
        x[self.columns] = np.clip(self.x, 0.0, 1.0)
        return x

    def add(self, rows: Rows) -> int:
        """Add rows over cells that are not there yet; how many."""
        place = np.full(self.system.edges, -1)
        place[self.columns] = np.arange(len(self.columns))
        column = place[rows.at]
        kept, new = np.zeros(len(rows.at), dtype=bool), []
        for row in range(len(rows.right)):
            span = slice(rows.start[row], rows.start[row + 1])
            mark = rows.at[span].tobytes() + np.round(rows.value[span], 7).tobytes()
            if mark not in self.seen:
                self.seen.add(mark)
                new.append(row)
                kept[span] = True
        if not new:
            return 0
        kept &= column >= 0
        lengths = np.add.reduceat(np.append(kept, False), np.minimum(rows.start[:-1], len(kept)))
        lengths = np.where(np.diff(rows.start) > 0, lengths, 0)[new]
        starts = np.cumsum(lengths) - lengths
        self.all_rows.append(rows)
        added = (rows.right[new], starts, column[kept], rows.value[kept])
        self.restore(*added)
        if self.pool is not None:
            self.pool.note(*added)
            self.seen.clear()
        return len(new)

    def known(self) -> Known | None:
        """All rows ever found, for those who build patterns. O(entries)."""
        if not self.all_rows:
            return None
        lengths = np.concatenate([np.diff(rows.start) for rows in self.all_rows])
        start = np.concatenate([[0], np.cumsum(lengths)])
        at, value = (
            np.concatenate([getattr(rows, part) for rows in self.all_rows]) for part in ("at", "value")
        )
        matrix = sparse.csr_array((value, at, start), (len(lengths), self.system.edges)).tocsc()
        return Known(matrix, np.concatenate([rows.right for rows in self.all_rows]))

    def drop(self, old: Mask) -> None:
        """Take out rows; they may be found again."""
        super().drop(old)
        self.seen.clear()

    def separate(self, nested: int = 1, most: int = 300) -> int:
        """Add rows that the present x violates; how many."""
        x = self.over_cells()
        added = self.add(self.separation.known(x, most))
        if added < 20:
            added += self.add(self.separation.near(x))
        if added < 20:
            added += self.add(self.separation.new(x, 40 * nested))
        if not added and (np.abs(x - np.round(x)) < 1e-6).all():
            added = self.add(self.separation.new(np.round(x), 40 * nested, whole=True))
        return added

    def separate_bridges(self, most: int = 200) -> int:
        """Add rows on which a secondary cell could not move; how many."""
        return self.add(self.separation.bridges(self.over_cells(), most))

    def separate_amounts(self) -> int:
        """Add nothing: every row is rounded when it is made."""
        return 0

    def reduced_costs(self) -> Floats:
        """Of every cell; 0 for primaries."""
        reduced = np.zeros(self.system.edges)
        reduced[self.columns] = self.reduced
        return reduced


class Search(Standing):
    """The best pattern of a system and the best bound so far, and the LP between them."""

    network: System

    def __init__(self, system: System, watch: Watch, run: RunContext, known: Mask | None = None) -> None:
        """`known` is a pattern that protects; without one, a first is built."""
        super().__init__(system, watch, run)
        self.rounds = self.branches = 0
        self.master = Master(system, Separation(system, lambda: watch.over))
        lines = Lines(system, lambda: watch.over)
        self.master.add(lines.tight())
        self.bound = lines.least
        self._known = known
        self.offer(known if known is not None else self._first())
        self.builder = self.builder_of(np.ones(system.edges, dtype=bool))

    def _first(self) -> Mask | None:
        """A first pattern, cleaned while there is time for that; None where there is none."""
        order = self.generator.permutation(self.network.demands)
        builder, watch = Builder(self.network), self.watch
        made = builder.grow(self.network.primary, self.network.cost, order)
        if made is None:
            return None
        latest = max(SETTINGS.first_share * watch.limit, SETTINGS.first_seconds)
        builder.over = lambda: watch.seconds > latest or watch.enough()
        return builder.cleaned(made).chosen

    def protected(self) -> bool:
        """Whether the best pattern protects: all demands are looked at again, unless it is the known one."""
        return self.best is self._known or self.builder.protects(self.best)

    def builder_of(self, within: Mask) -> Builder:
        """What builds patterns out of some cells."""
        builder = Builder(self.network, within, lambda: self.watch.over)
        builder.known = self.master.known()
        return builder

    def finder(self, cells: Ints) -> Master:
        """An LP of some cells, to find cuts for any x of theirs."""
        return Master(self.network, self.master.separation, cells)

    def relax(self, most: int = 100_000) -> None:
        """Cuts until none is violated or they no longer help."""
        master, stalled, before = self.master, 0, -np.inf
        for _ in range(most):
            if self.watch.over or not master.solve():
                return
            self.rounds += 1
            self.bound = max(self.bound, min(master.value, self.cost))
            if self.rounds % 5 == 0:
                self.tell("proving")
            gain, before = master.value - before, master.value
            room = self.cost - master.value
            added = master.separate()
            if added < 20:
                added += master.separate_bridges()
            stalled = 0 if gain > SETTINGS.least_gain * room else stalled + 1
            if not added or stalled >= SETTINGS.stalled_rounds or self.closed:
                return
            if self.rounds % 3 == 0:
                master.purge(4)
            if self.rounds % SETTINGS.rounds_between_patterns == 0:
                self.follow(self.fractional(), 1, 0)

    def fractional(self) -> Floats:
        """The solution of the LP over all cells, 0 for primaries."""
        x = np.zeros(self.network.edges)
        x[self.master.columns] = np.clip(self.master.x, 0.0, 1.0)
        return x

    def mend(self) -> None:
        """Now and then, for it takes as long as a branch: a pattern along the present x."""
        self.branches += 1
        if self.branches % SETTINGS.branches_between_patterns == 1:
            self.follow(self.fractional(), 1, 3 * SETTINGS.pattern_cost)

    def follow(self, x: Floats, tries: int, changes: int) -> None:
        """Patterns along the fractional one, then changes to the best; not as many as in a network."""
        latest = self.watch.seconds + SETTINGS.pattern_share * self.watch.limit
        self.builder.over = lambda: self.watch.seconds > latest or self.watch.over
        try:
            self._follow(
                x, int(np.ceil(tries / SETTINGS.pattern_cost)), int(np.ceil(changes / SETTINGS.pattern_cost))
            )
        finally:
            self.builder.over = lambda: self.watch.over

    def _follow(self, x: Floats, tries: int, changes: int) -> None:
        system, over = self.network, self.builder.over
        self.builder.known = self.master.known()
        near = system.cost * (1.0 - 0.9 * x)
        for i in range(tries):
            if over() or self.closed:
                return
            only = np.where(x > 0.01, 1.0, 3.0) * self.generator.uniform(0.8, 1.2, system.edges)
            self.offer(self.builder.build(self.generator, near if i % 2 else near * only))
        since = 0
        while since < changes and not over() and not self.closed:
            since += 1
            if self.offer(self.builder.improve(self.generator, self.best, near)):
                since = 0

    def sketch(self) -> None:
        """Patterns by integer programs over the rows so far, cut short: whole solutions guide better."""
        idle = 0
        while (
            idle < SETTINGS.idle_sketches
            and not self.done()
            and self.cost - self.bound > SETTINGS.sketch_gap * self.cost
        ):
            room = self.cost - self.bound
            self.keep_within_gap()
            bound, patterns = solve_integer(self, mip_max_nodes=SETTINGS.sketch_nodes)
            self.bound = max(self.bound, min(bound, self.cost))
            if not mend_whole(self, patterns[-2:]):
                return
            self.relax(3)
            idle = 0 if self.cost - self.bound < SETTINGS.sketch_progress * room else idle + 1

    def keep_within_gap(self) -> None:
        """Only cells whose reduced cost is within the gap can be in a cheaper pattern: fix the others."""
        master, system = self.master, self.network
        step = max(system.whole_costs, 1e-6)
        room = self.cost - step - master.value + 1e-5 * max(1.0, self.cost)
        if len(master.reduced):
            master.fix(master.fixed | (master.reduced > room))
            within = system.primary.copy()
            within[master.columns[~master.fixed]] = True
            self.builder = self.builder_of(within | self.best)
