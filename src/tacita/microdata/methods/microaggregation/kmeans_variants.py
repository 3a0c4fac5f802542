"""k-means, h-means and c-means for groups of at least k."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.core import Labels, Matrix, ParameterError, Partition, RunContext

from .improvement import START, Improvement
from .microaggregation_method import Microaggregation
from .reassignment import By, cut_large, improve_once, random_groups, split_large, squared_error, with_groups
from .repair import centroids_of
from .ward import ward_labels


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

    def _labels(self, x: Matrix, units: Labels | None, start: Partition | None, run: RunContext) -> Labels:
        if start is not None and self.groups is not None:
            return self.model_copy(update={"groups": None})._labels(x, units, start, run)
        return super()._labels(x, units, start, run)

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        most = len(x) // self.k
        if self.groups is not None and self.groups > most:
            raise ParameterError(
                f"{self.display_name()}: groups must be at most n / k = {most}, got {self.groups}."
            )
        if self.origin == "random":
            return random_groups(x, self.groups, self.k, run.search_generator())
        labels = super().group(x, units, run)
        return labels if self.groups is None else with_groups(x, labels, self.groups, self.k)

    def improve(self, x: Matrix, labels: Labels, units: Labels | None, run: RunContext) -> Labels:
        # far from the origin the incremental centroids would lose digits
        x = np.ascontiguousarray(x - x.mean(axis=0))
        before = -1
        while (groups := int(labels.max()) + 1) != before and not run.should_stop():
            before = groups
            for one in self._in_turn():
                labels = improve_once(x, labels, self.k, one, self.free, run)
            if self.groups is None:
                labels = split_large(x, labels, self.k, run)
        run.report("improving groups", 1, 1)
        return labels

    def _in_turn(self) -> tuple[By, ...]:
        return self.passes


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


class _CapacityMeans(Microaggregation):
    """Random centres, rounds of assignment and mending, the best of several starts.

    With `limited` size a group takes at most 2k-1 records, and MDAV cuts what is larger; else k-Ward does.
    """

    limited: ClassVar[bool]
    anytime: ClassVar[bool] = True
    added: ClassVar[tuple[str, ...]] = ("order", "centres")

    groups: Annotated[
        int | None, Field(ge=1, description="number of groups at the start, if the usual one does not serve")
    ] = None
    starts: Annotated[int, Field(ge=1, le=10_000, description="random starts, of which the best counts")] = 1
    rounds: Annotated[int, Field(ge=1, le=10_000, description="times the centres move, at most")] = 20
    order: Annotated[
        Literal["random", "file"],
        Field(description="whose turn comes first: in random order, or as records and centres stand"),
    ] = "random"
    centres: Annotated[
        Literal["moving", "fixed"],
        Field(description="centres while short groups are mended: moving with them, or fixed until all are"),
    ] = "moving"

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        n = len(x)
        fewest, usual = (-(-n // (2 * self.k - 1)), n // self.k) if self.limited else (1, n)
        count = usual if self.groups is None else min(max(self.groups, fewest), n)
        generator = run.search_generator()
        # drawn from the records in an order of their own, so that the order of the rows does not matter
        canonical = np.lexsort(x.T[::-1])
        best: list[Labels] = []
        for start in range(self.starts):
            drawn = canonical[generator.permutation(n)]
            centres = np.ascontiguousarray(x[drawn][generator.choice(n, count, replace=False)])
            order = drawn if self.order == "random" else np.arange(n)
            in_turn = np.ascontiguousarray(x[order])
            labels = np.empty(n, dtype=np.int64)
            labels[order] = self._cut(in_turn, self._settled(in_turn, centres, run), run)
            best = [min([*best, labels], key=lambda one: squared_error(x, one))]
            run.report("grouping records", start + 1, self.starts)
            if run.should_stop():
                break
        return best[0]

    def _settled(self, x: Matrix, centres: Matrix, run: RunContext) -> Labels:
        """Rounds from the given centres until nothing changes, or enough of them."""
        from tacita.kernels.records.assignment import assign_in_turn, mend_short_groups

        room = 2 * self.k - 1 if self.limited else len(x) + 1
        follow = self.centres == "moving"
        middle = x.mean(axis=0)
        labels = np.zeros(len(x), dtype=np.int64)
        for _ in range(self.rounds):
            before = labels.copy()
            if self.order == "random":
                # outlying groups are mended first, while their like are still free to join them
                centres = centres[np.argsort(-((centres - middle) ** 2).sum(axis=1), kind="stable")]
            sizes = np.zeros(len(centres), dtype=np.int64)
            assign_in_turn(x, centres, room, labels, sizes)
            if follow:
                centres, _ = centroids_of(x, labels)
            mend_short_groups(x, centres, follow, room, self.k, labels, sizes[: len(centres)])
            labels = np.unique(labels, return_inverse=True)[1].reshape(-1).astype(np.int64)
            if run.should_cancel():
                run.report("grouping records", 0, 1)
            centres, _ = centroids_of(x, labels)
            # dissolved groups may have left too little room for another round
            if np.array_equal(before, labels) or room * len(centres) < len(x) or run.should_stop():
                break
        return labels

    def _cut(self, x: Matrix, labels: Labels, run: RunContext) -> Labels:
        """The groups of 2k or more in parts."""
        if self.limited:
            return split_large(x, labels, self.k, run)
        return cut_large(labels, self.k, lambda rows: ward_labels(x[rows], self.k, run.silent()))


class KC(_CapacityMeans):
    """c-means in which a group takes at most 2k-1 records.

    Records, in random order, go to the nearest centre with fewer than 2k-1 records; empty groups vanish. A
    group short of k that lacks more than it has is dissolved into neighbours with room; any other is filled
    with the nearest records of groups larger than k. Then the centres move, until nothing changes or for
    `rounds` rounds. The number of groups can only shrink; it starts at `groups`, n/k unless given, at least
    n/(2k-1). Where the source is silent: outlying groups are mended first, centres follow while groups are
    mended, and a group of 2k or more, should one come about, is cut by MDAV.

    The plain reading of the source's figure 1 is `order` file and `centres` fixed: records as they stand in
    the file, groups in the order of their centres, and every centre is computed anew after all groups are
    mended. The order of the rows then matters.

    The first centres are random records: the search repeats with the seed of the run. Of `starts` random
    starts the best counts (the source prints the mean of five).

    O(starts rounds n^2 d / k) time, O(n d) memory.
    Source: Lin & Yin, "A divisive partitioning method to microaggregation" (in Chinese), National Chi Nan
    University.

    >>> KC(k=2).partition(np.array([[0.], [1.], [9.], [10.]])).labels.tolist()
    [0, 0, 1, 1]
    """

    limited: ClassVar[bool] = True


class KCKW(_CapacityMeans):
    """c-means without limit of size, then k-Ward on every group of 2k or more.

    As `kc`, but every record goes to its nearest centre, and a group short of k that lacks more than it has
    is dissolved whatever room its neighbours have. Groups of 2k or more records are then cut by k-Ward.
    Unless `groups` is given, every record is a centre at first: the best choice on the benchmarks, and the
    source does not name one. `order` file and `centres` fixed are the plain reading of its figure 2.

    The search repeats with the seed of the run. Of `starts` random starts the best counts (the source prints
    the mean of five).

    O(starts rounds n^2 d) time, O(n d) memory, and k-Ward on the large groups.
    Source: Lin & Yin, "A divisive partitioning method to microaggregation" (in Chinese), National Chi Nan
    University.

    >>> KCKW(k=2).partition(np.array([[0.], [1.], [9.], [10.]])).labels.tolist()
    [0, 0, 1, 1]
    """

    limited: ClassVar[bool] = False
