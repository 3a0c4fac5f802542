"""What the wishes of the documents bring, measured: each search beside the method that tacita has for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa

import tacita
from experiments.files import FILES, Matrix, loss, partition, standardised
from experiments.version import VERSION
from tacita import datasets
from tacita.core import Partition, RunContext

from .searches import Labels, Told, ants, swarm, tabu, weighted

SIZES = (3, 5, 10)
# Records of Census, drawn once; of Tarragona all.
SAMPLE = 300
# The effort of the yardstick, in millions of moves or their worth.
EFFORT = 20
SEARCHES = ("mdav", "swarm", "ants", "tabu", "kckw", "kckw, then gsms-t2", "kckw, then tabu", "best")
# What a group whose mean leads to a member costs, in mean squared distances of records from it.
WEIGHTS = (1.0, 4.0, 16.0)
# Records of a group, or all in one, whose means and covariances synthetic values keep.
MIXED = (20, 40, 80, None)
_SEED = 1


@dataclass(frozen=True)
class Search:
    """The loss (IL1, %) that one way reached, and its processor seconds."""

    file: str
    k: int
    way: str
    loss: float
    seconds: float


@dataclass(frozen=True)
class Point:
    """Loss and risk of one release: IL1 and PIL in %, DLD and DR in %."""

    file: str
    way: str
    k: int | None
    il1: float
    pil: float
    dld: float
    dr: float
    seconds: float

    @property
    def score(self) -> float:
        """The mean of loss and risk, as the documents have it."""
        return (self.pil + self.dr) / 2


@dataclass(frozen=True)
class Findings:
    """All that was found."""

    quick: bool
    searches: tuple[Search, ...]
    front: tuple[Point, ...]
    mixed: tuple[Point, ...]

    def numbers(self) -> dict[str, Any]:
        """For the JSON beside the page."""
        return {"version": VERSION, **asdict(self)}

    @classmethod
    def from_numbers(cls, numbers: Mapping[str, Any]) -> Findings:
        """The reverse of it."""
        return cls(
            numbers["quick"],
            tuple(Search(**each) for each in numbers["searches"]),
            tuple(Point(**each) for each in numbers["front"]),
            tuple(Point(**each) for each in numbers["mixed"]),
        )


def gather(run: RunContext, quick: bool) -> Findings:
    """Every search on every file; `quick` a sample of Census at k = 5 with short searches."""
    data = dict(_files(quick))
    _compile()
    sizes = (5,) if quick else SIZES
    share = 0.05 if quick else 1.0
    searches, front, mixed = [], [], []
    for done, (file, z) in enumerate(data.items()):
        run.report("searches of the documents", done, len(data))
        bests = {}
        for k in sizes:
            for each, labels in _searched(file, z, k, share, run):
                searches.append(each)
                if each.way == "best":
                    bests[k] = labels
        front += _front(file, z, bests, share, run)
        mixed += _mixed(file, z, bests, run)
    return Findings(quick, tuple(searches), tuple(front), tuple(mixed))


def _files(quick: bool) -> Iterator[tuple[str, Matrix]]:
    for file in FILES[1:2] if quick else FILES[:2]:
        raw = datasets.attributes(file)
        if file == "census":
            drawn = np.random.default_rng(_SEED).choice(
                len(raw), SAMPLE // (3 if quick else 1), replace=False
            )
            raw = raw[drawn]
        yield file, standardised(raw)


def _compile() -> None:
    """Every kernel once on few records, so that no search is charged with its compiler."""
    z = standardised(np.random.default_rng(_SEED).normal(size=(40, 3)))
    for _ in _searched("", z, 3, 1e-3, RunContext()):
        pass
    weighted(z, np.arange(40) % 13, 3, 1.0, 10, _SEED)


def _searched(file: str, z: Matrix, k: int, share: float, run: RunContext) -> Iterator[tuple[Search, Labels]]:
    """The ways in the order of the page; searches get about the processor time of the yardstick."""
    quiet = run.silent()

    def ours(name: str, start: Labels | None = None, **settings: Any) -> Labels:
        begin = None if start is None else Partition(start, k)
        return partition(name, k, z, quiet, begin, **settings)[0].labels

    mdav, kckw = ours("mdav"), ours("kckw")
    rounds = int(72_000 * share) // k**2
    ways: dict[str, Callable[[], Labels]] = {
        "mdav": lambda: ours("mdav"),
        "swarm": lambda: swarm(z, mdav, k, max(int(40 * share), 1), _SEED).labels,
        "ants": lambda: ants(z, k, max(int(1200 * share) // k, 1), _SEED).labels,
        "tabu": lambda: tabu(z, mdav, k, rounds, _SEED).labels,
        "kckw": lambda: ours("kckw"),
        "kckw, then gsms-t2": lambda: ours("gsms-t2", kckw),
        "kckw, then tabu": lambda: tabu(z, kckw, k, rounds, _SEED).labels,
        "best": lambda: ours("best", effort=max(EFFORT * share, 0.5)),
    }
    assert (*ways,) == SEARCHES
    for way, search in ways.items():
        if quiet.should_cancel():
            return
        began = time.process_time()
        labels = search()
        spent = time.process_time() - began
        yield Search(file, k, way, loss(z, Partition(labels, k)), spent), labels


def _means(z: Matrix, labels: Labels) -> Matrix:
    return np.array([z[labels == g].mean(axis=0) for g in range(int(labels.max()) + 1)])[labels]


def _point(file: str, way: str, k: int | None, z: Matrix, released: Matrix, seconds: float) -> Point:
    """What a release of the records loses and gives away, by tacita's measures."""
    names = [f"x{column}" for column in range(z.shape[1])]
    before, after = (pa.table(list(side.T), names=names) for side in (z, released))
    measures = ("IL1", "PIL", "DLD", "DR")
    report = tacita.evaluate(before, after, quasi=names, measures=measures, context=RunContext(seed=_SEED))
    il1, pil, dld, dr = (report[name].value for name in measures)
    return Point(file, way, k, il1, pil, 100 * dld, dr, seconds)


