"""All rows found so far, in and out of the LP: what one branch needed, another may need again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.core.arrays import Floats, Ints, Mask
from tacita.kernels.interpreted import dispatch
from tacita.kernels.tables.network import Pooled
from tacita.solvers.highs import LinearProgram


@dataclass(frozen=True)
class CutPoolSettings:
    """When rows that left the LP come back, and how many are kept."""

    # share of its right side by which a row must be violated to come back
    violation: float = 1e-3
    # rows in the pool, at most: more take longer to look at than they save
    capacity: int = 20_000
    # largest factor that makes the coefficients of a row whole
    largest_multiple: int = 1000


SETTINGS = CutPoolSettings()


class Pool:
    """Rows a x >= b by number; `inside` names the rows of the LP, in its order."""

    def __init__(self, lp: LinearProgram) -> None:
        self._clear()
        self.inside = np.zeros(0, dtype=np.int64)
        rows, right = lp.rows()
        self.note(right, rows.indptr[:-1].astype(np.int64), rows.indices.astype(np.int64), rows.data)

    def _clear(self) -> None:
        self._start = _Grown(np.int64, np.zeros(1, dtype=np.int64))
        self._at, self._value = _Grown(np.int64), _Grown(np.float64)
        self._right, self._length, self._whole = _Grown(np.float64), _Grown(np.float64), _Grown(np.int64)

    @property
    def rows(self) -> Pooled:
        """All of them, as kernels take them."""
        return Pooled(*(part.all for part in (self._start, self._at, self._value, self._right, self._whole)))

    def note(self, right: Floats, starts: Ints, at: Ints, value: Floats) -> None:
        """Keep rows that have just been added to the LP."""
        first = self._right.count
        self._take(right, np.append(starts, len(at)), at, value)
        self.inside = np.concatenate([self.inside, np.arange(first, self._right.count)])

    def _take(self, right: Floats, bounds: Ints, at: Ints, value: Floats) -> None:
        from tacita.kernels.tables.zero_half import whole_multiples

        line = np.repeat(np.arange(len(right)), np.diff(bounds))
        whole = dispatch(whole_multiples)(bounds, value, right, SETTINGS.largest_multiple)
        self._start.append(bounds[1:] + self._at.count)
        self._at.append(at)
        self._value.append(value)
        self._right.append(right)
        self._length.append(np.sqrt(np.bincount(line, value**2, len(right))))
        self._whole.append(whole)

    def call(self, x: Floats, most: int = 100) -> tuple[Floats, Ints, Ints, Floats]:
        """Rows outside that x violates, the most violated first, to be put back: they count as inside."""
        from tacita.kernels.tables.covers import shortfalls

        rows = self.rows
        short = dispatch(shortfalls)(rows.start, rows.at, rows.value, rows.right, x)
        short /= np.maximum(self._length.all, 1e-9)
        short[self.inside] = 0.0
        back = np.flatnonzero(short > SETTINGS.violation)
        back = back[np.argsort(-short[back], kind="stable")[:most]]
        starts, entries = self.entries(back)
        self.inside = np.concatenate([self.inside, back])
        return rows.right[back], starts, rows.at[entries], rows.value[entries]

    def let_out(self, old: Mask) -> None:
        """Note that some rows were removed from the LP: they stay in the pool."""
        self.inside = self.inside[~old]

    def keep_small(self) -> None:
        """Forget rows if there are too many."""
        if self._right.count > SETTINGS.capacity:
            self.shed()

    def entries(self, rows: Ints) -> tuple[Ints, Ints]:
        """Where the entries of some rows begin once they are put one behind the other, and where they are."""
        start = self._start.all
        sizes = start[rows + 1] - start[rows]
        starts = np.cumsum(sizes) - sizes
        return starts, np.repeat(start[rows] - starts, sizes) + np.arange(sizes.sum())

    def shed(self) -> None:
        """Forget the older half of the rows that are not in the LP."""
        all_rows = self.rows
        outside = np.ones(len(all_rows.right), dtype=bool)
        outside[self.inside] = False
        old = np.flatnonzero(outside)
        keep = np.ones(len(all_rows.right), dtype=bool)
        keep[old[: len(old) // 2]] = False
        rows = np.flatnonzero(keep)
        starts, entries = self.entries(rows)
        self._clear()
        self._take(
            all_rows.right[rows],
            np.append(starts, len(entries)),
            all_rows.at[entries],
            all_rows.value[entries],
        )
        self.inside = (np.cumsum(keep) - 1)[self.inside]


class _Grown:
    """Numbers one behind the other, with room for as many again: adding a few copies no others."""

    def __init__(self, kind: type, first: Ints | None = None) -> None:
        self._room = np.zeros(0, dtype=kind) if first is None else first
        self.count = len(self._room)

    @property
    def all(self) -> np.ndarray:
        return self._room[: self.count]

    def append(self, more: np.ndarray) -> None:
        end = self.count + len(more)
        if end > len(self._room):
            room = np.empty(2 * end, dtype=self._room.dtype)
            room[: self.count] = self.all
            self._room = room
        self._room[self.count : end] = more
        self.count = end
