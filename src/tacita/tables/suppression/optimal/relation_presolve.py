"""From a table to the systems that remain to be solved: what cannot move, moves together, or stands apart.

Everything here is exact: a pattern of a system, with the primaries, protects the table if and only if it
protects the system, and no cheaper pattern is lost.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from tacita.core import DataError, Problem, Table
from tacita.core.arrays import Floats, Ints, Mask
from tacita.kernels.tables.network import BOTH_WAYS, EITHER_WAY, ONE_WAY

from .relation_system import System


@dataclass(frozen=True)
class RelationPresolveSettings:
    """Tolerances of the bounds that relations imply, and when their propagation ends."""

    # rounds of propagation, at most
    rounds: int = 50
    # share by which a bound must shrink for another round
    least_gain: float = 1e-3
    # share of a sum that rounding may take from it
    rounding: float = 1e-12


SETTINGS = RelationPresolveSettings()


class Levels(NamedTuple):
    """The demands on every cell: how far up, how far down, how wide; or only to move at all (1, else 0)."""

    rise: Floats
    fall: Floats
    width: Floats
    either: Floats


@dataclass
class Reduction:
    """Columns of cells that move together, while they are put together."""

    relations: Any
    implied: Mask
    up: Floats
    down: Floats
    cost: Floats
    primary: Mask
    levels: Levels
    # table cells (rows) of each column: by how much each moves when the column moves by 1
    members: Any


def systems_of(table: Table, problem: Problem, lift: float = 1.0) -> list[System]:
    """The connected parts of a table in which something must be able to move. O(entries) a round.

    Where only signs count, cells move without end or not at all. Costs are those of the table times `lift`.
    DataError where relations and bounds alone fix a primary.

    >>> table = Table.from_array([[5.0, 3.0], [2.0, 4.0]], primary=[[True, False], [False, False]])
    >>> [(system.edges, system.demands) for system in systems_of(table, "exact")]
    [(1, 1)]
    """
    reduction = _opened(table, problem, lift)
    refused = _Refusal(table)
    while True:
        reduction = _without_stuck(reduction, refused)
        joined = _joined(reduction)
        if joined is None:
            return _parts(reduction)
        reduction = joined


class _Refusal:
    """Says which primary cannot be protected."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def of(self, cell: int) -> DataError:
        where = " / ".join(self._table.label(cell))
        return DataError(
            f"Primary cell {where} cannot be protected: the cells that may be suppressed, all together, "
            "leave it too little room to move. Let more cells be suppressed (margins, zeros), or lower its "
            "protection level."
        )


def unmet_demand_error(table: Table, system: System, demand: int) -> DataError:
    """The error of a demand that cannot be met: it names a primary, not a cell that is forced by one."""
    column = int(system.own[demand])
    cells = system.cells[system.start[column] : system.start[column + 1]]
    if not table.primary[cells].any():
        cells = _not_met(table, system)
    return _Refusal(table).of(int(cells[table.primary[cells]][0]))


def _not_met(table: Table, system: System) -> Ints:
    """Cells of the table with a primary that all cells together do not protect; one LP for each demand."""
    from .relation_patterns import short_demand

    whose = np.repeat(np.arange(system.edges), np.diff(system.start))
    primary = np.bincount(whose, table.primary[system.cells], system.edges) > 0
    primary_demands = np.flatnonzero(primary[system.own])
    own = {name: getattr(system, name)[primary_demands] for name in ("own", "sign", "amount", "ways")}
    short = max(0, short_demand(replace(system, **own), np.ones(system.edges, dtype=bool)))
    column = int(system.own[primary_demands[short]])
    return system.cells[system.start[column] : system.start[column + 1]]


def _opened(table: Table, problem: Problem, lift: float) -> Reduction:
    """Every cell that is or may be suppressed, as a column of its own."""
    cells = np.flatnonzero(table.primary | ~table.forced)
    up, down = (table.high - table.values)[cells], (table.values - table.low)[cells]
    zero, primary = np.zeros(cells.size), table.primary[cells]
    if problem == "general":
        up, down = np.full(cells.size, np.inf), np.full(cells.size, np.inf)
    elif problem == "exact":
        up, down = (np.where(side > 0, np.inf, 0.0) for side in (up, down))
    if problem == "interval":
        low, high, wide = (limits[cells] for limits in table.needed())
        values = table.values[cells]
        rise, fall, width = (np.where(primary, level, 0.0) for level in (high - values, values - low, wide))
        levels = Levels(rise, fall, width, zero)
    else:
        levels = Levels(zero, zero, zero, primary.astype(np.float64))
    place = np.full(table.n, -1)
    place[cells] = np.arange(cells.size)
    rows, entries, signs = table.relations.among(place >= 0)
    shape = (len(table.relations), cells.size)
    relations = sparse.csr_array((signs, (rows, place[entries])), shape=shape)
    relations.sum_duplicates()
    members = sparse.csr_array((np.ones(cells.size), (cells, np.arange(cells.size))), (table.n, cells.size))
    cost = np.where(primary, 0.0, table.cost[cells] * lift)
    return Reduction(
        relations=relations,
        implied=~table.relations.basis,
        up=up,
        down=down,
        cost=cost,
        primary=primary,
        levels=levels,
        members=members,
    )


