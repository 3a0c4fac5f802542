"""From fractional weights of groups towards a partition: fix what is all but certain, solve, again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacita.core import Labels, Mask, Matrix

from .set_partitioning import Columns

# A group of such a weight is taken along with the heaviest.
_SURE = 0.9


def dive(
    columns: Columns, triples: Labels, left: int, ended: Callable[[], bool] = lambda: False
) -> tuple[Labels, Mask]:
    """Groups that a good partition may well hold, as rows of `columns`, and which records are still free.

    The linear programme gives each group a weight. Those of weight 0.9 and the heaviest are fixed, what
    overlaps them is taken out, and the programme solved again from where it stood, until at most `left`
    records are free, or the groups known cannot cover those any more: then the last step is taken back. Each
    step takes a few simplex iterations; at most n/k of them.

    >>> columns = Columns(4, 2, lambda groups: np.array([1.0, 1.0, 3.0, 3.0][: len(groups)]))
    >>> columns.add(np.array([[0, 1, -1], [2, 3, -1], [0, 2, -1], [1, 3, -1]]))
    4
    >>> rows, free = dive(columns, np.empty((0, 3), dtype=np.int64), 0)
    >>> rows.tolist(), free.tolist()
    ([0, 1], [False, False, False, False])
    """
    padded = np.where(columns.groups < 0, columns.n, columns.groups)
    programme = columns.programme(triples, solver="simplex")
    programme.solve()
    programme.set(presolve="off")
    # one more than there are records, for the padding, which is always free
    free = np.ones(columns.n + 1, dtype=np.bool_)
    possible = np.ones(len(columns), dtype=np.bool_)
    fixed = np.empty(0, dtype=np.int64)
    before = free.copy(), fixed
    while not ended():
        if programme.status != "optimal":
            free, fixed = before
            break
        if free.sum() - 1 <= left:
            break
        before = free.copy(), fixed
        taken = _heaviest(programme.x, possible, padded, free)
        if not taken.size:
            break
        fixed = np.concatenate([fixed, taken])
        gone = possible & ~free[padded].all(axis=1)
        possible &= ~gone
        gone[taken] = False
        for rows, at in ((np.flatnonzero(gone), 0.0), (taken, 1.0)):
            programme.bound(rows, np.full(len(rows), at), np.full(len(rows), at))
        programme.solve()
    return np.sort(fixed), free[:-1]


def _heaviest(weights: Matrix, possible: Mask, padded: Labels, free: Mask) -> Labels:
    """The heaviest group and those next to certain, no two of which overlap; they are struck off `free`."""
    rows = np.flatnonzero(possible & (weights > 1e-6))
    rows = rows[np.argsort(-np.round(weights[rows], 9), kind="stable")]
    taken: list[int] = []
    for row in rows.tolist():
        if taken and weights[row] < _SURE:
            break
        if free[padded[row]].all():
            taken.append(row)
            free[padded[row]] = False
            free[-1] = True
    return np.array(taken, dtype=np.int64)
