"""The dual simplex kernel against HiGHS, on the attacker's LPs of exact suppression.

A search of a made-up table (as in `general_tables`) notes the LPs that its attacker solves. Then the same LPs
are solved in the same order by the kernel, by HiGHS from the slack basis, as tacita calls it, and by HiGHS
from the basis of the last LP. All in this process, in turns, so that other load slows all of them. The
kernel's time includes the LPs that it hands to HiGHS because its answer did not pass the check.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from tacita.core import Problem, RunContext
from tacita.core.arrays import Floats
from tacita.solvers.highs import LinearProgram
from tacita.tables.suppression.optimal.attacker_lp import Movements, Reached
from tacita.tables.suppression.optimal.connected_parts import compile_kernels, searches_of
from tacita.tables.suppression.optimal.relation_system import System
from tacita.tables.suppression.time_limit import Watch, processor_time

from .general_tables import MADE, table
from .measuring import Result

# LPs of a table, at most; turns, of which the fastest of each solver counts.
MOST_LPS = 400
TURNS = 2
# Shares of a demand by which answers may differ: both stop within their tolerance.
TOLERANCE = 1e-6


class AttackerLP(NamedTuple):
    """How far a cell can move in a direction, up to an amount, if x of every other cell is suppressed."""

    system: System
    cell: int
    sign: float
    amount: float
    x: Floats
    farthest: float


def results() -> Iterator[Result]:
    """CPU seconds of the kernel and of HiGHS, table by table."""
    compile_kernels()
    with processor_time():
        for name, problem, shape, primaries, _, _ in MADE:
            noted = _noted(problem, shape, primaries)
            yield from _compared(f"{name}, {primaries} primaries, {problem}", noted)


def _noted(problem: Problem, shape: tuple[tuple[int, ...], ...], primaries: int) -> list[AttackerLP]:
    """The first LPs that the root of a search asks of its attacker."""
    plain, noted = Movements.reach, list[AttackerLP]()

    def reach(
        self: Movements, cell: int, sign: float, amount: float, x: Floats, farthest: float = 1.0
    ) -> Reached:
        if len(noted) < MOST_LPS:
            noted.append(AttackerLP(self.system, cell, sign, amount, x.copy(), farthest))
        return plain(self, cell, sign, amount, x, farthest)

    watch = Watch(np.inf, lambda: len(noted) >= MOST_LPS)
    with patch.object(Movements, "reach", reach):
        for search in searches_of(table(shape, primaries), problem, watch, RunContext(), lambda _: None)[0]:
            search.relax()
    return noted


def _compared(case: str, noted: list[AttackerLP]) -> Iterator[Result]:
    seconds: dict[str, list[float]] = {"kernel": [], "slack basis": [], "last basis": []}
    shares = {}
    for _ in range(TURNS):
        for solver, taken in seconds.items():
            start = time.process_time()
            shares[solver] = _solved(noted, solver)
            taken.append(time.process_time() - start)
    for solver, found in shares.items():
        if np.abs(found - shares["kernel"]).max() > TOLERANCE:
            raise AssertionError(f"{case}: the kernel and HiGHS from the {solver} differ")
    cells = max(each.system.edges for each in noted)
    note = f"{len(noted)} LPs of up to {cells} cells, same answers"
    for solver in ("slack basis", "last basis"):
        name = f"HiGHS from the {solver}"
        yield Result(f"{case}, CPU s", min(seconds["kernel"]), name, min(seconds[solver]), note)


def _solved(noted: list[AttackerLP], solver: str) -> Floats:
    """Share of its demand that each LP reaches."""
    made: dict[int, Movements] = {}
    found = np.empty(len(noted))
    kept = LinearProgram.forget if solver != "last basis" else lambda _: None
    with patch.object(LinearProgram, "forget", kept):
        for number, (system, *question) in enumerate(noted):
            movements = made.get(id(system)) or made.setdefault(
                id(system), Movements(system, quick=solver == "kernel")
            )
            found[number] = movements.reach(*question).share
    return found
