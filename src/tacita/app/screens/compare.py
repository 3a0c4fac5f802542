"""Microdata, fourth step: lists of values, a trial for each combination, all of them on the map."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tacita.app.server.application import Screen
from tacita.app.server.jobs import Job
from tacita.app.server.page_frame import fields_of, screen, seen_at, start, work_of
from tacita.app.server.workspaces import Work
from tacita.core.spec.schema_forms import fields_of as schema_fields
from tacita.core.spec.schema_forms import kind_of, listed

from .draft_plan import Catalogue, current, plan_of, steps_of
from .protect import lock
from .protect import ready as ready_to_protect
from .runs import Trials

PATH = "/microdata/compare"
# More trials than this are for the command line.
_MOST = 100


async def show(request: Request) -> Response:
    """Values to try, and the trials that were."""
    work = work_of(request)
    if work.source is None:
        return seen_at("/microdata/data")
    if "node" in request.query_params:
        work.draft = {}
    work.history.choose(request.query_params.get("node"))
    catalogue = Catalogue(await request.app.state.site.catalogue())
    method, settings = _settings_of(work)
    grid = work.job if work.job is not None and work.job.verb == "grid" else None
    properties = catalogue.parameters(method)
    return screen(
        request,
        "compare",
        "compare.html",
        lock=lock(work) or ("compare.steps" if current(work).get("steps") else None),
        method=method,
        about=catalogue.chain(method),
        schema=schema_fields(properties, settings),
        families=catalogue.families(work, in_steps=False),
        others=[entry for entry in catalogue.methods.values() if entry["kind"] == catalogue.kind(method)],
        also=settings.get("also", []),
        problems={} if grid is None else grid.fields,
        refused=grid,
    )


def _settings_of(work: Work) -> tuple[str, dict[str, Any]]:
    """The method to vary, and what was typed; before that, the plan that is gone on from."""
    if settings := work.draft.get("grid"):
        return settings["method"], settings
    step = steps_of(current(work))[0]
    return step["method"], step


async def save(request: Request) -> Response:
    """Keep what was typed; with the button, try every combination."""
    work, form = work_of(request), await fields_of(request)
    if work.source is None or lock(work) is not None or work.running or current(work).get("steps"):
        return seen_at(PATH)
    catalogue = Catalogue(await request.app.state.site.catalogue())
    method = form.get("method", "")
    properties = catalogue.parameters(method)
    if not properties and method not in catalogue.methods:
        return seen_at(PATH)
    known = {name: form[f"g.{name}"].strip() for name in properties if f"g.{name}" in form}
    also = [name for name in form.getlist("also") if name in catalogue.methods and name != method]
    typed = {name: text for name, text in known.items() if text}
    work.draft = {**work.draft, "grid": {**typed, "method": method, "also": also}}
    if form.get("do") == "run":
        await _try(request, work, catalogue, method, typed, also)
    return seen_at(PATH)


async def _try(
    request: Request, work: Work, catalogue: Catalogue, method: str, typed: dict[str, str], also: list[str]
) -> None:
    properties, workspace = catalogue.parameters(method), request.state.workspace
    numeric = ("integer", "number", "free", "each")
    varied = {
        name: [_plain(value) for value in listed(text, kind_of(properties[name]) in numeric)]
        for name, text in typed.items()
    }
    around = {
        name: value
        for name, value in current(work).get("protect", {}).items()
        if name in catalogue.options and name != "seed"
    }
    compare = {"method": [method, *also], **varied}

    def then(job: Job) -> None:
        if job.state != "done" or work.source is None:
            return
        trials = job.answer["trials"]
        if len(trials) > _MOST:
            job.refuse(workspace.say("compare.too-many", count=len(trials), most=_MOST))
            return
        draft = {name: part for name, part in current(work).items() if name != "protect"}
        plans = [plan_of(work, {**draft, "protect": trial}, catalogue) for trial in trials]
        work.job = Trials(workspace, work, work.source, plans)

    job = start(request, work, "grid", {"protect": {**around, "method": method}, "compare": compare}, then)
    await job.settled(0.3)


def _plain(value: Any) -> Any:
    """Ticks of a list are typed as words."""
    return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value


SCREEN = Screen("microdata", "compare", PATH, ready_to_protect)
ROUTES = [Route(PATH, show, methods=["GET"]), Route(PATH, save, methods=["POST"])]
