"""Files that belong to the data: hierarchies, metadata, a key. A plan has the names of their owner."""

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
    """A file that is sent beside the data, or what is wrong with it, as a key of the texts."""
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
    work.beside.pop(source.shown_as, None)
    work.beside[source.shown_as] = source


def place_of(work: Work) -> Path:
    """The folder of such files."""
    place = work.folder / "beside"
    place.mkdir(mode=0o700, exist_ok=True)
    return place


def names_of(work: Work) -> dict[str, str]:
    """What their owner calls files that lie under names of our own."""
    given = [each for each in (work.source, work.key) if each is not None]
    return {each.path.name: each.shown_as for each in (*given, *work.beside.values())}


def placed(work: Work, named: Mapping[str, Any]) -> dict[str, Any]:
    """Hierarchies by column as a child reads them: files where they lie, labels as they are."""
    # what was not given has no place, and a child says so
    paths = {name: each.path for name, each in work.beside.items()}
    return {
        column: str(paths.get(said, place_of(work) / "none")) if isinstance(said, str) else said
        for column, said in named.items()
    }


def lacking(work: Work, named: Mapping[str, Any]) -> list[str]:
    """Files that are named, and were not given."""
    return [said for said in named.values() if isinstance(said, str) and said not in work.beside]
