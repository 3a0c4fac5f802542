"""Tables, first step: records, a list of cells or a file of tau-ARGUS, and what spans the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tacita.app.screens.table_state import (
    AUXILIARY,
    DIVISIONS,
    OF_ARGUS,
    PARTS,
    SPANNING,
    TableState,
    guess_kind,
    guess_parts,
    looked_folder,
    metadata_of,
    of_fixed_columns,
    parts_from_metadata,
    plan_of,
    request_of,
    restored,
    section_of,
    spanning,
    table_state,
    undivided,
)
from tacita.app.server.application import Screen
from tacita.app.server.auxiliary_files import added, names_of
from tacita.app.server.jobs import Job
from tacita.app.server.page_frame import fields_of, screen, seen_at, start, work_of
from tacita.app.server.uploads import Source, TooLarge, receive
from tacita.app.server.workspaces import Work

PATH = "/tables/build"
_MOST_COLUMNS = 400
# What a demo is made of: its file, what its columns are, and rules to begin with.
_DEMOS: dict[str, dict[str, Any]] = {
    "business": {
        "file": "firms.csv",
        "parts": {
            "region": "dimension-1",
            "sector": "dimension-2",
            "turnover": "value",
            "group_id": "unit",
        },
        "rules": {"p-percent": {}, "dominance": {"n": 2}, "minimum-frequency": {}},
    },
    "patients": {
        "file": "patients.csv",
        "parts": {"sex": "dimension-1", "diagnosis": "dimension-2", "year": "dimension-3"},
        "rules": {"minimum-frequency": {"threshold": 5}},
    },
}


async def show(request: Request) -> Response:
    """What there is, and what its columns are."""
    work = work_of(request)
    state = table_state(work)
    return screen(
        request,
        "build",
        "tables_build.html",
        state=state,
        columns=list(enumerate(work.columns))[:_MOST_COLUMNS],
        all_parts=PARTS.get(state.kind, ()),
        spanned=[(list(work.roles).index(name), name) for name in spanning(work)],
        divisions=DIVISIONS,
        demos=[*_DEMOS],
        problem=problem(work),
        fixed=of_fixed_columns(work.source),
    )


def problem(work: Work) -> str | None:
    """What stands in the way of a table, as a key of the texts."""
    state = table_state(work)
    if state.says_itself:
        return "build.no-metadata" if state.kind == "tab" and metadata_of(work) is None else None
    if of_fixed_columns(work.source) and not work.columns:
        return "build.no-metadata"
    parts = [part for part in work.roles.values() if part != "none"]
    if len(set(parts)) < len(parts):
        return "build.twice"
    if state.kind == "cells" and not parts and {"primary", "rules"} <= set(work.roles):
        # a list of ours describes its own columns
        return None
    if not spanning(work):
        return "build.no-dimension"
    if state.kind == "cells" and not {"value", "primary"} <= set(parts):
        return "build.no-primary"
    return "build.undivided" if undivided(work) else None


async def upload(request: Request) -> Response:
    """The file of the table, as the body of the request."""
    work = work_of(request)
    if work.job is not None:
        await work.job.cancel()
    try:
        source = await receive(request, work.folder)
    except TooLarge:
        return JSONResponse({"message": request.state.workspace.say("data.too-large")})
    kind = OF_ARGUS.get(source.path.suffix)
    if of_fixed_columns(source) and metadata_of(work) is None:
        # what was opened waits for both
        _wait(work, source)
        return JSONResponse({"next": PATH})
    if kind is None:
        await _profile(request, work, source).settled(2)
        return JSONResponse({"next": PATH})
    if other := _unlike(work, kind, ()):
        source.path.unlink(missing_ok=True)
        return JSONResponse({"message": request.state.workspace.say(other[0], **other[1])})
    _take(work, source, kind, [])
    return JSONResponse({"next": PATH})


def _wait(work: Work, source: Source) -> None:
    """A file that cannot be read before its metadata are there."""
    if work.source is not None:
        work.source.path.unlink(missing_ok=True)
    work.source, work.columns, work.roles = source, [], {}
    work.draft = {"table_state": TableState()}


def _unlike(work: Work, kind: str, columns: Sequence[Mapping[str, Any]]) -> tuple[str, dict[str, str]] | None:
    """Why a file is not the one that was opened before it: a key of the texts, and what it speaks of."""
    if work.opened is None:
        return None
    wanted = work.opened["said"]["kind"]
    if wanted != kind and {wanted, kind} & {*OF_ARGUS.values()}:
        return "build.other-kind", {"name": (work.opened["source"] or {}).get("shown_as", "?")}
    known = {column["name"] for column in columns}
    lacking = [name for name, part in work.opened["parts"].items() if part != "none" and name not in known]
    return ("data.lacks", {"columns": ", ".join(lacking)}) if lacking else None


async def auxiliary(request: Request) -> Response:
    """A file that belongs to it: a hierarchy, or metadata of tau-ARGUS."""
    work = work_of(request)
    source, wrong = await added(request, work, AUXILIARY)
    if source is None:
        return JSONResponse({"message": request.state.workspace.say(wrong, endings=", ".join(AUXILIARY))})
    # a table that was made with another file is another table
    table_state(work).built = table_state(work).looked = None
    if work.source is not None and of_fixed_columns(work.source) and source.path.suffix == ".rda":
        await _profile(request, work, work.source).settled(2)
    return JSONResponse({"next": PATH})


async def demo(request: Request) -> Response:
    """A made-up survey, with a table to begin with."""
    work, name = work_of(request), (await fields_of(request)).get("name", "")
    if name not in _DEMOS or work.running:
        return seen_at(PATH)
    demo_spec = _DEMOS[name]
    source = Source(
        path=work.folder / f"source-demo-{len(list(work.folder.iterdir()))}.csv",
        shown_as=demo_spec["file"],
        size=0,
    )

    def written(job: Job) -> None:
        if job.state == "done":
            source.size = source.path.stat().st_size
            _profile(request, work, source, demo_spec)

    job = start(request, work, "demo", {"path": str(source.path), "name": name}, written)
    await job.settled(2)
    if work.job is not None:
        await work.job.settled(2)
    return seen_at(PATH)


def _profile(request: Request, work: Work, source: Source, demo_spec: dict[str, Any] | None = None) -> Job:
    workspace = request.state.workspace
    source.options = ((work.opened or {}).get("source") or {}).get("options")
    source.meta = metadata_of(work) if of_fixed_columns(source) else None

    def then(job: Job) -> None:
        if job.state == "done" and (other := _unlike(work, "records", job.answer["columns"])):
            # what was opened goes on waiting for its file
            job.refuse(workspace.say(other[0], **other[1]))
        if job.state != "done":
            if work.source is None or source.path != work.source.path:
                source.path.unlink(missing_ok=True)
            return
        profile = job.answer
        source.options, source.records = profile["options"], profile["records"]
        source.fingerprint = profile["fingerprint"]
        opened = work.opened
        kind = "records" if profile["said"] else guess_kind(profile["columns"])
        _take(work, source, kind, profile["columns"], profile["said"])
        if demo_spec is not None and opened is None:
            work.roles = {name: demo_spec["parts"].get(name, "none") for name in work.roles}
            table_state(work).rules = {name: dict(params) for name, params in demo_spec["rules"].items()}

    return start(request, work, "profile", {"source": source.as_argument(), "names": names_of(work)}, then)


def _take(
    work: Work,
    source: Source,
    kind: str,
    columns: list[dict[str, Any]],
    metadata: Mapping[str, str] | None = None,
) -> None:
    """A file that could be read takes the place of the one before; what belongs to it is kept.

    `metadata` has the kinds of the columns.
    """
    if work.source is not None and work.source.path != source.path:
        work.source.path.unlink(missing_ok=True)
    opened, work.opened = work.opened, None
    work.source, work.columns, work.kinds = source, columns, {}
    if opened is None:
        work.draft = {"table_state": TableState(kind=kind)}
        work.roles = guess_parts(kind, columns) if metadata is None else parts_from_metadata(metadata)
    else:
        work.draft = {"table_state": restored(opened["said"])}
        work.roles = {column["name"]: opened["parts"].get(column["name"], "none") for column in columns}
        if metadata is not None and not spanning(work):
            # dimensions that a plan does not name are those of the metadata
            parts = parts_from_metadata(metadata)
            work.roles |= {name: part for name, part in parts.items() if part in SPANNING}


async def save(request: Request) -> Response:
    """What the columns are; then the table is made."""
    work, form = work_of(request), await fields_of(request)
    state = table_state(work)
    if work.source is None or work.running:
        return seen_at(PATH)
    chosen = not state.says_itself and not of_fixed_columns(work.source)
    if chosen and form.get("kind") in PARTS and form["kind"] != state.kind:
        state.kind = form["kind"]
        work.roles = guess_parts(state.kind, work.columns)
        state.built, state.looked, state.kept = None, None, {}
        return seen_at(PATH)
    for place, column in enumerate(work.columns):
        name = column["name"]
        if (part := form.get(f"part.{place}")) in PARTS.get(state.kind, ()):
            work.roles[name] = part
        if (by := form.get(f"by.{place}")) in DIVISIONS:
            division = {key: form.get(f"{key}.{place}", "") for key in ("prefixes", "parents", "file")}
            state.divided[name] = {"by": by, **division}
    state.total, state.title = form.get("total", "").strip(), form.get("title", "").strip()
    state.fill_zeros = "fill_zeros" in form
    state.built = state.looked = None
    work.draft["table"] = section_of(work)
    if problem(work) is not None or "only" in form:
        return seen_at(PATH)

    def then(job: Job) -> None:
        if job.state == "done":
            state.built = job.answer

    plan = {**plan_of(work), "rules": []} if state.of_records else plan_of(work)
    job = start(request, work, "table", request_of(work, plan, looked_folder(work)), then)
    await job.settled(0.7)
    return seen_at(PATH)


async def forget(request: Request) -> Response:
    """Begin again, with nothing left of the file and of all that was made of it."""
    await request.state.workspace.forget(work_of(request))
    return seen_at(PATH)


def done(work: Work) -> bool:
    """Whether there is a table."""
    built = table_state(work).built
    return built is not None and "wrong_sums" not in built


SCREEN = Screen("tables", "build", PATH, lambda _work: True, done)
ROUTES = [
    Route(PATH, show, methods=["GET"]),
    Route(PATH, save, methods=["POST"]),
    Route(f"{PATH}/file", upload, methods=["PUT"]),
    Route(f"{PATH}/beside", auxiliary, methods=["PUT"]),
    Route(f"{PATH}/demo", demo, methods=["POST"]),
    Route(f"{PATH}/forget", forget, methods=["POST"]),
]
