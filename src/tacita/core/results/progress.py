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

# Stages of a part that last no longer than this are not reported, in seconds.
_A_MOMENT = 0.2


@dataclass(frozen=True)
class Progress:
    """One message about how far a stage of the work has come.

    Attributes
    ----------
    stage : str
        What is being done.
    done, total : float
        `done` counts up to `total`.

    Examples
    --------
    >>> Progress("grouping", 1, 4).share
    0.25
    """

    stage: str
    done: float
    total: float

    @property
    def share(self) -> float:
        """Share of the stage that is done, between 0 and 1."""
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


class StopLatch:
    """Calls `should_stop` until it returns true; from then on it is true itself, and has the time of that.

    >>> answers = iter([False, True, False])
    >>> latch = StopLatch(lambda: next(answers))
    >>> latch(), latch.after is None, latch(), latch(), latch.after is None
    (False, True, True, True, False)
    """

    def __init__(self, should_stop: Callable[[], bool]) -> None:
        self._should_stop, self._began = should_stop, perf_counter()
        # seconds until the stop; None before it
        self.after: float | None = None

    def __call__(self) -> bool:
        if self.after is None and self._should_stop():
            self.after = perf_counter() - self._began
        return self.after is not None


def _all_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


@dataclass(frozen=True)
class RunContext:
    """How a run is steered from outside: seed, threads, progress, stopping and cancelling.

    Every verb takes one as `context`. A run waits until a listener returns.

    Parameters
    ----------
    seed : int or str, optional
        For randomness that protects: a whole number, its digits as text, or "new", which draws one that
        cannot be guessed and keeps it here. None takes randomness from the operating system.
    threads : int
        Number of threads; all cores by default.
    device : {"cpu", "cuda"}, default="cpu"
        What heavy loops run on. The results are the same. What a graphics card has no loop for is computed by
        the processor.
    on_progress : callable
        Gets a `Progress`.
    on_bounds : callable
        Gets cost and proven bound of a search whenever they may have moved.
    on_trial : callable
        Gets every trial of a comparison.
    on_iteration : callable
        Gets every round of fuzzy c-regression.
    on_warning : callable
        Gets, before the work begins, what the output cannot keep.
    should_cancel : callable
        Called often; when it returns true, the work raises `Cancelled`.
    should_stop : callable
        Called by searches; when it returns true, they end with their best result so far, verified as ever. A
        search without a result goes on until it has one.
    stream : tuple of int
        Which part of a run this is, for randomness of its own.
    kept : dict, optional
        Results that the parts of a run share.
    engine : str, optional
        Former name of `device`.

    Examples
    --------
    >>> messages = []
    >>> RunContext(on_progress=messages.append).report("grouping", 1, 2)
    >>> messages[0].share
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
        if not isinstance(self.should_stop, StopLatch):
            # time that is over stays over, and searches rely on it
            object.__setattr__(self, "should_stop", StopLatch(self.should_stop))

    def report(self, stage: str, done: float, total: float) -> None:
        """Report how far a stage is, and raise where the caller cancelled.

        Parameters
        ----------
        stage : str
            What is being done.
        done, total : float
            `done` counts up to `total`.

        Raises
        ------
        Cancelled
            If `should_cancel` returns true.
        """
        if self.should_cancel():
            raise Cancelled(f"Cancelled while {stage}. Nothing was written.")
        self.on_progress(Progress(stage, done, total))

    def keeping(self) -> RunContext:
        """Copy the run so that its parts share results of `once`: for several runs on the same records.

        Returns
        -------
        RunContext
            A run that keeps results.
        """
        return replace(self, kept={})

    def once(self, what: str, x: npt.NDArray[Any], find: Callable[[], T]) -> T:
        """Compute something of an array: each time anew, but once in a run that is `keeping`.

        For results that depend on the array alone and that callers do not change.

        Parameters
        ----------
        what : str
            Name of the result.
        x : array
            The array.
        find : callable
            Computes the result.

        Returns
        -------
        object
            What `find` returned.

        Examples
        --------
        >>> x, calls = np.zeros(3), []
        >>> run = RunContext().keeping()
        >>> for part in (run.silent(), run.branch(1)):
        ...     _ = part.once("sum", x, lambda: calls.append(x.sum()))
        >>> len(calls)
        1
        """
        if self.kept is None:
            return find()
        key = (what, x.shape, x.dtype.str, hashlib.sha256(x.tobytes()).digest())
        if key not in self.kept:
            self.kept[key] = find()
        kept: T = self.kept[key]
        return kept

    def ended(self) -> bool:
        """Check whether a search should end: it was stopped or cancelled.

        Returns
        -------
        bool
            True where it should end.
        """
        return self.should_cancel() or self.should_stop()

    def silent(self) -> RunContext:
        """Copy the run for a part of the work, whose progress is not reported.

        Returns
        -------
        RunContext
            A run that is steered alike.
        """
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
        """Whether a listener gets iterations; without one, what is for it alone need not be computed."""
        return self.on_iteration is not _silent

    def within(
        self, stage: str, done: float, total: float, clock: Callable[[], float] = perf_counter
    ) -> RunContext:
        """Copy the run for one of several equal parts, whose progress counts for a stage of the whole.

        A part may go through several stages of its own. Stages that end within a moment do not count: the
        first of them would take the whole to the end of the part.

        Parameters
        ----------
        stage : str
            The stage of the whole.
        done, total : float
            This is part `done` of `total`.
        clock : callable
            Returns seconds.

        Returns
        -------
        RunContext
            A run that is steered alike.

        Examples
        --------
        >>> shares, seconds = [], iter([0.0, 0.01, 1.0, 2.0, 3.0])
        >>> whole = RunContext(on_progress=lambda message: shares.append(message.share))
        >>> inner = whole.within("grouping strata", 1, 4, lambda: next(seconds))
        >>> for name, share in (("a", 0), ("a", 1), ("b", 0), ("b", 0.5), ("b", 1)):
        ...     inner.report(name, share, 1)
        >>> shares
        [0.375, 0.5]
        """
        current, began, furthest = "", 0.0, 0.0

        def on_event(part: Progress) -> None:
            nonlocal current, began, furthest
            now = clock()
            if part.stage != current:
                current, began = part.stage, now
            if now - began > _A_MOMENT and part.share > furthest:
                furthest = part.share
                self.on_progress(Progress(stage, done + furthest, total))

        return replace(self.silent(), on_progress=on_event)

    def branch(self, *number: int) -> RunContext:
        """Copy the run for a part with protective randomness of its own, whose progress is not reported.

        Parts that drew from one stream would carry the same noise, and their difference would show it.

        Parameters
        ----------
        *number : int
            Numbers of the part, different for each.

        Returns
        -------
        RunContext
            A run that is steered alike.

        Examples
        --------
        >>> runs = RunContext(seed=1), RunContext(seed=1).branch(0)
        >>> draws = [run.protective_generator().random() for run in runs]
        >>> draws[0] == draws[1]
        False
        """
        return replace(self.silent(), stream=(*self.stream, *number))

    def protective_generator(self) -> np.random.Generator:
        """Make a generator that an attacker cannot guess: from the operating system, or from the seed.

        Returns
        -------
        numpy.random.Generator
            The generator.
        """
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=self.stream))

    def search_generator(self) -> np.random.Generator:
        """Make a generator for searches: without a seed, the same every time.

        Returns
        -------
        numpy.random.Generator
            The generator.
        """
        return np.random.default_rng(0 if self.seed is None else self.seed)

    def map_blocks(self, stage: str, n: int, work: Callable[[int, int], T], block: int = 1024) -> Iterator[T]:
        """Call a function on consecutive blocks of range(n), in order, on `threads` threads.

        For kernels that release the interpreter lock; reports after each block.

        Parameters
        ----------
        stage : str
            What is being done.
        n : int
            End of the range.
        work : callable
            Gets start and stop of a block.
        block : int, default=1024
            Length of a block.

        Yields
        ------
        object
            What `work` returned for each block.

        Examples
        --------
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
