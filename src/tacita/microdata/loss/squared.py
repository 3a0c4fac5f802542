"""Loss as squared error."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tacita.core import Comparison, Method, Run, Score


class IL1(Method):
    """Share of the squared spread that is lost: 100 SSE / SST on standardised columns.

    SSE sums the squared differences between original and released values, SST those between original
    values and their column mean; columns without spread count for nothing. 0: nothing lost; 100: as
    if every record were the mean; noise can go beyond. O(n d).
    Source: Domingo-Ferrer & Mateo-Sanz (2002), doi:10.1109/69.979982.

    >>> IL1().score(Comparison.of([[0.0], [1.0], [9.0], [10.0]], [[0.5], [0.5], [9.5], [9.5]])).value
    1.2195121951219512
    """

    kind: ClassVar[str] = "loss"

    def score(self, pair: Comparison, run: Run | None = None) -> Score:
        """Measure one release."""
        scale = pair.scale
        spread = scale > 0
        if not spread.any():
            return Score(name="IL1", value=None, reason="no original column varies, there is nothing to lose")
        difference = ((pair.original - pair.released)[:, spread] / scale[spread]) ** 2
        # a standardised column has SST n - 1
        per_column = 100 * difference.sum(axis=0) / (pair.n - 1)
        names = [name for name, varies in zip(pair.attributes, spread, strict=True) if varies]
        return Score(
            name="IL1",
            value=float(per_column.mean()),
            per_attribute=dict(zip(names, per_column.tolist(), strict=True)),
            per_record=np.asarray(difference.sum(axis=1)),
        )
