"""The measures against their plain numpy twins."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import tacita
from tacita.core import Comparison, Run
from twins import measures as twin

from .measuring import Result, cpu_seconds


def results() -> Iterator[Result]:
    """n = 4 000, d = 13, groups of 3."""
    x = np.random.default_rng(0).lognormal(size=(4_000, 13))
    groups = tacita.method("mdav", k=3).partition(x)
    pair = Comparison.of(x, groups.centroids(x)[groups.labels])
    for name, plain in (("IL1", twin.il1), ("IL2", twin.il2), ("DLD", twin.dld)):
        measure = tacita.method(name)
        yield Result(
            f"{name} n=4000 d=13, CPU s",
            cpu_seconds(lambda measure=measure: measure.score(pair, Run(threads=1))),
            "plain numpy twin",
            cpu_seconds(lambda plain=plain: plain(pair.original, pair.released), 1),
        )
