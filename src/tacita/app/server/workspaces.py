"""The workspace of one browser: a folder of its own, its works, its settings. Browsers share nothing."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacita.core.display.number_format import NumberStyle

from .events import Bus
from .history import History, Node
from .jobs import Job
from .texts import Texts, number_style
from .uploads import Source
from .worker_processes import WorkerProcess, WorkerProcesses

# A workspace that was not used for so long is deleted; a run ends so long after its last page closed.
KEPT_SECONDS = 60 * 60
ALONE_SECONDS = 60


@dataclass
class Work:
    """One of the three jobs of the page, as far as a browser has come with it.

    `columns` are those of the profile, with a suggested role each; `roles` and `kinds` are what was chosen
    for them, by name; `declared` is what a plan may declare beyond these (`unit_columns`, `orders` of
    categories, `numeric` codes, the `hierarchy` of columns, the name of the file of a `pseudonym_key`).
    `auxiliary` are files that belong to it, by the owner's names; `key` is that of pseudonyms, kept apart
    from them. `making` is what was typed of hierarchies to be built, by column. `opened` has the contents of
    a plan or a project that was opened before its data; `ending` is that of the release, where it is not the
    one of the file.
    """

    kind: str
    folder: Path
    source: Source | None = None
    columns: list[dict[str, Any]] = field(default_factory=list)
    roles: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    declared: dict[str, Any] = field(default_factory=dict)
    auxiliary: dict[str, Source] = field(default_factory=dict)
    key: Source | None = None
    making: dict[str, dict[str, str]] = field(default_factory=dict)
    ending: str | None = None
    roles_saved: bool = False
    exposure: dict[str, Any] | None = None
    opened: dict[str, Any] | None = None
    draft: dict[str, Any] = field(default_factory=dict)
    history: History = field(default_factory=History)
    job: Job | None = None

    def folder_of(self, node: Node) -> Path:
        """Where the files of a node lie."""
        return self.folder / node.id

    @property
    def running(self) -> bool:
        """Whether a child is at work for it."""
        return self.job is not None and self.job.running


class Workspace:
    """All that belongs to one cookie."""

    def __init__(self, folder: Path, children: WorkerProcesses, texts: Texts, language: str) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700)
        self.language, self.theme, self.tour = language, "auto", True
        self.bus = Bus()
        self.works: dict[str, Work] = {}
        self.seen = self.listened = time.monotonic()
        self._children, self._texts = children, texts
        self._child: WorkerProcess | None = None
        self._ending: set[asyncio.Task[None]] = set()

    @property
    def style(self) -> NumberStyle:
        """How figures are written in the language of this browser."""
        return number_style(self.language)

    def say(self, key: str, **values: object) -> str:
        """A text in the language of this browser."""
        return self._texts.say(self.language, key, **values)

    def stage(self, name: str) -> str:
        """A stage of a run in that language, or as the method calls it."""
        return self._texts.known(self.language, f"stage.{name}", name)

    def work(self, kind: str) -> Work:
        """One of the three jobs, begun where it was not."""
        if kind not in self.works:
            place = self.folder / kind
            place.mkdir(mode=0o700)
            self.works[kind] = Work(kind=kind, folder=place)
        return self.works[kind]

    async def child(self) -> WorkerProcess:
        """A child that is free: the one that this browser had before, or a new one."""
        child, self._child = self._child, None
        if child is not None and child.alive:
            return child
        return await self._children.take()

    def give_back(self, child: WorkerProcess) -> None:
        """A child that is through waits for the next question of the same browser; a second one ends."""
        if self._child is None and child.alive:
            self._child = child
            return
        ending = asyncio.create_task(child.end())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    async def end(self) -> None:
        """Cancel what runs, end the stream, delete the folder."""
        for work in self.works.values():
            if work.job is not None:
                await work.job.cancel()
        if self._child is not None:
            await self._child.end()
        if self._ending:
            await asyncio.wait(self._ending)
        self.bus.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    async def forget(self, work: Work) -> None:
        """Begin one of the jobs again, with nothing of it left."""
        if work.job is not None:
            await work.job.cancel()
        self.works.pop(work.kind, None)
        shutil.rmtree(work.folder, ignore_errors=True)


class Workspaces:
    """Workspaces by the cookie that names them."""

    def __init__(self, folder: Path, children: WorkerProcesses, texts: Texts) -> None:
        self._folder, self._children, self._texts = folder, children, texts
        self._known: dict[str, Workspace] = {}

    def open(self, language: str) -> tuple[str, Workspace]:
        """A new one, and the cookie for it."""
        cookie = secrets.token_urlsafe(32)
        place = self._folder / secrets.token_hex(8)
        self._known[cookie] = Workspace(place, self._children, self._texts, language)
        return cookie, self._known[cookie]

    def find(self, cookie: str) -> Workspace | None:
        """That of a cookie, if there is one."""
        workspace = self._known.get(cookie)
        if workspace is not None:
            workspace.seen = time.monotonic()
        return workspace

    async def end(self, workspace: Workspace) -> None:
        """Delete one."""
        self._known = {cookie: known for cookie, known in self._known.items() if known is not workspace}
        await workspace.end()

    async def end_all(self) -> None:
        """Delete every one."""
        for workspace in list(self._known.values()):
            await self.end(workspace)

    def tell_end(self) -> None:
        """Close all streams, so that the server does not wait for them."""
        for workspace in self._known.values():
            workspace.bus.close()

    async def sweep(self) -> None:
        """End runs without an open page, and workspaces that were not used for long."""
        now = time.monotonic()
        for workspace in list(self._known.values()):
            if workspace.bus.listeners:
                workspace.seen = workspace.listened = now
            elif now - max(workspace.listened, workspace.seen) > ALONE_SECONDS:
                for work in workspace.works.values():
                    if work.job is not None and work.job.running:
                        await work.job.cancel()
            if now - workspace.seen > KEPT_SECONDS:
                await self.end(workspace)
