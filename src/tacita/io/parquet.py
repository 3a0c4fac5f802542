"""Parquet without a memory: no metadata, no dictionary entries of what is no longer there."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from tacita.core import DataError
from tacita.core.microdata import refuse_repeated_names

from .rebuild import Rows, rebuilt, silent

# A small file can unfold into a huge table; its footer does not say so, its shape does.
_MOST_CELLS = 2_000_000_000


def decode(content: bytes, source: str) -> pa.Table:
    """The table in the bytes of a Parquet file."""
    try:
        file = pq.ParquetFile(pa.BufferReader(content))
        if file.metadata.num_rows * file.metadata.num_columns > _MOST_CELLS:
            raise DataError(
                f"{source}: {file.metadata.num_rows} records x {file.metadata.num_columns} columns are more "
                "than one machine should unfold at once. Split the file."
            )
        refuse_repeated_names(file.schema_arrow.names)
        table = file.read()
        # a flipped bit can make text that is no UTF-8, or an index beyond its dictionary
        table.validate(full=True)
        return table
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise DataError(
            f"{source}: this is not a readable Parquet file. Is it truncated, or another kind?"
        ) from None


def encode(table: pa.Table) -> bytes:
    """The table as Parquet; schema and field metadata are left out. Same table, same bytes."""
    plain = without_memory(table)
    sink = pa.BufferOutputStream()
    try:
        pq.write_table(plain, sink, compression="zstd", store_schema=_needs_schema(plain.schema))
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise DataError(
            "A column has a type that Parquet cannot keep. Convert it to numbers, dates or text."
        ) from None
    return bytes(sink.getvalue())


def without_memory(table: pa.Table, rows: Rows | None = None) -> pa.Table:
    """The same cells (or those of some rows), made anew; no metadata, nothing that no cell shows."""
    bare = pa.schema([silent(field) for field in table.schema])
    columns = [rebuilt(table.column(i), name, rows) for i, name in enumerate(table.column_names)]
    return pa.table(columns, schema=bare)


def _needs_schema(schema: pa.Schema) -> bool:
    # only dictionary columns and exotic types need Arrow's own schema beside Parquet's
    simple = (pa.types.is_integer, pa.types.is_floating, pa.types.is_string, pa.types.is_boolean)
    return not all(any(test(field.type) for test in simple) for field in schema)
