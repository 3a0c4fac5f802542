"""The default report at 100 000 records. Only when named: it takes a few minutes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import tacita
from tacita.core import Comparison, RunContext

from .measures import census_like, report
from .measuring import Result, peak_megabytes, wall_seconds


def results() -> Iterator[Result]:
    """Groups of 3 by MDAV, and noise of a tenth of the spread, which leaves most records linkable."""
    grouped = census_like(100_000)
    noise = np.random.default_rng(1).normal(size=grouped.original.shape) * grouped.scale / 10
    for what, pair in (
        ("groups of 3", grouped),
        ("noise", Comparison.of(grouped.original, grouped.original + noise)),
    ):
        for name in ("DBRL", "PRL", "ID_sd", "PIL"):
            score = tacita.get_method(name).score(Comparison.of(pair.original, pair.released), RunContext())
            seconds = wall_seconds(
                lambda name=name, pair=pair: tacita.get_method(name).score(
                    Comparison.of(pair.original, pair.released), RunContext()
                ),
                1,
            )
            error = "" if score.error is None else f"figure {score.value:.2f} +- {score.error:.2f}"
            asked = "under 30 s" if name == "DBRL" else error
            yield Result(f"{name} n=100000 d=13, {what}, elapsed s", seconds, "", None, asked)
        seconds = wall_seconds(lambda pair=pair: report(pair, RunContext()), 1)
        yield Result(f"default report n=100000 d=13, {what}, elapsed s", seconds, "", None, "under 180 s")
    peak = peak_megabytes(lambda: report(grouped, RunContext()))
    yield Result("default report n=100000 d=13, peak MB", peak, "", None, "under 2000 MB")
