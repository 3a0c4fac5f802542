"""Where a search stands: the best pattern and the best bound, and whether they meet."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from tacita.core import Bounds, Run
from tacita.core.arrays import Floats, Mask
from tacita.tables.suppression.time_limit import Watch

# The search in a network, or in a system of relations: both have a programme, patterns, and a watch.
Search = Any


class Priced(Protocol):
    """What is searched, as far as costs go: the network of a two-way table, or a system of relations."""

    @property
    def cost(self) -> Floats:
        """Of every cell that may be withheld; 0 for primaries."""

    @property
    def primary(self) -> Mask:
        """Cells that are withheld anyway."""

    def rounded_up(self, bound: float) -> float:
        """The least cost a pattern can have that is not below `bound`."""


class Standing:
    """The best pattern, the best bound, and how long it may go on."""

    def __init__(self, network: Priced, watch: Watch, run: Run) -> None:
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
