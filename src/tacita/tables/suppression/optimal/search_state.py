"""Where a search stands: the best pattern and the best bound, and whether they meet."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from tacita.core import Bounds, RunContext
from tacita.core.arrays import Floats, Ints, Mask
from tacita.tables.suppression.time_limit import Watch


class Priced(Protocol):
    """What is searched, as far as costs go: the network of a two-way table, or a system of relations."""

    @property
    def cost(self) -> Floats:
        """Of every cell that may be suppressed; 0 for primaries."""

    @property
    def primary(self) -> Mask:
        """Cells that are suppressed anyway."""

    def rounded_up(self, bound: float) -> float:
        """The least cost a pattern can have that is not below `bound`."""


class PatternBuilder(Protocol):
    """Makes patterns of what a search finds."""

    def build(self, generator: np.random.Generator, cost: Floats, chosen: Mask | None = None) -> Mask | None:
        """A pattern that protects, cheap by these costs, with the chosen cells in it where they help."""


class Search(Protocol):
    """A search in a network, or in a system of relations, as those see it that prove its bound."""

    watch: Watch
    run: RunContext
    generator: np.random.Generator
    best: Mask
    cost: float
    bound: float
    nodes: int

    @property
    def network(self) -> Any:
        """What is searched."""

    @property
    def master(self) -> Any:
        """The linear program with the cuts found so far."""

    @property
    def builder(self) -> PatternBuilder:
        """What makes patterns of the cells that are looked at."""

    @property
    def closed(self) -> bool:
        """Whether nothing cheaper can exist."""

    def builder_of(self, within: Mask) -> Any:
        """What makes patterns of some cells."""

    def finder(self, cells: Ints) -> Any:
        """A linear program of some cells, to find cuts for any x of theirs."""

    def offer(self, pattern: Mask | None) -> bool:
        """Keep a pattern if it is the cheapest so far."""

    def done(self) -> bool:
        """Whether to stop: proven, or out of time."""

    def tell(self, stage: str) -> None:
        """Report how far the bound has come."""

    def relax(self, most: int = 100_000) -> None:
        """Add cuts until none is violated or they no longer help."""

    def fractional(self) -> Floats:
        """The fractional pattern over all cells."""

    def follow(self, x: Floats, tries: int, changes: int) -> None:
        """Look for patterns near a fractional one."""

    def mend(self) -> None:
        """Look for a better pattern near the best one."""

    def keep_within_gap(self) -> None:
        """Leave out cells that no cheaper pattern has."""


class Standing:
    """The best pattern, the best bound, and how long it may go on."""

    def __init__(self, network: Priced, watch: Watch, run: RunContext) -> None:
        self.network, self.watch, self.run = network, watch, run
        self.generator = run.search_generator()
        self.best: Mask = network.primary
        self.cost = np.inf
        self.bound = 0.0
        self.nodes = 0

    def offer(self, pattern: Mask | None) -> bool:
        """Keep a pattern if it is the cheapest so far."""
        if pattern is None:
            return False
        cost = float(self.network.cost[pattern].sum())
        if cost < self.cost - 1e-9:
            self.best, self.cost = pattern, cost
            return True
        return False

    @property
    def closed(self) -> bool:
        """Whether nothing cheaper can exist."""
        return self.network.rounded_up(self.bound) >= self.cost - 1e-7 * max(1.0, self.cost)

    def done(self) -> bool:
        """Whether to stop: proven, or out of time."""
        return self.closed or self.watch.over

    def tell(self, stage: str) -> None:
        """Report how far the bound has come."""
        self.run.report(stage, min(0.99, self.bound / self.cost if self.cost > 0 else 0.99), 1)
        self.run.on_bounds(Bounds(min(self.bound, self.cost), self.cost))
