"""MDAV: maximum distance to average vector."""

from __future__ import annotations

from functools import partial
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from tacita.core import DataError, Labels, Matrix, ParameterError, Run

from .kernel_loop import finish
from .microaggregation_method import Growth, Microaggregation
from .repair import join_nearest_group, join_nearest_moving_group

# Lists of nearest records beyond this do not fit where a card is fast.
_LARGEST_K_ON_CARD = 300


class MDAV(Microaggregation):
    """Groups around the two records farthest apart, k at a time.

    Lowers the within-group squared error, sum over groups of ||x_i - mean||^2. Round: r is the record
    farthest from the centroid of what is left, s the one farthest from r; r with its k-1 nearest and s
    with its k-1 nearest are two groups. Ties go to the lowest row.

    The end rule decides how the last records are grouped. 3k: two groups a round while 3k or more records are
    left; then one group around the farthest record if 2k or more are, and the rest is the last group. 2k: two
    groups a round while 2k or more are left; then k or more are the last group, and fewer join the group with
    the nearest centroid, one by one in the order of rows, and each moves the centroid that it joins. Lin and
    Yin describe this rule, and with it all printed losses are met to 0.001. They do not say whether the
    centroid moves, nor in which order records join: both are chosen because they fit.

    With growth around the centroid, k-1 records join a seed one by one, each the nearest to the centroid of
    the group so far. On the benchmark files it loses less than growth around the seed at k = 3, and more at
    k = 25 and above.

    With units, a group takes the nearest records of k-1 other units; records left over when fewer than
    k units remain join the group with the nearest centroid, as it was before or as it moves.

    Records stand in small leaves whose bounds exclude most of them from a search; no group differs from those
    of a scan over all records. O(n^2 d / k) time at worst, as in many dimensions without structure, about
    n^1.6 where there is some; k times that with growth around the centroid; O(n d) memory. With
    Run(device="cuda") records without units are grouped on a graphics card, into the same groups; growth
    around the centroid stays on the processor.
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

    def group(self, x: Matrix, units: Labels | None, run: Run) -> Labels:
        if run.device == "cuda" and self._fits_card(units):
            return self._on_card(x, run)
        from tacita.kernels.records.mdav_rounds import peel_rounds
        from tacita.kernels.records.pruning_tree import WIDTH, empty_leaves
        from tacita.kernels.records.unassigned import ALIVE, GROUPS, UNITS_LEFT, all_left

        k, by_centroid = self.k, self.growth == "centroid"
        left, leaves = all_left(x, units), empty_leaves(*x.shape)
        labels, state = left.labels, left.state
        rounds = partial(peel_rounds, left, leaves, k, by_centroid, 2, 3 * k, True)
        searches = k if by_centroid else 1
        finish(rounds, searches * (x.size // WIDTH + 1), lambda: state[ALIVE] / len(x), run)
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

    def _on_card(self, x: Matrix, run: Run) -> Labels:
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
