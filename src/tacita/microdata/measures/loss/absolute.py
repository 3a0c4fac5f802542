"""Loss as absolute error."""

from __future__ import annotations

from math import sqrt
from typing import ClassVar

import numpy as np

from tacita.core import Floats
from tacita.microdata.measures.measure import CellMeasure


class IL2(CellMeasure):
    """How far a value was moved on average, against how far two records usually differ.

    Mean absolute change of a cell in units of sqrt(2) standard deviations of its column, in percent.
    100/(n d) * sum |x - z| / (sqrt(2) S_j), S_j with divisor n - 1; columns without spread are left out.
    0: nothing lost; no upper bound. O(n d).
    Source: the IL1s of Yancey, Winkler & Creecy (2002), Lecture Notes in Computer Science 2316, 135-152.

    >>> from tacita.core import Comparison
    >>> round(IL2().score(Comparison.of([[0.0], [2.0]], [[1.0], [1.0]])).value, 6)
    50.0
    """

    kind: ClassVar[str] = "loss"
    name: ClassVar[str] = "IL2"
    family: ClassVar[str] = "changed values"

    def cells(self, gap: Floats) -> Floats:
        return 100 * np.abs(gap) / sqrt(2)
