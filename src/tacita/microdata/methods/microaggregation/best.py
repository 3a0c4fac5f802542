"""Best: simulated annealing and recombination of groups, for the least loss.

1. Annealing from MDAV's groups (or a given start). A move sends a record to the group of one of its 30 to
   120 nearest neighbours: by itself, against another record (a swap), or with two others (a chain or cycle
   through three groups). In 2 % of the moves a group is dissolved or created. Prices are exact, in O(d)
   from distances to centroids: swapping i in g and l in h costs d(l, c_g) - d(i, c_g) + d(i, c_h) - d(l,
   c_h) - ||x_i - x_l||^2 (1/n_g + 1/n_h), with d squared distances. A move that costs delta is made with
   probability exp(-delta / T). T falls geometrically. A record takes part while T lies between 0.3 and 0.01
   times its own scale, the squared distance to its k-th neighbour, so that dense regions and outliers are
   each sorted at the temperature that suits them. Descent to a local optimum follows.
2. Recombination, up to 10 000 records and if the effort allows: of all groups met at low temperature in all
   walks, an integer program (HiGHS) chooses those that hold every record once at the least squared error.
   For k up to 4 and up to 5000 records, column generation adds groups: the dual prices of the LP, the
   groups worth more than their error by exact search, and a dive from the LP weights to a partition, which
   is repaired where the prices show the largest loss (see `regroup`, `polish`).

With more than 10 000 records it starts from groups inside blocks, as the method `blocks`; with more than
6000, neighbours are searched as there. Compilation on first use does not count for `time`.

The bound of `certify` is that of the LP relaxation of choosing groups, by column generation with exact
search, strengthened by cuts. If it meets the error, the partition is proven optimal, and a better one met
on the way is kept. At small k the gap is within a percent, often far less; above 8000 records the instant
bound is used, which is weaker.
"""

from __future__ import annotations

import time as clocks
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from tacita.core import Labels, Matrix, ParameterError, Partition, RunContext

from .annealing import LARGE, STAGE, Walks, list_length, reach_of, varying
from .blocks import Blocks
from .certificate import certify
from .improvement import Improvement
from .neighbours import cut_order, search_order
from .reassignment import split_large
from .recombination import STAGE as COMBINING
from .recombination import ProgressLatch, recombine, regroup
from .set_partitioning import Limits


@dataclass(frozen=True)
class BestSettings:
    """How the effort is shared between annealing and recombination, and how speed is measured.

    `python -m benchmarks best` prints the information loss that they lead to, and the seconds. One unit of
    work is a move of the annealing.
    """

    # moves that an effort which nobody gave may have, at most
    default_moves: int = 100_000_000
    # millions of moves that may be requested
    largest_effort: float = 1e6
    # records up to which groups are made anew by column generation: beyond, it does not fit in memory
    regrouped_records: int = 5000
    # share of the work of column generation that annealing must have besides
    annealed_share: float = 0.25
    # moves per record from which on groups of the pool are recombined
    recombined_moves: int = 60_000
    # records up to which they always are
    few_records: int = 500
    # moves per record of one walk: what exceeds them is better spent on another walk, whose groups join the
    # pool
    walk_moves: int = 70_000
    # count of walks, at least and at most
    fewest_walks: int = 2
    most_walks: int = 16
    # callbacks of the solver before it is stopped: a measure of its work that repeats
    solver_calls: int = 30
    # share of the seconds for recombination after one walk, and after several
    recombining_share_one: float = 0.02
    recombining_share: float = 0.2
    # share of the seconds for measuring the speed of the machine
    measuring_share: float = 0.04
    # seconds that this takes, at most
    measuring_seconds: float = 5.0
    # moves of the first measurement; every other one doubles them
    trial_moves: int = 50_000
    # moves of a walk that only shows what steps cost by themselves
    least_moves: int = 1000
    # records of a large file that are measured
    sample: int = 25_000
    # moves that a descent is worth for each record, neighbour and member of a group
    descent_moves: float = 1.75


SETTINGS = BestSettings()


# Moves per record that column generation is worth, by k: quick, or thorough. Above these k it takes too long.
_REGROUPING = {2: (10_000, 100_000), 3: (28_000, 260_000), 4: (60_000, 400_000)}

Combining = Literal["pool", "quick", "thorough"]


