"""Microdata, first step: a file, how it is read, what is in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tacita.app.server.application import Screen
from tacita.app.server.jobs import Job
from tacita.app.server.page_frame import fields_of, screen, seen_at, work_of
from tacita.app.server.plan_basis import KEY, chosen_from, declared_from
from tacita.app.server.uploads import Source, TooLarge, receive
from tacita.app.server.workspaces import Work, Workspace

PATH = "/microdata/data"
_ROWS = 8
DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
ENCODINGS = ("utf-8", "cp1252", "latin-1", "utf-16")
_DEMO = "survey.csv"


async def show(request: Request) -> Response:
    """What was loaded; its values only on request."""
    work = work_of(request)
    rows: list[list[str]] = []
    if request.query_params.get("values") == "shown" and work.source is not None and not work.running:
        arguments = {"source": work.source.as_argument(), "rows": _ROWS}
        # values are drawn once, and not kept
        job = Job(request.state.workspace, "preview", arguments, lambda _job: None, quiet=True)
        await job.settled(20)
        rows = job.answer.get("rows", [])
    options = (work.source.options if work.source is not None else None) or {}
    return screen(
        request,
        "data",
        "data.html",
        rows=rows,
        reading=options if "encoding" in options else {},
        delimiters=DELIMITERS,
        encodings=[*ENCODINGS, *({options.get("encoding", "utf-8")} - set(ENCODINGS))],
    )


async def upload(request: Request) -> Response:
    """A file as the body of the request; the browser loads the page again after it."""
    work = work_of(request)
    if work.job is not None:
        await work.job.cancel()
    try:
        source = await receive(request, work.folder)
    except TooLarge:
        return JSONResponse({"message": request.state.workspace.say("data.too-large")})
    await _look_at(request, work, source)
    return JSONResponse({"next": PATH})


async def demo(request: Request) -> Response:
    """The made-up survey of firms."""
    work = work_of(request)
    if work.job is not None:
        await work.job.cancel()
    job = _load_demo(request.state.workspace, work)
    await job.settled(2)
    return seen_at(PATH)


def load_demo(workspace: Workspace) -> None:
    """For a server that was started with it: the survey is there when the browser is."""
    _load_demo(workspace, workspace.work("microdata"))


def _load_demo(workspace: Workspace, work: Work) -> Job:
    source = Source(
        path=work.folder / f"source-demo-{len(list(work.folder.iterdir()))}.csv", shown_as=_DEMO, size=0
    )

    def then(job: Job) -> None:
        if job.state == "done":
            source.size = source.path.stat().st_size
            work.job = _profile(workspace, work, source)

    work.job = Job(workspace, "demo", {"path": str(source.path)}, then)
    return work.job


async def dialect(request: Request) -> Response:
    """Read the file in another way."""
    work, form = work_of(request), await fields_of(request)
    if work.source is None or work.running:
        return seen_at(PATH)
    source = Source(path=work.source.path, shown_as=work.source.shown_as, size=work.source.size)
    source.options = {
        **(work.source.options or {}),
        "delimiter": DELIMITERS.get(form.get("delimiter", ""), ","),
        "decimal": form.get("decimal", "."),
        "encoding": form.get("encoding", "utf-8"),
    }
    await _look_at(request, work, source)
    return seen_at(PATH)


async def _look_at(request: Request, work: Work, source: Source) -> None:
    work.job = _profile(request.state.workspace, work, source)
    await work.job.settled(2)


def _profile(workspace: Workspace, work: Work, source: Source) -> Job:
    opened = work.opened or {}
    if source.options is None:
        source.options = (opened.get("source") or {}).get("options")

    def then(job: Job) -> None:
        if job.state == "done" and (lacking := _lacking(opened, job.answer["columns"])):
            # what was opened goes on waiting for its file
            job.refuse(workspace.say("data.lacks", columns=", ".join(lacking)))
        if job.state == "done":
            _take(work, source, job.answer)
        elif work.source is None or source.path != work.source.path:
            source.path.unlink(missing_ok=True)

    return Job(workspace, "profile", {"source": source.as_argument(), "plan": opened.get("plan")}, then)


def _lacking(opened: Mapping[str, Any], columns: Sequence[Mapping[str, Any]]) -> list[str]:
    """Columns that a project names and the file lacks; those of a plan are checked by the worker."""
    known = {column["name"] for column in columns}
    return [name for name, role in opened.get("roles", {}).items() if role != "other" and name not in known]


def _take(work: Work, source: Source, profile: dict[str, Any]) -> None:
    """A file that could be read takes the place of the one before; what was opened for it is used."""
    if work.source is not None and work.source.path != source.path:
        work.source.path.unlink(missing_ok=True)
    source.options, source.records = profile["options"], profile["records"]
    source.fingerprint = profile["fingerprint"]
    same = [column["name"] for column in work.columns] == [column["name"] for column in profile["columns"]]
    work.source, work.columns, work.exposure = source, profile["columns"], None
    guessed = {column["name"]: column for column in work.columns}
    kinds = {name: column["kind"] for name, column in guessed.items()}
    opened, work.opened = work.opened, None
    if opened is not None and opened["from"] == "project":
        known = {name: role for name, role in opened["roles"].items() if name in guessed}
        work.roles = {name: known.get(name, column["guess"]["role"]) for name, column in guessed.items()}
        work.kinds = kinds | {name: kind for name, kind in opened["kinds"].items() if name in kinds}
        work.declared, work.ending, work.roles_saved = opened["declared"], opened["ending"], True
    elif opened is not None:
        plan = opened["plan"]
        section, steps = plan.get("roles", {}), plan.get("steps") or ()
        if not steps and "quasi" in section:
            # 'numeric' has become names
            section = {**section, "quasi": profile["quasi"]}
        roles, declared = chosen_from(section, list(guessed), steps)
        work.roles, work.kinds, work.roles_saved = roles, kinds | declared, True
        work.declared = declared_from(section, plan.get("protect", {}))
        work.ending = opened["ending"]
    elif not same or not work.roles_saved:
        work.roles = {name: column["guess"]["role"] for name, column in guessed.items()}
        work.kinds, work.roles_saved = kinds, False
        # the same key in several files is what ties them together
        work.declared = {} if work.key is None else {KEY: work.key.shown_as}
        work.making, work.ending = {}, None


async def forget(request: Request) -> Response:
    """Begin again, with nothing left of the file and of all that was made of it."""
    await request.state.workspace.forget(work_of(request))
    return seen_at(PATH)


SCREEN = Screen("microdata", "data", PATH, lambda _work: True, lambda work: work.source is not None)
ROUTES = [
    Route(PATH, show),
    Route(f"{PATH}/file", upload, methods=["PUT"]),
    Route(f"{PATH}/demo", demo, methods=["POST"]),
    Route(f"{PATH}/dialect", dialect, methods=["POST"]),
    Route(f"{PATH}/forget", forget, methods=["POST"]),
]
