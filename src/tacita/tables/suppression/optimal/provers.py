"""From a fractional bound to a proof: branches of our own, integer programs round by round, or SCIP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from tacita.core import ParameterError
from tacita.core.arrays import Floats

from .branch_and_cut import Tree
from .search_state import Search

Solver = Literal["highs", "scip"]


def prover(solver: Solver, amounts: bool) -> Callable[[Search], None]:
    """The function that proves, by the solver and by whether cells carry amounts."""
    if solver == "highs":
        return tree if amounts else integer_rounds
    try:
        from .scip_tree import branch_and_cut
    except ModuleNotFoundError:
        raise ParameterError(
            "Optimal: the package pyscipopt is not installed. Install tacita[scip], or use the solver highs."
        ) from None
    return branch_and_cut


def tree(search: Search, most: float = np.inf) -> None:
    """Branches of our own, up to `most`: where cells carry amounts, the cuts that matter show only there."""
    search.keep_within_gap()
    Tree(search).grow(most)


def integer_rounds(search: Search) -> None:
    """Solve the integer program and add the cuts that its solutions violate, until they violate none."""
    while not search.done():
        search.keep_within_gap()
        bound, patterns = solve_integer(search)
        search.bound = max(search.bound, min(bound, search.cost))
        search.tell("proving")
        added = mend_whole(search, patterns)
        if search.done() or not added:
            return
        search.relax(10)
        search.follow(search.fractional(), 4, 40)


def mend_whole(search: Search, patterns: list[Floats]) -> int:
    """Make patterns of whole solutions, and cut off those that do not protect; how many rows that takes."""
    master, network, added = search.master, search.network, 0
    for x in patterns:
        chosen = np.zeros(network.edges, dtype=bool)
        chosen[master.columns] = x > 0.5
        search.offer(search.builder.build(search.generator, network.cost, chosen))
        master.x = x
        added += master.separate(nested=1) + master.separate_bridges()
    return added


def solve_integer(search: Search, **options: Any) -> tuple[float, list[Floats]]:
    """Bound of the integer program over the rows so far, and the last solutions it met, best last."""
    master, watch = search.master, search.watch
    outside = search.best[master.columns[master.fixed]].any()
    known = None if outside else search.best[master.columns].astype(float)
    answer = master.lp.choose(known, lambda: watch.over or search.run.should_cancel(), keep=5, **options)
    search.nodes += answer.nodes
    if answer.status == "infeasible":
        return search.cost, []
    return answer.bound, [np.round(x) for x in answer.met]
