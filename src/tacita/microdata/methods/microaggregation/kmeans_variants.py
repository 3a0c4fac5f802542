"""k-means and h-means for groups of at least k, after Araujo & Aloise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.core import Labels, Matrix, ParameterError, Partition, Run

from .improvement import START, Improvement
from .kernel_loop import WORK_PER_CALL
from .repair import centroids_of

# Up to so many pairs of record and group every group is a possible target; beyond, the nearest few are.
_ALL_PAIRS = 20_000_000
_FEW = 32
Free = Callable[[Labels], Labels]
Cut = Callable[[Labels], Labels]
By = Literal["records", "centres"]


def squared_error(x: Matrix, labels: Labels) -> float:
    """Within-group squared error, groups of any size. O(n d)."""
    return Partition(labels, 1).sse(x)


def nearest_centres(x: Matrix, centres: Matrix, count: int) -> Labels:
    """The `count` centres nearest to each record, nearest first: exact, by kd-tree.

    >>> nearest_centres(np.array([[0.0], [9.0]]), np.array([[1.0], [4.0], [8.0]]), 2).tolist()
    [[0, 1], [2, 1]]
    """
    from scipy.spatial import cKDTree

    found = cKDTree(centres).query(x, k=np.arange(1, min(count, len(centres)) + 1))[1]
    return np.ascontiguousarray(found, dtype=np.int64)


def relocate(x: Matrix, labels: Labels, floor: int, run: Run) -> Labels:
    """Best single relocations until none helps; only groups of more than `floor` records give.

    The squared error never rises. All groups are possible targets up to 20 million pairs of record and
    group; with more, the 32 nearest, chosen anew until that changes nothing.
    """
    from tacita.kernels.records import relocate as kernel

    n, d = x.shape
    labels = labels.copy()
    columns = np.ascontiguousarray(x.T)
    moves = 1 + WORK_PER_CALL // (n * d)
    # the margin of the kernel forbids going in circles; the limit is for data that would prove us wrong
    left = 100 * n
    while left > 0:
        centres, sizes = centroids_of(x, labels)
        few = n * len(sizes) > _ALL_PAIRS
        near = nearest_centres(x, centres, _FEW) if few else np.empty((n, 0), dtype=np.int64)
        groups = kernel.Groups(columns, labels, np.ascontiguousarray(centres.T), sizes)
        offers = kernel.Offers(near, np.empty(n, np.int64), np.empty(n), np.empty(n), np.empty(n))
        kernel.price_all(groups, offers)
        before = left
        while left > 0:
            made = kernel.relocate(groups, offers, floor, moves)
            left -= made
            run.report("improving groups", 0, 1)
            if made < moves or run.enough():
                break
        if not few or left == before or run.enough():
            break
    return labels


def reassign(x: Matrix, labels: Labels, floor: int, run: Run) -> Labels:
    """All records to their nearest centre, those who gain most first, until nobody moves.

    Only groups of more than `floor` records give. Records move while the centres stand still, then the
    centres follow; the squared error never rises.
    """
    from tacita.kernels.records.relocate import move_in_turn, nearest_group

    n = len(x)
    columns = np.ascontiguousarray(x.T)
    best = squared_error(x, labels)
    while True:
        centres, sizes = centroids_of(x, labels)
        if n * len(sizes) > _ALL_PAIRS:
            # an empty group is nobody's nearest
            used = np.flatnonzero(sizes)
            nearest = used[nearest_centres(x, centres[used], 1)[:, 0]]
        else:
            nearest = np.empty(n, dtype=np.int64)
            nearest_group(columns, np.ascontiguousarray(centres.T), sizes, nearest)
        gain = ((x - centres[labels]) ** 2).sum(axis=1) - ((x - centres[nearest]) ** 2).sum(axis=1)
        trial = labels.copy()
        moved = move_in_turn(np.argsort(-gain, kind="stable"), nearest, trial, sizes, floor)
        run.report("improving groups", 0, 1)
        error = squared_error(x, trial)
        if not moved or error >= best:
            return labels
        labels, best = trial, error
        if run.enough():
            return labels


def fill_short(x: Matrix, labels: Labels, groups: int, k: int) -> Labels:
    """Labels in which each of `groups` groups, perhaps empty before, has k records. Needs n >= k groups."""
    from tacita.kernels.records.relocate import fill_short_groups

    labels = labels.copy()
    means, _ = centroids_of(x, labels)
    centres = np.zeros((x.shape[1], groups))
    centres[:, : len(means)] = means.T
    columns = np.ascontiguousarray(x.T)
    fill_short_groups(columns, labels, centres, np.bincount(labels, minlength=groups), k)
    return labels


def freely(x: Matrix, labels: Labels, k: int, free: Free, run: Run) -> Labels:
    """Strategy II: run freely, then fill short groups; as long as that betters what it found before.

    The labels given may hold short groups: then the first outcome counts, whatever it is.
    """
    groups = int(labels.max()) + 1
    kept = labels if np.bincount(labels).min() >= k else fill_short(x, labels, groups, k)
    best = squared_error(x, kept)
    while True:
        labels = fill_short(x, free(labels), groups, k)
        error = squared_error(x, labels)
        if not error < best:
            return kept
        kept, best = labels, error
        if run.enough():
            return kept


def cut_large(labels: Labels, k: int, cut: Cut) -> Labels:
    """Labels in which every group of 2k or more records is divided as `cut` labels its rows. O(n log n)."""
    labels = labels.copy()
    sizes = np.bincount(labels)
    groups = len(sizes)
    large = np.flatnonzero(sizes >= 2 * k).tolist()
    if not large:
        return labels
    order, ends = np.argsort(labels, kind="stable"), np.cumsum(sizes)
    for group in large:
        rows = order[ends[group] - sizes[group] : ends[group]]
        parts = cut(rows)
        labels[rows] = np.where(parts == 0, group, groups + parts - 1)
        groups += int(parts.max())
    return labels


def split_large(x: Matrix, labels: Labels, k: int, run: Run, units: Labels | None = None) -> Labels:
    """Every group of 2k or more records cut by MDAV: no partition of a group has a larger squared error.

    With units every part has k of them; a group that has fewer stays whole.

    >>> split_large(np.array([[0.0], [1.0], [9.0], [10.0]]), np.zeros(4, dtype=int), 2, Run()).tolist()
    [0, 0, 1, 1]
    """
    from .mdav import MDAV

    def parts(rows: Labels) -> Labels:
        codes = None if units is None else np.unique(units[rows], return_inverse=True)[1].reshape(-1)
        if codes is not None and codes.max() + 1 < k:
            return np.zeros(len(rows), dtype=np.int64)
        return MDAV(k=k).group(x[rows], codes, run.silent())

    return cut_large(labels, k, parts)


class _Means(Improvement):
    """One of the two heuristics under one of the two strategies, then groups of 2k or more are cut."""

    free: ClassVar[bool]
    passes: ClassVar[tuple[By, ...]]
    added: ClassVar[tuple[str, ...]] = ("origin", "groups")
    of_start: ClassVar[tuple[str, ...]] = ("origin", "groups")

    origin: Annotated[Literal["mdav", "random"], Field(description=START)] = "mdav"
    groups: Annotated[
        int | None,
        Field(
            ge=1,
            description="number of groups, if no partition is given: it stays, and large groups are not cut; "
            "none: MDAV's, or a random one",
        ),
    ] = None

    def _labels(self, x: Matrix, units: Labels | None, start: Partition | None, run: Run) -> Labels:
        if start is not None and self.groups is not None:
            return self.model_copy(update={"groups": None})._labels(x, units, start, run)
        return super()._labels(x, units, start, run)

    def group(self, x: Matrix, units: Labels | None, run: Run) -> Labels:
        from .initial_groups import random_groups, with_groups

        most = len(x) // self.k
        if self.groups is not None and self.groups > most:
            raise ParameterError(
                f"{self.spoken_name()}: groups must be at most n / k = {most}, got {self.groups}."
            )
        if self.origin == "random":
            return random_groups(x, self.groups, self.k, run.search_generator())
        labels = super().group(x, units, run)
        return labels if self.groups is None else with_groups(x, labels, self.groups, self.k)

    def improve(self, x: Matrix, labels: Labels, units: Labels | None, run: Run) -> Labels:
        # far from the origin the incremental centroids would lose digits
        x = np.ascontiguousarray(x - x.mean(axis=0))
        before = -1
        while (groups := int(labels.max()) + 1) != before and not run.enough():
            before = groups
            for one in self._in_turn():
                labels = improve_once(x, labels, self.k, one, self.free, run)
            if self.groups is None:
                labels = split_large(x, labels, self.k, run)
        run.report("improving groups", 1, 1)
        return labels

    def _in_turn(self) -> tuple[By, ...]:
        return self.passes


def improve_once(x: Matrix, labels: Labels, k: int, by: By, free: bool, run: Run) -> Labels:
    """One heuristic: single relocations of records, or all records to their nearest centres at once."""
    step = relocate if by == "records" else reassign
    if not free:
        return step(x, labels, k, run)
    # a group cannot lose its last record by relocation: that saves nothing
    floor = 1 if by == "records" else 0
    return freely(x, labels, k, lambda held: step(x, held, floor, run), run)


class KMeans1(_Means):
    """Sends records to their nearest centroid, never leaving a group with fewer than k.

    Round: every record whose nearest centroid is another group's moves there, those who gain most first,
    unless its group would fall below k; then the centroids follow. Until nobody moves. Improves a
    partition, MDAV's if none is given; where all groups have exactly k records nothing can move. Groups
    that reach 2k are cut by MDAV. `origin` "random" starts from random centres, `groups` of them; with
    `groups` there are so many groups in the end, and none is cut.

    O(rounds n^2 d / k) time, O(n d) memory.
    Source: Araujo & Aloise (k-means, strategy I), "Um algoritmo de otimizacao livre de derivadas para a
    protecao de dados individuais", Universidade Federal do Rio Grande do Norte.

    >>> x = np.array([[0.], [1.], [2.], [9.], [10.], [11.], [12.], [3.]])
    >>> KMeans1(k=3).partition(x, start=Partition([0, 0, 0, 1, 1, 1, 1, 1], 3)).labels.tolist()
    [0, 0, 0, 1, 1, 1, 1, 0]
    """

    free: ClassVar[bool] = False
    passes: ClassVar[tuple[By, ...]] = ("centres",)


class KMeans2(_Means):
    """Sends records to their nearest centroid freely, then fills groups short of k at least cost.

    The free run is ordinary k-means. Then a group short of k takes, again and again, the record from a
    group above k whose move costs least. Both are repeated as long as the outcome betters the one before.
    Improves a partition, MDAV's if none is given. Groups that reach 2k are cut by MDAV. `origin` "random"
    starts from random centres, `groups` of them; with `groups` there are so many groups in the end, and
    none is cut.

    O(rounds n^2 d / k) time, O(n d) memory.
    Source: Araujo & Aloise (k-means, strategy II), "Um algoritmo de otimizacao livre de derivadas para a
    protecao de dados individuais", Universidade Federal do Rio Grande do Norte.

    >>> x = np.array([[0.], [1.], [2.], [9.], [10.], [11.], [12.], [3.]])
    >>> KMeans2(k=3).partition(x, start=Partition([0, 0, 0, 1, 1, 1, 1, 1], 3)).labels.tolist()
    [0, 0, 0, 1, 1, 1, 1, 0]
    """

    free: ClassVar[bool] = True
    passes: ClassVar[tuple[By, ...]] = ("centres",)


class HMeans1(_Means):
    """Makes the best single relocation, again and again, never leaving a group with fewer than k.

    Moving record i from group g (size a) to h (size b) changes the squared error by
    b/(b+1) ||x_i - c_h||^2 - a/(a-1) ||x_i - c_g||^2. The move that lowers it most is made, while one does
    and its group keeps k. The best move of each record is remembered, so that a move costs O(n d). Beyond
    20 million pairs of record and group only the 32 nearest groups of a record are looked at, chosen anew
    until that changes nothing. Improves a partition, MDAV's if none is given; where all groups have exactly
    k records nothing can move. Groups that reach 2k are cut by MDAV. `origin` "random" starts from random
    centres, `groups` of them; with `groups` there are so many groups in the end, and none is cut.

    O(n^2 d / k + moves n d) time, O(n d) memory.
    Source: Araujo & Aloise (h-means, strategy I), "Um algoritmo de otimizacao livre de derivadas para a
    protecao de dados individuais", Universidade Federal do Rio Grande do Norte.

    >>> x = np.array([[0.], [1.], [2.], [9.], [10.], [11.], [12.], [3.]])
    >>> HMeans1(k=3).partition(x, start=Partition([0, 0, 0, 1, 1, 1, 1, 1], 3)).labels.tolist()
    [0, 0, 0, 1, 1, 1, 1, 0]
    """

    free: ClassVar[bool] = False
    passes: ClassVar[tuple[By, ...]] = ("records",)


class HMeans2(_Means):
    """Makes the best single relocations freely, then fills groups short of k at least cost.

    The free run is that of h-means with groups of any size. Then a group short of k takes, again and
    again, the record from a group above k whose move costs least. Both are repeated as long as the outcome
    betters the one before. Targets are restricted as in hmeans1. Improves a partition, MDAV's if none is
    given. Groups that reach 2k are cut by MDAV. `origin` "random" starts from random centres, `groups` of
    them; with `groups` there are so many groups in the end, and none is cut.

    O(n^2 d / k + moves n d) time, O(n d) memory.
    Source: Araujo & Aloise (h-means, strategy II), "Um algoritmo de otimizacao livre de derivadas para a
    protecao de dados individuais", Universidade Federal do Rio Grande do Norte.

    >>> x = np.array([[0.], [1.], [2.], [9.], [10.], [11.], [12.], [3.]])
    >>> HMeans2(k=3).partition(x, start=Partition([0, 0, 0, 1, 1, 1, 1, 1], 3)).labels.tolist()
    [0, 0, 0, 1, 1, 1, 1, 0]
    """

    free: ClassVar[bool] = True
    passes: ClassVar[tuple[By, ...]] = ("records",)


class HMKM(_Means):
    """h-means, then k-means, both free and filled up to k afterwards; or k-means first.

    The names are those of the source's description: its k-means sends all records to their nearest centroid
    at once, its h-means makes the best single relocation at a time. In the literature that it cites (Spath
    1980, Hansen & Mladenovic 2001) H-means is the batch and K-means the single relocation, as far as
    summaries tell: "H-means, then K-means" of that literature is `first` "k-means" here. The source found
    "h-means, then k-means" the better order in almost 60 % of its cases; ours finds that share for
    "k-means first" (see the reproduction page). Which of the two the source ran is not known.

    Improves a partition, MDAV's if none is given; `origin` "random" draws centres instead, and `groups`
    says how many. Groups that reach 2k are cut by MDAV, unless `groups` is given.

    O(n^2 d / k + moves n d) time, O(n d) memory.
    Source: Araujo & Aloise (HM+KM, strategy II), "Um algoritmo de otimizacao livre de derivadas para a
    protecao de dados individuais", Universidade Federal do Rio Grande do Norte.

    >>> x = np.array([[0.], [1.], [2.], [9.], [10.], [11.], [12.], [3.]])
    >>> HMKM(k=3).partition(x, start=Partition([0, 0, 0, 1, 1, 1, 1, 1], 3)).labels.tolist()
    [0, 0, 0, 1, 1, 1, 1, 0]
    """

    free: ClassVar[bool] = True
    passes: ClassVar[tuple[By, ...]] = ("records", "centres")
    added: ClassVar[tuple[str, ...]] = (*_Means.added, "first")

    first: Annotated[
        Literal["h-means", "k-means"],
        Field(description="which begins: h-means, the best single relocations, or k-means, all at once"),
    ] = "h-means"

    def _in_turn(self) -> tuple[By, ...]:
        return self.passes if self.first == "h-means" else self.passes[::-1]
