"""Who is nearest, on a graphics card: all pairs, and the shares of the search on the processor."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

# Candidates that are looked at together, so many numbers of them; threads of a block.
_NUMBERS = 2048
THREADS = 128
# Queries between two looks at the clock.
QUERIES = 2**17


@cache
def _kernel(d: int) -> Any:
    import cupy

    source = Path(__file__).with_suffix(".cu").read_text(encoding="utf-8")
    width = max(32, _NUMBERS // d)
    # no fused multiply-add: distances are to the last bit those of the processor
    options = ("--std=c++17", "--fmad=false", f"-DD={d}", f"-DWIDTH={width}")
    return cupy.RawKernel(source, "own_is_nearest", options=options)


class Candidates:
    """Distinct candidates on the card, and how often each stands there."""

    def __init__(self, candidates: Any, repeats: Any, weights: Any, nominal: Any, gower: bool) -> None:
        import cupy as cp

        self._rows = cp.asarray(np.ascontiguousarray(candidates))
        self._repeats = cp.asarray(np.ascontiguousarray(repeats, dtype=np.int64))
        self._weights, self._nominal = cp.asarray(weights), cp.asarray(nominal)
        self._gower = gower

    def own_is_nearest(self, queries: Any, own: Any) -> Any:
        """For each query 1/t if its own candidate is among the t nearest, else 0. O(n m d)."""
        import cupy as cp

        n, d = queries.shape
        out = cp.empty(n)
        arguments = (
            cp.asarray(np.ascontiguousarray(queries)),
            np.int64(n),
            self._rows,
            np.int64(len(self._rows)),
            self._repeats,
            cp.asarray(np.ascontiguousarray(own, dtype=np.int64)),
            self._weights,
            self._nominal,
            np.bool_(self._gower),
            out,
        )
        _kernel(d)(((n + THREADS - 1) // THREADS,), (THREADS,), arguments)
        return cp.asnumpy(out)
