"""Two ways to hold k in k-means and h-means, and their order, over 216 data sets of our own making.

Document 000 used 216 synthetic sets of Panagiotakis & Tziritas that are not available; these are ours: six
sizes, six dimensions, six numbers of clusters, drawn from a seed that is their place in the list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from experiments.document import Cell, table
from experiments.files import Matrix
from experiments.printed.dfo import HM_FIRST
from tacita.core import Floats, RunContext
from tacita.microdata.methods.microaggregation.reassignment import (
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


def cases(quick: bool, run: RunContext) -> Iterator[Case]:
    """Every set, k and number of groups: one random start, all variants from it."""
    within = RunContext(threads=1, should_cancel=run.should_cancel)
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


@dataclass(frozen=True)
class Pair:
    """Shares of the starts, in percent, in which one variant is better, both agree, the other is better."""

    first: str
    second: str
    first_better: float
    equal: float
    second_better: float


@dataclass(frozen=True)
class Standing:
    """How often a variant is the best of all (ties count for each), and how far above the best on average."""

    variant: str
    best: float
    above_best: float


@dataclass(frozen=True)
class Shares:
    """All starts in a few figures, in percent."""

    starts: int
    pairs: tuple[Pair, ...]
    variants: tuple[Standing, ...]

    def pair(self, first: str, second: str) -> Pair:
        """One of the pairs."""
        return next(pair for pair in self.pairs if (pair.first, pair.second) == (first, second))

    @classmethod
    def of(cls, found: Sequence[Case]) -> Shares:
        """The shares of some cases."""
        least = np.array([min(case.errors.values()) for case in found])
        errors = {name: np.array([case.errors[name] for case in found]) for name in VARIANTS}
        variants = tuple(
            Standing(
                name,
                100 * float(np.mean(own <= least * (1 + 1e-9))),
                100 * float(np.mean(own / least - 1)),
            )
            for name, own in errors.items()
        )
        pairs = tuple(_pair(one, other, errors[one], errors[other]) for one, other in _CLAIMS)
        return cls(len(found), pairs, variants)

    @classmethod
    def from_numbers(cls, numbers: Mapping[str, Any]) -> Shares:
        """What `dataclasses.asdict` made of them."""
        return cls(
            numbers["starts"],
            tuple(Pair(**each) for each in numbers["pairs"]),
            tuple(Standing(**each) for each in numbers["variants"]),
        )


def _pair(first: str, second: str, a: Floats, b: Floats) -> Pair:
    same = np.abs(a - b) <= 1e-9 * np.maximum(a, b)
    shares = ((a < b) & ~same, same, (a > b) & ~same)
    return Pair(first, second, *(float(100 * share.mean()) for share in shares))


# pairs of variants, and what document 000 says of them
_CLAIMS: dict[tuple[str, str], str | None] = {
    ("k-means II", "k-means I"): "II nearly always",
    ("h-means II", "h-means I"): "II nearly always",
    ("h then k, II", "h then k, I"): None,
    ("h then k, II", "k then h, II"): f"h then k in about {HM_FIRST} %",
    ("h then k, I", "k then h, I"): None,
    ("h then k, II", "h-means II"): None,
    ("k then h, II", "k-means II"): None,
}


def section(found: Shares) -> str:
    """Pairs of variants, and how often each is the best of all."""
    rows = [
        [
            pair.first,
            pair.second,
            *(f"{share:.1f} %" for share in (pair.first_better, pair.equal, pair.second_better)),
            _CLAIMS[pair.first, pair.second],
        ]
        for pair in found.pairs
    ]
    head = ["first", "second", "first better", "equal", "second better", "the document claims"]
    best: list[list[Cell]] = [[one.variant, f"{one.best:.1f} %", one.above_best] for one in found.variants]
    return "\n\n".join(
        [
            table(head, rows),
            "Share of starts in which each variant is the best of the eight (ties count for all), and its "
            "mean excess over the best:",
            table(["variant", "best", "above the best, mean %"], best),
        ]
    )


def summary(found: Shares) -> str:
    """What the counts say about the two claims of the document."""
    second = [found.pair(f"{name} II", f"{name} I") for name in ("k-means", "h-means")]
    order = found.pair("h then k, II", "k then h, II")
    by_k, by_h = (pair.first_better + pair.equal for pair in second)
    return (
        f"{found.starts} starts. Strategy II is at least as good as I in {by_k:.1f} % of them with k-means "
        f"and in {by_h:.1f} % with h-means (the document: nearly 100 %). h-means before k-means is strictly "
        f"better in {order.first_better:.1f} % of the starts and at least as good in "
        f"{order.first_better + order.equal:.1f} % (the document: about {HM_FIRST} %)."
    )


def namings(found: Shares) -> str:
    """Both orders by both namings, the share of starts in which each is best, and what is not known."""
    best = {one.variant: one.best for one in found.variants}
    pair = found.pair("h then k, II", "k then h, II")
    rows: list[list[Cell]] = [
        [
            "single relocations, then batch",
            "h-means, then k-means: HM+KM",
            "K-means, then H-means",
            '`first = "h-means"` (default)',
            f"{best['h then k, II']:.1f} %",
            f"{pair.first_better:.1f} %",
        ],
        [
            "batch, then single relocations",
            "k-means, then h-means",
            "H-means, then K-means: HM+KM",
            '`first = "k-means"`',
            f"{best['k then h, II']:.1f} %",
            f"{pair.second_better:.1f} %",
        ],
    ]
    head = ["order", "in the document's words", "in the words of the literature it cites", "`hmkm`"]
    return "\n\n".join(
        [
            table([*head, "best of the eight", "strictly better than the other"], rows),
            "Known: section 2 of the document describes k-means as moving all records to their nearest "
            "centroids and h-means as the best single relocation at a time; section 4 reports that h-means "
            f"followed by k-means is the best order in almost {HM_FIRST} % of its cases. Read so, this order "
            f"is best in {best['h then k, II']:.1f} % of ours, and the other order in "
            f"{best['k then h, II']:.1f} %. Known from summaries only: in Hansen & Mladenović (2001), which "
            "the document cites, H-means may end with empty groups, which is possible when all records move "
            "at once and impossible with best single relocations; there H-means is the batch method. A "
            "hypothesis: the program of the document used those names while its text exchanges them. Its "
            "HM+KM would then be our second row, with nearly the same share "
            f"({best['k then h, II']:.1f} %). Nothing else in the document decides between the two, and its "
            "216 sets are not available.",
        ]
    )
