"""KC and KCKW: c-means from random centres, with groups held to size."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.core import Labels, Matrix, Run

from .kmeans_variants import cut_large, split_large, squared_error
from .microaggregation_method import Microaggregation
from .repair import centroids_of


class _CapacityMeans(Microaggregation):
    """Random centres, rounds of assignment and mending, the best of several starts."""

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

    def group(self, x: Matrix, units: Labels | None, run: Run) -> Labels:
        n = len(x)
        fewest, usual = self._counts(n)
        count = usual if self.groups is None else min(max(self.groups, fewest), n)
        generator = run.search_generator()
        # drawn from the records in an order of their own, so that the order of the rows does not matter
        canonical = np.lexsort(x.T[::-1])
        found: list[Labels] = []
        for start in range(self.starts):
            drawn = canonical[generator.permutation(n)]
            centres = np.ascontiguousarray(x[drawn][generator.choice(n, count, replace=False)])
            order = drawn if self.order == "random" else np.arange(n)
            in_turn = np.ascontiguousarray(x[order])
            labels = np.empty(n, dtype=np.int64)
            labels[order] = self._cut(in_turn, self._settled(in_turn, centres, run), run)
            found = [min([*found, labels], key=lambda one: squared_error(x, one))]
            run.report("grouping records", start + 1, self.starts)
            if run.enough():
                break
        return found[0]

    def _settled(self, x: Matrix, centres: Matrix, run: Run) -> Labels:
        """Rounds from the given centres until nothing changes, or enough of them."""
        from tacita.kernels.records.capacity import assign_in_turn, mend_short_groups

        room, follow = self._room(len(x)), self.centres == "moving"
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
            if run.cancelled():
                run.report("grouping records", 0, 1)
            centres, _ = centroids_of(x, labels)
            # dissolved groups may have left too little room for another round
            if np.array_equal(before, labels) or room * len(centres) < len(x) or run.enough():
                break
        return labels

    @abstractmethod
    def _counts(self, n: int) -> tuple[int, int]:
        """The fewest groups to start with, and how many there are unless `groups` says so."""

    @abstractmethod
    def _room(self, n: int) -> int:
        """How many records a group may take."""

    @abstractmethod
    def _cut(self, x: Matrix, labels: Labels, run: Run) -> Labels:
        """Cut the groups of 2k or more."""


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

    def _counts(self, n: int) -> tuple[int, int]:
        return -(-n // (2 * self.k - 1)), n // self.k

    def _room(self, n: int) -> int:
        return 2 * self.k - 1

    def _cut(self, x: Matrix, labels: Labels, run: Run) -> Labels:
        return split_large(x, labels, self.k, run)


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

    def _counts(self, n: int) -> tuple[int, int]:
        return 1, n

    def _room(self, n: int) -> int:
        return n + 1

    def _cut(self, x: Matrix, labels: Labels, run: Run) -> Labels:
        from .ward import ward_labels

        return cut_large(labels, self.k, lambda rows: ward_labels(x[rows], self.k, run.silent()))
