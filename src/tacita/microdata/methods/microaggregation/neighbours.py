"""Who is nearest to whom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tacita.core import Labels, Matrix, RunContext


@dataclass(frozen=True)
class NeighbourSettings:
    """How nearest records of a large file are found; more cuts and wider windows miss fewer."""

    # records up to which all pairs are measured; above, pairs within windows of several orders
    all_pairs_records: int = 6000
    # orders of the records
    orders: int = 3
    # records of a window, at least
    window: int = 128
    # the same for each neighbour that is wanted
    window_per_neighbour: int = 8
    # windows that one thread measures at a time: some hundredths of a second
    windows_per_call: int = 64


SETTINGS = NeighbourSettings()


def neighbours(x: Matrix, count: int, run: RunContext) -> tuple[np.ndarray, Matrix]:
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


def cut_order(x: Matrix) -> Labels:
    """All rows, in the order of balanced cuts across the widest axis: who stands near is near. O(n log n).

    >>> x = np.where(np.arange(32) % 2 == 0, 0.0, 9.0)[:, None]
    >>> cut_order(x).tolist()[:4]
    [0, 2, 4, 6]
    """
    from tacita.kernels.records.pruning_tree import cut

    rows = np.arange(len(x))
    cut(np.ascontiguousarray(x.T), rows, len(x), np.empty(len(x)))
    return rows


def search_order(x: Matrix) -> Labels:
    """The order in which records should stand for `nearest_records`: as they are, where that makes no odds.

    A search that goes from record to record is faster too where neighbours stand near each other.
    """
    return np.arange(len(x)) if len(x) <= SETTINGS.all_pairs_records else cut_order(x)


def nearest_records(x: Matrix, count: int, run: RunContext) -> npt.NDArray[np.int32]:
    """The nearest other records of each record, nearest first: all of them, or for large n nearly.

    Up to 6000 records exact, O(n^2 d) time; above see `nearest_by_cuts`. x: in `search_order`.
    """
    if len(x) <= SETTINGS.all_pairs_records:
        return neighbours(x, count, run)[0]
    return nearest_by_cuts(x, count, run)


def nearest_by_cuts(x: Matrix, count: int, run: RunContext) -> npt.NDArray[np.int32]:
    """Of each record the nearest of those that stand in one window with it in any of three orders.

    The first order is that of the records as they come, which is to be the order of their cuts; the others
    are those of cuts along random directions, always the same. A window has 128 places or more: parts that
    were cut off as such. O(n (window d + d^2 + log n)) time, O(n count) memory.
    Source: randomised trees, Dasgupta & Freund (2008), Proc. STOC, 537-546.

    >>> nearest_by_cuts(np.array([[0.0], [1.0], [9.0], [11.0]]), 1, RunContext()).tolist()
    [[1], [0], [3], [2]]
    """
    from tacita.kernels.records.distance import nearest_in_windows

    n, d = x.shape
    width = SETTINGS.window
    while width < SETTINGS.window_per_neighbour * count:
        width *= 2
    near = np.zeros((n, count), dtype=np.int32)
    gaps = np.full((n, count), np.inf)
    generator = np.random.default_rng(0)
    for cut in range(SETTINGS.orders):
        order = np.arange(n) if cut == 0 else cut_order(_projected(x, generator.normal(size=(d, d))))

        def measure(first: int, last: int, order: Labels = order) -> None:
            nearest_in_windows(x, order, width, first, last, near, gaps)

        for _ in run.map_blocks("measuring distances", n, measure, SETTINGS.windows_per_call * width):
            pass
    return near


def _projected(x: Matrix, directions: Matrix) -> Matrix:
    """Coordinates along directions of length 1. Added in column order: a library might add by the machine."""
    projected = np.zeros(x.shape[::-1])
    for column, along in zip(x.T.copy(), directions / np.sqrt((directions**2).sum(axis=0)), strict=True):
        for total, weight in zip(projected, along.tolist(), strict=True):
            total += weight * column
    return projected.T
