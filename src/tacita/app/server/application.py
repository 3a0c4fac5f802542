"""The state of the server: its address, folder, login, workers, workspaces, texts and screens."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from tacita._version import __version__

from .login import Login
from .request_guard import RequestGuard
from .texts import Texts
from .worker_processes import Broken, WorkerProcess, WorkerProcesses
from .workspaces import Work, Workspace, Workspaces

_SWEEP_SECONDS = 5
_TOUR = "tour"


@dataclass(frozen=True)
class Screen:
    """One step of a work: where it is, and when it can be entered; `done` adds a tick."""

    work: str
    step: str
    path: str
    ready: Callable[[Work], bool]
    done: Callable[[Work], bool] = lambda _work: False


class Site:
    """One running server."""

    def __init__(self, host: str, port: int, folder: Path, screens: tuple[Screen, ...] = ()) -> None:
        self.authority, self.origin = f"{host}:{port}", f"http://{host}:{port}"
        self.folder, self.screens = folder, screens
        self.login, self.texts = Login(), Texts.load()
        self.children = WorkerProcesses(folder)
        self.workspaces = Workspaces(folder, self.children, self.texts)
        self.welcome: Callable[[Workspace], None] = lambda _workspace: None
        self._catalogue: asyncio.Task[Mapping[str, Any]] | None = None

    async def catalogue(self) -> Mapping[str, Any]:
        """Methods with their schemas, options and formats: requested from a worker once, ahead of need."""
        if self._catalogue is None or (self._catalogue.done() and self._catalogue.exception()):
            self._catalogue = asyncio.create_task(self._ask_catalogue())
        return await asyncio.shield(self._catalogue)

    async def _ask_catalogue(self) -> Mapping[str, Any]:
        child = await self.children.take()
        try:
            return await child.ask("methods", {})
        finally:
            await child.end()

    def knows_tour(self) -> bool:
        """Whether its five sentences were read, at this start or before."""
        mark = mark_of(_TOUR)
        return mark is not None and mark.exists()

    def remember_tour(self) -> None:
        """For the next start."""
        if (mark := mark_of(_TOUR)) is not None:
            make_mark(mark)

    @asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        """A worker process waits from the start, no run is forgotten, and nothing is left at the end."""
        self.children.prepare()
        sweeping = asyncio.create_task(self._sweep())
        warming = asyncio.create_task(self._warm())
        listing = asyncio.create_task(self._list())
        try:
            yield
        finally:
            for task in (sweeping, warming, listing, self._catalogue):
                if task is not None:
                    task.cancel()
                    with suppress(BaseException):
                        await task
            await self.workspaces.end_all()
            await self.children.end()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            await self.workspaces.sweep()

    async def _list(self) -> None:
        # the next request for it raises the fault
        with suppress(Broken):
            await self.catalogue()

    async def _warm(self) -> None:
        """Compile at the first start of a version, so that the first run need not wait for it."""
        mark = mark_of(f"compiled-{__version__}-{sys.version_info.major}.{sys.version_info.minor}")
        if mark is None or mark.exists():
            return
        child = await WorkerProcess.start(self.folder)
        try:
            await child.ask("warmup", {})
            make_mark(mark)
        finally:
            await child.end()


def application(site: Site, routes: list[BaseRoute]) -> ASGIApp:
    """All routes, behind the guard."""
    app = Starlette(routes=routes, lifespan=site.lifespan)
    app.state.site = site
    return RequestGuard(app, authority=site.authority, origin=site.origin, find=site.workspaces.find)


def mark_of(name: str) -> Path | None:
    """A file that says that something was done once, no more; None where there is no place for it."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if os.environ.get("TACITA_NO_WARMUP") or not home.startswith(os.sep):
        return None
    return Path(home) / "tacita" / name


def make_mark(mark: Path) -> None:
    """Write it; where that cannot be, it is done once more the next time."""
    with suppress(OSError):
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
