"""The two pipes to the server: questions on one, answers on the other, nothing else on either."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from io import BufferedReader
from typing import Any, BinaryIO

READY = {"id": 0, "event": "ready"}


class Pipe:
    """Lines of JSON, in and out. When the other side closes, this process and all that it started end."""

    def __init__(self, incoming: BufferedReader, outgoing: BinaryIO) -> None:
        self._incoming, self._outgoing = incoming, outgoing
        # kernels report from threads of their own
        self._writing = threading.Lock()

    @classmethod
    def of_this_process(cls) -> Pipe:
        """Standard input and output, which are given others: a stray print goes to standard error."""
        incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        _keep_no_core()
        return cls(incoming, outgoing)

    def tell(self, message: Mapping[str, Any]) -> None:
        """One line out."""
        line = json.dumps(message, allow_nan=False, separators=(",", ":")).encode() + b"\n"
        try:
            with self._writing:
                self._outgoing.write(line)
                self._outgoing.flush()
        except (BrokenPipeError, ValueError):
            end_of_all()

    def wait(self) -> None:
        """Until something has come in, or the other side closes."""
        if not self._incoming.peek(1):
            end_of_all()

    def lines(self) -> Iterator[dict[str, Any]]:
        """What comes in, until the other side closes."""
        for line in self._incoming:
            yield json.loads(line)


def end_of_all() -> None:
    """End this process at once, and those that it started where it leads a group of its own."""
    if hasattr(os, "killpg") and os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def _keep_no_core() -> None:
    """A process that falls leaves no picture of its memory on the disk."""
    try:
        import resource
    except ImportError:  # only systems with such limits write such files
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
