"""Hierarchies out of files and of what programs have, for the columns of records and of tables alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tacita.core import Hierarchy, ParameterError
from tacita.io.content import content_of

from .hrc import parse_hrc
from .made import from_levels, from_nested, from_parents

__all__ = ["as_hierarchy", "from_levels", "from_nested", "from_parents", "read_hrc"]


def read_hrc(path: str | Path, name: str | None = None, total: str = "Total", lead: str = "@") -> Hierarchy:
    """A tau-ARGUS .hrc file: one label per line, as deep as the leading string is repeated before it."""
    path = Path(path)
    try:
        text = content_of(path).decode("utf-8-sig")
    except UnicodeError:
        raise ParameterError(f"{path.name}: cannot be read as a text file of UTF-8.") from None
    return parse_hrc(text, name or path.stem, total, lead)


def as_hierarchy(name: str, given: Any, total: str = "Total") -> Hierarchy:
    """A hierarchy in any of the forms above: Hierarchy, dict, list of labels, or the path of an .hrc file."""
    if isinstance(given, Hierarchy):
        return Hierarchy(name, given.labels, given.parents)
    if isinstance(given, str | Path):
        return read_hrc(given, name, total)
    if isinstance(given, Mapping | Sequence):
        return from_nested(name, given, total)
    raise ParameterError(
        f"Hierarchy {name}: wanted a nested dict, a list, a Hierarchy or an .hrc path, "
        f"got {type(given).__name__}."
    )
