"""Parquet without a memory: no metadata, no dictionary entries of what is no longer there."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc
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
    except pa.ArrowNotImplementedError:
        raise DataError(
            "A column has a type that Parquet cannot keep. Convert it to numbers, dates or text."
        ) from None
    return bytes(sink.getvalue())


def without_memory(table: pa.Table) -> pa.Table:
    """The same cells; no metadata of schema or fields, no dictionary entry that no cell uses."""
    bare = pa.schema([_silent(field) for field in table.schema])
    return pa.table([present_values_only(column) for column in table.columns], schema=bare)


def _silent(field: pa.Field) -> pa.Field:
    return pa.field(field.name, _rebuilt(field.type, _silent), field.nullable)


def _rebuilt(kind: pa.DataType, change: Callable[[pa.Field], pa.Field]) -> pa.DataType:
    """A type whose inner fields, those of lists and records, are changed."""
    if pa.types.is_struct(kind):
        return pa.struct([change(kind.field(i)) for i in range(kind.num_fields)])
    if pa.types.is_list(kind):
        return pa.list_(change(kind.value_field))
    if pa.types.is_large_list(kind):
        return pa.large_list(change(kind.value_field))
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(change(kind.value_field), kind.list_size)
    return kind


def _needs_schema(schema: pa.Schema) -> bool:
    # only dictionary columns and exotic types need Arrow's own schema beside Parquet's
    simple = (pa.types.is_integer, pa.types.is_floating, pa.types.is_string, pa.types.is_boolean)
    return not all(any(test(field.type) for test in simple) for field in schema)


def present_values_only(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column whose dictionaries have only the values of its cells, in the order they had.

    A slice or a filter keeps the entries it lost.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        whole = column.combine_chunks()
        used = pc.unique(whole.indices.drop_null()).sort()
        renumbered = pc.index_in(whole.indices, used).cast(kind.index_type)
        values = whole.dictionary.take(used)
        return pa.chunked_array([pa.DictionaryArray.from_arrays(renumbered, values, ordered=kind.ordered)])
    dense = _dense(pa.field("", kind)).type
    if dense == kind:
        return column
    # gathering leaves behind what a slice of a list only hides
    return column.take(pa.array(range(len(column)))).cast(dense).cast(kind)


def _dense(field: pa.Field) -> pa.Field:
    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    return field.with_type(_rebuilt(kind, _dense))
