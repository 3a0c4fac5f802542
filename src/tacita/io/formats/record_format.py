"""Base classes of formats: objects that read and write one kind of file, chosen by the file ending."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, get_args

import narwhals as nw
import pyarrow as pa
import pyarrow.compute as pc

from tacita.core import DataError, Method, Microdata
from tacita.core.data.number_parsing import UNTYPED
from tacita.io.content import content_of, fingerprint_of

# Files of records; tables with their true values; tables as they are published.
Purpose = Literal["records", "cells", "published"]

# What some formats can hold in addition to numbers and texts.
Held = Literal["dates", "truth values", "categories", "empty texts", "labels", "value labels", "reasons"]

# A small file can hold a huge table; the shape shows it, the file size does not.
_MOST_CELLS: ContextVar[int] = ContextVar("most cells", default=2_000_000_000)


@contextmanager
def unfolding_at_most(cells: int) -> Iterator[None]:
    """In this context, refuse files of more cells (records times columns) before they are unpacked."""
    before = _MOST_CELLS.set(cells)
    try:
        yield
    finally:
        _MOST_CELLS.reset(before)


def most_cells() -> int:
    """The number of cells that a file may hold."""
    return _MOST_CELLS.get()


class Format(Method):
    """One kind of file. Its fields are the options of reading, as a plan has them under [input]."""

    kind: ClassVar[str] = "format"
    endings: ClassVar[tuple[str, ...]]
    purposes: ClassVar[tuple[Purpose, ...]]
    # whether files can be written, and which ending to use instead
    writes: ClassVar[bool] = True
    instead: ClassVar[str] = ""

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring, and the endings."""
        return f"{super().summary()} Endings: {', '.join(cls.endings)}."

    @classmethod
    def display_name(cls) -> str:
        """The name of the plan section."""
        return "Input"


class RecordFormat(Format):
    """A kind of file of records: fill in `unpack` and `pack`.

    A file holds nothing but names and cells, the same table gives the same bytes, and a table that is packed
    and unpacked is the same. The flags say where a format differs:

    streams      `chunks` does not hold the whole file in memory
    spells       cells are text in a dialect, and readers parse the numbers; else numbers are typed
    keeps_types  if false, a column may come back with another type that holds the same values
    pads         blanks at the end of a text cannot be held, and are refused
    """

    purposes: ClassVar[tuple[Purpose, ...]] = ("records",)
    streams: ClassVar[bool] = False
    keeps_types: ClassVar[bool] = True
    spells: ClassVar[bool] = False
    # the optional features of a source that the format can hold; by default all
    holds: ClassVar[frozenset[Held]] = frozenset(get_args(Held))
    pads: ClassVar[bool] = False

    def unpack(self, content: bytes, source: str) -> Any:
        """The Arrow table in the bytes of a file; DataError where they are none of this format."""
        raise NotImplementedError

    def pack(self, table: Any) -> bytes:
        """The bytes of a file; DataError where it cannot hold such cells."""
        raise NotImplementedError

    def decode(self, content: bytes, source: str) -> Microdata:
        """Records out of the bytes of a file."""
        return Microdata.of(self.unpack(content, source), source=source, fingerprint=fingerprint_of(content))

    def encode(self, data: Microdata) -> bytes:
        """The bytes of a file of these records."""
        return self.pack(to_arrow(data))

    def like(self, data: Microdata) -> Self:
        """The format with the options that read what `encode` writes of these records."""
        return self

    def chunks(self, path: Path, rows: int = 2**16) -> Iterator[Any]:
        """Arrow batches of at most `rows` records of a file; joined, they are what `decode` returns."""
        yield from to_arrow(self.decode(content_of(path), path.name)).to_batches(rows)


def without_empty_text(data: Microdata) -> Any:
    """The records for formats that cannot hold empty texts: those of a text file become missing values."""
    table = to_arrow(data)
    if data.dialect is None:
        return table
    for index, column in enumerate(table.columns):
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            blank = pc.equal(column, "")
            cells = pc.if_else(blank, pa.scalar(None, column.type), column)
            table = table.set_column(index, table.field(index).with_nullable(True), cells)
    return table


def refuse_huge(records: int, columns: int, source: str) -> None:
    """Raise where a file holds more cells than one machine should unpack."""
    if records * columns > most_cells():
        raise DataError(
            f"{source}: {records} records x {columns} columns are more than one machine should unpack at "
            "once. Split the file."
        )


def to_arrow(data: Microdata) -> Any:
    """The frame as an Arrow table; columns of mixed Python objects are refused."""
    try:
        # a pandas index is not a column of the file
        return nw.maybe_reset_index(data.frame).to_arrow()
    except UNTYPED:
        raise DataError(
            f"{data.source}: a column holds Python objects of mixed types, which no file format can hold. "
            "Convert such columns to text first."
        ) from None
