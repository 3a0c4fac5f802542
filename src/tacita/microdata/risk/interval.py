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
            # in the order of the released values: what is looked up one after the other is at hand
            order = np.argsort(pair.released[:, j], kind="stable")
            x, z = pair.original[order, j], pair.released[order, j]
            middle = (np.searchsorted(z, z, "left") + np.searchsorted(z, z, "right") - 1) / 2
            # the released values of ranks first .. last - 1 are those that equal x, all before are lower
            first, last = np.searchsorted(z, x, "left"), np.searchsorted(z, x, "right")
            hits = np.zeros(pair.n)
            for width in WIDTHS:
                reach = width * pair.n
                low = np.maximum(np.ceil(middle - reach), 0)
                high = np.minimum(np.floor(middle + reach), pair.n - 1)
                hits += (low < last) & (high >= first)
            inside[order, j] = 10.0 * hits
        return inside.mean(axis=0), inside.mean(axis=1)
