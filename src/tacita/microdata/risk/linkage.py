"""Risk that a released record is linked back to the one it came from."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tacita.core import Comparison, Method, Run, Score


class DLD(Method):
    """Share of released records whose nearest original record is their own.

    Both standardised by the original's mean and standard deviation; Euclidean distance over all
    protected attributes; t originals at the same least distance share 1/t each. The attacker knows all
    n original records. 0: nobody is found; 1: everybody is. O(n^2 d) at worst, far less where records
    are well mixed: a record is done with at the first stranger nearer than its own.
    Source: Domingo-Ferrer & Torra (2001), "A quantitative comparison of disclosure control methods".

    >>> DLD().score(Comparison.of([[0.0], [1.0], [9.0]], [[0.1], [8.0], [9.2]])).value
    0.6666666666666666
    """

    kind: ClassVar[str] = "risk"

    def score(self, pair: Comparison, run: Run | None = None) -> Score:
        """Measure one release."""
        from tacita.kernels.linkage import own_is_nearest

        run = run or Run()
        scale = pair.scale
        spread = scale > 0
        if not spread.any():
            return Score(
                name="DLD", value=None, unit="", reason="no original column varies, all records are alike"
            )
        centre = pair.original[:, spread].mean(axis=0)
        original = np.ascontiguousarray((pair.original[:, spread] - centre) / scale[spread])
        released = np.ascontiguousarray((pair.released[:, spread] - centre) / scale[spread])

        def block(start: int, stop: int) -> np.ndarray:
            linked = np.empty(stop - start)
            own_is_nearest(released, original, start, stop, linked)
            return linked

        found = np.concatenate(list(run.map_blocks("linking records", pair.n, block)))
        return Score(name="DLD", value=float(found.mean()), span=(0.0, 1.0), unit="", per_record=found)
