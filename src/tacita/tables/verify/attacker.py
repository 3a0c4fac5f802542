"""The attacker's arithmetic: how far suppressed cells can move while all published values stay true.

Movements are changes d of the true values: M d = 0 and -down <= d <= up. Every claim that a cell can
move comes with such a d, and is checked against all relations before it counts; a claim that fails its
check is dropped. So an error here can only make a pattern look less safe than it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from tacita.core import Relations
from tacita.core.arrays import Floats, Ints, Mask
from tacita.kernels.interpreted import interpreted, is_ready

# What a check allows for rounding: of the farthest move of a cell where a flow made it (none of its cells
# moves farther than the one in question), of the widest span where a solver did.
EXACT = 1e-12
SOLVER = 1e-9
# Of the move itself: what a solver may be off. A smaller move along the same way is then off by as much less.
_OFF = 1e-6
# Where all spans are 0 or 1: a solver's zero, far from the least true movement of a vertex.
_NOISE = 1e-6
# Suppressed cells up to which interpreted flows end before the compiler would.
_FEW = 150


class Attacker:
    """Moves the cells of a mask within their spans; cells are numbered as in the mask's order.

    A table whose sums form a network (two dimensions, one of them possibly with a hierarchy) is attacked
    by flows, any other by linear programs.

    >>> from tacita.core import Hierarchy
    >>> relations = Relations.cross([Hierarchy.flat("r", ["a", "b"]), Hierarchy.flat("c", ["x", "y"])])
    >>> corners = np.array([1, 1, 0, 1, 1, 0, 0, 0, 0], dtype=bool)
    >>> values = np.array([5.0, 3.0, 2.0, 4.0])
    >>> attacker = Attacker(relations, corners, down=values, up=np.full(4, np.inf))
    >>> attacker.network, attacker.reach(0, 1), attacker.reach(0, -1)
    (True, 2.0, 4.0)
    """

    def __init__(self, relations: Relations, suppressed: Mask, down: Floats, up: Floats) -> None:
        self.n = int(suppressed.sum())
        self.down, self.up = down, up
        self._place = np.cumsum(suppressed) - 1
        rows, cells, signs = relations.among(suppressed)
        self._rows, self._cells, self._signs = rows, self._place[cells], signs
        self._row_count = len(relations)
        rows, cells, signs = relations.among(suppressed, only_basis=True)
        self._basis = (rows, self._place[cells], signs)
        arcs = as_network(*self._basis, self.n)
        self.network = arcs is not None
        self._engine: Any = _Flows if self.network else _LinearPrograms
        self._build: Any = arcs if arcs is not None else self._basis
        self._finite: _Engine | None = None
        self._rays: _Engine | None = None
        self._signs_only: _Engine | None = None
        self._apart: _LinearPrograms | None = None

    def reach(self, cell: int, direction: int, enough: float = np.inf) -> float:
        """How far a cell can rise (direction 1) or fall (-1); inf where there is no limit.

        Stops at what is known already, where that is `enough` or the limit of the cell. Where there is no
        farthest point, a ray must prove it: a move along unbounded cells only.
        """
        engine = self._within_spans()
        known, limit = engine.known(cell, direction), engine.limit(cell, direction)
        if known >= min(enough, limit) or limit == 0.0:
            return known
        if np.isinf(limit) and not self.network and self._endless(cell, direction):
            return float("inf")
        farthest = engine.farthest(cell, direction)
        if farthest is not None:
            moved = self._moved(engine, farthest, cell, direction)
            # a flow goes no less far than another, but for rounding
            return moved if self.network and moved > 0 else max(known, moved)
        return float("inf") if self._endless(cell, direction) else 0.0

    @property
    def work(self) -> float:
        """What the reach of all cells takes, in steps; flows count as none. O(entries log entries)."""
        return self._within_spans().work

    def _within_spans(self) -> _Engine:
        if self._finite is None:
            self._finite = self._engine(self._build, self.down, self.up)
        return self._finite

    def _endless(self, cell: int, direction: int) -> bool:
        """Whether a ray moves a cell without end."""
        if self._rays is None:
            self._rays = self._engine(self._build, np.isinf(self.down) * 1.0, np.isinf(self.up) * 1.0)
        if self._rays.known(cell, direction) > _NOISE:
            return True
        ray = self._rays.farthest(cell, direction)
        return self._moved(self._rays, ray, cell, direction) > _NOISE

    def moves(self, cell: int) -> bool:
        """Whether a cell can move at all. Only signs count: cells may rise or fall by 1, or not."""
        if self._signs_only is None:
            self._signs_only = self._engine(self._build, (self.down > 0) * 1.0, (self.up > 0) * 1.0)
        engine = self._signs_only
        return any(engine.known(cell, direction) > _NOISE for direction in (1, -1)) or any(
            self._moved(engine, engine.farthest(cell, direction), cell, direction) > _NOISE
            for direction in (1, -1)
        )

    def moving_apart(self, cell: int, by: float, stays: Ints) -> Floats | None:
        """The smallest change found that moves one cell by so much while some stay; None if none was found.

        The change was checked. So an attacker who knows only cells that it does not move learns no more about
        this cell than anybody else, as far as the cell has to move.
        """
        if self._apart is None:
            self._apart = _LinearPrograms(self._basis, self.down, self.up)
        change = self._apart.quietest(cell, by, stays)
        if change is None or change[stays].any():
            return None
        direction = 1 if by > 0 else -1
        moved = self._moved(self._apart, change, cell, direction)
        return change if moved >= abs(by) * (1 - SOLVER) > 0 else None

    def smallest_movement(self, cell: int, by: float) -> Floats | None:
        """The smallest change found that moves a cell by so much, unchecked; None if none was found."""
        if self._apart is None:
            self._apart = _LinearPrograms(self._basis, self.down, self.up)
        return self._apart.quietest(cell, by, np.empty(0, dtype=np.int64))

    def _moved(self, engine: _Engine, change: Floats | None, cell: int, direction: int) -> float:
        """The move of a cell in a change, if all relations and spans allow that change; zero otherwise."""
        if change is None or not np.isfinite(change).all():
            return 0.0
        moved = direction * float(change[cell])
        sums = np.bincount(self._rows, weights=self._signs * change[self._cells], minlength=self._row_count)
        beyond = max(float((change - engine.up).max()), float((-engine.down - change).max()))
        off = max(float(np.abs(sums).max(initial=0.0)) / 10, beyond)
        noise = engine.noise(change)
        if off <= noise:
            # of other cells, what may be noise is no movement
            engine.keep(change, max(noise, off / _OFF))
        if self.network:
            # a flow has none for the cell in question
            return moved if off <= noise and moved > 0 else 0.0
        return moved if off <= min(noise, _OFF * moved) and moved > noise else 0.0


class _Engine(ABC):
    """Finds a change of all cells that moves one of them as far as it goes."""

    def __init__(self, down: Floats, up: Floats) -> None:
        self.down, self.up = down, up
        self._fallen, self._risen = np.zeros(down.size), np.zeros(up.size)

    @abstractmethod
    def farthest(self, cell: int, direction: int) -> Floats | None:
        """That change; None where there is no farthest, or none was found."""

    @abstractmethod
    def noise(self, change: Floats) -> float:
        """How far a change may be off what it should keep, for rounding."""

    def limit(self, cell: int, direction: int) -> float:
        """How far no change moves a cell beyond."""
        return np.inf

    @property
    def work(self) -> float:
        """What the farthest change of every cell takes, in steps, where it is more than a flow each."""
        return 0.0

    def known(self, cell: int, direction: int) -> float:
        """How far a change moves a cell that was found earlier, for this cell or another."""
        return float((self._risen if direction > 0 else self._fallen)[cell])

    def keep(self, change: Floats, more_than: float) -> None:
        """Remember how far a change that was checked moves cells, if that is more than some noise."""
        cells = np.flatnonzero(np.abs(change) > more_than)
        self._risen[cells] = np.maximum(self._risen[cells], change[cells])
        self._fallen[cells] = np.maximum(self._fallen[cells], -change[cells])


class _Flows(_Engine):
    """A rise of cell (v, w) returns from w to v by other cells: a largest flow."""

    def __init__(self, arcs: tuple[Ints, Ints, int], down: Floats, up: Floats) -> None:
        from tacita.kernels.tables.attack import Arcs, largest_flow

        super().__init__(down, up)
        self._tails, self._heads, nodes = arcs
        n = self._tails.size
        plain = n <= _FEW and not is_ready(largest_flow)
        self._largest_flow = interpreted(largest_flow) if plain else largest_flow
        finite = np.concatenate([down[np.isfinite(down)], up[np.isfinite(up)]])
        # no flow is larger than all finite spans together, unless it has no limit at all
        self._limit = float(finite.sum())
        plenty = 1.0 + 2.0 * self._limit
        leaves = np.concatenate([self._tails, self._heads])
        codes = np.concatenate([2 * np.arange(n), 2 * np.arange(n) + 1])
        starts = np.concatenate([[0], np.cumsum(np.bincount(leaves, minlength=nodes))])
        up, down = np.where(np.isinf(up), plenty, up), np.where(np.isinf(down), plenty, down)
        leaving = codes[np.argsort(leaves, kind="stable")]
        self._arcs = Arcs(
            starts=starts, codes=leaving, tails=self._tails, heads=self._heads, up=up, down=down
        )

    def farthest(self, cell: int, direction: int) -> Floats | None:
        change = np.zeros(self._tails.size)
        tail, head = int(self._tails[cell]), int(self._heads[cell])
        limit = float((self._arcs.up if direction > 0 else self._arcs.down)[cell])
        source, sink = (head, tail) if direction > 0 else (tail, head)
        # a cell in no relation is its own way back
        moved = limit
        if tail != head:
            moved = self._largest_flow(self._arcs, source, sink, cell, limit, change)
        change[cell] = direction * moved
        return None if moved > self._limit * (1 + EXACT) else change

    def noise(self, change: Floats) -> float:
        # no cell of a flow moves farther than the one in question
        return EXACT * float(np.abs(change).max())


class _LinearPrograms(_Engine):
    """Linear programs, one for each connected part of the cells that can move, kept from query to query.

    Cells that move only together are one column; a part of one column needs no linear program.
    """

    def __init__(self, basis: tuple[Ints, Ints, Floats], down: Floats, up: Floats) -> None:
        super().__init__(down, up)
        from .presolve import moving_together

        self._together = moving_together(*basis, down, up)
        self._models: dict[int, tuple[Ints, Any]] = {}
        self._quiet: dict[int, Any] = {}
        ends = np.abs(np.concatenate([self._together.low, self._together.high]))
        self._widest = float(ends[np.isfinite(ends)].max(initial=0.0))

    def limit(self, cell: int, direction: int) -> float:
        return self._together.limit(cell, direction)

    @property
    def work(self) -> float:
        # as many steps as relations, each of them through all relations
        groups, relations = self._together.sizes()
        return float((groups * relations.astype(np.float64) ** 2).sum())

    def noise(self, change: Floats) -> float:
        return SOLVER * max(self._widest, float(np.abs(change).max()), 1e-300)

    def farthest(self, cell: int, direction: int) -> Floats | None:
        together = self._together
        group, ratio = int(together.group[cell]), float(together.ratio[cell])
        groups = np.zeros(together.part.size)
        if group < 0:
            return together.cells_moved(groups)
        towards = direction if ratio > 0 else -direction
        members, lp = self._model(int(together.part[group]))
        if members.size == 1:
            # one movement is left, and it is free up to its bound
            groups[group] = (together.high if towards > 0 else together.low)[group]
            return together.cells_moved(groups) if np.isfinite(groups[group]) else None
        moved = lp.farthest(int(np.searchsorted(members, group)), towards)
        if moved is None:
            return None
        groups[members] = moved
        return together.cells_moved(groups)

    def quietest(self, cell: int, by: float, stays: Ints) -> Floats | None:
        """The smallest change that moves one cell by so much, and some cells not at all."""
        from .linear_program import SmallestMovementLP

        together = self._together
        group = int(together.group[cell])
        still = together.group[stays]
        if group < 0 or group in still:
            return None
        part = int(together.part[group])
        if part not in self._quiet:
            members, columns = self._members(part)
            ends = together.low[members], together.high[members]
            self._quiet[part] = (members, SmallestMovementLP(columns, *ends) if members.size > 1 else None)
        members, lp = self._quiet[part]
        own, t = int(np.searchsorted(members, group)), by / float(together.ratio[cell])
        groups = np.zeros(together.part.size)
        if lp is None:
            groups[group] = t
            return together.cells_moved(groups)
        near = np.searchsorted(members, still[np.isin(still, members)])
        moved = lp.movement(own, t, near)
        if moved is None:
            return None
        groups[members] = moved
        return together.cells_moved(groups)

    def _members(self, part: int) -> tuple[Ints, Any]:
        """The groups of a part, and the relations among them."""
        members = np.flatnonzero(self._together.part == part)
        columns = self._together.relations.tocsc()[:, members].tocsr()
        return members, columns[np.flatnonzero(np.diff(columns.indptr))]

    def _model(self, part: int) -> tuple[Ints, Any]:
        from .linear_program import FarthestMovementLP

        if part not in self._models:
            together = self._together
            members, columns = self._members(part)
            lp = None
            if members.size > 1:
                lp = FarthestMovementLP(columns, together.low[members], together.high[members])
            self._models[part] = (members, lp)
        return self._models[part]


def as_network(rows: Ints, cells: Ints, signs: Floats, n: int) -> tuple[Ints, Ints, int] | None:
    """Tail and head of each cell where the relations, some of them negated, are those of a network; or None.

    They are if every cell has at most two entries, +-1, and rows can be negated so that the two differ in
    sign. O(entries).
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    per_cell = np.bincount(cells, minlength=n)
    if per_cell.max(initial=0) > 2 or (np.abs(signs) != 1).any():
        return None
    used, row = np.unique(rows, return_inverse=True)
    m = used.size
    order = np.argsort(cells, kind="stable")
    pairs = order[np.repeat(per_cell == 2, per_cell)].reshape(-1, 2)
    first, second = row[pairs[:, 0]], row[pairs[:, 1]]
    alike = signs[pairs[:, 0]] == signs[pairs[:, 1]]
    # node r is "as it is", node r + m is "negated": alike signs want one of the two negated
    left = np.concatenate([first, first + m])
    right = np.concatenate([np.where(alike, second + m, second), np.where(alike, second, second + m)])
    graph = coo_array((np.ones(left.size), (left, right)), shape=(2 * m, 2 * m))
    _, group = connected_components(graph, directed=False)
    if (group[:m] == group[m:]).any():
        return None
    sign_of_row = np.where(group[:m] < group[m:], 1.0, -1.0)
    # the last node takes up what leaves the network; a cell without relations leads from it to itself
    tails, heads = np.full(n, m), np.full(n, m)
    leaving = sign_of_row[row] * signs > 0
    tails[cells[leaving]] = row[leaving]
    heads[cells[~leaving]] = row[~leaving]
    return tails, heads, m + 1


def parts_of(rows: Ints, cells: Ints, n: int) -> Ints:
    """Number the sets of cells that relations connect. O(entries)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    used, row = np.unique(rows, return_inverse=True)
    size = n + used.size
    graph = coo_array((np.ones(row.size), (cells, n + row)), shape=(size, size))
    return np.asarray(connected_components(graph, directed=False)[1][:n], dtype=np.int64)
