"""A clock on the terminal from the start of a command to its first word, while libraries load."""

from __future__ import annotations

import sys
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
# A command that is quicker shows no clock; then so often.
_FIRST = 0.4
_EVERY = 0.1


def show_clock() -> None:
    """Let a clock run on standard error until something else is written, there or on standard output."""
    clock = _Clock(sys.stderr)
    sys.stdout, sys.stderr = _Ending(sys.stdout, clock), _Ending(sys.stderr, clock)
    clock.start()


class _Clock(threading.Thread):
    """Writes the seconds since it started on one line, and wipes it when it is stopped."""

    def __init__(self, terminal: TextIO) -> None:
        super().__init__(daemon=True)
        self._terminal = terminal
        # a signal may arrive while it is being stopped, and stop it again
        self._writing = threading.RLock()
        self._stopped = threading.Event()
        self._shown = False

    def run(self) -> None:
        begun, turn = time.monotonic(), 0
        wait = _FIRST
        while not self._stopped.wait(wait):
            wait, turn = _EVERY, turn + 1
            minutes, seconds = divmod(int(time.monotonic() - begun), 60)
            frame = _FRAMES[turn % len(_FRAMES)] if _can_show(self._terminal) else "|/-\\"[turn % 4]
            with self._writing:
                if not self._stopped.is_set():
                    self._shown = True
                    self._terminal.write(f"\r{frame} starting 0:{minutes:02}:{seconds:02}")
                    self._terminal.flush()

    def stop(self) -> None:
        """No more is written; what was is wiped."""
        with self._writing:
            if not self._stopped.is_set() and self._shown:
                self._terminal.write("\r\x1b[K")
                self._terminal.flush()
            self._stopped.set()


def _can_show(terminal: TextIO) -> bool:
    return (terminal.encoding or "").lower().replace("-", "") == "utf8"


class _Ending:
    """A stream whose first word stops a clock; all else is as it was."""

    def __init__(self, stream: TextIO, clock: _Clock) -> None:
        self._stream, self._clock = stream, clock

    def write(self, text: str) -> int:
        self._clock.stop()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
