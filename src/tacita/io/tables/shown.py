"""The published table: values, and a mark where one is withheld. Safe to publish once the audit has passed.

Says nothing of which cells are sensitive, of levels, ranges or costs: a cell is published or withheld.
"""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tacita.core import CsvDialect, DataError, Dimension, Pattern, Table

from . import workbook
from .formats import csv

MARK = "×"
_WORDS = ("published", "withheld")


@dataclass(frozen=True, eq=False)
class Shown:
    """All that a published table shows: labels, and one text per cell, None where it is withheld.

    Writers get this and nothing else. So a file that a writer makes of what a reader found in another, and
    that is the same to the last byte, proves that the other shows nothing more than the reader found.
    """

    dimensions: tuple[Dimension, ...]
    codes: npt.NDArray[np.int64]
    response: str
    texts: tuple[str | None, ...]

    @classmethod
    def of(cls, table: Table, withheld: Pattern | npt.ArrayLike) -> Shown:
        """A table without the values of some cells."""
        mask = _mask(table, withheld)
        texts = [None if hidden else spelled(value) for value, hidden in zip(table.values, mask, strict=True)]
        return cls(table.dimensions, table.codes, table.response, tuple(texts))

    @property
    def labels(self) -> list[tuple[str, ...]]:
        """The labels of each cell."""
        return [
            tuple(each.labels[code] for each, code in zip(self.dimensions, codes, strict=True))
            for codes in self.codes.tolist()
        ]

    @property
    def is_grid(self) -> bool:
        """Whether rows and columns can be laid out; other tables are listed."""
        return len(self.dimensions) == 2 and len(self.texts) == np.prod(
            [len(each) for each in self.dimensions]
        )

    def laid_out(self) -> tuple[list[str], list[tuple[list[str], list[str | None]]]]:
        """Head, and rows of labels and texts: two dimensions as a grid, others as a list."""
        if not self.is_grid:
            head = [*(each.name for each in self.dimensions), self.response]
            return head, [([*label], [text]) for label, text in zip(self.labels, self.texts, strict=True)]
        down, across = self.dimensions
        width = len(across)
        rows = [
            ([label], [*self.texts[at * width : (at + 1) * width]]) for at, label in enumerate(down.labels)
        ]
        return [f"{down.name} / {across.name}", *across.labels], rows

    def listed(self) -> tuple[list[str], list[tuple[list[str], str | None, str]]]:
        """Head, and per cell its labels, its text, and published or withheld."""
        head = [*(each.name for each in self.dimensions), "value", "status"]
        if taken := [name for at, name in enumerate(head[:-2]) if name in head[:at] or name in head[-2:]]:
            raise DataError(f"Published table: a dimension cannot be called {taken[0]}. Rename it.")
        cells = zip(self.labels, self.texts, strict=True)
        return head, [([*label], text, _WORDS[text is None]) for label, text in cells]


def to_csv(table: Table, withheld: Pattern | npt.ArrayLike) -> bytes:
    """One line per cell: its labels, the value (empty where withheld), and published or withheld.

    >>> table = Table.from_array([[5, 3]], names=["R", "C"])
    >>> print(to_csv(table, [True, True, False, True, True, False]).decode().splitlines()[:3])
    ['R,C,value,status', '1,1,,withheld', '1,2,,withheld']
    """
    import pyarrow as pa

    head, lines = Shown.of(table, withheld).listed()
    columns: list[Any] = [*zip(*([*labels, text or "", word] for labels, text, word in lines), strict=True)]
    return csv.encode(pa.table([pa.array(each) for each in columns], names=head), CsvDialect())


def to_html(table: Table, withheld: Pattern | npt.ArrayLike) -> bytes:
    """A page of its own with the table, a multiplication sign where a value is withheld."""
    return as_html(Shown.of(table, withheld))


def to_excel(table: Table, withheld: Pattern | npt.ArrayLike) -> bytes:
    """A workbook with the table on one sheet, and one line per cell with its status on another."""
    return as_excel(Shown.of(table, withheld))


def as_html(shown: Shown) -> bytes:
    """The page of `to_html`."""
    head, rows = shown.laid_out()
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8"><title>Table</title>',
        "<style>body{font:15px/1.5 system-ui,sans-serif;margin:2rem;color:#1d2733;background:#fff}"
        "table{border-collapse:collapse}th,td{padding:.3rem .7rem;border-bottom:1px solid #d7dde4}"
        "th{text-align:left;font-weight:600}td,thead th+th{text-align:right}"
        "td{font-variant-numeric:tabular-nums}"
        ".withheld{color:#8a4b00}</style></head><body>",
        "<h1>Table</h1><table><thead><tr>",
        *(f'<th scope="col">{html.escape(name)}</th>' for name in head),
        "</tr></thead><tbody>",
    ]
    for labels, texts in rows:
        row = [f'<th scope="row">{html.escape(label)}</th>' for label in labels]
        row += [_html_cell(text) for text in texts]
        parts.append(f"<tr>{''.join(row)}</tr>")
    parts += [
        f"</tbody></table><p>{MARK} withheld to protect those behind the figures.</p></body></html>",
        "",
    ]
    return "\n".join(parts).encode()


def as_excel(shown: Shown) -> bytes:
    """The workbook of `to_excel`."""
    head, rows = shown.laid_out()
    grid = [
        [
            *map(workbook.text, labels),
            *(workbook.text(MARK) if t is None else workbook.figure(t) for t in texts),
        ]
        for labels, texts in rows
    ]
    names, lines = shown.listed()
    listed = [
        [*map(workbook.text, labels), None if text is None else workbook.figure(text), workbook.text(word)]
        for labels, text, word in lines
    ]
    return workbook.encode(
        {
            "table": [[*map(workbook.text, head)], *grid],
            "cells": [[*map(workbook.text, names)], *listed],
        }
    )


def spelled(value: float) -> str:
    """Whole numbers without a point; others to 15 digits, so that rounding of sums does not show."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else format(value, ".15g")


def _html_cell(text: str | None) -> str:
    return f'<td class="withheld">{MARK}</td>' if text is None else f"<td>{html.escape(text)}</td>"


def _mask(table: Table, withheld: Pattern | npt.ArrayLike) -> npt.NDArray[np.bool_]:
    mask = np.asarray(withheld.withheld if isinstance(withheld, Pattern) else withheld, dtype=bool).reshape(
        -1
    )
    if mask.size != table.n:
        raise DataError(f"Published table: wanted a mask of {table.n} cells, got {mask.size}.")
    if shown := int((table.primary & ~mask).sum()):
        raise DataError(f"Published table: {shown} sensitive cells are not withheld. Nothing was written.")
    return mask
