"""Document 001's medoids without repair: groups below k, to see what its printed losses can be of.

An experiment alone: the groups are of any size, and nothing here makes a release.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from experiments.document import Cell, table
from experiments.files import SPOKEN, Matrix, loss, partition
from experiments.printed import kmedoids
from tacita.core import Labels, Partition, RunContext
from tacita.microdata.methods.microaggregation.brkga import BRKGA, Search
from tacita.microdata.methods.microaggregation.neighbours import neighbours

from .losses import Loss

Fitness = Literal["group", "overall"]
FITNESS: tuple[Fitness, ...] = ("group", "overall")
# Numbers of groups tried for each k, evenly over the interval from n/(2k-1) to n/k.
COUNTS = 3
# Where the document's losses lie below those of methods that hold k.
LARGE = (25, 50, 100)
_LISTED = 256
_SEED = 1
# Of no effect on one decoding: the least k that a method may have.
_ANY = 2


@dataclass(frozen=True)
class Unrepaired:
    """Medoids of the least fitness found, and the groups around them, of any size."""

    file: str
    k: int
    fitness: str
    groups: int
    objective: float
    around_means: float
    around_medoids: float
    short: int


class _FreeMedoids(BRKGA):
    """The document's search for c medoids: as printed, without paths, an early end, or any repair.

    It keeps labels that hold no k, and is no method: groups of it cannot become a `Partition` of k.
    """

    def _decode(self, keys: Matrix, c: int, search: Search) -> tuple[np.ndarray, Matrix]:
        from tacita.kernels.records.genetic_ops import decode_medoids

        medoids = np.sort(np.argpartition(keys, c - 1, axis=1)[:, :c], axis=1)
        fitness, labels = np.empty(len(keys)), np.empty(keys.shape, dtype=np.int64)
        # with k = 1 no group lacks anything
        decode_medoids(
            search.x, search.near, search.gaps, medoids, 1, self.fitness == "group", fitness, labels
        )
        return medoids, fitness

    def _settle(self, keys: Matrix, medoids: np.ndarray, search: Search) -> float:
        search.best = medoids[0]
        return 0.0


def free_medoids(x: Matrix, c: int, fitness: Fitness, run: RunContext) -> tuple[Labels, Labels]:
    """c medoids by the document's search, and the group of every record: that of its nearest medoid."""
    near, gaps = neighbours(x, min(_LISTED, len(x) - 1), run)
    return _found(x, near, gaps, c, fitness, run)


def _found(
    x: Matrix, near: np.ndarray, gaps: Matrix, c: int, fitness: Fitness, run: RunContext
) -> tuple[Labels, Labels]:
    method = _FreeMedoids(k=_ANY, fitness=fitness, relink=False, patience=100)
    rng = np.random.default_rng([_SEED, c])
    search = Search(
        x=x, near=near, gaps=gaps, rng=rng, run=run.silent(), least=0.0, total=10**9, deadline=np.inf
    )
    method._evolve(c, search)
    medoids = search.best
    away = np.column_stack([((x - x[medoid]) ** 2).sum(axis=1) for medoid in medoids])
    labels = away.argmin(axis=1)
    labels[medoids] = np.arange(c)
    return medoids, labels


