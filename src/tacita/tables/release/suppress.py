"""From a table to an audited pattern: price the cells, let a method choose, and attack what it chose.

A pattern comes out of here only after the audit, which shares no code with the methods. What a method says of
its own answer is not believed either: the cost is added up again, and where a table is small enough a
second model looks for a pattern below the bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from tacita.core import DataError, ParameterError, Pattern, Problem, RunContext, Table, VerificationError
from tacita.core.arrays import Mask
from tacita.core.spec.setting_syntax import setting
from tacita.tables.suppression.suppression_method import Suppression
from tacita.tables.verify.audit import Audit, audit, require_safe
from tacita.tables.verify.certify import refuse_refuted
from tacita.tables.verify.common import COMMON
from tacita.tables.verify.infeasible import explain_infeasible
from tacita.tables.verify.integers import PINNED, UNDECIDED
from tacita.tables.verify.protection_criteria import (
    Leak,
    refuse_no_level,
    refuse_weaker_problem,
    with_known_zeros,
)
from tacita.tables.verify.singleton_and_sum_attacks import KNOWN_SUM
from tacita.tables.verify.suppressed import SuppressionClaim
from tacita.tables.verify.unjudged import accepted_risks, refuse_unjudged

from .reinforce import Pair, close, reinforce

Zeros = Literal["publish", "withhold"]

# Relative: what sums of costs lose to rounding.
_ROUNDING = 1e-6
# Rounds of audits and added cells; each adds a cell.
_ROUNDS = 50


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
    insiders: bool = False,
    accept: Sequence[str] | str = (),
    run: RunContext | None = None,
    name: str | None = None,
) -> SuppressionClaim:
    """Choose the cells to withhold besides the sensitive ones, and audit the choice; or raise.

    Asked as in `tacita.suppress`; figures of inner cells as objective price sums at their value, and a zero
    that would cost nothing costs 1. Where contributors are known, cells are added until nobody who is alone
    in a withheld cell comes too close to another, as far as that can be had. `name` is what the record calls
    the method.

    The cost of the method, and that of an audit.

    >>> from tacita.tables.suppression.optimal.optimal import Optimal
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
    run = run or RunContext()
    refuse_unjudged(table, accept)
    refuse_weaker_problem(table, problem, insist)
    priced = _priced(table, problem, objective, margins, zeros)
    if problem == "general":
        priced = priced.with_bounds(-np.inf, np.inf)
    method.check_supported(priced, problem)
    refuse_no_level(priced, problem)
    try:
        said = method.suppress(priced, problem, run)
    except DataError as problem_found:
        raise explain_infeasible(priced, problem, problem_found) from None
    pattern = _believed(priced, said, method, problem, name)
    around: dict[str, Any] = {"zeros": zeros} if zeros is not None else {}
    around |= {"insiders": True} if insiders else {}
    if accepted := accepted_risks(table, accept):
        around["accept"] = [*accepted]
    if around:
        pattern = replace(pattern, parameters={**pattern.parameters, **around})
    pattern, found = _reinforced(priced, pattern, run, strict, insist, insiders)
    require_safe(found)
    if problem == "general":
        pattern = against_bounds(table, pattern, insist, run)
    refuse_refuted(priced, pattern)
    if insist:
        pattern = replace(pattern, parameters={**pattern.parameters, "insist": True})
    return SuppressionClaim(pattern, found)


def _priced(
    table: Table,
    problem: Problem,
    objective: str | npt.ArrayLike | None,
    margins: bool | None,
    zeros: Zeros | None,
) -> Table:
    if objective is not None:
        given = table.with_cost(objective)
        if not isinstance(objective, str) and np.size(objective) < table.n:
            # figures of inner cells say nothing of the sums
            given = given.with_cost(np.where(table.inner, given.cost, np.abs(table.values)))
        table = given
    if margins is not None:
        table = table.with_margins(margins)
    if zeros == "publish":
        # who is told so reads the unit off the published values
        table = table.with_published_unit()
    zeros = zeros or ("withhold" if problem == "exact" else "publish")
    if zeros == "publish":
        return table.with_zeros("publish")
    if zeros != "withhold":
        raise ParameterError("suppress: zeros must be publish or withhold.")
    free = (table.values == 0) & (table.cost == 0)
    return table.with_cost(np.where(free, 1.0, table.cost))


