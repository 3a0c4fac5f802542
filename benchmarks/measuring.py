"""How every case measures: processor time of this process, best of a few runs after a warm-up."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


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


def of_command(words: Sequence[str]) -> tuple[float, float, float]:
    """Seconds elapsed, of the processor, and megabytes at the most, of a command and all that it begins."""
    alone = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    began, peak = time.monotonic(), 0.0
    process = subprocess.Popen([sys.executable, "-m", "tacita", *words, "--quiet"], env=alone)
    while process.poll() is None:
        peak = max(peak, _resident(process.pid))
        time.sleep(0.1)
    if process.returncode:
        raise RuntimeError(f"tacita {words[0]} failed")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    return time.monotonic() - began, cpu, peak


def _resident(process: int) -> float:
    """Megabytes that a process and those it began hold, but for files that are only mapped."""
    total, todo = 0.0, [process]
    while todo:
        each = todo.pop()
        try:
            status = Path(f"/proc/{each}/status").read_text()
            todo += map(int, Path(f"/proc/{each}/task/{each}/children").read_text().split())
        except OSError:
            continue
        held = [line.split()[1] for line in status.splitlines() if line.startswith(("RssAnon", "RssShmem"))]
        total += sum(map(int, held)) / 1024
    return total
