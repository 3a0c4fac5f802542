"""What runs without anybody's data: the demonstration, and published experiments run again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from . import io
from .core import Cancelled, ParameterError, Run
from .io.atomic import refuse_bad_targets
from .plan import Plan
from .tableplan import plan_in_bytes


def prepare_demo(folder: str | Path, *, force: bool = False) -> Plan:
    """A folder with a made-up survey and the plan that protects it. Files that are there need `force`."""
    from . import datasets

    place = _made(folder)
    survey = datasets.describe("business")
    plan = Plan(
        input={"path": place / "survey.csv"},
        roles={
            # debts and margins are nearly unique, so they are masked too
            "quasi": [*survey.quasi, *survey.confidential],
            "strata": survey.strata,
            "unit": survey.unit,
            # a unit serves for grouping and would then tie records together; weights tell them apart
            "identifiers": [*survey.identifiers, survey.unit, survey.weight],
        },
        protect={"method": "mdav", "k": 3, "round_integers": True, "shuffle": True, "seed": "new"},
        output={
            "path": place / "protected.csv",
            "report": place / "report.html",
            "json": place / "report.json",
            "note": place / "quality.html",
        },
    )
    written = {"survey": plan.input.path, "plan": place / "plan.toml"}
    refuse_bad_targets({**written, **plan.output.targets}, {}, force=force)
    io.write_frame(datasets.load("business"), plan.input.path, force=force)
    io.write_all(plan_in_bytes(plan, written["plan"]), force=force)
    return plan


def reproduce(
    name: str,
    folder: str | Path,
    run: Run | None = None,
    *,
    quick: bool = False,
    fresh: bool = False,
    force: bool = False,
    **settings: float | str | None,
) -> list[Path]:
    """Run published experiments again; write a page, its figures and all numbers into a folder.

    Those on records need the public benchmark files (`tacita datasets NAME --fetch`). Of tables, `tables` is
    how many stand behind a row, `cap` the seconds each may take, `largest` the longest side of any, and
    `problem` the only one to run. They take hours, write what there is from time to time, and keep
    answers of the same version and cap that are in the folder already, unless `fresh`. Those on records
    overwrite an earlier page with `force` only.
    """
    from . import reproduce as experiments

    experiments.require(name)
    experiments.require_settings(name, [each for each, value in settings.items() if value is not None])
    if fresh:
        experiments.require_continued(name)
    place = _made(folder)
    if name not in experiments.CONTINUED:
        earlier_page = {what: place / f"{name}.{what}" for what in ("md", "json")}
        refuse_bad_targets(earlier_page, {}, force=force)
    written: list[Path] = []

    def write(document: experiments.Document) -> None:
        files = {place / file: content for file, content in document.files().items()}
        io.write_all(files, public=files, force=True)
        written[:] = files

    earlier = None if fresh or name not in experiments.CONTINUED else _numbers(place / f"{name}.json")
    try:
        write(experiments.reproduce(name, run, quick=quick, earlier=earlier, save=write, **settings))
    except (Cancelled, KeyboardInterrupt):
        if not written:
            raise
        raise Cancelled(
            f"Cancelled while reproducing {name}. What was done is written; the same command goes on from it."
        ) from None
    return written


def _numbers(path: Path) -> dict[str, Any] | None:
    """What an earlier run left, if it did."""
    try:
        read = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        read = None
    if not isinstance(read, dict):
        raise ParameterError(
            f"{path.name}: is not what an earlier run wrote. Start over with --fresh, or use another folder."
        )
    return read


def _made(folder: str | Path) -> Path:
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ParameterError(f"{place.name}: this folder cannot be made ({problem.strerror}).") from None
    return place
