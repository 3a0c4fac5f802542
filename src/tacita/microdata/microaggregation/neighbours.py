"""Who is nearest to whom."""

from __future__ import annotations

import numpy as np

from tacita.core import Matrix, Run


def neighbours(x: Matrix, count: int, run: Run) -> tuple[np.ndarray, Matrix]:
    """The nearest other records of each record and their distances. O(n^2 d) time, O(n count) memory."""
    from tacita.kernels.records.distance import neighbour_lists

    n = x.shape[0]
    columns = np.array(x.T, order="C", copy=True)
    near = np.empty((n, min(count, n - 1)), dtype=np.int32)
    gaps = np.empty(near.shape)
    for _ in run.map_blocks(
        "measuring distances", n, lambda a, b: neighbour_lists(columns, a, b, near, gaps), 256
    ):
        pass
    return near, gaps
