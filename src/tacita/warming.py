"""Compiling everything once, before somebody waits for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from .core import Comparison, Microdata, Roles, Run, Table, registry
from .core.score import Files

_X = np.arange(24.0).reshape(-1, 1) % 7


def warmup(run: Run | None = None) -> None:
    """Run every built-in method and measure once on a few records or cells, which compiles their kernels."""
    steps = [(kind, name) for kind, names in registry.BUILT_IN.items() for name in names]
    for done, (kind, name) in enumerate(steps):
        if kind in _WARM:
            _WARM[kind](registry.lookup(name, kind)())
        (run or Run()).report("compiling", done + 1, len(steps))


def _grouping(method: Any) -> None:
    method.partition(_X)
    method.partition(_X, units=np.arange(24))


def _masking(method: Any) -> None:
    method.mask(_X)
    method.mask(_X, units=np.arange(24))


def _synthesis(method: Any) -> None:
    method.synthesize(_X, None)


def _measure(method: Any) -> None:
    method.score(Comparison.of(_X, _X[::-1]))
    if getattr(method, "of_files", False):
        gaps = [None if value == 3 else str(value) for value in _X[:, 0]]
        roles = Roles(quasi=["x", "y"], unit="unit")
        data = Microdata.of(pa.table({"x": gaps, "y": gaps[::-1], "unit": list(range(24))})).with_roles(roles)
        for reading in ("category", "wildcard"):
            given = {"missing_as": reading} if "missing_as" in type(method).model_fields else {}
            type(method)(**given).score(Comparison.of_files(Files.unprotected(data)))


def _suppression(method: Any) -> None:
    values = np.arange(1.0, 17.0).reshape(4, 4) % 7 + 1
    table = Table.from_array(values, primary=np.eye(4, dtype=bool), lower=15, upper=15)
    for problem in method.problems:
        method.suppress(table, problem)


_WARM: dict[str, Callable[[Any], None]] = {
    "microaggregation": _grouping,
    "masking": _masking,
    "synthesis": _synthesis,
    "suppression": _suppression,
    **dict.fromkeys(registry.MEASURING, _measure),
}