def _reinforced(
    table: Table, pattern: Pattern, run: RunContext, strict: bool, insist: bool, insiders: bool
) -> tuple[Pattern, Audit]:
    """The pattern with the cells that singletons, known sums and whole numbers ask for, and its audit.

    A suppressed cell that can be computed hides no sum, linear programs leave some counts open that whole
    numbers give away, and so does the table behind linked ones. The audit finds all that, and more cells are
    added then, until it passes or nothing helps.
    """
    fixed: Mask | None = None
    kept, hopeless = np.zeros(table.n, dtype=bool), set[Pair]()
    for _ in range(_ROUNDS):
        before = int(pattern.withheld.sum())
        pattern = reinforce(table, pattern, run, fixed, kept)
        found = audit(table, pattern, None, run, strict=strict, insist=insist, insiders=insiders)
        wider = close(table, pattern, _leaks(found, insiders), hopeless, run)
        kept |= wider.withheld & ~pattern.withheld
        grown = fixed is None or int(pattern.withheld.sum()) > before
        if wider is pattern and not (found.cells_that_fail(KNOWN_SUM) and grown):
            break
        pattern, fixed = wider, found.computable
    return pattern, found


def _leaks(found: Audit, insiders: bool) -> list[Leak]:
    """The leaks that adding cells may close: by whole numbers, common tables, and cells of one's own."""
    nobody, low = frozenset[int](), found.table.low
    given_away = (PINNED, UNDECIDED, COMMON)
    leaks = [Leak(failure, nobody, low) for failure in found.failures if failure.reason in given_away]
    return [*leaks, *found.lone, *(found.insiders if insiders else ())]


def _believed(
    table: Table, said: Pattern, method: Suppression, problem: Problem, name: str | None
) -> Pattern:
    """What the method says, as far as it can be believed without its word."""
    who = method.display_name()
    if said.withheld.shape != (table.n,) or said.withheld.dtype != bool:
        raise VerificationError(f"{who}: the pattern does not have the shape of the table. It is refused.")
    pattern = said.on(
        table, said.withheld, method=name or who, problem=problem, parameters=method.own_parameters()
    )
    if not abs(pattern.cost - said.cost) <= _ROUNDING * pattern.cost:
        raise VerificationError(
            f"{who}: the cost it reports is not that of its pattern. The pattern is refused."
        )
    return pattern


def against_bounds(table: Table, pattern: Pattern, insist: bool, run: RunContext) -> Pattern:
    """General protection assumes that nothing is known of a cell: attack it with what is, or may be guessed.

    That is the bounds of the table; where it has none and no value is negative, someone may guess so.
    """
    known = table
    if not (np.isfinite(table.low).any() or np.isfinite(table.high).any()):
        if (table.values < 0).any():
            return pattern
        known = table.with_bounds(0.0, np.inf)
    zeros = pattern.parameters.get("zeros")
    # for general protection zeros are published unless it is said that they are not
    known = with_known_zeros(known, pattern.withheld, "general", zeros)
    attacked = audit(known, pattern.withheld, "exact", run, insist=True, zeros=zeros)
    if not attacked.exposed:
        return pattern
    if not insist:
        what = "no value is negative" if known.nonnegative else "the table has bounds"
        raise DataError(
            f"suppress: {what}, and {attacked.exposed} sensitive cells can be computed by someone who knows "
            f"that. Use exact protection ({setting('suppress', 'problem', 'exact')}), or accept it, which is "
            f"recorded ({setting('suppress', 'insist', True)})."
        )
    return replace(pattern, parameters={**pattern.parameters, "computed_from_signs": attacked.exposed})
