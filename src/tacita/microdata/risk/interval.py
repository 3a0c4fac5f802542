"""Interval disclosure: how often a released value pins its original down to a narrow interval."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tacita.core import Comparison, Floats, Run
from tacita.microdata.measure import ColumnMeasure

WIDTHS = np.arange(1, 11) / 100


class IDSd(ColumnMeasure):
    """Share of values that the released ones nearly give away: to 1 to 10 % of a standard deviation.

    Share of original values within p standard deviations of the released one, p = 1 % .. 10 % averaged.
    |x - z| <= p S_j, S_j with divisor n - 1; mean over p, records and attributes. 0: no value is pinned
    down; 100: every one is. O(n d).
    Source: Domingo-Ferrer & Torra (2001), A quantitative comparison of disclosure control methods for
    microdata, in Confidentiality, Disclosure and Data Access, North-Holland, 111-133.

    >>> IDSd().score(Comparison.of([[0.0], [1.0]], [[0.0], [9.0]])).value
    50.0
    """

    kind: ClassVar[str] = "risk"
    name: ClassVar[str] = "ID_sd"
    family: ClassVar[str] = "values pinned down"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)

    def figures(self, pair: Comparison, run: Run) -> tuple[Floats, Floats]:
        gap = np.abs(pair.original - pair.released) / pair.scale
        # how many of the ten intervals hold the value: rounding must not decide at a border
        inside = 10.0 * (WIDTHS.size - np.searchsorted(WIDTHS, gap * (1 - 1e-12)))
        return inside.mean(axis=0), inside.mean(axis=1)


class IDRank(ColumnMeasure):
    """Share of values that the released ones nearly give away: to within 1 to 10 % of the ranks.

    Share of original values between the released values p n ranks below and above, p = 1 % .. 10 %.
    With r the rank of the released value in its released column (ties share their middle rank), the
    original counts if it lies between the released order statistics of rank r - pn and r + pn (cut at the
    ends). 0: no value is pinned down; 100: every one is. O(n log n d).
    Source: Domingo-Ferrer & Torra (2001), A quantitative comparison of disclosure control methods for
    microdata, in Confidentiality, Disclosure and Data Access, North-Holland, 111-133.

    >>> IDRank().score(Comparison.of([[0.0], [1.0], [2.0]], [[0.0], [1.0], [9.0]])).value
    66.66666666666667
    """

    kind: ClassVar[str] = "risk"
    name: ClassVar[str] = "ID_rank"
    family: ClassVar[str] = "values pinned down"
    span: ClassVar[tuple[float, float | None]] = (0.0, 100.0)

    def figures(self, pair: Comparison, run: Run) -> tuple[Floats, Floats]:
        inside = np.zeros(pair.original.shape)
        for j in range(len(pair.attributes)):
            x, z = pair.original[:, j], pair.released[:, j]
            ordered = np.sort(z)
            middle = (np.searchsorted(ordered, z, "left") + np.searchsorted(ordered, z, "right") - 1) / 2
            for width in WIDTHS:
                reach = width * pair.n
                low = ordered[np.maximum(np.ceil(middle - reach), 0).astype(np.int64)]
                high = ordered[np.minimum(np.floor(middle + reach), pair.n - 1).astype(np.int64)]
                inside[:, j] += 10.0 * ((low <= x) & (x <= high))
        return inside.mean(axis=0), inside.mean(axis=1)
