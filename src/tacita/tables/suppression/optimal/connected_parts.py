"""Branch and cut over the connected parts of a table: the cheapest pattern of each, and its proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import cast

import numpy as np

from tacita.core import Bounds, Problem, RunContext, Table, VerificationError
from tacita.core.arrays import Mask
from tacita.core.spec import registry
from tacita.kernels.interpreted import interpreting, is_ready
from tacita.tables.suppression.suppression_method import Suppression
from tacita.tables.suppression.time_limit import Watch

from .attacker_lp import Movements
from .cost_scale import lift_of
from .implied_suppressions import with_forced
from .provers import Solver, prover
from .relation_patterns import short_demand
from .relation_presolve import systems_of, unmet_demand_error
from .relation_search import Search
from .relation_system import System


@dataclass(frozen=True)
class ConnectedPartsSettings:
    """How the search of a connected part begins.

    `python -m benchmarks general_tables` prints what the engine reaches with these on tables of all shapes.
    """

    # patterns along the first solution of the LP, and changes to the incumbent
    patterns: int = 20
    changes: int = 80
    # cells of a part from which on its first pattern comes from the method `starter`
    large_cells: int = 2000
    # the same where the part has more relations than cells
    tangled_cells: int = 1000
    # registry name of that method
    starter: str = "constructive"
    # share of the time limit that it gets
    starter_share: float = 0.4
    # cells times primaries up to which a search first runs without compiling its kernels
    interpreted_work: int = 2000
    # seconds after which such a search is begun anew with compiled kernels
    interpreted_seconds: float = 10.0


SETTINGS = ConnectedPartsSettings()


@cache
def compile_kernels() -> None:
    """Once per process: load or compile the kernels, so that no time limit counts it."""
    values = np.array([[[3.0, 1.0], [2.0, 1.0]], [[4.0, 2.0], [2.0, 5.0]]])
    table = Table.from_array(values, primary=values > 4, lower=15, upper=15, margins=True)
    search = searches_of(table, "interval", Watch(np.inf), RunContext(), lambda _: None)[0][0]
    search.relax()
    search.master.separate_bridges()
    search.master.share_rows()
    search.master.recall()
    search.master.solve()
    search.master.separate_half_sums(search.generator)


def root_bound(table: Table, problem: Problem, suppressed: Mask, watch: Watch, run: RunContext) -> float:
    """A cost below which no pattern protects, by cuts alone: for methods that have no bound of their own.

    `suppressed` is a pattern that protects, which ends the cuts where they meet its cost.
    """
    searches, fixed_cost, lift = searches_of(table, problem, watch, run, lambda _: suppressed)
    for search in searches:
        search.relax()
    return (fixed_cost + sum(search.network.rounded_up(search.bound) for search in searches)) / lift


def searches_of(
    table: Table,
    problem: Problem,
    watch: Watch,
    run: RunContext,
    begun: Callable[[list[System]], Mask | None],
) -> tuple[list[Search], float, float]:
    """A search, with a first pattern, for each part of a table; the cost of primaries; the lift of costs.

    `begun` may name the cells of a first pattern once it sees the parts; else cheapest movements make one.
    """
    run.report("reading the table", 0, 1)
    lift = lift_of(table.cost[~table.forced & ~table.primary])
    systems = [pressing(with_forced(system)) for system in systems_of(table, problem, lift)]
    fixed_cost = sum(system.fixed_cost for system in systems)
    searches: list[Search] = []

    def report_bounds(_: Bounds) -> None:
        lower, upper = (
            fixed_cost + sum(getattr(search, side) for search in searches) for side in ("bound", "cost")
        )
        run.on_bounds(Bounds(lower / lift, upper / lift))

    steered = replace(run, on_bounds=report_bounds)
    suppressed = begun(systems)
    for system in systems:
        known = None if suppressed is None else system.of_suppressed(suppressed) | system.primary
        searches.append(Search(system, watch, steered, known))
        if searches[-1].cost == np.inf:
            raise unmet_demand_error(
                table, system, max(0, short_demand(system, np.ones(system.edges, dtype=bool)))
            )
    return searches, fixed_cost, lift


def pressing(system: System) -> System:
    """The same system with only the demands that the primaries by themselves do not meet."""
    part = system.among(system.primary)
    movements, everything = Movements(part), np.ones(part.edges)
    met = [movements.met(demand, movements.demand(demand, everything)) for demand in range(part.demands)]
    left = np.flatnonzero(~np.array(met, dtype=bool))
    parts = {name: getattr(system, name)[left] for name in ("own", "sign", "amount", "ways")}
    return replace(system, **parts)


def least_pattern(
    table: Table, problem: Problem, solver: Solver, seconds: float, run: RunContext
) -> tuple[Mask, float, Watch]:
    """The cheapest cells to suppress that are found in time, a proven bound of their cost, and the watch.

    Small tables are solved without compiled kernels first; where that takes too long, they are solved again.
    """
    from tacita.kernels.tables.benders_cuts import cut_rows

    open_cells = int((table.primary | ~table.forced).sum())
    ready = is_ready(cut_rows)
    if not ready and solver == "highs" and open_cells * int(table.primary.sum()) <= SETTINGS.interpreted_work:
        watch = Watch(min(SETTINGS.interpreted_seconds, seconds), run.should_stop)
        with interpreting():
            suppressed, bound = searched(table, problem, solver, watch, run)
        if watch.stopped or not watch.over:
            return suppressed, bound, watch
    run.report("preparing the search" if ready else "compiling", 0, 1)
    compile_kernels()
    watch = Watch(seconds, run.should_stop)
    suppressed, bound = searched(table, problem, solver, watch, run)
    return suppressed, bound, watch


def searched(
    table: Table, problem: Problem, solver: Solver, watch: Watch, run: RunContext
) -> tuple[Mask, float]:
    """The cheapest cells to suppress that are found in time, and a proven bound of their cost.

    Every part of the table gets a pattern first, then a bound, and then, while time is left, a proof.
    """
    searches, fixed_cost, lift = searches_of(
        table, problem, watch, run, partial(_begun, table, problem, watch, run)
    )
    for search in searches:
        search.relax()
        if not search.done():
            search.follow(search.fractional(), SETTINGS.patterns, SETTINGS.changes)
    for search in searches:
        if not search.done():
            search.sketch()
        if not search.done():
            prover(solver, search.network.amounts)(search)
    suppressed = table.primary.copy()
    for search in searches:
        if not search.protected():
            raise VerificationError("Optimal: the pattern does not protect. Nothing is returned.")
        suppressed[search.network.of_table(search.best)] = True
    bound = sum(search.network.rounded_up(min(search.bound, search.cost)) for search in searches)
    return suppressed, (fixed_cost + bound) / lift


def _vast(system: System) -> bool:
    """Whether a first pattern by cheapest movements alone would be slow, or expensive."""
    tangled = system.relations.shape[0] > system.edges > SETTINGS.tangled_cells
    return tangled or system.edges > SETTINGS.large_cells


def _begun(
    table: Table, problem: Problem, watch: Watch, run: RunContext, systems: list[System]
) -> Mask | None:
    """A first pattern, if a part is vast, by the method that is made for such tables."""
    if not any(_vast(system) for system in systems):
        return None
    seconds = min(max(SETTINGS.starter_share * watch.limit, 0.1), 600.0)
    beginner = cast("type[Suppression]", registry.lookup(SETTINGS.starter, "suppression"))
    return beginner.model_validate({"seconds": seconds, "bound": 0.0}).choose(table, problem, run).withheld
