"""MD: maximum distance, also known as DBFS."""

from __future__ import annotations

from functools import partial

import numpy as np

from tacita.core import Labels, Matrix, Run

from .kernel_loop import finish
from .microaggregation_method import Growth, Microaggregation
from .repair import join_nearest_group


class MaximumDistance(Microaggregation):
    """Groups at the two records farthest apart, k at a time.

    Round: r and s are the two records farthest apart of what is left; each starts a group, first r, then s,
    which takes the k-1 records nearest to its seed, or one by one those nearest to its centroid. While 2k
    or more are left; then k or more are the last group, and fewer each join the group with the nearest
    centroid. Also known as DBFS. Ties go to the lowest row.

    O(n^3 d / k) time at worst, near O(n^2 d) on most data: a record's farthest distance only falls, so most
    pairs are never measured again. O(n d) memory.
    Source: Domingo-Ferrer & Mateo-Sanz (2002), IEEE Trans. Knowledge and Data Engineering 14(1), 189-201.

    >>> MaximumDistance(k=2).partition(np.array([[0.], [9.], [1.], [10.], [2.]])).labels.tolist()
    [0, 1, 0, 1, 0]
    """

    growth: Growth = "seed"

    def group(self, x: Matrix, units: Labels | None, run: Run) -> Labels:
        from tacita.kernels.records import maxdistance as kernel

        n = len(x)
        labels = np.full(n, -1, dtype=np.int64)
        state = np.array([n, n, 0])
        # no two records are farther apart than their distances from the centre together
        radius = np.sqrt(((x - x.mean(axis=0)) ** 2).sum(axis=1))
        bound = (radius + radius.max()) ** 2 * (1 + 1e-9)
        columns = np.array(x.T, order="C", copy=True)
        ends = kernel.Ends(columns, np.arange(n), np.full(n, -1), bound, labels, state)
        scans = partial(kernel.max_distance_rounds, ends, self.k, self.growth == "centroid")
        finish(scans, x.size, lambda: state[kernel.ALIVE] / n, run)
        if state[kernel.ALIVE] >= self.k:
            labels[labels < 0] = state[kernel.GROUPS]
        run.report("grouping records", 1, 1)
        return join_nearest_group(x, labels)
