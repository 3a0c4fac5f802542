"""Workbooks with nothing but cells: no formats, properties, time stamps or names; the same bytes everywhere.

tacita writes them itself: the files of libraries hold a version, a theme and properties, and a file that is
proven free of hidden contents should be small. Parts are not compressed, because the output of a compressor
depends on its version.
Source: ECMA-376, Office Open XML, parts 1 (SpreadsheetML) and 2 (packages).
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from tacita.core import DataError

# The type attribute of a cell and the content of its element; None for an empty cell.
Cell = tuple[str, str] | None

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats"
_SHEET_TYPE = f"{_TYPES}-officedocument.spreadsheetml.worksheet+xml"
_MOST_ROWS = 2**20
_MOST_COLUMNS = 2**14
_DEEPEST = 7
# texts that a reader would decode as the escape of another character
_LIKE_ESCAPES = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# The least that readers need; the second and third formats are dates, without and with the time.
_STYLES = (
    f'{_HEAD}<styleSheet xmlns="{MAIN}"><numFmts count="2">'
    '<numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>'
    '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss.000"/></numFmts>'
    '<fonts count="1"><font/></fonts><fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0"/>'
    '<xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/>'
    '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
    "</styleSheet>"
)


@dataclass(frozen=True)
class Outline:
    """The outline level of each row and column in collapsible groups; 0 for none."""

    rows: Sequence[int]
    columns: Sequence[int]


def text(content: str) -> Cell:
    """A cell of text; one that begins with = is no formula."""
    if _NOT_XML.search(content):
        raise DataError(
            "Excel: a text has a control character, which no workbook can hold. Rename it, or write CSV or "
            "HTML."
        )
    content = _LIKE_ESCAPES.sub("_x005F_", content)
    return ' t="inlineStr"', f'<is><t xml:space="preserve">{_escaped(content)}</t></is>'


def truth(holds: bool) -> Cell:
    """A cell of a truth value."""
    return ' t="b"', f"<v>{int(holds)}</v>"


def moment(days: str, timed: bool) -> Cell:
    """A cell of a date, in days since the end of 1899, with or without the time of day."""
    return f' s="{2 if timed else 1}"', f"<v>{days}</v>"


def figure(spelled: str) -> Cell:
    """A cell of a number."""
    return "", f"<v>{_escaped(spelled)}</v>"


def encode(
    sheets: Mapping[str, Sequence[Sequence[Cell]]],
    *,
    dated: bool = False,
    outlines: Mapping[str, Outline] | None = None,
) -> bytes:
    """Sheets of rows of cells as the bytes of an .xlsx file. Same cells, same bytes. O(cells).

    If cells are `dated`, a styles part holds the two date formats. `outlines` are by sheet.
    """
    for rows in sheets.values():
        if len(rows) > _MOST_ROWS or any(len(row) > _MOST_COLUMNS for row in rows):
            raise DataError(
                f"Excel: a sheet holds at most {_MOST_ROWS} rows and {_MOST_COLUMNS} columns, and the table "
                "has more. Write CSV or HTML."
            )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as package:
        for name, part in _parts(sheets, dated, outlines or {}):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            # the creating system, which differs between platforms
            entry.create_system = 0
            package.writestr(entry, part)
    return out.getvalue()


def sheet_path(package: zipfile.ZipFile, name: str) -> str:
    """The part that holds a sheet of a workbook."""
    book = ElementTree.fromstring(package.read("xl/workbook.xml"))
    [link] = [
        sheet.get(f"{{{LINKS}}}id") for sheet in book.iter(f"{{{MAIN}}}sheet") if sheet.get("name") == name
    ]
    links = ElementTree.fromstring(package.read("xl/_rels/workbook.xml.rels"))
    [target] = [relationship.attrib["Target"] for relationship in links if relationship.get("Id") == link]
    return posixpath.join("/xl", target).lstrip("/")


def _parts(
    sheets: Mapping[str, Sequence[Sequence[Cell]]], dated: bool, outlines: Mapping[str, Outline]
) -> Iterator[tuple[str, str]]:
    places = [f"worksheets/sheet{number}.xml" for number in range(1, len(sheets) + 1)]
    links = [(f"{LINKS}/worksheet", path) for path in places]
    yield "[Content_Types].xml", _content_types(places, dated)
    yield "_rels/.rels", _relationships([(f"{LINKS}/officeDocument", "xl/workbook.xml")])
    yield "xl/workbook.xml", _workbook(list(sheets))
    if dated:
        links.append((f"{LINKS}/styles", "styles.xml"))
        yield "xl/styles.xml", _STYLES
    yield "xl/_rels/workbook.xml.rels", _relationships(links)
    for path, (name, rows) in zip(places, sheets.items(), strict=True):
        yield f"xl/{path}", _sheet(rows, outlines.get(name, Outline((), ())))


def _content_types(places: Sequence[str], dated: bool) -> str:
    overrides = [("workbook.xml", f"{_TYPES}-officedocument.spreadsheetml.sheet.main+xml")]
    overrides += [(path, _SHEET_TYPE) for path in places]
    overrides += [("styles.xml", f"{_TYPES}-officedocument.spreadsheetml.styles+xml")] * dated
    entries = "".join(f'<Override PartName="/xl/{part}" ContentType="{kind}"/>' for part, kind in overrides)
    return (
        f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="{_TYPES}-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{entries}</Types>'
    )


def _relationships(targets: Sequence[tuple[str, str]]) -> str:
    entries = "".join(
        f'<Relationship Id="rId{number}" Type="{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, start=1)
    )
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{entries}</Relationships>'


def _workbook(names: Sequence[str]) -> str:
    entries = "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="rId{number}"/>'
        for number, name in enumerate(names, start=1)
    )
    return f'{_HEAD}<workbook xmlns="{MAIN}" xmlns:r="{LINKS}"><sheets>{entries}</sheets></workbook>'


def _sheet(rows: Sequence[Sequence[Cell]], outline: Outline) -> str:
    widest = max(map(len, rows), default=0)
    letters = [_letters(column) for column in range(widest)]
    deep = [*map(_outline_attribute, outline.rows)] or [""] * len(rows)
    lines = "".join(
        f'<row r="{number}"{level}>{"".join(_cells(number, row, letters))}</row>'
        for number, (row, level) in enumerate(zip(rows, deep, strict=True), start=1)
    )
    data = f"{_outline_settings(outline)}<sheetData>{lines}</sheetData>"
    return f'{_HEAD}<worksheet xmlns="{MAIN}">{data}</worksheet>'


def _outline_attribute(depth: int) -> str:
    return f' outlineLevel="{min(depth, _DEEPEST)}"' if depth else ""


def _outline_settings(outline: Outline) -> str:
    """The outline settings of a sheet, with subtotals above and to the left; empty without groups."""
    down, across = (min(max(depths, default=0), _DEEPEST) for depths in (outline.rows, outline.columns))
    if not down and not across:
        return ""
    columns = "".join(
        f'<col min="{number}" max="{number}" width="10"{_outline_attribute(depth)}/>'
        for number, depth in enumerate(outline.columns, start=1)
        if depth
    )
    return (
        '<sheetPr><outlinePr summaryBelow="0" summaryRight="0"/></sheetPr>'
        f'<sheetFormatPr defaultRowHeight="15" outlineLevelRow="{down}" outlineLevelCol="{across}"/>'
        + (f"<cols>{columns}</cols>" if columns else "")
    )


def _cells(number: int, row: Sequence[Cell], letters: Sequence[str]) -> Iterator[str]:
    for column, cell in zip(letters, row, strict=False):
        if cell is not None:
            kind, content = cell
            yield f'<c r="{column}{number}"{kind}>{content}</c>'


def _letters(column: int) -> str:
    """The name of a column.

    >>> [_letters(0), _letters(25), _letters(26), _letters(16383)]
    ['A', 'Z', 'AA', 'XFD']
    """
    name = ""
    while column >= 0:
        column, digit = divmod(column, 26)
        name, column = chr(ord("A") + digit) + name, column - 1
    return name


def _escaped(content: str) -> str:
    for plain, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\r", "&#13;")):
        content = content.replace(plain, written)
    return content
