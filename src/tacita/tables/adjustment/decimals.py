"""Values that add up exactly: whole numbers of units of their last decimal digit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy import sparse

from tacita.core import Relations
from tacita.core.arrays import Floats, Ints, Mask

from .sums import Sums

# Decimal digits of the values.
_DIGITS = 9
# Largest whole number that a sum of them may reach.
_LARGEST = 2.0**52
# Share of a value within which a cell counts as standing at an end.
_NEAR = 1e-7
# Share of a value that an end may be off.
_OFF = 5e-10
# Entries of the conditions that keep sums at their ends: beyond that, they are left to the slack of the ends.
_MOST_ENTRIES = 1_000_000

# Coefficients by part.
Row = dict[int, int]


class _Condition(NamedTuple):
    """A row of coefficients whose sum over all parts must be `target`."""

    row: Row
    target: int


def exactly_additive(
    relations: Relations, sums: Sums, values: Floats, ends: tuple[Floats, Floats], still: Mask
) -> Floats | None:
    """Values whose sums hold but for rounding, as decimal numbers whose sums hold exactly; or None.

    In units of the last digit all values are whole numbers. Parts that are tied among themselves (by linked
    tables, or by several partitions of one total) are solved for by elimination over the whole numbers, with
    pivots of 1 only, so that no fraction appears; the other parts are rounded, and sums follow. Cells that
    stand at one of their `ends` stay there, cells that stand `still` move only where nothing else helps.
    O(ties * entries of a tie) operations.

    >>> from .sums import sums_of
    >>> tied = Relations.of([([0, 1, 4], [1, 1, -1]), ([2, 3, 4], [1, 1, -1])])
    >>> values = np.array([1.0, 2.0000000004, 1.5, 1.5, 3.0])
    >>> ends, still = (values - 1, values + 1), np.zeros(5, dtype=bool)
    >>> exactly_additive(tied, sums_of(tied, 5), values, ends, still).tolist()
    [1.0, 2.0, 1.5, 1.5, 3.0]
    """
    lines = np.bincount(relations.rows, weights=np.abs(values[relations.cells]), minlength=len(relations))
    digits = int(np.floor(np.log10(_LARGEST / max(1.0, lines.max(initial=1.0)))))
    unit = 10.0 ** max(0, min(_DIGITS, digits))
    low, high = np.ceil(ends[0] * unit - _OFF), np.floor(ends[1] * unit + _OFF)
    units = np.rint(values * unit).clip(low, np.maximum(low, high))
    near = _NEAR * np.maximum(1.0, np.abs(values)) * unit
    at_end = (units - low <= near) | (high - units <= near)
    units = np.where(units - low <= near, low, np.where(high - units <= near, high, units))
    parts = _solved(relations, sums, units, at_end, still | (low == high))
    if parts is None:
        return None
    cells = sums.matrix.astype(np.int64) @ parts
    matrix = _matrix(relations, values.size)
    slack = _OFF * np.maximum(1.0, np.abs(values)) * unit
    inside = (cells >= ends[0] * unit - slack).all() and (cells <= ends[1] * unit + slack).all()
    return None if not inside or (matrix @ cells).any() else np.asarray(cells / unit, dtype=np.float64)


def _solved(relations: Relations, sums: Sums, units: Floats, at_end: Mask, still: Mask) -> Ints | None:
    """The whole number of each part with which all ties hold; None where pivots of 1 do not suffice."""
    ties = (_matrix(relations, units.size) @ sums.matrix.astype(np.int64)).tocsr()
    ties.eliminate_zeros()
    parts = units[sums.parts].astype(np.int64)
    # cells that are sums and stand at an end: conditions on their parts
    edge = np.setdiff1d(np.flatnonzero(at_end & ~still), sums.parts)
    edges = sums.matrix.astype(np.int64)[edge]
    # movable parts are pivots first, those at an end where no other is left, those that stand still last
    rank = np.where(still[sums.parts], 2, at_end[sums.parts])
    kept = np.cumsum(np.diff(edges.indptr)) <= _MOST_ENTRIES
    elimination = _Elimination(parts.tolist(), rank.tolist())
    if not elimination.take(_conditions(ties, np.zeros(ties.shape[0])), last=2):
        return None
    elimination.take(_conditions(edges[kept], units[edge][kept]), last=0)
    return elimination.values()


def _conditions(matrix: sparse.csr_array, targets: Floats) -> Iterable[_Condition]:
    starts, at, entries = matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data.tolist()
    spans = sorted(zip(starts, starts[1:], targets.astype(np.int64).tolist(), strict=False), key=_length)
    for first, end, target in spans:
        if end > first:
            yield _Condition(dict(zip(at[first:end], entries[first:end], strict=True)), target)


def _length(span: tuple[int, int, int]) -> int:
    return span[1] - span[0]


class _Elimination:
    """Conditions in a triangle: each is solved for a part of its own, which none before it has."""

    def __init__(self, parts: list[int], rank: list[int]) -> None:
        self._parts, self._rank = parts, rank
        self._solved: list[tuple[int, _Condition]] = []
        self._order: dict[int, int] = {}

    def take(self, conditions: Iterable[_Condition], last: int) -> bool:
        """Add conditions, pivots of a rank up to `last`; whether all of them hold then."""
        held = [self._added(condition, last) for condition in conditions]
        return all(held)

    def _added(self, condition: _Condition, last: int) -> bool:
        row, target = self._reduced(condition)
        if not row:
            return target == 0
        chosen = min(
            (part for part, entry in row.items() if abs(entry) == 1 and self._rank[part] <= last),
            key=self._rank.__getitem__,
            default=None,
        )
        if chosen is None:
            # it may hold as it is
            return sum(entry * self._parts[part] for part, entry in row.items()) == target
        self._order[chosen] = len(self._solved)
        self._solved.append((chosen, _Condition(row, target)))
        return True

    def _reduced(self, condition: _Condition) -> _Condition:
        """The same without the parts that are solved for."""
        row, target = dict(condition.row), condition.target
        while known := [part for part in row if part in self._order]:
            pivot = min(known, key=self._order.__getitem__)
            own = self._solved[self._order[pivot]][1]
            times = row[pivot] * own.row[pivot]  # a pivot is 1 or -1
            target -= times * own.target
            for part, entry in own.row.items():
                if left := row.get(part, 0) - times * entry:
                    row[part] = left
                else:
                    row.pop(part, None)
        return _Condition(row, target)

    def values(self) -> Ints:
        """Every part, those that are solved for from the others."""
        parts = self._parts
        for pivot, (row, target) in reversed(self._solved):
            others = sum(entry * parts[part] for part, entry in row.items() if part != pivot)
            parts[pivot] = (target - others) * row[pivot]
        return np.array(parts, dtype=np.int64)


def _matrix(relations: Relations, n: int) -> sparse.csr_array:
    signs = np.rint(relations.signs).astype(np.int64)
    return sparse.csr_array((signs, (relations.rows, relations.cells)), shape=(len(relations), n))
