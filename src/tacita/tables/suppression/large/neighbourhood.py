"""Cells around a cell: where its protection is looked for first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from tacita.core.arrays import Floats, Ints, Mask
from tacita.tables.suppression.optimal.relation_system import System

# How many cells are taken at first, and then, before all are.
_NEAREST = (1000, 4000, 16_000)


class Part(NamedTuple):
    """Some columns of a system as a system of their own, with one demand; and whether there are no more."""

    columns: Ints
    system: System | None
    all_there_are: bool


class Nearby:
    """The cells of a system around one of them, nearest by the cost of suppressing all cells on the way.

    A step leads from a cell to all others of its relations, at their price and the price of a step: that of
    the median cell, since without it cheap cells come first from far away, and close no circuit. Cells that
    cannot move with the near cells only are left out. O(relations passed, log of them).

    >>> from scipy import sparse
    >>> relations = sparse.csr_array(np.array([[1.0, 1, 1, 0], [0, 0, 1, 1]]))
    >>> nothing = [np.zeros(4)] * 4, [np.zeros(1, dtype=int)] * 4, [np.zeros(0)] * 2
    >>> system = System(relations, np.zeros(2), *nothing[0], *nothing[1], *nothing[2])
    >>> Nearby(system, np.array([1.0, 5, 2, 1])).part(0, 3, np.ones(4, bool)).columns.tolist()
    [0, 2, 3]
    """

    def __init__(self, system: System, price: Floats) -> None:
        from tacita.kernels.tables.neighbourhood import Marks, Ties

        by_row, by_column = system.relations.tocsr(), system.relations.tocsc()
        rows, columns = by_row.shape
        starts = (matrix.indptr.astype(np.int64) for matrix in (by_column, by_row))
        places = (matrix.indices.astype(np.int64) for matrix in (by_column, by_row))
        (start, row_start), (at, of_rows) = starts, places
        self._ties = Ties(start, at, by_column.data.astype(np.float64), row_start, of_rows)
        self._marks = Marks(
            np.full(columns, np.inf),
            np.zeros(columns, dtype=bool),
            np.zeros(rows, dtype=bool),
            np.zeros(rows, dtype=np.int64),
            np.full(rows, -1),
        )
        self._system, self._price = system, np.zeros(columns)
        self._step = float(np.median(price)) if columns else 0.0
        self.reprice(np.arange(columns), price)
        self.sizes = (*[size for size in _NEAREST if 2 * size < columns], columns)

    def reprice(self, columns: Ints, price: Floats) -> None:
        """Other prices of some columns from now on."""
        self._price[columns] = price + self._step

    def part(self, demand: int, size: int, allowed: Mask) -> Part:
        """About so many allowed cells around that of a demand, without those that cannot move; no system
        where that is one of these."""
        from tacita.kernels.tables.neighbourhood import able_to_move, nearest, part_of

        system, own = self._system, int(self._system.own[demand])
        near = nearest(self._ties, self._price, allowed, own, size, self._marks)
        complete = near.size < size or size == system.edges
        columns = able_to_move(self._ties, near, self._marks)
        place = np.searchsorted(columns, own)
        if place == columns.size or columns[place] != own:
            return Part(columns, None, complete)
        rows, start, at, value = part_of(self._ties, columns, system.implied, self._marks)
        relations = sparse.csc_array((value, at, start), shape=(rows, columns.size)).tocsr()
        part = System(
            relations=relations,
            implied=np.zeros(rows, dtype=bool),
            up=system.up[columns],
            down=system.down[columns],
            cost=system.cost[columns],
            primary=system.primary[columns],
            own=np.array([place]),
            sign=system.sign[[demand]],
            amount=system.amount[[demand]],
            ways=system.ways[[demand]],
            start=np.zeros(columns.size + 1, dtype=np.int64),
            cells=np.zeros(0, dtype=np.int64),
        )
        return Part(columns, part, complete)
