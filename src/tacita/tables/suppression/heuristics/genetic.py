"""Genetic search over patterns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from tacita.core import RunContext
from tacita.core.arrays import Mask
from tacita.tables.suppression.optimal.flow_network import Network
from tacita.tables.suppression.optimal.network_patterns import Builder
from tacita.tables.suppression.optimal.network_search import cheapest_cells
from tacita.tables.suppression.optimal.two_way_method import TwoWay
from tacita.tables.suppression.time_limit import TimeLimit, Watch


@dataclass(frozen=True)
class GeneticSettings:
    """How patterns are bred; `python -m experiments tables --method genetic` prints what they lead to."""

    # cheapest cells of every line that patterns are first made of
    cells_per_line: int = 10
    # factors between which costs are disturbed at random when a pattern is mended
    disturbance: tuple[float, float] = (0.6, 1.4)
    # probability that a child has a cell that one of its parents has
    inherited: float = 0.5


SETTINGS = GeneticSettings()


class Genetic(TwoWay):
    """A population of patterns: two are crossed, the child is repaired by cheapest paths and cleaned.

    A child keeps the secondary cells that both parents suppress and each of the others with probability one
    half; mutation drops some. Cheapest paths, with randomly disturbed costs and primaries in random order,
    restore protection; cells that no primary needs are dropped. A child that is cheaper than the worst
    pattern, and new, replaces it. No bound beyond the trivial one.

    O(generations demands nodes^2) time, O(population edges) memory.
    Source: after Almeida, Schuetz & Carvalho (2008); details of crossing and mutation are ours.

    >>> from tacita import Table
    >>> regions = [[11, 47, 58], [1, 15, 33], [2, 31, 20]]
    >>> table = Table.from_array(regions, primary=[[0, 0, 0], [0, 1, 0], [0, 0, 0]])
    >>> Genetic(generations=20).suppress(table, "general").cost
    34.0
    """

    population: Annotated[int, Field(ge=2, le=10_000, description="patterns kept")] = 20
    generations: Annotated[int, Field(ge=1, le=10_000_000, description="children made")] = 300
    mutation: Annotated[float, Field(ge=0, le=1, description="share of a child's cells given up, 0 to 1")] = (
        0.1
    )
    seconds: TimeLimit = 60.0

    def search(self, network: Network, watch: Watch, run: RunContext) -> tuple[Mask, float]:
        generator = run.search_generator()
        near = np.zeros(network.edges, dtype=bool)
        near[cheapest_cells(network, SETTINGS.cells_per_line)] = True
        builder = Builder(network, near)
        if builder.build(generator, network.cost) is None:
            builder = Builder(network)
        patterns: list[Mask] = []
        costs: list[float] = []
        for child in range(self.population + self.generations):
            if watch.over and patterns:
                break
            run.report("breeding patterns", child, self.population + self.generations)
            start = None if child < self.population else self._cross(generator, patterns, costs)
            weight = network.cost * generator.uniform(*SETTINGS.disturbance, network.edges)
            pattern = builder.build(generator, weight, start)
            if pattern is None:
                if not patterns:
                    patterns, costs = [builder.clean(np.ones(network.edges, dtype=bool))], []
                    costs.append(builder.cost(patterns[0]))
                continue
            self._admit(patterns, costs, pattern, builder.cost(pattern))
        return patterns[int(np.argmin(costs))], 0.0

    def _cross(self, generator: np.random.Generator, patterns: list[Mask], costs: list[float]) -> Mask:
        def pick() -> Mask:
            one, two = generator.integers(len(patterns), size=2).tolist()
            cheaper: Mask = patterns[one if costs[one] <= costs[two] else two]
            return cheaper

        mother, father = pick(), pick()
        size = len(mother)
        child = (mother & father) | ((mother | father) & (generator.random(size) < SETTINGS.inherited))
        return child & (generator.random(size) >= self.mutation)

    def _admit(self, patterns: list[Mask], costs: list[float], pattern: Mask, cost: float) -> None:
        if any(
            cost == known and np.array_equal(pattern, kept)
            for known, kept in zip(costs, patterns, strict=True)
        ):
            return
        if len(patterns) < self.population:
            patterns.append(pattern)
            costs.append(cost)
            return
        worst = int(np.argmax(costs))
        if cost < costs[worst]:
            patterns[worst], costs[worst] = pattern, cost
