"""Cells around a cell: where its protection is looked for first."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from tacita.core.arrays import Floats, Ints
from tacita.tables.suppression.general.system import System

# How many cells are taken at first, and then, before all are.
_NEAREST = (2000, 8000)


class Nearby:
    """The cells of a system around one of them, nearest by what it costs to withhold all on the way there.

    From a cell one gets to all others of its relations, at their price. O(cells log cells) at most, less
    where the nearest are found soon.

    >>> relations = sparse.csr_array(np.array([[1.0, 1, 1, 0], [0, 0, 1, 1]]))
    >>> system = System(relations, *[np.zeros(4)] * 5, *[np.zeros(0)] * 6)
    >>> Nearby(system, np.array([1.0, 5, 2, 1])).nearest(0, 3).tolist()
    [0, 2, 3]
    """

    def __init__(self, system: System, price: Floats, sizes: tuple[int, ...] = _NEAREST) -> None:
        relations = system.relations.tocsr()
        self._count = relations.shape[1]
        self._price = np.maximum(price, 1e-300)
        away = sparse.csr_array(
            (np.ones(relations.nnz), relations.indices, relations.indptr), shape=relations.shape
        )
        # columns first, then rows: into a row costs nothing, into a column its price
        out = away.T.tocsr()
        out.data[:] = 1e-300
        self._graph = sparse.block_array([[None, out], [away, None]], format="csr")
        self._first = int(self._graph.indptr[self._count])
        self._into = self._graph.indices[self._first :]
        self._graph.data[self._first :] = self._price[self._into]
        self._limit = float(np.median(self._price)) if self._count else 1.0
        self.sizes = (*[size for size in sizes if 2 * size < self._count], self._count)

    def reprice(self, columns: Ints, price: Floats) -> None:
        """Other prices of some columns from now on."""
        self._price[columns] = np.maximum(price, 1e-300)
        self._graph.data[self._first :] = self._price[self._into]

    def nearest(self, column: int, size: int) -> Ints:
        """About so many columns, the nearest, in order of number."""
        if size >= self._count:
            return np.arange(self._count)
        limit = self._limit
        for _ in range(60):
            away = dijkstra(self._graph, indices=column, limit=limit)[: self._count]
            reached = np.flatnonzero(np.isfinite(away))
            if reached.size >= size or reached.size == self._count:
                break
            limit *= 2
        self._limit = limit / 2 if reached.size > 2 * size else limit
        if reached.size > size:
            reached = reached[np.argsort(away[reached], kind="stable")[:size]]
        return np.union1d(reached, [column])
