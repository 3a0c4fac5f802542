"""What must be able to move in a table, as its audit will ask it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacita.core import Problem, Table
from tacita.kernels.tables.network import BOTH_WAYS, EITHER_WAY, ONE_WAY
from tacita.tables.suppression.general.implied_suppressions import with_forced
from tacita.tables.suppression.general.presolve import systems_of
from tacita.tables.suppression.general.relation_system import System


def systems_for(table: Table, problem: Problem) -> list[System]:
    """The parts of a table in which something must be able to move; counts move by whole numbers.

    Outside networks a count may be free to move by less than 1, which tells whoever knows that counts are
    whole what it is. So a count must be able to move by 1, for exact protection in either direction.

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
    asked = replace(table, lower=by_one, upper=by_one, sliding=np.zeros(table.n))
    return [_either_way(system) for system in systems_of(asked, "interval")]


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
