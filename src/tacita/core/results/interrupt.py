"""Ctrl-C during a search: once keeps the best so far, twice cancels."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType

from tacita.core.spec.deprecated import renamed_arguments

from .progress import RunContext

STOPPING = "Stopping: the best so far, or the first result, is kept. Ctrl-C again cancels."


def _tell(message: str) -> None:
    if sys.stderr is sys.__stderr__ and sys.stderr is not None:
        # not by print: the signal may have come in the middle of one
        os.write(sys.stderr.fileno(), f"\n{message}\n".encode())
    else:
        print(message, file=sys.stderr)


@renamed_arguments(run="context")
@contextmanager
def interruptible(
    context: RunContext | None = None, tell: Callable[[str], None] = _tell
) -> Iterator[RunContext]:
    """Let the first Ctrl-C stop searches with their best result; the second raises KeyboardInterrupt.

    Ctrl-C (in a notebook, the button that interrupts) acts in this way inside the block alone, and in the
    main thread alone, where Python handles signals. Work that cannot be stopped with a result goes on until
    the second Ctrl-C::

        with tacita.interruptible() as context:
            release = tacita.protect(data, quasi=["turnover"], method="best", time=600, context=context)

    Parameters
    ----------
    context : RunContext, optional
        The run to steer.
    tell : callable
        Gets the message that follows the first Ctrl-C; by default it goes to standard error.

    Yields
    ------
    RunContext
        The run, to be handed on as `context`.

    Examples
    --------
    >>> with interruptible(tell=lambda message: None) as context:
    ...     before = context.should_stop()
    ...     signal.raise_signal(signal.SIGINT)
    ...     before, context.should_stop()
    (False, True)
    """
    steered = context or RunContext()
    if threading.current_thread() is not threading.main_thread():
        yield steered
        return
    usual = signal.getsignal(signal.SIGINT)
    interrupted = threading.Event()

    def listen(number: int, frame: FrameType | None) -> None:
        if not interrupted.is_set():
            interrupted.set()
            tell(STOPPING)
        elif callable(usual):
            usual(number, frame)
        else:
            raise KeyboardInterrupt

    before = steered.should_stop
    signal.signal(signal.SIGINT, listen)
    try:
        yield replace(steered, should_stop=lambda: interrupted.is_set() or before())
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if usual is None else usual)
