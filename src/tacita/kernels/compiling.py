"""Who waits for the compiler is told so: it takes seconds at the first use of a kernel, and says nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def compiling_told(tell: Callable[[bool], None]) -> Iterator[None]:
    """Until it ends, `tell(True)` is called when a kernel begins to be compiled and `tell(False)` after it.

    Loading what was compiled before is no compiling. Kernels that one calls are compiled inside of it.
    """
    # the compiler loads in half a second, and whoever asks for this is about to use it
    from numba.core import event

    class Told(event.Listener):
        depth = 0

        def on_start(self, _: event.Event) -> None:
            self.depth += 1
            if self.depth == 1:
                tell(True)

        def on_end(self, _: event.Event) -> None:
            self.depth -= 1
            if self.depth == 0:
                tell(False)

    listener = Told()
    event.register("numba:compile", listener)
    try:
        yield
    finally:
        event.unregister("numba:compile", listener)
