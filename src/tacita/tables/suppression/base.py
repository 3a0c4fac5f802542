"""What all suppression methods share: the checks before and the pattern after."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.core import Method, ParameterError, Run, VerificationError

from .circuit import Mask, Network, network_of, require_feasible
from .grid import Grid, Problem, Solution
from .patterns import Builder
from .watch import Watch

TimeLimit = Annotated[
    float,
    Field(gt=0, le=1e7, description="seconds after which the best pattern so far and its bound are returned"),
]


@dataclass(frozen=True)
class Outcome:
    """What a search found: a mask over the edges of the network, and what it proved."""

    chosen: Mask
    lower_bound: float = 0.0
    bound: Literal["proof", "relaxation", "trivial"] = "trivial"
    rounds: int = 0
    nodes: int = 0


class Suppression(Method):
    """Chooses the cells to withhold besides the primaries. Subclasses say how, in `search`."""

    kind: ClassVar[str] = "suppression"
    problems: ClassVar[tuple[Problem, ...]] = ("general", "exact", "interval")

    def suppress(self, grid: Grid, run: Run | None = None) -> Solution:
        """A pattern that protects every primary cell of the grid; DataError if there is none."""
        if grid.problem not in self.problems:
            raise ParameterError(
                f"{self.spoken_name()}: made for {' and '.join(self.problems)} protection, "
                f"got {grid.problem}. "
                "Choose another method, such as optimal."
            )
        run = run or Run()
        compile_kernels()
        watch = Watch(getattr(self, "seconds", np.inf))
        run.report("reading the table", 0, 1)
        network = network_of(grid)
        require_feasible(network)
        if len(network.source):
            outcome = self.search(network, watch, run)
        else:
            outcome = Outcome(network.primary.copy(), 0.0, "proof")
        run.report("withholding cells", 1, 1)
        return self._solution(grid, network, outcome, watch)

    def _solution(self, grid: Grid, network: Network, outcome: Outcome, watch: Watch) -> Solution:
        chosen = outcome.chosen | network.primary
        builder = Builder(network, chosen)
        if not builder.protects(chosen):
            raise VerificationError(
                f"{self.spoken_name()}: the pattern does not protect. Nothing is returned."
            )
        cost = builder.cost(chosen)
        bound = min(cost, max(network.rounded_up(outcome.lower_bound), trivial_bound(network)))
        met = cost - bound <= 1e-6 * max(1.0, cost)
        status: Literal["optimal", "time-limit", "heuristic"]
        # a solver that gives up for another reason leaves time
        status = "optimal" if met else "time-limit" if watch.over else "heuristic"
        return Solution(
            withheld=network.mask(chosen),
            primary=grid.primary,
            cost=cost,
            lower_bound=bound,
            status=status,
            bound="proof" if met else outcome.bound,
            seconds=watch.seconds,
            rounds=outcome.rounds,
            nodes=outcome.nodes,
        )

    @abstractmethod
    def search(self, network: Network, watch: Watch, run: Run) -> Outcome:
        """A protecting pattern of a network that has one, and what is proven about its cost."""


@cache
def compile_kernels() -> None:
    """Once per process: load or compile the kernels that searches share, so that no time limit counts it."""
    from .root import Search

    values = np.array([[3.0, 1.0, 2.0], [1.0, 4.0, 2.0], [2.0, 1.0, 5.0]])
    problems: tuple[Problem, ...] = ("exact", "interval")
    for problem in problems:
        network = network_of(Grid.from_interior(values, np.eye(3, dtype=bool) * values > 3, problem))
        require_feasible(network)
        search = Search(network, Watch(np.inf), Run())
        search.relax()
        search.master.separate_bridges()
        search.price()
        search.master.separate_rounded()
        search.master.share_rows()
        search.master.recall()


def trivial_bound(network: Network) -> float:
    """A line with a primary needs a second withheld cell: half the cheapest of lines that lack one.

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
