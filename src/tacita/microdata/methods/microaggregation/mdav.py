"""MDAV and related methods: groups of k around outlying records, one or two at a time.

Records are stored in small leaves whose bounds exclude most of them from a search; the groups are those of a
scan over all records. With RunContext(device="cuda"), records without units are grouped on a graphics card,
into the same groups; growth around the centroid stays on the processor.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.core import DataError, Labels, Matrix, ParameterError, RunContext

from .microaggregation_method import Growth, Microaggregation, finish
from .repair import join_nearest_group, join_nearest_moving_group

if TYPE_CHECKING:
    from tacita.kernels.records.pruning_tree import Leaves
    from tacita.kernels.records.unassigned import Pool

# Lists of nearest records beyond this do not fit where a card is fast.
_LARGEST_K_ON_CARD = 300


def _peeled(
    x: Matrix, units: Labels | None, k: int, by_centroid: bool, a_round: int, least: int, run: RunContext
) -> tuple[Pool, Leaves]:
    """What rounds of one or two groups leave, made while `least` or more records are left, and the leaves."""
    from tacita.kernels.records.mdav_rounds import peel_rounds
    from tacita.kernels.records.pruning_tree import WIDTH, empty_leaves
    from tacita.kernels.records.unassigned import ALIVE, all_left

    left, leaves = all_left(x, units), empty_leaves(*x.shape)
    rounds = partial(peel_rounds, left, leaves, k, by_centroid, a_round, least, True)
    searches = k if by_centroid else 1
    finish(rounds, searches * (x.size // WIDTH + 1), lambda: left.state[ALIVE] / len(x), run)
    return left, leaves


class MDAV(Microaggregation):
    """Groups around the two records farthest apart, k at a time.

    Lowers the within-group squared error, sum over groups of ||x_i - mean||^2. In each round, r is the record
    farthest from the centroid of the remaining ones, and s the record farthest from r. r with its k-1 nearest
    records and s with its k-1 nearest records are two groups. Ties go to the lowest row.

    With end rule 3k, rounds end when fewer than 3k records are left: 2k or more give one group around the
    farthest record, and the rest is the last group. With 2k, rounds end below 2k: k or more records are the
    last group, and fewer join the nearest centroids. With growth around the centroid, each of the k-1
    records is the nearest to the centroid of the group so far: a lower loss on the benchmark files at k =
    3, a higher one at k = 25 and above. With units, a group takes the nearest records of k-1 other units;
    records left over when fewer than k units remain join the group with the nearest centroid.

    Use it as the default; `best` loses less and takes longer. O(n^2 d / k) time at worst, about n^1.6 for
    data with structure; k times that with growth around the centroid; O(n d) memory.
    Source: Domingo-Ferrer & Torra (2005), doi:10.1007/s10618-005-0007-5; rule 2k and growth around the
    centroid: Lin & Yin, "A divisive partitioning method to microaggregation" (in Chinese), National Chi Nan
    University.

    >>> MDAV(k=2).partition([[0.], [1.], [9.], [10.]]).sizes.tolist()
    [2, 2]
    """

    unit_aware: ClassVar[bool] = True
    added: ClassVar[tuple[str, ...]] = ("end_rule", "growth")

    end_rule: Annotated[
        Literal["3k", "2k"],
        Field(
            description="two groups a round while 3k or more records are left, then one and the rest; or "
            "while 2k or more are, then fewer than k join the nearest centroids"
        ),
    ] = "3k"
    growth: Growth = "seed"

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        if run.device == "cuda" and self._fits_card(units):
            return self._on_card(x, run)
        from tacita.kernels.records.mdav_rounds import peel_rounds
        from tacita.kernels.records.unassigned import ALIVE, GROUPS, UNITS_LEFT

        k, by_centroid = self.k, self.growth == "centroid"
        left, leaves = _peeled(x, units, k, by_centroid, 2, 3 * k, run)
        labels, state = left.labels, left.state
        # of 2k to 3k-1 records two groups leave fewer than k, one leaves k or more
        peel_rounds(left, leaves, k, by_centroid, self._last_groups, 2 * k, False, 1)
        if state[ALIVE] >= k and state[UNITS_LEFT] >= k:
            labels[labels < 0] = state[GROUPS]
        labels = self._joined(x, labels)
        run.report("grouping records", 1, 1)
        return labels

    @property
    def _last_groups(self) -> int:
        """How many groups are made of 2k to 3k-1 records, besides what is left of them."""
        return 2 if self.end_rule == "2k" else 1

    def _joined(self, x: Matrix, labels: Labels) -> Labels:
        """The labels, where records without a group have joined one."""
        return (join_nearest_moving_group if self.end_rule == "2k" else join_nearest_group)(x, labels)

    def _fits_card(self, units: Labels | None) -> bool:
        return units is None and self.growth == "seed" and self.k <= _LARGEST_K_ON_CARD

    def _on_card(self, x: Matrix, run: RunContext) -> Labels:
        from tacita.kernels import gpu

        if reason := gpu.missing():
            raise ParameterError(f"MDAV: the device cuda cannot be used here: {reason}.", field="device")
        from tacita.kernels.gpu import mdav

        try:
            # the work left falls with the square of the records left
            labels: Labels = mdav.group(
                x, self.k, lambda left: run.report("grouping records", 1 - left**2, 1), self._last_groups
            )
        except MemoryError:
            raise DataError(
                f"MDAV: {len(x)} records of {x.shape[1]} columns do not fit on the graphics card. Group "
                "them by strata, or on the processor."
            ) from None
        labels = self._joined(x, labels)
        run.report("grouping records", 1, 1)
        return labels


class MaximumDistance(Microaggregation):
    """Groups at the two records farthest apart, k at a time.

    Round: r and s are the two records farthest apart of what is left; each starts a group, first r, then s,
    which takes the k-1 records nearest to its seed, or one by one those nearest to its centroid. While 2k
    or more are left; then k or more are the last group, and fewer each join the group with the nearest
    centroid. Also known as DBFS. Ties go to the lowest row.

    O(n^3 d / k) time at worst, near O(n^2 d) on most data: a record's farthest distance only falls, so most
    pairs are never measured again. O(n d) memory.
    Source: Domingo-Ferrer & Mateo-Sanz (2002), IEEE Trans. Knowledge and Data Engineering 14(1), 189-201.

    >>> MaximumDistance(k=2).partition(np.array([[0.], [9.], [1.], [10.], [2.]])).labels.tolist()
    [0, 1, 0, 1, 0]
    """

    growth: Growth = "seed"

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        from tacita.kernels.records import maxdistance as kernel

        n = len(x)
        labels = np.full(n, -1, dtype=np.int64)
        state = np.array([n, n, 0])
        # no two records are farther apart than their distances from the centre together
        radius = np.sqrt(((x - x.mean(axis=0)) ** 2).sum(axis=1))
        bound = (radius + radius.max()) ** 2 * (1 + 1e-9)
        columns = np.array(x.T, order="C", copy=True)
        ends = kernel.Ends(columns, np.arange(n), np.full(n, -1), bound, labels, state)
        scans = partial(kernel.max_distance_rounds, ends, self.k, self.growth == "centroid")
        finish(scans, x.size, lambda: state[kernel.ALIVE] / n, run)
        if state[kernel.ALIVE] >= self.k:
            labels[labels < 0] = state[kernel.GROUPS]
        run.report("grouping records", 1, 1)
        return join_nearest_group(x, labels)


class CBFS(Microaggregation):
    """One group after the other around the record farthest from the middle.

    Round: the record farthest from the centroid of what is left, with its k-1 nearest, is a group; with
    growth around the centroid, k-1 records join it one by one, each the nearest to the centroid of the group
    so far. While k or more are left; then each joins the group with the nearest centroid. Ties go to the
    lowest row.

    With units, a group takes the nearest records of k-1 other units.

    O(n^2 d / k) time at worst, k times that with growth around the centroid, less where bounds of leaves
    exclude records, as in MDAV; O(n d) memory.
    Source: Laszlo & Mukherjee (2005), IEEE Trans. Knowledge and Data Engineering 17(7), 902-911.

    >>> CBFS(k=2).partition([[0.], [9.], [1.], [10.], [2.]]).labels.tolist()
    [0, 1, 0, 1, 0]
    """

    unit_aware: ClassVar[bool] = True
    added: ClassVar[tuple[str, ...]] = ("growth",)

    growth: Growth = "seed"

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        left, _ = _peeled(x, units, self.k, self.growth == "centroid", 1, self.k, run)
        run.report("grouping records", 1, 1)
        return join_nearest_group(x, left.labels)


class VMDAV(Microaggregation):
    """Groups around the record farthest from the middle, larger where their surroundings are sparse.

    Round: the record farthest from the centroid of all, with its k-1 nearest, is a group. Then, up to 2k-1
    records, the one nearest to any member joins if its distance from that member is less than gamma times
    its distance from the nearest other record left. While k or more are left; then each joins the group
    with the nearest centroid. Ties go to the lowest row.

    With units, a group takes the nearest records of k-1 other units before it grows.

    O(n^2 d) time, O(n d) memory.
    Source: Solanas & Martinez-Balleste (2006), Proc. COMPSTAT 2006, 917-925.

    >>> VMDAV(k=2, gamma=1.1).partition([[0.], [1.], [2.], [20.], [21.]]).labels.tolist()
    [0, 0, 0, 1, 1]
    """

    unit_aware: ClassVar[bool] = True

    gamma: float = Field(
        default=0.2,
        ge=0,
        allow_inf_nan=False,
        description="how readily a group grows beyond k: about 0.2 for scattered, 1.1 for clustered data",
    )

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        from tacita.kernels.records.mdav_rounds import vmdav_rounds
        from tacita.kernels.records.unassigned import ALIVE, all_left

        left = all_left(x, units)
        rounds = partial(vmdav_rounds, left, x.mean(axis=0), self.gamma, self.k)
        finish(rounds, x.size * self.k, lambda: left.state[ALIVE] / len(x), run)
        run.report("grouping records", 1, 1)
        return join_nearest_group(x, left.labels)
