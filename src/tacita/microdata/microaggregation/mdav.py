"""MDAV: maximum distance to average vector."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from tacita.core import DataError, Labels, Matrix, ParameterError, Run

from .base import Microaggregation
from .repair import join_nearest_group
from .rounds import finish

# Lists of nearest records beyond this do not fit where a card is fast.
_LARGEST_K_ON_CARD = 300


class MDAV(Microaggregation):
    """Groups around the two records farthest apart, k at a time.

    Lowers the within-group squared error, sum over groups of ||x_i - mean||^2. Round: r is the record
    farthest from the centroid of what is left, s the one farthest from r; r with its k-1 nearest and s
    with its k-1 nearest are two groups. While 3k or more are left; then one group around the farthest
    record if 2k or more are, and the rest is the last group. Ties go to the lowest row.

    With units, a group takes the nearest records of k-1 other units; records left over when fewer than
    k units remain join the group with the nearest centroid.

    Records stand in small leaves whose bounds exclude most of them from a search; no group differs from those
    of a scan over all records. O(n^2 d / k) time at worst, as in many dimensions without structure, about
    n^1.6 where there is some; O(n d) memory. With Run(engine="gpu") records without units are grouped on a
    graphics card, into the same groups.
    Source: Domingo-Ferrer & Torra (2005), doi:10.1007/s10618-005-0007-5.

    >>> MDAV(k=2).partition([[0.], [1.], [9.], [10.]]).sizes.tolist()
    [2, 2]
    """

    unit_aware: ClassVar[bool] = True

    def group(self, x: Matrix, units: Labels | None, run: Run) -> Labels:
        if run.engine == "gpu" and units is None and self.k <= _LARGEST_K_ON_CARD:
            return self._on_card(x, run)
        from tacita.kernels.records.leaves import WIDTH, empty_leaves
        from tacita.kernels.records.left import ALIVE, GROUPS, UNITS_LEFT, all_left
        from tacita.kernels.records.peeling import peel_rounds

        k = self.k
        left, leaves = all_left(x, units), empty_leaves(*x.shape)
        labels, state = left.labels, left.state
        rounds = partial(peel_rounds, left, leaves, k, 2, 3 * k, True)
        finish(rounds, x.size // WIDTH + 1, lambda: state[ALIVE] / len(x), run)
        peel_rounds(left, leaves, k, 1, 2 * k, False, 1)
        if state[ALIVE] >= k and state[UNITS_LEFT] >= k:
            labels[labels < 0] = state[GROUPS]
        labels = join_nearest_group(x, labels)
        run.report("grouping records", 1, 1)
        return labels

    def _on_card(self, x: Matrix, run: Run) -> Labels:
        from tacita.kernels import gpu

        if reason := gpu.missing():
            raise ParameterError(f"MDAV: engine gpu cannot be used here: {reason}.", field="engine")
        from tacita.kernels.gpu import mdav

        try:
            # the work left falls with the square of the records left
            labels: Labels = mdav.group(
                x, self.k, lambda left: run.report("grouping records", 1 - left**2, 1)
            )
        except MemoryError:
            raise DataError(
                f"MDAV: {len(x)} records of {x.shape[1]} columns do not fit on the graphics card. Group "
                "them by strata, or on the processor."
            ) from None
        run.report("grouping records", 1, 1)
        return labels
