"""DFO: a derivative-free search for the number of groups.

The source does not say how another number of groups is reached from a partition. Here, more groups are
reached by cutting the largest groups in two. Fewer are reached by dissolving those that others take in at
least cost, or the costliest, or half of each. Each result is improved by relocations that keep k (hmeans1),
the first one also by HM+KM (hmkm) before, and the best counts. `surrogate` "kmhm" is k-means, then h-means.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.core import Labels, Matrix, RunContext

from .gsms import GSMST2
from .improvement import START, Improvement
from .reassignment import (
    By,
    dissolve,
    improve_once,
    random_groups,
    relocate,
    split_large,
    squared_error,
    with_groups,
)

# The heuristics of the source: what moves, in turn, and whether groups may fall short of k meanwhile.
HEURISTICS: dict[str, tuple[tuple[By, ...], bool]] = {
    "kmeans1": (("centres",), False),
    "kmeans2": (("centres",), True),
    "hmeans1": (("records",), False),
    "hmeans2": (("records",), True),
    "hmkm": (("records", "centres"), True),
    "kmhm": (("centres", "records"), True),
}


class DFO(Improvement):
    """Searches for the best number of groups, judging each by h-means and k-means.

    From c groups and step gamma, c + gamma and c - gamma are tried, the last successful direction first. A
    lower loss is accepted and doubles gamma; otherwise gamma is halved, until it is below 1. c stays
    between n/(2k-1) and n/k, and the loss of each c is computed once. The search is repeated from its
    result while that helps. The best partition met is kept, the start included. All groups have k records
    throughout, and groups of 2k or more are cut by MDAV.

    `surrogate` names the heuristic that evaluates a number of groups, and `reach` says whether it starts
    from the present partition or from random centres. The source's Algorithm 2 is `surrogate` "hmkm" with
    `polish` off: the loss of c groups is that of HM+KM (strategy II) from one partition, without a last
    relocation, repetition or cuts. `origin` is the start if no partition is given: MDAV, GSMS-T2, or a
    random number of random centres.

    O(numbers tried (n^2 d / k + moves n d)) time, O(n d) memory for each number tried.
    Source: Araujo & Aloise, "Um algoritmo de otimizacao livre de derivadas para a protecao de dados
    individuais", Universidade Federal do Rio Grande do Norte.

    >>> x = np.array([[0.], [1.], [2.], [3.], [20.], [21.], [22.], [23.], [24.]])
    >>> DFO(k=3).partition(x).labels.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1, 1]
    """

    added: ClassVar[tuple[str, ...]] = ("surrogate", "reach", "polish")
    of_start: ClassVar[tuple[str, ...]] = ("origin",)

    step: Annotated[float, Field(ge=1, le=1e6, description="first step in the number of groups")] = 20
    origin: Annotated[Literal["mdav", "gsms-t2", "random"], Field(description=START)] = "mdav"
    surrogate: Annotated[
        Literal["several", "kmeans1", "kmeans2", "hmeans1", "hmeans2", "hmkm", "kmhm"],
        Field(
            description="what judges a number of groups: the best of several ways to it, or one heuristic "
            "from one partition, as published (hmkm)"
        ),
    ] = "several"
    reach: Annotated[
        Literal["at-hand", "random"],
        Field(
            description="how another number of groups is reached: from the partition at hand, or at random"
        ),
    ] = "at-hand"
    polish: Annotated[
        bool, Field(description="relocate, cut large groups and search again at the end; not published")
    ] = True

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        if self.origin == "random":
            return random_groups(x, None, self.k, run.search_generator())
        if self.origin == "gsms-t2":
            return GSMST2(k=self.k).partition(x, run.silent(), units=units).labels
        return super().group(x, units, run)

    def improve(self, x: Matrix, labels: Labels, units: Labels | None, run: RunContext) -> Labels:
        # far from the origin the incremental centroids would lose digits
        x = np.ascontiguousarray(x - x.mean(axis=0))
        generator = run.search_generator()
        error = np.inf
        while (now := squared_error(x, labels)) < error:
            best, error = labels, now
            if run.should_stop():
                break
            labels = self._search(x, labels, generator, run)
            if not self.polish:
                best = labels
                break
        run.report("improving groups", 1, 1)
        return best

    def _search(self, x: Matrix, labels: Labels, generator: np.random.Generator, run: RunContext) -> Labels:
        fewest, most = -(-len(x) // (2 * self.k - 1)), len(x) // self.k
        within = run.silent()
        labels = self._improved(x, [labels], within)
        at = int(labels.max()) + 1
        # a number of groups is judged once in a search
        tried = {at: squared_error(x, labels)}
        gamma, direction = float(self.step), 1
        while gamma >= 1 and not run.should_stop():
            for way in (direction, -direction):
                trial = at + way * max(1, int(gamma))
                if trial in tried or not fewest <= trial <= most:
                    continue
                candidate = self._with(x, labels, trial, generator, within)
                tried[trial] = squared_error(x, candidate)
                # how many steps are to come is unknown: the share tells how fine the step has become
                run.report("improving groups", 1 / (1 + gamma), 1)
                if tried[trial] < tried[at]:
                    labels, at, direction = candidate, trial, way
                    gamma *= 2
                    break
            else:
                gamma, direction = gamma / 2, 1
        if not self.polish:
            return labels
        labels = relocate(x, split_large(x, labels, self.k, within), self.k, within)
        return split_large(x, labels, self.k, within)

    def _with(
        self, x: Matrix, labels: Labels, groups: int, generator: np.random.Generator, run: RunContext
    ) -> Labels:
        """The best partition into so many groups that can be reached from the one at hand, or at random."""
        if self.reach == "random":
            return self._improved(x, [random_groups(x, groups, self.k, generator)], run)
        more = groups - int(labels.max()) - 1
        if more > 0 or self.surrogate != "several":
            return self._improved(x, [with_groups(x, labels, groups, self.k)], run)
        half = (1 - more) // 2
        mixed = dissolve(x, dissolve(x, labels, half, costliest=True), -more - half, costliest=False)
        ends = [dissolve(x, labels, -more, costliest) for costliest in (False, True)]
        return self._improved(x, [*ends, mixed] if more < -1 else ends, run)

    def _improved(self, x: Matrix, starts: list[Labels], run: RunContext) -> Labels:
        """The best that the surrogate finds: relocations from each start, and HM+KM before from the first."""
        several = self.surrogate == "several"
        passes, free = HEURISTICS["hmkm" if several else self.surrogate]
        labels = starts[0]
        for by in passes:
            labels = improve_once(x, labels, self.k, by, free, run)
        if not several:
            return labels
        relocated = [relocate(x, start, self.k, run) for start in [*starts, labels]]
        return min(relocated, key=lambda one: squared_error(x, one))
