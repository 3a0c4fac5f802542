"""The laws of methods that choose the secondary suppressions of a table."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, get_args

import numpy as np

from tacita.core import Cancelled, ParameterError, Pattern, Problem, RunContext, Table
from tacita.testing import Findings

from .examples import StopAfter, counts, cube, linked, nested, refusal, two_way


def every_sensitive_cell_is_suppressed_and_none_that_must_be_published(method: Any) -> Findings:
    for where, table, pattern in _patterns(method):
        yield pattern.withheld.shape == (table.n,), f"{where}: {pattern.withheld.size} of {table.n} cells."
        published, kept = table.primary & ~pattern.withheld, table.forced & pattern.withheld
        yield not bool(published.any()), f"{where}: a sensitive cell is published."
        yield not bool(kept.any()), f"{where}: a cell that must be published is not."


def the_attack_of_the_audit_fails(method: Any) -> Findings:
    from tacita.tables.verify.audit import audit

    for where, table, pattern in _patterns(method):
        result = audit(table, pattern.withheld, pattern.problem)
        yield result.safe, f"{where}: {result.exposed} sensitive cells are not protected."


def its_cost_is_that_of_the_other_cells_and_its_bound_lies_below(method: Any) -> Findings:
    for where, table, pattern in _patterns(method):
        cost, bound = table.cost[pattern.secondary].sum(), pattern.lower_bound
        yield bool(np.isclose(pattern.cost, cost)), f"{where}: the cost is {cost}, it says {pattern.cost}."
        yield bool(0 <= bound <= cost * (1 + 1e-9)), f"{where}: the bound is {bound}, the cost {cost}."


def no_pattern_is_found_below_its_bound(method: Any) -> Findings:
    from tacita.tables.release.suppress import suppress

    for problem in method.problems:
        pattern = suppress(two_way(0), method, problem).pattern
        yield pattern.problem == problem, f"A pattern for {problem} says it is for {pattern.problem}."


def the_same_table_gives_the_same_pattern(method: Any) -> Findings:
    for problem in method.problems:
        one, other = (method.suppress(two_way(7), problem) for _ in range(2))
        yield np.array_equal(one.withheld, other.withheld), f"For {problem}, the second time other cells."
        same = (one.cost, one.lower_bound) == (other.cost, other.lower_bound)
        yield same, f"For {problem}, the second time another cost or bound."


def problems_and_shapes_it_is_not_made_for_are_refused_by_name(method: Any) -> Findings:
    yield bool(method.problems and method.shapes), "It declares no problem or no shape that it takes."
    for problem in set(get_args(Problem)) - set(method.problems):
        message = refusal(ParameterError, method.suppress, two_way(1), problem)
        yield f"got {problem}" in message, f"The problem {problem} is not refused."
    if "any" not in method.shapes:
        message = refusal(ParameterError, method.suppress, nested(), method.problems[0])
        yield "two-way tables" in message, "A table with a hierarchy is not refused."


def no_sensitive_cell_means_nothing_is_suppressed(method: Any) -> Findings:
    pattern = method.suppress(Table.from_array([[3, 4], [5, 6]]), method.problems[0])
    yield not pattern.withheld.any(), f"{int(pattern.withheld.sum())} cells are suppressed."
    yield pattern.cost == 0 and pattern.proven, f"The cost is {pattern.cost}, proven: {pattern.proven}."


def cancelling_stops_it(method: Any) -> Findings:
    cancelled = RunContext(should_cancel=lambda: True)
    message = refusal(Cancelled, method.suppress, two_way(1), method.problems[0], cancelled)
    yield bool(message), "It runs on when it is cancelled."


def stopped_early_it_protects_and_proves_no_more_than_is_true(method: Any) -> Findings:
    from tacita.tables.suppression.optimal.optimal import Optimal
    from tacita.tables.verify.audit import audit

    table = two_way(5)
    for problem in method.problems:
        known = table.with_bounds(-np.inf, np.inf) if problem == "general" else table
        least = Optimal().suppress(known, problem).cost
        for questions in (0, 1, 2, 5, 20):
            budget = StopAfter(questions)
            pattern = method.suppress(known, problem, RunContext(should_stop=budget))
            where = f"For {problem}, stopped at question {questions + 1}"
            yield audit(known, pattern.withheld, problem).safe, f"{where}, the attack of the audit succeeds."
            yield pattern.lower_bound <= least * (1 + 1e-9), f"{where}, the bound is above the least cost."
            yield (
                budget.count > 0 or not method.anytime,
                "It says that it can be stopped, and never checks whether to stop.",
            )
            named = pattern.status == ("optimal" if pattern.proven else "stopped")
            yield named or budget.count <= questions, f"{where}, its status is {pattern.status}."


# several laws look at the same patterns, one after another
@lru_cache(maxsize=1)
def _patterns(method: Any) -> tuple[tuple[str, Table, Pattern], ...]:
    """The patterns of a method in tables of every shape and for every problem that it supports."""
    return tuple(_patterns_of(method))


def _patterns_of(method: Any) -> Iterator[tuple[str, Table, Pattern]]:
    tables = {f"{n} x {n}": two_way(n, (n, n)) for n in (3, 4, 5)}
    if "any" in method.shapes:
        tables["regions and their parts"] = nested()
        tables["three dimensions"] = cube()
        tables["two tables with the same sums"] = linked()
        tables["counts in three dimensions"] = counts().with_zeros("publish")
    for problem in method.problems:
        for where, table in tables.items():
            known = table.with_bounds(-np.inf, np.inf) if problem == "general" else table
            yield f"{where}, {problem}", known, method.suppress(known, problem)
