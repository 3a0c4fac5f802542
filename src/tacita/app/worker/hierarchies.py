"""What a question about roles says of hierarchies: those that are there are looked at, others are made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tacita import api
from tacita.core import Microdata, TacitaError
from tacita.io import content_of, fingerprint_of

from .file_aliases import as_its_owner_says

# Labels of a level that are shown, of the many that there may be.
_MOST_NAMES = 4


def hierarchies(given: Mapping[str, Any], data: Microdata) -> dict[str, Any]:
    """By column: labels and values in counts, and the first labels of each level; or what is wrong.

    `hierarchies` are looked at. Those under `make` are made as they say `how`, and written to their `path`.
    """
    found = {column: _told(given, data, column, said) for column, said in given["hierarchies"].items()}
    return found | {column: _made(given, data, column, said) for column, said in given["make"].items()}


def _made(given: Mapping[str, Any], data: Microdata, column: str, said: Mapping[str, Any]) -> dict[str, Any]:
    path = Path(said["path"])
    try:
        made = api.build_hierarchy(data, column, **said["how"])
        api.save_hierarchy(made, path, force=True)
    except TacitaError as problem:
        return {"message": str(problem)}
    content = content_of(path)
    about = {"size": len(content), "fingerprint": fingerprint_of(content)}
    return {**_told(given, data, column, path), **about}


def _told(given: Mapping[str, Any], data: Microdata, column: str, said: Any) -> dict[str, Any]:
    try:
        with as_its_owner_says(given):
            look = api.hierarchy_coverage(data, column, said)
    except TacitaError as problem:
        return {"message": str(problem)}
    names = [{"first": level[:_MOST_NAMES], "more": len(level) > _MOST_NAMES} for level in look.names]
    return {"labels": look.labels, "names": names, "values": look.values, "unknown": look.unknown}
