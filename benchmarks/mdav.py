"""MDAV against its plain numpy twin, and what it holds in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import tacita
from twins.mdav import mdav

from .measuring import Result, cpu_seconds, peak_megabytes


def results() -> Iterator[Result]:
    """n = 10 000, d = 8, k = 3 as asked; then how time and memory grow."""
    method = tacita.method("mdav", k=3)
    x = np.random.default_rng(0).normal(size=(10_000, 8))
    yield Result(
        "MDAV n=10000 d=8 k=3, CPU s",
        cpu_seconds(lambda: method.partition(x), 5),
        "plain numpy twin",
        cpu_seconds(lambda: mdav(x, 3), 1),
        "ratio >= 5, aim 0.15 s",
    )
    for n in (10_000, 40_000):
        larger = np.random.default_rng(0).normal(size=(n, 8))
        yield Result(
            f"MDAV n={n} d=8 k=3, peak MB",
            peak_megabytes(lambda points=larger: method.partition(points)),
            "the data itself",
            larger.nbytes / 1e6,
            "O(n d)",
        )
    seconds = cpu_seconds(lambda: method.partition(larger), 1)
    yield Result("MDAV n=40000 d=8 k=3, CPU s", seconds, "", None, "O(n^2 d / k)")
