"""MDAV against its plain numpy twin, how it grows, and what it holds in memory.

With $TACITA_LARGE set, a million records too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

import tacita
from twins.mdav import mdav

from .measuring import Result, cpu_seconds, peak_megabytes


def results() -> Iterator[Result]:
    """n = 10 000, d = 8, k = 3 as asked; then how time and memory grow."""
    method = tacita.get_method("mdav", k=3)
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
    sizes = {100_000: "3", **({1_000_000: "110"} if os.environ.get("TACITA_LARGE") else {})}
    for n, asked in {50_000: "", **sizes}.items():
        surveyed = survey(n)
        seconds = cpu_seconds(lambda points=surveyed: method.partition(points), 1)
        yield Result(f"MDAV n={n} d=8 k=3, skewed and correlated, CPU s", seconds, "", None, asked)


def survey(n: int, d: int = 8) -> np.ndarray:
    """Skewed, correlated made-up columns, standardised."""
    generator = np.random.default_rng(0)
    shared = generator.normal(size=(n, 3)) @ generator.normal(size=(3, d))
    x = shared + 0.5 * generator.normal(size=(n, d))
    x = np.exp(0.7 * x / x.std(axis=0))
    return (x - x.mean(axis=0)) / x.std(axis=0)