def cases(data: Mapping[str, Matrix], sizes: Sequence[int], run: RunContext) -> Iterator[Unrepaired]:
    """Some numbers of groups of the interval of every k, both ways to average distances."""
    wanted = [(file, k) for file in data if file in kmedoids.TABLE_2 for k in sizes]
    lists = {}
    for done, (file, k) in enumerate(wanted):
        run.report("medoids without repair", done, len(wanted))
        x = data[file]
        if file not in lists:
            lists[file] = neighbours(x, min(_LISTED, len(x) - 1), run.silent())
        for c in np.unique(np.linspace(-(-len(x) // (2 * k - 1)), len(x) // k, COUNTS).astype(int)).tolist():
            for fitness in FITNESS:
                medoids, labels = _found(x, *lists[file], c, fitness, run)
                yield _measured(file, k, fitness, x, medoids, labels)


def _measured(file: str, k: int, fitness: str, x: Matrix, medoids: Labels, labels: Labels) -> Unrepaired:
    away = ((x - x[medoids][labels]) ** 2).sum(axis=1)
    sizes = np.bincount(labels)
    by_group = np.bincount(labels, weights=np.sqrt(away)) / sizes
    objective = by_group.mean() if fitness == "group" else np.sqrt(away).mean()
    return Unrepaired(
        file,
        k,
        fitness,
        len(medoids),
        float(objective),
        loss(x, Partition(labels, 1)),
        100 * float(away.sum()) / float(((x - x.mean(axis=0)) ** 2).sum()),
        int((sizes < k).sum()),
    )


def every_number(data: Mapping[str, Matrix], sizes: Sequence[int], run: RunContext) -> Iterator[Loss]:
    """`brkga` as released, groups of at least k, with every number of groups of the interval tried."""
    settings: dict[str, Any] = {"polish": False, "search": "all"}
    wanted = [(file, k) for file in data if file in kmedoids.TABLE_2 for k in sizes]
    for done, (file, k) in enumerate(wanted):
        run.report("medoids of every number", done, len(wanted))
        found, took = partition(
            "brkga", k, data[file], RunContext(threads=1, should_cancel=run.should_cancel), **settings
        )
        printed = kmedoids.TABLE_1["brkga"][file][k]
        yield Loss("brkga", file, k, loss(data[file], found), printed, took, len(found), settings)


def section(found: Sequence[Unrepaired], held: Sequence[Loss], losses: Sequence[Loss]) -> str:
    """The printed losses between those with repair and those without."""
    golden = {(one.file, one.k): one.ours for one in losses if _is_plain(one)}
    every = {(one.file, one.k): one.ours for one in held}
    rows: list[list[Cell]] = []
    for file, k in dict.fromkeys((one.file, one.k) for one in found):
        row: list[Cell] = [SPOKEN[file], k, kmedoids.TABLE_1["brkga"][file][k]]
        row += [golden.get((file, k)), every.get((file, k))]
        for fitness in FITNESS:
            here = [one for one in found if (one.file, one.k, one.fitness) == (file, k, fitness)]
            row.append(_span([one.around_means for one in here]))
            row.append(_span([one.around_medoids for one in here]))
            row.append(_share(here))
        rows.append(row)
    head = ["file", "k", "printed", "k held, golden section", "k held, every number"]
    for words in ("over groups", "over records"):
        head += [f"mean {words}: around means", "around medoids", "groups below k"]
    return table(head, rows)


def _is_plain(one: Loss) -> bool:
    return one.method == "brkga" and one.settings == {"polish": False}


def _span(values: Sequence[float]) -> str:
    return f"{min(values):.1f} to {max(values):.1f}"


def _share(here: Sequence[Unrepaired]) -> str:
    return f"{100 * sum(one.short for one in here) / sum(one.groups for one in here):.0f} %"


def summary(found: Sequence[Unrepaired]) -> str:
    """In how many rows a printed loss lies within what a reading without repair gives."""
    told = []
    words: dict[Fitness, str] = {"group": "over groups", "overall": "over records"}
    for fitness in FITNESS:
        for measure, around in (("around_means", "means"), ("around_medoids", "medoids")):
            within = below = above = 0
            for file, k in dict.fromkeys((one.file, one.k) for one in found):
                here = [
                    getattr(one, measure)
                    for one in found
                    if (one.file, one.k, one.fitness) == (file, k, fitness)
                ]
                printed = kmedoids.TABLE_1["brkga"][file][k]
                below += printed < min(here)
                above += printed > max(here)
                within += min(here) <= printed <= max(here)
            told.append(
                f"mean {words[fitness]}, loss around {around}: {within} within, {above} above, {below} below"
            )
    return (
        "Printed losses against ours without repair, over the numbers of groups tried: "
        + "; ".join(told)
        + "."
    )
