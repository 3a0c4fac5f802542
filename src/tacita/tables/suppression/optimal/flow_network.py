"""The table as a network: a node per row and column, an edge per open cell, a demand per primary.

A change of suppressed cells that no total shows is a circulation in this network. A primary can move by d if
the other suppressed cells carry a flow of d back from one of its nodes to the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacita.core import DataError
from tacita.core.arrays import Floats, Ints, Mask
from tacita.kernels.interpreted import dispatch
from tacita.kernels.tables.network import BOTH_WAYS, EITHER_WAY, ONE_WAY, Demands, Graph

from .cost_scale import common_step, rounded_up
from .two_way_grid import Grid

TOLERANCE = 1e-7


@dataclass(frozen=True, eq=False)
class Network:
    """Edges between rows (nodes 0 .. m) and columns (nodes m+1 ..), and what must flow for each primary.

    forward, backward: what an edge carries from its row to its column and the other way, at most the largest
    demand. Demand q asks for a flow of amount[q] from source[q] to sink[q] without the edge own[q]; by
    ways[q] the other direction will do as well, or counts together with this one.
    """

    shape: tuple[int, int]
    cell: Ints
    row: Ints
    column: Ints
    forward: Floats
    backward: Floats
    cost: Floats
    primary: Mask
    source: Ints
    sink: Ints
    own: Ints
    amount: Floats
    ways: Ints
    whole_costs: float = 0.0

    @property
    def nodes(self) -> int:
        """Rows and columns, margins included."""
        return self.shape[0] + self.shape[1]

    @property
    def edges(self) -> int:
        """Cells that are or may be suppressed."""
        return len(self.cell)

    @property
    def amounts(self) -> bool:
        """Whether demands differ from 1, so that it matters how much a cell carries."""
        return bool((self.amount != 1).any())

    def among(self, edges: Ints | None = None) -> tuple[Graph, Demands]:
        """These edges alone, or all, for kernels; demands name own edges by their place. O(edges)."""
        from tacita.kernels.tables.flows import adjacency

        if edges is None:
            edges = np.arange(self.edges)
        place = np.full(self.edges, -1)
        place[edges] = np.arange(len(edges))
        row, column = self.row[edges], self.column[edges]
        start, incident = dispatch(adjacency)(row, column, self.nodes)
        graph = Graph(
            start=start,
            incident=incident,
            row=row,
            column=column,
            forward=self.forward[edges],
            backward=self.backward[edges],
        )
        return graph, Demands(self.source, self.sink, place[self.own], self.amount, self.ways)

    def part(self, edges: Ints, fixed: Mask | None = None) -> Network:
        """These edges only; the fixed ones are suppressed anyway, at no cost. O(edges)."""
        place = np.full(self.edges, -1)
        place[edges] = np.arange(len(edges))
        primary = (self.primary if fixed is None else self.primary | fixed)[edges]
        return replace(
            self,
            cell=self.cell[edges],
            row=self.row[edges],
            column=self.column[edges],
            forward=self.forward[edges],
            backward=self.backward[edges],
            cost=np.where(primary, 0.0, self.cost[edges]),
            primary=primary,
            own=place[self.own],
        )

    def lines(self, edges: Ints) -> tuple[Ints, Ints]:
        """Rows and columns of the table in which the cells of some edges stand."""
        row, column = np.divmod(self.cell[edges], self.shape[1])
        return row, column

    def mask(self, chosen: Mask) -> Mask:
        """Suppressed cells of the table, from chosen edges."""
        full = np.zeros(self.shape, dtype=bool)
        full.reshape(-1)[self.cell[chosen]] = True
        return full

    def rounded_up(self, bound: float) -> float:
        """The least cost a pattern can have that is not below `bound`."""
        return rounded_up(bound, self.whole_costs)


def network_of(grid: Grid) -> Network:
    """Edges and demands of a grid. O(cells). DataError where a primary's own bounds reveal it.

    >>> from tacita.core import Table
    >>> from .two_way_grid import grid_of
    >>> table = Table.from_array([[5.0, 1.0], [2.0, 3.0]], primary=[[True, False], [False, False]])
    >>> network = network_of(grid_of(table, "general"))
    >>> network.edges, network.source.tolist(), network.sink.tolist()
    (4, [3], [0])
    """
    usable = grid.primary | grid.allowed
    up, down = grid.high - grid.values, grid.values - grid.low
    if grid.problem == "general":
        up, down = np.ones(grid.values.shape), np.ones(grid.values.shape)
    elif grid.problem == "exact":
        up, down = (up > 0).astype(np.float64), (down > 0).astype(np.float64)
    # a cell that cannot move is as good as published
    usable &= grid.primary | (up > 0) | (down > 0)
    cell = np.flatnonzero(usable)
    row, column = np.divmod(cell, grid.values.shape[1])
    positive = grid.sign[row, column] > 0
    edge_up, edge_down = up.reshape(-1)[cell], down.reshape(-1)[cell]
    primary = grid.primary.reshape(-1)[cell]
    own, raising, amount, ways = _demands(grid, cell, primary, edge_up, edge_down)
    forward = np.where(positive, edge_up, edge_down)
    backward = np.where(positive, edge_down, edge_up)
    capacities = np.concatenate([forward, backward])
    capacities = capacities[np.isfinite(capacities)]
    if np.array_equal(capacities, np.round(capacities)):
        # flows are whole numbers then, so demands may be too
        amount = np.ceil(amount - 1e-9)
    # tolerances suit demands up to about a thousand; a power of two costs no digit
    unit = 2.0 ** max(0, int(np.ceil(np.log2(amount.max(initial=1.0)))) - 10)
    if amount.size and amount.max() < 0.125:
        unit = 2.0 ** int(np.floor(np.log2(amount.max())))
    forward, backward, amount = forward / unit, backward / unit, amount / unit
    most = float(amount.max(initial=0.0)) or 1.0
    # the flow returns: from the column of a raised interior cell to its row
    to_row = raising == positive[own]
    column_node = column + grid.values.shape[0]
    return Network(
        shape=(grid.values.shape[0], grid.values.shape[1]),
        cell=cell,
        row=row,
        column=column_node,
        forward=np.minimum(forward, most),
        backward=np.minimum(backward, most),
        cost=np.where(primary, 0.0, grid.cost.reshape(-1)[cell]),
        primary=primary,
        source=np.where(to_row, column_node[own], row[own]),
        sink=np.where(to_row, row[own], column_node[own]),
        own=own,
        amount=amount,
        ways=ways,
        whole_costs=common_step(grid.cost.reshape(-1)[cell][~primary]),
    )


def _demands(
    grid: Grid, cell: Ints, primary: Mask, up: Floats, down: Floats
) -> tuple[Ints, Mask, Floats, Ints]:
    edges = np.flatnonzero(primary)
    if grid.problem == "general":
        return edges, np.ones(len(edges), bool), np.ones(len(edges)), np.full(len(edges), ONE_WAY)
    if grid.problem == "exact":
        stuck = edges[(up[edges] == 0) & (down[edges] == 0)]
        if stuck.size:
            row, column = divmod(int(cell[stuck[0]]), grid.values.shape[1])
            raise DataError(
                f"Primary cell in row {row}, column {column} (counted from 0) cannot be protected: the "
                "attacker's bounds fix it."
            )
        both = (up[edges] > 0) & (down[edges] > 0)
        return edges, up[edges] > 0, np.ones(len(edges)), np.where(both, EITHER_WAY, ONE_WAY)
    upper, lower, width = (level.reshape(-1)[cell] for level in (grid.upper, grid.lower, grid.sliding))
    # what one bound leaves of the width, the other side must give; what is left they give together
    upper = np.maximum(upper, np.minimum(width - down, up))
    lower = np.maximum(lower, np.minimum(width - up, down))
    rising, falling = edges[upper[edges] > 0], edges[lower[edges] > 0]
    sliding = edges[width[edges] > upper[edges] + lower[edges]]
    kinds = [len(rising), len(falling), len(sliding)]
    own = np.concatenate([rising, falling, sliding])
    amount = np.concatenate([upper[rising], lower[falling], width[sliding]])
    raising, ways = np.repeat([True, False, True], kinds), np.repeat([ONE_WAY, ONE_WAY, BOTH_WAYS], kinds)
    return own, raising, amount, ways


def require_feasible(network: Network) -> None:
    """Check that suppressing all allowed cells protects every primary; DataError names one it does not."""
    from tacita.kernels.tables.flows import short_demand

    short = dispatch(short_demand)(*network.among(), np.ones(network.edges, dtype=bool))
    if short < 0:
        return
    own = int(network.own[short])
    row, column = int(network.row[own]), int(network.column[own]) - network.shape[0]
    where = "the cells that may be suppressed"
    for node, line in ((network.row[own], f"row {row}"), (network.column[own], f"column {column}")):
        if _room_at(network, int(node), short) < network.amount[short]:
            where = f"the other cells of {line} that may be"
            break
    raise DataError(
        f"Primary cell in row {row}, column {column} (counted from 0) cannot be protected: even with "
        f"all of them suppressed, {where} leave it too little room to move. "
        "Let more cells be suppressed (margins, zeros), "
        "or lower its protection level."
    )


def _room_at(network: Network, node: int, demand: int) -> float:
    """What the other cells of a line can carry of a demand that starts or ends there."""
    at_row = node < network.shape[0]
    edges = (network.row if at_row else network.column) == node
    edges[network.own[demand]] = False
    leaving = (network.source[demand] == node) == at_row
    there, back = network.forward[edges].sum(), network.backward[edges].sum()
    if not leaving:
        there, back = back, there
    ways = network.ways[demand]
    return float(there if ways == ONE_WAY else max(there, back) if ways == EITHER_WAY else there + back)
