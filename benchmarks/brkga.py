"""BRKGA on several threads beside one: `python -m benchmarks brkga`; THREADS="2 4" chooses how many.

Elapsed seconds of five generations with one number of groups and settled groups, on records of our own. The
groups are compared byte by byte.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

import tacita
from tacita.core import RunContext

from .measuring import Result, wall_seconds

# Records, their columns, and k.
SIZES = ((1000, 12, 5), (4000, 10, 5), (16_000, 8, 5))


def results() -> Iterator[Result]:
    """Small files first; of each every number of threads."""
    cores = os.cpu_count() or 1
    counts = [int(word) for word in os.environ.get("THREADS", "").split()] or sorted({2, cores} - {1})
    for n, columns, k in SIZES:
        x = np.random.default_rng(0).lognormal(size=(n, columns))
        made = tacita.get_method("brkga", k=k, groups=n // (k + 1), generations=5)
        alone = made.partition(x, RunContext(threads=1)).labels.tobytes()
        one = wall_seconds(lambda: made.partition(x, RunContext(threads=1)))  # noqa: B023
        for threads in counts:
            same = made.partition(x, RunContext(threads=threads)).labels.tobytes() == alone
            several = wall_seconds(lambda: made.partition(x, RunContext(threads=threads)))  # noqa: B023
            note = "same groups" if same else "OTHER GROUPS"
            yield Result(
                f"brkga {n} x {columns} k={k}, {threads} threads", several, "one thread, s", one, note
            )
