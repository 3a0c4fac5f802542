"""A question to a worker that may take long: it reports progress, and can be cancelled or stopped."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

from .events import Bus
from .worker_processes import Broken, Refused, WorkerProcess

State = Literal["running", "done", "refused", "cancelled", "broken"]
Then = Callable[["Job"], None]


class JobOwner(Protocol):
    """The owner of a job: it provides the worker and receives the events. A workspace is one."""

    language: str
    bus: Bus

    async def child(self) -> WorkerProcess:
        """A child that is free."""

    def give_back(self, child: WorkerProcess) -> None:
        """A child that is through."""

    def stage(self, name: str) -> str:
        """A stage of a run in the language of the browser."""


class Job:
    """One question, until it is answered, refused, cancelled or broken.

    `then` is called once, in the server, when it has ended, whichever way; a page that is drawn after that
    shows what came of it. `about` says in the history whose run it is; of a `quiet` one no page hears.
    """

    def __init__(
        self,
        workspace: JobOwner,
        verb: str,
        arguments: Mapping[str, Any],
        then: Then,
        *,
        about: str = "",
        anytime: bool = False,
        quiet: bool = False,
    ) -> None:
        self.id = secrets.token_hex(4)
        self.about, self.verb, self.anytime = about, verb, anytime
        self.state: State = "running"
        self.stage, self.share = "", 0.0
        self.answer: dict[str, Any] = {}
        self.message, self.fields = "", dict[str, str]()
        # why, as names and figures, where the worker sent them
        self.refusal: Mapping[str, Any] = {}
        # messages of workers are in English
        self.language = "en"
        # seconds, lower and upper bound of a search, as they came
        self.bounds: list[tuple[float, float, float]] = []
        self.began = time.monotonic()
        self.seconds: float | None = None
        self._workspace, self._arguments, self._then, self._quiet = workspace, arguments, then, quiet
        self._child: WorkerProcess | None = None
        self._task = asyncio.create_task(self._run())

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self.state == "running"

    @property
    def elapsed(self) -> float:
        """Seconds that it runs, or ran."""
        return time.monotonic() - self.began if self.seconds is None else self.seconds

    async def _run(self) -> None:
        try:
            self._child = await self._workspace.child()
            self.answer = await self._ask(self._child)
            self.state = "done"
        except Refused as error:
            self.state, self.message, self.fields = "refused", str(error), error.fields
            self.refusal = error.refusal
        except Broken as error:
            self.state, self.message = "broken", str(error)
        except asyncio.CancelledError:
            if self._child is not None:
                await self._child.end()
            # from here to `then` nothing waits: no page shows a job that has ended and a node that has not
            self.state = "cancelled"
        except Exception as error:
            self.state, self.message = "broken", type(error).__name__
        child, self._child = self._child, None
        if child is not None and self.state != "cancelled":
            self._workspace.give_back(child)
        self.seconds = time.monotonic() - self.began
        self._then(self)
        self._publish("ended", {"state": self.state})

    async def _ask(self, child: WorkerProcess) -> dict[str, Any]:
        return await child.ask(self.verb, self._arguments, self._on_event)

    def _on_event(self, event: str, message: dict[str, Any]) -> None:
        if event == "progress":
            self.stage, self.share = message["stage"], message["share"]
            message["words"] = self._workspace.stage(self.stage)
        elif event == "bounds":
            self.bounds.append((round(self.elapsed, 2), message["lower"], message["upper"]))
        self._publish(event, {"elapsed": round(self.elapsed, 1), **message})

    def _publish(self, event: str, message: dict[str, Any]) -> None:
        if not self._quiet:
            self._workspace.bus.publish(event, {"job": self.id, "about": self.about, **message})

    def refuse(self, message: str) -> None:
        """Refuse an answer of the worker, with a message in the language of the page."""
        self.state, self.message, self.language = "refused", message, self._workspace.language

    async def settled(self, seconds: float) -> bool:
        """Whether it ended within some seconds."""
        await asyncio.wait([self._task], timeout=seconds)
        return not self.running

    async def cancel(self) -> None:
        """End it, and its child: nothing is written."""
        if self.running:
            self._task.cancel()
        await asyncio.wait([self._task])

    def enough(self) -> None:
        """Stop a search with its best result so far."""
        self.say("enough")

    def say(self, word: str, **more: Any) -> None:
        """Send a word to the running verb."""
        if self._child is not None:
            self._child.say(word, **more)
