"""How every case measures: processor time of this process, best of a few runs after a warm-up."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """One printed line: what was timed, ours, theirs, and what an issue asks for."""

    case: str
    ours: float
    peer: str
    theirs: float | None
    asked: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times faster ours is."""
        return None if self.theirs is None or not self.ours else self.theirs / self.ours


def cpu_seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """Least processor time of one call, after one call that does not count."""
    work()
    return min(_once(work, time.process_time) for _ in range(repeats))


def wall_seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """Least elapsed time of one call, after one call that does not count."""
    work()
    return min(_once(work, time.perf_counter) for _ in range(repeats))


def _once(work: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    work()
    return clock() - start


def peak_megabytes(work: Callable[[], object]) -> float:
    """Most memory held at one time during a call, beyond what was there before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()
