"""Hierarchies in the format of ARX: one line per value, from the value to the top, without a header."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from itertools import pairwise

from tacita.core import DataError, Hierarchy
from tacita.core.data.hierarchy import check_step_count

TOP = "*"


def parse_arx(text: str, name: str) -> Hierarchy:
    """Rows of labels separated by semicolons, commas or tabs; without a common top label, * is added.

    A label that is repeated on several levels of a line is one label, at the lowest of them.

    >>> region = parse_arx("N1;north;*\\nN2;north;*\\nS1;south;*\\n", "region")
    >>> region.height, region.relabelled(1)
    (2, {'N1': 'north', 'N2': 'north', 'S1': 'south'})
    """
    rows = rows_of(text, name)
    width = len(rows[0])
    if ragged := sum(len(row) != width for row in rows):
        raise DataError(
            f"Hierarchy {name}: {ragged} of {len(rows)} lines have more or fewer levels than the first "
            f"({width}). Give every value a label on each level."
        )
    if len(rows) > 1 and len({row[-1] for row in rows}) > 1:
        rows = [[*row, TOP] for row in rows]
    if twice := len(rows) - len({row[0] for row in rows}):
        raise DataError(f"Hierarchy {name}: {twice} values occur twice. Keep one line for each.")
    return from_rows(name, rows)


def from_rows(name: str, rows: Sequence[Sequence[str]]) -> Hierarchy:
    """Rows of labels of equal length, the value first and the top last. O(values levels)."""
    check_step_count(name, len(rows[0]) - 1)
    above: dict[str, str] = {}
    until: dict[str, int] = {}
    conflicting: set[str] = set()
    for row in rows:
        path = list(dict.fromkeys(row))
        if len(path) != 1 + sum(finer != coarser for finer, coarser in pairwise(row)):
            conflicting.add(row[0])
        for label, parent in pairwise(path):
            level = row.index(parent)
            if above.setdefault(label, parent) != parent or until.setdefault(label, level) != level:
                conflicting.add(label)
    top = rows[0][-1]
    values = {row[0] for row in rows}
    if conflicting or top in above:
        raise DataError(
            f"Hierarchy {name}: {max(len(conflicting), 1)} labels have several parents, or are their own. "
            "A label has one parent: make the finer labels unique."
        )
    # a value with children would be a leaf and an inner label at once
    if odd := sum(parent in values for parent in above.values()):
        raise DataError(
            f"Hierarchy {name}: {odd} labels have a parent that is a value itself. Give coarser labels "
            "unique names."
        )
    labels = tuple(dict.fromkeys(label for row in rows for label in row))
    index = {label: at for at, label in enumerate(labels)}
    parents = tuple(-1 if label == top else index[above[label]] for label in labels)
    # a single value is its own top
    return Hierarchy(name, labels, parents, tuple(until.get(label, len(rows[0])) for label in labels))


def format_arx(hierarchy: Hierarchy) -> str:
    """The text of a hierarchy in this format.

    >>> text = "N1;north;*\\nN2;north;*\\nS1;S1;*\\n"
    >>> format_arx(parse_arx(text, "region")) == text
    True
    """
    written = io.StringIO()
    writer = csv.writer(written, delimiter=";", lineterminator="\n")
    writer.writerows([hierarchy.labels[node] for node in path] for path in hierarchy.levels.T.tolist())
    return written.getvalue()


def rows_of(text: str, name: str, *, refuse: bool = True) -> list[list[str]]:
    """The cells of each line that has any; with `refuse`, empty cells are an error."""
    head = text.lstrip("\ufeff").partition("\n")[0]
    delimiter = next((sign for sign in ";\t," if sign in head), ";")
    try:
        parsed = csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter=delimiter, strict=True)
        rows = [[cell.strip() for cell in row] for row in parsed if any(cell.strip() for cell in row)]
    except csv.Error:
        rows = []
    if refuse and (not rows or any(not cell for row in rows for cell in row)):
        raise DataError(
            f"Hierarchy {name}: wanted lines of labels from the value to the top, such as Porto;North;*, "
            "none empty."
        )
    return rows
