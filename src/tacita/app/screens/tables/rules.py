"""Tables, second step: which cells are sensitive, by several rules at once, before suppression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tacita.app.screens.table_state import looked_folder, plan_of, request_of, table_state
from tacita.app.server.application import Screen, Site
from tacita.app.server.jobs import Job
from tacita.app.server.page_frame import fields_of, screen, seen_at, start, work_of
from tacita.app.server.workspaces import Work
from tacita.core.spec.schema_forms import fields_of as form_of
from tacita.core.spec.schema_forms import value_of, values_of

from . import build
from .table_grid import drawn_grid

PATH = "/tables/rules"
# Of lists of cells, which have no rules: how far a sensitive cell must stay open, in percent.
_LEVELS = {
    "lower": {"type": "number", "default": 15.0},
    "upper": {"type": "number", "default": 15.0},
    "sliding": {"type": "number", "default": 0.0},
}


async def rules_of(request: Request) -> list[Mapping[str, Any]]:
    """All rules, each with the schema of its parameters."""
    site: Site = request.app.state.site
    return [method for method in (await site.catalogue())["methods"] if method["kind"] == "rule"]


async def show(request: Request) -> Response:
    """The rules with their parameters, and the table with what they mark."""
    work = work_of(request)
    state = table_state(work)
    if not build.done(work):
        return seen_at(build.PATH)
    offered = [
        {
            "name": rule["name"],
            "summary": rule["summary"],
            "on": rule["name"] in state.rules,
            "fields": form_of(rule["parameters"]["properties"], state.rules.get(rule["name"], {})),
        }
        for rule in await rules_of(request)
    ]
    counts = state.looked["by_rule"] if state.looked is not None else []
    grid = await drawn_grid(request, looked_folder(work))
    return screen(
        request,
        "rules",
        "tables_rules.html",
        state=state,
        offered=offered,
        counts=dict(zip(state.rules, counts, strict=False)),
        levels=form_of(_LEVELS, state.levels),
        grid=grid,
    )


async def save(request: Request) -> Response:
    """The rules that hold; then the cells that they mark are counted."""
    work, form = work_of(request), await fields_of(request)
    state = table_state(work)
    if not build.done(work) or work.running:
        return seen_at(PATH)
    if state.of_records:
        state.rules = {
            rule["name"]: _parameters(rule, form) for rule in await rules_of(request) if _on(rule, form)
        }
    elif state.kind != "jj":
        typed = {name: form.get(f"param.{name}", "").strip() for name in _LEVELS}
        named = {name: text for name, text in typed.items() if text and name not in work.draft["table"]}
        state.levels = {name: value_of(_LEVELS[name], text) for name, text in named.items()}
    state.looked = None

    def then(job: Job) -> None:
        if job.state == "done":
            state.looked = job.answer

    job = start(request, work, "table", request_of(work, plan_of(work), looked_folder(work)), then)
    await job.settled(0.7)
    return seen_at(PATH)


def _on(rule: Mapping[str, Any], form: Mapping[str, str]) -> bool:
    return f"rule.{rule['name']}" in form


def _parameters(rule: Mapping[str, Any], form: Mapping[str, str]) -> dict[str, Any]:
    schema, prefix = rule["parameters"]["properties"], f"param.{rule['name']}."
    typed = {name: form[f"{prefix}{name}"] for name in schema if f"{prefix}{name}" in form}
    return values_of(schema, typed, list(schema))


def done(work: Work) -> bool:
    """Whether it is known which cells are sensitive."""
    return build.done(work) and table_state(work).sensitive is not None


def judged(work: Work) -> bool:
    """Whether the rules were applied, and some rule, status or mark tells which cells are sensitive."""
    return table_state(work).looked is not None and table_state(work).judged


SCREEN = Screen("tables", "rules", PATH, build.done, judged)
ROUTES = [Route(PATH, show, methods=["GET"]), Route(PATH, save, methods=["POST"])]
