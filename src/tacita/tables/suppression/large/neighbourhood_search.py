"""Parts of a pattern solved exactly, one after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from tacita.core import Bounds, RunContext
from tacita.core.arrays import Ints, Mask
from tacita.tables.suppression.optimal.attacker_lp import Movements
from tacita.tables.suppression.optimal.provers import prover
from tacita.tables.suppression.optimal.relation_system import System
from tacita.tables.suppression.time_limit import Watch

from .large_table_method import Large, replaced, spared
from .movement_certificates import Proofs

if TYPE_CHECKING:
    from tacita.tables.suppression.optimal.relation_search import Search


@dataclass(frozen=True)
class NeighbourhoodSearchSettings:
    """How long a neighbourhood is searched, and how.

    `python -m benchmarks large_tables` prints cost and seconds that these lead to.
    """

    # seconds for the exact search of one neighbourhood
    part_seconds: float = 3.0
    # share of the time limit after which the first clean-up ends
    clean_share: float = 0.5
    # patterns along the LP of a neighbourhood, and changes to the best of them
    patterns: int = 2
    changes: int = 5


SETTINGS = NeighbourhoodSearchSettings()


class Improve(Large):
    """The pattern of `constructive`, parts of which are then freed and solved exactly, until time is up.

    A part is a secondary cell with the cells of its relations, of their relations, and so on up to `cells`.
    All other suppressed cells stay suppressed and move freely, all other published ones stay published;
    demands whose proof uses no cell of the part need not be checked again. The part is solved by the branch
    and cut of `optimal`; a pattern that costs less is kept. `seconds` or a stop end it, with the best pattern
    so far.

    O(parts) small searches by branch and cut. The lower bound is that of `constructive`.
    Source: Shaw (1998), CP98, for large neighbourhood search; the parts are ours.

    >>> from tacita.core import Table
    >>> cube = np.arange(1.0, 28.0).reshape(3, 3, 3)
    >>> table = Table.from_array(cube, primary=cube % 9 == 1.0, lower=50, upper=50)
    >>> Improve(seconds=1.0).suppress(table, "interval").cost
    114.0
    """

    cells: Annotated[int, Field(ge=2, le=100_000, description="cells of a part that is solved exactly")] = 120
    patience: Annotated[
        int, Field(ge=1, le=1_000_000, description="parts in a row without a gain before it ends")
    ] = 100

    def search(self, parts: list[Proofs], watch: Watch, run: RunContext) -> float:
        from tacita.tables.suppression.optimal.connected_parts import compile_kernels

        compile_kernels()
        spared(parts, watch, run, SETTINGS.clean_share * watch.limit)
        replaced(parts, watch, run, SETTINGS.clean_share * watch.limit)
        # what is small enough is one part
        small = [proofs for proofs in parts if proofs.system.edges <= self.cells]
        least = sum(self._least_of(proofs, watch, run) for proofs in small)
        generator, vain = run.search_generator(), 0
        while vain < self.patience and not watch.over:
            open_parts = [
                proofs for proofs in parts if proofs.system.edges > self.cells and proofs.secondary.size
            ]
            if not open_parts:
                break
            proofs = open_parts[int(generator.integers(len(open_parts)))]
            run.report("improving parts", min(watch.seconds / watch.limit, 1.0), 1)
            mid = int(generator.choice(proofs.secondary))
            vain = 0 if self._improved(proofs, mid, watch, run) else vain + 1
            run.on_bounds(Bounds(0.0, sum(proofs.cost for proofs in parts)))
        return least if len(small) == len(parts) else 0.0

    def _least_of(self, proofs: Proofs, watch: Watch, run: RunContext) -> float:
        """Solve a whole system exactly; what is proven of its cost."""
        if not proofs.secondary.size:
            return proofs.system.fixed_cost
        run.report("improving parts", min(watch.seconds / watch.limit, 1.0), 1)
        everything = np.ones(proofs.system.edges, dtype=bool)
        search = self._solved(proofs, everything, watch, run)[0]
        return proofs.system.fixed_cost + proofs.system.rounded_up(min(search.bound, search.cost))

    def _improved(self, proofs: Proofs, mid: int, watch: Watch, run: RunContext) -> bool:
        """Solve the part around a cell exactly; whether the pattern is cheaper for it."""
        return self._solved(proofs, around(proofs.system, mid, self.cells), watch, run)[1]

    def _solved(self, proofs: Proofs, region: Mask, watch: Watch, run: RunContext) -> tuple[Search, bool]:
        """Solve a part exactly, and take what is cheaper; whether it was."""
        from tacita.tables.suppression.optimal.relation_search import Search

        system, chosen = proofs.system, proofs.chosen
        freed = region & chosen & ~system.primary
        demands = {q for column in np.flatnonzero(freed).tolist() for q in proofs.users(column)}
        part = _part(system, chosen & ~freed, region | chosen, np.array(sorted(demands), dtype=np.int64))
        search = Search(part, Watch(min(SETTINGS.part_seconds, watch.left), run.should_stop), run.silent())
        search.relax()
        if not search.done():
            search.follow(search.fractional(), SETTINGS.patterns, SETTINGS.changes)
        if not search.done():
            prover("highs", part.amounts)(search)
        if search.cost >= float(system.cost[freed].sum()) * (1 - 1e-9):
            return search, False
        now = chosen & ~freed
        now[np.flatnonzero(region | chosen)[search.best]] = True
        return search, proofs.exchange(now, sorted(demands))


def around(system: System, column: int, most: int) -> Mask:
    """A column, those of its relations, those of theirs, and so on, up to about so many.

    >>> from scipy import sparse
    >>> chain = sparse.csr_array(np.array([[1.0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]))
    >>> system = System(chain, *[np.zeros(4)] * 5, *[np.zeros(0)] * 6)
    >>> around(system, 0, 3).tolist()
    [True, True, True, False]
    """
    inside = np.zeros(system.edges, dtype=bool)
    inside[column] = True
    before = 0
    while before < (count := int(inside.sum())) < most:
        before = count
        rows = np.unique(system.relations[:, inside].tocoo().coords[0])
        reached = np.unique(system.relations[rows].indices)
        new = reached[~inside[reached]]
        # the cheapest of those that are reached: expensive ones seldom take part
        inside[new[np.argsort(system.cost[new], kind="stable")][: most - count]] = True
    return inside


def _part(system: System, fixed: Mask, taken: Mask, demands: Ints) -> System:
    """Some cells of a system, some of them suppressed anyway, with the demands that those do not meet."""
    demand_arrays = {name: getattr(system, name)[demands] for name in ("own", "sign", "amount", "ways")}
    part = replace(system, primary=fixed, cost=np.where(fixed, 0.0, system.cost), **demand_arrays).among(
        taken
    )
    movements, alone = Movements(part), part.primary.astype(np.float64)
    short = [q for q in range(part.demands) if not movements.meets(q, alone)]
    return replace(part, **{name: getattr(part, name)[short] for name in demand_arrays})
