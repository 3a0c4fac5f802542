"""Large tables of any shape: time and cost of patterns, their audit, and the stored patterns of other tools.

Reference tables and patterns lie in $TACITA_SHARED, or beside the data ($TACITA_DATA). Costs are sums of
counts, or of the values of firms where intervals are protected. A peer's pattern is audited too; how many
sensitive cells it leaves open stands behind its name. With $TACITA_LARGE set, the table of 97 500 cells too.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tacita.core import Table
from tacita.tables.release.suppress import suppress
from tacita.tables.suppression.heuristics.gauss import Gauss
from tacita.tables.suppression.large.constructive import Constructive
from tacita.tables.suppression.large.hitas import HiTaS
from tacita.tables.suppression.large.neighbourhood_search import Improve
from tacita.tables.suppression.suppression_method import Suppression
from tacita.tables.suppression.time_limit import processor_time
from tacita.tables.verify.audit import audit

from .measuring import Result
from .reference_tables import REFERENCE, counts, magnitudes, runs, withheld

SMALL, LARGE = ("T2a", "T2b", "T3a", "T2c", "T3b"), ("T2d", "T2e", "T3c")


def results() -> Iterator[Result]:
    """Peers first, table by table, then what size costs."""
    if not REFERENCE.exists():
        missing = "neither TACITA_SHARED nor TACITA_DATA names their folder"
        yield Result("no reference tables at hand", float("nan"), missing, None)
        return
    for name in SMALL + LARGE:
        yield from against_peers(name)
    yield from ten_thousand()
    if os.environ.get("TACITA_LARGE"):
        yield from hundred_thousand()


def peers(name: str) -> Iterator[tuple[str, np.ndarray]]:
    """The stored patterns of counts that other tools withhold in a table."""
    stored = [
        ("sdcTable", "B_sdctable", f"{name}_freq_{run['method']}.csv", run) for run in runs("B_sdctable")
    ]
    stored += [
        ("GaussSuppression", "C_gauss", f"{name}_{run['run']}{packed}.csv", run)
        for run in runs("C_gauss")
        for packed in ("", ".gz")
        if run["run"].startswith("nozero")
    ]
    table = counts(name)
    for tool, folder, file, run in stored:
        path = REFERENCE / folder / file
        if run["table"] == name and not run.get("singletons") and path.exists():
            yield f"{tool} {run.get('method', run.get('run'))}", withheld(table, path)


def against_peers(name: str) -> Iterator[Result]:
    """The cost of ours against that of every stored pattern, each audited."""
    table = counts(name)
    ours: dict[str, float] = {}
    for method in methods(table):
        problem = method.problems[0] if len(method.problems) == 1 else "exact"
        known = table.with_bounds(-np.inf, np.inf) if problem == "general" else table
        began = time.process_time()
        with processor_time():
            pattern = suppress(known, method, problem, zeros="publish", accept_less_protection=True).pattern
        seconds = time.process_time() - began
        ours[method.display_name()] = pattern.cost
        told = f"bound {pattern.lower_bound:.6g}" if pattern.lower_bound else "no bound"
        yield Result(
            f"{name} ({table.n} cells) {method.display_name()}, {told}, cost", pattern.cost, "", None
        )
        yield Result(f"{name} {method.display_name()} with its audit, CPU s", seconds, "", None)
    best = min(cost for method, cost in ours.items() if method != "Gauss")
    for peer, mask in peers(name):
        cost = float(table.cost[mask & ~table.primary].sum())
        left = audit(table, mask, "exact", ranges=False).exposed
        yield Result(f"{name} best of ours, cost", best, f"{peer}, {left} cells open", cost)


def methods(table: Table) -> list[Suppression]:
    """All that take any shape; where it is large, the quick ones."""
    if table.n > 2000:
        return [Gauss(), Constructive(seconds=30.0)]
    return [Gauss(), *(each(seconds=10.0) for each in (Constructive, HiTaS, Improve))]


def ten_thousand() -> Iterator[Result]:
    """9936 cells in three dimensions, intervals of 20 % of the value on either side of a sensitive cell."""
    table = magnitudes("T3c")
    began = time.process_time()
    with processor_time():
        pattern = Constructive(seconds=60.0).suppress(table, "interval")
    seconds = time.process_time() - began
    yield Result(
        f"9936 cells, intervals, constructive, bound {pattern.lower_bound:.6g}, cost", pattern.cost, "", None
    )
    yield Result("9936 cells, intervals, constructive, CPU s", seconds, "", None, "60 s")
    began = time.process_time()
    left = audit(table, pattern, "interval").exposed
    yield Result(f"9936 cells, audit ({left} open), CPU s", time.process_time() - began, "", None, "60 s")


def hundred_thousand() -> Iterator[Result]:
    """97 500 cells in three dimensions, 3000 of them sensitive: a pattern, and its audit."""
    table = counts("T3d")
    chosen = np.random.default_rng(0).choice(np.flatnonzero(table.primary), 3000, replace=False)
    table = replace(table, primary=np.isin(np.arange(table.n), chosen))
    began = time.process_time()
    with processor_time():
        pattern = Constructive(seconds=150.0).suppress(table, "exact")
    seconds = time.process_time() - began
    yield Result(f"97500 cells, constructive, bound {pattern.lower_bound:.6g}, cost", pattern.cost, "", None)
    yield Result("97500 cells, 3000 sensitive, constructive, CPU s", seconds, "", None, "900 s")
    began = time.process_time()
    left = audit(table, pattern, "exact", ranges=True).exposed
    told = f"97500 cells, audit with all ranges of {int(pattern.withheld.sum())} withheld cells ({left} open)"
    yield Result(f"{told}, CPU s", time.process_time() - began, "", None, "900 s")
    yield Result(
        "97500 cells, most memory, MB", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "", None
    )
