"""The first page: three jobs, a plan or a project to open, the demo."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tacita.app.server.history import MOST_BYTES, opened
from tacita.app.server.jobs import Job
from tacita.app.server.page_frame import homes, page, seen_at
from tacita.app.server.uploads import Source, TooLarge, receive
from tacita.app.server.workspaces import Work

from .import_plan import (
    NotHeld,
    parameters_in,
    records_from,
    refuse_beyond,
    source_of,
    table_from,
)
from .table_state import check_said


async def home(request: Request) -> Response:
    """Where everybody begins; who was here before is spared the tour."""
    workspace = request.state.workspace
    tour = workspace.tour or request.query_params.get("tour") == "shown"
    under_way = [
        {
            "kind": work.kind,
            "name": _called(work),
            "count": len(work.history),
            "waits": work.opened is not None,
        }
        for work in workspace.works.values()
        if work.kind != "fuzzy" and (work.roles_saved or work.opened is not None or len(work.history))
    ]
    return page(request, "start.html", tour=tour, under_way=under_way)


def _called(work: Work) -> str:
    if work.opened is not None:
        return str((work.opened["source"] or {}).get("shown_as", "?"))
    return work.source.shown_as if work.source is not None else "?"


async def tour_done(request: Request) -> Response:
    """Five sentences are read once."""
    request.app.state.site.remember_tour()
    request.state.workspace.tour = False
    return seen_at("/")


async def open_file(request: Request) -> Response:
    """A plan or a saved project, as the body of the request; its data is asked for next."""
    workspace = request.state.workspace
    try:
        given = await receive(request, workspace.folder, MOST_BYTES)
    except TooLarge:
        return _refused(workspace.say("open.too-large"))
    try:
        if given.path.suffix == ".json":
            return await _open_project(request, given.path.read_text("utf-8"))
        if given.path.suffix == ".toml":
            return await _open_plan(request, given)
    except ValueError:
        pass
    except NotHeld as problem:
        return _refused(workspace.say("open.not-held", name=given.shown_as, fields=str(problem)))
    finally:
        given.path.unlink(missing_ok=True)
    return _refused(workspace.say("open.unknown", name=given.shown_as))


def _refused(message: str) -> Response:
    # 200: the request was well made, and what is wrong with the file is said beside the button
    return JSONResponse({"message": message})


async def _begin(request: Request, kind: str) -> Work:
    """A work in place of the one that is under way: the page said so beside the button."""
    workspace = request.state.workspace
    await workspace.forget(workspace.work(kind))
    work: Work = workspace.work(kind)
    return work


def _next(request: Request, work: Work) -> Response:
    return JSONResponse({"next": homes(request.app.state.site)[work.kind]})


async def _open_project(request: Request, text: str) -> Response:
    told = opened(text)
    if told["kind"] not in ("microdata", "tables"):
        raise ValueError("of another work")
    if told["kind"] == "tables":
        check_said(told["said"])
    work = await _begin(request, told["kind"])
    work.history = told.pop("history")
    work.opened = {"from": "project", **told, "parts": told["roles"]}
    return _next(request, work)


async def _open_plan(request: Request, given: Source) -> Response:
    asked = {"path": str(given.path), "shown_as": given.shown_as}
    job = Job(request.state.workspace, "plan", asked, lambda _job: None, quiet=True)
    await job.settled(60)
    if job.state != "done":
        return JSONResponse({"message": job.message, "language": job.language})
    kind, sections = job.answer["kind"], job.answer["sections"]
    sections.pop("version", None)
    refuse_beyond(kind, sections, parameters_in(await request.app.state.site.catalogue()))
    if kind == "records":
        waiting, draft = records_from(sections)
        work = await _begin(request, "microdata")
        work.opened, work.draft = waiting, draft
    else:
        said, parts = table_from(kind, sections)
        work = await _begin(request, "tables")
        work.opened = {"from": "plan", "source": source_of(sections), "said": said, "parts": parts}
    return _next(request, work)


ROUTES = [
    Route("/", home),
    Route("/tour", tour_done, methods=["POST"]),
    Route("/open", open_file, methods=["PUT"]),
]
