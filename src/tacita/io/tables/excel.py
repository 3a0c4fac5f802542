"""A published table as a workbook: a sheet for people, and a list of its cells."""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Iterator
from typing import ClassVar
from xml.etree import ElementTree

from tacita.core import DataError
from tacita.io import xlsx
from tacita.io.xlsx import MAIN

from .published_table import MARK, Shown
from .reading import OTHER, Things, beyond
from .table_format import PublishedFormat

# The names of package parts in messages, by the beginning of their path.
_PARTS = {
    "docProps/": "document properties",
    "customXml/": "custom data",
    "xl/calcChain": "formulas",
    "xl/charts/": "charts",
    "xl/comments": "cell comments",
    "xl/connections": "connections",
    "xl/drawings/": "drawings",
    "xl/embeddings/": "embedded files",
    "xl/externalLinks/": "links to other files",
    "xl/media/": "pictures",
    "xl/persons/": "names of people",
    "xl/pivot": "pivot tables",
    "xl/printerSettings/": "printer settings",
    "xl/sharedStrings": "a list of texts",
    "xl/styles": "formats",
    "xl/tables/": "tables of a sheet",
    "xl/theme/": "a theme",
    "xl/threadedComments/": "cell comments",
    "xl/vbaProject": "macros",
    "xl/worksheets/_rels/": "links of a sheet",
    "xl/worksheets/": "other sheets",
}
# The names of elements of a sheet in messages.
_ELEMENTS = {
    "c": "cells",
    "cols": "settings of columns",
    "col": "settings of columns",
    "conditionalFormatting": "conditional formats",
    "dataValidation": "lists to choose from",
    "definedName": "defined names",
    "drawing": "drawings",
    "extLst": "extensions",
    "f": "formulas",
    "headerFooter": "headers or footers",
    "hyperlink": "links",
    "legacyDrawing": "drawings",
    "mergeCell": "merged cells",
    "r": "rich text",
    "rPh": "phonetic text",
    "row": "rows",
    "sheet": "sheets",
}
_ATTRIBUTES = {
    "hidden": "hidden rows or columns",
    "outlineLevel": "outline levels",
    "s": "formats of cells",
    "state": "states of sheets",
}
_MARKUP = "other markup"


class PublishedExcel(PublishedFormat):
    """A published table as a workbook: a sheet for people, and a list of its cells.

    The sheet `table` has a heading, rows and columns (one block for each label of further dimensions), and a
    multiplication sign for each suppressed value; outline levels group the parts of a hierarchy below their
    subtotal. The sheet `cells` has one line per cell with its status. Nothing but cells: no formats,
    properties or time stamps. O(cells).
    Source: ECMA-376, Office Open XML.

    >>> from tacita.core import Table
    >>> shown = Shown.of(Table.from_array([[5, 3]]), [True, True, False, True, True, False])
    >>> book = PublishedExcel().encode(shown)
    >>> PublishedExcel().read(book, shown, "a book")["value"], PublishedExcel().besides(book, shown)
    (['', '', '8', '', '', '8'], [])
    """

    endings: ClassVar[tuple[str, ...]] = (".xlsx",)

    def encode(self, shown: Shown) -> bytes:
        """Two sheets."""
        panels = shown.panels
        grid: list[list[xlsx.Cell]] = [[xlsx.text(shown.heading)]]
        levels = [0]
        for panel in panels:
            above = [[xlsx.text(panel.caption)]] if panel.caption else []
            head = [*panel.corner, *(label.text for label in panel.across)]
            grid += [*above, [*map(xlsx.text, head)]]
            levels += [0] * (len(above) + 1)
            for labels, cells in panel.rows:
                texts = [shown.texts[cell] for cell in cells]
                grid.append([*(xlsx.text(label.text) for label in labels), *map(_cell, texts)])
                levels.append(max(label.depth for label in labels))
        names, lines = shown.listed()
        listed = [
            [
                *map(xlsx.text, labels),
                None if text is None else xlsx.figure(text),
                xlsx.text(word),
            ]
            for labels, text, word in lines
        ]
        first = panels[0]
        across = [*(0 for _ in first.corner), *(label.depth for label in first.across)]
        return xlsx.encode(
            {"table": grid, "cells": [[*map(xlsx.text, names)], *listed]},
            outlines={"table": xlsx.Outline(levels, across)},
        )

    def read(self, content: bytes, expected: Shown, source: str) -> dict[str, list[str]]:
        """The columns of the sheet `cells` by name."""
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as package:
                shared = _shared_texts(package)
                rows = [*_rows(_sheet(package, "cells"), shared)]
            head = {column: name for column, name in rows[0].items() if name}
        except Exception:
            # the parsers of packages and XML raise many kinds of errors, whose messages quote the file
            raise DataError(f"{source}: this is not a workbook with the sheets table and cells.") from None
        return {name: [row.get(column, "") for row in rows[1:]] for column, name in head.items()}

    def besides(self, content: bytes, shown: Shown) -> list[str]:
        """What a workbook holds besides the table on its two sheets, as tacita writes it."""
        plain = self.encode(shown)
        if content == plain:
            return []
        with zipfile.ZipFile(io.BytesIO(plain)) as package:
            known = frozenset(package.namelist())
        try:
            return beyond(_things(content, known), _things(plain, known)) or [OTHER]
        except Exception:
            # as in `read`
            return ["parts that cannot be read"]


