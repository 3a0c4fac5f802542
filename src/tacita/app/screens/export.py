"""Microdata, last step: the files of a verified run, public and confidential ones apart."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tacita.app.server.application import Screen
from tacita.app.server.page_frame import screen, seen_at, work_of
from tacita.app.server.plan_basis import basis_of
from tacita.app.server.refusals import accepted

from .downloads import CONFIDENTIAL, PUBLIC, locked_by
from .hierarchy_state import files_of
from .protect import done as protected

PATH = "/microdata/export"


async def show(request: Request) -> Response:
    """What may leave, or why nothing may."""
    work = work_of(request)
    if work.source is None:
        return seen_at("/microdata/data")
    work.history.choose(request.query_params.get("node"))
    node, say = work.history.current, request.state.workspace.say
    return screen(
        request,
        "export",
        "export.html",
        node=node,
        lock=locked_by(work, node),
        stale=node is not None and node.basis != basis_of(work),
        accepted_risks=[]
        if node is None
        else [accepted(name, say) for name in node.answer.get("accepted_risks", ())],
        public=PUBLIC,
        confidential=CONFIDENTIAL,
        hierarchies=[] if node is None else files_of(node.plan),
    )


SCREEN = Screen("microdata", "export", PATH, protected)
ROUTES = [Route(PATH, show, methods=["GET"])]
