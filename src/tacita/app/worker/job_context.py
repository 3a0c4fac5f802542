"""What a verb works with: the run that steers it, the records of the request, words from the page."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from tacita import api
from tacita.core import Bounds, Microdata, Progress, RunContext

# Messages about one stage come no closer than this, in seconds.
_EVERY = 0.1


class Teller:
    """Passes progress on, ten messages a second at most; within a stage the share never falls.

    The first message of a stage and its last are always sent.

    >>> messages = []
    >>> teller = Teller(lambda event, message: messages.append((message["stage"], message["share"])))
    >>> for done in (0, 2, 1, 4):
    ...     teller.progress(Progress("grouping", done, 4))
    >>> messages
    [('grouping', 0.0), ('grouping', 1.0)]
    """

    def __init__(self, tell: Callable[[str, Mapping[str, Any]], None]) -> None:
        self._tell = tell
        self._stage, self._share, self._sent_at = "", 0.0, 0.0
        self._lock = threading.Lock()

    def progress(self, message: Progress) -> None:
        """One message of a run."""
        with self._lock:
            new = message.stage != self._stage
            share = message.share if new else max(self._share, message.share)
            now = time.monotonic()
            ends = share >= 1.0 > self._share
            if new or ends or (share > self._share and now - self._sent_at >= _EVERY):
                self._stage, self._share, self._sent_at = message.stage, share, now
                self._tell("progress", {"stage": message.stage, "share": round(share, 4)})

    def compiling(self, begins: bool) -> None:
        """The compiler begins, or is through; what it was called for goes on where it was."""
        with self._lock:
            stage, share = ("compiling", 0.0) if begins else (self._stage, self._share)
            if stage:
                self._tell("progress", {"stage": stage, "share": share})

    def bounds(self, bounds: Bounds) -> None:
        """What a search has, and what nothing can be better than."""
        self._tell("bounds", {"lower": bounds.lower, "upper": bounds.upper, "gap": bounds.gap})


class JobContext:
    """Handed to every verb. It keeps the records that were read for the next question about the same file."""

    def __init__(self, tell: Callable[[str, Mapping[str, Any]], None] = lambda *_: None) -> None:
        self._tell = tell
        self._lying: tuple[str, Microdata] | None = None
        self._enough = threading.Event()
        self.words: queue.Queue[dict[str, Any]] = queue.Queue()

    def begin(self, tell: Callable[[str, Mapping[str, Any]], None]) -> Teller:
        """Reset for a question, whose messages go to `tell`."""
        self._tell = tell
        self._enough.clear()
        while not self.words.empty():
            self.words.get_nowait()
        self._teller = Teller(tell)
        return self._teller

    def on_word(self, word: dict[str, Any]) -> None:
        """Receive a word to the running verb."""
        if word["word"] == "enough":
            self._enough.set()
        else:
            self.words.put(word)

    def tell(self, event: str, **message: Any) -> None:
        """Send an event of the running verb, under a name that the page knows."""
        self._tell(event, message)

    @property
    def run(self) -> RunContext:
        """Steers the running verb: its progress is sent, and the user may stop it."""
        return RunContext(
            on_progress=self._teller.progress, on_bounds=self._teller.bounds, should_stop=self._enough.is_set
        )

    def records(self, source: Mapping[str, Any]) -> Microdata:
        """The records of a file: `path`, `shown_as`, and `options` of reading it; `meta` of tau-ARGUS."""
        key = repr(sorted(source.items(), key=lambda item: item[0]))
        if self._lying is None or self._lying[0] != key:
            self._lying = None
            self._teller.progress(Progress("reading the file", 0, 1))
            reading = {"shown_as": source["shown_as"], **(source.get("options") or {})}
            if meta := source.get("meta"):
                data = api.read_tau_argus(source["path"], meta, **reading)
            else:
                data = api.read(source["path"], **reading)
            self._lying = key, data
            self._teller.progress(Progress("reading the file", 1, 1))
        return self._lying[1]
