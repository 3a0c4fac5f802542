"""Network heuristic: cheapest paths, clean-up, and a bound to judge it by."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from tacita.core import RunContext
from tacita.core.arrays import Mask
from tacita.tables.suppression.optimal.flow_network import Network
from tacita.tables.suppression.optimal.network_patterns import Builder
from tacita.tables.suppression.optimal.two_way_method import TwoWay
from tacita.tables.suppression.time_limit import TimeLimit, Watch

Guided = Annotated[bool, Field(description="solve the linear program too: better paths, and a proven bound")]


class CheapestPaths(TwoWay):
    """Protects one primary after the other by cheapest paths, then drops what none of them needs.

    For a primary that must move by d, the flow that suppressed cells already carry back is computed; while it
    is less than d, a path of least weight is added, where a cell not yet suppressed weighs its cost times d
    over what it can carry. Then cells that no primary needs are dropped, most expensive first. This is
    repeated with the primaries in random order; then parts of the best pattern are published and protected
    again. Guided: the weights follow the solution of the linear program over cuts, whose value is the lower
    bound.

    O(tries demands (nodes^2 + edges)) for the paths; the clean-up is O(cells demands) small flows at worst.
    Source: Kelly, Golden & Assad (1992), Networks 22, 397-417; Castro (2002) for costs and clean-up.

    >>> from tacita import Table
    >>> regions = [[11, 47, 58], [1, 15, 33], [2, 31, 20]]
    >>> table = Table.from_array(regions, primary=[[0, 0, 0], [0, 1, 0], [0, 0, 0]])
    >>> CheapestPaths().suppress(table, "exact").cost
    34.0
    """

    tries: Annotated[int, Field(ge=1, le=100_000, description="random orders of the primaries")] = 10
    changes: Annotated[
        int, Field(ge=0, le=1_000_000, description="unsuccessful changes before giving up")
    ] = 60
    guided: Guided = True
    seconds: TimeLimit = 60.0

    def search(self, network: Network, watch: Watch, run: RunContext) -> tuple[Mask, float]:
        from tacita.tables.suppression.optimal.network_search import Search

        if self.guided:
            search = Search(network, watch, run)
            search.relax(200)
            search.follow(search.fractional(), self.tries, self.changes)
            return search.best, search.bound
        generator = run.search_generator()
        builder = Builder(network)
        largest_first = np.argsort(-network.amount, kind="stable")
        grown = builder.grow(network.primary, network.cost, largest_first)
        best = builder.clean(np.ones(network.edges, dtype=bool) if grown is None else grown)
        for made in range(self.tries + self.changes):
            if watch.over:
                break
            run.report("following paths", made, self.tries + self.changes)
            if made < self.tries:
                pattern = builder.build(generator, network.cost)
            else:
                pattern = builder.improve(generator, best, network.cost)
            if pattern is not None and builder.cost(pattern) < builder.cost(best):
                best = pattern
        return best, 0.0
