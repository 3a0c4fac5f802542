"""What formats of tables share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from tacita.core import Table
from tacita.io.formats.record_format import Format, Purpose

from .published_table import Shown

# The columns of a list of all cells, by name; or the texts of the cells in order, None where one is withheld.
Found = Mapping[str, list[str]] | list[str | None]


class PublishedFormat(Format):
    """A kind of file of a published table: a writer, and a reader that believes nothing of it."""

    purposes: ClassVar[tuple[Purpose, ...]] = ("published",)

    def encode(self, shown: Shown) -> bytes:
        """The bytes of a file. Same table, same bytes."""
        raise NotImplementedError

    def read(self, content: bytes, expected: Shown, source: str) -> Found:
        """What stands where the cells of a table with these labels should; DataError where nothing does."""
        raise NotImplementedError

    def besides(self, content: bytes, shown: Shown) -> list[str]:
        """Kinds of things that a file has and that are not the table: none where it is written plainly."""
        raise NotImplementedError


class CellsFormat(Format):
    """A kind of file of a table with its true values; confidential. `name` is what a plan calls it."""

    purposes: ClassVar[tuple[Purpose, ...]] = ("cells",)
    name: ClassVar[str]

    def encode(self, table: Table, path: Path) -> dict[Path, bytes]:
        """The file, and those that belong beside it."""
        raise NotImplementedError
