"""Which cells are sums of which: every cell as a sum of those that are no sum themselves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from tacita.core import DataError, Relations
from tacita.core.arrays import Floats, Ints


class Sums(NamedTuple):
    """`parts` are the cells that are no sum; row c of `matrix` has those that c is made of."""

    parts: Ints
    matrix: sparse.csr_array

    def of(self, values: Floats) -> Floats:
        """The values of all cells, from those of the parts: additive to the last digit if these are whole."""
        return np.asarray(self.matrix @ values, dtype=np.float64)


def sums_of(relations: Relations, n: int) -> Sums:
    """Every one of n cells as a sum of parts. O(entries of the result), levels times.

    >>> from tacita.core import Hierarchy
    >>> relations = Relations.cross([Hierarchy.flat("r", ["a", "b"]), Hierarchy.flat("c", ["x", "y"])])
    >>> found = sums_of(relations, 9)
    >>> found.parts.tolist(), found.of(np.array([1.0, 2, 3, 4])).tolist()
    ([0, 1, 3, 4], [1.0, 2.0, 3.0, 3.0, 4.0, 7.0, 4.0, 6.0, 10.0])
    """
    sums = relations.signs < 0
    whole, row = relations.cells[sums], relations.rows[sums]
    if (
        np.bincount(row, minlength=len(relations)).max(initial=0) > 1
        or not np.isin(relations.signs, (1, -1)).all()
    ):
        raise DataError("Sums: wanted relations of one sum and its parts each, got others.")
    # one relation explains a sum; others say the same
    whole, first = np.unique(whole, return_index=True)
    row = row[first]
    explained = np.full(len(relations), -1, dtype=np.int64)
    explained[row] = whole
    parts = np.setdiff1d(np.arange(n), whole)
    used = ~sums & (explained[relations.rows] >= 0)
    step = sparse.csr_array(
        (np.ones(int(used.sum())), (explained[relations.rows[used]], relations.cells[used])), shape=(n, n)
    )
    start = sparse.csr_array((np.ones(parts.size), (parts, np.arange(parts.size))), shape=(n, parts.size))
    found = start
    for _ in range(n + 1):
        longer = (step @ found + start).tocsr()
        if longer.nnz == found.nnz and abs(longer - found).sum() == 0:
            return Sums(parts, found)
        found = longer
    raise DataError("Sums: some cells are sums of themselves.")
