"""Keys of records as numbers: what they show, how many fit that, and what must be left empty at least."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacita.core import Floats, Ints, Mask

# So many sets of columns are tried, the cheapest first, and then all columns together.
_MOST_SETS = 4096
_EXACT = 2**62


@dataclass(frozen=True, eq=False, repr=False)
class Keys:
    """The keys of records that stand together in a stratum.

    `codes` (n, d) number the values of each column from 1, 0 where there is none. `units` number the firm or
    household of each record; `weights` (d,) tell what a cell of each column costs. Sets of columns are whole
    numbers: column j is in it if bit j is set.
    """

    codes: Ints
    units: Ints
    weights: Floats

    @property
    def n(self) -> int:
        return int(self.codes.shape[0])

    @property
    def d(self) -> int:
        return int(self.codes.shape[1])

    @property
    def every(self) -> int:
        """The set of all columns."""
        return (1 << self.d) - 1

    @cached_property
    def lone(self) -> bool:
        """Whether every record is a unit of its own."""
        return np.unique(self.units).size == self.n

    @cached_property
    def missing(self) -> Ints:
        """The set of columns that each record misses."""
        return as_sets(self.codes == 0)

    @cached_property
    def gaps(self) -> list[int]:
        """The distinct ones."""
        gaps: list[int] = np.unique(self.missing).tolist()
        return gaps

    @cached_property
    def _rows(self) -> dict[int, Ints]:
        return {gaps: np.flatnonzero(self.missing == gaps) for gaps in self.gaps}

    def rows_of(self, gaps: int) -> Ints:
        """The records that miss just these columns."""
        return self._rows[gaps]

    @cached_property
    def _parts(self) -> Ints:
        """What each cell adds to the number of its key: a place of its own while there is room, or a hash.

        Keys that share a number by chance would be found out by the verifier.
        """
        places, room = [], 1
        for width in (self.codes.max(axis=0) + 1).tolist():
            places.append(room)
            room *= width
        multipliers = np.array(places if room < _EXACT else _hashes(self.d), dtype=np.int64)
        with np.errstate(over="ignore"):
            return self.codes * multipliers

    def on(self, columns: int, rows: Ints | slice = slice(None)) -> Ints:
        """A number for what each record shows on some columns. O(n d)."""
        chosen = [j for j in range(self.d) if columns >> j & 1]
        return self._parts[rows][:, chosen].sum(axis=1)

    def shown(self, stars: Ints) -> Ints:
        """A number for all that each record shows where these sets are left empty. O(n d)."""
        # an empty cell adds nothing
        return np.where(as_masks(stars, self.d), 0, self._parts).sum(axis=1)

    @cached_property
    def costs(self) -> Floats:
        """What each set of columns costs, where there are few columns; see `cost`."""
        costs = np.zeros(1)
        for weight in self.weights.tolist():
            costs = np.concatenate([costs, costs + weight])
        return costs

    def cost(self, sets: Ints) -> Floats:
        """What it costs to leave these sets of columns empty."""
        if self.d <= 16:
            return self.costs[sets]
        return as_masks(sets, self.d) @ self.weights

    def taken(self, stars: Ints) -> Mask:
        """The cells that are suppressed where these sets are left empty: those that had a value."""
        return as_masks(stars, self.d) & (self.codes > 0)

    def price(self, stars: Ints) -> float:
        """What all of them cost."""
        return float(self.cost(stars & ~self.missing).sum())

    @cached_property
    def sets(self) -> list[int]:
        """Sets of columns from the cheapest on; the last has all of them."""
        order = np.argsort(self.weights, kind="stable").tolist()
        cheapest = [0]
        # every set is reached once: by its next column added, or its last moved on
        heap: list[tuple[float, int, tuple[int, ...]]] = [(float(self.weights[order[0]]), 1, (0,))]
        while heap and len(cheapest) < _MOST_SETS:
            cost, size, places = heapq.heappop(heap)
            cheapest.append(sum(1 << order[at] for at in places))
            last = places[-1]
            if last + 1 < self.d:
                step = float(self.weights[order[last + 1]])
                heapq.heappush(heap, (cost + step, size + 1, (*places, last + 1)))
                moved = cost - float(self.weights[order[last]]) + step
                heapq.heappush(heap, (moved, size, (*places[:-1], last + 1)))
        return cheapest if cheapest[-1] == self.every else [*cheapest, self.every]

    def on_columns(self, columns: list[int]) -> Keys:
        """The same records, known by fewer columns."""
        return Keys(self.codes[:, columns], self.units, self.weights[columns])

    def without(self, stars: Ints) -> Keys:
        """The same records with some cells left empty."""
        return Keys(np.where(as_masks(stars, self.d), 0, self.codes), self.units, self.weights)


def _hashes(d: int) -> Ints:
    return np.random.default_rng(20081).integers(-(2**62), 2**62, d) * 2 + 1


def as_sets(masks: Mask) -> Ints:
    """Columns that are marked in each row, as sets.

    >>> as_sets(np.array([[True, False, True]])).tolist()
    [5]
    """
    return masks.astype(np.int64) @ (1 << np.arange(masks.shape[1], dtype=np.int64))


def as_masks(sets: Ints, d: int) -> Mask:
    """The columns of each set, marked.

    >>> as_masks(np.array([5]), 3).tolist()
    [[True, False, True]]
    """
    return (np.asarray(sets, dtype=np.int64)[:, None] >> np.arange(d) & 1).astype(bool)


def counted(keys: Ints, units: Ints | None) -> tuple[Ints, Ints]:
    """The distinct keys, and of how many records (or units, where given) each is. O(n log n).

    >>> counted(np.array([7, 3, 7]), None)
    (array([3, 7]), array([1, 2]))
    """
    if units is None:
        distinct, counts = np.unique(keys, return_counts=True)
        return distinct, counts
    order = np.lexsort((units, keys))
    keys, units = keys[order], units[order]
    fresh = np.ones(keys.size, dtype=bool)
    fresh[1:] = (keys[1:] != keys[:-1]) | (units[1:] != units[:-1])
    return np.unique(keys[fresh], return_counts=True)


def looked_up(wanted: Ints, keys: Ints, values: Ints, absent: int = 0) -> Ints:
    """The value of each wanted key among sorted distinct ones."""
    if keys.size == 0:
        return np.full(wanted.size, absent, dtype=np.int64)
    at = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
    return np.where(keys[at] == wanted, values[at], absent)


def fitting(keys: Keys, hidden: Ints, rows: Ints, wildcard: bool) -> Ints:
    """How many originals (units) could stand behind what rows show when they hide some columns each.

    An original that misses a value fits whatever is shown there if gaps are wildcards, nothing shown there if
    they are values of their own. Units that miss different columns may be counted more than once.
    O(sets of hidden columns x sets of missing columns x n log n).
    """
    fits = np.zeros(rows.size, dtype=np.int64)
    units = None if keys.lone else keys.units
    for own in np.unique(hidden).tolist():
        mine = np.flatnonzero(hidden == own)
        shown = keys.every & ~own
        for gaps in keys.gaps:
            if shown & gaps and not wildcard:
                continue
            theirs = keys.rows_of(gaps)
            listed, counts = counted(keys.on(shown & ~gaps, theirs), None if units is None else units[theirs])
            fits[mine] += looked_up(keys.on(shown & ~gaps, rows[mine]), listed, counts)
    return fits


def least(keys: Keys, k: int, wildcard: bool) -> Floats:
    """What each record must lose at least: the cheapest columns without which k originals fit what it shows.

    Holds in both readings: records that are alike fit, and so do records that must be compatible. The sum
    over all records is a lower bound of the cost. O(2^d n log n) at most; records that are settled drop out.
    """
    bound = np.zeros(keys.n)
    rest = np.arange(keys.n)
    reached = 0.0
    for columns in keys.sets:
        reached = float(keys.cost(np.array([columns]))[0])
        hidden = columns | keys.missing[rest]
        settled = fitting(keys, hidden, rest, wildcard) >= k
        bound[rest[settled]] = keys.cost(columns & ~keys.missing[rest[settled]])
        rest = rest[~settled]
        if rest.size == 0:
            break
    # sets come from the cheapest on: the rest costs as much as the last that was tried, less what is missing
    bound[rest] = np.maximum(0.0, reached - keys.cost(keys.missing[rest]))
    return bound
