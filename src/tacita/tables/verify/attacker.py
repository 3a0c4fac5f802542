"""The attacker's arithmetic: how far withheld cells can move while all that is published stays true.

Everything is said in changes d of the true values: M d = 0 and -down <= d <= up. Every claim that a cell can
move comes with such a d, and is checked against all relations before it counts; a claim that fails its
check is dropped. So an error here can only make a pattern look less safe than it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from tacita.core import Relations
from tacita.core.arrays import Floats, Ints, Mask
from tacita.kernels.plain import interpreted, is_ready

# What a check allows for rounding: of the farthest move of a cell where a flow made it (none of its cells
# moves farther than the one in question), of the widest span where a solver did.
EXACT = 1e-12
SOLVER = 1e-9
# Of the move itself: what a solver may be off. A smaller move along the same way is then off by as much less.
_OFF = 1e-6
# Where all spans are 0 or 1: a solver's nought, far from the least true movement of a vertex.
_NOISE = 1e-6
# Withheld cells up to which flows without the compiler are found before it would be through.
_FEW = 150


class Attacker:
    """Moves the cells of a mask within their spans; cells are numbered as in the mask's order.

    A table whose sums form a network (two dimensions, one of them possibly with a hierarchy) is attacked
    by flows, any other by linear programmes.

    >>> from tacita.core import Hierarchy
    >>> relations = Relations.cross([Hierarchy.flat("r", ["a", "b"]), Hierarchy.flat("c", ["x", "y"])])
    >>> corners = np.array([1, 1, 0, 1, 1, 0, 0, 0, 0], dtype=bool)
    >>> values = np.array([5.0, 3.0, 2.0, 4.0])
    >>> attacker = Attacker(relations, corners, down=values, up=np.full(4, np.inf))
    >>> attacker.network, attacker.reach(0, 1), attacker.reach(0, -1)
    (True, 2.0, 4.0)
    """

    def __init__(self, relations: Relations, withheld: Mask, down: Floats, up: Floats) -> None:
        self.n = int(withheld.sum())
        self.down, self.up = down, up
        self._place = np.cumsum(withheld) - 1
        rows, cells, signs = relations.among(withheld)
        self._rows, self._cells, self._signs = rows, self._place[cells], signs
        self._row_count = len(relations)
        rows, cells, signs = relations.among(withheld, only_basis=True)
        self._basis = (rows, self._place[cells], signs)
        arcs = as_network(*self._basis, self.n)
        self.network = arcs is not None
        self._engine: Any = _Flows if self.network else _Programmes
        self._build: Any = arcs if arcs is not None else self._basis
        self._finite: _Engine | None = None
        self._rays: _Engine | None = None
        self._signs_only: _Engine | None = None

    def reach(self, cell: int, direction: int) -> float:
        """How far a cell can rise (direction 1) or fall (-1); inf where there is no limit.

        Where there is no farthest point, a ray must prove it: a move along cells without bound alone.
        """
        if self._finite is None:
            self._finite = self._engine(self._build, self.down, self.up)
        farthest = self._finite.farthest(cell, direction)
        if farthest is not None:
            return self._moved(self._finite, farthest, cell, direction)
        if self._rays is None:
            self._rays = self._engine(self._build, np.isinf(self.down) * 1.0, np.isinf(self.up) * 1.0)
        ray = self._rays.farthest(cell, direction)
        return float("inf") if self._moved(self._rays, ray, cell, direction) > _NOISE else 0.0

    def moves(self, cell: int) -> bool:
        """Whether a cell can move at all. Only signs count: cells may rise or fall by 1, or not."""
        if self._signs_only is None:
            self._signs_only = self._engine(self._build, (self.down > 0) * 1.0, (self.up > 0) * 1.0)
        engine = self._signs_only
        return any(
            self._moved(engine, engine.farthest(cell, direction), cell, direction) > _NOISE
            for direction in (1, -1)
        )

    def _moved(self, engine: _Engine, change: Floats | None, cell: int, direction: int) -> float:
        """The move of a cell in a change, if all relations and spans allow that change; nought otherwise."""
        if change is None or not np.isfinite(change).all():
            return 0.0
        moved = direction * float(change[cell])
        farthest = float(np.abs(change).max())
        if self.network:
            noise, allowed = 0.0, EXACT * farthest
        else:
            spans = np.concatenate([engine.down, engine.up])
            widest = max(float(spans[np.isfinite(spans)].max(initial=0.0)), farthest)
            # a solver's noise is no movement; a flow has none
            noise = SOLVER * max(widest, 1e-300)
            allowed = min(noise, _OFF * moved)
        sums = np.bincount(self._rows, weights=self._signs * change[self._cells], minlength=self._row_count)
        kept = (
            np.abs(sums).max(initial=0.0) <= allowed * 10
            and (change <= engine.up + allowed).all()
            and (change >= -engine.down - allowed).all()
        )
        return moved if kept and moved > noise else 0.0


class _Engine(ABC):
    """Finds a change of all cells that moves one of them as far as it goes."""

    def __init__(self, down: Floats, up: Floats) -> None:
        self.down, self.up = down, up

    @abstractmethod
    def farthest(self, cell: int, direction: int) -> Floats | None:
        """That change; None where there is no farthest, or none was found."""


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
        self._arcs = Arcs(starts, leaving, self._tails, self._heads, up, down)

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


class _Programmes(_Engine):
    """One linear programme per connected part of the withheld cells, kept warm from question to question."""

    def __init__(self, basis: tuple[Ints, Ints, Floats], down: Floats, up: Floats) -> None:
        super().__init__(down, up)
        self._basis = basis
        self._parts = parts_of(basis[0], basis[1], down.size)
        self._models: dict[int, Any] = {}

    def farthest(self, cell: int, direction: int) -> Floats | None:
        from .programme import Programme

        part = int(self._parts[cell])
        if part not in self._models:
            members = np.flatnonzero(self._parts == part)
            self._models[part] = Programme(*self._basis, members, self.down[members], self.up[members])
        return self._models[part].farthest(cell, direction, self.down.size)


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
