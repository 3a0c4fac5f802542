"""The first page: three jobs, a plan or a project to open, the demo."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tacita.web.history import opened
from tacita.web.jobs import Job
from tacita.web.pages import page
from tacita.web.uploads import TooLarge, receive
from tacita.web.workspaces import Work

_MOST_BYTES = 64_000_000


async def home(request: Request) -> Response:
    """Where everybody begins."""
    return page(request, "start.html")


async def open_file(request: Request) -> Response:
    """A plan or a saved project, as the body of the request; its data is asked for next."""
    workspace = request.state.workspace
    try:
        given = await receive(request, workspace.folder, _MOST_BYTES)
    except TooLarge:
        return _refused(workspace.say("open.too-large"))
    try:
        if given.path.suffix == ".json":
            return _open_project(request, given.path.read_text("utf-8"))
        if given.path.suffix == ".toml":
            return await _open_plan(request, str(given.path))
    except ValueError:
        pass
    finally:
        given.path.unlink(missing_ok=True)
    return _refused(workspace.say("open.unknown", name=given.shown_as))


def _refused(message: str) -> Response:
    # 200: the request was well made, and what is wrong with the file is said beside the button
    return JSONResponse({"message": message})


def _begin(request: Request) -> Work:
    workspace = request.state.workspace
    workspace.works.pop("microdata", None)
    work: Work = workspace.work("microdata")
    return work


def _open_project(request: Request, text: str) -> Response:
    told = opened(text)
    if told["kind"] != "microdata":
        raise ValueError("of another work")
    work = _begin(request)
    work.history = told.pop("history")
    work.opened = {"from": "project", **told}
    return JSONResponse({"next": "/microdata/data"})


async def _open_plan(request: Request, path: str) -> Response:
    work = _begin(request)
    job = Job(request.state.workspace, "plan", {"path": path}, lambda _job: None, quiet=True)
    await job.settled(60)
    if job.state != "done":
        return _refused(job.message)
    sections = job.answer["sections"]
    if job.answer["kind"] != "records":
        raise ValueError("of another work")
    source = sections.pop("input", {})
    name = source.pop("path", "").replace("\\", "/").rpartition("/")[2]
    reading = {key: source[key] for key in ("delimiter", "decimal", "encoding") if key in source}
    work.opened = {
        "from": "plan",
        "source": {"shown_as": name, "options": reading or None, "fingerprint": None},
        "section": sections.get("roles", {}),
    }
    work.draft = {key: sections[key] for key in ("protect", "steps", "measure", "require") if key in sections}
    return JSONResponse({"next": "/microdata/data"})


ROUTES = [Route("/", home), Route("/open", open_file, methods=["PUT"])]
