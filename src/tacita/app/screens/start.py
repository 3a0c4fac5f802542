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
    check_supported,
    parameters_in,
    records_from,
    source_of,
    table_from,
)
from .table_state import check_saved


async def home(request: Request) -> Response:
    """The first page, with the tour until it was read."""
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
    """A plan or a saved project, as the body of the request; its data file comes next."""
    workspace = request.state.workspace
    try:
        source = await receive(request, workspace.folder, MOST_BYTES)
    except TooLarge:
        return _refused(workspace.say("open.too-large"))
    try:
        if source.path.suffix == ".json":
            return await _open_project(request, source.path.read_text("utf-8"))
        if source.path.suffix == ".toml":
            return await _open_plan(request, source)
    except ValueError:
        pass
    except NotHeld as error:
        return _refused(workspace.say("open.not-held", name=source.shown_as, fields=str(error)))
    finally:
        source.path.unlink(missing_ok=True)
    return _refused(workspace.say("open.unknown", name=source.shown_as))


def _refused(message: str) -> Response:
    # 200: the request is valid; the fault of the file is shown next to the button
    return JSONResponse({"message": message})


async def _begin(request: Request, kind: str) -> Work:
    """A work in place of the one that is under way, as the page announced next to the button."""
    workspace = request.state.workspace
    await workspace.forget(workspace.work(kind))
    work: Work = workspace.work(kind)
    return work


def _next(request: Request, work: Work) -> Response:
    return JSONResponse({"next": homes(request.app.state.site)[work.kind]})


async def _open_project(request: Request, text: str) -> Response:
    project = opened(text)
    if project["kind"] not in ("microdata", "tables"):
        raise ValueError("of another work")
    if project["kind"] == "tables":
        check_saved(project["said"])
    work = await _begin(request, project["kind"])
    work.history = project.pop("history")
    work.opened = {"from": "project", **project, "parts": project["roles"]}
    return _next(request, work)


async def _open_plan(request: Request, source: Source) -> Response:
    arguments = {"path": str(source.path), "shown_as": source.shown_as}
    job = Job(request.state.workspace, "plan", arguments, lambda _job: None, quiet=True)
    await job.settled(60)
    if job.state != "done":
        return JSONResponse({"message": job.message, "language": job.language})
    kind, sections = job.answer["kind"], job.answer["sections"]
    sections.pop("version", None)
    check_supported(kind, sections, parameters_in(await request.app.state.site.catalogue()))
    if kind == "records":
        waiting, draft = records_from(sections)
        work = await _begin(request, "microdata")
        work.opened, work.draft = waiting, draft
    else:
        state, parts = table_from(kind, sections)
        work = await _begin(request, "tables")
        work.opened = {"from": "plan", "source": source_of(sections), "said": state, "parts": parts}
    return _next(request, work)


ROUTES = [
    Route("/", home),
    Route("/tour", tour_done, methods=["POST"]),
    Route("/open", open_file, methods=["PUT"]),
]
