"""The least pattern, with a proof."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Pattern, Problem, RunContext, Table
from tacita.core.arrays import Mask
from tacita.tables.suppression.suppression_method import Shape
from tacita.tables.suppression.time_limit import TimeLimit, Watch

from .flow_network import Network
from .local_branching import search_nearby
from .network_presolve import reduced
from .network_search import Search
from .provers import Solver, prover
from .two_way_method import TwoWay


class Optimal(TwoWay):
    """The cheapest pattern that protects, and the proof that none is cheaper.

    Minimises sum of cost_e x_e over cells e, x_e in {0, 1}, such that every primary k can move as far as its
    protection requires. In two-way tables, for every set S of rows and columns that separates the two nodes
    of k: sum over cells leaving S of min(c_e, d) x_e >= d, with c_e what the cell can move and d what k must.
    In any other table the rows come from the dual of the attacker's LP: with relations M a = 0 and a sum v of
    them, sum over e != k of min(c_e, d) x_e >= d, with c_e = |v_e / v_k| times what e can move.

    A presolve keeps what every cheapest pattern has in common. Cuts raise a lower bound; paths and movements
    along the fractional solution give patterns. Interval protection ends in local branching and branch and
    cut, general and exact protection in integer programs to which cuts are added. With the solver scip it
    is one tree of SCIP for all three. See docs/algorithms/cell-suppression.md.

    Use it as the default. If bound and pattern do not meet before time is over, the best pattern and its
    proven bound are returned. The cost is the same by either solver; the pattern may be another of the same
    cost. The result does not depend on chance; with a time limit it depends on the machine.

    NP-hard: no useful worst case; O(demands edges) per flow, thousands of flows; in other shapes thousands of
    movements, O(steps (relations + k^2)) each with k relations that it touches.
    Source: Fischetti & Salazar (1999), Mathematical Programming 84, 283-312, and (2001), Management Science
    47, 1008-1027, for the model and its cuts, branch and cut included; Carvalho & Almeida (2008) for the
    interval problem; Caprara & Fischetti (1996), Mathematical Programming 74, 221-235, for zero-half cuts.

    >>> from tacita import Table
    >>> regions = [[11, 47, 58], [1, 15, 33], [2, 31, 20]]
    >>> table = Table.from_array(regions, primary=[[0, 0, 0], [0, 1, 0], [0, 0, 0]])
    >>> found = Optimal().suppress(table, "exact")
    >>> found.cost, found.lower_bound, found.status
    (34.0, 34.0, 'optimal')
    """

    seconds: TimeLimit = 60.0
    solver: Annotated[
        Solver,
        Field(description="solver: highs, or scip for the tree (needs the extra scip)"),
    ] = "highs"

    shapes: ClassVar[tuple[Shape, ...]] = ("any",)

    def choose(self, table: Table, problem: Problem, run: RunContext) -> Pattern:
        if table.is_two_way:
            return super().choose(table, problem, run)
        from .connected_parts import least_pattern

        suppressed, bound, watch = least_pattern(table, problem, self.solver, self.seconds, run)
        run.report("suppressing cells", 1, 1)
        return self.made(table, problem, suppressed, bound, watch)

    def search(self, network: Network, watch: Watch, run: RunContext) -> tuple[Mask, float]:
        prove = prover(self.solver, network.amounts)
        whole = network
        network, left = reduced(whole)
        if not len(network.source):
            return whole.primary, 0.0
        search = Search(network, watch, run)
        search.follow(np.zeros(network.edges), 4, 0)
        search.relax()
        if not search.done():
            search.follow(search.fractional(), 20, 100)
        if network.amounts:
            search_nearby(search)
        if not search.done():
            prove(search)
        chosen = np.zeros(whole.edges, dtype=bool)
        chosen[left[search.best]] = True
        return chosen, search.bound
