"""The window of fuzzy c-regression: points in the plane, clusters that are watched while they are found.

Points, rounds and releases are files that the browser and a child read; the server passes them on unread.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tacita.app.server.application import Screen
from tacita.app.server.jobs import Job
from tacita.app.server.page_frame import fields_of, page, start, work_of
from tacita.app.server.uploads import TooLarge, receive
from tacita.app.server.workspaces import Work, Workspace

PATH = "/fuzzy"
ABOUT = "fuzzy"
_MOST_BYTES = 4_000_000
_POINTS = "points.txt"
_SHOWN = "shown.json"
_RELEASE = "release.csv"
CLUSTERS = range(1, 11)
MODELS = ("linear", "radial")
_CHECKED = ("nonnegative", "order")
_NUMBERS = ("c", "m", "eps", "rmax", "seed", "functions")
DEFAULTS = {"c": "5", "m": "1.5", "eps": "0.0001", "rmax": "30", "seed": "0", "model": "linear"}
_WORDS = ("pause", "go", "step")
_WATCH = "fuzzy-watch"
_SWEEP = "fuzzy-sweep"
# Answers so far: of two that cross on their way, the later one holds.
_ANSWERS = count()


async def show(request: Request) -> Response:
    """The window; the browser requests its contents by itself."""
    work = work_of(request)
    return page(
        request,
        "fuzzy.html",
        work=work,
        settings={**DEFAULTS, "functions": "8", **work.draft.get("settings", {})},
        clusters=CLUSTERS,
        models=MODELS,
    )


async def state(request: Request) -> Response:
    """How far everything is: what runs, what came of it, which columns there are."""
    return _state_response(request)


def _state_response(request: Request, problem: str = "") -> Response:
    """The same, after something was done; by `number` a browser sees which of two answers is the older."""
    workspace, work = request.state.workspace, work_of(request)
    draft, now = work.draft, _named_state(work)
    return JSONResponse(
        {
            "number": next(_ANSWERS),
            "at": workspace.bus.last,
            "state": now,
            "words": workspace.say(f"fuzzy.{now}"),
            "columns": draft.get("columns", ["x", "y"]),
            "chosen": draft.get("chosen", [0, 1]),
            "file": None if work.source is None else work.source.shown_as,
            "trials": draft.get("trials", []),
            "download": _may_leave(work),
            "fields": draft.get("result", {}).get("fields", {}),
            "verdict": _verdict(workspace, work, now),
            "problem": problem,
        }
    )


def _verdict(workspace: Workspace, work: Work, now: str) -> dict[str, str] | None:
    """What came of a run, in words: verified, taken from what was drawn, or refused."""
    result = work.draft.get("result", {})
    if now == "broken":
        words = workspace.say("verdict.broken-words", kind=result.get("message", ""))
        return {"state": now, "look": "bad", "title": workspace.say("verdict.broken"), "words": words}
    if now == "refused":
        seen = (_place(work) / _SHOWN).exists()
        words, title = result["message"], f"✕ {workspace.say('verdict.refused')}"
        if seen:
            title = f"{title} · {workspace.say('fuzzy.stays')}"
        return {"state": now, "look": "bad", "title": title, "words": words, "language": "en"}
    if "verified" not in result or work.running:
        return None
    outcome, look, mark = ("verified", "good", "✓") if result["verified"] else ("unverified", "warn", "!")
    title = f"{mark} {workspace.say(f'fuzzy.{outcome}')}"
    return {"state": outcome, "look": look, "title": title, "words": result["message"], "language": "en"}


def _named_state(work: Work) -> str:
    job = work.job
    if job is None:
        return "idle"
    if job.running:
        return "sweeping" if job.verb == _SWEEP else "paused" if work.draft.get("waits") else "running"
    if job.state == "done":
        return "idle" if job.verb == _SWEEP else "stopped" if work.draft.get("stopped") else "done"
    return job.state


def _place(work: Work) -> Path:
    return work.folder / "run"


def _may_leave(work: Work) -> bool:
    """Whether there are synthetic points: of loaded ones a child writes them only when they are verified."""
    return not work.running and (_place(work) / _RELEASE).exists()


def _forget_results(work: Work) -> None:
    """Other points: nothing that was found in those before is theirs."""
    shutil.rmtree(_place(work), ignore_errors=True)
    for name in ("result", "trials", "stopped", "waits"):
        work.draft.pop(name, None)
    if not work.running:
        work.job = None


async def points(request: Request) -> Response:
    """The points, a line each."""
    path = work_of(request).folder / _POINTS
    return PlainTextResponse(path.read_bytes() if path.exists() else b"")


async def put_points(request: Request) -> Response:
    """The points as the browser has them now."""
    work = work_of(request)
    if work.running:
        return _state_response(request)
    try:
        sent = await receive(request, work.folder, _MOST_BYTES)
    except TooLarge:
        return _state_response(request, request.state.workspace.say("fuzzy.too-large"))
    sent.path.replace(work.folder / _POINTS)
    _forget_results(work)
    return _state_response(request)


async def load(request: Request) -> Response:
    """A text file with a point a line."""
    work = work_of(request)
    await _end_job(work)
    try:
        source = await receive(request, work.folder, _MOST_BYTES)
    except TooLarge:
        return _state_response(request, request.state.workspace.say("fuzzy.too-large"))
    arguments = {"path": str(source.path), "shown_as": source.shown_as}
    job = await _fill(request, work, "fuzzy-points", arguments)
    if job.state != "done":
        source.path.unlink(missing_ok=True)
        return _state_response(request, job.message)
    if work.source is not None:
        work.source.path.unlink(missing_ok=True)
    work.source = source
    return _state_response(request)


async def example(request: Request) -> Response:
    """Five clouds of made-up points."""
    work = work_of(request)
    await _end_job(work)
    _drop_source(work)
    await _fill(request, work, "fuzzy-clouds", {})
    return _state_response(request)


async def columns(request: Request) -> Response:
    """Which column explains, and which is explained; the same two the other way round need no file."""
    work, form = work_of(request), await fields_of(request)
    wanted = [form.get(name, "") for name in ("independent", "dependent")]
    if work.running or not all(index.isdecimal() and len(index) < 4 for index in wanted):
        return _state_response(request)
    chosen = [int(index) for index in wanted]
    if set(chosen) == set(work.draft.get("chosen", [0, 1])):
        work.draft["chosen"] = chosen
    elif work.source is not None:
        arguments = {"path": str(work.source.path), "shown_as": work.source.shown_as, "chosen": chosen}
        await _fill(request, work, "fuzzy-points", arguments)
    return _state_response(request)


async def _fill(request: Request, work: Work, verb: str, arguments: Mapping[str, Any]) -> Job:
    """Let a child write the points."""
    to = work.folder / _POINTS
    job = Job(request.state.workspace, verb, {**arguments, "to": str(to)}, lambda _job: None, quiet=True)
    await job.settled(60)
    if job.state == "done":
        _forget_results(work)
        work.draft.update(columns=job.answer["columns"], chosen=job.answer["chosen"])
    return job


async def clear(request: Request) -> Response:
    """No points, and nothing of those that were there."""
    work = work_of(request)
    await _end_job(work)
    _drop_source(work)
    (work.folder / _POINTS).unlink(missing_ok=True)
    _forget_results(work)
    work.draft = {name: value for name, value in work.draft.items() if name == "settings"}
    return _state_response(request)


def _drop_source(work: Work) -> None:
    if work.source is not None:
        work.source.path.unlink(missing_ok=True)
    work.source = None


async def _end_job(work: Work) -> None:
    if work.job is not None:
        await work.job.cancel()


async def shown(request: Request) -> Response:
    """The round that was shown last, if there is one."""
    path = _place(work_of(request)) / _SHOWN
    # another one may take its place meanwhile: read at once, not by its size
    return Response(path.read_bytes() if path.exists() else b"{}", media_type="application/json")


async def run(request: Request) -> Response:
    """Find clusters; `waits` for a step after each round."""
    work, form = work_of(request), await fields_of(request)
    if work.running:
        return _state_response(request)
    shutil.rmtree(_place(work), ignore_errors=True)
    _place(work).mkdir(mode=0o700)
    waits = form.get("waits") == "1"
    work.draft.update(waits=waits, stopped=False, result={})

    def then(job: Job) -> None:
        result = job.answer if job.state == "done" else {"message": job.message, "fields": job.fields}
        work.draft["result"] = result

    view = [_number(form.get(name, "")) for name in ("low", "high")]
    more = {"folder": str(_place(work)), "waits": waits, "seconds": _number(form.get("seconds", "0"))}
    arguments = {**_request_of(work, form), **more, "view": view}
    start(request, work, _WATCH, arguments, then, about=ABOUT, anytime=True)
    return _state_response(request)


async def sweep(request: Request) -> Response:
    """Every number of clusters, one after the other."""
    work, form = work_of(request), await fields_of(request)
    if work.running:
        return _state_response(request)
    work.draft.update(trials=[], waits=False)

    def then(job: Job) -> None:
        work.draft["trials"] = job.answer.get("trials", [])
        if job.state != "done":
            work.draft["result"] = {"message": job.message, "fields": job.fields}

    start(request, work, _SWEEP, _request_of(work, form), then, about=ABOUT, anytime=True)
    return _state_response(request)


def _request_of(work: Work, form: Mapping[str, str]) -> dict[str, Any]:
    """The request to a worker: the points, their names, and the parameters as they were filled in."""
    work.draft["settings"] = {name: form[name] for name in (*_NUMBERS, "model", *_CHECKED) if name in form}
    names = work.draft.get("columns", ["x", "y"])
    parameters = {name: _number(form[name]) for name in _NUMBERS if form.get(name, "").strip()}
    parameters |= {name: True for name in _CHECKED if name in form}
    parameters["model"] = form.get("model", "linear")
    if parameters["model"] != "radial":
        parameters.pop("functions", None)
    return {
        "path": str(work.folder / _POINTS),
        "shown_as": _POINTS if work.source is None else work.source.shown_as,
        "names": [names[index] for index in work.draft.get("chosen", [0, 1])],
        "loaded": work.source is not None,
        "parameters": parameters,
    }


def _number(text: str) -> int | float | str:
    """A number as people write it; what is none is left for the method to refuse."""
    for kind in (int, float):
        try:
            return kind(text.strip().replace(",", "."))
        except ValueError:
            continue
    return text


async def word(request: Request) -> Response:
    """Pause, go on, a step, another speed; or enough: the run ends with the round that it is in."""
    work, form = work_of(request), await fields_of(request)
    command = form.get("word", "")
    if work.job is None or not work.running:
        return _state_response(request)
    if command == "enough":
        work.draft["stopped"] = True
        work.job.enough()
    elif command == "speed":
        seconds = _number(form.get("seconds", ""))
        work.job.say("speed", seconds=0 if isinstance(seconds, str) else seconds)
    elif command in _WORDS:
        work.draft["waits"] = command != "go"
        work.job.say(command)
    return _state_response(request)


async def get(request: Request) -> Response:
    """The points themselves, or the synthetic ones where there are any."""
    work, name = work_of(request), request.path_params["name"]
    if name == "points":
        path, called = work.folder / _POINTS, _POINTS
    elif name == "data":
        path, called = _place(work) / _RELEASE, "synthetic-points.csv"
    else:
        return PlainTextResponse("There is no such file.\n", 404)
    if not path.exists() or (name == "data" and not _may_leave(work)):
        return PlainTextResponse("There are no such points yet.\n", 409)
    return FileResponse(path, media_type="application/octet-stream", filename=called)


SCREEN = Screen("fuzzy", "fuzzy", PATH, lambda _work: True)
ROUTES = [
    Route(PATH, show),
    Route(f"{PATH}/state", state),
    Route(f"{PATH}/shown", shown),
    Route(f"{PATH}/points", points, methods=["GET"]),
    Route(f"{PATH}/points", put_points, methods=["PUT"]),
    Route(f"{PATH}/file", load, methods=["PUT"]),
    Route(f"{PATH}/example", example, methods=["POST"]),
    Route(f"{PATH}/columns", columns, methods=["POST"]),
    Route(f"{PATH}/clear", clear, methods=["POST"]),
    Route(f"{PATH}/run", run, methods=["POST"]),
    Route(f"{PATH}/sweep", sweep, methods=["POST"]),
    Route(f"{PATH}/word", word, methods=["POST"]),
    Route(f"{PATH}/get/{{name}}", get),
]
