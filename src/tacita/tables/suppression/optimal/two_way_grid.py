"""A two-way table as the network sees it: cells and margins laid out in rows and columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.core import Problem, Table
from tacita.core.arrays import Floats, Ints, Mask

from .cost_scale import lift_of


@dataclass(frozen=True, eq=False)
class Grid:
    """Cells with their margins: the last row and the last column are totals, the corner is the grand total.

    All arrays are (m+1) x (n+1); `cells` holds the number of each cell in the table. `primary` are the
    sensitive cells, suppressed in any case; `allowed` the others that may be; `cost` the cost of suppressing
    one, times `lift`; `lower`, `upper` how far below and above its value the attacker's range of a primary
    must reach, `sliding` how wide it must be (all three interval only); `low`, `high` what the attacker
    knows of every cell beforehand.
    """

    cells: Ints
    values: Floats
    primary: Mask
    allowed: Mask
    cost: Floats
    lower: Floats
    upper: Floats
    sliding: Floats
    low: Floats
    high: Floats
    problem: Problem
    lift: float = 1.0

    @property
    def sign(self) -> Floats:
        """+1 for interior cells and the grand total, -1 for margins.

        Changes times sign add up to zero along every row and column, so that a change of the table that
        leaves all published cells alone is a flow without sources between the nodes of rows and columns.
        """
        signs = np.ones(self.values.shape)
        signs[-1, :] *= -1
        signs[:, -1] *= -1
        return signs


def grid_of(table: Table, problem: Problem) -> Grid:
    """A two-way table as a grid, with levels only of sensitive cells under interval protection. O(cells).

    >>> grid = grid_of(Table.from_array([[5, 1], [2, 3]], primary=[[True, False], [False, False]]), "exact")
    >>> grid.values.tolist(), int(grid.allowed.sum())
    ([[5.0, 1.0, 6.0], [2.0, 3.0, 5.0], [7.0, 4.0, 11.0]], 3)
    """
    cells = table.two_way()
    values, primary = table.values, table.primary
    need_low, need_high, need_width = table.needed()
    leveled = primary & (problem == "interval")
    lower, upper, sliding = (
        np.where(leveled, level, 0.0)[cells] for level in (values - need_low, need_high - values, need_width)
    )
    allowed = (~table.forced & ~primary)[cells]
    lift = lift_of(table.cost[cells][allowed])
    return Grid(
        cells=cells,
        values=values[cells],
        primary=primary[cells],
        allowed=allowed,
        cost=table.cost[cells] * lift,
        lower=lower,
        upper=upper,
        sliding=sliding,
        low=table.low[cells],
        high=table.high[cells],
        problem=problem,
        lift=lift,
    )