def _without_stuck(reduction: Reduction, refused: _Refusal) -> Reduction:
    """Bounds that relations imply; columns that cannot move, and rows that say nothing, left out."""
    relations, up, down = implied_bounds(reduction.relations, reduction.up, reduction.down)
    moving = (up > 0) | (down > 0)
    stuck = ~moving & _demanded(reduction.levels)
    if stuck.any():
        column = reduction.members.tocsc()[:, [int(np.flatnonzero(stuck)[0])]]
        raise refused.of(int(column.indices[0]))
    relations = relations[:, moving]
    kept = _different_rows(relations, reduction.implied)
    return Reduction(
        relations=relations[kept],
        implied=reduction.implied[kept],
        up=up[moving],
        down=down[moving],
        cost=reduction.cost[moving],
        primary=reduction.primary[moving],
        levels=Levels(*(level[moving] for level in reduction.levels)),
        members=reduction.members[:, moving],
    )


def _demanded(levels: Levels) -> Mask:
    demanded: Mask = np.maximum.reduce(levels) > 0
    return demanded


def implied_bounds(relations: Any, up: Floats, down: Floats) -> tuple[Any, Floats, Floats]:
    """How far cells can move in any pattern, since the other cells of each relation must balance them.

    O(entries) a round; rounds end when no bound shrinks by a thousandth.
    """
    entries = relations.tocoo()
    row, column, sign = entries.coords[0], entries.coords[1], entries.data
    size, positive = np.abs(sign), sign > 0
    up, down = up.copy(), down.copy()
    for _ in range(SETTINGS.rounds):
        risen = size * np.where(positive, up[column], down[column])
        fallen = size * np.where(positive, down[column], up[column])
        before = np.concatenate([up, down])
        # what an entry gains the others of its row lose
        most_up = _of_others(row, fallen, relations.shape[0]) / size
        most_down = _of_others(row, risen, relations.shape[0]) / size
        np.minimum.at(up, column, np.where(positive, most_up, most_down))
        np.minimum.at(down, column, np.where(positive, most_down, most_up))
        after = np.concatenate([up, down])
        if not (after < before * (1 - SETTINGS.least_gain)).any():
            break
    return relations, up, down


def _of_others(row: Ints, spans: Floats, rows: int) -> Floats:
    """The sum of the spans of the other entries in the row of each entry, a little more for rounding."""
    endless = np.isinf(spans)
    finite = np.where(endless, 0.0, spans)
    total = np.bincount(row, finite, rows)[row]
    others = np.bincount(row, endless, rows)[row] - endless
    moving = np.bincount(row, spans > 0, rows)[row] - (spans > 0)
    rest = np.where(moving > 0, np.maximum(total - finite, 0.0) + SETTINGS.rounding * total, 0.0)
    return np.where(others > 0, np.inf, rest)


def _different_rows(relations: Any, implied: Mask) -> Ints:
    """Rows with entries, one of each that are the same but for a factor; those not implied first."""
    matrix = relations.tocsr()
    matrix.eliminate_zeros()
    matrix.sort_indices()
    filled = np.flatnonzero(np.diff(matrix.indptr) > 0)
    if not filled.size:
        return filled
    first = matrix.data[matrix.indptr[filled]]
    generator = np.random.default_rng(0)
    mark = (matrix[filled] @ generator.random((matrix.shape[1], 2))) / first[:, None]
    order = np.lexsort((filled, implied[filled]))
    _, kept = np.unique(np.round(mark[order], 9), axis=0, return_index=True)
    return np.sort(filled[order[kept]])


def _joined(reduction: Reduction) -> Reduction | None:
    """Join columns that a relation of two ties to each other; None where there are none.

    With s_i d_i + s_j d_j = 0 either moves only with the other, so that suppressing only one is in vain.
    """
    matrix = reduction.relations.tocsr()
    rows = np.flatnonzero(np.diff(matrix.indptr) == 2)
    if not rows.size:
        return None
    at = matrix.indptr[rows]
    kept, gone = matrix.indices[at], matrix.indices[at + 1]
    # the one that is kept moves by 1, the other by this
    ratio = -matrix.data[at] / matrix.data[at + 1]
    # pairs that share no column with an earlier pair
    n, number = matrix.shape[1], np.arange(rows.size)
    first = np.full(n, rows.size)
    np.minimum.at(first, kept, number)
    np.minimum.at(first, gone, number)
    apart = (first[kept] == number) & (first[gone] == number)
    kept, gone, ratio = kept[apart], gone[apart], ratio[apart]
    stays = np.ones(n, dtype=bool)
    stays[gone] = False
    left = np.flatnonzero(stays)
    new = np.full(n, -1)
    new[left] = np.arange(left.size)
    from_old = sparse.csr_array(
        (
            np.concatenate([np.ones(left.size), ratio]),
            (np.concatenate([left, gone]), np.concatenate([new[left], new[kept]])),
        ),
        (n, left.size),
    )
    up, down = _as_first(reduction.up, reduction.down, gone, ratio)
    joined_up, joined_down = reduction.up[left].copy(), reduction.down[left].copy()
    target = new[kept]
    joined_up[target] = np.minimum(joined_up[target], up)
    joined_down[target] = np.minimum(joined_down[target], down)
    cost, levels = reduction.cost[left].copy(), _joined_levels(reduction.levels, left, target, gone, ratio)
    cost[target] += reduction.cost[gone]
    # a cell that moves with one that must be able to move is suppressed with it
    primary = reduction.primary[left].copy()
    primary[target] &= reduction.primary[gone]
    primary |= _demanded(levels)
    relations = (reduction.relations @ from_old).tocsr()
    relations.data[np.abs(relations.data) < SETTINGS.rounding] = 0.0
    relations.eliminate_zeros()
    return Reduction(
        relations=relations,
        implied=reduction.implied,
        up=joined_up,
        down=joined_down,
        cost=cost,
        primary=primary,
        levels=levels,
        members=(reduction.members @ from_old).tocsr(),
    )


