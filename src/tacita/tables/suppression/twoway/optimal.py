"""The least pattern, with a proof."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tacita.core import ParameterError, Run
from tacita.core.arrays import Floats, Mask

from .base import TimeLimit, TwoWay
from .circuit import Network
from .root import Search
from .tree import Tree
from .watch import Watch


class Optimal(TwoWay):
    """The cheapest pattern that protects, and the proof that none is cheaper.

    Least sum of cost_e x_e over cells e, x_e in {0, 1}, so that for every primary k and every set S of rows
    and columns that separates its two nodes: sum over cells leaving S of min(c_e, d) x_e >= d, where c_e is
    what the cell can move, d what k must be able to move less what other primaries in the cut carry; where
    the range of k must have a width, S is a pair of sets, one a direction, and d the width. Cuts are
    found by maximum flows on the cells with x > 0, also under rounded capacities, and made tighter by taking
    some cells as given and by mixed-integer rounding; no secondary cell may be a bridge. The linear programme
    gives a bound and guides paths to patterns; cells whose reduced cost exceeds the gap are left out. The
    rest, for interval protection, is a tree: a cell is held or left out, each branch is cut as the root was,
    rows are shared through a pool, the least bound is next (see `tree`). For general and exact protection
    it is solved as an integer programme, cuts are added for its solution, and so on. With the solver scip it
    is one tree of SCIP for all three. All end when bound and pattern meet or time is over: then the best
    pattern and its proven bound are returned. The cost is the same by all; the pattern may be another as
    cheap. The result does not depend on chance; with a time limit it depends on the machine.

    NP-hard: no useful worst case; O(demands edges) per flow, thousands of flows.
    Source: Fischetti & Salazar (1999), Mathematical Programming 84, 283-312, and (2001), Management Science
    47, 1008-1027, for the model and its cuts, branch and cut included; Carvalho & Almeida (2008) for the
    interval problem.

    >>> from tacita import Table
    >>> regions = [[11, 47, 58], [1, 15, 33], [2, 31, 20]]
    >>> table = Table.from_array(regions, primary=[[0, 0, 0], [0, 1, 0], [0, 0, 0]])
    >>> found = Optimal().suppress(table, "exact")
    >>> found.cost, found.lower_bound, found.status
    (34.0, 34.0, 'optimal')
    """

    seconds: TimeLimit = 60.0
    solver: Annotated[
        Literal["highs", "scip"],
        Field(description="of programmes: highs, or scip for the tree (needs the extra scip)"),
    ] = "highs"

    def search(self, network: Network, watch: Watch, run: Run) -> tuple[Mask, float]:
        prove = _branch_and_cut() if self.solver == "scip" else tree if network.amounts else integer_rounds
        search = Search(network, watch, run)
        search.follow(np.zeros(network.edges), 4, 0)
        search.relax()
        if not search.done():
            search.follow(search.fractional(), 20, 100)
        if not search.done():
            prove(search)
        return search.best, search.bound


def _branch_and_cut() -> Callable[[Search], None]:
    try:
        from .scip import branch_and_cut
    except ModuleNotFoundError:
        raise ParameterError(
            "Optimal: the package pyscipopt is not installed. Install tacita[scip], or use the solver highs."
        ) from None
    return branch_and_cut


def tree(search: Search) -> None:
    """Branches of our own: where cells carry amounts, the cuts that matter show only there."""
    search.keep_within_gap()
    Tree(search).grow()


def integer_rounds(search: Search) -> None:
    """Solve as an integer programme, add the cuts its solutions violate, again, until none is."""
    master, network = search.master, search.network
    while not search.done():
        search.keep_within_gap()
        bound, patterns = solve_integer(search)
        search.bound = max(search.bound, min(bound, search.cost))
        search.tell("proving")
        added = 0
        for x in patterns:
            chosen = np.zeros(network.edges, dtype=bool)
            chosen[master.columns] = x > 0.5
            search.offer(search.builder.build(search.generator, network.cost, chosen))
            master.x = x
            added += master.separate(nested=1) + master.separate_bridges()
        if search.done() or not added:
            return
        search.relax(10)
        search.follow(search.fractional(), 4, 40)


def solve_integer(search: Search) -> tuple[float, list[Floats]]:
    """Bound of the integer programme over the rows so far, and the last solutions it met, best last."""
    master, watch = search.master, search.watch
    outside = search.best[master.columns[master.fixed]].any()
    known = None if outside else search.best[master.columns].astype(float)
    answer = master.lp.choose(known, lambda: watch.over or search.run.cancelled(), keep=5)
    search.nodes += answer.nodes
    if answer.status == "infeasible":
        return search.cost, []
    return answer.bound, [np.round(x) for x in answer.met]
