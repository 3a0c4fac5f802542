"""A published table as CSV, one line per cell."""

from __future__ import annotations

import codecs
from collections.abc import Container
from itertools import product
from typing import Any, ClassVar

import pyarrow as pa

from tacita.core import CsvDialect
from tacita.io.formats import csv

from .published_table import Shown
from .reading import OTHER
from .table_format import PublishedFormat


class PublishedCSV(PublishedFormat):
    """A published table as text, one line per cell.

    A line has the labels, those of a hierarchy with their level, the value, empty if suppressed, and the
    status. O(cells).
    Source: RFC 4180.

    >>> from tacita.core import Table
    >>> table = Table.from_array([[5, 3]], names=["R", "C"])
    >>> shown = Shown.of(table, [True, True, False, True, True, False])
    >>> PublishedCSV().encode(shown).decode().splitlines()[:3]
    ['R,C,value,status', '1,1,,withheld', '1,2,,withheld']
    """

    endings: ClassVar[tuple[str, ...]] = (".csv",)

    def encode(self, shown: Shown) -> bytes:
        """As the CSV of records is written, with commas."""
        head, lines = shown.listed()
        columns: list[Any] = [
            *zip(*([*labels, text or "", word] for labels, text, word in lines), strict=True)
        ]
        return csv.encode(pa.table([pa.array(column) for column in columns], names=head), CsvDialect())

    def read(self, content: bytes, expected: Shown, source: str) -> dict[str, list[str]]:
        """The columns of a file by name."""
        data = csv.CSV().decode(content, source)
        return {name: [str(cell) for cell in data.column(name).to_list()] for name in data.columns}

    def besides(self, content: bytes, shown: Shown) -> list[str]:
        """What a file holds besides its cells, written plainly in one of the common dialects.

        Dialects differ in delimiter, line end, byte order mark and quotes (as needed, all, or not values).
        """
        bare = content.removeprefix(codecs.BOM_UTF8)
        # a table of another program may lack the levels, which follow from the labels
        plain = any(_is_plain(bare, *shown.listed(levels=levels)) for levels in (True, False))
        return [] if plain else [OTHER]


def _is_plain(bare: bytes, head: list[str], lines: list[tuple[list[str], str | None, str]]) -> bool:
    """Whether the bytes are exactly these lines in a common dialect."""
    rows = [[*labels, text or "", word] for labels, text, word in lines]
    everything = range(len(head))
    all_but_values = [at for at in everything if head[at] != "value"]
    for delimiter, newline in product(",;\t|", ("\n", "\r\n")):
        for of_head, of_rows in ((), ()), (everything, everything), (everything, all_but_values):
            first = _line(head, delimiter, of_head) + newline
            if not bare.startswith(first.encode()):
                continue
            plain = first + "".join(_line(row, delimiter, of_rows) + newline for row in rows)
            if bare in (plain.encode(), plain.removesuffix(newline).encode()):
                return True
    return False


def _line(row: list[str], delimiter: str, quoted: Container[int]) -> str:
    return delimiter.join(
        f'"{cell.replace(chr(34), chr(34) * 2)}"'
        if at in quoted or any(mark in cell for mark in (delimiter, '"', "\r", "\n"))
        else cell
        for at, cell in enumerate(row)
    )
