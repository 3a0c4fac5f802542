"""What every screen can do: language and theme, cancel and stop, end and delete."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from tacita.app.server.page_frame import STEPS, THEMES, fields_of, page, seen_at
from tacita.app.server.texts import LANGUAGES
from tacita.app.server.workspaces import Work


def _back(request: Request) -> str:
    """The page that sent a form, of this site alone."""
    found = urlsplit(request.headers.get("referer", ""))
    ours = f"{found.scheme}://{found.netloc}" == request.app.state.site.origin
    return found.path + (f"?{found.query}" if found.query else "") if ours and found.path else "/"


async def settings(request: Request) -> Response:
    """Language and theme of this browser."""
    given, workspace = await fields_of(request), request.state.workspace
    if given.get("language") in LANGUAGES:
        workspace.language = given["language"]
    if given.get("theme") in THEMES:
        workspace.theme = given["theme"]
    return seen_at(_back(request))


def _named(request: Request) -> Work | None:
    kind = request.path_params["work"]
    found: Work | None = request.state.workspace.works.get(kind) if kind in STEPS else None
    return found


async def cancel(request: Request) -> Response:
    """End what runs; nothing is written."""
    work = _named(request)
    if work is None:
        return PlainTextResponse("There is nothing to cancel.\n", 404)
    if work.job is not None:
        await work.job.cancel()
    return seen_at(_back(request))


async def enough(request: Request) -> Response:
    """Let a search end with the best it has."""
    work = _named(request)
    if work is None:
        return PlainTextResponse("There is nothing to stop.\n", 404)
    if work.job is not None:
        work.job.enough()
    return seen_at(_back(request))


async def end(request: Request) -> Response:
    """Delete everything of this browser. The page that says so is the last of it."""
    said = page(request, "ended.html")
    await request.app.state.site.workspaces.end(request.state.workspace)
    return said


async def ask_end(request: Request) -> Response:
    """Whether that is meant: nothing of it comes back."""
    return page(request, "end.html")


ROUTES = [
    Route("/settings", settings, methods=["POST"]),
    Route("/{work}/cancel", cancel, methods=["POST"]),
    Route("/{work}/enough", enough, methods=["POST"]),
    Route("/end", ask_end, methods=["GET"]),
    Route("/end", end, methods=["POST"]),
]
