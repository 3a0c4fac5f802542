"""Files of statistical packages as pyreadstat reads them; only this file knows that package."""

from __future__ import annotations

import io
from typing import Any, BinaryIO

from tacita.core import DataError, ParameterError
from tacita.core.data.microdata import refuse_repeated_names

from .record_format import most_cells, refuse_huge


def unreadable(source: str, spoken: str) -> DataError:
    """What is said of a file that its parser does not take, or must not be given."""
    return DataError(
        f"{source}: this is not a readable {spoken} file. Is it truncated, encrypted, or another kind?"
    )


def read(
    verb: str, file: BinaryIO, source: str, spoken: str, **options: Any
) -> tuple[dict[str, list[Any]], Any]:
    """Columns as lists, clocks as numbers, and what the file says of them."""
    reader = getattr(_library(source, spoken), verb)
    try:
        about = reader(file, metadataonly=True)[1]
        columns = about.number_columns or 0
        refuse_repeated_names(about.column_names)
        refuse_huge(about.number_rows or 0, columns, source)
        file.seek(0)
        # some files do not say how many records they have
        limit = options.pop("row_limit", 0) or most_cells() // max(columns, 1) + 1
        found, about = reader(
            file, output_format="dict", disable_datetime_conversion=True, row_limit=limit, **options
        )
    except DataError:
        raise
    except Exception:
        # whatever the parser thinks of, and its messages may quote the file
        raise unreadable(source, spoken) from None
    refuse_huge(max(map(len, found.values()), default=0), columns, source)
    return dict(found), about


def read_by_library(verb: str, content: bytes, source: str, spoken: str) -> dict[str, list[Any]]:
    """The same of the bytes of a file, cells alone: for those who check what another reader found."""
    return read(verb, io.BytesIO(content), source, spoken)[0]


def _library(source: str, spoken: str) -> Any:
    try:
        import pyreadstat
    except ImportError:
        raise ParameterError(
            f"{source}: to read {spoken} files, the package pyreadstat is needed. Install tacita[formats]."
        ) from None
    return pyreadstat
