"""The measures against their plain numpy twins, and the default report as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import tacita
from tacita.core import Comparison, Partition, RunContext
from tacita.microdata.plans.sections import MeasureSection
from twins import measures as twin

from .measuring import Result, cpu_seconds, peak_megabytes, wall_seconds


def census_like(n: int, k: int = 3) -> Comparison:
    """13 skewed, correlated attributes with spikes at zero and one exact sum, grouped by MDAV."""
    rng = np.random.default_rng(0)
    factors = rng.lognormal(size=(n, 4))
    x = factors @ rng.random((4, 13)) * rng.lognormal(sigma=0.4, size=(n, 13))
    x[:, 6:9] *= rng.random((n, 3)) < 0.6
    x[:, 4] = x[:, 7] + x[:, 9]
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    labels = tacita.get_method("mdav", k=k).partition(z).labels
    return Comparison.of(x, Partition(labels, k).centroids(x)[labels])


def report(pair: Comparison, run: RunContext) -> None:
    """Everything that `tacita assess` reports unasked, from nothing remembered."""
    fresh = Comparison.of(pair.original, pair.released, pair.attributes)
    for measure in MeasureSection().build():
        measure.score(fresh, run)


def fresh_score(name: str, pair: Comparison) -> Callable[[], object]:
    """One measure on one core, nothing remembered."""
    return lambda: tacita.get_method(name).score(
        Comparison.of(pair.original, pair.released), RunContext(threads=1)
    )


def results() -> Iterator[Result]:
    """One core for the single measures, all cores for the report."""
    small = census_like(1_080)
    for name, plain in (
        ("DLD", twin.dld),
        ("DBRL", twin.dbrl),
        ("PRL", twin.prl),
        ("ID_sd", twin.id_sd),
        ("ID_rank", twin.id_rank),
        ("PIL", twin.pil),
        ("ENERGY", twin.energy),
    ):
        yield Result(
            f"{name} n=1080 d=13, CPU s",
            cpu_seconds(fresh_score(name, small)),
            "plain numpy twin",
            cpu_seconds(lambda plain=plain: plain(small.original, small.released), 1),
        )
    for n, asked in ((1_080, "under 0.5 s"), (10_000, "under 4 s")):
        pair = census_like(n)
        yield Result(
            f"default report n={n} d=13, elapsed s",
            wall_seconds(lambda pair=pair: report(pair, RunContext())),
            "",
            None,
            asked,
        )
    large = census_like(4_000)
    yield Result(
        "DBRL n=4000 d=13, CPU s",
        cpu_seconds(fresh_score("DBRL", large)),
        "plain numpy twin",
        cpu_seconds(lambda: twin.dbrl(large.original, large.released), 1),
    )
    yield Result(
        "default report n=10000 d=13, peak MB",
        peak_megabytes(lambda: report(pair, RunContext())),
        "",
        None,
        "",
    )