def _front(
    file: str, z: Matrix, bests: Mapping[int, Labels], share: float, run: RunContext
) -> Iterator[Point]:
    """The least loss at each k, and the groups of the least k annealed for loss and risk together."""
    for k, labels in bests.items():
        yield _point(file, "best", k, z, _means(z, labels), 0.0)
    k, labels = next(iter(bests.items()))
    unit = float(((z - _means(z, labels)) ** 2).sum()) / len(z)
    for weight in WEIGHTS:
        if run.should_cancel():
            return
        began = time.process_time()
        told: Told = weighted(z, labels, k, weight * unit, int(100_000 * share), _SEED)
        spent = time.process_time() - began
        yield _point(file, f"loss and risk, weight {weight:g}", k, z, _means(z, told.labels), spent)


def _mixed(file: str, z: Matrix, bests: Mapping[int, Labels], run: RunContext) -> Iterator[Point]:
    """Means of groups beside synthetic values that keep means and covariances of larger groups."""
    for k, labels in bests.items():
        yield _point(file, "means of groups", k, z, _means(z, labels), 0.0)
    for k in MIXED:
        if run.should_cancel():
            return
        began = time.process_time()
        labels = np.zeros(len(z), np.int64) if k is None else partition("mdav", k, z, run.silent())[0].labels
        released = hybrid(z, labels, _SEED)
        yield _point(file, "synthetic inside groups", k, z, released, time.process_time() - began)


def hybrid(z: Matrix, labels: Labels, seed: int) -> Matrix:
    """Synthetic records that keep means and covariances of every group, up to rounding. O(n d^2).

    Normal draws are made uncorrelated in the group, then given its covariances (Domingo-Ferrer & Gonzalez-
    Nicolas 2010, Information Sciences 180, 2834-2844). A group of d records or fewer keeps what it can: its
    draws are uncorrelated in the space of its own records.
    """
    rng = np.random.default_rng(seed)
    released = np.empty_like(z)
    for g in range(int(labels.max()) + 1):
        rows = np.flatnonzero(labels == g)
        centre = z[rows].mean(axis=0)
        _, sizes, right = np.linalg.svd(z[rows] - centre, full_matrices=False)
        rank = int((sizes > 1e-9 * max(sizes[0], 1e-300)).sum())
        drawn = rng.normal(size=(len(rows), rank))
        basis = np.linalg.qr(drawn - drawn.mean(axis=0))[0]
        released[rows] = centre + basis * sizes[:rank] @ right[:rank]
    return released
