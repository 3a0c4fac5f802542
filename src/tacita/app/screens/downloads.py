"""What may leave: a fixed list of names, of a node that is verified and whose warnings were read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from tacita.app.server.history import REPORT, Node, project
from tacita.app.server.page_frame import fields_of, seen_at, work_of
from tacita.app.server.plan_basis import basis_of
from tacita.app.server.workspaces import Work

from .hierarchy_state import files_of
from .table_state import saved_state

_MOST_HIERARCHIES = 60
# Public and confidential files: never in one list.
PUBLIC = ("data", "note")
CONFIDENTIAL = ("report", "plan", "script", "history")


def locked_by(work: Work, node: Node | None) -> str | None:
    """What keeps the files of a node here, as a key of the texts; nothing where they may be had."""
    if node is None:
        return "export.no-node"
    if node.state != "verified":
        return "export.not-verified"
    if node.basis != basis_of(work):
        # by the roles chosen since, other columns may identify respondents
        return "export.stale"
    if not node.files:
        return "export.no-files"
    read = {warning["name"] for warning in node.answer.get("warnings", ())} <= set(node.acknowledged)
    return None if read else "export.unread"


def _file(name: str, called: str) -> Callable[[Work, Node], tuple[Response, str]]:
    def response_of(work: Work, node: Node) -> tuple[Response, str]:
        ending = node.answer["ending"] if name == "release" else PurePosixPath(name).suffix
        path = work.folder_of(node) / (f"release{ending}" if name == "release" else name)
        return FileResponse(path, media_type="application/octet-stream"), f"{called}{ending}"

    return response_of


def _text(key: str, called: str) -> Callable[[Work, Node], tuple[Response, str]]:
    def response_of(_work: Work, node: Node) -> tuple[Response, str]:
        return PlainTextResponse(node.answer[key], media_type="application/octet-stream"), called

    return response_of


def _project(work: Work, _node: Node) -> tuple[Response, str]:
    state = saved_state(work) if work.kind == "tables" else None
    return PlainTextResponse(project(work, state), media_type="application/octet-stream"), "project.json"


def _hierarchy(at: int) -> Callable[[Work, Node], tuple[Response, str]]:
    """A file that the plan of a node names: it is still the one of the run, or the node would be stale."""

    def response_of(work: Work, node: Node) -> tuple[Response, str]:
        names = files_of(node.plan)
        source = work.auxiliary.get(names[at]) if at < len(names) else None
        if source is None:
            return PlainTextResponse("This release has no such file.\n", 404), ""
        return FileResponse(source.path, media_type="application/octet-stream"), source.shown_as

    return response_of


_OF_RECORDS: dict[str, Callable[[Work, Node], tuple[Response, str]]] = {
    "data": _file("release", "protected"),
    "note": _file("note.html", "note"),
    "report": _file("report.html", "report"),
    "plan": _text("toml", "plan.toml"),
    "script": _text("script", "protect.py"),
    "history": _project,
}
_OF_TABLES: dict[str, Callable[[Work, Node], tuple[Response, str]]] = {
    **_OF_RECORDS,
    "data": _file("release.csv", "published"),
    "excel": _file("release.xlsx", "published"),
    "page": _file("release.html", "published"),
    "record": _file("record.json", "record"),
}
_HIERARCHIES = {f"hierarchy-{at}": _hierarchy(at) for at in range(_MOST_HIERARCHIES)}
_NAMES = {"microdata": {**_OF_RECORDS, **_HIERARCHIES}, "tables": _OF_TABLES}


async def get(request: Request) -> Response:
    """One file of the chosen node."""
    work = work_of(request)
    response_of = _NAMES[work.kind].get(request.path_params["name"])
    if response_of is None:
        return PlainTextResponse("There is no such file.\n", 404)
    node = work.history.find(request.query_params.get("node")) or work.history.current
    if node is None or locked_by(work, node) is not None:
        return PlainTextResponse("Only a verified release whose warnings were read can leave.\n", 409)
    response, ending = response_of(work, node)
    if isinstance(response, FileResponse) and not Path(response.path).is_file():
        return PlainTextResponse("This release has no such file.\n", 404)
    stem = PurePosixPath(work.source.shown_as).stem if work.source is not None else "tacita"
    # a hierarchy is called as the plan calls it; a page is never shown from here: reports are downloads
    named = ending if request.path_params["name"].startswith("hierarchy-") else f"{stem}-{ending}"
    name = quote(named, safe="")
    response.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{name}"
    return response


async def refused_report(request: Request) -> Response:
    """The confidential report of a release that was refused, to look at; it has no other file."""
    work = work_of(request)
    node = work.history.find(request.query_params.get("node"))
    if node is None or node.state != "refused" or not node.reported:
        return PlainTextResponse("There is no report of a refused release.\n", 404)
    stem = PurePosixPath(work.source.shown_as).stem if work.source is not None else "tacita"
    name = quote(f"{stem}-refused-{node.id}-CONFIDENTIAL.html", safe="")
    response = FileResponse(work.folder_of(node) / REPORT, media_type="application/octet-stream")
    response.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{name}"
    return response


async def acknowledge(request: Request) -> Response:
    """The warnings of a node were read; that is recorded."""
    work = work_of(request)
    node = work.history.find(str((await fields_of(request)).get("node", "")))
    if node is not None and node.state == "verified":
        work.history.acknowledge(node.id)
    return seen_at(f"/{work.kind}/export")


ROUTES = [
    route
    for kind in _NAMES
    for route in (
        Route(f"/{kind}/get/{{name}}", get),
        Route(f"/{kind}/acknowledge", acknowledge, methods=["POST"]),
    )
] + [Route("/microdata/refused-report", refused_report)]
