"""The integer phase as one tree of SCIP, to which cuts are added where they are needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.core.arrays import Floats, Mask
from tacita.solvers.scip import ChoiceTree

from .search_state import Search


def branch_and_cut(search: Search) -> None:
    """Prove the best pattern of a search, or find the least, in one tree; bound and best are kept in it."""
    search.keep_within_gap()
    tree = Tree(search)
    if tree.empty:
        search.bound = search.cost
        return
    tree.solve()


class Tree(ChoiceTree):
    """The cells of a search that can still be part of a cheaper pattern, every primary of which can move."""

    def __init__(self, search: Search) -> None:
        self.search, self.network = search, search.network
        master = search.master
        kept = np.flatnonzero(~master.fixed)
        self.edges = master.columns[kept]
        self.within = np.zeros(self.network.edges, dtype=bool)
        self.within[self.edges] = True
        self.builder = search.builder_of(self.within)
        self.passed_cost = np.inf
        rows, right = master.lp.rows()
        super().__init__(self.network.cost[self.edges], rows[:, kept], right)

    def solve(self) -> None:
        """Run SCIP until the tree is empty or time is over."""
        search = self.search
        # only a cheaper pattern is of interest
        step = max(0.5 * self.network.whole_costs, 5e-8 * max(1.0, search.cost))
        # as the watch counts: processor time, or that on the wall
        proof = self.prove(search.cost - step, search.watch.left, search.watch.by_processor_time)
        search.nodes += proof.nodes
        if proof.nothing_cheaper:
            search.bound = search.cost
        elif proof.bound is not None:
            self.note(proof.bound)

    def note(self, bound: float) -> None:
        """Keep a bound on patterns cheaper than the best."""
        self.search.bound = max(self.search.bound, min(bound, self.search.cost))

    def pattern(self, x: Floats) -> Mask:
        """The cells that an integer solution suppresses."""
        chosen = np.zeros(self.network.edges, dtype=bool)
        chosen[self.edges[x > 0.5]] = True
        return chosen

    def accepts(self, x: Floats) -> bool:
        """Whether an integer solution protects, exactly; it is kept, or else repaired and kept."""
        chosen = self.pattern(x)
        if self.builder.protects(chosen):
            self.search.offer(self.builder.clean(chosen))
            return True
        self.search.offer(self.builder.build(self.search.generator, self.network.cost, chosen))
        return False

    def best(self) -> Mask | None:
        search = self.search
        outside = search.best & ~self.network.primary & ~self.within
        if search.cost >= self.passed_cost or outside.any():
            return None
        self.passed_cost = search.cost
        pattern: Mask | None = search.best[self.edges]
        return pattern

    def suggest(self, x: Floats) -> None:
        """Patterns by paths along the fractional solution, and changes to the best."""
        search, fractional = self.search, np.zeros(self.network.edges)
        fractional[self.edges] = np.clip(x, 0.0, 1.0)
        near = self.network.cost * (1.0 - 0.9 * fractional)
        search.offer(self.builder.build(search.generator, near))
        search.offer(self.builder.improve(search.generator, search.best, near))
        self.note(self.bound)
        search.tell("proving")

    def separate(self, x: Floats, whole: bool) -> tuple[Any, Floats]:
        """Cuts that x violates, as for the root: rows and right sides."""
        # a new LP each time: SCIP may have dropped a cut that was found before
        finder = self.search.finder(self.edges)
        finder.x = np.clip(x, 0.0, 1.0)
        added = finder.separate(nested=1)
        if added < 20:
            added += finder.separate_bridges()
        if added < 20 and self.network.amounts and not whole:
            added += finder.separate_amounts()
        result: tuple[Any, Floats] = finder.lp.rows()
        return result

    def over(self) -> bool:
        over = self.search.watch.over
        if not over and self.search.run.should_cancel():
            # raises, since the caller cancelled
            self.search.tell("proving")
        return over
