"""The bytes of a published table, without an audit."""

from __future__ import annotations

import numpy.typing as npt

from tacita.core import Pattern, Table

from .csv import PublishedCSV
from .excel import PublishedExcel
from .html import PublishedHTML
from .shown import Shown


def to_csv(table: Table, withheld: Pattern | npt.ArrayLike) -> bytes:
    """One line per cell: its labels, the value (empty where withheld), and published or withheld."""
    return PublishedCSV().encode(Shown.of(table, withheld))


def to_html(table: Table, withheld: Pattern | npt.ArrayLike) -> bytes:
    """A page of its own with the table, a multiplication sign where a value is withheld."""
    return PublishedHTML().encode(Shown.of(table, withheld))


def to_excel(table: Table, withheld: Pattern | npt.ArrayLike) -> bytes:
    """A workbook with the table on one sheet, and one line per cell with its status on another."""
    return PublishedExcel().encode(Shown.of(table, withheld))
