"""Where a pattern costs more than the bound: what each of its cells adds to the difference."""

from __future__ import annotations

import numpy as np

from tacita.core.arrays import Floats, Mask

from .master import Master

_PRICED = 1e-9


class Excess:
    """The prices at which the programme was solved, to be held against any pattern.

    With duals y of its rows a x >= b and reduced costs r, the cost of a pattern x within its columns is the
    value of the programme, and r x + y (a x - b), and what cells are worth that the programme is sure of and
    the pattern does not hold. So the difference lies in cells at a reduced cost and in rows with a price that
    are met by more than they ask, of which the cells that meet them have shares by their entries.
    """

    def __init__(self, master: Master) -> None:
        rows, right = master.lp.rows()
        priced = np.flatnonzero(master.dual > _PRICED)
        self._rows, self._right, self._dual = rows[priced], right[priced], master.dual[priced]
        # a bridge has an entry below 0: it asks for others, and meets nothing
        self._meets = self._rows.maximum(0.0)
        self._columns = master.columns
        reduced = master.reduced_costs()
        # of its own columns the programme knows it to the point
        reduced[self._columns[: len(master.reduced)]] = master.reduced
        self._reduced = np.maximum(reduced, 0.0)

    def of(self, pattern: Mask) -> Floats:
        """What each cell of a pattern adds, 0 for others. O(entries of rows with a price)."""
        chosen = pattern[self._columns].astype(float)
        beyond = self._dual * np.maximum(0.0, self._rows @ chosen - self._right)
        shares = beyond / np.maximum(_PRICED, self._meets @ chosen)
        excess: Floats = np.where(pattern, self._reduced, 0.0)
        excess[self._columns] += chosen * (self._meets.T @ shares)
        return excess
