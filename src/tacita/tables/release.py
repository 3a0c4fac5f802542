"""The bytes of a published table, read back and attacked before they may be written.

What an outsider reads in the file counts, not what was meant: withheld cells must be empty, published ones
the true values, and the pattern that the file itself shows must pass the audit.
"""

from __future__ import annotations

import io as streams
from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tacita import io
from tacita.core import DataError, ParameterError, Pattern, Run, Table, VerificationError
from tacita.io import published

from .audit import Audit, audit, require_safe
from .judge import Problem

Mask = npt.NDArray[np.bool_]

_FORMS = {".csv": "csv", ".xlsx": "excel", ".html": "html", ".htm": "html"}
_WORDS = {"published": False, "withheld": True}
# what 15 digits lose
_DIGITS = 1e-14


@dataclass(frozen=True, eq=False)
class Seen:
    """What a reader finds in a published table, in the order of the table's cells."""

    withheld: Mask
    values: npt.NDArray[np.float64]


def form_of(path: Path) -> str:
    """What kind of published table a path names, by its ending.

    >>> form_of(Path("table.xlsx"))
    'excel'
    """
    ending = path.suffix.lower()
    found = _FORMS.get(ending)
    if ending in (".tab", ".jj"):
        raise ParameterError(
            f"{path.name}: files of tau-ARGUS hold the true values and say which are sensitive. "
            f"A published table ends in {', '.join(_FORMS)}."
        )
    if found is None:
        raise ParameterError(
            f"{path.name}: wanted a published table ending in {', '.join(_FORMS)}, "
            f"got {path.suffix or 'no ending'}."
        )
    return found


def encoded(table: Table, pattern: Pattern, form: str, run: Run | None = None) -> bytes:
    """A published table as bytes that have been read back, compared and audited."""
    content = {"csv": published.to_csv, "excel": published.to_excel, "html": published.to_html}[form](
        table, pattern
    )
    seen = read_back(content, form, table, "Published table")
    refuse_differences(table, seen, pattern.withheld)
    problem: Problem = pattern.problem  # type: ignore[assignment]
    insisted = bool(pattern.parameters.get("insist"))
    require_safe(audit(table, seen.withheld, problem, run, insist=insisted))
    return content


def refuse_differences(table: Table, seen: Seen, withheld: Mask) -> None:
    """Raise where a file withholds other cells than it should, or shows another value."""
    if not np.array_equal(seen.withheld, withheld):
        raise VerificationError(
            "Published table: read back, it does not withhold the cells that it should. Nothing was written."
        )
    if wrong := int(changed(table, seen).sum()):
        raise VerificationError(
            f"Published table: read back, {wrong} values are not those of the table. Nothing was written."
        )


def changed(table: Table, seen: Seen) -> Mask:
    """Published cells whose value in the file is not that of the table."""
    off = np.abs(seen.values - table.values) > _DIGITS * np.maximum(np.abs(table.values), 1e-300) * 10
    return ~seen.withheld & (off | np.isnan(seen.values))


def audit_published(
    table: Table,
    content: bytes,
    form: str,
    problem: Problem,
    run: Run | None = None,
    *,
    source: str,
    strict: bool = False,
    insist: bool = False,
) -> tuple[Audit, int]:
    """Attack a published file, whoever made it; also how many published values differ from the table."""
    seen = read_back(content, form, table, source)
    found = audit(table, seen.withheld, problem, run, strict=strict, insist=insist)
    return found, int(changed(table, seen).sum())


def read_back(content: bytes, form: str, table: Table, source: str) -> Seen:
    """What a reader finds in a file of a table with these labels."""
    if form == "html":
        return _from_html(content, table, source)
    rows = _from_excel(content, source) if form == "excel" else _from_csv(content, source)
    names = [*(dimension.name for dimension in table.dimensions), "value", "status"]
    if missing := [name for name in names if name not in rows]:
        raise DataError(f"{source}: wanted the columns {', '.join(names)}, there is no {', '.join(missing)}.")
    cells = _places(table, rows, source)
    hidden = [_WORDS.get(word.strip()) for word in rows["status"]]
    if odd := sum(each is None for each in hidden):
        raise DataError(f"{source}: status must be published or withheld, {odd} lines have another word.")
    withheld, values = np.zeros(table.n, dtype=bool), np.full(table.n, np.nan)
    withheld[cells] = hidden
    texts = [text.strip() for text in rows["value"]]
    if shown := sum(bool(text) for text, secret in zip(texts, hidden, strict=True) if secret):
        raise VerificationError(
            f"{source}: {shown} cells are called withheld, but their value stands there. Empty them."
        )
    values[cells] = [_number(text, source) for text in texts]
    return Seen(withheld, values)


