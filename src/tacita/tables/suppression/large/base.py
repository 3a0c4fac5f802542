"""What methods for large tables share: a first pattern with its proofs, and a bound where one is had."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Bounds, Pattern, Problem, Run, Table
from tacita.core.arrays import Mask
from tacita.tables.suppression.base import Suppression
from tacita.tables.suppression.general.presolve import refuse
from tacita.tables.suppression.twoway.base import TimeLimit, ended
from tacita.tables.suppression.watch import Watch

from .asked import systems_for
from .proofs import Proofs
from .subtables import by_elimination, top_down

Bounded = Annotated[
    float,
    Field(ge=0, le=1, description="share of the seconds for a lower bound by cuts; 0: none is sought"),
]
# Open cells up to which programmes do all, and find cheaper patterns; and up to which elimination is quick.
_FROM_NOTHING, _AT_ONCE = 3000, 10_000
# Open cells times primaries up to which a bound is sought: beyond, its programme would not end in time.
_MOST = 600_000


class Large(Suppression):
    """Chooses cells of a table of any shape by proofs, found one by one. Subclasses fill in `search`."""

    anytime: ClassVar[bool] = True
    seconds: TimeLimit = 60.0
    bound: Bounded = 0.3

    def choose(self, table: Table, problem: Problem, run: Run) -> Pattern:
        run.report("reading the table", 0, 1)
        watch = Watch(self.seconds * (1 - self.bound), run.enough)
        withheld = table.primary.copy()
        systems = systems_for(table, problem)
        start = self.start(table, run) if systems else withheld
        parts = [Proofs(system, start) for system in systems]
        for number, proofs in enumerate(parts):
            self._prove_all(table, proofs, run, (number, len(parts)))
        least = self.search(parts, watch, run)
        for proofs in parts:
            withheld[proofs.system.of_table(proofs.chosen)] = True
        return self._pattern(table, problem, withheld, least, watch, run)

    def start(self, table: Table, run: Run) -> Mask:
        """Cells to begin with: the primaries alone where there is time for a programme each.

        Else those that hide the primaries from whoever adds up: by elimination, in one go or, where that
        would take long, in small tables from the top down.
        """
        open_cells = int((table.primary | ~table.forced).sum())
        if open_cells <= _FROM_NOTHING:
            return table.primary
        if open_cells <= _AT_ONCE or len(table.dimensions) == 1:
            found = by_elimination(table)
            return table.primary if found is None else found
        return top_down(table, by_elimination, run)

    def _prove_all(self, table: Table, proofs: Proofs, run: Run, part: tuple[int, int]) -> None:
        """A first pattern: every demand gets a proof, in random order. It takes the time that it takes."""
        system = proofs.system
        order = run.search_generator().permutation(system.demands)
        for done, demand in enumerate(order.tolist()):
            if done % 8 == 0:
                run.report("protecting cells", part[0] + done / system.demands, part[1])
            if not proofs.prove(demand):
                raise refuse(table, system, demand)

    @abstractmethod
    def search(self, parts: list[Proofs], watch: Watch, run: Run) -> float:
        """Make patterns cheaper, each with all its proofs, until the watch is over; a bound, or 0."""

    def _pattern(
        self, table: Table, problem: Problem, withheld: Mask, least: float, watch: Watch, run: Run
    ) -> Pattern:
        cost = float(table.cost[withheld & ~table.primary].sum())
        run.on_bounds(Bounds(min(least, cost), cost))
        if least < cost:
            least = max(least, self._least(table, problem, watch, run))
        made = Pattern.of(
            table,
            withheld,
            lower_bound=min(least, cost),
            seconds=watch.seconds,
            method=self.spoken_name(),
            problem=problem,
            parameters=self.own_parameters(),
        )
        run.on_bounds(Bounds(made.lower_bound, made.cost))
        run.report("withholding cells", 1, 1)
        return replace(made, status="optimal" if made.proven else ended(watch))

    def _least(self, table: Table, problem: Problem, watch: Watch, run: Run) -> float:
        """A cost below which no pattern protects; 0 where none is known."""
        from tacita.tables.suppression.general.branch import root_bound

        open_cells = int((table.primary | ~table.forced).sum())
        if not self.bound or watch.stopped or open_cells * int(table.primary.sum()) > _MOST:
            return 0.0
        looking = Watch(self.seconds * self.bound, run.enough)
        found = root_bound(table, problem, looking, run.silent())
        watch.stopped = looking.stopped
        return found


def spared(parts: list[Proofs], watch: Watch, run: Run, until: float = np.inf) -> None:
    """Publish what no proof needs, dearest first, part by part; all that no proof uses in any case."""
    for proofs in parts:
        secondary = proofs.secondary
        for done, column in enumerate(secondary.tolist()):
            if done % 8 == 0:
                run.report("publishing what nobody needs", done, secondary.size)
            if not proofs.users(column) or not (watch.over or watch.seconds > until):
                proofs.spare(column)
