"""The published table: values, and a mark where one is withheld. Safe to publish once the audit has passed.

Says nothing of which cells are sensitive, of levels, ranges or costs: a cell is published or withheld.
"""

from __future__ import annotations

import html
import io
import zipfile
from typing import Any

import numpy as np
import numpy.typing as npt

from tacita.core import CsvDialect, DataError, ParameterError, Pattern, Table

from . import csv

MARK = "×"


def to_csv(table: Table, withheld: Pattern | npt.ArrayLike) -> bytes:
    """One line per cell: its labels, the value (empty where withheld), and published or withheld.

    >>> table = Table.from_array([[5, 3]], names=["R", "C"])
    >>> print(to_csv(table, [True, True, False, True, True, False]).decode().splitlines()[:3])
    ['R,C,value,status', '1,1,,withheld', '1,2,,withheld']
    """
    import pyarrow as pa

    mask = _mask(table, withheld)
    columns: dict[str, Any] = {}
    for at, dimension in enumerate(table.dimensions):
        if dimension.name in ("value", "status") or dimension.name in columns:
            raise DataError(f"Published table: a dimension cannot be called {dimension.name}. Rename it.")
        columns[dimension.name] = [dimension.labels[code] for code in table.codes[:, at]]
    columns["value"] = [
        "" if hidden else _text(value) for value, hidden in zip(table.values, mask, strict=True)
    ]
    columns["status"] = ["withheld" if hidden else "published" for hidden in mask]
    return csv.encode(pa.table(columns), CsvDialect())


def to_html(table: Table, withheld: Pattern | npt.ArrayLike, title: str = "Table") -> bytes:
    """A page of its own with the table, a multiplication sign where a value is withheld."""
    mask = _mask(table, withheld)
    head, rows = _laid_out(table, mask)
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>',
        "<style>body{font:15px/1.5 system-ui,sans-serif;margin:2rem;color:#1d2733;background:#fff}"
        "table{border-collapse:collapse}th,td{padding:.3rem .7rem;border-bottom:1px solid #d7dde4}"
        "th{text-align:left;font-weight:600}td,thead th+th{text-align:right}"
        "td{font-variant-numeric:tabular-nums}"
        ".withheld{color:#8a4b00}</style></head><body>",
        f"<h1>{html.escape(title)}</h1><table><thead><tr>",
        *(f'<th scope="col">{html.escape(name)}</th>' for name in head),
        "</tr></thead><tbody>",
    ]
    for labels, cells in rows:
        row = [f'<th scope="row">{html.escape(label)}</th>' for label in labels]
        row += [_html_cell(cell) for cell in cells]
        parts.append(f"<tr>{''.join(row)}</tr>")
    parts += [
        f"</tbody></table><p>{MARK} withheld to protect those behind the figures.</p></body></html>",
        "",
    ]
    return "\n".join(parts).encode()


def to_excel(table: Table, withheld: Pattern | npt.ArrayLike) -> bytes:
    """A workbook with the table on one sheet, and one line per cell with its status on another.

    Needs the package openpyxl (`pip install tacita[excel]`).
    """
    try:
        from openpyxl import Workbook
    except ImportError:
        raise ParameterError(
            "Excel: the package openpyxl is not installed. Install tacita[excel], or write CSV or HTML."
        ) from None
    mask = _mask(table, withheld)
    book = Workbook()
    sheet = book.active
    sheet.title = "table"
    head, rows = _laid_out(table, mask)
    for line in [head, *([*labels, *cells] for labels, cells in rows)]:
        _append(sheet, [MARK if cell is None else cell for cell in line])
    listed = book.create_sheet("cells")
    _append(listed, [*(dimension.name for dimension in table.dimensions), "value", "status"])
    for cell in range(table.n):
        hidden = bool(mask[cell])
        value = None if hidden else float(table.values[cell])
        _append(listed, [*table.label(cell), value, "withheld" if hidden else "published"])
    stream = io.BytesIO()
    book.save(stream)
    return _without_clock(stream.getvalue())


def _append(sheet: Any, cells: list[Any]) -> None:
    from openpyxl.utils.exceptions import IllegalCharacterError

    try:
        sheet.append(cells)
    except IllegalCharacterError:
        raise DataError(
            "Excel: a label holds control characters, which a workbook cannot keep. Write CSV or HTML."
        ) from None
    for cell in sheet[sheet.max_row]:
        if isinstance(cell.value, str):
            # a label that begins with = is text, not a formula
            cell.data_type = "s"


def _without_clock(content: bytes) -> bytes:
    """The same workbook without the hour it was written: same table, same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name != "docProps/core.xml":
                new.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), old.read(name))
            else:
                new.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), _NO_PROPERTIES)
    return out.getvalue()


_NO_PROPERTIES = (
    '<?xml version="1.0" encoding="UTF-8"?><cp:coreProperties xmlns:cp='
    '"http://schemas.openxmlformats.org/package/2006/metadata/core-properties"/>'
)


def _laid_out(
    table: Table, mask: npt.NDArray[np.bool_]
) -> tuple[list[str], list[tuple[list[str], list[Any]]]]:
    """Head, and rows of labels and values (None: withheld): two dimensions as a grid, others as a list."""
    names = [dimension.name for dimension in table.dimensions]
    values = [None if hidden else float(value) for value, hidden in zip(table.values, mask, strict=True)]
    if len(names) != 2 or table.n != np.prod(table.shape):
        return [*names, table.response], [([*table.label(at)], [value]) for at, value in enumerate(values)]
    down, across = table.dimensions
    width = len(across)
    rows = [([label], values[at * width : (at + 1) * width]) for at, label in enumerate(down.labels)]
    return [f"{down.name} / {across.name}", *across.labels], rows


def _html_cell(value: float | None) -> str:
    return f'<td class="withheld">{MARK}</td>' if value is None else f"<td>{_text(value)}</td>"


def _mask(table: Table, withheld: Pattern | npt.ArrayLike) -> npt.NDArray[np.bool_]:
    mask = np.asarray(withheld.withheld if isinstance(withheld, Pattern) else withheld, dtype=bool).reshape(
        -1
    )
    if mask.size != table.n:
        raise DataError(f"Published table: wanted a mask of {table.n} cells, got {mask.size}.")
    if shown := int((table.primary & ~mask).sum()):
        raise DataError(f"Published table: {shown} sensitive cells are not withheld. Nothing was written.")
    return mask


def _text(value: float) -> str:
    """Whole numbers without a point; others to 15 digits, so that rounding of sums does not show."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else format(value, ".15g")
