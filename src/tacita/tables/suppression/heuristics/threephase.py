"""Three phases for interval protection: a binary program, flows that correct it, and repair."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Problem, RunContext
from tacita.core.arrays import Mask
from tacita.tables.suppression.optimal.flow_network import Network
from tacita.tables.suppression.optimal.network_search import Search
from tacita.tables.suppression.optimal.two_way_method import TwoWay
from tacita.tables.suppression.time_limit import TimeLimit, Watch


class ThreePhase(TwoWay):
    """A binary program of pattern and volume rows, cuts from maximum flows, then repair and clean-up.

    Phase 1: least cost such that in the row and the column of a primary the other suppressed cells can move
    as much as it must; cells too expensive to be part of a pattern better than one by paths are left out.
    Phase 2: for every primary and direction a maximum flow without its own cell; where it falls short, the
    row of its least cut is added; where a cell is the only one in its line or a bridge otherwise, a row that
    forbids it; the program is solved again. Phase 3: after the last round the pattern is repaired by cheapest
    paths, and cells that no primary needs are dropped. The bound is that of the program.

    Integer programs have no useful worst case; O(demands) flows of O(edges) each a round.
    Source: Carvalho & Almeida (2008); Kelly, Golden & Assad (1992), Networks 22, 397-417, for the flows.

    >>> from tacita import Table
    >>> values = [[100, 20, 35, 3], [15, 10, 40, 10], [10, 15, 30, 5]]
    >>> first = np.arange(12).reshape(3, 4) == 0
    >>> table = Table.from_array(values, primary=first, lower=15, upper=15)
    >>> found = ThreePhase().suppress(table, "interval")
    >>> found.cost, found.lower_bound
    (58.0, 58.0)
    """

    problems: ClassVar[tuple[Problem, ...]] = ("interval",)

    rounds: Annotated[int, Field(ge=1, le=100_000, description="times the binary program is solved")] = 30
    seconds: TimeLimit = 60.0

    def search(self, network: Network, watch: Watch, run: RunContext) -> tuple[Mask, float]:
        from tacita.tables.suppression.optimal.provers import solve_integer

        search = Search(network, watch, run)
        master = search.master
        search.follow(np.zeros(network.edges), 4, 20)
        master.add_stars()
        while not watch.over and master.solve() and search.price():
            pass
        search.keep_within_gap()
        for _ in range(self.rounds):
            if search.done():
                break
            bound, patterns = solve_integer(search)
            search.bound = max(search.bound, min(bound, search.cost))
            search.rounds += 1
            search.tell("solving the programme")
            if not patterns:
                break
            added = 0
            for x in patterns[-2:]:
                chosen = np.zeros(network.edges, dtype=bool)
                chosen[master.columns] = x > 0.5
                search.offer(search.builder.build(search.generator, network.cost, chosen))
                master.x = x
                added += master.separate(nested=0) + master.separate_bridges()
            if not added:
                break
        return search.best, search.bound