def _cell(text: str | None) -> xlsx.Cell:
    return xlsx.text(MARK) if text is None else xlsx.figure(text)


def _sheet(package: zipfile.ZipFile, name: str) -> ElementTree.Element:
    return ElementTree.fromstring(package.read(xlsx.sheet_path(package, name)))


def _shared_texts(package: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in package.namelist():
        return []
    root = ElementTree.fromstring(package.read("xl/sharedStrings.xml"))
    return [_text(item) for item in root.iter(f"{{{MAIN}}}si")]


def _rows(sheet: ElementTree.Element, shared: list[str]) -> Iterator[dict[str, str]]:
    """Texts of each row by the letters of their columns."""
    for row in sheet.iter(f"{{{MAIN}}}row"):
        yield {cell.attrib["r"].rstrip("0123456789"): _value(cell, shared) for cell in row}


def _value(cell: ElementTree.Element, shared: list[str]) -> str:
    if cell.get("t") == "inlineStr":
        return _text(cell)
    held = cell.findtext(f"{{{MAIN}}}v", "")
    return shared[int(held)] if cell.get("t") == "s" else held


def _text(element: ElementTree.Element) -> str:
    return "".join(part.text or "" for part in element.iter(f"{{{MAIN}}}t"))


def _things(content: bytes, known: frozenset[str]) -> Things:
    """The parts of a package, and the elements of known parts."""
    things: Things = Counter()
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        for entry in package.infolist():
            kind = next(
                (kind for start, kind in _PARTS.items() if entry.filename.startswith(start)), "other parts"
            )
            things[kind, entry.filename] += 1
            if entry.comment or entry.extra:
                things["notes of the package", ""] += 1
            if entry.filename in known:
                things += _elements(package.read(entry))
        if package.comment:
            things["notes of the package", ""] += 1
    return things


def _elements(part: bytes) -> Things:
    things: Things = Counter()
    for event, element in ElementTree.iterparse(io.BytesIO(part), ["end", "comment", "pi"]):
        if event != "end":
            things["comments", element.text or ""] += 1
            continue
        name = element.tag.rpartition("}")[2]
        things[_ELEMENTS.get(name, _MARKUP), name] += 1
        for name, value in element.attrib.items():
            things[_ATTRIBUTES.get(name, _MARKUP), f"{name}={value}"] += 1
        for text in (element.text, element.tail):
            if text:
                things["other text or values", text] += 1
    return things
