"""How a run is steered from outside: seed, threads, progress, cancellation."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from .errors import Cancelled
from .seeds import as_seed

T = TypeVar("T")


@dataclass(frozen=True)
class Progress:
    """One message about how far a stage has come; `done` counts up to `total`."""

    stage: str
    done: float
    total: float

    @property
    def share(self) -> float:
        """Between 0 and 1."""
        return min(1.0, self.done / self.total) if self.total else 1.0


@dataclass(frozen=True)
class Bounds:
    """What a search has, and what nothing can be better than. Confidential, as costs are."""

    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """Share of the upper bound by which the best might lie below it."""
        return max(0.0, (self.upper - self.lower) / self.upper) if self.upper > 0 else 0.0


def _silent(_: object) -> None:
    return None


def _never() -> bool:
    return False


def _all_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


@dataclass(frozen=True)
class Run:
    """Handed to every verb. A bar or a page listens through `on_progress`; `cancelled` is asked often.

    `on_bounds` hears cost and proven bound of searches that prove one, each time they may have moved;
    `on_trial` every trial of a comparison, once it is made.

    `seed` is for randomness that protects: without one it comes from the operating system. It is a whole
    number, its digits as text, or "new", which draws one that nobody guesses and keeps it here.
    Searches use `search_generator`, whose default seed is fixed, so that they repeat.

    >>> heard = []
    >>> Run(on_progress=heard.append).report("grouping", 1, 2)
    >>> heard[0].share
    0.5
    >>> Run(cancelled=lambda: True).report("grouping", 1, 2)
    Traceback (most recent call last):
    tacita.core.errors.Cancelled: Cancelled while grouping. Nothing was written.
    """

    seed: int | None = None
    threads: int = field(default_factory=_all_cores)
    on_progress: Callable[[Progress], None] = _silent
    on_bounds: Callable[[Bounds], None] = _silent
    on_trial: Callable[[Any], None] = _silent
    cancelled: Callable[[], bool] = _never
    stream: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", as_seed(self.seed))

    def report(self, stage: str, done: float, total: float) -> None:
        """Tell how far `stage` is, and stop here if the caller asked to."""
        if self.cancelled():
            raise Cancelled(f"Cancelled while {stage}. Nothing was written.")
        self.on_progress(Progress(stage, done, total))

    def branch(self, *number: int) -> Run:
        """A run inside this one: steered alike, silent, and with protective randomness of its own.

        Parts that drew from one stream would carry the same noise, and their difference would show it.

        >>> draws = [run.protective_generator().random() for run in (Run(seed=1), Run(seed=1).branch(0))]
        >>> draws[0] == draws[1]
        False
        """
        return replace(self, on_progress=_silent, on_bounds=_silent, stream=(*self.stream, *number))

    def protective_generator(self) -> np.random.Generator:
        """Randomness an attacker must not guess: the operating system's, unless a seed was given."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=self.stream))

    def search_generator(self) -> np.random.Generator:
        """Randomness that only searches: the same every time."""
        return np.random.default_rng(0 if self.seed is None else self.seed)

    def map_blocks(self, stage: str, n: int, work: Callable[[int, int], T], block: int = 1024) -> Iterator[T]:
        """Call `work(start, stop)` over consecutive blocks of range(n), in order, on `threads` threads.

        For kernels that let go of the interpreter lock; reports after each block.

        >>> list(Run(threads=2).map_blocks("adding", 5, lambda a, b: b - a, block=2))
        [2, 2, 1]
        """
        starts = range(0, n, block)
        with ThreadPoolExecutor(max_workers=max(1, self.threads)) as pool:
            pending = [pool.submit(work, start, min(start + block, n)) for start in starts]
            try:
                for start, future in zip(starts, pending, strict=True):
                    yield future.result()
                    self.report(stage, min(start + block, n), n)
            finally:
                for future in pending:
                    future.cancel()
