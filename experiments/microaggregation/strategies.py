"""Two ways to hold k in k-means and h-means, and their order, over 216 data sets of our own making.

The source used 216 synthetic sets of Panagiotakis & Tziritas that are not available; these are ours: six
sizes, six dimensions, six numbers of clusters, drawn from a seed that is their place in the list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from experiments.document import Cell, table
from experiments.files import Matrix
from tacita.core import Run
from tacita.microdata.microaggregation.means import (
    By,
    fill_short,
    improve_once,
    nearest_centres,
    squared_error,
)

RECORDS = (60, 120, 200, 300, 450, 700)
DIMENSIONS = (2, 3, 4, 6, 8, 12)
CLUSTERS = (1, 2, 4, 8, 16, 32)
GROUP_SIZES = (3, 5, 10)
# Numbers of groups tried for each set and k, evenly from ceil(n/(2k-1)) to floor(n/k).
COUNTS = 3

H: By = "records"
K: By = "centres"
VARIANTS: dict[str, tuple[tuple[By, ...], bool]] = {
    "h-means I": ((H,), False),
    "h-means II": ((H,), True),
    "k-means I": ((K,), False),
    "k-means II": ((K,), True),
    "h then k, I": ((H, K), False),
    "h then k, II": ((H, K), True),
    "k then h, I": ((K, H), False),
    "k then h, II": ((K, H), True),
}


@dataclass(frozen=True)
class Case:
    """All variants from one random start."""

    records: int
    dimensions: int
    clusters: int
    k: int
    groups: int
    errors: dict[str, float]


def synthetic(records: int, dimensions: int, clusters: int) -> Matrix:
    """A mixture of normal clouds with centres in a cube of side 10 and deviations from 0.5 to 1.5.

    >>> synthetic(60, 2, 4).shape
    (60, 2)
    """
    generator = np.random.default_rng([records, dimensions, clusters])
    centres = generator.uniform(0, 10, (clusters, dimensions))
    spread = generator.uniform(0.5, 1.5, clusters)
    member = generator.integers(clusters, size=records)
    noise = generator.standard_normal((records, dimensions))
    x: Matrix = centres[member] + spread[member, None] * noise
    return np.ascontiguousarray((x - x.mean(axis=0)) / x.std(axis=0, ddof=1))


def sets(quick: bool) -> list[tuple[int, int, int]]:
    """All 216 settings, or the 8 smallest."""
    part = 2 if quick else 6
    return list(product(RECORDS[:part], DIMENSIONS[:part], CLUSTERS[:part]))


def cases(quick: bool, run: Run) -> Iterator[Case]:
    """Every set, k and number of groups: one random start, all variants from it."""
    within = Run(threads=1, cancelled=run.cancelled)
    settings = sets(quick)
    for done, setting in enumerate(settings):
        run.report("strategies over synthetic sets", done, len(settings))
        x = synthetic(*setting)
        n = len(x)
        generator = np.random.default_rng([n, done])
        for k in GROUP_SIZES:
            for groups in np.unique(np.linspace(-(-n // (2 * k - 1)), n // k, COUNTS).astype(int)).tolist():
                centres = x[generator.choice(n, groups, replace=False)]
                start = fill_short(x, nearest_centres(x, centres, 1)[:, 0], groups, k)
                errors = {}
                for name, (passes, free) in VARIANTS.items():
                    labels = start
                    for by in passes:
                        labels = improve_once(x, labels, k, by, free, within)
                    errors[name] = squared_error(x, labels)
                yield Case(*setting, k, groups, errors)


def _share(found: Sequence[Case], one: str, other: str) -> tuple[float, float, float]:
    """In which share of cases one is better, they agree, the other is better."""
    a = np.array([case.errors[one] for case in found])
    b = np.array([case.errors[other] for case in found])
    same = np.abs(a - b) <= 1e-9 * np.maximum(a, b)
    first, equal, second = (float(100 * share.mean()) for share in ((a < b) & ~same, same, (a > b) & ~same))
    return first, equal, second


_PAIRS = (
    ("k-means II", "k-means I", "II nearly always"),
    ("h-means II", "h-means I", "II nearly always"),
    ("h then k, II", "h then k, I", None),
    ("h then k, II", "k then h, II", "h then k in about 60 %"),
    ("h then k, I", "k then h, I", None),
    ("h then k, II", "h-means II", None),
    ("k then h, II", "k-means II", None),
)


def section(found: Sequence[Case]) -> str:
    """Pairs of variants, and how often each is the best of all."""
    rows = [
        [one, other, *(f"{share:.1f} %" for share in _share(found, one, other)), claim]
        for one, other, claim in _PAIRS
    ]
    head = ["first", "second", "first better", "equal", "second better", "the source claims"]
    least = np.array([min(case.errors.values()) for case in found])
    best: list[list[Cell]] = [
        [
            name,
            f"{100 * float(np.mean([case.errors[name] for case in found] <= least * (1 + 1e-9))):.1f} %",
            100 * float(np.mean([case.errors[name] for case in found] / least - 1)),
        ]
        for name in VARIANTS
    ]
    return "\n\n".join(
        [
            table(head, rows),
            "How often each is the best of the eight (ties count for all), and how far it is above the best "
            "on average:",
            table(["variant", "best", "above the best, mean %"], best),
        ]
    )


def summary(found: Sequence[Case]) -> str:
    """What the counts say about the two claims of the source."""
    second = [_share(found, f"{name} II", f"{name} I") for name in ("k-means", "h-means")]
    order = _share(found, "h then k, II", "k then h, II")
    by_k, by_h = (better + same for better, same, _ in second)
    return (
        f"{len(found)} starts. Strategy II is at least as good as I in {by_k:.1f} % of them with k-means and "
        f"in {by_h:.1f} % with h-means (the source: nearly 100 %). h-means before k-means is strictly better "
        f"in {order[0]:.1f} % of the starts and at least as good in {order[0] + order[1]:.1f} % (the source: "
        "about 60 %)."
    )
