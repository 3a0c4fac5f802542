"""Choosing k: loss and risk over many k from one tour (FDM)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from experiments.document import table
from experiments.files import Matrix, loss, standardised
from tacita import registry
from tacita.core import Comparison, Partition, RunContext
from tacita.microdata.methods.microaggregation.mhm import partitions_for

SIZES = (3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50)
MEASURES = ("PIL", "DBRL", "DR", "SCORE")


@dataclass(frozen=True)
class Choice:
    """What one k costs and how safe it is."""

    k: int
    loss: float
    scores: dict[str, float]


def choices(x: Matrix, sizes: Sequence[int], run: RunContext) -> Iterator[Choice]:
    """One tour, cut for every k; each release measured."""
    z = standardised(x)
    labels = partitions_for(z, sizes, run)
    for done, (k, found) in enumerate(labels.items()):
        run.report("loss and risk over k", done, len(labels))
        partition = Partition(found, k)
        pair = Comparison.of(x, partition.centroids(x)[partition.labels])
        scores = {name: _score(name, pair, run) for name in MEASURES}
        yield Choice(k, loss(z, partition), scores)


def _score(name: str, pair: Comparison, run: RunContext) -> float:
    measure: Any = registry.lookup(name)
    return float(measure().score(pair, run).value)


def section(found: Sequence[Choice]) -> str:
    """One row a k; the least SCORE is marked."""
    best = min(found, key=lambda one: one.scores["SCORE"])
    rows = [
        [one.k, one.loss, *(one.scores[name] for name in MEASURES), "least SCORE" if one is best else ""]
        for one in found
    ]
    return table(["k", "IL1", *MEASURES, ""], rows)
