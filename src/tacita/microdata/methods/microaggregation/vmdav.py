"""V-MDAV: MDAV with groups of variable size."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from pydantic import Field

from tacita.core import Labels, Matrix, Run

from .kernel_loop import finish
from .microaggregation_method import Microaggregation
from .repair import join_nearest_group


class VMDAV(Microaggregation):
    """Groups around the record farthest from the middle, larger where their surroundings are sparse.

    Round: the record farthest from the centroid of all, with its k-1 nearest, is a group. Then, up to 2k-1
    records, the one nearest to any member joins if its distance from that member is less than gamma times
    its distance from the nearest other record left. While k or more are left; then each joins the group
    with the nearest centroid. Ties go to the lowest row.

    With units, a group takes the nearest records of k-1 other units before it grows.

    O(n^2 d) time, O(n d) memory.
    Source: Solanas & Martinez-Balleste (2006), Proc. COMPSTAT 2006, 917-925.

    >>> VMDAV(k=2, gamma=1.1).partition([[0.], [1.], [2.], [20.], [21.]]).labels.tolist()
    [0, 0, 0, 1, 1]
    """

    unit_aware: ClassVar[bool] = True

    gamma: float = Field(
        0.2,
        ge=0,
        allow_inf_nan=False,
        description="how readily a group grows beyond k: about 0.2 for scattered, 1.1 for clustered data",
    )

    def group(self, x: Matrix, units: Labels | None, run: Run) -> Labels:
        from tacita.kernels.records.unassigned import ALIVE, all_left
        from tacita.kernels.records.vmdav import vmdav_rounds

        left = all_left(x, units)
        rounds = partial(vmdav_rounds, left, x.mean(axis=0), self.gamma, self.k)
        finish(rounds, x.size * self.k, lambda: left.state[ALIVE] / len(x), run)
        run.report("grouping records", 1, 1)
        return join_nearest_group(x, left.labels)
