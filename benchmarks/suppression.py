"""Exact cell suppression: processor time to a proof, and the gap where no proof is reached in time.

Tables as in the literature: values uniform in 0 .. 499, primaries among the smallest fifth of the cells,
interval levels of 15 %, least value, margins published. Mean of five seeds, one core.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from tacita.core import Problem, Table
from tacita.tables.suppression.optimal.optimal import Optimal
from tacita.tables.suppression.time_limit import processor_time

from .measuring import Result

SEEDS = range(5)
PROVEN: tuple[tuple[Problem, int, int, float], ...] = (
    ("general", 200, 200, 10),
    ("general", 500, 200, 60),
    ("exact", 100, 200, 30),
    ("interval", 50, 20, 30),
    ("interval", 50, 100, 30),
    ("interval", 100, 200, 40),
)
WITHIN: tuple[tuple[Problem, int, int, float], ...] = (("interval", 100, 20, 1), ("interval", 200, 50, 5))


def table(problem: Problem, side: int, primaries: int, seed: int) -> Table:
    """A square table; primaries have positive values."""
    generator = np.random.default_rng(seed)
    values = generator.integers(0, 500, size=side * side).astype(float)
    small = np.flatnonzero((values > 0) & (values <= np.quantile(values, 0.2)))
    primary = np.zeros(side * side, dtype=bool)
    primary[generator.choice(small, primaries, replace=False)] = True
    square = (side, side)
    made = Table.from_array(values.reshape(square), primary=primary.reshape(square), lower=15, upper=15)
    # zeros cost 1, and are published unless the problem is exact
    priced = made.with_cost(np.where(made.values == 0, 1.0, made.cost))
    return priced if problem == "exact" else priced.with_zeros("publish")


def results() -> Iterator[Result]:
    """What the issue measures; then the two kinds of table that are hard, at 120 s."""
    with processor_time():
        Optimal().suppress(table("interval", 20, 10, 0), "interval")
        for problem, side, primaries, asked in PROVEN:
            yield from _measured(problem, side, primaries, 240.0, f"mean under {asked:g} s, all proven")
        for problem, side, primaries, asked in WITHIN:
            yield from _measured(problem, side, primaries, 120.0, f"gap {asked:g} % at 120 s")


def _measured(problem: Problem, side: int, primaries: int, limit: float, asked: str) -> Iterator[Result]:
    seconds, gaps, whole, proven = [], [], [], 0
    for seed in SEEDS:
        grid = table(problem, side, primaries, seed)
        start = time.process_time()
        found = Optimal(seconds=limit).suppress(grid, problem)
        seconds.append(time.process_time() - start)
        gaps.append(100 * found.gap)
        # as a share of all that is withheld, primaries included, as some papers have it
        withheld = found.cost + float(grid.values[grid.primary].sum())
        whole.append(gaps[-1] * found.cost / withheld)
        proven += found.proven
    case = f"{problem} {side} x {side}, {primaries} primaries"
    yield Result(f"{case}, CPU s", float(np.mean(seconds)), "", None, f"{asked}; worst {max(seconds):.3g} s")
    note = f"proven {proven} of {len(gaps)}; {np.mean(whole):.2g} % of all withheld value"
    yield Result(f"{case}, gap %", float(np.mean(gaps)), "", None, note)