class Best(Improvement):
    """Simulated annealing, then the best combination of all good groups met: the least loss tacita can find.

    Lowers the within-group squared error, sum over groups of ||x_i - mean||^2, in groups of k to 2k-1
    records. Annealing starts from MDAV's groups and moves records between groups of near neighbours. Up to
    10 000 records, an integer program then chooses, of all good groups met, those that together hold every
    record once.

    Use it if a low loss is worth the time. The result is never worse than its start. A single varying
    column is solved exactly (as `hm`), and its `lower_bound` is its error. With units it searches without
    them, then merges groups that are short of k; MDAV's groups with units are kept if they are better. If
    it is stopped early, it returns the best groups so far.

    `effort` decides how long it searches and, with the seed, the result, whatever the number of threads.
    `time` sets the effort by the measured speed of the machine; the record names the effort, which repeats
    the release to the byte. `certify` adds a proven `lower_bound` of the squared error of any partition
    into groups of k, and the `gap` to it; `rounds` limits this proof, which can take minutes.

    Time O(n^2 d / k + effort x d), each up to n = 10 000 or 6000 and O(n d) above; about 10 million moves a
    second for d = 13, k = 3 on one core. Memory O(n (neighbours + starts x d)).
    Random: the seed of the run decides, by default always the same.
    Source: ours; annealing after Kirkpatrick, Gelatt & Vecchi (1983), Science 220, 671-680.

    >>> x = np.array([[0., 1.], [1., 0.], [9., 9.], [10., 9.], [20., 0.], [21., 1.]])
    >>> Best(k=2).partition(x).labels.tolist()
    [0, 0, 1, 1, 2, 2]
    """

    by_chance: ClassVar[bool] = True

    effort: Annotated[
        float | None,
        Field(
            gt=0,
            le=SETTINGS.largest_effort,
            description="millions of moves or their worth; none: 0.075 a record (k > 5: less), at most 100",
        ),
    ] = None
    time: Annotated[
        float | None,
        Field(
            gt=0,
            le=1e6,
            description="seconds to search for, in each stratum; sets the effort by measured speed",
        ),
    ] = None
    starts: Annotated[
        int | None,
        Field(
            ge=1,
            le=1000,
            description="walks that share the effort, side by side on several threads; none: one for every "
            "70 000 moves a record, 2 to 16",
        ),
    ] = None
    recombine: Annotated[bool, Field(description="also look for the best combination of groups met")] = True
    certify: Annotated[
        bool, Field(description="also prove how much better any other groups could be at most")
    ] = False
    rounds: Annotated[
        int, Field(ge=0, le=100_000, description="rounds of the proof at most; 0: the instant bound alone")
    ] = 120

    @property
    def needs_whole_file(self) -> str:
        timed = "with a time instead of an effort, no two runs would be the same"
        return super().needs_whole_file if self.time is None else timed

    @model_validator(mode="after")
    def _time_or_effort(self) -> Best:
        if self.time is not None and self.effort is not None:
            raise ParameterError(
                f"{self.display_name()}: wanted time or effort, got both. To repeat a run give its effort."
            )
        return self

    def proven(self, x: Matrix, partition: Partition, run: RunContext) -> Partition:
        if partition.units is None and (varying(x).shape[1] <= 1 or len(x) < 2 * self.k):
            return partition.bounded(x, partition.sse(x))
        if not self.certify:
            return partition
        proof = certify(x, self.k, partition, run, effort=self.rounds)
        return proof.partition.bounded(x, proof.lower_bound)

    def sized(self, x: Matrix, run: RunContext, clock: Callable[[], float] = clocks.perf_counter) -> Best:
        """This method with `time` turned into the effort that it buys here, to three digits."""
        if self.time is None:
            return self
        run.report("compiling", 0, 1)
        _compile()
        run.report("compiling", 1, 1)
        began = clock()
        part = x if len(x) <= LARGE else x[np.sort(cut_order(x)[: SETTINGS.sample])]
        moving = varying(part)
        if moving.shape[1] <= 1 or len(x) < 2 * self.k:
            return self.model_copy(update={"time": None, "effort": 1.0})
        starts = self.starts or SETTINGS.fewest_walks
        labels, order = self.group(part, None, run.silent()), search_order(moving)
        walks = self._walks(moving[order], labels[order], starts, run.silent())
        setting_up = clock() - began
        before = clock()
        walks.anneal(SETTINGS.least_moves, False, descending=False)
        fixed = clock() - before
        trials = [(0, fixed)]
        while sum(spent for _, spent in trials[1:]) < min(
            SETTINGS.measuring_share * self.time, SETTINGS.measuring_seconds
        ):
            if run.should_stop():
                # nobody is going to search
                return self.model_copy(update={"time": None, "effort": SETTINGS.least_moves / 1e6})
            before = clock()
            moves = SETTINGS.trial_moves << len(trials)
            walks.anneal(moves, False, descending=False)
            trials.append((moves * starts, clock() - before))
        (fewer, less), (more, spent) = trials[-2:]
        # moves are never free, whatever a clock says of a short while
        speed = (more - fewer) / max(spent - less, 0.1 * spent)
        again = len(x) / len(part) * (setting_up + fixed)
        descent = SETTINGS.descent_moves * len(x) * reach_of(len(x), list_length(self.k)) * self.k * starts

        def bought(seconds: float) -> float:
            left = (seconds - (clock() - began) - again) * speed
            return max(1000.0, 0.1 * left, left - descent)

        effort = bought(self.time)
        if self._shares(len(x), int(effort))[1] == "pool":
            effort = bought(
                (1 - (SETTINGS.recombining_share if starts > 1 else SETTINGS.recombining_share_one))
                * self.time
            )
        effort = min(effort / 1e6, SETTINGS.largest_effort)
        return self.model_copy(update={"time": None, "effort": float(f"{effort:.3g}")})

    def group(self, x: Matrix, units: Labels | None, run: RunContext) -> Labels:
        if len(x) <= LARGE:
            return super().group(x, units, run)
        return Blocks(k=self.k).group(x, units, run)

    def improve(self, x: Matrix, labels: Labels, units: Labels | None, run: RunContext) -> Labels:
        moving = varying(x)
        if moving.shape[1] <= 1 or len(x) < 2 * self.k:
            return self._exact(moving, run)
        effort = self.sized(x, run).effort
        if run.should_stop():
            return labels
        moves = self._usual_moves(len(x)) if effort is None else round(effort * 1e6)
        order = search_order(moving)
        improved = np.empty_like(labels)
        improved[order] = self._searched(moving[order], labels[order], moves, run)
        return improved

    def _searched(self, x: Matrix, labels: Labels, moves: int, run: RunContext) -> Labels:
        annealing, combining = self._shares(len(x), moves)
        starts = self.starts or _walks_worth(annealing // len(x))
        walks = self._walks(x, labels, starts, run)
        pool = walks.anneal(max(1, annealing // starts), combining is not None)
        best = walks.best()
        run.report(STAGE, 1, 1)
        if run.should_stop():
            return best
        if combining == "pool":
            best = recombine(
                x, best, self.k, pool.groups(), Limits(SETTINGS.solver_calls, ProgressLatch(run))
            )
        elif combining is not None:
            best = regroup(x, best, self.k, pool.groups(), combining == "thorough", run)
        if combining is not None:
            run.report(COMBINING, 1, 1)
        return best

    def _usual_moves(self, n: int) -> int:
        return min(max(15_000, 375_000 // max(5, self.k)) * n, SETTINGS.default_moves)

    def _shares(self, n: int, moves: int) -> tuple[int, Combining | None]:
        """Moves for annealing, and how groups are combined after it, if the effort allows for any of it."""
        if not self.recombine or n > LARGE:
            return moves, None
        if self.k in _REGROUPING and n <= SETTINGS.regrouped_records:
            quick, thorough = (moves_per_record * n for moves_per_record in _REGROUPING[self.k])
            if moves >= (1 + SETTINGS.annealed_share) * thorough:
                return moves - thorough, "thorough"
            if moves >= (1 + SETTINGS.annealed_share) * quick:
                return moves - quick, "quick"
        return moves, "pool" if moves >= SETTINGS.recombined_moves * n or n <= SETTINGS.few_records else None

    def _walks(self, x: Matrix, labels: Labels, starts: int, run: RunContext) -> Walks:
        labels = split_large(x, labels, self.k, run.silent())
        seeds = run.search_generator().integers(1, 2**63, size=starts, dtype=np.uint64)
        return Walks(x, labels, self.k, seeds, run)

    def _exact(self, x: Matrix, run: RunContext) -> Labels:
        """The best there is, where records lie on a line or form one group."""
        from .mhm import HM

        run.report(STAGE, 0, 1)
        if x.shape[1] == 0 or len(x) < 2 * self.k:
            labels = np.zeros(len(x), dtype=np.int64)
        else:
            labels = HM(k=self.k).group(x, None, run.silent())
        run.report(STAGE, 1, 1)
        return labels


def _walks_worth(moves: int) -> int:
    """How many walks share so many moves a record.

    >>> [_walks_worth(moves) for moves in (1000, 75_000, 500_000, 10_000_000)]
    [2, 2, 7, 16]
    """
    return min(max(SETTINGS.fewest_walks, moves // SETTINGS.walk_moves), SETTINGS.most_walks)


@cache
def _compile() -> None:
    """Once per process: compile or load the kernels, on made-up records: that can outlast a search."""
    made_up = np.random.default_rng(0).normal(size=(12, 2))
    Best(k=2, effort=SETTINGS.least_moves / 1e6).partition(made_up)
