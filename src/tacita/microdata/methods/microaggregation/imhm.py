"""IMHM: transport to centroids, a tour of groups, the best cut of the tour, and again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.core import Labels, Matrix, RunContext

from .improvement import Improvement
from .mhm import cut_path
from .orderings import nearest_next
from .reassignment import dissolve, nearest_centres, relocate, split_large, squared_error
from .repair import centroids_of


@dataclass(frozen=True)
class IMHMSettings:
    """How far a tour and the groups along it are improved."""

    # nearest centres that a record may be sent to
    neighbours: int = 30
    # sweeps of 2-opt over the tour, at most
    sweeps: int = 50
    # rounds of tour, optimal cuts and moves, at most
    rounds: int = 1000


SETTINGS = IMHMSettings()


def transported(x: Matrix, centres: Matrix, k: int, nearest: int = SETTINGS.neighbours) -> Labels:
    """The centre of each record, at least k records a centre, at least total squared distance.

    Exact among the `nearest` centres of each record; twice as many if that cannot be done. Needs
    n >= k centres.

    >>> transported(np.array([[0.0], [1.0], [2.0], [9.0]]), np.array([[0.0], [9.0]]), 2).tolist()
    [0, 0, 1, 1]
    """
    from tacita.kernels.records.assignment import transport

    n, groups = len(x), len(centres)
    at, sizes = np.empty(n, dtype=np.int64), np.empty(groups, dtype=np.int64)
    while True:
        near = nearest_centres(x, centres, nearest)
        costs = ((x[:, None, :] - centres[near]) ** 2).sum(axis=2)
        # the tree's idea of nearest and ours may differ by rounding
        by_cost = np.argsort(costs, axis=1, kind="stable")
        near = np.take_along_axis(near, by_cost, axis=1)
        costs = np.take_along_axis(costs, by_cost, axis=1)
        pairs = np.argsort(near.ravel(), kind="stable")
        start = np.searchsorted(near.ravel()[pairs], np.arange(groups + 1))
        rows, slots = np.divmod(pairs, near.shape[1])
        if transport(near, costs, start, rows, slots, k, at, sizes):
            return near[np.arange(n), at]
        nearest *= 2


def chained(x: Matrix, labels: Labels) -> Labels:
    """All rows, group by group along a short tour of the centroids, nearest-next inside a group.

    >>> chained(np.array([[0.0], [9.0], [1.0], [8.0], [5.0], [4.0]]), np.array([0, 1, 0, 1, 2, 2])).tolist()
    [0, 2, 5, 4, 3, 1]
    """
    from tacita.kernels.records.paths import members_in_order, two_opt

    centres, sizes = centroids_of(x, labels)
    groups = len(sizes)
    tour = nearest_next(centres, RunContext(), int(((centres - x.mean(axis=0)) ** 2).sum(axis=1).argmax()))
    place = np.empty(groups, dtype=np.int64)
    place[tour] = np.arange(groups)
    two_opt(centres, nearest_centres(centres, centres, 11)[:, 1:], tour, place, SETTINGS.sweeps)
    # opened where it is longest
    legs = ((centres[tour] - centres[np.roll(tour, 1)]) ** 2).sum(axis=1)
    tour = np.roll(tour, -int(legs.argmax()))
    order = np.empty(len(x), dtype=np.int64)
    start = np.concatenate([[0], np.cumsum(sizes)])
    members_in_order(x, centres, tour, start, np.argsort(labels, kind="stable"), order)
    return order


class IMHM(Improvement):
    """Transport to centroids, then the best cut of a tour through the groups, repeatedly.

    Our reconstruction: only an outline of the published method and its losses were at hand. Steps: (1) every
    record to a centroid, at least k to each, at the least total squared distance, solved exactly among the
    30 nearest centroids of a record; (2) groups in the order of a tour of their centroids (nearest neighbour,
    then 2-opt), members nearest-next, and MHM's shortest path cuts that order into groups of k to 2k-1;
    (3) the best single relocations that leave k (hmeans1). A round takes the best of 1+3, 1+2+3, 2+3 and,
    instead of 1 and 2, one group dissolved, the costliest or the one that others take in most cheaply.
    Rounds go on while the error falls. Improves a partition, MDAV's if none is given.

    O(rounds (n^2 d / k + moves n d)) time, O(30 n d) memory.
    Source: Mortazavi, Jalili & Gohargazi (2013), Applied Intelligence; reconstructed.

    >>> x = np.array([[0.], [1.], [2.], [9.], [10.], [11.], [12.], [3.]])
    >>> IMHM(k=3).partition(x).labels.tolist()
    [0, 0, 0, 1, 1, 1, 1, 0]
    """

    def improve(self, x: Matrix, labels: Labels, units: Labels | None, run: RunContext) -> Labels:
        # far from the origin the incremental centroids would lose digits
        x = np.ascontiguousarray(x - x.mean(axis=0))
        best = squared_error(x, labels)
        for done in range(1, SETTINGS.rounds):
            if run.should_stop():
                break
            trial = self._round(x, labels, run.silent())
            error = squared_error(x, trial)
            # how many rounds are to come is unknown
            run.report("improving groups", done / (done + 5), 1)
            if not error < best * (1 - 1e-9):
                break
            labels, best = trial, error
        run.report("improving groups", 1, 1)
        return labels

    def _round(self, x: Matrix, labels: Labels, run: RunContext) -> Labels:
        moved = split_large(x, transported(x, centroids_of(x, labels)[0], self.k), self.k, run)
        starts = [moved, *(cut_path(x, chained(x, one), self.k)[0] for one in (moved, labels))]
        if int(labels.max()) + 1 > -(-len(x) // (2 * self.k - 1)):
            starts += [dissolve(x, labels, 1, costliest) for costliest in (False, True)]
        starts = [split_large(x, relocate(x, one, self.k, run), self.k, run) for one in starts]
        return min(starts, key=lambda one: squared_error(x, one))
