"""The start and the end of the server: an address of this machine alone, a browser, nothing left."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import webbrowser
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import uvicorn
from starlette.routing import BaseRoute

from .application import Screen, Site, application
from .workspaces import Workspace

_PREFIX = "tacita-app-"
_TRIES = 8


class Server(uvicorn.Server):
    """Tells the streams of all pages that it ends, before it waits for them."""

    def __init__(self, config: uvicorn.Config, site: Site) -> None:
        super().__init__(config)
        self._site = site

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal to end."""
        self._site.workspaces.tell_end()
        super().handle_exit(sig, frame)


def serve(
    screens: tuple[Screen, ...],
    routes: list[BaseRoute],
    *,
    port: int = 0,
    browser: bool = True,
    welcome: Callable[[Workspace], None] | None = None,
) -> None:
    """Serve until the process gets a signal to end; `welcome` prepares the workspace of a new browser."""
    sweep()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    (folder / "pid").write_text(str(os.getpid()))
    cleanup = start_cleanup(folder)
    with listening(port) as listener:
        host, bound = listener.getsockname()
        site = Site(host, bound, folder, screens)
        if welcome is not None:
            site.welcome = welcome
        config = uvicorn.Config(
            application(site, routes),
            log_level="error",
            access_log=False,
            lifespan="on",
            http="h11",
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        print(f"tacita app: {site.origin}/enter?token={site.login.token}", flush=True)
        print("It runs on this computer alone. Ctrl-C ends it and deletes its files.", flush=True)
        if browser:
            webbrowser.open(site.login.write_opener(folder, site.origin).as_uri())
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler)
        try:
            Server(config, site).run(sockets=[listener])
        except KeyboardInterrupt:
            pass
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            if cleanup.stdin is not None:
                cleanup.stdin.close()


def listening(port: int) -> socket.socket:
    """A socket on a random address of this machine: cookies are shared by all ports of an address.

    Where the system has only one such address, it is 127.0.0.1.
    """
    for _ in range(_TRIES):
        host = f"127.{1 + secrets.randbelow(254)}.{secrets.randbelow(256)}.{1 + secrets.randbelow(254)}"
        try:
            return socket.create_server((host, port))
        except OSError:
            continue
    return socket.create_server(("127.0.0.1", port))


def start_cleanup(folder: Path) -> subprocess.Popen[bytes]:
    """A small process that deletes the folder however this one ends."""
    program = Path(__file__).with_name("cleanup.py")
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(program), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/" if os.name == "posix" else None,
        # Ctrl-C in the terminal is for the server
        start_new_session=True,
    )


def sweep() -> None:
    """Delete what servers left that are gone, their cleanups with them, as when the machine fell."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            if not _runs(int((folder / "pid").read_text())):
                shutil.rmtree(folder, ignore_errors=True)
        except (OSError, ValueError):
            continue


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
