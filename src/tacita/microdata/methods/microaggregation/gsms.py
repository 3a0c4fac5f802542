"""GSMS: groups chosen for what they leave behind, and its second phase."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from tacita.core import Labels, Matrix, RunContext

from .improvement import Improvement
from .microaggregation_method import WORK_PER_CALL, Microaggregation, finish
from .repair import merge_short_groups


class GSMS(Microaggregation):
    """The group that leaves the least squared error, its own and that of the rest, k at a time.

    Every record with its k-1 nearest among those left is a candidate. Round: the candidate for which
    SSE(group) + SSE(all that would remain) is smallest becomes a group. (That is the candidate whose mean
    lies farthest from the mean of what is left.) After floor(n/k) groups each record left over joins the
    group with the nearest mean. Ties go to the lowest row.

    O(n^2 d) time, O(n (d + k)) memory: each record keeps a short list of its nearest, made anew when
    used up; records that are alike share theirs.
    Source: Panagiotakis & Tziritas (2013), IEEE Trans. Knowledge and Data Engineering 25(5), 1191-1195.

    >>> GSMS(k=2).partition(np.array([[0.], [1.], [9.], [10.], [2.]])).labels.tolist()
    [0, 0, 1, 1, 0]
    """

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        from tacita.kernels.records import gsms as kernel
        from tacita.kernels.records.distance import nearest_centre

        n, d = x.shape
        k = self.k
        columns = np.array(x.T, order="C", copy=True)
        places, place = np.unique(x, axis=0, return_inverse=True)
        place = place.reshape(-1)
        # room for some neighbours to go before a list must be made anew; like records share one
        lists = np.empty((len(places), min(n, k + max(8, k // 2))), dtype=np.int64)

        def find(start: int, stop: int) -> None:
            kernel.neighbour_lists(columns, places, start, stop, lists)

        for _ in run.map_blocks("finding neighbours", len(places), find, block=256):
            pass
        labels, state = np.full(n, -1, dtype=np.int64), np.array([n, n, 0])
        members, sums = np.empty((k - 1, n), dtype=np.int64), np.empty((d, n))
        lookup = (np.arange(n), place, lists, np.zeros(n, dtype=np.bool_), members, sums)
        candidates = kernel.Candidates(x, columns, *lookup, x.sum(axis=0), labels, state)
        kernel.first_candidates(candidates)
        rounds = partial(kernel.gsms_rounds, candidates)
        finish(rounds, n * (d + k), lambda: state[kernel.ALIVE] / n, run)
        left = np.flatnonzero(labels < 0)
        if left.size:
            taken = np.flatnonzero(labels >= 0)
            totals = np.column_stack([np.bincount(labels[taken], weights=column) for column in x[taken].T])
            nearest = np.empty(left.size, dtype=np.int64)
            # all groups have k records, so k times a record against the sums is as good, and rounds less
            nearest_centre(k * x[left], totals, nearest)
            labels[left] = nearest
        run.report("grouping records", 1, 1)
        return labels


class GSMST2(Improvement):
    """GSMS, then groups dissolved into their neighbours where that lowers the squared error.

    Once over the groups, that of the largest squared error first: each member would go to the nearest mean
    of another group (the means stand still during the trial); kept if the total falls. Groups that reach
    2k records are then cut by GSMS. Improves any start partition, GSMS's if none is given.

    O(n^2 d) time with GSMS, O(n^2 d / k) after it; O(n (d + k)) memory.
    Source: Panagiotakis & Tziritas (2013), IEEE Trans. Knowledge and Data Engineering 25(5), 1191-1195.

    >>> GSMST2(k=2).partition(np.array([[0.], [1.], [9.], [10.], [2.]])).labels.tolist()
    [0, 0, 1, 1, 0]
    """

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        """The start partition, if none is given: GSMS's."""
        labels = GSMS(k=self.k).group(x, units, run)
        return labels if units is None else merge_short_groups(x, labels, self.k, units)

    def improve(self, x: Matrix, labels: Labels, units: Labels | None, run: RunContext) -> Labels:
        from tacita.kernels.records.gsms import dissolve_groups, group_errors

        n, d = x.shape
        labels = labels.copy()
        sizes = np.bincount(labels)
        sums = np.column_stack([np.bincount(labels, weights=column) for column in x.T])
        errors = np.zeros(sizes.size)
        group_errors(x, labels, sums, sizes, errors)
        order = np.argsort(-errors, kind="stable")
        trials = 1 + WORK_PER_CALL * sizes.size // (n * (n + d * sizes.size))
        for begin in range(0, sizes.size, trials):
            stop = min(begin + trials, sizes.size)
            dissolve_groups(x, labels, order, sums, sizes, errors, begin, stop)
            run.report("dissolving groups", stop, sizes.size)
            if run.should_stop():
                break
        return self._cut(x, labels, run)

    def _cut(self, x: Matrix, labels: Labels, run: RunContext) -> Labels:
        """Groups of 2k or more into smaller ones, which never raises the squared error."""
        silent = replace(run.silent(), threads=1)
        for group in np.flatnonzero(np.bincount(labels) >= 2 * self.k):
            rows = np.flatnonzero(labels == group)
            labels[rows] = labels.max() + 1 + GSMS(k=self.k).group(x[rows], None, silent)
        return labels
