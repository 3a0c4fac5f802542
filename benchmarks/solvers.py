"""The two engines of exact cell suppression: processor time to the same proven cost, and of the trees alone.

Two-way tables as in `suppression`, five seeds each; tables of other shapes as in `general_tables`. The root
of a search is the same for both, so what they differ in is the tree: our branch and cut over the LPs of
HiGHS, or SCIP's with our cuts. The ratio is the time of SCIP over ours. Both in this process, one core.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from tacita.core import Pattern, Problem, Table
from tacita.tables.suppression.optimal import connected_parts, optimal, provers
from tacita.tables.suppression.optimal.optimal import Optimal
from tacita.tables.suppression.optimal.provers import Solver
from tacita.tables.suppression.optimal.search_state import Search
from tacita.tables.suppression.time_limit import processor_time

from . import general_tables
from .measuring import Result
from .suppression import SEEDS, table

TABLES: tuple[tuple[Problem, int, int], ...] = (
    ("interval", 50, 20),
    ("interval", 50, 100),
    ("interval", 60, 20),
    ("exact", 100, 200),
    ("general", 200, 200),
)
# Of `general_tables`, those that are proven.
OTHER_SHAPES = (0, 1)
# Seconds of a search.
LIMIT = 240.0
SOLVERS: tuple[Solver, ...] = ("highs", "scip")


class Solved(NamedTuple):
    """A pattern, and the seconds of its search and of the tree alone."""

    pattern: Pattern
    seconds: float
    tree: float


def results() -> Iterator[Result]:
    """Mean time of both; an error where they differ in a proven cost."""
    connected_parts.compile_kernels()
    with processor_time():
        for solver in SOLVERS:
            _solved(table("interval", 20, 10, 0), "interval", solver)
        for problem, side, primaries in TABLES:
            tables = [table(problem, side, primaries, seed) for seed in SEEDS]
            yield from _compared(f"{problem} {side} x {side}, {primaries} primaries", tables, problem)
        for name, problem, shape, primaries, _, _ in (general_tables.MADE[at] for at in OTHER_SHAPES):
            made = [general_tables.table(shape, primaries)]
            yield from _compared(f"{problem} {name}, {primaries} primaries", made, problem)


def _solved(table: Table, problem: Problem, solver: Solver) -> Solved:
    trees = []

    def timed(solver: Solver, amounts: bool) -> Callable[[Search], None]:
        prove = provers.prover(solver, amounts)

        def proven(search: Search) -> None:
            start = time.process_time()
            prove(search)
            trees.append(time.process_time() - start)

        return proven

    with patch.object(optimal, "prover", timed), patch.object(connected_parts, "prover", timed):
        start = time.process_time()
        pattern = Optimal(seconds=LIMIT, solver=solver).suppress(table, problem)
        return Solved(pattern, time.process_time() - start, sum(trees))


def _compared(case: str, tables: list[Table], problem: Problem) -> Iterator[Result]:
    found = {solver: [_solved(each, problem, solver) for each in tables] for solver in SOLVERS}
    for number, pair in enumerate(zip(*found.values(), strict=True)):
        ours, theirs = (each.pattern for each in pair)
        if ours.proven and theirs.proven and ours.cost != theirs.cost:
            raise AssertionError(f"{case}, table {number}: the solvers differ in cost")
    proven = {solver: sum(each.pattern.proven for each in found[solver]) for solver in SOLVERS}
    gaps = {solver: 100 * np.mean([each.pattern.gap for each in found[solver]]) for solver in SOLVERS}
    note = (
        f"proven {proven['highs']} and {proven['scip']} of {len(tables)}, gap {gaps['highs']:.2g} % and "
        f"{gaps['scip']:.2g} %"
    )
    for part in ("seconds", "tree"):
        taken = {solver: np.array([getattr(each, part) for each in found[solver]]) for solver in SOLVERS}
        if part == "tree" and not taken["highs"].any():
            # proven at the root
            continue
        yield Result(
            f"{case}, {'tree alone, ' if part == 'tree' else ''}CPU s",
            float(taken["highs"].mean()),
            f"SCIP (worst {taken['scip'].max():.3g} s, ours {taken['highs'].max():.3g} s)",
            float(taken["scip"].mean()),
            note,
        )
