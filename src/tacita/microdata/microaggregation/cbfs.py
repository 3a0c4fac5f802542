"""CBFS: centroid-based fixed size."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tacita.core import Run

from .base import Labels, Matrix, Microaggregation
from .repair import join_nearest_group

_WORK_PER_CALL = 20_000_000

_Array = np.ndarray
RoundsState = tuple[_Array, _Array, _Array, _Array, _Array, _Array, _Array]


class CBFS(Microaggregation):
    """One group after the other around the record farthest from the middle.

    Round: the record farthest from the centroid of what is left, with its k-1 nearest, is a group. While k
    or more are left; then each joins the group with the nearest centroid. Ties go to the lowest row.

    With units, a group takes the nearest records of k-1 other units.

    O(n^2 d / k) time, O(n d) memory.
    Source: Laszlo & Mukherjee (2005), IEEE Trans. Knowledge and Data Engineering 17(7), 902-911.

    >>> CBFS(k=2).partition(np.array([[0.], [9.], [1.], [10.], [2.]])).labels.tolist()
    [0, 1, 0, 1, 0]
    """

    unit_aware: ClassVar[bool] = True

    def group(self, x: Matrix, units: Labels | None, run: Run) -> Labels:
        from tacita.kernels.records.cbfs import cbfs_rounds
        from tacita.kernels.records.mdav import ALIVE

        n, d = x.shape
        work = rounds_state(x, units)
        *_, labels, state = work
        done = False
        while not done:
            rounds = 1 + _WORK_PER_CALL // (n * d)
            done = cbfs_rounds(*work, self.k, units is not None, rounds)
            run.report("grouping records", 1 - (state[ALIVE] / n) ** 2, 1)
        run.report("grouping records", 1, 1)
        return join_nearest_group(x, labels)


def rounds_state(x: Matrix, units: Labels | None) -> RoundsState:
    """What the kernels of MDAV's family use up: see `mdav_rounds`. Nobody has a group yet."""
    n = x.shape[0]
    own = np.arange(n) if units is None else units.copy()
    unit_left = np.bincount(own)
    state = np.array([n, n, 0, np.count_nonzero(unit_left)])
    # of a single column x.T is a mere view of x
    columns = np.array(x.T, order="C", copy=True)
    return columns, np.arange(n), own, unit_left, x.sum(axis=0), np.full(n, -1, dtype=np.int64), state
