"""What methods for large tables share: a first pattern with its proofs, and a bound where one is had."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Bounds, Pattern, Problem, RunContext, Table
from tacita.core.arrays import Mask
from tacita.kernels.tables.network import BOTH_WAYS, EITHER_WAY, ONE_WAY
from tacita.tables.suppression.optimal.implied_suppressions import with_forced
from tacita.tables.suppression.optimal.relation_presolve import systems_of, unmet_demand_error
from tacita.tables.suppression.optimal.relation_system import System
from tacita.tables.suppression.optimal.single_relation_bounds import Lines
from tacita.tables.suppression.suppression_method import Suppression
from tacita.tables.suppression.time_limit import TimeLimit, Watch

from .movement_certificates import Proofs

Bounded = Annotated[
    float,
    Field(
        ge=0,
        le=1,
        description="share of the seconds for a better lower bound than that over single lines",
    ),
]


@dataclass(frozen=True)
class LargeTableSettings:
    """How the time limit is shared.

    `python -m benchmarks large_tables` prints cost and seconds that these lead to.
    """

    # share of the time limit after which no more rows of single relations are added to the bound
    single_relation_share: float = 0.2
    # times the time limit after which any movement proves a cell, not the cheapest: such a pattern may cost
    # twice as much, so it is late
    hurry_share: float = 2.0
    # open cells times primaries up to which a bound by cuts is sought: beyond, it would not end in time
    bounded_work: int = 600_000


SETTINGS = LargeTableSettings()


class Large(Suppression):
    """Chooses cells of a table of any shape by proofs, found one by one. Subclasses fill in `search`."""

    anytime: ClassVar[bool] = True
    seconds: TimeLimit = 60.0
    bound: Bounded = 0.3

    def choose(self, table: Table, problem: Problem, run: RunContext) -> Pattern:
        run.report("reading the table", 0, 1)
        watch = Watch(self.seconds * (1 - self.bound), run.should_stop)
        suppressed = table.primary.copy()
        systems = systems_for(table, problem)
        start = self.start(table, run) if systems else suppressed
        parts, lines = list[Proofs](), list[Lines]()
        for number, system in enumerate(systems):
            run.report("looking at single lines", number, len(systems))
            lines.append(Lines(system, lambda: watch.seconds > SETTINGS.single_relation_share * watch.limit))
            parts.append(Proofs(system, start, lines[-1].x, lambda: watch.over))
            self._prove_all(table, parts[-1], watch, run, (number, len(systems)))
        least = self.search(parts, watch, run)
        for proofs in parts:
            suppressed[proofs.system.of_table(proofs.chosen)] = True
        return self._pattern(table, problem, suppressed, (least, lines), watch, run)

    def start(self, table: Table, run: RunContext) -> Mask:
        """Cells to begin with: the primaries alone, unless a method knows better."""
        return table.primary

    def _prove_all(
        self, table: Table, proofs: Proofs, watch: Watch, run: RunContext, part: tuple[int, int]
    ) -> None:
        """A first pattern: prove every demand, in random order; those after the time limit in a hurry."""
        system = proofs.system
        order = run.search_generator().permutation(system.demands)
        for done, demand in enumerate(order.tolist()):
            if done % 8 == 0:
                run.report("protecting cells", part[0] + done / system.demands, part[1])
            if not proofs.prove(demand, hurried=watch.seconds > SETTINGS.hurry_share * watch.limit):
                raise unmet_demand_error(table, system, demand)
        proofs.price_plainly()

    @abstractmethod
    def search(self, parts: list[Proofs], watch: Watch, run: RunContext) -> float:
        """Make patterns cheaper, each with all its proofs, until the watch is over; a bound, or 0."""

    def _pattern(
        self,
        table: Table,
        problem: Problem,
        suppressed: Mask,
        known: tuple[float, list[Lines]],
        watch: Watch,
        run: RunContext,
    ) -> Pattern:
        cost = float(table.cost[suppressed & ~table.primary].sum())
        least, lines = known
        least = max(least, _table_bound(lines))
        run.on_bounds(Bounds(min(least, cost), cost))
        if least < cost and self.bound and not watch.stopped:
            least = max(least, self._least(table, problem, suppressed, lines, watch, run))
        pattern = self.made(table, problem, suppressed, least, watch)
        run.on_bounds(Bounds(pattern.lower_bound, pattern.cost))
        run.report("suppressing cells", 1, 1)
        return pattern

    def _least(
        self,
        table: Table,
        problem: Problem,
        suppressed: Mask,
        lines: list[Lines],
        watch: Watch,
        run: RunContext,
    ) -> float:
        """A cost below which no pattern protects: by whole choices over lines, and by cuts where they end."""
        from tacita.tables.suppression.optimal.connected_parts import root_bound

        open_cells = int((table.primary | ~table.forced).sum())
        by_cuts = open_cells * int(table.primary.sum()) <= SETTINGS.bounded_work
        looking = Watch(self.seconds * self.bound / (1 + by_cuts), run.should_stop)
        for relation_bounds in lines:
            relation_bounds.tighten(looking)
        least = _table_bound(lines)
        if by_cuts and not looking.stopped:
            looking = Watch(self.seconds * self.bound / 2, run.should_stop)
            least = max(least, root_bound(table, problem, suppressed, looking, run.silent()))
        watch.stopped = watch.stopped or looking.stopped
        return least


def _table_bound(lines: list[Lines]) -> float:
    """The bound of all parts together."""
    return sum(bounds.table_bound for bounds in lines)


def replaced(parts: list[Proofs], watch: Watch, run: RunContext, until: float = np.inf) -> None:
    """Replace cells by cheaper ones, most expensive first, in rounds as long as a round gains."""
    for proofs in parts:
        before = np.inf
        while proofs.cost < before:
            before = proofs.cost
            for done, column in enumerate(proofs.secondary.tolist()):
                if watch.over or watch.seconds > until:
                    return
                if done % 8 == 0:
                    run.report("replacing cells", min(watch.seconds / watch.limit, 1.0), 1)
                if proofs.chosen[column]:
                    proofs.replace(column)


def spared(parts: list[Proofs], watch: Watch, run: RunContext, until: float = np.inf) -> None:
    """Publish the cells that no proof needs, most expensive first, part by part, and all unused cells."""
    for proofs in parts:
        proofs.publish_idle()
        secondary = proofs.secondary
        for done, column in enumerate(secondary.tolist()):
            if done % 8 == 0:
                run.report("publishing what nobody needs", done, secondary.size)
            if proofs.chosen[column] and not (watch.over or watch.seconds > until):
                proofs.spare(column)
        proofs.publish_idle()


def systems_for(table: Table, problem: Problem) -> list[System]:
    """The parts of a table in which something must be able to move; counts move by whole numbers.

    Outside networks a count may be free to move by less than 1, which reveals it to anyone who knows that
    counts are whole. So a count must be able to move by 1, for exact protection in either direction.

    >>> counts = Table.from_array([[1.0, 3.0], [2.0, 4.0]], primary=[[1, 0], [0, 0]], frequency=True)
    >>> (system,) = systems_for(counts, "exact")
    >>> system.amount.tolist(), system.up.tolist(), system.down.tolist()
    ([1.0], [2.0], [1.0])
    """
    if not table.frequency or problem == "general":
        return _forced(systems_of(table, problem))
    if problem == "interval":
        levels = {name: np.ceil(getattr(table, name) - 1e-9) for name in ("lower", "upper", "sliding")}
        return _forced(systems_of(replace(table, **levels), problem))
    by_one = np.where(table.primary, 1.0, 0.0)
    # the bounds of counts are whole, so that a cell that can move at all by itself can move by 1
    by_one_table = replace(table, lower=by_one, upper=by_one, sliding=np.zeros(table.n))
    return [_either_way(system) for system in systems_of(by_one_table, "interval")]


def _forced(systems: list[System]) -> list[System]:
    return [with_forced(system) for system in systems]


def _either_way(system: System) -> System:
    """The same with one demand a cell, which either direction meets."""
    own, first, times = np.unique(system.own, return_index=True, return_counts=True)
    amount = np.zeros(system.edges)
    np.maximum.at(amount, system.own, system.amount)
    ways = np.where(times > 1, EITHER_WAY, ONE_WAY)
    assert not (system.ways == BOTH_WAYS).any()
    return replace(system, own=own, sign=system.sign[first], amount=amount[own], ways=ways)
