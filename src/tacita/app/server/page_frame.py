"""Templates filled in: the frame around every screen, words in the language of the browser."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any
from urllib.parse import parse_qsl

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.datastructures import ImmutableMultiDict
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from tacita.core.display.number_format import byte_size, correlation, figure
from tacita.core.spec.schema_forms import text_of

from .application import Screen, Site
from .charts import draw_correlations, draw_plot
from .jobs import Job, Then
from .plan_basis import basis_of
from .risk_map import risk_map
from .texts import LANGUAGES
from .workspaces import Work, Workspace

# Steps in order; one without a screen is shown, and cannot be entered.
STEPS = {
    "microdata": ("data", "roles", "protect", "compare", "export"),
    "tables": ("build", "rules", "suppress", "audit", "export"),
    "fuzzy": (),
}
THEMES = ("auto", "light", "dark")
_MOST_FIELDS = 20_000
_LONGEST_FORM = 4_000_000


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("tacita.app", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page(request: Request, template: str, status: int = 200, **content: Any) -> Response:
    """A whole page for the browser that asks."""
    site: Site = request.app.state.site
    workspace: Workspace = request.state.workspace
    style = workspace.style
    frame = {
        "t": workspace.say,
        "stage": workspace.stage,
        "number": partial(figure, style=style),
        "size": byte_size,
        "draw_plot": partial(draw_plot, style=style),
        "draw_correlations": partial(draw_correlations, style=style),
        "correlation": partial(correlation, style=style),
        "text_of": text_of,
        "language": workspace.language,
        "languages": LANGUAGES,
        "theme": workspace.theme,
        "themes": THEMES,
        "here": request.url.path,
        "last_event": workspace.bus.last,
        "homes": homes(site),
        "work": None,
    }
    text = _environment().get_template(template).render({**frame, **content})
    return HTMLResponse(text, status)


def screen(request: Request, step: str, template: str, status: int = 200, **content: Any) -> Response:
    """A page of a work, with its steps, its history and its map; `?node=` goes to a node of the history."""
    site: Site = request.app.state.site
    work = work_of(request)
    work.history.choose(request.query_params.get("node"))
    branches = work.history.branches(basis_of(work))
    around = {
        "work": work,
        "step": step,
        "steps": rail(site, work, step),
        "branches": branches,
        "map": risk_map(branches, request.state.workspace.style),
        "job": work.job,
    }
    return page(request, template, status, **around, **content)


def homes(site: Site) -> Mapping[str, str]:
    """Where each work begins, of those that have a screen."""
    first: dict[str, str] = {}
    for entry in site.screens:
        first.setdefault(entry.work, entry.path)
    return first


def rail(site: Site, work: Work, current: str) -> list[dict[str, Any]]:
    """The steps of a work: which is open, which is done, which can be entered."""
    known: dict[str, Screen] = {entry.step: entry for entry in site.screens if entry.work == work.kind}
    return [
        {
            "step": step,
            "path": entry.path if entry is not None and entry.ready(work) else None,
            "done": entry is not None and step != current and entry.done(work),
            "current": step == current,
        }
        for step in STEPS[work.kind]
        for entry in [known.get(step)]
    ]


def work_of(request: Request) -> Work:
    """The work that an address belongs to: its first part names it."""
    workspace: Workspace = request.state.workspace
    return workspace.work(request.url.path.split("/")[1])


def seen_at(path: str) -> Response:
    """After something was changed: the browser is sent to a page, so that reloading changes nothing again."""
    return RedirectResponse(path, 303)


async def fields_of(request: Request) -> ImmutableMultiDict[str, str]:
    """The fields of a form; what is too large to be one has none."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LONGEST_FORM:
            return ImmutableMultiDict()
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:
        pairs = []
    return ImmutableMultiDict(pairs)


def start(
    request: Request,
    work: Work,
    verb: str,
    arguments: Mapping[str, Any],
    then: Then,
    *,
    about: str = "",
    anytime: bool = False,
) -> Job:
    """Send a question to a worker, show its progress on the pages, and call `then` at its end."""
    work.job = Job(request.state.workspace, verb, arguments, then, about=about, anytime=anytime)
    return work.job
