"""From a table to an audited pattern: price the cells, let a method choose, and attack the choice.

A pattern comes out of here only after the audit, which shares no code with the methods. What a method reports
of its own pattern is checked too: the cost is added up again, and where a table is small enough a second
model looks for a pattern below the bound.
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
from tacita.tables.verify.certify import check_lower_bound
from tacita.tables.verify.common import COMMON
from tacita.tables.verify.infeasible import explain_infeasible
from tacita.tables.verify.integers import PINNED, UNDECIDED
from tacita.tables.verify.protection_criteria import (
    Leak,
    check_levels,
    check_problem_meets_rules,
    with_known_zeros,
)
from tacita.tables.verify.singleton_and_sum_attacks import KNOWN_SUM
from tacita.tables.verify.suppressed import SuppressionClaim
from tacita.tables.verify.unjudged import accepted_risks, check_judged

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
    accept_less_protection: bool = False,
    strict: bool = False,
    insiders: bool = False,
    accept: Sequence[str] | str = (),
    run: RunContext | None = None,
    name: str | None = None,
) -> SuppressionClaim:
    """Choose the secondary suppressions, and audit the choice; or raise.

    The options of `tacita.suppress`. An objective that prices only inner cells prices sums at their value,
    and a zero that would cost nothing costs 1. Where contributors are known, cells are added until no
    singleton comes too close to a sensitive cell, as far as possible. `name` is the name of the method in the
    record.

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
    check_judged(table, accept)
    check_problem_meets_rules(table, problem, accept_less_protection)
    priced = _priced(table, problem, objective, margins, zeros)
    if problem == "general":
        priced = priced.with_bounds(-np.inf, np.inf)
    method.check_supported(priced, problem)
    check_levels(priced, problem)
    try:
        reported = method.suppress(priced, problem, run)
    except DataError as problem_found:
        raise explain_infeasible(priced, problem, problem_found) from None
    pattern = _checked(priced, reported, method, problem, name)
    recorded: dict[str, Any] = {"zeros": zeros} if zeros is not None else {}
    recorded |= {"insiders": True} if insiders else {}
    if accepted := accepted_risks(table, accept):
        recorded["accept"] = [*accepted]
    if recorded:
        pattern = replace(pattern, parameters={**pattern.parameters, **recorded})
    pattern, result = _reinforced(priced, pattern, run, strict, accept_less_protection, insiders)
    require_safe(result)
    if problem == "general":
        pattern = against_bounds(table, pattern, accept_less_protection, run)
    check_lower_bound(priced, pattern)
    if accept_less_protection:
        pattern = replace(pattern, parameters={**pattern.parameters, "insist": True})
    return SuppressionClaim(pattern, result)


def _priced(
    table: Table,
    problem: Problem,
    objective: str | npt.ArrayLike | None,
    margins: bool | None,
    zeros: Zeros | None,
) -> Table:
    if objective is not None:
        priced = table.with_cost(objective)
        if not isinstance(objective, str) and np.size(objective) < table.n:
            # prices of inner cells do not price the sums
            priced = priced.with_cost(np.where(table.inner, priced.cost, np.abs(table.values)))
        table = priced
    if margins is not None:
        table = table.with_margins(margins)
    if zeros == "publish":
        # anyone who knows this can read the unit off the published values
        table = table.with_published_unit()
    zeros = zeros or ("withhold" if problem == "exact" else "publish")
    if zeros == "publish":
        return table.with_zeros("publish")
    if zeros != "withhold":
        raise ParameterError("suppress: zeros must be 'publish' or 'withhold'.")
    free = (table.values == 0) & (table.cost == 0)
    return table.with_cost(np.where(free, 1.0, table.cost))


def _reinforced(
    table: Table,
    pattern: Pattern,
    run: RunContext,
    strict: bool,
    accept_less_protection: bool,
    insiders: bool,
) -> tuple[Pattern, Audit]:
    """The pattern with the cells added that singletons, known sums and whole numbers require, and its audit.

    A suppressed cell that can be computed hides no sum; linear programs leave some counts open that whole
    numbers give away, and so does the table behind linked ones. The audit finds such cells, and more cells
    are suppressed until it passes or nothing helps.
    """
    fixed: Mask | None = None
    kept, hopeless = np.zeros(table.n, dtype=bool), set[Pair]()
    for _ in range(_ROUNDS):
        before = int(pattern.withheld.sum())
        pattern = reinforce(table, pattern, run, fixed, kept)
        result = audit(
            table, pattern, None, run, strict=strict, accept_risks=accept_less_protection, insiders=insiders
        )
        wider = close(table, pattern, _leaks(result, insiders), hopeless, run)
        kept |= wider.withheld & ~pattern.withheld
        grown = fixed is None or int(pattern.withheld.sum()) > before
        if wider is pattern and not (result.cells_that_fail(KNOWN_SUM) and grown):
            break
        pattern, fixed = wider, result.computable
    return pattern, result


def _leaks(result: Audit, insiders: bool) -> list[Leak]:
    """The leaks that adding cells may close: by whole numbers, common tables, and contributors."""
    nobody, low = frozenset[int](), result.table.low
    given_away = (PINNED, UNDECIDED, COMMON)
    leaks = [Leak(failure, nobody, low) for failure in result.failures if failure.reason in given_away]
    return [*leaks, *result.lone, *(result.insiders if insiders else ())]


def _checked(
    table: Table, reported: Pattern, method: Suppression, problem: Problem, name: str | None
) -> Pattern:
    """The pattern of the method, where its report can be confirmed; VerificationError if not."""
    who = method.display_name()
    if reported.withheld.shape != (table.n,) or reported.withheld.dtype != bool:
        raise VerificationError(f"{who}: the pattern does not have the shape of the table. It is refused.")
    pattern = reported.on(
        table, reported.withheld, method=name or who, problem=problem, parameters=method.own_parameters()
    )
    if not abs(pattern.cost - reported.cost) <= _ROUNDING * pattern.cost:
        raise VerificationError(
            f"{who}: the cost it reports is not that of its pattern. The pattern is refused."
        )
    return pattern


def against_bounds(table: Table, pattern: Pattern, accept_less_protection: bool, run: RunContext) -> Pattern:
    """Attack a pattern for general protection, which assumes that nothing is known, with known bounds.

    These are the bounds of the table; where it has none and no value is negative, someone may guess so.
    """
    known = table
    if not (np.isfinite(table.low).any() or np.isfinite(table.high).any()):
        if (table.values < 0).any():
            return pattern
        known = table.with_bounds(0.0, np.inf)
    zeros = pattern.parameters.get("zeros")
    # for general protection zeros are published unless declared otherwise
    known = with_known_zeros(known, pattern.withheld, "general", zeros)
    attacked = audit(known, pattern.withheld, "exact", run, accept_risks=True, zeros=zeros)
    if not attacked.exposed:
        return pattern
    if not accept_less_protection:
        what = "no value is negative" if known.nonnegative else "the table has bounds"
        acceptance = setting("suppress", "insist", True)
        raise DataError(
            f"suppress: {what}, and {attacked.exposed} sensitive cells can be computed by someone who knows "
            f"that. Use exact protection ({setting('suppress', 'problem', 'exact')}), or accept it, which is "
            f"recorded ({acceptance})."
        )
    return replace(pattern, parameters={**pattern.parameters, "computed_from_signs": attacked.exposed})
