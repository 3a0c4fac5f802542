"""Read a published file back: the cells of a table, and whatever else the file holds.

Nothing else may be in it. No list of hiding places decides this, since none is complete: the extracted cells
are written again, and the result must equal the file byte for byte. Lists of known kinds serve only to name
the difference; a name or text of the file is never repeated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

import numpy as np

from tacita.core import DataError, Floats, Mask, Table

from .published_table import Shown, level_column, spelled
from .table_format import PublishedFormat

# Counts of contents by kind and text; messages name the kind, and never the text.
Things = Counter[tuple[str, str]]

# The name of a difference that is on no list.
OTHER = "characters or bytes that belong to no cell"
_WORDS = {"published": False, "withheld": True}
# the relative error of 15 digits
_DIGITS = 1e-14
# Whole numbers without a point and others to 15 digits, as tacita does; all digits; 15 digits with a point.
_SPELLINGS = (spelled, repr, lambda value: repr(float(spelled(value))))


@dataclass(frozen=True, eq=False)
class Seen:
    """Cells in the order of the table; `besides` names the other kinds of contents of the file."""

    withheld: Mask
    values: Floats
    besides: tuple[str, ...] = ()


def read_back(
    content: bytes, form: PublishedFormat, table: Table, source: str, meant: Floats | None = None
) -> Seen:
    """The contents of a file of a table with these labels; DataError where its cells are missing.

    `meant` are the values that it should show; by default those of the table.
    """
    besides: list[str] = []
    cells = form.read(content, _shown(table, [None] * table.n), source)
    texts = cells if isinstance(cells, list) else _placed(cells, table, source, besides)
    values = np.array([_number(text, source) for text in texts])
    besides += _spelling(texts, values, table.values if meant is None else meant)
    differing = form.besides(content, _shown(table, texts))
    # the differences that are already named explain the unnamed one, or part of it
    if differing != [OTHER] or not besides:
        besides += differing
    return Seen(np.array([text is None for text in texts]), values, tuple(besides))


def _shown(table: Table, texts: list[str | None]) -> Shown:
    return Shown(table.dimensions, table.codes, table.response, tuple(texts), table.title)


def _placed(
    columns: Mapping[str, list[str]], table: Table, source: str, besides: list[str]
) -> list[str | None]:
    """The text of each cell, from a list of all cells."""
    names = [*(dimension.name for dimension in table.dimensions), "value", "status"]
    if missing := [name for name in names if name not in columns]:
        raise DataError(f"{source}: wanted the columns {', '.join(names)}, there is no {', '.join(missing)}.")
    levels = {level_column(dimension): dimension for dimension in table.dimensions if not dimension.is_flat}
    if more := len(set(columns) - {*names, *levels}):
        besides.append(f"columns that are not the table's ({more})")
    cells = _cells(columns, table, source)
    if cells != _shown(table, [None] * table.n).order:
        # lines sorted by value would disclose suppressed values
        besides.append("an order of lines that is not the table's")
    for column, dimension in levels.items():
        depths = dict(zip(dimension.labels, map(str, dimension.depths), strict=True))
        pairs = zip(columns.get(column, ()), columns[dimension.name], strict=False)
        if odd := sum(level != depths[label] for level, label in pairs):
            besides.append(f"levels that are not those of the labels ({odd})")
    hidden = [_WORDS.get(word) for word in columns["status"]]
    if odd := hidden.count(None):
        raise DataError(f"{source}: status must be published or withheld, {odd} lines have another text.")
    if full := sum(bool(text) for text, secret in zip(columns["value"], hidden, strict=True) if secret):
        besides.append(f"cells with the status withheld that show their value ({full})")
    texts: list[str | None] = [None] * table.n
    for cell, text, secret in zip(cells, columns["value"], hidden, strict=True):
        texts[cell] = None if secret else text
    return texts


def _cells(columns: Mapping[str, list[str]], table: Table, source: str) -> list[int]:
    label_lists = [columns[dimension.name] for dimension in table.dimensions]
    for dimension, labels in zip(table.dimensions, label_lists, strict=True):
        known = set(dimension.labels)
        if stray := sum(label not in known for label in labels):
            raise DataError(
                f"{source}: {stray} labels of column {dimension.name} are not those of the table."
            )
    index = {table.label(cell): cell for cell in range(table.n)}
    cells = [index.get(labels, -1) for labels in zip(*label_lists, strict=True)]
    distinct = set(cells) - {-1}
    if len(cells) != table.n or len(distinct) != table.n:
        raise DataError(
            f"{source}: wanted each of {table.n} cells once, sums included, got {len(cells)} lines of "
            f"{len(distinct)} cells."
        )
    return cells


def differs(values: Floats, meant: Floats) -> Mask:
    """Where the values of a file differ from those that it should show, to 15 digits."""
    off = np.abs(values - meant) > _DIGITS * np.maximum(np.abs(meant), 1e-300) * 10
    return np.asarray(off | np.isnan(values))


def _spelling(texts: list[str | None], values: Floats, wanted: Floats) -> list[str]:
    """The fault of numbers with superfluous digits or mixed spellings, which could carry hidden information.

    A value of the table must be spelled as the table's value, not as a close one.
    """
    meant = np.where(differs(values, wanted), values, wanted) + 0.0
    numbers = [
        (text, value) for text, value in zip(texts, meant.tolist(), strict=True) if text and isfinite(value)
    ]
    odd = min(sum(text != spell(value) for text, value in numbers) for spell in _SPELLINGS)
    return [f"numbers that are not spelled plainly, all as 1250 or all as 1250.0 ({odd})"] if odd else []


def _number(text: str | None, source: str) -> float:
    if not text:
        return float("nan")
    try:
        return float(text)
    except ValueError:
        raise DataError(f"{source}: wanted numbers, or empty cells where a value is suppressed.") from None


def beyond(things: Things, known: Things) -> list[str]:
    """The kinds of contents beyond the known ones, with their counts.

    >>> beyond(Counter({("comment", "a"): 2, ("cell", "5"): 1}), Counter({("cell", "5"): 1}))
    ['comment (2)']
    """
    kinds: Counter[str] = Counter()
    for (kind, _), count in (things - known).items():
        kinds[kind] += count
    return [f"{kind} ({count})" for kind, count in sorted(kinds.items())]
