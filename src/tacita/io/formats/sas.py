"""SAS data sets, which can be read but not written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, BinaryIO, ClassVar

import numpy as np
import pyarrow as pa

from tacita.core import DataError
from tacita.core.data.column_metadata import Code, ColumnNotes

from . import readstat
from .survey import Column, Noted, empty_as_missing, with_reasons
from .xport import REASONS, SASFormat


class SAS(SASFormat):
    """SAS data sets, with column labels, missing values .A to .Z and display formats; read only.

    Only SAS itself can write them. O(cells).
    Source: Shotwell (2013), SAS7BDAT database binary format; read by ReadStat.

    >>> SAS().pack(pa.table({"x": [1.5]}))
    Traceback (most recent call last):
    tacita.core.errors.DataError: SAS: files ending in .sas7bdat can be read, not written. Write .xpt instead.
    """

    endings: ClassVar[tuple[str, ...]] = (".sas7bdat",)
    spoken: ClassVar[str] = "SAS"
    writes: ClassVar[bool] = False
    instead: ClassVar[str] = ".xpt"

    def columns(self, file: BinaryIO, source: str, first: int = 0, most: int = 0) -> Noted:
        """As ReadStat reads them."""
        columns, about = readstat.read(
            "read_sas7bdat", file, source, self.spoken, user_missing=True, row_offset=first, row_limit=most
        )
        return {name: self._read(name, cells, about, source) for name, cells in columns.items()}

    def _read(self, name: str, cells: list[Any], about: Any, source: str) -> tuple[pa.Array, ColumnNotes]:
        label = about.column_names_to_labels.get(name) or None
        if about.readstat_variable_types[name] == "string":
            return empty_as_missing(cells), ColumnNotes(label=label)
        objects = np.array(cells, dtype=object)
        reasons: dict[Code, Any] = {}
        if name in about.missing_user_values:
            reasons = {code: objects == code for code in REASONS if code in cells}
        codes, kinds = with_reasons(reasons, len(cells))
        numbers = np.array([cell if isinstance(cell, float | int) else np.nan for cell in cells], np.float64)
        display = about.original_variable_types[name]
        notes = ColumnNotes(label=label, values={}, codes=codes, kinds=kinds, display=display)
        return self.timed(name, numbers, display, source), notes

    def written(self, columns: Sequence[Column], records: int) -> bytes:
        """Raise: this format cannot be written."""
        raise DataError("SAS: files ending in .sas7bdat can be read, not written. Write .xpt instead.")
