"""Patterns that protect, quickly: cheapest paths demand by demand, then removal of what no demand needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.core import DataError
from tacita.core.arrays import Floats, Ints, Mask
from tacita.kernels.interpreted import dispatch

from .flow_network import Network


@dataclass(frozen=True)
class NetworkPatternSettings:
    """How much of a pattern a random change gives up.

    What is given up in many places at once is seldom mended better in all: a large pattern gives up no more
    cells than a small one.
    """

    # share of the secondary cells, at most
    share: float = 0.3
    # count of them, at most (on average)
    cells: int = 10


SETTINGS = NetworkPatternSettings()


class Builder:
    """Builds protecting patterns out of some of a network's edges.

    Patterns are masks over all edges of the network. The edges at hand are those `within`, and all primaries.
    """

    def __init__(self, network: Network, within: Mask | None = None) -> None:
        self.network = network
        at_hand = np.ones(network.edges, dtype=bool) if within is None else within | network.primary
        self.edges = np.flatnonzero(at_hand)
        self._graph, self._demands = network.among(self.edges)

    def cost(self, chosen: Mask) -> float:
        """Cost of the secondary cells of a pattern."""
        return float(self.network.cost[chosen].sum())

    def grow(self, chosen: Mask, weight: Floats, order: Ints) -> Mask | None:
        """Add cheapest paths by `weight` to a pattern until all demands are met; None if the edges cannot."""
        from tacita.kernels.tables.flows import protect_by_paths

        suppressed = (chosen | self.network.primary)[self.edges]
        protect = dispatch(protect_by_paths)
        if protect(self._graph, self._demands, weight[self.edges], order, suppressed) >= 0:
            return None
        grown = np.zeros(self.network.edges, dtype=bool)
        grown[self.edges] = suppressed
        return grown

    def clean(self, chosen: Mask, keys: Floats | None = None) -> Mask:
        """Drop what no demand needs, highest key first; the key is the cost unless given."""
        from tacita.kernels.tables.flows import remove_redundant

        network = self.network
        edges = np.flatnonzero(chosen | network.primary)
        alive = np.ones(len(edges), dtype=bool)
        keys = network.cost if keys is None else keys
        order = np.argsort(-keys[edges], kind="stable")
        order = order[~network.primary[edges][order]]
        if not dispatch(remove_redundant)(*network.among(edges), alive, order):
            raise DataError("A pattern that does not protect cannot be cleaned.")
        kept = np.zeros(network.edges, dtype=bool)
        kept[edges[alive]] = True
        return kept

    def build(self, generator: np.random.Generator, weight: Floats, start: Mask | None = None) -> Mask | None:
        """A clean pattern, demands in random order, from a start (or none) by path weights."""
        order = generator.permutation(len(self.network.source))
        chosen = np.zeros(self.network.edges, dtype=bool) if start is None else start
        grown = self.grow(chosen, weight, order)
        return None if grown is None else self.clean(grown)

    def protects(self, chosen: Mask) -> bool:
        """Whether all demands are met by a pattern."""
        from tacita.kernels.tables.flows import short_demand

        edges = np.flatnonzero(chosen | self.network.primary)
        short = dispatch(short_demand)(*self.network.among(edges), np.ones(len(edges), dtype=bool))
        return bool(short < 0)

    def improve(self, generator: np.random.Generator, chosen: Mask, weight: Floats) -> Mask | None:
        """Give up the secondary cells of one row and column and a few at random, protect again, clean."""
        network = self.network
        secondary = np.flatnonzero(chosen & ~network.primary)
        if not len(secondary):
            return None
        # lines of the table: a node may be many of them
        row, column = network.lines(secondary)
        mid = generator.integers(len(secondary))
        near = (row == row[mid]) | (column == column[mid])
        share = min(SETTINGS.share, SETTINGS.cells / len(secondary)) * generator.random()
        gone = secondary[near | (generator.random(len(secondary)) < share)]
        start = chosen.copy()
        start[gone] = False
        noisy = weight * generator.uniform(0.7, 1.3, len(weight))
        return self.build(generator, noisy, start)
