"""HM and MHM: the cut of an ordering of records into groups of least error, and the orderings it cuts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.core import DataError, Ints, Labels, Matrix, ParameterError, Partition, RunContext
from tacita.core.arrays import as_matrix

from .improvement import Improvement
from .mdav import CBFS, MDAV, MaximumDistance
from .microaggregation_method import Microaggregation
from .orderings import chained_groups, first_component, nearest_next, sum_of_scores, tour

_OPENINGS = 20


def segment_ends(n: int, k: int, units: Ints | None) -> tuple[np.ndarray, np.ndarray]:
    """For each row of an ordering, the first and last row at which a group starting there may end.

    Without units groups hold k to 2k-1 records: a longer one can be cut at no loss. With units the same
    argument: a group that contains two consecutive valid groups can be cut. O(n).
    """
    rows = np.arange(n)
    if units is None:
        return rows + k - 1, rows + 2 * k - 2
    from tacita.kernels.records.segments import window_ends

    ends = window_ends(units, k)
    first = np.append(np.where(ends < 0, n, ends), n)
    # the second valid group would start after the first one ends; stop just before it is complete
    return first[:n], first[np.minimum(first[:n] + 1, n)] - 1


def cut_path(x: Matrix, order: Labels, k: int, units: Labels | None = None) -> tuple[Labels, float]:
    """Labels and squared error of the best partition into consecutive stretches of an ordering. O(n k d).

    >>> cut_path(np.array([[0.0], [9.0], [1.0], [10.0]]), np.array([0, 2, 1, 3]), 2)[0].tolist()
    [0, 1, 0, 1]
    """
    from tacita.kernels.records.segments import shortest_segmentation

    n = x.shape[0]
    first, last = segment_ends(n, k, None if units is None else units[order])
    in_order = np.full(n, -1, dtype=np.int64)
    loss = shortest_segmentation(x[order], first, last, in_order)
    labels = np.empty(n, dtype=np.int64)
    labels[order] = in_order
    return labels, float(loss)


class HM(Microaggregation):
    """The best possible groups of a single column.

    Sorts, then finds the shortest path over segments of k to 2k-1 consecutive records, where a segment
    costs its within-group squared error: no partition of the column loses less. One column only.

    With units, segments hold k distinct units; the best among partitions into consecutive segments.

    O(n log n + n k) time, O(n) memory.
    Source: Hansen & Mukherjee (2003), IEEE Trans. Knowledge and Data Engineering 15(4), 1043-1044.

    >>> HM(k=2).partition(np.array([[10.], [0.], [1.], [9.], [2.]])).labels.tolist()
    [0, 1, 1, 0, 1]
    """

    unit_aware: ClassVar[bool] = True
    one_column: ClassVar[bool] = True

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        d = x.shape[1]
        if d != 1:
            raise DataError(
                f"HM: wanted one column, got {d}. Use mdav for several columns, or protect them one by one."
            )
        labels, _ = cut_path(x, np.argsort(x[:, 0], kind="stable"), self.k, units)
        run.report("grouping records", 1, 1)
        return labels

    def proven(self, x: Matrix, partition: Partition, run: RunContext) -> Partition:
        # of k distinct units each, groups that are no segments might do better
        return partition if partition.units is not None else partition.bounded(x, partition.sse(x))


class PathCutting(Microaggregation):
    """MHM: cuts a path through the records at least loss. Subclasses say which path, in `path`."""

    unit_aware: ClassVar[bool] = True

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        labels, _ = cut_path(x, self.path(x, run), self.k, units)
        run.report("cutting the path", 1, 1)
        return labels

    @abstractmethod
    def path(self, x: Matrix, run: RunContext) -> Labels:
        """The rows of x in an order in which neighbours are alike."""


class NPNMHM(PathCutting):
    """The best cut of a path that always steps to the nearest record next.

    The path starts at the record farthest from the centroid (nearest point next). MHM cuts it into stretches
    of k to 2k-1 records by shortest path, where a stretch costs its within-group squared error: no other
    cut of the same path loses less. Ties go to the lowest row.

    With units, stretches hold k distinct units.

    O(n^2 d + n k d) time, O(n d) memory.
    Source: Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz & Sebe (2006), VLDB Journal 15(4), 355-369.

    >>> NPNMHM(k=2).partition([[0.], [9.], [1.], [10.], [2.]]).labels.tolist()
    [0, 1, 0, 1, 0]
    """

    def path(self, x: Matrix, run: RunContext) -> Labels:
        return nearest_next(x, run)


class GroupCutting(PathCutting):
    """MHM along a path through the groups of another method: `visits`, from the first group that it forms."""

    visits: ClassVar[type[Microaggregation]]

    def path(self, x: Matrix, run: RunContext) -> Labels:
        return chained_groups(x, self.visits(k=self.k).group(x, None, run))


class MDMHM(GroupCutting):
    """The best cut of a path through the groups of MD.

    The groups are visited from the first one formed, nearest unvisited centroid next; a group is entered at
    the member nearest to the last record and passed through nearest next. MHM then cuts the path into
    stretches of k to 2k-1 records (with units, of k distinct units) by shortest path.

    O(n^3 d / k) time at worst, near O(n^2 d) on most data, O(n d) memory.
    Source: Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz & Sebe (2006), VLDB Journal 15(4), 355-369.

    >>> MDMHM(k=2).partition([[0.], [9.], [1.], [10.], [2.]]).labels.tolist()
    [0, 1, 0, 1, 0]
    """

    visits: ClassVar[type[Microaggregation]] = MaximumDistance


class MDAVMHM(GroupCutting):
    """The best cut of a path through the groups of MDAV.

    The path is made as for md-mhm, of MDAV's groups; MHM cuts it into stretches of k to 2k-1 records (with
    units, of k distinct units) by shortest path.

    O(n^2 d / k + n k d) time, O(n d) memory.
    Source: Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz & Sebe (2006), VLDB Journal 15(4), 355-369.

    >>> MDAVMHM(k=2).partition([[0.], [9.], [1.], [10.], [2.]]).labels.tolist()
    [0, 1, 0, 1, 0]
    """

    visits: ClassVar[type[Microaggregation]] = MDAV


class CBFSMHM(GroupCutting):
    """The best cut of a path through the groups of CBFS.

    The path is made as for md-mhm, of CBFS's groups; MHM cuts it into stretches of k to 2k-1 records (with
    units, of k distinct units) by shortest path.

    O(n^2 d / k + n k d) time, O(n d) memory.
    Source: Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz & Sebe (2006), VLDB Journal 15(4), 355-369.

    >>> CBFSMHM(k=2).partition([[0.], [9.], [1.], [10.], [2.]]).labels.tolist()
    [0, 1, 0, 1, 0]
    """

    visits: ClassVar[type[Microaggregation]] = CBFS


class MHM(Improvement):
    """The best cut of a path through groups that are there: a second phase after any method.

    The groups of the method before, MDAV's if none is given, or those that a column names (`given_groups`)
    are visited from the group of the record farthest from the centroid, nearest unvisited centroid next; a
    group is entered at the member nearest to the last record and passed through nearest next. MHM cuts the
    path into stretches of k to 2k-1 records (with units, of k distinct units) by shortest path. The path
    runs through whole groups, so that the groups themselves are one of its cuts: none loses less than the
    best, and nothing is lost by the second phase.

    `--method kc --then mhm`, or `kc+mhm`. After MDAV and CBFS it gives what mdav-mhm and cbfs-mhm give, for
    they form the group of that record first; md-mhm starts at another group.

    O(groups^2 d + n k d) time, O(n d) memory, after the method before.
    Source: Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz & Sebe (2006), VLDB Journal 15(4), 355-369.

    >>> from tacita.core import Partition
    >>> x = np.array([[0.], [1.], [2.], [9.], [10.], [11.]])
    >>> MHM(k=2).partition(x, start=Partition(np.array([0, 0, 0, 0, 1, 1]), 2)).labels.tolist()
    [0, 0, 0, 1, 1, 1]
    """

    anytime: ClassVar[bool] = False
    added: ClassVar[tuple[str, ...]] = ("given_groups",)
    of_start: ClassVar[tuple[str, ...]] = ("given_groups",)

    given_groups: Annotated[
        str | None, Field(min_length=1, description="column that names the group of each record, k or more")
    ] = None

    @property
    def reads(self) -> tuple[str, ...]:
        return () if self.given_groups is None else (self.given_groups,)

    def promised_of_read(self, names: Iterable[str]) -> tuple[str, ...]:
        # where the groups come from has no part in what holds of them
        return ()

    def improve(self, x: Matrix, labels: Labels, units: Labels | None, run: RunContext) -> Labels:
        outermost = labels[((x - x.mean(axis=0)) ** 2).sum(axis=1).argmax()]
        # that group first, the others as they were numbered
        in_turn = np.where(labels == outermost, 0, np.where(labels < outermost, labels + 1, labels))
        cut, _ = cut_path(x, chained_groups(x, in_turn), self.k, units)
        run.report("cutting the path", 1, 1)
        return cut


class TSPMHM(Microaggregation):
    """The best cut of a short tour through all records.

    The tour is a travelling salesman's: nearest point next, then 2-opt and Or-opt moves over lists of the
    ten nearest neighbours until none shortens it. It is opened at its longest edge and at the edges that
    follow; MHM cuts each opening into stretches of k to 2k-1 records (with units, of k distinct units) by
    shortest path, and the best one stays. One of 2k-1 openings in a row is the best of all, for no stretch
    is longer. Ties go to the lowest row.

    O(n^2 d) time for the start and the neighbours, O(n k d) for each opening; O(n d) memory.
    Source: Heaton & Mukherjee (2011), Record ordering heuristics for disclosure control through
    microaggregation, Proc. Int. Conf. on Advances in Communication and Information Technology.

    >>> TSPMHM(k=2).partition([[0.], [9.], [1.], [10.], [2.]]).labels.tolist()
    [0, 1, 0, 1, 0]
    """

    unit_aware: ClassVar[bool] = True

    openings: int = Field(
        default=_OPENINGS,
        ge=1,
        description="how many edges in a row to open the tour at; more than 2k-1 are idle",
    )

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        order = run.once("tour", x, lambda: tour(x, run))
        return self.cut_tour(x, order, units, run)

    def cut_tour(self, x: Matrix, order: Labels, units: Labels | None, run: RunContext) -> Labels:
        """The best of the openings of a closed tour."""
        count = min(self.openings, 2 * self.k - 1, x.shape[0])
        best, least = order, np.inf
        for shift in range(count):
            labels, loss = cut_path(x, np.roll(order, -shift), self.k, units)
            if loss < least:
                best, least = labels, loss
            run.report("cutting the tour", shift + 1, count)
        return best


class FDM(TSPMHM):
    """The best cut of a short tour that serves every k alike.

    The tour does not depend on k: `partitions_for` finds it once and cuts it for a whole range of k, to see
    loss and risk over k from one run, and so does a comparison (`compare`) of several k, which finds one tour
    for all of them. For a single k the result is that of tsp-mhm.

    O(n^2 d) time for the tour, O(n k d) for each opening and each k; O(n d) memory.
    Source: Mortazavi & Jalili (2014), Fast data-oriented microaggregation algorithm for large numerical
    datasets, Knowledge-Based Systems 67, 195-205.

    >>> FDM(k=2).partition([[0.], [9.], [1.], [10.], [2.]]).labels.tolist()
    [0, 1, 0, 1, 0]
    """


def partitions_for(
    x: Matrix, ks: Iterable[int], run: RunContext, units: Labels | None = None, openings: int = _OPENINGS
) -> dict[int, Labels]:
    """Labels for each k along one tour: FDM's for that k, at the price of one tour.

    >>> x = np.array([[0.0], [9.0], [1.0], [10.0], [2.0], [11.0]])
    >>> {k: int(labels.max()) + 1 for k, labels in partitions_for(x, [2, 3, 4], RunContext()).items()}
    {2: 2, 3: 2, 4: 1}
    """
    x = as_matrix(x, "FDM")
    methods = {k: FDM(k=k, openings=openings) for k in ks}
    if not methods:
        raise ParameterError("FDM: wanted at least one k, got none.")
    records = x.shape[0] if units is None else np.unique(units).size
    if records < max(methods):
        raise DataError(
            f"FDM: k={max(methods)} needs at least {max(methods)} records of distinct units, got {records}."
        )
    order = tour(x, run)
    return {k: method.cut_tour(x, order, units, run) for k, method in methods.items()}


class Projection(PathCutting):
    """The best cut of the records sorted along one line.

    The line is the first principal component, or the sum of z-scores. MHM cuts the sorted records into
    stretches of k to 2k-1 (with units, of k distinct units) by shortest path. Much faster than methods that
    compare records in all columns, and with many columns much coarser. Ties go to the lowest row.

    O(n d^2 + n log n + n k d) time, O(n d) memory.
    Source: Domingo-Ferrer & Mateo-Sanz (2002), IEEE Trans. Knowledge and Data Engineering 14(1), 189-201.

    >>> Projection(k=2, by="sum").partition([[0.], [9.], [1.], [10.], [2.]]).labels.tolist()
    [0, 1, 0, 1, 0]
    """

    by: Literal["component", "sum"] = Field(
        default="component", description="what to sort by: first principal component, or sum of z-scores"
    )

    def path(self, x: Matrix, run: RunContext) -> Labels:
        run.report("ordering records", 0, 1)
        return first_component(x) if self.by == "component" else sum_of_scores(x)
