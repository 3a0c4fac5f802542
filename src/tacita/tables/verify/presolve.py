"""Which suppressed cells move together, and which cannot move: the rest is small, or needs no linear program.

A relation with one suppressed cell fixes it; one with two lets either move only with the other. Both rules
leave nothing of a tree, and one movement of a single circuit; only the rest needs linear programs.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from tacita.core.arrays import Floats, Ints

# Rounds in which bounds are passed along relations, at most.
_ROUNDS = 30
# Share by which a bound must shrink for another round.
_WORTH = 1e-3
# What rounding may take from a sum, of the sum.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Together:
    """Movements t of groups of cells: cell i moves by ratio[i] t[group[i]], and not at all if group[i] is -1.

    `low <= t <= high` holds for whatever the relations let happen: nobody moves farther. `part` numbers the
    groups that `relations` connect; a part of one group has no relation left. Rows are relations.
    """

    group: Ints
    ratio: Floats
    low: Floats
    high: Floats
    part: Ints
    relations: sparse.csr_array

    def limit(self, cell: int, direction: int) -> float:
        """How far no movement takes a cell beyond."""
        group = self.group[cell]
        if group < 0:
            return 0.0
        ratio = float(self.ratio[cell]) * direction
        return float(ratio * (self.high if ratio > 0 else self.low)[group])

    def sizes(self) -> tuple[Ints, Ints]:
        """How many groups and relations every part has."""
        groups = np.bincount(self.part)
        first = self.relations.indices[self.relations.indptr[:-1]]
        return groups, np.bincount(self.part[first], minlength=groups.size)

    def cells_moved(self, groups: Floats) -> Floats:
        """The movement of every cell in one of the groups."""
        moved = np.zeros(self.group.size)
        moving = self.group >= 0
        moved[moving] = self.ratio[moving] * groups[self.group[moving]]
        return moved


def moving_together(rows: Ints, cells: Ints, signs: Floats, down: Floats, up: Floats) -> Together:
    """Group cells that relations let move only together. O(entries log entries), and a round of bounds each.

    >>> chain = np.array([0, 0, 1, 1, 2]), np.array([0, 1, 1, 2, 3]), np.array([1.0, 1.0, 1.0, -1.0, 1.0])
    >>> found = moving_together(*chain, np.array([5.0, 2.0, 9.0, 1.0]), np.full(4, np.inf))
    >>> found.group.tolist(), [found.limit(0, direction) for direction in (1, -1)]
    ([0, 0, 0, -1], [2.0, 5.0])
    """
    n = down.size
    joined = _Joining(rows, cells, signs, n)
    joined.stop(np.flatnonzero((down <= 0) & (up <= 0)).tolist())
    while True:
        joined.work()
        group, ratio, leaders = joined.groups()
        low, high = _spans(group, ratio, down, up, leaders.size)
        relations = joined.matrix(leaders)
        low, high = implied(relations, low, high)
        stuck = (low >= 0) & (high <= 0)
        if not stuck.any():
            break
        joined.stop(leaders[stuck].tolist())
    return Together(group=group, ratio=ratio, low=low, high=high, part=_parts(relations), relations=relations)


class _Joining:
    """Relations as they shrink: cells that cannot move are left out, pairs become one."""

    def __init__(self, rows: Ints, cells: Ints, signs: Floats, n: int) -> None:
        self._rows: dict[int, dict[int, float]] = {}
        self._lines: list[set[int]] = [set() for _ in range(n)]
        for row, cell, sign in zip(rows.tolist(), cells.tolist(), signs.tolist(), strict=True):
            line = self._rows.setdefault(row, {})
            line[cell] = line.get(cell, 0.0) + sign
        for row, line in self._rows.items():
            for cell in [cell for cell, coefficient in line.items() if coefficient == 0]:
                del line[cell]
            for cell in line:
                self._lines[cell].add(row)
        # a cell moves by `ratio` times its leader
        self._leader, self._ratio = list(range(n)), [1.0] * n
        self._members: list[list[int]] = [[cell] for cell in range(n)]
        self._short = deque(row for row, line in self._rows.items() if len(line) <= 2)

    def stop(self, leaders: list[int]) -> None:
        """These move no more."""
        for leader in leaders:
            for row in self._lines[leader]:
                line = self._rows[row]
                line.pop(leader, None)
                if len(line) <= 2:
                    self._short.append(row)
            self._lines[leader] = set()
            for cell in self._members[leader]:
                self._leader[cell] = -1
            self._members[leader] = []

    def work(self) -> None:
        """Until every relation has three groups or more."""
        while self._short:
            line = self._rows.get(self._short.popleft(), {})
            if len(line) == 1:
                self.stop([*line])
            elif len(line) == 2:
                (one, a), (other, b) = line.items()
                if len(self._lines[one]) < len(self._lines[other]):
                    (one, a), (other, b) = (other, b), (one, a)
                self._join(one, other, -a / b)

    def _join(self, leader: int, follower: int, ratio: float) -> None:
        """The follower moves by `ratio` times the leader from now on."""
        for row in self._lines[follower]:
            line = self._rows[row]
            added = line.pop(follower) * ratio
            left = line.get(leader, 0.0) + added
            # what cancels to rounding is zero: ratios are those of small whole numbers
            if abs(left) <= _ROUNDING * abs(added):
                line.pop(leader, None)
                self._lines[leader].discard(row)
            else:
                line[leader] = left
                self._lines[leader].add(row)
            if len(line) <= 2:
                self._short.append(row)
        self._lines[follower] = set()
        for cell in self._members[follower]:
            self._leader[cell] = leader
            self._ratio[cell] *= ratio
        self._members[leader] += self._members[follower]
        self._members[follower] = []

    def groups(self) -> tuple[Ints, Floats, Ints]:
        """Group and ratio of every cell, and who leads each group."""
        leader = np.array(self._leader, dtype=np.int64)
        leaders = np.unique(leader[leader >= 0])
        group = np.where(leader < 0, -1, np.searchsorted(leaders, leader))
        return group, np.array(self._ratio, dtype=np.float64), leaders

    def matrix(self, leaders: Ints) -> sparse.csr_array:
        """The relations that are left, over groups."""
        place = {leader: at for at, leader in enumerate(leaders.tolist())}
        lines = [line for line in self._rows.values() if line]
        row = np.repeat(np.arange(len(lines)), [len(line) for line in lines])
        column = [place[leader] for line in lines for leader in line]
        sign = [coefficient for line in lines for coefficient in line.values()]
        entries = (np.array(sign, dtype=np.float64), (row, np.array(column, dtype=np.int64)))
        return sparse.csr_array(entries, shape=(len(lines), leaders.size))


def _spans(group: Ints, ratio: Floats, down: Floats, up: Floats, groups: int) -> tuple[Floats, Floats]:
    """How far a group can move for all that its cells allow."""
    inside = group >= 0
    at, by = group[inside], ratio[inside]
    ends = -down[inside] / by, up[inside] / by
    low, high = np.full(groups, -np.inf), np.full(groups, np.inf)
    np.maximum.at(low, at, np.where(by > 0, *ends))
    np.minimum.at(high, at, np.where(by > 0, *ends[::-1]))
    return low, high


def implied(relations: sparse.csr_array, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Bounds that relations add: in each, the others must balance. A little wider than true, for rounding.

    >>> line = sparse.csr_array(np.array([[1.0, 1.0, -1.0]]))
    >>> [side.tolist() for side in implied(line, np.array([-1.0, -2, 0]), np.array([5.0, 2, 0]))]
    [[-1.0, -2.0, 0.0], [2.000000000003, 1.000000000003, 0.0]]
    """
    entries = relations.tocoo()
    row, column = (side.astype(np.int64) for side in entries.coords)
    sign, rows = entries.data, relations.shape[0]
    size, upright = np.abs(sign), sign > 0
    low, high = low.copy(), high.copy()
    for _ in range(_ROUNDS if rows else 0):
        before = high - low
        rise, fall = size * high[column], -size * low[column]
        risen, fallen = np.where(upright, rise, fall), np.where(upright, fall, rise)
        most = _of_others(row, fallen, rows) / size
        least = _of_others(row, risen, rows) / size
        np.minimum.at(high, column, np.where(upright, most, least))
        np.maximum.at(low, column, -np.where(upright, least, most))
        if not (np.isinf(before) & np.isfinite(high - low) | (high - low < before * (1 - _WORTH))).any():
            break
    return low, high


def _of_others(row: Ints, spans: Floats, rows: int) -> Floats:
    """The spans of the other entries in the row of each entry, together."""
    endless, some = np.isinf(spans), spans > 0
    finite = np.where(endless, 0.0, spans)
    total = np.bincount(row, finite, rows)[row]
    others = np.bincount(row, endless, rows)[row] - endless
    moving = np.bincount(row, some, rows)[row] - some
    rest = np.where(moving > 0, np.maximum(total - finite, 0.0) + _ROUNDING * total, 0.0)
    return np.where(others > 0, np.inf, rest)


def _parts(relations: sparse.csr_array) -> Ints:
    """Number the groups that relations connect."""
    rows, groups = relations.shape
    if not rows:
        return np.arange(groups)
    graph = sparse.block_array([[None, relations.T], [relations, None]])
    return np.asarray(connected_components(graph, directed=False)[1][:groups], dtype=np.int64)
