"""The best partition that can be made of the groups of several: a set-partitioning programme."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .base import Labels, Matrix

_Groups = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]


def group_errors(x: Matrix, members: npt.NDArray[np.int32], sizes: npt.NDArray[np.int32]) -> Matrix:
    """Squared error of each group; members: one row a group, the first `size` of which count.

    O(sum of sizes x d) time, and memory for as many at a time as make a million numbers.

    >>> group_errors(np.array([[0.0], [2.0], [9.0]]), np.array([[0, 1, 0]]), np.array([2])).tolist()
    [2.0]
    """
    errors = np.empty(len(sizes))
    step = max(1, 1_000_000 // (members.shape[1] * x.shape[1]))
    for first in range(0, len(sizes), step):
        rows, size = members[first : first + step], sizes[first : first + step, None, None]
        counts = (np.arange(members.shape[1]) < size[:, 0])[:, :, None]
        points = np.where(counts, x[rows], 0.0)
        away = np.where(counts, points - points.sum(axis=1, keepdims=True) / size, 0.0)
        errors[first : first + step] = (away**2).sum(axis=(1, 2))
    return errors


def as_groups(labels: Labels, width: int) -> _Groups:
    """Members and sizes of the groups of a partition. O(n log n).

    >>> members, sizes = as_groups(np.array([0, 1, 0]), 2)
    >>> members.tolist(), sizes.tolist()
    ([[0, 2], [1, 0]], [2, 1])
    """
    sizes = np.bincount(labels).astype(np.int32)
    members = np.zeros((len(sizes), width), dtype=np.int32)
    members[np.arange(width) < sizes[:, None]] = np.argsort(labels, kind="stable")
    return members, sizes


def recombine(
    x: Matrix, labels: Labels, pool: _Groups, questions: int, cancelled: Callable[[], bool] = lambda: False
) -> Labels:
    """Choose groups, every record in exactly one, of least squared error; `labels` if nothing is better.

    The groups of `labels` are added to the pool and are the solution that the solver starts from. It asks
    now and then whether to go on; a limit on these questions, not on time, makes the outcome repeat.

    >>> x = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> pool = np.array([[0, 1], [2, 3]], dtype=np.int32), np.array([2, 2], dtype=np.int32)
    >>> recombine(x, np.array([0, 1, 0, 1]), pool, 10).tolist()
    [0, 0, 1, 1]
    """
    own = as_groups(labels, pool[0].shape[1])
    members, sizes = (np.concatenate(both) for both in zip(own, pool, strict=True))
    errors = group_errors(x, members, sizes)
    if errors[: len(own[1])].sum() == 0:
        return labels
    chosen = _solve(len(x), members, sizes, errors, len(own[1]), questions, cancelled)
    if chosen is None or errors[chosen].sum() >= errors[: len(own[1])].sum():
        return labels
    found = np.full(len(x), -1, dtype=np.int64)
    for number, group in enumerate(chosen.tolist()):
        found[members[group, : sizes[group]]] = number
    # a solver's feasibility has tolerances, a partition has none
    whole = (found >= 0).all() and int(sizes[chosen].sum()) == len(x)
    return found if whole else labels


def _solve(
    n: int,
    members: npt.NDArray[np.int32],
    sizes: npt.NDArray[np.int32],
    errors: Matrix,
    start: int,
    questions: int,
    cancelled: Callable[[], bool],
) -> npt.NDArray[np.int64] | None:
    """The chosen columns of the set-partitioning programme; the first `start` are a solution of it."""
    import highspy

    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(sizes), n
    lp.col_cost_ = errors / errors[:start].sum()
    lp.col_lower_, lp.col_upper_ = np.zeros(len(sizes)), np.ones(len(sizes))
    lp.row_lower_ = lp.row_upper_ = np.ones(n)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    lp.a_matrix_.index_ = members[np.arange(members.shape[1]) < sizes[:, None]]
    lp.a_matrix_.value_ = np.ones(int(sizes.sum()))
    lp.integrality_ = [highspy.HighsVarType.kInteger] * len(sizes)
    solver = highspy.Highs()
    for option, value in {
        "output_flag": False,
        "threads": 1,
        "random_seed": 0,
        "mip_rel_gap": 1e-7,
    }.items():
        solver.setOptionValue(option, value)
    solver.passModel(lp)
    known = highspy.HighsSolution()
    known.col_value = (np.arange(len(sizes)) < start).astype(float).tolist()
    solver.setSolution(known)

    asked = 0

    def stop_late(event: Any) -> None:
        nonlocal asked
        asked += 1
        if asked > questions or cancelled():
            event.interrupt()

    solver.cbMipInterrupt.subscribe(stop_late)
    solver.run()
    values = np.asarray(solver.getSolution().col_value)
    return np.flatnonzero(values > 0.5) if values.size == len(sizes) else None
