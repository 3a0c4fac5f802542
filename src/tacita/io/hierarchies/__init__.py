"""Hierarchies from files and Python objects, for columns of records and for dimensions of tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tacita.core import DataError, Hierarchy, ParameterError
from tacita.io.content import content_of

from .arx import format_arx, parse_arx, rows_of
from .constructors import from_dates, from_intervals, from_levels, from_nested, from_parents, from_prefixes
from .hrc import format_hrc, parse_hrc

__all__ = [
    "as_hierarchy",
    "format_arx",
    "format_hrc",
    "from_dates",
    "from_intervals",
    "from_levels",
    "from_nested",
    "from_parents",
    "from_prefixes",
    "read_hierarchy",
    "read_hrc",
]


def read_hierarchy(path: str | Path, name: str | None = None, total: str = "Total") -> Hierarchy:
    """Read a hierarchy of ARX (.csv, from value to top), of parents (.csv), or of tau-ARGUS (.hrc).

    A .csv of two columns, the second named `parent`, has a line for every label with its parent, which is
    empty for labels directly below the total.
    """
    path = Path(path)
    if path.suffix.lower() == ".hrc":
        return read_hrc(path, name, total)
    if path.suffix.lower() not in (".csv", ".txt"):
        raise ParameterError(
            f"{path.name}: wanted a hierarchy as .csv (of ARX: a line from each value to the top; or with "
            "the head label,parent: a line for each label) or as .hrc (of tau-ARGUS)."
        )
    text, name = _text(path), name or path.stem
    rows = rows_of(text, name, refuse=False)
    if rows and len(rows[0]) == 2 and rows[0][1].lower() == "parent":
        return _of_parents(rows[1:], name, total)
    return parse_arx(text, name)


def _of_parents(rows: Sequence[Sequence[str]], name: str, total: str) -> Hierarchy:
    if wrong := sum(len(row) != 2 or not row[0] for row in rows):
        raise DataError(f"Hierarchy {name}: wanted a label and its parent in each line, {wrong} have others.")
    return from_parents(name, [label for label, _ in rows], [parent for _, parent in rows], total)


def read_hrc(path: str | Path, name: str | None = None, total: str = "Total", lead: str = "@") -> Hierarchy:
    """Read a tau-ARGUS .hrc file: one label per line; each leading string before it is one level down."""
    path = Path(path)
    return parse_hrc(_text(path), name or path.stem, total, lead)


def _text(path: Path) -> str:
    try:
        return content_of(path).decode("utf-8-sig")
    except UnicodeError:
        raise ParameterError(f"{path.name}: cannot be read as a text file of UTF-8.") from None


def as_hierarchy(name: str, source: Any, total: str = "Total") -> Hierarchy:
    """A hierarchy in any of the forms above: Hierarchy, dict, list of labels, or the path of a file."""
    if isinstance(source, Hierarchy):
        return replace(source, name=name)
    if isinstance(source, str | Path):
        return read_hierarchy(source, name, total)
    if isinstance(source, Mapping | Sequence):
        return from_nested(name, source, total)
    raise ParameterError(
        f"Hierarchy {name}: wanted a nested dict, a list, a Hierarchy or the path of a file, "
        f"got {type(source).__name__}."
    )
