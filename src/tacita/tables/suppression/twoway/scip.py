"""The integer phase as one tree of SCIP: a constraint handler adds cuts where they are needed.

Only this file knows the package pyscipopt, which is optional.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from pyscipopt import (
    SCIP_EVENTTYPE,
    SCIP_HEURTIMING,
    SCIP_PARAMSETTING,
    SCIP_RESULT,
    Conshdlr,
    Eventhdlr,
    Heur,
    Model,
)
from scipy import sparse

from tacita.core.arrays import Floats, Mask

from .master import Master
from .patterns import Builder
from .pool import rows_of
from .root import Search
from .watch import by_processor_time

# nodes between patterns by paths
_EVERY = 10
_EVENTS = (SCIP_EVENTTYPE.NODEFOCUSED, SCIP_EVENTTYPE.LPSOLVED, SCIP_EVENTTYPE.PRESOLVEROUND)
_OPTIONS: dict[str, Any] = {
    "lp/threads": 1,
    "limits/gap": 0.0,
    "limits/absgap": 0.0,
    # the handler's rows are not those of a symmetric model, and copies of the model would lack it
    "misc/usesymmetry": 0,
    "misc/catchctrlc": False,
    "presolving/maxrestarts": 0,
}
# What SCIP says where its bound holds; that nothing is feasible contradicts a pattern it was given.
_BOUNDED = ("optimal", "timelimit", "memlimit", "userinterrupt")


def branch_and_cut(search: Search) -> None:
    """Prove the best pattern of a search, or find the least, in one tree; bound and best are kept in it."""
    search.keep_within_gap()
    tree = Tree(search)
    if tree.empty:
        search.bound = search.cost
        return
    tree.solve()


class Tree:
    """The model of a search in SCIP, over the cells that can still be part of a cheaper pattern."""

    def __init__(self, search: Search) -> None:
        self.search, self.network = search, search.network
        master = search.master
        kept = np.flatnonzero(~master.fixed)
        self.edges = master.columns[kept]
        self.within = np.zeros(self.network.edges, dtype=bool)
        self.within[self.edges] = True
        self.builder = Builder(self.network, self.within)
        self.failure: BaseException | None = None
        self.given = np.inf
        self.model = Model()
        self.model.hideOutput()
        self.variables = [
            self.model.addVar(vtype="B", obj=cost) for cost in self.network.cost[self.edges].tolist()
        ]
        rows, right = rows_of(master.lp)
        rows = rows[:, kept]
        self.empty = bool(((np.diff(rows.indptr) == 0) & (right > 0)).any())
        if not self.empty:
            self._add_constraints(rows, right)

    def _add_constraints(self, rows: Any, right: Floats) -> None:
        model, variables = self.model, self.variables
        for i, least in enumerate(right.tolist()):
            at = rows.indices[rows.indptr[i] : rows.indptr[i + 1]].tolist()
            values = rows.data[rows.indptr[i] : rows.indptr[i + 1]].tolist()
            if not at:
                continue
            row = model.addCons(values[0] * variables[at[0]] >= least)
            for j, value in zip(at[1:], values[1:], strict=True):
                model.addConsCoeff(row, variables[j], value)

    def solve(self) -> None:
        """Run SCIP until the tree is empty or time is over."""
        model, search = self.model, self.search
        handler = Protection(self)
        # after integrality: a pattern is judged only where it is whole
        model.includeConshdlr(
            handler, "protection", "every primary can move", sepapriority=100, enfopriority=-100,
            chckpriority=-100, sepafreq=1, eagerfreq=-1, needscons=True,
        )  # fmt: skip
        model.addPyCons(model.createCons(handler, "protection"))
        model.includeHeur(
            Paths(self), "paths", "patterns along the fractional one", "P", priority=1_000_000, freq=1,
            timingmask=SCIP_HEURTIMING.AFTERLPNODE, usessubscip=False,
        )  # fmt: skip
        model.includeEventhdlr(Clock(self), "clock", "stops in time or when asked to")
        self._set_options()
        known = self.give(None)
        if not known:
            # only a cheaper pattern is of interest
            step = max(0.5 * self.network.whole_costs, 5e-8 * max(1.0, search.cost))
            model.setObjlimit(search.cost - step)
        try:
            model.optimizeNogil()
            search.nodes += int(model.getNTotalNodes())
            status = model.getStatus()
            if status == "infeasible" and not known:
                search.bound = search.cost
            elif status in _BOUNDED:
                self.note_bound()
        finally:
            # while all that its callbacks ask for is still there
            model.freeProb()
            if self.failure is not None:
                raise self.failure

    def _set_options(self) -> None:
        model, watch = self.model, self.search.watch
        # patterns and cuts are ours: its own know less of the table, and copies of the model lack the handler
        model.setHeuristics(SCIP_PARAMSETTING.OFF)
        model.setParam("heuristics/paths/freq", 1)
        model.setSeparating(SCIP_PARAMSETTING.OFF)
        model.setParam("constraints/protection/sepafreq", 1)
        model.setPresolve(SCIP_PARAMSETTING.FAST)
        model.setParams(_OPTIONS)
        # as the watch counts: processor time, or that on the wall
        model.setParam("timing/clocktype", 1 if by_processor_time() else 2)
        if watch.left < 1e19:
            model.setParam("limits/time", watch.left)

    def note_bound(self) -> None:
        """Keep what SCIP has proven: a bound on patterns cheaper than the best."""
        search = self.search
        search.bound = max(search.bound, min(float(self.model.getDualbound()), search.cost))

    def values(self, solution: Any) -> Floats:
        """One number per cell of a solution of SCIP; None is the present one of the node."""
        read = self.model.getSolVal
        return np.array([read(solution, variable) for variable in self.variables])

    def pattern(self, x: Floats) -> Mask:
        """The cells that a whole solution withholds."""
        chosen = np.zeros(self.network.edges, dtype=bool)
        chosen[self.edges[x > 0.5]] = True
        return chosen

    def accepts(self, x: Floats) -> bool:
        """Whether a whole solution protects, exactly; it is kept, or else mended and kept."""
        chosen = self.pattern(x)
        if self.builder.protects(chosen):
            self.search.offer(self.builder.clean(chosen))
            return True
        self.search.offer(self.builder.build(self.search.generator, self.network.cost, chosen))
        return False

    def give(self, heuristic: Any) -> bool:
        """Tell SCIP of the best pattern, once, if it has all its cells."""
        search = self.search
        outside = search.best & ~self.network.primary & ~self.within
        if search.cost >= self.given or outside.any():
            return False
        self.given = search.cost
        solution = self.model.createSol(heuristic)
        for variable, withheld in zip(self.variables, search.best[self.edges].tolist(), strict=True):
            if withheld:
                self.model.setSolVal(solution, variable, 1.0)
        if heuristic is None:
            return bool(self.model.addSol(solution))
        return bool(self.model.trySol(solution, printreason=False, checklprows=False))

    def separate(self, x: Floats, whole: bool) -> tuple[Any, Floats]:
        """Cuts that x violates, as for the root: rows and right sides."""
        # a programme of its own each time: SCIP may have dropped a cut that was found before
        finder = Master(self.network, self.edges)
        finder.x = np.clip(x, 0.0, 1.0)
        found = finder.separate(nested=1)
        if found < 20:
            found += finder.separate_bridges()
        if found < 20 and self.network.amounts and not whole:
            found += finder.separate_amounts()
        return rows_of(finder.lp)

    def add_cuts(self, x: Floats, whole: bool) -> Any:
        """Add violated cuts to the present programme; SCIP's word for what came of it."""
        rows, right = self.separate(x, whole)
        if whole and not (right - rows @ np.round(x) > 1e-4).any():
            # what does not protect needs one more cell, whatever the tolerance of flows
            rows, right = sparse.csr_matrix((np.round(x) < 0.5).astype(float)[None, :]), np.ones(1)
        result = SCIP_RESULT.SEPARATED if len(right) else SCIP_RESULT.DIDNOTFIND
        for i, least in enumerate(right.tolist()):
            if self._add_cut(rows[i], least, whole):
                result = SCIP_RESULT.CUTOFF
        return result

    def _add_cut(self, row: Any, least: float, force: bool) -> bool:
        model = self.model
        if not row.nnz:
            return least > 0
        cut = model.createEmptyRowUnspec("cut", lhs=least, rhs=None, local=False, removable=True)
        model.cacheRowExtensions(cut)
        for j, value in zip(row.indices.tolist(), row.data.tolist(), strict=True):
            model.addVarToRow(cut, self.variables[j], value)
        model.flushRowExtensions(cut)
        infeasible = bool(model.addCut(cut, forcecut=force))
        if not infeasible:
            model.addPoolCut(cut)
        model.releaseRow(cut)
        return infeasible

    def look(self) -> None:
        """Stop if time is over; report, which raises if the caller asked to stop."""
        if self.search.watch.over:
            self.model.interruptSolve()
        elif self.search.run.cancelled():
            self.search.tell("proving")


