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
    address = urlsplit(request.headers.get("referer", ""))
    ours = f"{address.scheme}://{address.netloc}" == request.app.state.site.origin
    return address.path + (f"?{address.query}" if address.query else "") if ours and address.path else "/"


async def settings(request: Request) -> Response:
    """Language and theme of this browser."""
    form, workspace = await fields_of(request), request.state.workspace
    if form.get("language") in LANGUAGES:
        workspace.language = form["language"]
    if form.get("theme") in THEMES:
        workspace.theme = form["theme"]
    return seen_at(_back(request))


def _named(request: Request) -> Work | None:
    kind = request.path_params["work"]
    work: Work | None = request.state.workspace.works.get(kind) if kind in STEPS else None
    return work


async def cancel(request: Request) -> Response:
    """End what runs; nothing is written."""
    work = _named(request)
    if work is None:
        return PlainTextResponse("There is nothing to cancel.\n", 404)
    if work.job is not None:
        await work.job.cancel()
    return seen_at(_back(request))


async def enough(request: Request) -> Response:
    """Stop a search with its best result so far."""
    work = _named(request)
    if work is None:
        return PlainTextResponse("There is nothing to stop.\n", 404)
    if work.job is not None:
        work.job.enough()
    return seen_at(_back(request))


async def end(request: Request) -> Response:
    """Delete everything of this browser. The page that says so is the last of it."""
    response = page(request, "ended.html")
    await request.app.state.site.workspaces.end(request.state.workspace)
    return response


async def ask_end(request: Request) -> Response:
    """Ask for confirmation: what is deleted cannot be restored."""
    return page(request, "end.html")


ROUTES = [
    Route("/settings", settings, methods=["POST"]),
    Route("/{work}/cancel", cancel, methods=["POST"]),
    Route("/{work}/enough", enough, methods=["POST"]),
    Route("/end", ask_end, methods=["GET"]),
    Route("/end", end, methods=["POST"]),
]
