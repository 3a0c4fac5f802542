"""CBFS: centroid-based fixed size."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from tacita.core import Labels, Matrix, Run

from .kernel_loop import finish
from .microaggregation_method import Growth, Microaggregation
from .repair import join_nearest_group


class CBFS(Microaggregation):
    """One group after the other around the record farthest from the middle.

    Round: the record farthest from the centroid of what is left, with its k-1 nearest, is a group; with
    growth around the centroid, k-1 records join it one by one, each the nearest to the centroid of the group
    so far. While k or more are left; then each joins the group with the nearest centroid. Ties go to the
    lowest row.

    With units, a group takes the nearest records of k-1 other units.

    O(n^2 d / k) time at worst, k times that with growth around the centroid, less where bounds of leaves
    exclude records, as in MDAV; O(n d) memory.
    Source: Laszlo & Mukherjee (2005), IEEE Trans. Knowledge and Data Engineering 17(7), 902-911.

    >>> CBFS(k=2).partition([[0.], [9.], [1.], [10.], [2.]]).labels.tolist()
    [0, 1, 0, 1, 0]
    """

    unit_aware: ClassVar[bool] = True
    added: ClassVar[tuple[str, ...]] = ("growth",)

    growth: Growth = "seed"

    def group(self, x: Matrix, units: Labels | None, run: Run) -> Labels:
        from tacita.kernels.records.mdav_rounds import peel_rounds
        from tacita.kernels.records.pruning_tree import WIDTH, empty_leaves
        from tacita.kernels.records.unassigned import ALIVE, all_left

        by_centroid = self.growth == "centroid"
        left, leaves = all_left(x, units), empty_leaves(*x.shape)
        rounds = partial(peel_rounds, left, leaves, self.k, by_centroid, 1, self.k, True)
        searches = self.k if by_centroid else 1
        finish(rounds, searches * (x.size // WIDTH + 1), lambda: left.state[ALIVE] / len(x), run)
        run.report("grouping records", 1, 1)
        return join_nearest_group(x, left.labels)
