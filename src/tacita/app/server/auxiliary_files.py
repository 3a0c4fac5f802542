"""Auxiliary files of the data: hierarchies, metadata, a key. A plan names them as their owner does."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from starlette.requests import Request

from .uploads import Source, TooLarge, receive
from .workspaces import Work

HIERARCHIES = (".csv", ".hrc", ".txt")
# A key is one line; a longer file is another one, and is not kept.
MOST_OF_KEY = 1000
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][\w .-]{0,80}")


async def added(request: Request, work: Work, endings: Sequence[str]) -> tuple[Source | None, str]:
    """An auxiliary file that is sent, or what is wrong with it, as a key of the texts."""
    try:
        source = await receive(request, work.folder)
    except TooLarge:
        return None, "data.too-large"
    if source.path.suffix not in endings:
        source.path.unlink(missing_ok=True)
        return None, "beside.not-one"
    keep(work, source)
    return source, ""


def keep(work: Work, source: Source) -> None:
    """Keep a file in place of one of that name; metadata name hierarchies, so these keep a plain name."""
    plain = _PLAIN_NAME.fullmatch(source.shown_as) is not None
    path = place_of(work) / (source.shown_as if plain else source.path.name)
    source.path.replace(path)
    source.path = path
    # the newest is the last
    work.auxiliary.pop(source.shown_as, None)
    work.auxiliary[source.shown_as] = source


def place_of(work: Work) -> Path:
    """The folder of such files."""
    place = work.folder / "beside"
    place.mkdir(mode=0o700, exist_ok=True)
    return place


def names_of(work: Work) -> dict[str, str]:
    """The owner's names of files, by their names on disk."""
    sources = [source for source in (work.source, work.key) if source is not None]
    return {source.path.name: source.shown_as for source in (*sources, *work.auxiliary.values())}


def placed(work: Work, named: Mapping[str, Any]) -> dict[str, Any]:
    """Hierarchies by column as a worker reads them: paths of files, labels as they are."""
    # a file that was not sent has no path: the worker reports it
    paths = {name: source.path for name, source in work.auxiliary.items()}
    return {
        column: str(paths.get(hierarchy, place_of(work) / "none"))
        if isinstance(hierarchy, str)
        else hierarchy
        for column, hierarchy in named.items()
    }


def lacking(work: Work, named: Mapping[str, Any]) -> list[str]:
    """Files that are named, but were not sent."""
    return [name for name in named.values() if isinstance(name, str) and name not in work.auxiliary]
