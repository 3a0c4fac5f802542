"""How a run is steered from outside: seed, threads, progress, stopping and cancelling."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import InitVar, dataclass, field, replace
from time import perf_counter
from typing import Any, Literal, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from tacita.core.errors import Cancelled, ParameterError
from tacita.core.spec.deprecated import renamed_arguments
from tacita.core.spec.seeds import as_seed

T = TypeVar("T")

# Where the heavy loops run: on the processor, or on a graphics card where a method has them for it.
Device = Literal["cpu", "cuda"]

# Stages of a part that last no longer than this are not told, in seconds.
_A_MOMENT = 0.2


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


class Heard:
    """Asks whether a search has done enough, and remembers from then on that it has, and when that was.

    >>> answers = iter([False, True, False])
    >>> heard = Heard(lambda: next(answers))
    >>> heard(), heard.after is None, heard(), heard(), heard.after is None
    (False, True, True, True, False)
    """

    def __init__(self, enough: Callable[[], bool]) -> None:
        self._enough, self._began = enough, perf_counter()
        # seconds until a search was told so; None: none was
        self.after: float | None = None

    def __call__(self) -> bool:
        if self.after is None and self._enough():
            self.after = perf_counter() - self._began
        return self.after is not None


def _all_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


@dataclass(frozen=True)
class RunContext:
    """Handed to every verb. A bar or a page listens through `on_progress`; `should_cancel` is asked often.

    `should_stop` is asked by searches wherever they look whether their time is over: once it says so they end
    with the best that they have, verified as ever. A search that has
    nothing yet goes on until it has something.

    `on_bounds` hears cost and proven bound of searches that prove one, each time they may have moved;
    `on_trial` every trial of a comparison, once it is made; `on_iteration` every round of fuzzy c-regression.
    `on_warning` hears, before the work begins, what the output cannot keep (a `Caution`).
    The run goes on when a listener returns: one that waits makes it wait.

    `seed` is for randomness that protects: without one it comes from the operating system. It is a whole
    number, its digits as text, or "new", which draws one that nobody guesses and keeps it here.
    Searches use `search_generator`, whose default seed is fixed, so that they repeat. `kept` is what a run
    that is `keeping` has found.

    `device` says what heavy loops run on. The results are the same on each; what a graphics card has no loop
    for is computed by the processor.

    >>> heard = []
    >>> RunContext(on_progress=heard.append).report("grouping", 1, 2)
    >>> heard[0].share
    0.5
    >>> RunContext(should_cancel=lambda: True).report("grouping", 1, 2)
    Traceback (most recent call last):
    tacita.core.errors.Cancelled: Cancelled while grouping. Nothing was written.
    """

    seed: int | None = None
    threads: int = field(default_factory=_all_cores)
    device: Device = "cpu"
    on_progress: Callable[[Progress], None] = _silent
    on_bounds: Callable[[Bounds], None] = _silent
    on_trial: Callable[[Any], None] = _silent
    on_iteration: Callable[[Any], None] = _silent
    on_warning: Callable[[Any], None] = _silent
    should_cancel: Callable[[], bool] = _never
    should_stop: Callable[[], bool] = _never
    stream: tuple[int, ...] = ()
    kept: dict[tuple[object, ...], Any] | None = field(default=None, repr=False, compare=False)
    # what the device was called in version 0.1
    engine: InitVar[str | None] = None

    def __post_init__(self, engine: str | None) -> None:
        object.__setattr__(self, "seed", as_seed(self.seed))
        if engine is not None:
            device = {"local": "cpu", "gpu": "cuda"}.get(engine, engine)
            warnings.warn(
                f"RunContext(engine=...) is RunContext(device={device!r}) now.", FutureWarning, stacklevel=3
            )
            object.__setattr__(self, "device", device)
        if self.device not in get_args(Device):
            known = " or ".join(get_args(Device))
            raise ParameterError(f"Run: wanted the device {known}, got {self.device!r}.", field="device")
        if not isinstance(self.should_stop, Heard):
            # time that is over stays over, and searches rely on it
            object.__setattr__(self, "should_stop", Heard(self.should_stop))

    def report(self, stage: str, done: float, total: float) -> None:
        """Tell how far `stage` is, and stop here if the caller asked to."""
        if self.should_cancel():
            raise Cancelled(f"Cancelled while {stage}. Nothing was written.")
        self.on_progress(Progress(stage, done, total))

    def keeping(self) -> RunContext:
        """The same run, whose parts share what they find by `once`: for several runs on the same records."""
        return replace(self, kept={})

    def once(self, what: str, x: npt.NDArray[Any], find: Callable[[], T]) -> T:
        """What `find` finds of an array alone: found anew each time, but once by a run that is `keeping`.

        For what depends on nothing but the array, and is not changed by its users.

        >>> x, found = np.zeros(3), []
        >>> run = RunContext().keeping()
        >>> for part in (run.silent(), run.branch(1)):
        ...     _ = part.once("sum", x, lambda: found.append(x.sum()))
        >>> len(found)
        1
        """
        if self.kept is None:
            return find()
        key = (what, x.shape, x.dtype.str, hashlib.sha256(x.tobytes()).digest())
        if key not in self.kept:
            self.kept[key] = find()
        found: T = self.kept[key]
        return found

    def ended(self) -> bool:
        """Whether a search should go no further: it was told that it is enough, or is cancelled."""
        return self.should_cancel() or self.should_stop()

    def silent(self) -> RunContext:
        """A run for a part of the work: steered alike, and its progress is not the whole's."""
        return replace(self, on_progress=_silent, on_bounds=_silent, on_trial=_silent, on_iteration=_silent)

    @property
    def enough(self) -> Callable[[], bool]:
        """The former name of `should_stop`."""
        warnings.warn("Run.enough is RunContext.should_stop now.", DeprecationWarning, stacklevel=2)
        return self.should_stop

    @property
    def cancelled(self) -> Callable[[], bool]:
        """The former name of `should_cancel`."""
        warnings.warn("Run.cancelled is RunContext.should_cancel now.", DeprecationWarning, stacklevel=2)
        return self.should_cancel

    @property
    def watched(self) -> bool:
        """Whether anybody hears of iterations: what is only for them need not be computed otherwise."""
        return self.on_iteration is not _silent

    def within(
        self, stage: str, done: float, total: float, clock: Callable[[], float] = perf_counter
    ) -> RunContext:
        """A run for one of several parts alike: how far it is counts for the stage of the whole.

        A part may go through several stages of its own. Those that are over in a moment do not count, or the
        first of them would take the whole to the end of the part.

        >>> heard, seconds = [], iter([0.0, 0.01, 1.0, 2.0, 3.0])
        >>> whole = RunContext(on_progress=lambda told: heard.append(told.share))
        >>> inner = whole.within("grouping strata", 1, 4, lambda: next(seconds))
        >>> for name, share in (("a", 0), ("a", 1), ("b", 0), ("b", 0.5), ("b", 1)):
        ...     inner.report(name, share, 1)
        >>> heard
        [0.375, 0.5]
        """
        current, began, furthest = "", 0.0, 0.0

        def hear(part: Progress) -> None:
            nonlocal current, began, furthest
            now = clock()
            if part.stage != current:
                current, began = part.stage, now
            if now - began > _A_MOMENT and part.share > furthest:
                furthest = part.share
                self.on_progress(Progress(stage, done + furthest, total))

        return replace(self.silent(), on_progress=hear)

    def branch(self, *number: int) -> RunContext:
        """A run inside this one: steered alike, silent, and with protective randomness of its own.

        Parts that drew from one stream would carry the same noise, and their difference would show it.

        >>> runs = RunContext(seed=1), RunContext(seed=1).branch(0)
        >>> draws = [run.protective_generator().random() for run in runs]
        >>> draws[0] == draws[1]
        False
        """
        return replace(self.silent(), stream=(*self.stream, *number))

    def protective_generator(self) -> np.random.Generator:
        """Randomness an attacker must not guess: the operating system's, unless a seed was given."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=self.stream))

    def search_generator(self) -> np.random.Generator:
        """Randomness that only searches: the same every time."""
        return np.random.default_rng(0 if self.seed is None else self.seed)

    def map_blocks(self, stage: str, n: int, work: Callable[[int, int], T], block: int = 1024) -> Iterator[T]:
        """Call `work(start, stop)` over consecutive blocks of range(n), in order, on `threads` threads.

        For kernels that let go of the interpreter lock; reports after each block.

        >>> list(RunContext(threads=2).map_blocks("adding", 5, lambda a, b: b - a, block=2))
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


# the arguments of version 0.1 too
RunContext.__init__ = renamed_arguments(enough="should_stop", cancelled="should_cancel")(  # type: ignore[method-assign]
    RunContext.__init__
)
