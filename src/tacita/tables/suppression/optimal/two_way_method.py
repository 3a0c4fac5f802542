"""What all methods for two-way tables share: the network before the search, and the pattern after it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar

import numpy as np

from tacita.core import Bounds, Pattern, Problem, RunContext, Table, VerificationError
from tacita.core.arrays import Mask
from tacita.kernels.interpreted import interpreting, is_ready
from tacita.tables.suppression.suppression_method import Shape, Suppression
from tacita.tables.suppression.time_limit import Watch

from .flow_network import Network, network_of, require_feasible
from .network_patterns import Builder
from .two_way_grid import Grid, grid_of


@dataclass(frozen=True)
class TwoWaySettings:
    """When a search begins without compiled kernels: `python -m benchmarks cold` prints what that saves."""

    # edges times demands up to which it does
    interpreted_work: int = 2000
    # seconds after which it is begun anew with compiled kernels
    interpreted_seconds: float = 10.0


SETTINGS = TwoWaySettings()


class TwoWay(Suppression):
    """Chooses cells of a two-way table by flows between its rows and columns. Subclasses fill in `search`."""

    shapes: ClassVar[tuple[Shape, ...]] = ("two-way",)
    anytime: ClassVar[bool] = True

    def choose(self, table: Table, problem: Problem, run: RunContext) -> Pattern:
        from tacita.kernels.tables.flows import protect_by_paths

        run.report("reading the table", 0, 1)
        grid = grid_of(table, problem)
        network = network_of(grid)
        ready, seconds = is_ready(protect_by_paths), getattr(self, "seconds", np.inf)
        if not ready and self._ends_before_compiling(network):
            watch = Watch(min(SETTINGS.interpreted_seconds, seconds), run.should_stop)
            with interpreting():
                pattern = self._chosen(table, grid, network, watch, run)
            # a search that the short limit ended is done again, at full speed
            if watch.stopped or not watch.over:
                return pattern
        run.report("preparing the search" if ready else "compiling", 0, 1)
        compile_kernels()
        return self._chosen(table, grid, network, Watch(seconds, run.should_stop), run)

    def _ends_before_compiling(self, network: Network) -> bool:
        """Whether a search is likely to end before the compiler would: the table is small."""
        # the callbacks of another solver are no place for plain loops
        ours = getattr(self, "solver", "highs") == "highs"
        small = network.edges * max(1, len(network.source)) <= SETTINGS.interpreted_work
        return ours and small

    def _chosen(self, table: Table, grid: Grid, network: Network, watch: Watch, run: RunContext) -> Pattern:
        require_feasible(network)
        chosen, bound = network.primary, 0.0
        if len(network.source):
            chosen, bound = self.search(network, watch, _unlifted(run, grid.lift))
        run.report("suppressing cells", 1, 1)
        pattern = self._pattern(table, grid, network, chosen | network.primary, bound, watch)
        run.on_bounds(Bounds(pattern.lower_bound, pattern.cost))
        return pattern

    def _pattern(
        self, table: Table, grid: Grid, network: Network, chosen: Mask, bound: float, watch: Watch
    ) -> Pattern:
        builder = Builder(network, chosen)
        if not builder.protects(chosen):
            raise VerificationError(
                f"{self.display_name()}: the pattern does not protect. Nothing is returned."
            )
        least = min(builder.cost(chosen), max(network.rounded_up(bound), trivial_bound(network)))
        suppressed = np.zeros(table.n, dtype=bool)
        suppressed[grid.cells[network.mask(chosen)]] = True
        return self.made(table, grid.problem, suppressed, least / grid.lift, watch)

    @abstractmethod
    def search(self, network: Network, watch: Watch, run: RunContext) -> tuple[Mask, float]:
        """A protecting set of edges of a network that has one, and a proven bound of the cost (0: none)."""


def _unlifted(run: RunContext, lift: float) -> RunContext:
    """A run that hears bounds on the scale of the table, not of the network."""
    return replace(run, on_bounds=lambda on: run.on_bounds(Bounds(on.lower / lift, on.upper / lift)))


@cache
def compile_kernels() -> None:
    """Once per process: load or compile the kernels that searches share, so that no time limit counts it."""
    from .network_presolve import reduced
    from .network_search import Search

    values = np.array([[3.0, 1.0, 2.0], [1.0, 4.0, 2.0], [2.0, 1.0, 5.0]])
    table = Table.from_array(values, primary=np.eye(3) * values > 3, lower=15, upper=15)
    problems: tuple[Problem, ...] = ("exact", "interval")
    for problem in problems:
        network = network_of(grid_of(table, problem))
        require_feasible(network)
        reduced(network)
        search = Search(network, Watch(np.inf), RunContext())
        search.relax()
        search.master.separate_bridges()
        search.price()
        search.master.separate_rounded()
        search.master.share_rows()
        search.master.recall()
        search.master.solve()
        search.master.separate_half_sums(search.generator)


def trivial_bound(network: Network) -> float:
    """A line with a primary needs a second suppressed cell: half the cheapest of lines that lack one.

    A cell serves at most one row and one column, so that its cost counts half for each. O(edges).
    """
    primaries = np.zeros(network.nodes)
    cheapest = np.full(network.nodes, np.inf)
    for end in (network.row, network.column):
        primaries += np.bincount(end[network.primary], minlength=network.nodes)
        np.minimum.at(cheapest, end[~network.primary], network.cost[~network.primary])
    moving = np.zeros(network.nodes, dtype=bool)
    for end in (network.row, network.column):
        moving[end[network.own]] = True
    lacking = moving & (primaries == 1)
    return float(cheapest[lacking & np.isfinite(cheapest)].sum() / 2)
