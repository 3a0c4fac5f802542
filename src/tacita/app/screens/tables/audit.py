"""Tables, fourth step: what an attacker computes, of the chosen run or of a table that others published."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tacita.app.screens.table_state import looked_folder, nothing_judged, plan_of, request_of, table_state
from tacita.app.server.application import Screen
from tacita.app.server.jobs import Job
from tacita.app.server.page_frame import screen, seen_at, start, work_of
from tacita.app.server.uploads import TooLarge, receive

from . import rules, suppress
from .table_grid import ask_worker, spoken, strip

PATH = "/tables/audit"
_FORMS = (".csv", ".xlsx", ".html")


async def show(request: Request) -> Response:
    """The range of each sensitive cell, closest first; and the verdict on a file from elsewhere."""
    work = work_of(request)
    if not rules.done(work):
        return seen_at(rules.PATH)
    work.history.choose(request.query_params.get("node"))
    node, audited = work.history.current, {}
    if node is not None and node.state == "verified" and node.files and not work.running:
        audited = await ask_worker(request, "audited", {"folder": str(work.folder_of(node))})
    foreign = table_state(work).foreign
    return screen(
        request,
        "audit",
        "tables_audit.html",
        state=table_state(work),
        node=node,
        audited=_drawn(request, audited),
        unjudged=node is not None and nothing_judged(node.answer),
        foreign=None if foreign is None else _drawn(request, foreign),
        problems=suppress.PROBLEMS,
    )


def _drawn(request: Request, audited: dict[str, Any]) -> dict[str, Any]:
    """Rows with their ranges in words, and a strip where the true value is known."""
    workspace = request.state.workspace
    style = workspace.style
    rows = [
        {
            **row,
            "range": spoken(row["low"], row["high"], workspace.say, style=style),
            "wanted": spoken(row["wanted_low"], row["wanted_high"], workspace.say, style=style)
            if row["wanted_low"] is not None or row["wanted_high"] is not None
            else "",
            "strip": strip(row["value"], row).split() if "value" in row else None,
        }
        for row in audited.get("rows", ())
    ]
    return {**audited, "rows": rows}


async def upload(request: Request) -> Response:
    """A table that was published elsewhere, of the cells and rules of this one."""
    work, say = work_of(request), request.state.workspace.say
    if not rules.done(work):
        return JSONResponse({"next": rules.PATH})
    if work.job is not None:
        await work.job.cancel()
    try:
        source = await receive(request, work.folder)
    except TooLarge:
        return JSONResponse({"message": say("data.too-large")})
    if source.path.suffix not in _FORMS:
        source.path.unlink(missing_ok=True)
        return JSONResponse({"message": say("audit.forms")})
    state = table_state(work)
    problem = request.query_params.get("problem", "")
    section: dict[str, Any] = {"problem": problem if problem in suppress.PROBLEMS else "interval"}
    if state.settings.get("accept") and not state.judged:
        section["accept"] = state.settings["accept"]
    arguments = request_of(work, plan_of(work, suppress=section), looked_folder(work))
    arguments["published"] = str(source.path)
    arguments["names"] = {**arguments["names"], source.path.name: source.shown_as}
    state.foreign = None

    def then(job: Job) -> None:
        source.path.unlink(missing_ok=True)
        if job.state == "done":
            state.foreign = {**job.answer, "file": source.shown_as}

    job = start(request, work, "audit", arguments, then)
    await job.settled(0.3)
    return JSONResponse({"next": PATH})


SCREEN = Screen("tables", "audit", PATH, rules.done, suppress.audited)
ROUTES = [Route(PATH, show, methods=["GET"]), Route(f"{PATH}/file", upload, methods=["PUT"])]
