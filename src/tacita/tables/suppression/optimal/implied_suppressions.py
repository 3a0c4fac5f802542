"""Cells that every protecting pattern suppresses, as single relations show, and how far they must move."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tacita.core.arrays import Floats, Ints, Mask
from tacita.kernels.tables.network import BOTH_WAYS, EITHER_WAY, ONE_WAY

from .relation_system import System


@dataclass(frozen=True)
class ImpliedSuppressionSettings:
    """Tolerances of what single relations imply, and when their propagation ends."""

    # share of a demand that the others must leave open for a cell to be forced: less may be rounding
    least_shortfall: float = 0.01
    # share by which a protection level must rise for another round of propagation
    least_raise: float = 0.01
    # rounds of propagation, at most
    rounds: int = 50
    # share of an implied level that is given up for rounding
    rounding: float = 1e-6


SETTINGS = ImpliedSuppressionSettings()


class Helps(NamedTuple):
    """What cells do for demands, relation by relation. A line is a demand and a relation of its cell.

    For each cell of each line but that of the demand: the line, the cell, its coefficient over that of the
    demand's cell, and what it can move to balance that, at most the amount of the demand, in units of the
    demand's cell. `demand` is the demand of each line.
    """

    demand: Ints
    line: Ints
    cell: Ints
    share: Floats
    value: Floats

    def sums(self, which: Mask | None = None) -> Floats:
        """What the cells of each line can do together, or some of them."""
        value = self.value if which is None else np.where(which, self.value, 0.0)
        return np.bincount(self.line, value, self.demand.size).astype(np.float64)


def spans(starts: Ints, lengths: Ints) -> Ints:
    """Places from each start on, so many of each, one behind the other."""
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if ends.size else 0) - np.repeat(ends - lengths - starts, lengths)


def helps_of(system: System) -> Helps:
    """What cells do for demands: in the better direction where either will do, in both for a width.

    O(entries of the relations of demands).
    """
    by_row, by_column = system.relations.tocsr(), system.relations.tocsc()
    times = np.diff(by_column.indptr)[system.own]
    demand = np.repeat(np.arange(system.demands), times)
    at = spans(by_column.indptr[system.own], times)
    relation, own_figure = by_column.indices[at], by_column.data[at]
    sizes = np.diff(by_row.indptr)[relation]
    line, entry = np.repeat(np.arange(relation.size), sizes), spans(by_row.indptr[relation], sizes)
    cell, share, line_demand = by_row.indices[entry], by_row.data[entry] / own_figure[line], demand[line]
    # what falls as the cell of the demand rises, if both stand on one side
    falls = np.where(share > 0, system.down[cell], system.up[cell])
    rises = np.where(share > 0, system.up[cell], system.down[cell])
    ways, amount = system.ways[line_demand], system.amount[line_demand]
    room = np.where(system.sign[line_demand] > 0, falls, rises)
    room = np.where(ways == EITHER_WAY, np.maximum(falls, rises), room)
    room = np.where(ways == BOTH_WAYS, falls + rises, room)
    value = np.where(room > 0, np.minimum(np.abs(share) * room, amount), 0.0)
    other = cell != system.own[line_demand]
    return Helps(demand, line[other], cell[other], share[other], value[other])


def with_forced(system: System) -> System:
    """The same system, where cells without which a demand cannot be met are primaries with their own demand.

    If cell k must move by d, and in a relation of k the cells other than k and i can balance less, namely r,
    every protecting pattern suppresses i, and i can move by d - r (times |a_k / a_i|) or more. That is a
    demand of its own, which every protecting pattern meets anyway; it may imply others in turn. Cells known
    to be suppressed make all cuts deeper. O(entries of the relations of demands) a round.

    >>> from tacita.core import Table
    >>> from .relation_presolve import systems_of
    >>> values = [[10.0, 90.0, 20.0], [3.0, 80.0, 40.0], [4.0, 70.0, 90.0]]
    >>> table = Table.from_array(values, primary=[[1, 0, 0], [0, 0, 0], [0, 0, 0]], upper=50)
    >>> (system,) = systems_of(table, "interval")
    >>> system.own.tolist(), system.sign.tolist(), system.amount.tolist()
    ([0], [1.0], [5.0])
    >>> forced = with_forced(system)
    >>> forced.own.tolist(), forced.sign.tolist(), forced.amount.round(3).tolist(), forced.fixed_cost
    ([0, 6, 3], [1.0, -1.0, -1.0], [5.0, 2.0, 1.0], 7.0)
    """
    for _ in range(SETTINGS.rounds):
        rise, fall = _implied(system)
        raised = _raised(system, rise, fall)
        if raised is None:
            break
        system = raised
    return system


def _implied(system: System) -> tuple[Floats, Floats]:
    """How far every cell must be able to rise, and to fall, for the demands of others."""
    helps = helps_of(system)
    line_demand = helps.demand[helps.line]
    amount, total = system.amount[line_demand], helps.sums()[helps.line]
    # others in the line may be rounded: what they all together just do forces nobody
    left = amount - (total - helps.value)
    forced = (
        (system.ways[line_demand] == ONE_WAY) & (left > SETTINGS.least_shortfall * amount) & (total >= amount)
    )
    cell, share = helps.cell[forced], helps.share[forced]
    level = left[forced] / np.abs(share) * (1 - SETTINGS.rounding)
    rises = (share < 0) == (system.sign[line_demand[forced]] > 0)
    rise, fall = np.zeros(system.edges), np.zeros(system.edges)
    np.maximum.at(rise, cell[rises], level[rises])
    np.maximum.at(fall, cell[~rises], level[~rises])
    return rise, fall


def _raised(system: System, rise: Floats, fall: Floats) -> System | None:
    """The system with the implied demands added; None where its own demand as much already."""
    one_way = system.ways == ONE_WAY
    amount, new = system.amount.copy(), []
    for sign, level in ((1.0, rise), (-1.0, fall)):
        these = np.flatnonzero(one_way & (system.sign == sign))
        now = np.zeros(system.edges)
        now[system.own[these]] = amount[these]
        more = level > now * (1 + SETTINGS.least_raise)
        amount[these] = np.where(more, level, now)[system.own[these]]
        more[system.own[these]] = False
        new.append(np.flatnonzero(more))
    if not (new[0].size or new[1].size or (amount > system.amount).any()):
        return None
    own = np.concatenate([system.own, *new])
    signs = np.concatenate([system.sign, np.ones(new[0].size), -np.ones(new[1].size)])
    amount = np.concatenate([amount, rise[new[0]], fall[new[1]]])
    ways = np.concatenate([system.ways, np.full(new[0].size + new[1].size, ONE_WAY)])
    # neighbours in amount have nearly the same LP
    order = np.lexsort((own, -amount))
    primary = system.primary.copy()
    primary[own] = True
    return replace(
        system,
        primary=primary,
        cost=np.where(primary, 0.0, system.cost),
        fixed_cost=system.fixed_cost + float(system.cost[primary].sum()),
        own=own[order],
        sign=signs[order],
        amount=amount[order],
        ways=ways[order],
    )
