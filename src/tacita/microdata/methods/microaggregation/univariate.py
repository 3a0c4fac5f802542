"""Optimal microaggregation of one column."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tacita.core import DataError, Ints, Labels, Matrix, Partition, Run

from .microaggregation_method import Microaggregation


def segment_ends(n: int, k: int, units: Ints | None) -> tuple[np.ndarray, np.ndarray]:
    """For each row of an ordering, the first and last row at which a group starting there may end.

    Without units groups hold k to 2k-1 records: a longer one can be cut at no loss. With units the same
    argument: a group that contains two consecutive valid groups can be cut. O(n).
    """
    rows = np.arange(n)
    if units is None:
        return rows + k - 1, rows + 2 * k - 2
    from tacita.kernels.records.segments import unit_segment_ends

    first = np.empty(n + 1, dtype=np.int64)
    unit_segment_ends(units, int(units.max()) + 1, k, first[:n])
    first[n] = n
    # the second valid group would start after the first one ends; stop just before it is complete
    return first[:n], first[np.minimum(first[:n] + 1, n)] - 1


class HM(Microaggregation):
    """The best possible groups of a single column.

    Sorts, then finds the shortest path over segments of k to 2k-1 consecutive records, where a segment
    costs its within-group squared error: no partition of the column loses less. One column only.

    With units, segments hold k distinct units; the best among partitions into consecutive segments.

    O(n log n + n k) time, O(n) memory.
    Source: Hansen & Mukherjee (2003), IEEE Trans. Knowledge and Data Engineering 15(4), 1043-1044.

    >>> HM(k=2).partition(np.array([[10.], [0.], [1.], [9.], [2.]])).labels.tolist()
    [0, 1, 1, 0, 1]
    """

    unit_aware: ClassVar[bool] = True
    one_column: ClassVar[bool] = True

    def group(self, x: Matrix, units: Labels | None, run: Run) -> Labels:
        from tacita.kernels.records.segments import shortest_segmentation

        n, d = x.shape
        if d != 1:
            raise DataError(
                f"HM: wanted one column, got {d}. Use mdav for several columns, or protect them one by one."
            )
        order = np.argsort(x[:, 0], kind="stable")
        first, last = segment_ends(n, self.k, None if units is None else units[order])
        in_order = np.full(n, -1, dtype=np.int64)
        shortest_segmentation(x[order], first, last, in_order)
        labels = np.empty(n, dtype=np.int64)
        labels[order] = in_order
        run.report("grouping records", 1, 1)
        return labels

    def proven(self, x: Matrix, found: Partition, run: Run) -> Partition:
        # of k distinct units each, groups that are no segments might do better
        return found if found.units is not None else found.bounded(x, found.sse(x))
