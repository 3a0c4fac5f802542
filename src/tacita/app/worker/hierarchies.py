"""Hierarchies of a question about roles: existing ones are examined, others are built."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tacita import api
from tacita.core import Microdata, TacitaError
from tacita.io import content_of, fingerprint_of

from .file_aliases import with_owner_names

# Labels of a level that are shown, of the many that there may be.
_MOST_NAMES = 4


def hierarchies(request: Mapping[str, Any], data: Microdata) -> dict[str, Any]:
    """By column: labels and values in counts, and the first labels of each level; or what is wrong.

    `hierarchies` are examined. Those under `make` are built as `how` states, and written to their `path`.
    """
    by_column = {
        column: _coverage(request, data, column, hierarchy)
        for column, hierarchy in request["hierarchies"].items()
    }
    return by_column | {
        column: _made(request, data, column, hierarchy) for column, hierarchy in request["make"].items()
    }


def _made(
    request: Mapping[str, Any], data: Microdata, column: str, spec: Mapping[str, Any]
) -> dict[str, Any]:
    path = Path(spec["path"])
    try:
        made = api.build_hierarchy(data, column, **spec["how"])
        api.save_hierarchy(made, path, force=True)
    except TacitaError as error:
        return {"message": str(error)}
    content = content_of(path)
    about = {"size": len(content), "fingerprint": fingerprint_of(content)}
    return {**_coverage(request, data, column, path), **about}


def _coverage(request: Mapping[str, Any], data: Microdata, column: str, hierarchy: Any) -> dict[str, Any]:
    try:
        with with_owner_names(request):
            look = api.hierarchy_coverage(data, column, hierarchy)
    except TacitaError as error:
        return {"message": str(error)}
    names = [{"first": level[:_MOST_NAMES], "more": len(level) > _MOST_NAMES} for level in look.names]
    return {"labels": look.labels, "names": names, "values": look.values, "unknown": look.unknown}
