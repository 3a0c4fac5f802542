"""Rounding to multiples of a base, sums kept."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Adjusted, DataError, RunContext, Table, Terms
from tacita.core.arrays import Floats

from .adjustment_method import Adjustment
from .controlled_rounding import Task, as_task, nearest
from .sums import sums_of
from .time_limit import Patience
from .unbiased_rounding import NoNetwork, by_chance, in_parts


class Rounding(Adjustment):
    """Every cell becomes an adjacent multiple of a base, all sums still add up, as near as possible.

    Minimise sum |z_i - a_i| with M z = 0 and z_i one of the two multiples of b around a_i; a multiple stays.
    Two-way tables, and others whose sums form a network, always have such a rounding: one linear program,
    O(cells^1.5) or so. Other tables need an integer program, with a time limit and a bound; where no such
    rounding exists, or none is found, cells go further than their neighbours, which is reported. With
    `random`, every cell keeps its expected value: along circuits of the network, O(cells sqrt(cells)) or so.

    O(a linear or integer program of the size of the table).
    Source: Cox & Ernst (1982), INFOR 20(4), 423-432; Cox (1987), JASA 82, 520-524; Salazar-Gonzalez (2006),
    Statistics and Computing 16(3), 185-200.

    >>> table = Table.from_array([[4, 7], [2, 1]])
    >>> found = Rounding(base=5).adjust(table)
    >>> table.grid(found.values).tolist()
    [[5.0, 5.0, 10.0], [0.0, 5.0, 5.0], [5.0, 10.0, 15.0]]
    >>> found.distance, found.proven
    (16.0, True)
    """

    guarantees: ClassVar[tuple[str, ...]] = ("adds-up", "multiples-of-base", "within-reach", "zeros-stay")
    anytime: ClassVar[bool] = True

    base: float = Field(
        default=5.0, gt=0, le=1e12, allow_inf_nan=False, description="every value becomes a multiple of this"
    )
    random: bool = Field(
        default=False, description="up or down by chance, so that no value is biased, not to the nearest"
    )
    seconds: float = Field(
        default=30.0, gt=0, le=1e7, description="seconds after which the best rounding is taken"
    )

    def revalue(self, table: Table, run: RunContext) -> Adjusted:
        """Round by linear programs or by chance."""
        self._check_base(table)
        patience = Patience(self.seconds, run)
        task = as_task(table.relations, table.codes, table.values, self.base, table.low, table.high)
        if self.random:
            return self._by_chance(table, task, patience, run)
        rounded = nearest(task, patience, run)
        if not rounded.units.size:
            raise DataError(
                "Rounding: no additive rounding within the bounds of the table was found. Widen the bounds, "
                "or give it more time."
            )
        relaxed = ""
        if rounded.beyond:
            why = "does not exist for this table" if rounded.proven_none else "was not found in time"
            relaxed = f"a rounding of every cell to its two neighbours {why}"
        made = Adjusted.of(
            table,
            rounded.units * self.base,
            lower_bound=rounded.bound * self.base,
            seconds=patience.spent,
            relaxed=relaxed,
            terms=self._terms(rounded.beyond),
        )
        return _with_status(made, patience)

    def _check_base(self, table: Table) -> None:
        if (
            not np.isfinite(table.values / self.base).all()
            or (np.abs(table.values) / self.base > 2**50).any()
        ):
            raise DataError("Rounding: the base is too small for the values. Choose a larger one.")

    def terms(self, table: Table, values: Floats) -> Terms:
        """The base, and the reach of the values of a file."""
        return self._terms(self._beyond(table, values))

    def claimed(self, table: Table, values: Floats) -> Adjusted:
        """As of any method; values beyond the neighbours are reported as `relaxed`."""
        claimed = super().claimed(table, values)
        beyond = claimed.terms.reach is not None and claimed.terms.reach > self.base
        return replace(claimed, relaxed="values go further than to their two neighbours" if beyond else "")

    def _beyond(self, table: Table, values: Floats) -> int:
        """How many bases more than one the reach must have, for all values to be less than that away."""
        away = np.abs(values - table.values)
        # whole numbers are exact, others may be a hair farther than they should
        exact = (away == np.rint(away)) & float(self.base).is_integer()
        return int(np.floor(away / self.base - np.where(exact, 0.0, 1e-9)).max(initial=0.0))

    def _terms(self, beyond: int) -> Terms:
        whole = float(self.base).is_integer()
        return Terms(base=self.base, reach=self.base * (1 + beyond), whole=whole)

    def _by_chance(self, table: Table, task: Task, patience: Patience, run: RunContext) -> Adjusted:
        run.report("rounding", 0, 1)
        generator, relaxed, beyond = run.protective_generator(), "", 0
        sums = sums_of(task.relations, table.n)
        rests, whole = in_parts(table.relations, table.values, self.base, sums)
        try:
            units = (table.values / self.base - rests / whole).round() + by_chance(
                task.relations, rests, whole, generator
            )
        except NoNetwork:
            if not sums.free(task.relations):
                raise DataError(
                    "Rounding: inner cells are tied among themselves, as by linked tables, and cannot be "
                    "rounded by chance one by one. Round to the nearest (leave random away)."
                ) from None
            parts = task.floors[sums.parts] + (generator.random(sums.parts.size) < task.rests[sums.parts])
            units = sums.of(parts)
            beyond = self._beyond(table, units * self.base)
            relaxed = "sums form no network: inner cells were rounded, and their sums are what they add up to"
        run.report("rounding", 1, 1)
        return Adjusted.of(
            table,
            units * self.base,
            seconds=patience.spent,
            relaxed=relaxed,
            terms=self._terms(beyond),
            drawn=table.n,
        )


def _with_status(made: Adjusted, patience: Patience) -> Adjusted:
    if made.proven:
        return replace(made, status="optimal")
    return replace(
        made, status="stopped" if patience.stopped else "time limit" if patience.left <= 0 else "feasible"
    )
