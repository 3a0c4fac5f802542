"""Risk that a released record is linked back to the one it came from."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tacita.core import Comparison, Run
from tacita.microdata.measure import Measure


class DLD(Measure):
    """Share of released records whose nearest original record is their own.

    Euclidean distance over all protected attributes, each divided by the original's standard deviation;
    t originals at the same least distance (to 9 digits) share 1/t each. The attacker knows all
    n original records. 0: nobody is found; 1: everybody is. O(n^2 d) at worst, far less where records
    are well mixed: a record is done with at the first stranger nearer than its own.
    Source: Domingo-Ferrer & Torra (2001), A quantitative comparison of disclosure control methods for
    microdata, in Confidentiality, Disclosure and Data Access, North-Holland, 111-133.

    >>> round(DLD().score(Comparison.of([[0.0], [1.0], [9.0]], [[0.1], [8.0], [9.2]])).value, 4)
    0.6667
    """

    kind: ClassVar[str] = "risk"
    span: ClassVar[tuple[float, float | None]] = (0.0, 1.0)
    unit: ClassVar[str] = ""

    def figures(self, pair: Comparison, run: Run) -> tuple[None, npt.NDArray[np.float64]]:
        from tacita.kernels.linkage import own_is_nearest

        weights = 1 / pair.scale**2

        def block(start: int, stop: int) -> npt.NDArray[np.float64]:
            linked = np.empty(stop - start)
            own_is_nearest(pair.released, pair.original, weights, start, stop, linked)
            return linked

        return None, np.concatenate(list(run.map_blocks("linking records", pair.n, block)))
