"""Simulated annealing of a partition: neighbours, schedule, several walks side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tacita.core import Labels, Matrix, Run

from .neighbours import neighbours

_STAGE = "annealing groups"
# Temperature over a record's own scale, the squared distance to its k-th neighbour: from free to frozen. The
# more members a group has, the less each of them moves it.
_HOT, _COLD = 0.4, 0.02
_HOT_MANY, _COLD_MANY = 0.3, 0.01
_SMALL = 6
# Below this a group is as good as settled, and worth remembering.
_MILD = 0.15
_STEPS = 400
# Of a large file every step costs time by itself, and descent looks at the nearest few only.
LARGE = 10_000
_STEPS_LARGE = 100
_REACH_LARGE = 8
# Up to so many records all pairs are measured; above, pairs within blocks of so many, cut in several ways.
_ALL_PAIRS = 6000
_BLOCK = 1024
_CUTS = 3
# Refreshing the distances of a large group after each move costs more than measuring them when needed.
_CACHED = 12
_PASSES = 100
# Some tenths of a second.
_MOVES_PER_CALL = 2_000_000


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
    return (_HOT, _COLD) if k <= _SMALL else (_HOT_MANY, _COLD_MANY)


def reach_of(n: int, width: int) -> int:
    """How many of its `width` nearest a record is weighed against in the descent.

    >>> reach_of(1000, 30), reach_of(100_000, 30)
    (30, 8)
    """
    return width if n <= LARGE else min(_REACH_LARGE, width)


def blocks_of(x: Matrix, size: int) -> list[Labels]:
    """Rows in blocks of at most `size`: cut at the median of the widest column, again and again.

    O(n d log n).

    >>> [block.tolist() for block in blocks_of(np.array([[0.0], [9.0], [1.0], [8.0]]), 2)]
    [[0, 2], [1, 3]]
    """
    done: list[Labels] = []
    waiting = [np.arange(len(x))]
    while waiting:
        rows = waiting.pop()
        if rows.size <= size:
            done.append(rows)
            continue
        part = x[rows]
        widest = part[:, int(part.var(axis=0).argmax())]
        order = np.argsort(widest, kind="stable")
        half = rows.size // 2
        waiting += [np.sort(rows[order[half:]]), np.sort(rows[order[:half]])]
    return done


def nearest_records(x: Matrix, count: int, run: Run) -> npt.NDArray[np.int32]:
    """The nearest other records of each record, nearest first: all of them, or for large n nearly.

    Up to 6000 records exact, O(n^2 d) time. Above, those among blocks of 1024 records, along the axes and
    along two random rotations of them: O(n 1024 d) time. O(n count) memory: 36 bytes a neighbour in passing.
    """
    n, d = x.shape
    if n <= _ALL_PAIRS:
        return neighbours(x, count, run)[0]
    lists = [np.empty((n, count), dtype=np.int32) for _ in range(_CUTS)]
    gaps = [np.empty((n, count)) for _ in range(_CUTS)]
    rotations = np.random.default_rng(0)
    for cut in range(_CUTS):
        turned = x if cut == 0 else x @ np.linalg.qr(rotations.normal(size=(d, d)))[0]
        blocks = blocks_of(turned, max(_BLOCK, 2 * count))

        def measure(a: int, b: int, cut: int = cut, blocks: list[Labels] = blocks) -> None:
            for rows in blocks[a:b]:
                inside, far = neighbours(x[rows], count, Run(threads=1))
                lists[cut][rows], gaps[cut][rows] = rows[inside], far

        for _ in run.map_blocks("measuring distances", len(blocks), measure, 8):
            pass
    return _merged(lists, gaps, count)


def _merged(lists: list[np.ndarray], gaps: list[Matrix], count: int) -> npt.NDArray[np.int32]:
    """The nearest of several lists, each record once."""
    merged = np.empty(lists[0].shape, dtype=np.int32)
    for first in range(0, len(merged), 4096):
        rows = slice(first, first + 4096)
        near = np.concatenate([one[rows] for one in lists], axis=1)
        far = np.concatenate([one[rows] for one in gaps], axis=1)
        by_number = np.argsort(near, axis=1, kind="stable")
        near = np.take_along_axis(near, by_number, axis=1)
        far = np.take_along_axis(far, by_number, axis=1)
        far[:, 1:][near[:, 1:] == near[:, :-1]] = np.inf
        merged[rows] = np.take_along_axis(near, np.argsort(far, axis=1, kind="stable")[:, :count], axis=1)
    return merged


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
        from tacita.kernels.records.walk import SEGMENT

        n = self.active.size
        if self.moves <= _MOVES_PER_CALL:
            yield self.active, self.moves
            return
        for first in range(0, n, SEGMENT):
            last = min(first + SEGMENT, n)
            left = self.moves * last // n - self.moves * first // n
            while left > 0:
                yield self.active[first:last], min(left, _MOVES_PER_CALL)
                left -= _MOVES_PER_CALL


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
    steps = _STEPS if len(scale) <= LARGE else _STEPS_LARGE
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

    x: centred, C order; labels: groups of k to 2k-1, numbered from 0. Which thread runs which walk makes no
    difference. Memory: O(n (list + d)) shared, O(n d) for each walk.
    """

    def __init__(self, x: Matrix, labels: Labels, k: int, seeds: npt.NDArray[np.uint64], run: Run) -> None:
        from tacita.kernels.records.anneal import State, begin

        n, d = x.shape
        groups = n // k
        self.x, self.k, self.run = x, k, run
        near = nearest_records(x, min(list_length(k), n - 1), run)
        scale = ((x - x[near[:, min(k, n - 1) - 1]]) ** 2).sum(axis=1)
        # of a record with k copies the distance is 0, which is no temperature
        self.scale = np.maximum(scale, 1e-9 * (x**2).sum() / n)
        self.random = [np.array([seed], dtype=np.uint64) for seed in seeds]
        self.states = [
            State(
                x=x,
                near=near,
                labels=np.empty(n, dtype=np.int32),
                place=np.empty(n, dtype=np.int32),
                members=np.zeros((groups, 2 * k), dtype=np.int32),
                sizes=np.zeros(groups, dtype=np.int32),
                centres=np.zeros((groups, d)),
                own=np.empty(n if k <= _CACHED else 0),
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
        """So many moves in each walk, then descent; told that it is enough, one pass of the best."""
        from tacita.kernels.records.anneal import settle
        from tacita.kernels.records.walk import descend, walk

        pool = Pool()
        steps = schedule(self.scale, moves, *temperatures_of(self.k))
        with ThreadPoolExecutor(max_workers=max(1, min(self.run.threads, len(self.states)))) as threads:

            def everywhere(work: Callable[[int], float]) -> Iterator[float]:
                numbers = range(len(self.states))
                return map(work, numbers) if len(numbers) == 1 else threads.map(work, numbers)

            for done, step in enumerate(steps):

                def take_step(number: int, step: Step = step) -> float:
                    state = self.states[number]
                    for active, some in step.slices():
                        walk(state, self.k, self.random[number], active, some, step.temperature)
                        if self.run.ended():
                            break
                    return settle(state)

                self.errors = list(everywhere(take_step))
                if remember:
                    self._remember(pool, step.temperature / _MILD)
                self.run.report(_STAGE, done, len(steps))
                if self.run.enough():
                    break

            reach = reach_of(len(self.x), self.states[0].near.shape[1])

            leading = int(np.argmin(self.errors))

            def finish(number: int) -> float:
                state = self.states[number]
                for done in range(_PASSES if descending else 0):
                    # who has enough waits for one pass of one walk, without which it has nothing to show
                    if self.run.ended() and (done or number != leading):
                        break
                    if not descend(state, self.k, self.least, 1, reach):
                        break
                return settle(state)

            self.errors = list(everywhere(finish))
        if remember:
            self._remember(pool, 0.0)
        return pool

    def _remember(self, pool: Pool, low: float) -> None:
        from tacita.kernels.records.walk import collect

        for state in self.states:
            hashes = np.empty(len(state.sizes), dtype=np.uint64)
            members, sizes = np.zeros_like(state.members), np.zeros_like(state.sizes)
            count = collect(state, self.keys, low, self.scale, hashes, members, sizes)
            pool.add(hashes[:count], members[:count], sizes[:count])

    def best(self) -> Labels:
        """The labels of the walk that came lowest, the first of equals."""
        labels = self.states[int(np.argmin(self.errors))].labels
        return np.unique(labels, return_inverse=True)[1].reshape(-1).astype(np.int64)
