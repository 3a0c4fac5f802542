"""Reports when kernels are compiled: the compiler takes seconds at the first use of a kernel, silently."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def report_compiling(tell: Callable[[bool], None]) -> Iterator[None]:
    """Until it ends, `tell(True)` is called when a kernel begins to be compiled and `tell(False)` after it.

    Loading what was compiled before is no compiling. Kernels that one calls are compiled inside of it.
    """
    # the compiler loads in half a second, and a caller of this is about to use it
    from numba.core import event

    class CompileListener(event.Listener):
        depth = 0

        def on_start(self, _: event.Event) -> None:
            self.depth += 1
            if self.depth == 1:
                tell(True)

        def on_end(self, _: event.Event) -> None:
            self.depth -= 1
            if self.depth == 0:
                tell(False)

    listener = CompileListener()
    event.register("numba:compile", listener)
    try:
        yield
    finally:
        event.unregister("numba:compile", listener)
