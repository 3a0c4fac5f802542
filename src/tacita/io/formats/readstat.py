"""Files of statistical packages, read by pyreadstat; no other module imports that package."""

from __future__ import annotations

import io
from typing import Any, BinaryIO

from tacita.core import DataError, ParameterError
from tacita.core.data.microdata import check_unique_names

from .record_format import most_cells, refuse_huge


def unreadable(source: str, system: str) -> DataError:
    """The error for a file that the parser rejects, or must not read."""
    return DataError(
        f"{source}: this is not a readable {system} file. Is it truncated, encrypted, or of another format?"
    )


def read(
    verb: str, file: BinaryIO, source: str, system: str, **options: Any
) -> tuple[dict[str, list[Any]], Any]:
    """Columns as lists, dates and times as numbers, and the metadata of the file."""
    reader = getattr(_library(source, system), verb)
    try:
        about = reader(file, metadataonly=True)[1]
        columns = about.number_columns or 0
        check_unique_names(about.column_names)
        refuse_huge(about.number_rows or 0, columns, source)
        file.seek(0)
        # some files do not declare their number of records
        limit = options.pop("row_limit", 0) or most_cells() // max(columns, 1) + 1
        values, about = reader(
            file, output_format="dict", disable_datetime_conversion=True, row_limit=limit, **options
        )
    except DataError:
        raise
    except Exception:
        # the parser raises many kinds of errors, whose messages may quote the file
        raise unreadable(source, system) from None
    refuse_huge(max(map(len, values.values()), default=0), columns, source)
    return dict(values), about


def read_by_library(verb: str, content: bytes, source: str, system: str) -> dict[str, list[Any]]:
    """The cells in the bytes of a file: a second reader, to check another one."""
    return read(verb, io.BytesIO(content), source, system)[0]


def _library(source: str, system: str) -> Any:
    try:
        import pyreadstat
    except ImportError:
        raise ParameterError(
            f"{source}: to read {system} files, the package pyreadstat is needed. Install tacita[formats]."
        ) from None
    return pyreadstat
