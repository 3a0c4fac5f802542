"""How long a search has run, and by which clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from tacita.core.data.suppression_pattern import Status

TimeLimit = Annotated[
    float,
    Field(gt=0, le=1e7, description="seconds after which the best pattern so far and its bound are returned"),
]

CLOCK: list[Callable[[], float]] = [time.perf_counter]


@contextmanager
def processor_time() -> Iterator[None]:
    """Limits count what the search itself used, not the time on the wall: the machine may be shared."""
    usual = CLOCK[0]
    CLOCK[0] = time.process_time
    try:
        yield
    finally:
        CLOCK[0] = usual


def by_processor_time() -> bool:
    """Whether limits count processor time."""
    return CLOCK[0] is time.process_time


@dataclass
class Watch:
    """How long a search has run, and whether it should end: its time is over, or it was told to stop.

    >>> watch = Watch(60.0, lambda: True)
    >>> watch.stopped, watch.over, watch.stopped, watch.left
    (False, True, True, 0.0)
    """

    limit: float
    enough: Callable[[], bool] = lambda: False
    stopped: bool = False
    started: float = field(default_factory=lambda: CLOCK[0]())

    @property
    def seconds(self) -> float:
        """Since the start."""
        return CLOCK[0]() - self.started

    @property
    def left(self) -> float:
        """Until the limit, not below 0."""
        return 0.0 if self.stopped else max(0.0, self.limit - self.seconds)

    @property
    def over(self) -> bool:
        """Whether to search no more."""
        if self.stopped or self.seconds >= self.limit:
            return True
        # a search that was stopped stays so
        self.stopped = self.enough()
        return self.stopped


def ended(watch: Watch) -> Status:
    """What ended a search that has no proof."""
    if watch.stopped:
        return "stopped"
    # a solver that gives up for another reason leaves time
    return "time limit" if watch.seconds >= watch.limit else "feasible"
