"""Tables, second step: which cells are sensitive, by several rules at once, before anything is withheld."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tacita.app.screens.table_state import asked_of, looked_folder, plan_of, table_state
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
    return [each for each in (await site.catalogue())["methods"] if each["kind"] == "rule"]


async def show(request: Request) -> Response:
    """The rules with their parameters, and the table with what they mark."""
    work = work_of(request)
    told = table_state(work)
    if not build.done(work):
        return seen_at(build.PATH)
    offered = [
        {
            "name": rule["name"],
            "summary": rule["summary"],
            "on": rule["name"] in told.rules,
            "fields": form_of(rule["parameters"]["properties"], told.rules.get(rule["name"], {})),
        }
        for rule in await rules_of(request)
    ]
    counts = told.looked["by_rule"] if told.looked is not None else []
    grid = await drawn_grid(request, looked_folder(work))
    return screen(
        request,
        "rules",
        "tables_rules.html",
        told=told,
        offered=offered,
        counts=dict(zip(told.rules, counts, strict=False)),
        levels=form_of(_LEVELS, told.levels),
        grid=grid,
    )


async def save(request: Request) -> Response:
    """The rules that hold; then the cells that they mark are counted."""
    work, given = work_of(request), await fields_of(request)
    told = table_state(work)
    if not build.done(work) or work.running:
        return seen_at(PATH)
    if told.of_records:
        told.rules = {
            rule["name"]: _parameters(rule, given) for rule in await rules_of(request) if _on(rule, given)
        }
    elif told.kind != "jj":
        typed = {name: given.get(f"param.{name}", "").strip() for name in _LEVELS}
        named = {name: text for name, text in typed.items() if text and name not in work.draft["table"]}
        told.levels = {name: value_of(_LEVELS[name], text) for name, text in named.items()}
    told.looked = None

    def then(job: Job) -> None:
        if job.state == "done":
            told.looked = job.answer

    job = start(request, work, "table", asked_of(work, plan_of(work), looked_folder(work)), then)
    await job.settled(0.7)
    return seen_at(PATH)


def _on(rule: Mapping[str, Any], given: Mapping[str, str]) -> bool:
    return f"rule.{rule['name']}" in given


def _parameters(rule: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, Any]:
    schema, prefix = rule["parameters"]["properties"], f"param.{rule['name']}."
    typed = {name: given[f"{prefix}{name}"] for name in schema if f"{prefix}{name}" in given}
    return values_of(schema, typed, list(schema))


def done(work: Work) -> bool:
    """Whether it is known which cells are sensitive."""
    return build.done(work) and table_state(work).sensitive is not None


def judged(work: Work) -> bool:
    """Whether somebody looked, and something says which cells are sensitive."""
    return table_state(work).looked is not None and table_state(work).judged


SCREEN = Screen("tables", "rules", PATH, build.done, judged)
ROUTES = [Route(PATH, show, methods=["GET"]), Route(PATH, save, methods=["POST"])]
