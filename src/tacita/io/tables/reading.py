"""What a reader finds in a published file: the cells of a table, and whatever else is there.

Nothing else may be there. That is not decided by a list of hiding places, which is never complete: the cells
that were found are written again, and the file must be the same to the last byte. Only what to call the
difference comes from lists of known kinds; a name or a text of the file is never repeated.
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

# How often each thing is there: what it is called, and what it says, which is never told.
Things = Counter[tuple[str, str]]

# What is told where no list knows the difference.
OTHER = "characters or bytes that belong to no cell"
_WORDS = {"published": False, "withheld": True}
# what 15 digits lose
_DIGITS = 1e-14
# Whole numbers without a point and others to 15 digits, as tacita does; all digits; 15 digits with a point.
_SPELLINGS = (spelled, repr, lambda value: repr(float(spelled(value))))


@dataclass(frozen=True, eq=False)
class Seen:
    """Cells in the order of the table's; `besides` says what kinds of things the file shows besides them."""

    withheld: Mask
    values: Floats
    besides: tuple[str, ...] = ()


def read_back(
    content: bytes, form: PublishedFormat, table: Table, source: str, meant: Floats | None = None
) -> Seen:
    """What is found in a file of a table with these labels; DataError where its cells cannot be found.

    `meant` are the values that it should show, those of the table unless given.
    """
    besides: list[str] = []
    found = form.read(content, _shown(table, [None] * table.n), source)
    texts = found if isinstance(found, list) else _placed(found, table, source, besides)
    values = np.array([_number(each, source) for each in texts])
    besides += _spelling(texts, values, table.values if meant is None else meant)
    differing = form.besides(content, _shown(table, texts))
    # what is known already is the difference, or part of it
    if differing != [OTHER] or not besides:
        besides += differing
    return Seen(np.array([each is None for each in texts]), values, tuple(besides))


def _shown(table: Table, texts: list[str | None]) -> Shown:
    return Shown(table.dimensions, table.codes, table.response, tuple(texts), table.title)


def _placed(
    columns: Mapping[str, list[str]], table: Table, source: str, besides: list[str]
) -> list[str | None]:
    """The text of each cell, from a list of all cells."""
    names = [*(dimension.name for dimension in table.dimensions), "value", "status"]
    if missing := [name for name in names if name not in columns]:
        raise DataError(f"{source}: wanted the columns {', '.join(names)}, there is no {', '.join(missing)}.")
    levels = {level_column(each): each for each in table.dimensions if not each.is_flat}
    if more := len(set(columns) - {*names, *levels}):
        besides.append(f"columns that are not the table's ({more})")
    cells = _cells(columns, table, source)
    if cells != _shown(table, [None] * table.n).order:
        # sorted by value, lines would tell what is withheld
        besides.append("an order of lines that is not the table's")
    for column, dimension in levels.items():
        depths = dict(zip(dimension.labels, map(str, dimension.depths), strict=True))
        own = zip(columns.get(column, ()), columns[dimension.name], strict=False)
        if odd := sum(level != depths[label] for level, label in own):
            besides.append(f"levels that are not those of the labels ({odd})")
    hidden = [_WORDS.get(word) for word in columns["status"]]
    if odd := hidden.count(None):
        raise DataError(f"{source}: status must be published or withheld, {odd} lines have another word.")
    if full := sum(bool(each) for each, secret in zip(columns["value"], hidden, strict=True) if secret):
        besides.append(f"cells that are called withheld, but their value stands there ({full})")
    texts: list[str | None] = [None] * table.n
    for cell, each, secret in zip(cells, columns["value"], hidden, strict=True):
        texts[cell] = None if secret else each
    return texts


def _cells(columns: Mapping[str, list[str]], table: Table, source: str) -> list[int]:
    own = [columns[dimension.name] for dimension in table.dimensions]
    for dimension, labels in zip(table.dimensions, own, strict=True):
        known = set(dimension.labels)
        if stray := sum(label not in known for label in labels):
            raise DataError(
                f"{source}: {stray} labels of column {dimension.name} are not those of the table."
            )
    place = {table.label(cell): cell for cell in range(table.n)}
    cells = [place.get(labels, -1) for labels in zip(*own, strict=True)]
    distinct = set(cells) - {-1}
    if len(cells) != table.n or len(distinct) != table.n:
        raise DataError(
            f"{source}: wanted each of {table.n} cells once, sums included, got {len(cells)} lines of "
            f"{len(distinct)} cells."
        )
    return cells


def differs(values: Floats, meant: Floats) -> Mask:
    """Where the values of a file are not those that it should show, as far as 15 digits tell."""
    off = np.abs(values - meant) > _DIGITS * np.maximum(np.abs(meant), 1e-300) * 10
    return np.asarray(off | np.isnan(values))


def _spelling(texts: list[str | None], values: Floats, wanted: Floats) -> list[str]:
    """Digits that a number does not need can say anything; so can a choice between two ways to spell it.

    A value of the table must be spelled as the table's, not as one that is nearly it.
    """
    meant = np.where(differs(values, wanted), values, wanted) + 0.0
    numbers = [
        (text, value) for text, value in zip(texts, meant.tolist(), strict=True) if text and isfinite(value)
    ]
    odd = min(sum(text != spell(value) for text, value in numbers) for spell in _SPELLINGS)
    return [f"numbers that are not spelled plainly, all as 1250 or all as 1250.0 ({odd})"] if odd else []


def _number(each: str | None, source: str) -> float:
    if not each:
        return float("nan")
    try:
        return float(each)
    except ValueError:
        raise DataError(f"{source}: wanted numbers, or nothing where a value is withheld.") from None


def beyond(found: Things, known: Things) -> list[str]:
    """Kinds of things that are there beside the known ones, and how many.

    >>> beyond(Counter({("comment", "a"): 2, ("cell", "5"): 1}), Counter({("cell", "5"): 1}))
    ['comment (2)']
    """
    kinds: Counter[str] = Counter()
    for (kind, _), count in (found - known).items():
        kinds[kind] += count
    return [f"{kind} ({count})" for kind, count in sorted(kinds.items())]
