"""Each column by itself: groups of neighbouring values, published as their means."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tacita.core import DataError, GroupSize, Matrix, RunContext
from tacita.microdata.methods.microaggregation.mhm import HM
from tacita.microdata.statistics.group_statistics import published_means

from .masking_method import Masked, Masking


class OneDims(Masking):
    """Individual ranking: every column grouped alone, as well as possible; not k-anonymous.

    In column j the sorted values are cut into segments of k to 2k-1 so that
    sum_groups sum_i (x_ij - mean_gj)^2 is least (see `hm`), and each value gives way to the mean of its
    segment. Each column has groups of its own, so the loss is far below that of groups of whole records.

    Preserved: the mean of every column, exactly up to one rounding; its order, ties aside.
    An attacker: a combination of columns is in general still unique. An attacker who knows a few values of a
    record exactly finds it, and each published value says within which narrow interval the true one lies. Use
    it against reading off exact values, never to make records indistinguishable.
    With units every group has records of k distinct ones.

    O(d (n log n + n k)) time, O(n d) memory. No randomness; rows with equal values may come to stand in
    two neighbouring groups, the lower rows in the lower one.
    Source: Defays & Nanopoulos (1993), Panels of enterprises and confidentiality: the small aggregates
    method, Proc. 1992 Symposium on Design and Analysis of Longitudinal Surveys, Statistics Canada
    (individual ranking); Hansen & Mukherjee (2003), IEEE Trans. Knowledge and Data Eng. 15(4), 1043-1044.

    >>> OneDims(k=2).mask(np.array([[1.0, 9.0], [2.0, 0.0], [7.0, 8.0], [8.0, 1.0]])).tolist()
    [[1.5, 8.5], [1.5, 0.5], [7.5, 8.5], [7.5, 0.5]]
    """

    guarantees: ClassVar[tuple[str, ...]] = ("masked-cells", "column-groups", "column-means")
    by_chance: ClassVar[bool] = False
    unit_aware: ClassVar[bool] = True

    k: GroupSize = 3

    def change(self, x: Matrix, units: npt.ArrayLike | None, beside: Matrix, run: RunContext) -> Masked:
        n, d = x.shape
        if n < self.k:
            raise DataError(
                f"OneDims: k={self.k} needs at least {self.k} records, got {n}. Lower k or merge strata."
            )
        values, labels = np.empty_like(x), np.empty(x.shape, dtype=np.int64)
        inner, alone = run.branch(), HM(k=self.k)
        for j in range(d):
            column = np.ascontiguousarray(x[:, j : j + 1])
            labels[:, j] = alone.partition(column, inner, units=units).labels
            values[:, j] = published_means(column, labels[:, j], np.zeros(1, dtype=bool))[:, 0]
            run.report("masking records", j, d)
        return Masked(values, labels)
