"""Loss as absolute error."""

from __future__ import annotations

from math import sqrt
from typing import ClassVar

import numpy as np

from tacita.core import Comparison, Method, Run, Score


class IL2(Method):
    """Mean absolute change of a cell in units of sqrt(2) standard deviations of its column, in percent.

    100/(n d) * sum |x - z| / (sqrt(2) S_j), S_j with divisor n - 1; columns without spread are left out.
    0: nothing lost; no upper bound. O(n d).
    Source: the IL1s of Yancey, Winkler & Creecy (2002), doi:10.1007/3-540-47804-3_11.

    >>> IL2().score(Comparison.of([[0.0], [2.0]], [[1.0], [1.0]])).value
    49.99999999999999
    """

    kind: ClassVar[str] = "loss"

    def score(self, pair: Comparison, run: Run | None = None) -> Score:
        """Measure one release."""
        scale = pair.scale
        spread = scale > 0
        if not spread.any():
            return Score(name="IL2", value=None, reason="no original column varies, there is nothing to lose")
        change = np.abs(pair.original - pair.released)[:, spread] / (sqrt(2) * scale[spread])
        per_column = 100 * change.mean(axis=0)
        names = [name for name, varies in zip(pair.attributes, spread, strict=True) if varies]
        return Score(
            name="IL2",
            value=float(per_column.mean()),
            per_attribute=dict(zip(names, per_column.tolist(), strict=True)),
            per_record=np.asarray(100 * change.mean(axis=1)),
        )
