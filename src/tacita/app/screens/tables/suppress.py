"""Tables, third step: suppression or adjustment, the progress of a run, and its result."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tacita.app.screens.table_state import looked_folder, nothing_judged, plan_of, request_of, table_state
from tacita.app.server.application import Screen, Site
from tacita.app.server.history import Node, State
from tacita.app.server.jobs import Job
from tacita.app.server.page_frame import fields_of, screen, seen_at, start, work_of
from tacita.app.server.plan_basis import basis_of
from tacita.app.server.workspaces import Work
from tacita.core.spec.schema_forms import fields_of as form_of
from tacita.core.spec.schema_forms import values_of

from . import rules
from .table_grid import bounds_chart, drawn_grid

PATH = "/tables/suppress"
PROBLEMS = ("interval", "exact", "general")
OBJECTIVES = ("value", "count", "log", "contributors")
ZEROS = ("", "publish", "withhold")
_KINDS = ("suppression", "adjustment")
# The risk that the user may accept where sensitive cells are unknown.
NO_SENSITIVE_CELLS = "no-sensitive-cells"
# Parameters that stand around those of a method.
_AROUND = ("seconds", "solver")
_BEGINNING: Mapping[str, Any] = {
    "method": "optimal",
    "problem": "interval",
    "objective": "value",
    "time": "",
    "zeros": "",
    "margins": False,
    "strict": False,
    "insiders": False,
    "insist": False,
    "accept": (),
    "seed": "",
}


async def methods_of(request: Request) -> list[Mapping[str, Any]]:
    """Methods of suppression, then those of adjustment."""
    site: Site = request.app.state.site
    return [method for method in (await site.catalogue())["methods"] if method["kind"] in _KINDS]


async def show(request: Request) -> Response:
    """The form, what runs, and what came of the chosen run."""
    work = work_of(request)
    if not rules.done(work):
        return seen_at(rules.PATH)
    work.history.choose(request.query_params.get("node"))
    published = request.query_params.get("view") == "published"
    methods = await methods_of(request)
    seen, grid = await _in_sight(request, work, published)
    node = work.history.current
    settings = _settings_of(work, node)
    style = request.state.workspace.style
    return screen(
        request,
        "suppress",
        "tables_suppress.html",
        state=table_state(work),
        node=node,
        stale=node is not None and node.basis != basis_of(work),
        offered=[_offered(method, settings) for method in methods],
        settings=settings,
        unjudged=node is not None and nothing_judged(node.answer),
        problems_offered=PROBLEMS,
        objectives=_objectives(work, settings),
        known_objectives=OBJECTIVES,
        zeros=ZEROS,
        published=published,
        seen=seen,
        grid=grid,
        chart=bounds_chart(_bounds(work, node), style=style),
        bounds=_bounds(work, node),
        # adjusted values have no pattern whose cost closes in
        searched=work.running or node is None or "adjust" not in node.plan,
    )


def _objectives(work: Work, settings: Mapping[str, Any]) -> list[str]:
    """The costs that a suppressed cell may have; of a list also a column that a plan names."""
    known = OBJECTIVES if table_state(work).of_records else OBJECTIVES[:2]
    return [*dict.fromkeys((*known, settings["objective"]))]


def _settings_of(work: Work, node: Node | None) -> Mapping[str, Any]:
    """The settings that the form shows: of the chosen run, else of the last form or of the opened plan."""
    saved = _saved_settings(work, node)
    signed = {"problem": "general"} if saved.get("signed") else {}
    return {**_BEGINNING, **saved, **signed}


def _saved_settings(work: Work, node: Node | None) -> Mapping[str, Any]:
    if node is None:
        return table_state(work).settings
    section: Mapping[str, Any] = node.plan.get("suppress") or node.plan.get("adjust") or {}
    return section


def _offered(method: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    schema = _schema_of(method)
    own = settings if settings["method"] == method["name"] else {}
    return {**method, "fields": form_of(schema, own)}


def _schema_of(method: Mapping[str, Any]) -> dict[str, Any]:
    """The schemas of the parameters of a method that have a field."""
    properties = method["parameters"]["properties"]
    return {name: schema for name, schema in properties.items() if name not in _AROUND}


def _bounds(work: Work, node: Node | None) -> list[Any]:
    if work.running and work.job is not None and work.job.verb == "publish":
        return [*work.job.bounds]
    return list(node.answer.get("bounds", ())) if node is not None else []


async def _in_sight(
    request: Request, work: Work, published: bool
) -> tuple[Node | None, dict[str, Any] | None]:
    """The run whose table is shown, and its grid: while another runs, the last one stays in sight."""
    while True:
        running = work.running
        seen = work.history.ground(work.history.chosen) if running else work.history.current
        if running and seen is not None and seen.basis != basis_of(work):
            # that was another table
            seen = None
        made = seen is not None and seen.state == "verified" and seen.files
        folder = work.folder_of(seen) if seen is not None and made else looked_folder(work)
        grid = await drawn_grid(request, folder, published=published and made)
        if work.running == running:
            return seen, grid


async def run(request: Request) -> Response:
    """Carry the form out as a plan: a new node of the history."""
    work, form = work_of(request), await fields_of(request)
    if not rules.done(work) or work.running:
        return seen_at(PATH)
    named = {method["name"]: method for method in await methods_of(request)}
    method = named.get(form.get("method", ""), named["optimal"])
    state, before = table_state(work), _saved_settings(work, work.history.current)
    section = _section(method, form, before, judged=state.judged)
    state.settings = section
    way = "suppress" if method["kind"] == "suppression" else "adjust"
    plan = plan_of(work, **{way: section})
    node = work.history.begin(plan, basis_of(work))
    folder = work.folder_of(node)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)

    def then(job: Job) -> None:
        ended: State = "verified" if job.state == "done" else job.state
        if ended != "verified":
            shutil.rmtree(folder, ignore_errors=True)
        answer = {**job.answer, "bounds": job.bounds}
        work.history.end(node.id, ended, answer=answer, message=job.message, fields=job.fields)

    arguments = request_of(work, plan, folder)
    job = start(request, work, "publish", arguments, then, about=node.id, anytime=method["anytime"])
    await job.settled(0.1)
    return seen_at(PATH)


def _section(
    method: Mapping[str, Any], form: Mapping[str, str], before: Mapping[str, Any], *, judged: bool
) -> dict[str, Any]:
    """The section [suppress] or [adjust] of a plan; what no field shows stays as it was before."""
    schema = _schema_of(method)
    prefix = f"param.{method['name']}."
    typed = {name: form[f"{prefix}{name}"] for name in schema if f"{prefix}{name}" in form}
    section: dict[str, Any] = {"method": method["name"], **values_of(schema, typed, list(schema))}
    if form.get("time", "").strip():
        section |= values_of({"time": {"type": "number"}}, {"time": form["time"]}, ["time"])
    if "insist" in form:
        section["insist"] = True
    if before.get("method", "optimal") == method["name"]:
        section |= {name: before[name] for name in _AROUND if name in before}
    if method["kind"] == "adjustment":
        if form.get("seed", "").strip():
            section["seed"] = form["seed"].strip()
        return section | ({"signed": True} if form.get("problem") == "general" else {})
    section["problem"] = form.get("problem", "interval")
    # the box is shown where sensitive cells are unknown; otherwise the setting of a plan is repeated
    if "accept" in form:
        section["accept"] = [NO_SENSITIVE_CELLS]
    elif judged and before.get("accept"):
        section["accept"] = before["accept"]
    # a file of tau-ARGUS has settings of its own where a plan has none: those of the plan are repeated
    objective = form.get("objective", "")
    if objective and (objective != _BEGINNING["objective"] or "objective" in before):
        section["objective"] = objective
    if form.get("zeros") in ZEROS[1:]:
        section["zeros"] = form["zeros"]
    if "margins" in form or "margins" in before:
        section["margins"] = "margins" in form
    return section | {name: True for name in ("strict", "insiders") if name in form}


def verified(work: Work) -> bool:
    """Whether some run made a table that may be published: with these rules, of these files."""
    return work.history.verified_on(basis_of(work))


def audited(work: Work) -> bool:
    """Whether sensitive cells of such a table were attacked: not where they are unknown."""
    basis = basis_of(work)
    return any(
        node.state == "verified" and node.basis == basis and not nothing_judged(node.answer)
        for node in work.history
    )


SCREEN = Screen("tables", "suppress", PATH, rules.done, verified)
ROUTES = [Route(PATH, show, methods=["GET"]), Route(PATH, run, methods=["POST"])]
