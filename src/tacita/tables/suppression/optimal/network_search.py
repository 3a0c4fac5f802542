"""The root of the search: a linear bound by cuts and prices, and patterns guided by it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.core import RunContext
from tacita.core.arrays import Floats, Ints, Mask
from tacita.tables.suppression.time_limit import Watch

from .flow_network import Network
from .network_master import Master
from .network_patterns import Builder
from .search_state import Standing


@dataclass(frozen=True)
class NetworkSearchSettings:
    """When cells are priced into the LP, and how often incumbents are changed.

    `python -m benchmarks suppression` prints what the engine reaches with these on two-way tables.
    """

    # rounds of cuts from one pricing of the cells outside to the next
    rounds_between_pricing: int = 5
    # cells that may enter at once
    entering: int = 300
    # cells that may enter at once where more than that are nearly as good as the best one, as where all cells
    # cost the same
    entering_alike: int = 3000
    # share of the best gain from which on a cell is nearly as good
    alike_share: float = 0.5
    # changes to the incumbent in every branch
    changes: int = 3


SETTINGS = NetworkSearchSettings()


def cheapest_cells(network: Network, per_line: int, among: Mask | None = None) -> Ints:
    """The few cheapest cells of each row and column, which most patterns consist of. O(edges log edges)."""
    left_out = network.primary if among is None else ~among
    rank = np.full(network.edges, network.edges)
    for line in (network.row, network.column):
        order = np.lexsort((network.cost, left_out, line))
        first = np.searchsorted(line[order], line[order])
        rank[order] = np.minimum(rank[order], np.arange(network.edges) - first)
    return np.flatnonzero((rank < per_line) & ~left_out)


class Search(Standing):
    """The best pattern and the best bound so far, and the LP between them."""

    network: Network

    def __init__(self, network: Network, watch: Watch, run: RunContext, per_line: int = 8) -> None:
        super().__init__(network, watch, run)
        few = np.zeros(network.edges, dtype=bool)
        few[cheapest_cells(network, per_line)] = True
        self.builder = Builder(network, few)
        self.rounds = 0
        # set once the cells outside can no longer be part of a cheaper pattern
        self.sealed = False
        if not self.offer(self.builder.build(self.generator, network.cost)):
            whole = Builder(network)
            everything = np.ones(network.edges, dtype=bool)
            self.offer(whole.build(self.generator, network.cost))
            if self.cost == np.inf:
                self.offer(whole.clean(everything))
        few |= self.best & ~network.primary
        self.builder = Builder(network, few)
        self.master = Master(network, np.flatnonzero(few & ~network.primary))

    def builder_of(self, within: Mask) -> Builder:
        """What builds patterns out of some cells."""
        return Builder(self.network, within)

    def finder(self, cells: Ints) -> Master:
        """An LP of some cells, to find cuts for any x of theirs."""
        return Master(self.network, cells)

    def relax(self, most: int = 100_000) -> None:
        """Cuts until none is violated or they no longer help; prices until no cell outside would enter."""
        self._relax(most)
        # a bound holds at whatever point the rounds ended
        self.price()

    def _relax(self, most: int) -> None:
        master = self.master
        stalled, before = 0, -np.inf
        capacities = self.network.amounts
        # branches are cut as well, where cells carry amounts
        patience = 8 if capacities else 25
        for _ in range(most):
            if self.watch.over or not master.solve():
                return
            self.rounds += 1
            if self.rounds % 10 == 0:
                self.tell("proving")
            gain = master.value - before
            before = master.value
            room = self.cost - master.value
            added = master.separate(nested=1)
            if added < 20:
                added += master.separate_bridges()
            if capacities and (added < 20 or gain < 1e-2 * room) and not self.watch.over:
                added += master.separate_amounts()
            stalled = 0 if gain > 1e-3 * room else stalled + 1
            if added and stalled < patience and room > 1e-7:
                # once whole patterns are cut off, a row that rests may be what keeps one of them from return
                if self.rounds % 3 == 0 and not self.sealed:
                    master.purge(4)
                # cuts among too few cells are work for nothing
                if self.rounds % SETTINGS.rounds_between_pricing == 0:
                    self.price()
                    self.follow(self.fractional(), 1, 0)
                continue
            if not self.price():
                return
            stalled = 0

    def price(self) -> bool:
        """Add the cells that would lower the value of the LP, and bound all others. True if any."""
        master = self.master
        reduced = master.reduced_costs()
        self.bound = max(self.bound, min(self.proven(reduced), self.cost))
        if self.sealed:
            return False
        entering = np.flatnonzero(~master.active & ~self.network.primary & (reduced < -1e-7))
        if not len(entering):
            return False
        gains = -reduced[entering]
        alike = int((gains >= SETTINGS.alike_share * gains.max()).sum())
        most = max(SETTINGS.entering, min(alike, SETTINGS.entering_alike))
        master.add_columns(entering[np.argsort(-gains, kind="stable")[:most]])
        return True

    def proven(self, reduced: Floats) -> float:
        """The bound that the last solution of the LP proves, by reduced costs of all edges.

        Its value, less what the cells could save that it did not have: those outside, and those added since,
        where time or the solver ended the rounds before the next solution.
        """
        master = self.master
        unknown = master.active.copy() if self.sealed else ~self.network.primary
        unknown[master.columns[: len(master.reduced)]] = False
        return master.value + float(np.minimum(reduced[unknown], 0.0).sum())

    def fractional(self) -> Floats:
        """The solution of the LP over all edges."""
        x, known = np.zeros(self.network.edges), self.master.x[: len(self.master.columns)]
        x[self.master.columns[: len(known)]] = known
        return np.clip(x, 0.0, 1.0)

    def follow(self, x: Floats, tries: int, changes: int) -> None:
        """Patterns along the fractional one, then changes to the best."""
        self.builder = Builder(self.network, self.master.active)
        for i in range(tries):
            if self.done():
                return
            self.offer(self.along(x, i % 2 == 0))
        since, near = 0, self._near(x)
        while since < changes and not self.done():
            since += 1
            if self.offer(self.builder.improve(self.generator, self.best, near)):
                since = 0

    def _near(self, x: Floats) -> Floats:
        """Costs that lead along the fractional pattern."""
        near: Floats = self.network.cost * (1.0 - 0.9 * x)
        return near

    def along(self, x: Floats, chance: bool) -> Mask | None:
        """A pattern along the fractional one; with `chance`, disturbed at random, mostly within its cells."""
        near = self._near(x)
        only = np.where(x > 0.01, 1.0, 3.0) * self.generator.uniform(0.8, 1.2, self.network.edges)
        return self.builder.build(self.generator, near * only if chance else near)

    def mend(self) -> None:
        """A pattern along the present x, and changes to the best along it."""
        near = self._near(self.fractional())
        better = self.offer(self.builder.build(self.generator, near))
        for _ in range(SETTINGS.changes):
            better |= self.offer(self.builder.improve(self.generator, self.best, near))
        if better:
            self.follow(self.fractional(), 0, 40)

    def keep_within_gap(self) -> None:
        """Only cells whose reduced cost is within the gap can be in a cheaper pattern: fix the others."""
        master, network = self.master, self.network
        step = max(network.whole_costs, 1e-6)
        known, reduced = master.reduced, master.reduced_costs()
        room = self.cost - step - self.proven(reduced) + 1e-5 * max(1.0, self.cost)
        if not self.sealed:
            master.add_columns(np.flatnonzero(~network.primary & ~master.active & (reduced <= room)))
            self.sealed = True
            # a pattern of these cells, as branches find them, is lost to a builder that does not know all
            self.builder = Builder(network, master.active)
        fixed = master.fixed.copy()
        fixed[: len(known)] |= known > room
        master.fix(fixed)
