"""From a table to an audited pattern: price the cells, let a method choose, and attack what it chose.

A pattern comes out of here only after the audit, which shares no code with the methods. What a method says of
its own answer is not believed either: the cost is added up again, and where a table is small enough a
second model looks for a pattern below the bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from tacita.core import DataError, ParameterError, Pattern, Run, Table, VerificationError

from .audit import Audit, audit, require_safe
from .certify import refuse_refuted
from .infeasible import explain_infeasible
from .judge import Problem, refuse_no_level, refuse_weaker_problem
from .loners import not_leaning
from .suppression.base import Suppression
from .suppression.grid import Grid, Solution

Zeros = Literal["publish", "withhold"]
Mask = npt.NDArray[np.bool_]

_STATUS: dict[str, Literal["optimal", "feasible", "time limit"]] = {
    "optimal": "optimal",
    "time-limit": "time limit",
    "heuristic": "feasible",
}
# Relative: what sums of costs lose to rounding.
_ROUNDING = 1e-6
# What a double tells apart from its neighbours by as little as solvers take for rounding.
_LARGEST = 1e9


@dataclass(frozen=True, eq=False, repr=False)
class Suppressed:
    """A table as it was priced, the pattern, and what the audit found of it. Confidential."""

    table: Table
    pattern: Pattern
    audit: Audit

    def __repr__(self) -> str:
        return f"<Suppressed: {int(self.pattern.withheld.sum())} of {self.table.n} cells, {self.audit!r}>"


def suppress(
    table: Table,
    method: Suppression,
    problem: Problem = "interval",
    *,
    objective: str | npt.ArrayLike | None = None,
    margins: bool | None = None,
    zeros: Zeros | None = None,
    insist: bool = False,
    strict: bool = False,
    run: Run | None = None,
    name: str | None = None,
) -> Suppressed:
    """Choose the cells to withhold besides the sensitive ones, and audit the choice; or raise.

    `objective` is what withholding loses: value, count, log, contributors, or figures (sums then at their
    value); None keeps the table's own cost. `margins` says whether sums may be withheld; None keeps what the
    table says. `zeros` are published unless the problem is exact, where they may be withheld; one that would
    cost nothing costs 1. Where contributors are known, cells are added until nobody who is alone in a
    withheld cell comes too close to another, as far as that can be had. `insist` accepts less than a rule
    asks for, and general protection that falls to someone who guesses signs; it is recorded. `strict` as in
    the audit. `name` is what the record calls the method.

    The cost of the method, and that of an audit.

    >>> from .suppression.optimal import Optimal
    >>> regions = [[11, 47, 58], [1, 15, 33], [2, 31, 20]]
    >>> table = Table.from_array(regions, primary=[[0, 0, 0], [0, 1, 0], [0, 0, 0]])
    >>> found = suppress(table, Optimal(), "exact")
    >>> found.pattern.cost, found.pattern.status, found.audit.range_of(5)
    (34.0, 'optimal', (13.0, 16.0))
    """
    if problem not in get_args(Problem):
        raise ParameterError(
            f"suppress: problem must be one of {', '.join(get_args(Problem))}, got {problem!r}."
        )
    run = run or Run()
    refuse_weaker_problem(table, problem, insist)
    priced = _priced(table, problem, objective, margins, zeros)
    if problem == "general":
        priced = priced.with_bounds(-np.inf, np.inf)
    cells = priced.two_way()
    refuse_no_level(priced, problem)
    grid = _grid(priced, cells, problem)
    price = _lift(grid.cost[grid.allowed])
    try:
        solution = method.suppress(replace(grid, cost=grid.cost * price), run)
    except DataError as problem_found:
        raise explain_infeasible(priced, problem, problem_found) from None
    solution = replace(solution, cost=solution.cost / price, lower_bound=solution.lower_bound / price)
    pattern = _pattern(priced, cells, solution, method, problem)
    pattern = replace(pattern, method=name or pattern.method)
    pattern = not_leaning(priced, grid, cells, pattern, run)
    found = require_safe(audit(priced, pattern, problem, run, strict=strict, insist=insist))
    if problem == "general":
        pattern = against_bounds(table, pattern, insist, run)
    refuse_refuted(priced, pattern)
    if insist:
        pattern = replace(pattern, parameters={**pattern.parameters, "insist": True})
    return Suppressed(priced, pattern, found)


def _priced(
    table: Table,
    problem: Problem,
    objective: str | npt.ArrayLike | None,
    margins: bool | None,
    zeros: Zeros | None,
) -> Table:
    if objective is not None:
        given = table.with_cost(objective)  # type: ignore[arg-type]
        if not isinstance(objective, str) and np.size(objective) < table.n:
            # figures of inner cells say nothing of the sums
            given = given.with_cost(np.where(table.inner, given.cost, np.abs(table.values)))
        table = given
    if margins is not None:
        table = table.with_margins(margins)
    zeros = zeros or ("withhold" if problem == "exact" else "publish")
    if zeros == "publish":
        return table.with_zeros("publish")
    if zeros != "withhold":
        raise ParameterError("suppress: zeros must be publish or withhold.")
    free = (table.values == 0) & (table.cost == 0)
    return table.with_cost(np.where(free, 1.0, table.cost))


def _grid(table: Table, cells: npt.NDArray[np.int64], problem: Problem) -> Grid:
    """The table as methods see it: levels of sensitive cells alone, only where intervals are asked for."""
    values, primary = table.values, table.primary
    need_low, need_high, need_width = table.needed()
    leveled = primary & (problem == "interval")
    lower, upper, sliding = (
        np.where(leveled, level, 0.0)[cells] for level in (values - need_low, need_high - values, need_width)
    )
    return Grid(
        values=values[cells],
        primary=primary[cells],
        allowed=~table.forced[cells] & ~primary[cells],
        cost=table.cost[cells],
        lower=lower,
        upper=upper,
        sliding=sliding,
        low=table.low[cells],
        high=table.high[cells],
        problem=problem,
    )


def _lift(costs: npt.NDArray[np.float64]) -> float:
    """A power of two that brings the least positive cost to 1, as far as the largest has room.

    Solvers allow for rounding in absolute terms, far less than 1: costs in thousandths would drown in that,
    and every pattern be called the least. A power of two is exact. Whole numbers stay as they are.
    """
    positive = costs[costs > 0]
    if not positive.size or (positive == np.rint(positive)).all():
        return 1.0
    up, room = np.ceil(-np.log2(positive.min())), np.floor(np.log2(_LARGEST / positive.max()))
    return float(2.0 ** max(0.0, min(up, room)))


def _pattern(
    table: Table,
    cells: npt.NDArray[np.int64],
    solution: Solution,
    method: Suppression,
    problem: Problem,
) -> Pattern:
    """What the method says, as far as it can be believed without its word."""
    who = method.spoken_name()
    withheld = np.asarray(solution.withheld)
    if withheld.shape != cells.shape or withheld.dtype != bool:
        raise VerificationError(f"{who}: the pattern does not have the shape of the table. It is refused.")
    mask = np.zeros(table.n, dtype=bool)
    mask[cells] = withheld
    pattern = Pattern.of(
        table,
        mask,
        lower_bound=float(solution.lower_bound),
        status=_STATUS.get(solution.status, "feasible"),
        seconds=float(solution.seconds),
        method=who,
        problem=problem,
        parameters=method.own_parameters(),
    )
    if not abs(pattern.cost - solution.cost) <= _ROUNDING * pattern.cost:
        raise VerificationError(
            f"{who}: the cost it reports is not that of its pattern. The pattern is refused."
        )
    return pattern


def against_bounds(table: Table, pattern: Pattern, insist: bool, run: Run) -> Pattern:
    """General protection assumes that nothing is known of a cell: attack it with what is, or may be guessed.

    That is the bounds of the table; where it has none and no value is negative, someone may guess so.
    """
    known = table
    if not (np.isfinite(table.low).any() or np.isfinite(table.high).any()):
        if (table.values < 0).any():
            return pattern
        known = table.with_bounds(0.0, np.inf)
    attacked = audit(known, pattern.withheld, "exact", run, insist=True)
    if attacked.safe:
        return pattern
    count = len({each.cell for each in attacked.failures})
    if not insist:
        what = "no value is negative" if known.nonnegative else "the table has bounds"
        raise DataError(
            f"suppress: {what}, and {count} sensitive cells can be computed by someone who knows that. Use "
            "exact protection (problem='exact'), or insist; it is recorded."
        )
    return replace(pattern, parameters={**pattern.parameters, "computed_from_signs": count})
