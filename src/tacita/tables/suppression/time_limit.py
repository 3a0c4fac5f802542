"""How long a search has run, and by which clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from tacita.core.data.suppression_pattern import Status

TimeLimit = Annotated[
    float,
    Field(gt=0, le=1e7, description="seconds after which the best pattern so far and its bound are returned"),
]

Clock = Callable[[], float]

_CLOCK: ContextVar[Clock] = ContextVar("clock", default=time.perf_counter)


@contextmanager
def measured_by(clock: Clock) -> Iterator[None]:
    """Searches that begin inside go by this clock until they end."""
    before = _CLOCK.set(clock)
    try:
        yield
    finally:
        _CLOCK.reset(before)


def processor_time() -> AbstractContextManager[None]:
    """Limits count what the search itself used, not the time on the wall: the machine may be shared."""
    return measured_by(time.process_time)


@dataclass
class Watch:
    """How long a search has run, and whether it should end: its time is over, or it was stopped.

    >>> watch = Watch(60.0, lambda: True)
    >>> watch.stopped, watch.over, watch.stopped, watch.left
    (False, True, True, 0.0)
    """

    limit: float
    enough: Callable[[], bool] = lambda: False
    stopped: bool = False
    clock: Clock = field(default_factory=_CLOCK.get)
    started: float = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.clock()

    @property
    def seconds(self) -> float:
        """Since the start."""
        return self.clock() - self.started

    @property
    def by_processor_time(self) -> bool:
        """Whether limits count processor time."""
        return self.clock is time.process_time

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
