"""A search for each part of a table that nothing connects to the others, and what their cuts alone prove."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

from tacita.core import Bounds, Problem, Run, Table
from tacita.core.arrays import Mask
from tacita.tables.suppression.time_limit import Watch
from tacita.tables.suppression.twoway.grid import lift_of

from .attacker_lp import Movements
from .implied_suppressions import with_forced
from .presolve import refuse, systems_of
from .primal_heuristic import short_demand
from .relation_system import System
from .root import Search


@cache
def compile_kernels() -> None:
    """Once per process: load or compile the kernels, so that no time limit counts it."""
    values = np.array([[[3.0, 1.0], [2.0, 1.0]], [[4.0, 2.0], [2.0, 5.0]]])
    table = Table.from_array(values, primary=values > 4, lower=15, upper=15, margins=True)
    search = searches_of(table, "interval", Watch(np.inf), Run(), lambda _: None)[0][0]
    search.relax()
    search.master.separate_bridges()
    search.master.share_rows()
    search.master.recall()
    search.master.solve()
    search.master.separate_half_sums(search.generator)


def root_bound(table: Table, problem: Problem, withheld: Mask, watch: Watch, run: Run) -> float:
    """A cost below which no pattern protects, by cuts alone: for methods that have no bound of their own.

    `withheld` is a pattern that protects, which ends the cuts where they meet its cost.
    """
    searches, given, lift = searches_of(table, problem, watch, run, lambda _: withheld)
    for search in searches:
        search.relax()
    return (given + sum(search.network.rounded_up(search.bound) for search in searches)) / lift


def searches_of(
    table: Table, problem: Problem, watch: Watch, run: Run, begun: Callable[[list[System]], Mask | None]
) -> tuple[list[Search], float, float]:
    """A search, with a first pattern, for each part of a table; what is given; by what costs are lifted.

    `begun` may name the cells of a first pattern once it sees the parts; else cheapest movements make one.
    """
    run.report("reading the table", 0, 1)
    lift = lift_of(table.cost[~table.forced & ~table.primary])
    systems = [pressing(with_forced(system)) for system in systems_of(table, problem, lift)]
    given = sum(system.given for system in systems)
    searches: list[Search] = []

    def told(_: Bounds) -> None:
        lower, upper = (given + sum(getattr(each, side) for each in searches) for side in ("bound", "cost"))
        run.on_bounds(Bounds(lower / lift, upper / lift))

    steered = replace(run, on_bounds=told)
    withheld = begun(systems)
    for system in systems:
        known = None if withheld is None else system.of_withheld(withheld) | system.primary
        searches.append(Search(system, watch, steered, known))
        if searches[-1].cost == np.inf:
            raise refuse(table, system, max(0, short_demand(system, np.ones(system.edges, dtype=bool))))
    return searches, given, lift


def pressing(system: System) -> System:
    """The same system with the demands alone that primaries by themselves do not meet."""
    part = system.among(system.primary)
    movements, everything = Movements(part), np.ones(part.edges)
    met = [movements.met(demand, movements.demand(demand, everything)) for demand in range(part.demands)]
    left = np.flatnonzero(~np.array(met, dtype=bool))
    parts = {name: getattr(system, name)[left] for name in ("own", "sign", "amount", "ways")}
    return replace(system, **parts)