def _places(table: Table, rows: Mapping[str, list[str]], source: str) -> npt.NDArray[np.int64]:
    codes = []
    for dimension in table.dimensions:
        place = {label: at for at, label in enumerate(dimension.labels)}
        own = [place.get(text, -1) for text in rows[dimension.name]]
        if stray := own.count(-1):
            raise DataError(
                f"{source}: {stray} labels of column {dimension.name} are not those of the table."
            )
        codes.append(own)
    cells = np.ravel_multi_index([np.array(each, dtype=np.int64) for each in codes], table.shape)
    if cells.size != table.n or np.unique(cells).size != table.n:
        raise DataError(
            f"{source}: wanted each of {table.n} cells once, sums included, got {cells.size} lines of "
            f"{np.unique(cells).size} cells."
        )
    return np.asarray(cells, dtype=np.int64)


def _number(text: str, source: str) -> float:
    if not text:
        return float("nan")
    try:
        return float(text)
    except ValueError:
        raise DataError(f"{source}: column value wants numbers, or nothing where withheld.") from None


def _from_csv(content: bytes, source: str) -> dict[str, list[str]]:
    data = io.decode(content, "csv", io.InputOptions(), source)
    return {name: [str(cell) for cell in data.frame[name].to_list()] for name in data.columns}


def _from_excel(content: bytes, source: str) -> dict[str, list[str]]:
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise ParameterError(
            f"{source}: the package openpyxl is not installed. Install tacita[excel]."
        ) from None
    try:
        book = load_workbook(streams.BytesIO(content), read_only=True)
        lines = list(book["cells"].values)
        laid_out = list(book["table"].values)
    except Exception:
        raise DataError(f"{source}: this is no workbook with the sheets table and cells.") from None
    rows = {str(name): [_text(line[at]) for line in lines[1:]] for at, name in enumerate(lines[0])}
    # the sheet for people must not show what the other one withholds
    marks = sum(cell == published.MARK for line in laid_out[1:] for cell in line[1:])
    if marks != rows.get("status", []).count("withheld"):
        raise VerificationError(f"{source}: its two sheets do not withhold the same cells.")
    return rows


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell)


class _Cells(HTMLParser):
    """Labels and cells of the first table of a page, row by row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "tr":
            self.rows.append([])
        self.inside = tag in ("td", "th")
        if self.inside:
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.rows[-1][-1] += data


def _from_html(content: bytes, table: Table, source: str) -> Seen:
    parser = _Cells()
    try:
        parser.feed(content.decode())
    except UnicodeDecodeError:
        raise DataError(f"{source}: wanted a page of UTF-8 text.") from None
    body = parser.rows[1:]
    if len(table.dimensions) != 2:
        return _from_list(body, table, source)
    down, across = table.dimensions[0].labels, table.dimensions[-1].labels
    head = [row[0] if row else "" for row in body]
    if head != list(down) or not parser.rows or parser.rows[0][1:] != list(across):
        raise DataError(f"{source}: wanted the labels of the table down and across, got others.")
    return _marked([text for row in body for text in row[1:]], table, source)


def _from_list(body: list[list[str]], table: Table, source: str) -> Seen:
    """A page with a line for each cell, labels first."""
    wide = len(table.dimensions)
    labels = [tuple(row[:wide]) for row in body if len(row) == wide + 1]
    if labels != [table.label(cell) for cell in range(table.n)]:
        raise DataError(f"{source}: wanted the cells of the table in their order, got others.")
    return _marked([row[wide] for row in body if len(row) == wide + 1], table, source)


def _marked(texts: list[str], table: Table, source: str) -> Seen:
    if len(texts) != table.n:
        raise DataError(f"{source}: wanted {table.n} cells, got {len(texts)}.")
    withheld = np.array([text == published.MARK for text in texts])
    values = np.array([np.nan if text == published.MARK else _number(text, source) for text in texts])
    return Seen(withheld, values)
