"""The root of the search in a system: a linear bound by cuts, and patterns guided by it."""

from __future__ import annotations

import numpy as np

from tacita.core import Bounds, Run
from tacita.core.arrays import Floats, Mask
from tacita.kernels.tables.rays import Rows
from tacita.tables.suppression.cutting import CuttingProgramme
from tacita.tables.suppression.twoway.watch import Watch

from .incumbent import Builder
from .separation import Separation
from .system import System


class Master(CuttingProgramme):
    """The programme of a system: a column for every cell that may be withheld, all from the start."""

    def __init__(self, system: System, separation: Separation | None = None) -> None:
        super().__init__()
        self.system = system
        self.separation = separation or Separation(system)
        self.columns = np.flatnonzero(~system.primary)
        self.fixed = np.zeros(len(self.columns), dtype=bool)
        count = len(self.columns)
        nothing = np.zeros(0)
        self.lp.add_columns(
            system.cost[self.columns], np.zeros(count), np.ones(count), np.zeros(count), nothing, nothing
        )
        self.seen: set[bytes] = set()

    def over_cells(self) -> Floats:
        """The present x over all cells; primaries are withheld."""
        x = self.system.primary.astype(float)
        x[self.columns] = np.clip(self.x, 0.0, 1.0)
        return x

    def add(self, rows: Rows) -> int:
        """Add rows over cells that are not there yet; how many."""
        place = np.full(self.system.edges, -1)
        place[self.columns] = np.arange(len(self.columns))
        column = place[rows.at]
        kept, new = np.zeros(len(rows.at), dtype=bool), []
        for row in range(len(rows.right)):
            span = slice(rows.start[row], rows.start[row + 1])
            mark = rows.at[span].tobytes() + np.round(rows.value[span], 7).tobytes()
            if mark not in self.seen:
                self.seen.add(mark)
                new.append(row)
                kept[span] = True
        if not new:
            return 0
        kept &= column >= 0
        lengths = np.add.reduceat(np.append(kept, False), np.minimum(rows.start[:-1], len(kept)))
        lengths = np.where(np.diff(rows.start) > 0, lengths, 0)[new]
        starts = np.cumsum(lengths) - lengths
        added = (rows.right[new], starts, column[kept], rows.value[kept])
        self.restore(*added)
        if self.pool is not None:
            self.pool.note(*added)
            self.seen.clear()
        return len(new)

    def drop(self, old: Mask) -> None:
        """Take out rows; they may be found again."""
        super().drop(old)
        self.seen.clear()

    def separate(self, nested: int = 1, most: int = 300) -> int:
        """Add rows that the present x violates; how many."""
        x = self.over_cells()
        found = self.add(self.separation.known(x, most))
        if found < 20:
            found += self.add(self.separation.new(x, 40 * nested))
        return found

    def separate_bridges(self, most: int = 200) -> int:
        """Add rows on which a secondary cell could not move; how many."""
        return self.add(self.separation.bridges(self.over_cells(), most))

    def separate_amounts(self) -> int:
        """Nothing beside: every row is rounded as it is made."""
        return 0

    def reduced_costs(self) -> Floats:
        """Of every cell; 0 for primaries."""
        reduced = np.zeros(self.system.edges)
        reduced[self.columns] = self.reduced
        return reduced
