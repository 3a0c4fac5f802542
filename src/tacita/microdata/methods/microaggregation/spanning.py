"""Groups from the minimum spanning tree."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial

import numpy as np

from tacita.core import Labels, Matrix, RunContext

from .microaggregation_method import WORK_PER_CALL, Microaggregation, finish
from .ward import distance_bounds


def spanning_tree(x: Matrix, run: RunContext) -> tuple[Labels, Matrix, Labels]:
    """Of each row its parent in a minimum spanning tree (-1: the root, row 0) and the squared length of that
    edge; and the rows in order of joining. O(n^2 d) time, O(n d) memory.

    >>> spanning_tree(np.array([[0.0], [5.0], [2.0]]), RunContext())[0].tolist()
    [-1, 2, 0]
    """
    from tacita.kernels.records import spanning as kernel

    n = len(x)
    parent, length, visited = np.full(n, -1), np.zeros(n), np.zeros(n, dtype=np.int64)
    gap = np.full(n, np.inf)
    gap[0] = 0
    state = np.array([n, 0])
    outside = (np.array(x.T, order="C", copy=True), np.arange(n), np.full(n, -1), gap)
    tree = kernel.Tree(*outside, parent, length, visited, state)
    rounds = partial(kernel.tree_rounds, tree)
    finish(rounds, x.size, lambda: state[kernel.LENGTH] / n, run, "building the tree")
    return parent, length, visited


def components(x: Matrix, k: int, run: RunContext) -> Labels:
    """Labels after removing edges of the tree, longest first, where both sides keep k rows.

    Edges of one length go by their lower row, then by their upper one. O(n^2 d) time, O(n d) memory.

    >>> components(np.array([[0.0], [1.0], [9.0], [10.0]]), 2, RunContext()).tolist()
    [0, 0, 1, 1]
    """
    from tacita.kernels.records.spanning import cut_edges

    parent, length, visited = spanning_tree(x, run)
    rows = np.flatnonzero(parent >= 0)
    low, high = np.minimum(rows, parent[rows]), np.maximum(rows, parent[rows])
    labels = np.empty(x.shape[0], dtype=np.int64)
    cut_edges(parent, visited, rows[np.lexsort((high, low, -length[rows]))], k, labels)
    return labels


class SpanningTree(Microaggregation):
    """What the methods share: components of the tree, those of 2k or more cut by `cut`."""

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        labels = components(x, self.k, run)
        sizes = np.bincount(labels)
        members = np.split(np.argsort(labels, kind="stable"), np.cumsum(sizes)[:-1])
        groups, finished = sizes.size, 0
        run.report("grouping records", 0, 1)
        for rows in members:
            if rows.size >= 2 * self.k:
                inside = _join_left_over(x[rows], self.cut(x[rows], run, (finished, x.shape[0])))
                labels[rows] = groups + inside
                groups += int(inside.max()) + 1
            finished += rows.size
        run.report("grouping records", 1, 1)
        return labels

    @abstractmethod
    def cut(self, x: Matrix, run: RunContext, progress: tuple[int, int]) -> Labels:
        """Labels 0, 1, ... of 2k or more rows, each of k or more; -1 for fewer than k left over."""


def _join_left_over(x: Matrix, labels: Labels) -> Labels:
    """Rows without a group (-1) join the group with the nearest mean."""
    from tacita.kernels.records.distance import nearest_centre

    left = np.flatnonzero(labels < 0)
    if left.size:
        taken = labels >= 0
        sums = np.column_stack([np.bincount(labels[taken], weights=column) for column in x[taken].T])
        nearest = np.empty(left.size, dtype=np.int64)
        nearest_centre(x[left], sums / np.bincount(labels[taken])[:, None], nearest)
        labels[left] = nearest
    return labels


class MSTD(SpanningTree):
    """Components of the minimum spanning tree, large ones cut from their two ends.

    Removes the edges of the minimum spanning tree, longest first, where both components keep k records.
    Components of 2k or more are cut by MD: the two records farthest apart each seed a group, which grows
    to k by the record nearest to its mean so far; while 2k or more are left. k or more left then are one
    group; fewer join the group with the nearest mean. Ties go to the lowest row.

    O(n^2 d) time, O(n d) memory.
    Source: Laszlo & Mukherjee (2005), IEEE Trans. Knowledge and Data Engineering 17(7), 902-911 (M-d).

    >>> MSTD(k=2).partition(np.array([[0.], [1.], [9.], [10.], [12.]])).labels.tolist()
    [0, 0, 1, 1, 1]
    """

    def cut(self, x: Matrix, run: RunContext, progress: tuple[int, int]) -> Labels:
        from tacita.kernels.records.spanning import diameter_rounds

        labels = np.full(x.shape[0], -1)
        bounds = distance_bounds(x)
        state = np.array([x.shape[0], 0])
        done = False
        while not done:
            # those left, closed up: the kernel passes over the gaps in between
            here = np.flatnonzero(labels < 0)
            inside = np.full(here.size, -1)
            sharp = bounds[here]
            rounds = 1 + min(here.size // (16 * self.k), WORK_PER_CALL // (x.size * self.k))
            done = diameter_rounds(np.array(x[here].T, order="C"), sharp, self.k, inside, state, rounds)
            labels[here], bounds[here] = inside, sharp
            run.report("grouping records", progress[0] + x.shape[0] - state[0], progress[1])
        if state[0] >= self.k:
            labels[labels < 0] = state[1]
        return labels


class MSTC(SpanningTree):
    """Components of the minimum spanning tree, large ones cut from the outside.

    Removes the edges of the minimum spanning tree, longest first, where both components keep k records.
    Components of 2k or more are cut by CBFS: the record farthest from the mean of what is left and its k-1
    nearest are a group, while k or more are left; fewer join the group with the nearest mean. Ties go to
    the lowest row.

    O(n^2 d) time, O(n d) memory.
    Source: Laszlo & Mukherjee (2005), IEEE Trans. Knowledge and Data Engineering 17(7), 902-911 (M-c).

    >>> MSTC(k=2).partition(np.array([[0.], [1.], [9.], [10.], [12.]])).labels.tolist()
    [0, 0, 1, 1, 1]
    """

    def cut(self, x: Matrix, run: RunContext, progress: tuple[int, int]) -> Labels:
        from tacita.kernels.records.spanning import centroid_rounds

        labels = np.full(x.shape[0], -1)
        state = np.array([x.shape[0], 0])
        done = False
        while not done:
            here = np.flatnonzero(labels < 0)
            inside = np.full(here.size, -1)
            left = np.array(x[here].T, order="C")
            rounds = 1 + min(here.size // (8 * self.k), WORK_PER_CALL // x.size)
            done = centroid_rounds(left, x[here].sum(axis=0), self.k, inside, state, rounds)
            labels[here] = inside
            run.report("grouping records", progress[0] + x.shape[0] - state[0], progress[1])
        return labels
