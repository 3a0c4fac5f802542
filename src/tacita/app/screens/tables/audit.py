"""Tables, fourth step: what an attacker computes, of the chosen run or of a table that others published."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tacita.app.screens.table_state import asked_of, looked_folder, nothing_judged, plan_of, table_state
from tacita.app.server.application import Screen
from tacita.app.server.jobs import Job
from tacita.app.server.page_frame import screen, seen_at, start, work_of
from tacita.app.server.uploads import TooLarge, receive

from . import rules, suppress
from .table_grid import asked, spoken, strip

PATH = "/tables/audit"
_FORMS = (".csv", ".xlsx", ".html")


async def show(request: Request) -> Response:
    """The range of each sensitive cell, closest first; and the verdict on a file from elsewhere."""
    work = work_of(request)
    if not rules.done(work):
        return seen_at(rules.PATH)
    work.history.choose(request.query_params.get("node"))
    node, found = work.history.current, {}
    if node is not None and node.state == "verified" and node.files and not work.running:
        found = await asked(request, "audited", {"folder": str(work.folder_of(node))})
    foreign = table_state(work).foreign
    return screen(
        request,
        "audit",
        "tables_audit.html",
        told=table_state(work),
        node=node,
        found=_drawn(request, found),
        unjudged=node is not None and nothing_judged(node.answer),
        foreign=None if foreign is None else _drawn(request, foreign),
        problems=suppress.PROBLEMS,
    )


def _drawn(request: Request, found: dict[str, Any]) -> dict[str, Any]:
    """Rows with their ranges in words, and a strip where the true value is known."""
    workspace = request.state.workspace
    style = workspace.style
    rows = [
        {
            **each,
            "range": spoken(each["low"], each["high"], workspace.say, style=style),
            "wanted": spoken(each["wanted_low"], each["wanted_high"], workspace.say, style=style)
            if each["wanted_low"] is not None or each["wanted_high"] is not None
            else "",
            "strip": strip(each["value"], each).split() if "value" in each else None,
        }
        for each in found.get("rows", ())
    ]
    return {**found, "rows": rows}


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
    told = table_state(work)
    problem = request.query_params.get("problem", "")
    asked_for: dict[str, Any] = {"problem": problem if problem in suppress.PROBLEMS else "interval"}
    if told.asked.get("accept") and not told.judged:
        asked_for["accept"] = told.asked["accept"]
    given = asked_of(work, plan_of(work, suppress=asked_for), looked_folder(work))
    given["published"] = str(source.path)
    given["names"] = {**given["names"], source.path.name: source.shown_as}
    told.foreign = None

    def then(job: Job) -> None:
        source.path.unlink(missing_ok=True)
        if job.state == "done":
            told.foreign = {**job.answer, "file": source.shown_as}

    job = start(request, work, "audit", given, then)
    await job.settled(0.3)
    return JSONResponse({"next": PATH})


SCREEN = Screen("tables", "audit", PATH, rules.done, suppress.audited)
ROUTES = [Route(PATH, show, methods=["GET"]), Route(f"{PATH}/file", upload, methods=["PUT"])]
