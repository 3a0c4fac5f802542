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

    Least sum of cost_e x_e over cells e, x_e in {0, 1}, so that for every primary k and every set S of rows
    and columns that separates its two nodes: sum over cells leaving S of min(c_e, d) x_e >= d, where c_e is
    what the cell can move, d what k must be able to move less what other primaries in the cut carry; where
    the range of k must have a width, S is a pair of sets, one a direction, and d the width. Cuts are
    found by maximum flows on the cells with x > 0, also under rounded capacities, and made tighter by fixing
    some cells and by mixed-integer rounding; no secondary cell may be a bridge. The LP relaxation gives a
    bound and guides paths to patterns; cells whose reduced cost exceeds the gap are left out. The rest, for
    interval protection, is branch and cut: a branch holds a cell or leaves it out, and is cut as the root
    was; rows are shared through a pool; the branch of the least bound is next. Once no cell can enter any
    more, sums of rows are halved and rounded up where their parities allow it (zero-half cuts), which closes
    most of what cuts of single demands leave open. For general and exact protection the integer program is
    solved, cuts are added for its solution, and so on. With the solver scip one tree of SCIP solves all three
    problems. The search ends when bound and pattern meet or time is over; then the best pattern and its
    proven bound are returned. The cost is the same with either solver; the pattern may be another of the same
    cost. The result does not depend on chance; with a time limit it depends on the machine.

    A presolve settles what all cheapest patterns have in common: it drops the demands that primaries meet by
    themselves, merges the nodes between which primaries carry any demand, whichever of them is missing, and
    removes the cells that cost more than a path around them which carries any demand. For interval
    protection, before branch and cut, local branching frees parts of the best pattern, mostly those where it
    costs more than the duals of the bound say, and proves the cheapest pattern with the rest held, until no
    part has a cheaper solution. If the best pattern costs hardly more than the bound, this is repeated from
    other patterns.

    Tables of any other shape (hierarchies, more dimensions, links) are relations M a = 0. There a cut comes
    from the attacker's LP, the farthest movement d of k with M d = 0, -down_e x_e <= d_e <= up_e x_e: its
    dual is a sum v of relations, so that sum over e of (v_e / v_k) times the up_e or down_e by the sign of
    v_e, at most d, times x_e >= d. The presolve removes cells that relations fix, joins cells that only move
    together, and solves unconnected parts separately. Patterns are built from cheapest movements; in parts of
    more than 2000 cells, or 1000 in more relations than that, the first pattern is that of `constructive`. A
    cell without which a relation leaves a demand short is suppressed in every pattern: it becomes a primary,
    with a demand of its own. The first rows are those of single relations (see `Lines`). Known sums of
    relations that x satisfies with no slack are checked again, since their rounded rows may be violated. Both
    LPs are solved by a dual simplex method that starts where nothing moves and considers only the relations
    that a movement breaks; it checks each answer, and leaves the rest to HiGHS.

    NP-hard: no useful worst case; O(demands edges) per flow, thousands of flows; in other shapes thousands of
    movements, O(steps (relations + k^2)) each with k relations that it touches.
    Source: Fischetti & Salazar (1999), Mathematical Programming 84, 283-312, and (2001), Management Science
    47, 1008-1027, for the model and its cuts, branch and cut included; Carvalho & Almeida (2008) for the
    interval problem; Caprara & Fischetti (1996), Mathematical Programming 74, 221-235, for half sums.

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
        run.report("withholding cells", 1, 1)
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
