"""Lagrangean relaxation for circuits: a bound by shortest paths, every iterate repaired to a pattern."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Problem, RunContext
from tacita.core.arrays import Floats, Mask
from tacita.kernels.interpreted import dispatch
from tacita.tables.suppression.optimal.flow_network import Network
from tacita.tables.suppression.optimal.network_patterns import Builder
from tacita.tables.suppression.optimal.two_way_method import TwoWay
from tacita.tables.suppression.time_limit import TimeLimit, Watch


@dataclass(frozen=True)
class LagrangeSettings:
    """How subgradient steps change multipliers, and how often an iterate is mended to a pattern.

    `python -m experiments tables --method lagrange` prints the patterns and bounds that they lead to.
    """

    # powers of e by which one step may change a multiplier
    largest_step: float = 3.0
    # share of the cost of a cell that a primary pays at least: a multiplier of 0 would stay 0
    least_share: float = 1e-7
    # weight of a primary in its own row and column at the start, where others have 1
    own_line_weight: float = 50.0
    # steps in a row without a better bound after which steps are shortened
    patience: int = 10
    # what the step length is divided by then
    shortening: float = 1.5
    # step length, of the first one, at which the search ends
    shortest: float = 1e-4
    # weights of the last direction and of the new slope in the next direction
    momentum: float = 0.7
    slope: float = 0.3
    # times the cost of the incumbent: what a step aims at
    target: float = 1.02
    # steps from one pattern to the next where the bound does not rise
    steps_between_patterns: int = 5
    # factors between which costs are disturbed at random when an iterate is mended
    disturbance: tuple[float, float] = (0.9, 1.1)


SETTINGS = LagrangeSettings()


class Lagrange(TwoWay):
    """Shortest paths under prices that are raised where primaries share a cell: a bound and a pattern in one.

    One commodity per primary k goes round from one of its nodes to the other without its own cell; it may use
    a cell e only if that is suppressed, y_ke <= x_e; cells that are primary carry no such row. With
    multipliers u_ke >= 0 on these rows the problem decomposes: sum over k of the shortest path under u_k,
    plus sum over e of min(0, cost_e - sum_k u_ke). Subgradient steps raise the bound; the paths of each
    iterate are repaired by cheapest paths and cleaned. The prices of a cell add up to its cost, so that steps
    multiply them: demands whose path uses the cell pay a larger share. At best the bound reaches that of the
    linear program over flows.

    O(iterations primaries (nodes^2 + edges)) time, O(primaries edges) memory.
    Source: Carvalho, Dellaert & Osorio (1994) and Almeida & Carvalho (1998) for the general problem, Almeida
    & Carvalho (2005) for the exact one; steps as long as Held & Karp take; that they multiply is ours.

    >>> from tacita import Table
    >>> regions = [[11, 47, 58], [1, 15, 33], [2, 31, 20]]
    >>> table = Table.from_array(regions, primary=[[0, 0, 0], [0, 1, 0], [0, 0, 0]])
    >>> found = Lagrange().suppress(table, "general")
    >>> found.cost, found.lower_bound
    (34.0, 34.0)
    """

    problems: ClassVar[tuple[Problem, ...]] = ("general", "exact")

    iterations: Annotated[int, Field(ge=1, le=1_000_000, description="subgradient steps")] = 1000
    seconds: TimeLimit = 60.0

    def search(self, network: Network, watch: Watch, run: RunContext) -> tuple[Mask, float]:
        from tacita.kernels.tables.flows import all_paths

        generator = run.search_generator()
        builder = Builder(network)
        grown = builder.grow(network.primary, network.cost, np.arange(len(network.source)))
        best = builder.clean(np.ones(network.edges, dtype=bool) if grown is None else grown)
        least = builder.cost(best)
        graph, demands = network.among()
        free = ~network.primary
        prices = _first_prices(network) * np.where(free, network.cost, 0.0)
        used = np.zeros(prices.shape, dtype=bool)
        direction = np.zeros(prices.shape)
        bound, scale, since = 0.0, 1.0, 0
        step = 0
        for step in range(1, self.iterations + 1):
            run.report("raising prices", step, self.iterations)
            length = dispatch(all_paths)(graph, demands, prices, used)
            margin = network.cost - prices.sum(axis=0)
            taken = free & (margin < 0)
            value = float(length.sum() + margin[taken].sum())
            since = 0 if value > bound + 1e-9 else since + 1
            bound = max(bound, value)
            if step == 1 or step % SETTINGS.steps_between_patterns == 0 or since == 0:
                start = used.any(axis=0)
                weight = network.cost * generator.uniform(*SETTINGS.disturbance, network.edges)
                for pattern in (
                    builder.clean(start | network.primary),
                    builder.build(generator, weight, start & taken),
                ):
                    if pattern is not None and builder.cost(pattern) < least:
                        best, least = pattern, builder.cost(pattern)
            if network.rounded_up(bound) >= least - 1e-9 or watch.over:
                break
            if since == SETTINGS.patience:
                scale, since = scale / SETTINGS.shortening, 0
            # prices of a cell keep adding up to its cost: those who use it pay more, the others less
            slope = used - (prices * used).sum(axis=0) / np.maximum(network.cost, 1e-300)
            direction = SETTINGS.momentum * direction + SETTINGS.slope * slope
            square = float((prices * direction**2).sum())
            if square == 0.0 or scale < SETTINGS.shortest:
                break
            step_size = scale * (SETTINGS.target * least - value) / square
            prices *= np.exp(np.clip(step_size * direction, -SETTINGS.largest_step, SETTINGS.largest_step))
            # a price of zero would stay zero
            np.maximum(prices, SETTINGS.least_share * network.cost, out=prices)
            prices *= np.where(free, network.cost / np.maximum(prices.sum(axis=0), 1e-300), 0.0)
        return best, bound


def _first_prices(network: Network) -> Floats:
    """Shares that add up to 1 for each cell: most to the primaries of its own row and column."""
    own = network.own
    near = network.row[own][:, None] == network.row[None, :]
    near |= network.column[own][:, None] == network.column[None, :]
    weights = np.where(near, SETTINGS.own_line_weight, 1.0)
    shares: Floats = weights / weights.sum(axis=0)
    return shares
