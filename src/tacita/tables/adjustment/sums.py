"""Which cells are sums of which: every cell as a sum of those that are no sum themselves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from tacita.core import DataError, Relations
from tacita.core.arrays import Floats, Ints, Mask

# Times that what is lacking is made up for.
_TIMES = 3
# Share of it that may be left each time.
_LOST = 1e-10


class Sums(NamedTuple):
    """`parts` are the cells that are no sum; row c of `matrix` has those that c is made of."""

    parts: Ints
    matrix: sparse.csr_array

    def of(self, values: Floats) -> Floats:
        """The values of all cells, from those of the parts: additive to the last digit if these are whole."""
        return np.asarray(self.matrix @ values, dtype=np.float64)

    def free(self, relations: Relations) -> bool:
        """Whether all relations hold whatever the parts are; those of linked tables tie parts together."""
        return not abs(_matrix(relations, self.matrix.shape[0]) @ self.matrix).sum()


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
    matrix = start
    for _ in range(n + 1):
        longer = (step @ matrix + start).tocsr()
        if longer.nnz == matrix.nnz and abs(longer - matrix).sum() == 0:
            return Sums(parts, matrix)
        matrix = longer
    raise DataError("Sums: some cells are sums of themselves.")


def settled(relations: Relations, values: Floats, movable: Mask) -> Floats:
    """Values that add up but for rounding, made to add up by the least change of some of them. O(entries).

    >>> from tacita.core import Hierarchy
    >>> relations = Relations.cross([Hierarchy.flat("r", ["a", "b"])])
    >>> settled(relations, np.array([1.0, 2.0, 3.5]), np.array([True, True, False])).tolist()
    [1.25, 2.25, 3.5]
    """
    from scipy.sparse.linalg import lsqr

    settled_values = values.copy()
    columns = _matrix(relations, values.size)[:, np.flatnonzero(movable)]
    for _ in range(_TIMES):
        settled_values[movable] -= lsqr(columns, relations.residuals(settled_values), atol=0.0, btol=_LOST)[0]
    return settled_values


def _matrix(relations: Relations, n: int) -> sparse.csr_array:
    return sparse.csr_array((relations.signs, (relations.rows, relations.cells)), shape=(len(relations), n))
