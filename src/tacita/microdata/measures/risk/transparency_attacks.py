"""Attackers who know how the data was masked, and look only where the method can have put a record."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from pydantic import Field

from tacita.core import Comparison, Floats, Percent, RunContext
from tacita.microdata.measures.measure import ColumnMeasure

from .linkage_common import distinct_rows

# Released records of a box that is not cut any further.
_LEAF = 16


class MethodAware(ColumnMeasure):
    """Per attribute an interval of released values that the method allows; who is inside all of them?

    Of the t released records that remain for a person, each is as likely: 1/t if the own one is among
    them, else 0.
    """

    kind: ClassVar[str] = "risk"
    family: ClassVar[str] = "records linked"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)
    by_default: ClassVar[bool] = False

    @abstractmethod
    def allowed(self, x: Floats, z: Floats) -> tuple[Floats, Floats]:
        """Lowest and highest released value that each original of one column can have become."""

    def figures(self, pair: Comparison, run: RunContext) -> tuple[None, Floats]:
        from tacita.kernels.records.kd_boxes import grow
        from tacita.kernels.records.linkage import Allowed, own_among_allowed

        bounds = [self.allowed(x, z) for x, z in zip(pair.original.T, pair.released.T, strict=True)]
        low = np.ascontiguousarray(np.column_stack([bound[0] for bound in bounds]))
        high = np.ascontiguousarray(np.column_stack([bound[1] for bound in bounds]))
        distinct, _, repeats = distinct_rows(pair.released)
        tree = grow(distinct, _LEAF)
        until = np.concatenate([[0], np.cumsum(repeats[tree.order])])
        allowed = Allowed(low, high, pair.released, tree, until)

        def block(start: int, stop: int) -> Floats:
            figures = np.empty(stop - start)
            own_among_allowed(allowed, start, stop, figures)
            return figures

        return None, 100 * np.concatenate(list(run.map_blocks("linking records", pair.n, block)))


class RankSwapLinkage(MethodAware):
    """Share of people found by an attacker who knows how far rank swapping may move a value.

    A value can only have been swapped with values within `window` percent of n ranks, so the own released
    record is, attribute by attribute, within that window of the original's rank. The smaller of what
    remains, the surer the link. Counted in a tree of distinct released records, for everybody whatever the
    size of the file: O(n d log n) on real data, O(n^2 d) at worst.
    Records are linked, whatever units there are: a link to another record of the same unit counts as wrong,
    although it finds the unit.
    Source: Nin, Herranz & Torra (2008), Rethinking rank swapping to decrease disclosure risk, Data &
    Knowledge Engineering 64(1), 346-364.

    >>> x = [[1.0], [2.0], [3.0], [4.0]]
    >>> RankSwapLinkage(window=30).score(Comparison.of(x, [[2.0], [1.0], [4.0], [3.0]])).value
    41.666666666666664
    """

    name: ClassVar[str] = "RSRL"

    window: Percent = Field(default=5.0, gt=0, le=100, description="largest swap, in percent of the ranks")

    def allowed(self, x: Floats, z: Floats) -> tuple[Floats, Floats]:
        ordered = np.sort(z)
        reach = int(np.floor(self.window / 100 * x.size * (1 + 1e-12)))
        # equal originals share their ranks: any of them may have been swapped
        in_original = np.sort(x)
        first = np.searchsorted(in_original, x, "left")
        last = np.searchsorted(in_original, x, "right") - 1
        return ordered[np.maximum(first - reach, 0)], ordered[np.minimum(last + reach, x.size - 1)]


class ContiguityLinkage(MethodAware):
    """Share of people found by an attacker who knows that groups are consecutive in every column.

    True of individual ranking and other methods that mask one attribute at a time: an original between
    two neighbouring published means belongs to one of these two groups, in every attribute. What remains
    after all attributes is often a single record. For groups formed on all attributes together it is an
    upper attack: the own record need not be inside. Counted as RSRL, O(n^2 d) at worst.
    Records are linked, whatever units there are: a link to another record of the same unit counts as wrong,
    although it finds the unit.
    Source: Nin, Herranz & Torra (2008), On the disclosure risk of multivariate microaggregation, Data &
    Knowledge Engineering 67(3), 399-412.

    >>> x = [[1.0], [2.0], [8.0], [9.0]]
    >>> ContiguityLinkage().score(Comparison.of(x, [[1.5], [1.5], [8.5], [8.5]])).value
    37.5
    """

    name: ClassVar[str] = "MARL"

    def allowed(self, x: Floats, z: Floats) -> tuple[Floats, Floats]:
        means = np.unique(z)
        below = np.searchsorted(means, x, "right") - 1
        above = np.searchsorted(means, x, "left")
        return means[np.maximum(below, 0)], means[np.minimum(above, means.size - 1)]
