"""Branch and cut over the systems of a table: the cheapest pattern of each, and the proof."""

from __future__ import annotations

from functools import partial

from tacita.core import Problem, Run, Table, VerificationError
from tacita.core.arrays import Mask
from tacita.kernels.interpreted import interpreting, is_ready
from tacita.tables.suppression.large.constructive import Constructive
from tacita.tables.suppression.proof.provers import Solver, prover
from tacita.tables.suppression.time_limit import Watch

from .parts import compile_kernels, searches_of
from .relation_system import System

# Patterns along the first solution of the programme, and changes to the best of them.
_TRIES, _CHANGES = 20, 80
# Cells of a part from which on the first pattern is that of `constructive`: in any case, and where more
# relations tie them than there are cells; what it gets of the time.
_LARGE, _TANGLED, _BEGINNING = 2000, 1000, 0.4
# Cells times primaries up to which a search is tried without compiling first, and the seconds that it gets.
_SMALL, _PATIENCE = 2000, 10.0


def least_pattern(
    table: Table, problem: Problem, solver: Solver, seconds: float, run: Run
) -> tuple[Mask, float, Watch]:
    """The cheapest cells to withhold that are found in time, a proven bound of their cost, and the watch.

    Small tables are done before the compiler would be; where they are not, they are done again.
    """
    from tacita.kernels.tables.benders_cuts import cut_rows

    open_cells = int((table.primary | ~table.forced).sum())
    ready = is_ready(cut_rows)
    if not ready and solver == "highs" and open_cells * int(table.primary.sum()) <= _SMALL:
        watch = Watch(min(_PATIENCE, seconds), run.enough)
        with interpreting():
            withheld, bound = searched(table, problem, solver, watch, run)
        if watch.stopped or not watch.over:
            return withheld, bound, watch
    run.report("preparing the search" if ready else "compiling", 0, 1)
    compile_kernels()
    watch = Watch(seconds, run.enough)
    withheld, bound = searched(table, problem, solver, watch, run)
    return withheld, bound, watch


def searched(table: Table, problem: Problem, solver: Solver, watch: Watch, run: Run) -> tuple[Mask, float]:
    """The cheapest cells to withhold that are found in time, and a proven bound of their cost.

    Every part of the table gets a pattern first, then a bound, and then, while time is left, a proof.
    """
    searches, given, lift = searches_of(
        table, problem, watch, run, partial(_begun, table, problem, watch, run)
    )
    for search in searches:
        search.relax()
        if not search.done():
            search.follow(search.fractional(), _TRIES, _CHANGES)
    for search in searches:
        if not search.done():
            search.sketch()
        if not search.done():
            prover(solver, search.network.amounts)(search)
    withheld = table.primary.copy()
    for search in searches:
        if not search.protected():
            raise VerificationError("Optimal: the pattern does not protect. Nothing is returned.")
        withheld[search.network.of_table(search.best)] = True
    bound = sum(search.network.rounded_up(min(search.bound, search.cost)) for search in searches)
    return withheld, (given + bound) / lift


def _vast(system: System) -> bool:
    """Whether a first pattern by cheapest movements alone would be slow, or dear."""
    tangled = system.relations.shape[0] > system.edges > _TANGLED
    return tangled or system.edges > _LARGE


def _begun(table: Table, problem: Problem, watch: Watch, run: Run, systems: list[System]) -> Mask | None:
    """A first pattern, if a part is vast, by the method that is made for such tables."""
    if not any(_vast(system) for system in systems):
        return None
    seconds = min(max(_BEGINNING * watch.limit, 0.1), 600.0)
    return Constructive(seconds=seconds, bound=0.0).choose(table, problem, run).withheld
