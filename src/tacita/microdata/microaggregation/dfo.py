"""DFO: a derivative-free search for the number of groups."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tacita.core import Labels, Matrix, Run

from .improvement import Improvement
from .means import fill_short, improve_once, nearest_centres, relocate, split_large, squared_error
from .repair import centroids_of


def dissolve(x: Matrix, labels: Labels, count: int, costliest: bool) -> Labels:
    """Give the members of `count` groups to the nearest groups that stay. O(n groups d) at most.

    Dissolved are the groups with the largest squared error, or those that the others take in most cheaply:
    b/(b+1) times the squared distance to the second-nearest centre, less their own squared error.

    >>> x = np.array([[0.0], [1.0], [2.0], [5.0], [40.0], [90.0]])
    >>> dissolve(x, np.array([0, 0, 1, 1, 2, 2]), 1, costliest=True).tolist()
    [0, 0, 1, 1, 1, 1]
    >>> dissolve(x, np.array([0, 0, 1, 1, 2, 2]), 1, costliest=False).tolist()
    [0, 0, 0, 0, 1, 1]
    """
    centres, sizes = centroids_of(x, labels)
    error = ((x - centres[labels]) ** 2).sum(axis=1)
    if not costliest:
        near = nearest_centres(x, centres, 2)
        other = np.where(near[:, 0] == labels, near[:, -1], near[:, 0])
        share = sizes[other] / (sizes[other] + 1)
        error = error - share * ((x - centres[other]) ** 2).sum(axis=1)
    gone = np.zeros(len(sizes), dtype=bool)
    gone[np.argsort(-np.bincount(labels, weights=error), kind="stable")[:count]] = True
    stay = np.flatnonzero(~gone)
    homeless = gone[labels]
    labels = labels.copy()
    labels[homeless] = stay[nearest_centres(x[homeless], centres[stay], 1)[:, 0]]
    return np.unique(labels, return_inverse=True)[1].reshape(-1).astype(np.int64)


def divide(x: Matrix, labels: Labels, count: int) -> Labels:
    """Cut the `count` largest groups in two, around two members far apart; parts may be short of k. O(n d).

    >>> divide(np.array([[0.0], [1.0], [9.0], [50.0], [51.0]]), np.array([0, 0, 0, 1, 1]), 1).tolist()
    [0, 0, 2, 1, 1]
    """
    labels = labels.copy()
    groups = int(labels.max()) + 1
    for group in np.argsort(-np.bincount(labels), kind="stable")[:count].tolist():
        rows = np.flatnonzero(labels == group)
        members = x[rows]
        one = members[((members - members.mean(axis=0)) ** 2).sum(axis=1).argmax()]
        two = members[((members - one) ** 2).sum(axis=1).argmax()]
        nearer = ((members - one) ** 2).sum(axis=1) < ((members - two) ** 2).sum(axis=1)
        labels[rows[nearer]] = groups
        groups += 1 if nearer.any() else 0
    return labels


class DFO(Improvement):
    """Searches for the best number of groups, judging each by h-means and k-means.

    With c groups at hand and step gamma, c + gamma and c - gamma are tried, the last successful direction
    first. A lower loss: go there and double gamma; none: halve it; stop when gamma is below 1. c stays
    between n/(2k-1) and n/k, and the loss of each c is found once. The best partition met is kept, the
    start included, and groups of 2k or more are cut by MDAV.

    Another number of groups is reached from the partition at hand, on which the source is silent: more by
    cutting the largest groups in two; fewer by dissolving those that others take in most cheaply, or the
    costliest, or half and half. Each is then improved by relocations that leave k (hmeans1), the first also
    by HM+KM (hmkm) before; the best counts. The search is repeated from its outcome while that helps.

    `origin` "random" draws the number of groups and their centres instead of starting from MDAV's.

    O(numbers tried (n^2 d / k + moves n d)) time, O(n d) memory for each number tried.
    Source: Araujo & Aloise, "Um algoritmo de otimizacao livre de derivadas para a protecao de dados
    individuais", Universidade Federal do Rio Grande do Norte.

    >>> x = np.array([[0.], [1.], [2.], [3.], [20.], [21.], [22.], [23.], [24.]])
    >>> DFO(k=3).partition(x).labels.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1, 1]
    """

    step: Annotated[float, Field(ge=1, le=1e6, description="first step in the number of groups")] = 20
    origin: Annotated[
        Literal["mdav", "random"], Field(description="where to start if no partition is given")
    ] = "mdav"

    def group(self, x: Matrix, units: Labels | None, run: Run) -> Labels:
        if self.origin == "mdav":
            return super().group(x, units, run)
        n = len(x)
        # drawn from the records in an order of their own, so that the order of the rows does not matter
        rows = np.lexsort(x.T[::-1])
        generator = run.search_generator()
        groups = int(generator.integers(-(-n // (2 * self.k - 1)), n // self.k, endpoint=True))
        centres = x[rows[generator.choice(n, groups, replace=False)]]
        return fill_short(x, nearest_centres(x, centres, 1)[:, 0], groups, self.k)

    def improve(self, x: Matrix, labels: Labels, units: Labels | None, run: Run) -> Labels:
        # far from the origin the incremental centroids would lose digits
        x = np.ascontiguousarray(x - x.mean(axis=0))
        error = np.inf
        while (found := squared_error(x, labels)) < error:
            best, error = labels, found
            if run.enough():
                break
            labels = self._search(x, labels, run)
        run.report("improving groups", 1, 1)
        return best

    def _search(self, x: Matrix, labels: Labels, run: Run) -> Labels:
        fewest, most = -(-len(x) // (2 * self.k - 1)), len(x) // self.k
        within = run.silent()
        labels = self._improved(x, [labels], within)
        at = int(labels.max()) + 1
        # a number of groups is judged once in a search
        tried = {at: squared_error(x, labels)}
        gamma, direction = float(self.step), 1
        while gamma >= 1 and not run.enough():
            for way in (direction, -direction):
                trial = at + way * max(1, int(gamma))
                if trial in tried or not fewest <= trial <= most:
                    continue
                found = self._with(x, labels, trial, within)
                tried[trial] = squared_error(x, found)
                # how many steps are to come is unknown: the share tells how fine the step has become
                run.report("improving groups", 1 / (1 + gamma), 1)
                if tried[trial] < tried[at]:
                    labels, at, direction = found, trial, way
                    gamma *= 2
                    break
            else:
                gamma, direction = gamma / 2, 1
        labels = relocate(x, split_large(x, labels, self.k, within), self.k, within)
        return split_large(x, labels, self.k, within)

    def _with(self, x: Matrix, labels: Labels, groups: int, run: Run) -> Labels:
        """The best partition into so many groups that can be reached from the one at hand."""
        more = groups - int(labels.max()) - 1
        if more > 0:
            cut = fill_short(x, divide(x, labels, more), groups, self.k)
            return self._improved(x, [cut], run)
        half = (1 - more) // 2
        mixed = dissolve(x, dissolve(x, labels, half, costliest=True), -more - half, costliest=False)
        ends = [dissolve(x, labels, -more, costliest) for costliest in (False, True)]
        return self._improved(x, [*ends, mixed] if more < -1 else ends, run)

    def _improved(self, x: Matrix, starts: list[Labels], run: Run) -> Labels:
        """The best of relocations from each start, and of HM+KM and relocations from the first."""
        free = improve_once(x, starts[0], self.k, "records", True, run)
        free = improve_once(x, free, self.k, "centres", True, run)
        found = [relocate(x, start, self.k, run) for start in [*starts, free]]
        return min(found, key=lambda one: squared_error(x, one))
