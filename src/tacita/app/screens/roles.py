"""Microdata, second step: what each column is to an attacker, and unique records before protection."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tacita.app.server.application import Screen
from tacita.app.server.auxiliary_files import HIERARCHIES, MOST_OF_KEY, added, names_of
from tacita.app.server.jobs import Job
from tacita.app.server.page_frame import fields_of, screen, seen_at, start, work_of
from tacita.app.server.plan_basis import (
    KEY,
    KINDS,
    ROLES,
    UNITS,
    orders_of,
    orders_text,
    replaces_identifiers,
)
from tacita.app.server.uploads import TooLarge, receive
from tacita.app.server.workspaces import Work
from tacita.core.spec.schema_forms import listed, text_of

from . import hierarchy_state

PATH = "/microdata/roles"
# Columns on one page: a list of ten thousand menus is no page.
_MOST = 100
_ONE_EACH = (UNITS, ("weight",))


async def show(request: Request) -> Response:
    """Columns with their suggested roles, a page of them; `find` narrows them by name."""
    work = work_of(request)
    if work.source is None:
        return seen_at("/microdata/data")
    find = request.query_params.get("find", "")
    first_text = request.query_params.get("from", "0")
    matching = [
        (place, column)
        for place, column in enumerate(work.columns)
        if find.casefold() in column["name"].casefold()
    ]
    first = int(first_text) if first_text.isdecimal() and len(first_text) < 8 else 0
    first = min(first, max(0, len(matching) - 1))
    first -= first % _MOST
    job = work.job
    if work.exposure is None and job is not None and (job.verb != "exposure" or job.state == "done"):
        await _expose(request, work)
    return screen(
        request,
        "roles",
        "roles.html",
        columns=matching[first : first + _MOST],
        matching=len(matching),
        first=first,
        most=_MOST,
        find=find,
        all_roles=ROLES,
        all_kinds=KINDS,
        problem=problem(work),
        unit_columns=text_of(work.declared.get("unit_columns")),
        orders=orders_text(work.declared.get("orders", {})),
        replaces_identifiers=replaces_identifiers(work),
        key_named=work.declared.get(KEY, ""),
        key_given=_has_key(work),
        hierarchies=hierarchy_state.columns_of(work),
        ways=hierarchy_state.WAYS,
        periods=hierarchy_state.PERIODS,
    )


async def save(request: Request) -> Response:
    """The roles of the columns that a page showed; then risk is measured again."""
    work, form = work_of(request), await fields_of(request)
    if work.source is None:
        return seen_at("/microdata/data")
    for place, column in enumerate(work.columns):
        name = column["name"]
        if (role := form.get(f"role.{place}")) in ROLES:
            work.roles[name] = role
        if (kind := form.get(f"kind.{place}")) in KINDS:
            work.kinds[name] = kind
    _declare(work, form)
    hierarchy_state.take(work, form)
    work.exposure = None
    if "only" not in form:
        work.roles_saved = True
    elif form["only"] == "beside" and work.auxiliary:
        # kept for a file that was just added, which the form knew nothing of
        hierarchy_state.choose_by_name(work, [*work.auxiliary][-1])
    if not work.running:
        await _expose(request, work)
    return seen_at(PATH + (f"?{request.url.query}" if request.url.query else ""))


async def auxiliary(request: Request) -> Response:
    """A file that says what values of a column become when coarser."""
    work = work_of(request)
    source, wrong = await added(request, work, HIERARCHIES)
    if source is None:
        return JSONResponse({"message": request.state.workspace.say(wrong, endings=", ".join(HIERARCHIES))})
    hierarchy_state.choose_by_name(work, source.shown_as)
    work.exposure = None
    return JSONResponse({"next": PATH})


async def key(request: Request) -> Response:
    """The file of the key of pseudonyms, in place of the one before; a file that is no key is not kept."""
    work, workspace = work_of(request), request.state.workspace
    try:
        source = await receive(request, work.folder, MOST_OF_KEY)
    except TooLarge:
        return JSONResponse({"message": workspace.say("roles.not-a-key")})
    arguments = {"path": str(source.path), "shown_as": source.shown_as}
    job = Job(workspace, "pseudonym_key", arguments, lambda _job: None, quiet=True)
    await job.settled(60)
    if job.state != "done":
        source.path.unlink(missing_ok=True)
        return JSONResponse({"message": job.message, "language": job.language})
    if work.key is not None:
        work.key.path.unlink(missing_ok=True)
    work.key = source
    work.declared = {**work.declared, KEY: source.shown_as}
    return JSONResponse({"next": PATH})


def _has_key(work: Work) -> bool:
    """Whether the file of the key that is named was given."""
    return work.key is not None and work.key.shown_as == work.declared.get(KEY)


def _declare(work: Work, form: Mapping[str, str]) -> None:
    """Orders of categories, and columns that agree within a unit; what is typed as it was stays as it is."""
    before = work.declared
    columns, orders = text_of(before.get("unit_columns")), orders_text(before.get("orders", {}))
    if form.get("unit_columns", columns) != columns:
        work.declared = {**work.declared, "unit_columns": listed(form["unit_columns"], numbers=False)}
    if form.get("orders", orders) != orders:
        work.declared = {**work.declared, "orders": orders_of(form["orders"])}
    # a column with an order is ordinal
    ordered = [name for name in work.declared.get("orders", {}) if name in work.kinds]
    work.kinds |= dict.fromkeys(ordered, "ordinal")


def problem(work: Work) -> str | None:
    """What stands in the way of protecting, as a key of the texts."""
    chosen = list(work.roles.values())
    if not {*work.declared.get("unit_columns", ()), *work.declared.get("orders", ())} <= {*work.roles}:
        return "roles.unknown"
    for same in _ONE_EACH:
        if sum(role in same for role in chosen) > 1:
            return f"roles.two-{same[0]}"
    if "quasi" in chosen and "dependent" in chosen:
        return "roles.both"
    if "quasi" not in chosen and "dependent" not in chosen:
        return "roles.none"
    return missing_file(work)


def missing_file(work: Work) -> str | None:
    """The file that a run of these roles waits for, as a key of the texts."""
    if replaces_identifiers(work) and not _has_key(work):
        return "roles.no-key"
    return hierarchy_state.problem(work)


def known_to_attackers(work: Work) -> list[str]:
    """Columns that an attacker may know: quasi-identifiers, or those of a synthesis."""
    return [name for name, role in work.roles.items() if role in ("quasi", "dependent", "independent")]


async def _expose(request: Request, work: Work) -> None:
    columns = known_to_attackers(work)
    if not columns or work.source is None or work.running:
        return

    hierarchies = hierarchy_state.request_of(work)

    def then(job: Job) -> None:
        if job.state == "done":
            work.exposure = job.answer
            hierarchy_state.learn(work, job.answer["hierarchies"], hierarchies["make"])

    units = [name for name, role in work.roles.items() if role in _ONE_EACH[0]]
    arguments = {
        "source": work.source.as_argument(),
        "names": names_of(work),
        "columns": columns,
        **({"unit": units[0]} if len(units) == 1 else {}),
        **hierarchies,
    }
    job = start(request, work, "exposure", arguments, then)
    await job.settled(2)


SCREEN = Screen(
    "microdata",
    "roles",
    PATH,
    lambda work: work.source is not None,
    lambda work: work.roles_saved and problem(work) is None,
)
ROUTES = [
    Route(PATH, show, methods=["GET"]),
    Route(PATH, save, methods=["POST"]),
    Route(f"{PATH}/beside", auxiliary, methods=["PUT"]),
    Route(f"{PATH}/key", key, methods=["PUT"]),
]
