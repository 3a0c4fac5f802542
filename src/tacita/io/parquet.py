"""Parquet without a memory: no metadata, no dictionary entries of what is no longer there."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from tacita.core import DataError
from tacita.core.microdata import refuse_repeated_names

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
        return file.read()
    except (pa.ArrowException, OSError):
        raise DataError(f"{source}: this is not a readable Parquet file. Is it truncated?") from None


def encode(table: pa.Table) -> bytes:
    """The table as Parquet; schema and field metadata are left out. Same table, same bytes."""
    bare = pa.schema([pa.field(field.name, field.type, field.nullable) for field in table.schema])
    plain = pa.table(
        [present_values_only(column) for column in table.columns],
        schema=bare,
    )
    sink = pa.BufferOutputStream()
    pq.write_table(plain, sink, compression="zstd", store_schema=_needs_schema(bare))
    return bytes(sink.getvalue())


def _needs_schema(schema: pa.Schema) -> bool:
    # only dictionary columns and exotic types need Arrow's own schema beside Parquet's
    simple = (pa.types.is_integer, pa.types.is_floating, pa.types.is_string, pa.types.is_boolean)
    return not all(any(test(field.type) for test in simple) for field in schema)


def present_values_only(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A dictionary column rebuilt from its own cells: a slice or filter keeps the entries it lost."""
    if not pa.types.is_dictionary(column.type):
        return column
    values = column.cast(column.type.value_type).combine_chunks()
    return pa.chunked_array([values.dictionary_encode().cast(column.type)])
