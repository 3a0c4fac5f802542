"""All rows found so far, in and out of the programme: what one branch needed, another may need again."""

from __future__ import annotations

import numpy as np

from tacita.core.arrays import Floats, Ints, Mask
from tacita.kernels.plain import fitting
from tacita.solvers.highs import LinearProgramme

_SHORT = 1e-3
_MOST = 20_000


class Pool:
    """Rows a x >= b by number; `inside` names the rows of the programme, in its order."""

    def __init__(self, lp: LinearProgramme) -> None:
        self.start = np.zeros(1, dtype=np.int64)
        self.at = np.zeros(0, dtype=np.int64)
        self.value = np.zeros(0)
        self.right = np.zeros(0)
        self.length = np.zeros(0)
        self.inside = np.zeros(0, dtype=np.int64)
        rows, right = lp.rows()
        self.note(right, rows.indptr[:-1].astype(np.int64), rows.indices.astype(np.int64), rows.data)

    def note(self, right: Floats, starts: Ints, at: Ints, value: Floats) -> None:
        """Take in rows that have just been added to the programme."""
        first = len(self.right)
        end = self.start[-1]
        self.start = np.concatenate([self.start[:-1], starts + end, [end + len(at)]])
        sizes = np.diff(np.append(starts, len(at)))
        line = np.repeat(np.arange(len(right)), sizes)
        self.at = np.concatenate([self.at, at])
        self.value = np.concatenate([self.value, value])
        self.right = np.concatenate([self.right, right])
        self.length = np.concatenate([self.length, np.sqrt(np.bincount(line, value**2, len(right)))])
        self.inside = np.concatenate([self.inside, np.arange(first, len(self.right))])

    def call(self, x: Floats, most: int = 100) -> tuple[Floats, Ints, Ints, Floats]:
        """Rows outside that x violates, the most violated first, to be put back: they count as inside."""
        from tacita.kernels.tables.covers import shortfalls

        short = fitting(shortfalls)(self.start, self.at, self.value, self.right, x)
        short /= np.maximum(self.length, 1e-9)
        short[self.inside] = 0.0
        back = np.flatnonzero(short > _SHORT)
        back = back[np.argsort(-short[back], kind="stable")[:most]]
        starts, entries = self.entries(back)
        self.inside = np.concatenate([self.inside, back])
        return self.right[back], starts, self.at[entries], self.value[entries]

    def let_out(self, old: Mask) -> None:
        """Some rows of the programme were taken out of it: they rest here."""
        self.inside = self.inside[~old]

    def keep_small(self) -> None:
        """Forget rows if there are too many."""
        if len(self.right) > _MOST:
            self.shed()

    def entries(self, rows: Ints) -> tuple[Ints, Ints]:
        """Where the entries of some rows begin once they are put one behind the other, and where they are."""
        sizes = self.start[rows + 1] - self.start[rows]
        starts = np.cumsum(sizes) - sizes
        return starts, np.repeat(self.start[rows] - starts, sizes) + np.arange(sizes.sum())

    def shed(self) -> None:
        """Forget the older half of the rows that are not in the programme."""
        outside = np.ones(len(self.right), dtype=bool)
        outside[self.inside] = False
        old = np.flatnonzero(outside)
        keep = np.ones(len(self.right), dtype=bool)
        keep[old[: len(old) // 2]] = False
        rows = np.flatnonzero(keep)
        starts, entries = self.entries(rows)
        self.start = np.append(starts, len(entries))
        self.at, self.value = self.at[entries], self.value[entries]
        self.right, self.length = self.right[rows], self.length[rows]
        self.inside = (np.cumsum(keep) - 1)[self.inside]
