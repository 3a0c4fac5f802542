"""Loss as squared error."""

from __future__ import annotations

from typing import ClassVar

from tacita.core import Floats
from tacita.microdata.measures.measure import CellMeasure


class IL1(CellMeasure):
    """Share of the spread of the values that the release no longer shows.

    Share of the squared spread that is lost: 100 SSE / SST on standardised columns.
    SSE sums the squared differences between original and released values, SST those between original
    values and their column mean; columns without spread count for nothing. 0: nothing lost; 100: as
    if every record were the mean; noise can go beyond. O(n d).
    Source: Domingo-Ferrer & Mateo-Sanz (2002), IEEE Trans. Knowledge and Data Engineering 14(1), 189-201.

    >>> from tacita.core import Comparison
    >>> pair = Comparison.of([[0.0], [1.0], [9.0], [10.0]], [[0.5], [0.5], [9.5], [9.5]])
    >>> round(IL1().score(pair).value, 4)
    1.2195
    """

    kind: ClassVar[str] = "loss"
    name: ClassVar[str] = "IL1"
    family: ClassVar[str] = "changed values"
    headline: ClassVar[bool] = True

    def cells(self, gap: Floats) -> Floats:
        return 100 * gap**2

    def mean(self, total: Floats, n: int) -> Floats:
        # a standardised column has SST n - 1
        return total / (n - 1)
