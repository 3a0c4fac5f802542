"""Simulated annealing of a partition: neighbours, schedule, several walks side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tacita.core import Labels, Matrix, RunContext

from .neighbours import nearest_records

if TYPE_CHECKING:
    from tacita.kernels.records.move_costs import State

STAGE = "annealing groups"

# Records from which on a file is large: its neighbours and steps are fewer.
LARGE = 10_000


@dataclass(frozen=True)
class AnnealingSettings:
    """Temperatures, steps and pauses of the walks.

    `python -m benchmarks best` prints the information loss that they lead to, and the seconds.
    """

    # first and last temperature in units of a record's own scale, the squared distance to its k-th neighbour:
    # from free to frozen
    hot: float = 0.4
    cold: float = 0.02
    # k up to which these hold; the more members a group has, the less each of them moves it
    small_k: int = 6
    # first and last temperature above it
    hot_many: float = 0.3
    cold_many: float = 0.01
    # temperature, in the same unit, below which groups are as good as settled and enter the pool
    settled: float = 0.15
    # temperatures of a walk
    steps: int = 400
    # the same in a large file, where every step costs time by itself: as many as moves per record, within
    # these
    fewest_steps_large: int = 30
    most_steps_large: int = 100
    # nearest records that a descent looks at in a large file
    reach_large: int = 10
    # k up to which distances to the own centroid are kept: refreshing those of a large group after each move
    # costs more than measuring them when they are needed
    cached_k: int = 12
    # passes of a descent, at most
    passes: int = 100
    # records for one gain: a pass with fewer gains is the last
    records_per_gain: int = 10_000
    # steps after which the centroids of a large file are computed anew
    steps_between_centroids: int = 10
    # moves, and records of a descent, between two looks at the clock: some tenths of a second
    moves_per_call: int = 2_000_000
    records_per_call: int = 50_000


SETTINGS = AnnealingSettings()


def list_length(k: int) -> int:
    """How many neighbours a record is weighed against.

    >>> list_length(3), list_length(10), list_length(100)
    (30, 50, 120)
    """
    return 30 if k <= 5 else 50 if k <= 10 else max(120, k + 20)


def temperatures_of(k: int) -> tuple[float, float]:
    """From free to frozen, over a record's own scale.

    >>> temperatures_of(3), temperatures_of(10)
    ((0.4, 0.02), (0.3, 0.01))
    """
    return (SETTINGS.hot, SETTINGS.cold) if k <= SETTINGS.small_k else (SETTINGS.hot_many, SETTINGS.cold_many)


def varying(x: Matrix) -> Matrix:
    """The columns that vary, centred: far from the origin centroids would lose digits.

    >>> varying(np.array([[1.0, 7.0], [3.0, 7.0]])).tolist()
    [[-1.0], [1.0]]
    """
    columns = x[:, (x != x[0]).any(axis=0)]
    return np.ascontiguousarray(columns - columns.mean(axis=0))


def reach_of(n: int, width: int) -> int:
    """How many of its `width` nearest a record is weighed against in the descent.

    >>> reach_of(1000, 30), reach_of(100_000, 30)
    (30, 10)
    """
    return width if n <= LARGE else min(SETTINGS.reach_large, width)


@dataclass(frozen=True)
class Step:
    """Some moves at one temperature, for the records to whose scale it speaks."""

    temperature: float
    active: npt.NDArray[np.int32]
    moves: int

    def slices(self) -> Iterator[tuple[npt.NDArray[np.int32], int]]:
        """The same moves of the same records in the same order, few enough at once to be stopped soon.

        >>> some = np.arange(3000, dtype=np.int32)
        >>> [(part.size, moves) for part, moves in Step(1.0, some, 1_000_000).slices()]
        [(3000, 1000000)]
        >>> [(part.size, moves) for part, moves in Step(1.0, some, 6_000_000).slices()]
        [(2048, 2000000), (2048, 2000000), (2048, 96000), (952, 1904000)]
        """
        from tacita.kernels.records.annealing import SEGMENT

        n = self.active.size
        if self.moves <= SETTINGS.moves_per_call:
            yield self.active, self.moves
            return
        for first in range(0, n, SEGMENT):
            last = min(first + SEGMENT, n)
            left = self.moves * last // n - self.moves * first // n
            while left > 0:
                yield self.active[first:last], min(left, SETTINGS.moves_per_call)
                left -= SETTINGS.moves_per_call


def schedule(scale: Matrix, moves: int, hot: float, cold: float) -> list[Step]:
    """Temperatures falling geometrically, each for the records neither molten nor frozen there.

    A record of scale w takes part while cold w <= temperature <= hot w: every record, in dense regions and
    far out, gets the same share of the moves at the temperatures that sort it.

    >>> steps = schedule(np.array([1.0, 1.0, 100.0]), 3000, 0.3, 0.01)
    >>> sum(step.moves for step in steps), steps[0].active.tolist(), steps[-1].active.tolist()
    (3000, [2], [0, 1])
    """
    floored = np.maximum(scale, 1e-6 * scale.mean())
    order = np.argsort(-floored, kind="stable")
    falling = -floored[order]
    fewest, most = (
        (SETTINGS.steps, SETTINGS.steps)
        if len(scale) <= LARGE
        else (SETTINGS.fewest_steps_large, SETTINGS.most_steps_large)
    )
    steps = min(max(fewest, moves // len(scale)), most)
    temperatures = np.geomspace(hot * floored.max(), cold * floored.min(), steps)
    first = np.searchsorted(falling, -temperatures / cold * (1 + 1e-9))
    last = np.searchsorted(falling, -temperatures / hot * (1 - 1e-9), side="right")
    shares = np.concatenate([[0], np.cumsum(last - first)]) * (moves / float((last - first).sum()))
    counts = np.diff(np.round(shares).astype(np.int64))
    return [
        Step(float(temperatures[t]), np.sort(order[first[t] : last[t]]).astype(np.int32), int(counts[t]))
        for t in range(steps)
        if counts[t] > 0
    ]


@dataclass
class Pool:
    """Groups met on the way, each once: members (one row a group, the first `size` count) and sizes."""

    members: list[np.ndarray] = field(default_factory=list)
    sizes: list[np.ndarray] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)

    def add(self, hashes: np.ndarray, members: np.ndarray, sizes: np.ndarray) -> None:
        """Take in the groups whose hash is new."""
        new = [place for place, one in enumerate(hashes.tolist()) if one not in self.seen]
        self.seen.update(hashes[new].tolist())
        self.members.append(members[new])
        self.sizes.append(sizes[new])

    def groups(self) -> Labels:
        """All of them, rows ended by -1."""
        members, sizes = np.concatenate(self.members)[:, :-1], np.concatenate(self.sizes)
        return np.where(np.arange(members.shape[1]) < sizes[:, None], members, -1).astype(np.int64)


class Walks:
    """Several annealing walks over the same records, started from the same partition.

    x: centred, C order, in `search_order`; labels: groups of k to 2k-1, numbered from 0; units: where given,
    every group has k of them and keeps them; weighed: against how many of its nearest a record is, k or more.
    Which thread runs which walk makes no difference. Memory: O(n (list + d)) shared, O(n d) for each walk.
    """

    def __init__(
        self,
        x: Matrix,
        labels: Labels,
        k: int,
        seeds: npt.NDArray[np.uint64],
        run: RunContext,
        weighed: int | None = None,
        units: Labels | None = None,
    ) -> None:
        from tacita.kernels.records.move_costs import State, begin

        n, d = x.shape
        groups = n // k
        self.x, self.k, self.run = x, k, run
        near = nearest_records(x, min(weighed or list_length(k), n - 1), run)
        scale = ((x - x[near[:, min(k, n - 1) - 1]]) ** 2).sum(axis=1)
        # of a record with k copies the distance is 0, which is no temperature
        self.scale = np.maximum(scale, 1e-9 * (x**2).sum() / n)
        self.random = [np.array([seed], dtype=np.uint64) for seed in seeds]
        self.states = [
            State(
                x=x,
                near=near,
                units=np.empty(0, dtype=np.int64) if units is None else units,
                labels=np.empty(n, dtype=np.int32),
                place=np.empty(n, dtype=np.int32),
                members=np.zeros((groups, 2 * k), dtype=np.int32),
                sizes=np.zeros(groups, dtype=np.int32),
                centres=np.zeros((groups, d)),
                own=np.empty(n if k <= SETTINGS.cached_k else 0),
                unused=np.zeros(groups + 1, dtype=np.int32),
                rows=np.empty(2 * k, dtype=np.int64),
                homes=np.empty(2 * k, dtype=np.int64),
            )
            for _ in seeds
        ]
        self.errors = [begin(state, labels) for state in self.states]
        self.least = 1e-13 * float((x**2).sum())
        self.keys = np.random.default_rng(0).integers(1, 2**63, size=n, dtype=np.uint64)

    def anneal(self, moves: int, remember: bool, descending: bool = True) -> Pool:
        """So many moves in each walk, then descent; a run that should stop makes one pass of the best."""
        from tacita.kernels.records.annealing import walk
        from tacita.kernels.records.move_costs import settle

        pool = Pool()
        steps = schedule(self.scale, moves, *temperatures_of(self.k)) if moves else []
        with ThreadPoolExecutor(max_workers=max(1, min(self.run.threads, len(self.states)))) as threads:

            def everywhere(work: Callable[[int], float]) -> Iterator[float]:
                numbers = range(len(self.states))
                return map(work, numbers) if len(numbers) == 1 else threads.map(work, numbers)

            often = 1 if len(self.x) <= LARGE else SETTINGS.steps_between_centroids
            for done, step in enumerate(steps):

                def take_step(number: int, step: Step = step, settling: bool = done % often == 0) -> float:
                    state = self.states[number]
                    for active, some in step.slices():
                        walk(state, self.k, self.random[number], active, some, step.temperature)
                        if self.run.ended():
                            break
                    return float(settle(state) if settling else self.errors[number])

                self.errors = list(everywhere(take_step))
                if remember:
                    self._remember(pool, step.temperature / SETTINGS.settled)
                self.run.report(STAGE, done, len(steps))
                if self.run.should_stop():
                    break

            leading = int(np.argmin(self.errors))

            def finish(number: int) -> float:
                if descending:
                    self._descend(self.states[number], once=number == leading)
                return float(settle(self.states[number]))

            self.errors = list(everywhere(finish))
        if remember:
            self._remember(pool, 0.0)
        return pool

    def _descend(self, state: State, once: bool) -> None:
        """To a local optimum, or until it is enough; `once`: after one pass, or there is nothing to show."""
        from tacita.kernels.records.annealing import descend, no_looks

        n = len(state.labels)
        reach = reach_of(n, state.near.shape[1])
        looks = no_looks(n, len(state.sizes))
        for done in range(SETTINGS.passes):
            made = 0
            for first in range(0, n, SETTINGS.records_per_call):
                if self.run.should_cancel() or (self.run.should_stop() and (done or not once)):
                    return
                made += descend(
                    state, self.k, self.least, first, min(first + SETTINGS.records_per_call, n), reach, looks
                )
            if made * SETTINGS.records_per_gain < n:
                return

    def _remember(self, pool: Pool, low: float) -> None:
        from tacita.kernels.records.annealing import collect

        for state in self.states:
            hashes = np.empty(len(state.sizes), dtype=np.uint64)
            members, sizes = np.zeros_like(state.members), np.zeros_like(state.sizes)
            count = collect(state, self.keys, low, self.scale, hashes, members, sizes)
            pool.add(hashes[:count], members[:count], sizes[:count])

    def best(self) -> Labels:
        """The labels of the walk that came lowest, the first of equals."""
        labels = self.states[int(np.argmin(self.errors))].labels
        return np.unique(labels, return_inverse=True)[1].reshape(-1).astype(np.int64)