def _guarded(otherwise: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """SCIP cannot pass an exception on: keep it, stop the tree, and give the answer that claims nothing."""

    def guarding(call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        def guarded(self: Any, *given: Any) -> Any:
            if self.tree.failure is None:
                try:
                    return {"result": call(self, *given)}
                except BaseException as failure:
                    self.tree.failure = failure
                    self.model.interruptSolve()
            return {"result": otherwise}

        return guarded

    return guarding


class Protection(Conshdlr):
    """Every primary can move as far as it must: cuts as rows, whole solutions by the flows themselves."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    @_guarded(SCIP_RESULT.DIDNOTRUN)
    def conssepalp(self, constraints: Any, useful: int) -> Any:
        return self.tree.add_cuts(self.tree.values(None), False)

    @_guarded(SCIP_RESULT.INFEASIBLE)
    def consenfolp(self, constraints: Any, useful: int, infeasible: bool) -> Any:
        x = self.tree.values(None)
        if self.tree.accepts(x):
            return SCIP_RESULT.FEASIBLE
        return self.tree.add_cuts(x, True)

    @_guarded(SCIP_RESULT.INFEASIBLE)
    def consenfops(self, constraints: Any, useful: int, infeasible: bool, dear: bool) -> Any:
        accepted = self.tree.accepts(self.tree.values(None))
        return SCIP_RESULT.FEASIBLE if accepted else SCIP_RESULT.INFEASIBLE

    @_guarded(SCIP_RESULT.INFEASIBLE)
    def conscheck(self, constraints: Any, solution: Any, *how: Any) -> Any:
        accepted = self.tree.accepts(self.tree.values(solution))
        return SCIP_RESULT.FEASIBLE if accepted else SCIP_RESULT.INFEASIBLE

    def conslock(self, constraint: Any, kind: int, positive: int, negative: int) -> None:
        # down: fewer cells protect less; up: a lean pattern has no bridge, and cuts say so
        both = positive + negative
        for variable in self.tree.variables:
            self.model.addVarLocksType(variable, kind, both, both)


class Paths(Heur):
    """Patterns by paths along the fractional solution, and those that came of mending."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.calls = 0

    @_guarded(SCIP_RESULT.DIDNOTRUN)
    def heurexec(self, timing: int, infeasible: bool) -> Any:
        tree, search = self.tree, self.tree.search
        self.calls += 1
        if self.calls % _EVERY == 1 and not infeasible:
            x = np.zeros(tree.network.edges)
            x[tree.edges] = np.clip(tree.values(None), 0.0, 1.0)
            near = tree.network.cost * (1.0 - 0.9 * x)
            search.offer(tree.builder.build(search.generator, near))
            search.offer(tree.builder.improve(search.generator, search.best, near))
            tree.note_bound()
            search.tell("proving")
        return SCIP_RESULT.FOUNDSOL if tree.give(self) else SCIP_RESULT.DIDNOTFIND


class Clock(Eventhdlr):
    """Looks at the time and at the caller between linear programmes."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def eventinit(self) -> None:
        for kind in _EVENTS:
            self.model.catchEvent(kind, self)

    def eventexit(self) -> None:
        for kind in _EVENTS:
            self.model.dropEvent(kind, self)

    @_guarded(None)
    def eventexec(self, event: Any) -> None:
        self.tree.look()