def _as_first(up: Floats, down: Floats, gone: Ints, ratio: Floats) -> tuple[Floats, Floats]:
    """Figures above and below of columns that move by `ratio`, for the column that they move with."""
    same, size = ratio > 0, np.abs(ratio)
    return np.where(same, up[gone], down[gone]) / size, np.where(same, down[gone], up[gone]) / size


def _joined_levels(levels: Levels, left: Ints, target: Ints, gone: Ints, ratio: Floats) -> Levels:
    rise, fall = _as_first(levels.rise, levels.fall, gone, ratio)
    joined = Levels(*(level[left].copy() for level in levels))
    joined.rise[target] = np.maximum(joined.rise[target], rise)
    joined.fall[target] = np.maximum(joined.fall[target], fall)
    joined.width[target] = np.maximum(joined.width[target], levels.width[gone] / np.abs(ratio))
    joined.either[target] = np.maximum(joined.either[target], levels.either[gone])
    return joined


def _parts(reduction: Reduction) -> list[System]:
    """Each connected part with a demand, as a system."""
    matrix = reduction.relations.tocsr()
    demanded = _demanded(reduction.levels)
    graph = sparse.block_array([[None, matrix.T], [matrix, None]]) if matrix.shape[0] else None
    count = matrix.shape[1]
    labels = np.arange(count) if graph is None else connected_components(graph, directed=False)[1]
    columns_of, rows_of = labels[:count], labels[count:]
    made = []
    for label in np.unique(columns_of[demanded]).tolist():
        columns, rows = np.flatnonzero(columns_of == label), np.flatnonzero(rows_of == label)
        made.append(_system(reduction, matrix[rows][:, columns], rows, columns))
    return made


def _system(reduction: Reduction, relations: Any, rows: Ints, columns: Ints) -> System:
    up, down = reduction.up[columns], reduction.down[columns]
    own, sign, amount, ways = _demands(Levels(*(level[columns] for level in reduction.levels)), up, down)
    members = reduction.members[:, columns].tocsc()
    primary, cost = reduction.primary[columns], reduction.cost[columns]
    return System(
        relations=relations.tocsr(),
        implied=reduction.implied[rows],
        up=up,
        down=down,
        cost=np.where(primary, 0.0, cost),
        primary=primary,
        own=own,
        sign=sign,
        amount=amount,
        ways=ways,
        start=members.indptr.astype(np.int64),
        cells=members.indices.astype(np.int64),
        fixed_cost=float(cost[primary].sum()),
    )


def _demands(levels: Levels, up: Floats, down: Floats) -> tuple[Ints, Floats, Floats, Ints]:
    """Own cell, direction, amount and ways of every demand."""
    # what one bound leaves of the width, the other side must give; what is left they give together
    rise = np.maximum(levels.rise, np.minimum(levels.width - down, up))
    fall = np.maximum(levels.fall, np.minimum(levels.width - up, down))
    rising, falling = np.flatnonzero(rise > 0), np.flatnonzero(fall > 0)
    sliding = np.flatnonzero(levels.width > np.maximum(rise, 0) + np.maximum(fall, 0))
    moving = np.flatnonzero(levels.either > 0)
    # where all can move both ways without end, what rises can fall as well
    both = (up[moving] > 0) & (down[moving] > 0) & ~(np.isinf(up) & np.isinf(down)).all()
    kinds = [rising.size, falling.size, sliding.size, moving.size]
    own = np.concatenate([rising, falling, sliding, moving])
    sign = np.repeat([1.0, -1.0, 1.0, 1.0], kinds)
    sign[len(own) - moving.size :] = np.where(up[moving] > 0, 1.0, -1.0)
    amount = np.concatenate([rise[rising], fall[falling], levels.width[sliding], np.ones(moving.size)])
    ways = np.concatenate(
        [
            np.full(rising.size + falling.size, ONE_WAY),
            np.full(sliding.size, BOTH_WAYS),
            np.where(both, EITHER_WAY, ONE_WAY),
        ]
    )
    # neighbours in amount have nearly the same LP
    order = np.lexsort((own, -amount))
    return own[order], sign[order], amount[order], ways[order]
