"""Printed losses that no partition into groups of k seems able to reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.document import Cell, table
from experiments.files import SPOKEN, Matrix
from experiments.published import BRKGA
from tacita.core import RunContext
from tacita.microdata.methods.microaggregation.certificate import instant_bound

from .losses import Loss

_SEED = 1


@dataclass(frozen=True)
class Ceiling:
    """The best means found with as many groups as k allows, of any size; what is proven of groups of k."""

    file: str
    k: int
    groups: int
    unconstrained: float
    proven: float
    published: float


def ceilings(
    data: Mapping[str, Matrix], sizes: Sequence[int], starts: int, run: RunContext
) -> Iterator[Ceiling]:
    """k-means without any constraint of size, floor(n/k) groups, the best of many starts."""
    from sklearn.cluster import KMeans

    cases = [(file, k) for file in data if file in BRKGA for k in sizes]
    for done, (file, k) in enumerate(cases):
        run.report("means without a constraint", done, len(cases))
        z = data[file]
        groups = len(z) // k
        found = KMeans(groups, n_init=starts, random_state=_SEED).fit(z).inertia_
        total = float((np.asarray(z) ** 2).sum())
        proven = 100 * instant_bound(z, k, RunContext(should_cancel=run.should_cancel)) / total
        yield Ceiling(file, k, groups, 100 * float(found) / total, proven, BRKGA[file][k])


def section(found: Sequence[Ceiling], losses: Sequence[Loss]) -> str:
    """The printed figure, what is possible without the constraint, and the best of ours with it."""
    rows: list[list[Cell]] = []
    for one in found:
        ours = [each for each in losses if (each.file, each.k) == (one.file, one.k)]
        best = min(ours, key=lambda each: each.ours)
        free = "below the free means" if one.published < one.unconstrained else "open"
        verdict = "impossible: proven" if one.published < one.proven else free
        rows.append(
            [
                SPOKEN[one.file],
                one.k,
                one.groups,
                one.published,
                one.unconstrained,
                one.proven,
                verdict,
                f"{best.ours:.3f} ({best.label})",
            ]
        )
    head = ["file", "k", "groups at most", "printed for BRKGA", "free means found"]
    return table([*head, "proven least", "the printed figure is", "best of ours that holds k"], rows)
