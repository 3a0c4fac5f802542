"""Processes that compute: started ahead, given one question at a time, ended with all they started."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

# What a child may know of the environment: enough to run Python and to find what was compiled before.
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "SYSTEMROOT", "VIRTUAL_ENV", "PYTHONPATH")
_KEPT_FAMILIES = ("NUMBA_", "OMP_", "OPENBLAS_", "XDG_CACHE", "TACITA_")
# An answer is one line; a file of ten thousand columns has a long one.
_LONGEST_LINE = 2**28
PATIENCE = 0.3


class Refused(Exception):
    """The worker refuses, with a message for the user; `fields` has the messages of single fields.

    `refusal` has the reason as names and figures, where the page puts it into words of its own.
    """

    def __init__(
        self,
        message: str,
        fields: Mapping[str, str] | None = None,
        refusal: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.fields, self.refusal = dict(fields or {}), dict(refusal or {})


class Broken(Exception):
    """The child failed by a fault of ours, or ended; its message is the kind of the fault, never more."""


OnEvent = Callable[[str, dict[str, Any]], None]


class WorkerProcess:
    """One process of `tacita.app.worker`, leader of a group of its own."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._questions = 0

    @classmethod
    async def start(cls, folder: Path) -> WorkerProcess:
        """Start one and wait until it has loaded what it needs."""
        errors = None if os.environ.get("TACITA_DEBUG") else asyncio.subprocess.DEVNULL
        child = cls(
            await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tacita.app.worker"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                cwd=folder,
                env=reduced(os.environ, folder),
                limit=_LONGEST_LINE,
                # where there are no groups of processes, a child has none
                start_new_session=True,
            )
        )
        try:
            await child._line()
        except BaseException:
            await child.end()
            raise
        return child

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.returncode is None

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    async def ask(
        self, verb: str, arguments: Mapping[str, Any], on_event: OnEvent = lambda *_: None
    ) -> dict[str, Any]:
        """The answer to a question; `on_event` gets what comes before it."""
        self._questions += 1
        self._write({"id": self._questions, "verb": verb, "given": arguments})
        while True:
            message = await self._line()
            event = message.pop("event")
            if message.pop("id") != self._questions:
                continue
            if event == "done":
                answer: dict[str, Any] = message["answer"]
                return answer
            if event == "refused":
                raise Refused(message["message"], message["fields"], message["refusal"])
            if event == "broken":
                raise Broken(message["kind"])
            on_event(event, message)

    def say(self, word: str, **more: Any) -> None:
        """Send a word to the running verb."""
        if self.alive:
            self._write({"word": word, **more})

    async def end(self) -> None:
        """Ask it to end, wait a moment, then end it and all that it started."""
        for number, patience in ((signal.SIGTERM, PATIENCE), (signal.SIGKILL, PATIENCE)):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)
            with suppress(TimeoutError):
                async with asyncio.timeout(patience):
                    await self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()

    def _write(self, message: Mapping[str, Any]) -> None:
        stdin = self._process.stdin
        if stdin is None or stdin.is_closing():
            raise Broken("ended")
        stdin.write(json.dumps(message).encode() + b"\n")

    async def _line(self) -> dict[str, Any]:
        stdout = self._process.stdout
        line = b"" if stdout is None else await stdout.readline()
        if not line:
            raise Broken("ended")
        message: dict[str, Any] = json.loads(line)
        return message


def reduced(environment: Mapping[str, str], folder: Path) -> dict[str, str]:
    """What a worker may know of the environment; its temporary files go where they are deleted.

    >>> reduced({"PATH": "/bin", "SECRET": "x", "NUMBA_CACHE_DIR": "/c"}, Path("/f"))
    {'PATH': '/bin', 'NUMBA_CACHE_DIR': '/c', 'TMPDIR': '/f'}
    """
    kept = {
        name: value for name, value in environment.items() if name in _KEPT or name.startswith(_KEPT_FAMILIES)
    }
    return {**kept, "TMPDIR": str(folder)}


class WorkerProcesses:
    """Starts workers; one waits ready for the next request."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._spare: asyncio.Task[WorkerProcess] | None = None
        self._started: list[WorkerProcess] = []

    def prepare(self) -> None:
        """Start the one that waits, unless there is one."""
        if self._spare is None:
            self._spare = asyncio.create_task(self._start())

    async def _start(self) -> WorkerProcess:
        child = await WorkerProcess.start(self._folder)
        self._started = [started for started in self._started if started.alive] + [child]
        return child

    async def take(self) -> WorkerProcess:
        """The one that waits, and another begins to."""
        self.prepare()
        spare, self._spare = self._spare, None
        assert spare is not None
        try:
            child = await asyncio.shield(spare)
        except asyncio.CancelledError:
            # the request was cancelled: the worker waits for the next one
            self._spare = spare
            raise
        self.prepare()
        return child if child.alive else await self._start()

    async def end(self) -> None:
        """End every child."""
        if self._spare is not None:
            self._spare.cancel()
            with suppress(BaseException):
                await self._spare
        await asyncio.gather(*(child.end() for child in self._started))
