"""From an experiment to its page on the disk, in one go or in several."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tacita import io
from tacita.core import Cancelled, ParameterError, RunContext
from tacita.io.atomic import made_folder, refuse_bad_targets

from . import CONTINUED, Document, render, reproduce, require, require_continued, require_settings


def reproduce_into(
    name: str,
    folder: str | Path,
    run: RunContext | None = None,
    *,
    quick: bool = False,
    fresh: bool = False,
    force: bool = False,
    **settings: float | str | None,
) -> list[Path]:
    """Run published experiments again; write a page, its figures and all numbers into a folder.

    Those on records need the public benchmark files (`tacita datasets NAME --fetch`). Of tables, `tables` is
    how many stand behind a row (`source`: as many in all as its slides report), `cap` the seconds each may
    take, `largest` the longest side of any, `problem` the only one to run, `method` what suppresses, `zeros`
    the share of zeros in percent, and with `margins` sums may be suppressed. They take hours, write what
    there is from time to time, and keep answers of the same version and cap that are in the folder already,
    unless `fresh`. Those on records overwrite an earlier page with `force` only; a `part`
    of microaggregation is run anew beside the numbers in the folder, and written over them.
    """
    require(name)
    require_settings(name, [each for each, value in settings.items() if value is not None])
    if fresh:
        require_continued(name)
    place = made_folder(folder)
    part = settings.get("part") is not None
    if not part:
        refuse_written((name,), place, force=force)
    written: list[Path] = []

    def write(document: Document) -> None:
        written[:] = _write(document, place)

    going_on = part or (name in CONTINUED and not fresh)
    earlier = _numbers(place / f"{name}.json") if going_on else None
    try:
        write(reproduce(name, run, quick=quick, earlier=earlier, save=write, **settings))
    except (Cancelled, KeyboardInterrupt):
        if not written:
            raise
        raise Cancelled(
            f"Cancelled while reproducing {name}. What was done is written; the same command goes on from it."
        ) from None
    return written


def refuse_written(names: Iterable[str], folder: str | Path, *, force: bool) -> None:
    """Raise where a page that is not gone on with is there already, and may not be written over."""
    for name in set(names) - CONTINUED:
        earlier_page = {what: Path(folder) / f"{name}.{what}" for what in ("md", "json")}
        refuse_bad_targets(earlier_page, {}, force=force)


def render_into(name: str, folder: str | Path) -> list[Path]:
    """Write the page and figures anew from the numbers in the folder; runs nothing."""
    require(name)
    place = Path(folder)
    numbers = _numbers(place / f"{name}.json")
    if numbers is None:
        raise ParameterError(f"render {name}: there is no {name}.json in this folder. Run the experiments.")
    return _write(render(name, numbers), place)


def _write(document: Document, place: Path) -> list[Path]:
    files = {place / file: content for file, content in document.files().items()}
    io.write_all(files, public=files, force=True)
    return list(files)


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
