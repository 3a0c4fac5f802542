"""Orderings of records in which neighbours are alike, for MHM to cut."""

from __future__ import annotations

from functools import partial

import numpy as np

from tacita.core import Labels, Matrix, RunContext

from .microaggregation_method import finish
from .neighbours import neighbours
from .repair import centroids_of

_NEIGHBOURS = 10
_LOOKS_PER_CALL = 10_000


def nearest_next(x: Matrix, run: RunContext, start: int | None = None) -> Labels:
    """From the record farthest from the centroid always to the nearest one not yet visited. O(n^2 d).

    >>> nearest_next(np.array([[5.0], [0.0], [1.0], [4.0]]), RunContext()).tolist()
    [0, 3, 2, 1]
    """
    from tacita.kernels.records.paths import VISITED, nearest_next_steps

    n = len(x)
    order = np.empty(n, dtype=np.int64)
    if start is None:
        start = int(((x - x.mean(axis=0)) ** 2).sum(axis=1).argmax())
    state = np.array([n, 0, start])
    work = (np.array(x.T, order="C", copy=True), np.arange(n), order, state)
    steps = partial(nearest_next_steps, *work)
    finish(steps, x.size, lambda: 1 - state[VISITED] / n, run, "ordering records")
    return order


def chained_groups(x: Matrix, labels: Labels) -> Labels:
    """Group after group, from group 0 to the nearest unvisited centroid next.

    A group is entered at the member nearest to the last record and passed through nearest next; the first
    one from its member farthest from the centroid of all. O(groups^2 d + n k d).

    >>> chained_groups(np.array([[0.0], [9.0], [1.0], [10.0]]), np.array([0, 1, 0, 1])).tolist()
    [0, 2, 1, 3]
    """
    from tacita.kernels.records.paths import chain_groups

    centres, sizes = centroids_of(x, labels)
    together = np.argsort(labels, kind="stable")
    in_first = x[together[: sizes[0]]]
    first = int(((in_first - x.mean(axis=0)) ** 2).sum(axis=1).argmax())
    order = np.empty(labels.size, dtype=np.int64)
    chain_groups(x[together], np.append(0, np.cumsum(sizes)), centres, first, order)
    return together[order]


def tour(x: Matrix, run: RunContext) -> Labels:
    """A short closed tour: nearest next, then 2-opt and Or-opt over neighbour lists until none helps.

    Opened at its longest edge, the rest in order. O(n^2 d) for the start and the neighbours.

    >>> tour(np.array([[0.0], [5.0], [1.0], [6.0], [2.0], [7.0]]), RunContext()).tolist()
    [0, 2, 4, 1, 3, 5]
    """
    # worked on in the order of the start, so that the order of the rows has no say
    start = nearest_next(x, run)
    along = np.ascontiguousarray(x[start])
    closed = start if along.shape[0] < 5 else start[_improved(along, run)]
    edges = ((x[closed] - x[np.roll(closed, 1)]) ** 2).sum(axis=1)
    return np.roll(closed, -int(edges.argmax()))


def _improved(x: Matrix, run: RunContext) -> Labels:
    from tacita.kernels.records import tour as kernel

    n = len(x)
    near = neighbours(x, _NEIGHBOURS, run)[0].astype(np.int64)
    order = np.arange(n)
    queue, waiting = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.bool_)
    state = np.zeros(4, dtype=np.int64)
    shape = kernel.Tour(x, order, np.arange(n), near, queue, waiting, state)
    share, moves = 0.0, -1
    while state[kernel.MOVES] > moves:
        moves = int(state[kernel.MOVES])
        queue[:], waiting[:] = order, True
        state[kernel.HEAD], state[kernel.QUEUED] = 0, n
        while state[kernel.QUEUED] > 0:
            kernel.improve_tour(shape, _LOOKS_PER_CALL)
            looked, queued = int(state[kernel.LOOKED]), int(state[kernel.QUEUED])
            share = max(share, looked / (looked + queued))
            run.report("shortening the tour", share, 1)
    return order


def first_component(x: Matrix) -> Labels:
    """By first principal component, its largest loading counted as positive. O(n d^2 + n log n).

    >>> first_component(np.array([[3.0, 3.0], [0.0, 0.0], [1.0, 1.1]])).tolist()
    [1, 2, 0]
    """
    centred = x - x.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    direction = directions[:, -1]
    direction = direction * np.sign(direction[np.abs(direction).argmax()])
    return np.argsort(centred @ direction, kind="stable")


def sum_of_scores(x: Matrix) -> Labels:
    """By sum of z-scores; a constant column has no say. O(n d + n log n).

    >>> sum_of_scores(np.array([[3.0, 50.0], [0.0, 10.0], [1.0, 40.0]])).tolist()
    [1, 2, 0]
    """
    varying = x[:, np.ptp(x, axis=0) > 0]
    spread = varying.std(axis=0)
    varying, spread = varying[:, spread > 0], spread[spread > 0]
    return np.argsort(((varying - varying.mean(axis=0)) / spread).sum(axis=1), kind="stable")
