"""The two solvers of exact cell suppression: processor time to the same proven cost.

Tables as in `suppression`: five seeds each, one core. The ratio is the time of HiGHS over that of SCIP.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from tacita.core import Problem
from tacita.tables.suppression.optimal.optimal import Optimal
from tacita.tables.suppression.time_limit import processor_time

from .measuring import Result
from .suppression import SEEDS, table

TABLES: tuple[tuple[Problem, int, int], ...] = (
    ("interval", 50, 20),
    ("interval", 50, 100),
    ("interval", 60, 20),
    ("exact", 100, 200),
    ("general", 200, 200),
)


def results() -> Iterator[Result]:
    """Mean time of both; an error where they differ in a proven cost."""
    with processor_time():
        for solver in ("highs", "scip"):
            Optimal(solver=solver).suppress(table("interval", 20, 10, 0), "interval")
        for problem, side, primaries in TABLES:
            yield _compared(problem, side, primaries)


def _compared(problem: Problem, side: int, primaries: int) -> Result:
    seconds: dict[str, list[float]] = {"highs": [], "scip": []}
    proven = 0
    for seed in SEEDS:
        grid = table(problem, side, primaries, seed)
        found = {}
        for solver, taken in seconds.items():
            start = time.process_time()
            found[solver] = Optimal(seconds=240.0, solver=solver).suppress(grid, problem)
            taken.append(time.process_time() - start)
        both = [each for each in found.values() if each.proven]
        proven += len(both) == len(found)
        if len(both) == len(found) and both[0].cost != both[1].cost:
            raise AssertionError(f"{problem} {side} x {side}, seed {seed}: the solvers differ in cost")
    note = f"same cost; both proven {proven} of {len(SEEDS)}"
    return Result(
        f"{problem} {side} x {side}, {primaries} primaries, SCIP, CPU s",
        float(np.mean(seconds["scip"])),
        f"HiGHS (worst {max(seconds['highs']):.3g} s, of SCIP {max(seconds['scip']):.3g} s)",
        float(np.mean(seconds["highs"])),
        note,
    )
