"""Base classes of the formats of tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from tacita.core import Table
from tacita.io.formats.record_format import Format, Purpose

from .published_table import Shown

# The columns of a list of all cells, by name; or the texts of the cells in order, None if suppressed.
CellTexts = Mapping[str, list[str]] | list[str | None]


class PublishedFormat(Format):
    """A format of published tables: a writer, and a reader that does not trust the writer."""

    purposes: ClassVar[tuple[Purpose, ...]] = ("published",)

    def encode(self, shown: Shown) -> bytes:
        """The bytes of a file. Same table, same bytes."""
        raise NotImplementedError

    def read(self, content: bytes, expected: Shown, source: str) -> CellTexts:
        """The texts of the cells of a table with these labels; DataError where they are missing."""
        raise NotImplementedError

    def besides(self, content: bytes, shown: Shown) -> list[str]:
        """The kinds of contents besides the table; none if the file is written plainly."""
        raise NotImplementedError


class CellsFormat(Format):
    """A format of tables with their true values; confidential. `name` is its key in a plan."""

    purposes: ClassVar[tuple[Purpose, ...]] = ("cells",)
    name: ClassVar[str]

    def encode(self, table: Table, path: Path) -> dict[Path, bytes]:
        """The file, and the files that accompany it."""
        raise NotImplementedError
