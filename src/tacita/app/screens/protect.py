"""Microdata, third step: a method or several, what they may not break, and what came of every run."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tacita.app.server.application import Screen
from tacita.app.server.page_frame import fields_of, screen, seen_at, work_of
from tacita.app.server.plan_basis import basis_of, replaces_identifiers
from tacita.app.server.refusals import accepted, refusal_in
from tacita.app.server.workspaces import Work
from tacita.core.spec.schema_forms import text_of

from .draft_plan import (
    Catalogue,
    current,
    drafted,
    fitting,
    forms_of,
    offered,
    options_of,
    plan_of,
    required_of,
    steps_of,
)
from .results import side_by_side, tiles
from .roles import missing_file, problem
from .runs import run_plan

PATH = "/microdata/protect"
# Seconds that a run is waited for before the page shows how far it is.
_PATIENCE = 0.1


async def show(request: Request) -> Response:
    """The form of the next run, and what came of the chosen one."""
    work = work_of(request)
    if work.source is None:
        return seen_at("/microdata/data")
    if "node" in request.query_params:
        # going back is going back to its plan
        work.draft = {}
    work.history.choose(request.query_params.get("node"))
    catalogue = Catalogue(await request.app.state.site.catalogue())
    node = work.history.current
    other = work.history.find(request.query_params.get("with"))
    reference = None if node is None else work.history.ground(node.parent)
    if node is not None and reference is not None and reference.basis != node.basis:
        # of other columns, or of another file: nothing to compare with
        reference = None
    draft, say = current(work), request.state.workspace.say
    return screen(
        request,
        "protect",
        "protect.html",
        lock=lock(work),
        several=bool(draft.get("steps")),
        forms=forms_of(work, draft, catalogue),
        options=options_of(draft, catalogue),
        requirements=required_of(draft),
        measures=catalogue.measures,
        measured={name: text_of(value) for name, value in draft.get("measure", {}).items()},
        families=catalogue.families(work, in_steps=bool(draft.get("steps"))),
        improving=catalogue.improving(),
        offered=offered(work),
        replaces_identifiers=replaces_identifiers(work),
        hierarchies=(work.exposure or {}).get("hierarchies", {}),
        node=node,
        stale=node is not None and node.basis != basis_of(work),
        ground=work.history.ground(work.history.chosen),
        reference=reference,
        tiles=[] if node is None else tiles(node, reference, headline=True),
        figures=[] if node is None else tiles(node, reference, headline=False),
        problems={} if node is None or work.draft else node.fields,
        refusal=None if node is None else refusal_in(node.refusal, say, message=node.message, plan=node.plan),
        accepted_risks=[]
        if node is None
        else [accepted(name, say) for name in node.answer.get("accepted_risks", ())],
        other=None if node is None or other is node else other,
        lines=side_by_side(node, other) if node is not None and other is not None else None,
    )


def lock(work: Work) -> str | None:
    """What stands in the way of a run, as a key of the texts."""
    if not work.roles_saved:
        return "roles.problem"
    obstacle = problem(work)
    if obstacle in ("roles.none", "roles.both") and current(work).get("steps"):
        # steps name their columns themselves, those to protect and those to draw anew
        return missing_file(work)
    return obstacle


async def save(request: Request) -> Response:
    """What the form says is kept as it is; then a step comes, or goes, or all of it is run."""
    work, form = work_of(request), await fields_of(request)
    if work.source is None or lock(work) is not None or work.running:
        return seen_at(PATH)
    catalogue = Catalogue(await request.app.state.site.catalogue())
    several = bool(current(work).get("steps"))
    draft = drafted(work, form, catalogue, several=several)
    what = form.get("do", "")
    if what == "add":
        draft = _added(work, draft, catalogue)
    elif what.startswith("remove-") and draft.get("steps"):
        draft = _removed(draft, what.removeprefix("remove-"))
    work.draft = {**work.draft, **dict.fromkeys(("steps", "require")), **draft}
    if what == "run":
        await _run(request, work, draft, catalogue)
    return seen_at(PATH)


def _added(work: Work, draft: dict[str, Any], catalogue: Catalogue) -> dict[str, Any]:
    """One more step, like the last; a single method becomes the first of them."""
    around = {name: value for name, value in draft["protect"].items() if name in catalogue.options}
    steps = draft.get("steps") or [
        _on_columns(
            work,
            {name: value for name, value in draft["protect"].items() if name not in around},
            catalogue,
        )
    ]
    last = {"method": steps[-1]["method"]}
    return {**draft, "protect": around, "steps": [*steps, _on_columns(work, last, catalogue)]}


def _on_columns(work: Work, step: dict[str, Any], catalogue: Catalogue) -> dict[str, Any]:
    columns = fitting(work, step["method"], catalogue)
    drawing = catalogue.kind(step["method"]) == "synthesis"
    if not drawing:
        return {"quasi": columns, **step}
    independent = [name for name, role in work.roles.items() if role == "independent"]
    return {"dependent": columns, "independent": independent, **step}


def _removed(draft: dict[str, Any], place: str) -> dict[str, Any]:
    """Without a step; the last that is left is a single method on all columns."""
    steps = [step for at, step in enumerate(draft["steps"]) if str(at) != place]
    if len(steps) > 1:
        return {**draft, "steps": steps}
    own = ("quasi", "dependent", "independent")
    alone = {name: value for name, value in steps_of({"steps": steps})[0].items() if name not in own}
    rest = {name: value for name, value in draft.items() if name != "steps"}
    return {**rest, "protect": {**alone, **draft["protect"]}}


async def _run(request: Request, work: Work, draft: dict[str, Any], catalogue: Catalogue) -> None:
    assert work.source is not None
    plan, anytime = plan_of(work, draft, catalogue), catalogue.anytime(draft)
    work.draft = {}
    _, job = run_plan(request.state.workspace, work, work.source, plan, anytime=anytime)
    await job.settled(_PATIENCE)


def ready(work: Work) -> bool:
    """Whether columns have roles."""
    return work.source is not None and lock(work) is None


def done(work: Work) -> bool:
    """Whether there is a release."""
    return work.history.verified_on(basis_of(work))


SCREEN = Screen("microdata", "protect", PATH, ready, done)
ROUTES = [Route(PATH, show, methods=["GET"]), Route(PATH, save, methods=["POST"])]
