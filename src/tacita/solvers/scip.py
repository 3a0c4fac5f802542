"""Binary programs in one branch-and-cut tree of SCIP, to which the caller adds cuts.

No other module imports the optional package pyscipopt.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

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

# nodes between heuristic solutions of the caller
_EVERY = 10
_EVENTS = (SCIP_EVENTTYPE.NODEFOCUSED, SCIP_EVENTTYPE.LPSOLVED, SCIP_EVENTTYPE.PRESOLVEROUND)
_OPTIONS: dict[str, Any] = {
    "lp/threads": 1,
    "limits/gap": 0.0,
    "limits/absgap": 0.0,
    # symmetry handling and copies of the model do not know the handler's rows
    "misc/usesymmetry": 0,
    "misc/catchctrlc": False,
    "presolving/maxrestarts": 0,
}
# The states in which SCIP's bound holds; "infeasible" contradicts a known solution.
_BOUNDED = ("optimal", "timelimit", "memlimit", "userinterrupt")


class Proof(NamedTuple):
    """The result of a tree: whether nothing is cheaper than its limit, and a lower bound if known."""

    nothing_cheaper: bool
    bound: float | None
    nodes: int


class ChoiceTree(ABC):
    """Minimise costs @ x over binary x, subject to rows x >= right and all rows that `separate` adds."""

    def __init__(self, costs: Floats, rows: sparse.csr_matrix, right: Floats) -> None:
        self.failure: BaseException | None = None
        self.model = Model()
        self.model.hideOutput()
        self.variables = [self.model.addVar(vtype="B", obj=cost) for cost in costs.tolist()]
        self.empty = bool(((np.diff(rows.indptr) == 0) & (right > 0)).any())
        if not self.empty:
            self._add_constraints(rows, right)

    @abstractmethod
    def separate(self, x: Floats, is_integer: bool) -> tuple[sparse.csr_matrix, Floats]:
        """Rows that x violates, and their right sides."""

    @abstractmethod
    def accepts(self, x: Floats) -> bool:
        """Whether an integer solution is feasible."""

    @abstractmethod
    def suggest(self, x: Floats) -> None:
        """Search for a better solution guided by the fractional x of a node."""

    @abstractmethod
    def best(self) -> Mask | None:
        """The best solution known, if SCIP does not know it yet."""

    @abstractmethod
    def over(self) -> bool:
        """Whether to stop now; may raise."""

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

    def prove(self, limit: float, seconds: float, processor_time: bool) -> Proof:
        """Run SCIP until the tree is empty or the time limit, for solutions of cost below `limit`.

        If SCIP accepts the best known solution, its cost replaces the limit.
        """
        model = self.model
        handler = _Handler(self)
        # after integrality: the handler judges integer solutions only
        model.includeConshdlr(
            handler, "needed", "rows as they are needed", sepapriority=100, enfopriority=-100,
            chckpriority=-100, sepafreq=1, eagerfreq=-1, needscons=True,
        )  # fmt: skip
        model.addPyCons(model.createCons(handler, "needed"))
        model.includeHeur(
            _Suggestions(self), "suggestions", "solutions of the caller", "P", priority=1_000_000, freq=1,
            timingmask=SCIP_HEURTIMING.AFTERLPNODE, usessubscip=False,
        )  # fmt: skip
        model.includeEventhdlr(_Clock(self), "clock", "stops at the time limit or on request")
        self._set_options(seconds, processor_time)
        known = self.give(None)
        if not known:
            model.setObjlimit(limit)
        try:
            model.optimizeNogil()
            status = model.getStatus()
            bound = self.bound if status in _BOUNDED else None
            return Proof(status == "infeasible" and not known, bound, int(model.getNTotalNodes()))
        finally:
            # before the objects that its callbacks use are gone
            model.freeProb()
            if self.failure is not None:
                raise self.failure

    def _set_options(self, seconds: float, processor_time: bool) -> None:
        model = self.model
        # SCIP's own heuristics and cuts are off: they know less, and copies of the model lack the handler
        model.setHeuristics(SCIP_PARAMSETTING.OFF)
        model.setParam("heuristics/suggestions/freq", 1)
        model.setSeparating(SCIP_PARAMSETTING.OFF)
        model.setParam("constraints/needed/sepafreq", 1)
        model.setPresolve(SCIP_PARAMSETTING.FAST)
        model.setParams(_OPTIONS)
        model.setParam("timing/clocktype", 1 if processor_time else 2)
        if seconds < 1e19:
            model.setParam("limits/time", seconds)

    @property
    def bound(self) -> float:
        """The lower bound that SCIP has proven so far."""
        return float(self.model.getDualbound())

    def values(self, solution: Any) -> Floats:
        """The values of the variables in a solution of SCIP; None is the LP solution of the node."""
        read = self.model.getSolVal
        return np.array([read(solution, variable) for variable in self.variables])

    def give(self, heuristic: Any) -> bool:
        """Pass the best solution to SCIP; whether it was accepted."""
        best = self.best()
        if best is None:
            return False
        solution = self.model.createSol(heuristic)
        for variable, chosen in zip(self.variables, best.tolist(), strict=True):
            if chosen:
                self.model.setSolVal(solution, variable, 1.0)
        if heuristic is None:
            return bool(self.model.addSol(solution))
        return bool(self.model.trySol(solution, printreason=False, checklprows=False))

    def add_cuts(self, x: Floats, is_integer: bool) -> Any:
        """Add violated cuts to the present LP; the result code of SCIP."""
        rows, right = self.separate(x, is_integer)
        if is_integer and not (right - rows @ np.round(x) > 1e-4).any():
            # an infeasible integer solution needs a cut, whatever the tolerance of the caller
            rows, right = sparse.csr_matrix((np.round(x) < 0.5).astype(float)[None, :]), np.ones(1)
        result = SCIP_RESULT.SEPARATED if len(right) else SCIP_RESULT.DIDNOTFIND
        for i, least in enumerate(right.tolist()):
            if self._add_cut(rows[i], least, is_integer):
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
        if self.over():
            self.model.interruptSolve()


def _guarded(otherwise: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Callbacks of SCIP cannot raise: store the exception, stop the tree, and return a neutral result."""

    def guarding(call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        def guarded(self: Any, *arguments: Any) -> Any:
            if self.tree.failure is None:
                try:
                    return {"result": call(self, *arguments)}
                except BaseException as failure:
                    self.tree.failure = failure
                    self.model.interruptSolve()
            return {"result": otherwise}

        return guarded

    return guarding


class _Handler(Conshdlr):
    """Constraint handler: cuts on demand, and integer solutions as the caller judges them."""

    def __init__(self, tree: ChoiceTree) -> None:
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
    def consenfops(self, constraints: Any, useful: int, infeasible: bool, too_costly: bool) -> Any:
        accepted = self.tree.accepts(self.tree.values(None))
        return SCIP_RESULT.FEASIBLE if accepted else SCIP_RESULT.INFEASIBLE

    @_guarded(SCIP_RESULT.INFEASIBLE)
    def conscheck(self, constraints: Any, solution: Any, *how: Any) -> Any:
        accepted = self.tree.accepts(self.tree.values(solution))
        return SCIP_RESULT.FEASIBLE if accepted else SCIP_RESULT.INFEASIBLE

    def conslock(self, constraint: Any, kind: int, positive: int, negative: int) -> None:
        # a cut may forbid either way
        both = positive + negative
        for variable in self.tree.variables:
            self.model.addVarLocksType(variable, kind, both, both)


class _Suggestions(Heur):
    """Heuristic: solutions of the caller, guided by the fractional solution."""

    def __init__(self, tree: ChoiceTree) -> None:
        self.tree = tree
        self.calls = 0

    @_guarded(SCIP_RESULT.DIDNOTRUN)
    def heurexec(self, timing: int, infeasible: bool) -> Any:
        tree = self.tree
        self.calls += 1
        if self.calls % _EVERY == 1 and not infeasible:
            tree.suggest(tree.values(None))
        return SCIP_RESULT.FOUNDSOL if tree.give(self) else SCIP_RESULT.DIDNOTFIND


class _Clock(Eventhdlr):
    """Event handler: checks the time and the caller's stop between LPs."""

    def __init__(self, tree: ChoiceTree) -> None:
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
