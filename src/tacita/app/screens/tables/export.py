"""Tables, last step: the files of a verified run, public and confidential ones apart."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tacita.app.screens.downloads import locked_by
from tacita.app.screens.table_state import nothing_judged
from tacita.app.server.application import Screen
from tacita.app.server.page_frame import screen, seen_at, work_of

from . import rules, suppress

PATH = "/tables/export"
PUBLIC = ("data", "excel", "page", "note")
CONFIDENTIAL = ("report", "record", "plan", "script", "history")


async def show(request: Request) -> Response:
    """What may leave, or why nothing may."""
    work = work_of(request)
    if not rules.done(work):
        return seen_at(rules.PATH)
    work.history.choose(request.query_params.get("node"))
    node = work.history.current
    lock = locked_by(work, node)
    adjusted = node is not None and "adjust" in node.plan
    return screen(
        request,
        "export",
        "tables_export.html",
        node=node,
        lock=None if lock is None else lock.replace("export.", "take."),
        unjudged=node is not None and nothing_judged(node.answer),
        public=PUBLIC if adjusted else PUBLIC[:-1],
        confidential=CONFIDENTIAL,
    )


SCREEN = Screen("tables", "export", PATH, suppress.verified)
ROUTES = [Route(PATH, show, methods=["GET"])]
