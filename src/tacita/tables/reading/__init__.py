"""What a reader finds in a published file: the cells of a table, and whatever else is there.

Nothing else may be there. That is not decided by a list of hiding places, which is never complete: the cells
that were found are written again, and the file must be the same to the last byte. Only what to call the
difference comes from lists of known kinds; a name or a text of the file is never repeated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tacita.core import DataError, Table
from tacita.io.published import Shown, spelled

from . import excel, page, text
from .kinds import OTHER

_WORDS = {"published": False, "withheld": True}


@dataclass(frozen=True, eq=False)
class Seen:
    """Cells in the order of the table's; `besides` says what kinds of things the file shows besides them."""

    withheld: npt.NDArray[np.bool_]
    values: npt.NDArray[np.float64]
    besides: tuple[str, ...] = ()


def read_back(content: bytes, form: str, table: Table, source: str) -> Seen:
    """What is found in a file of a table with these labels; DataError where its cells cannot be found."""
    besides: list[str] = []
    if form == "html":
        texts = page.read(content, _shown(table, [None] * table.n), source)
    else:
        columns = excel.read(content, source) if form == "excel" else text.read(content, source)
        texts = _placed(columns, table, source, besides)
    besides += _spelling(texts)
    shown = _shown(table, texts)
    differing = {"csv": text.besides, "excel": excel.besides, "html": page.besides}[form](content, shown)
    # what is known already is the difference, or part of it
    if differing != [OTHER] or not besides:
        besides += differing
    values = np.array([_number(each, source) for each in texts])
    return Seen(np.array([each is None for each in texts]), values, tuple(besides))


def _shown(table: Table, texts: list[str | None]) -> Shown:
    return Shown(table.dimensions, table.codes, table.response, tuple(texts))


def _placed(
    columns: Mapping[str, list[str]], table: Table, source: str, besides: list[str]
) -> list[str | None]:
    """The text of each cell, from a list of all cells."""
    names = [*(dimension.name for dimension in table.dimensions), "value", "status"]
    if missing := [name for name in names if name not in columns]:
        raise DataError(f"{source}: wanted the columns {', '.join(names)}, there is no {', '.join(missing)}.")
    if more := len(columns) - len(names):
        besides.append(f"columns that are not the table's ({more})")
    cells = _cells(columns, table, source)
    if cells != sorted(cells):
        # sorted by value, lines would tell what is withheld
        besides.append("an order of lines that is not the table's")
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


def _spelling(texts: list[str | None]) -> list[str]:
    """Digits that a number does not need can say anything."""
    odd = sum(not _plain(each) for each in texts if each)
    return [f"numbers that are not spelled plainly, as 1250 or 12.5 ({odd})"] if odd else []


def _plain(number: str) -> bool:
    try:
        value = float(number)
        return number in (spelled(value), repr(value))
    except (ValueError, OverflowError):
        # no number, or none that is finite: not the value of any cell
        return True


def _number(each: str | None, source: str) -> float:
    if not each:
        return float("nan")
    try:
        return float(each)
    except ValueError:
        raise DataError(f"{source}: wanted numbers, or nothing where a value is withheld.") from None
