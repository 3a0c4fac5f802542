"""Arrow columns rebuilt from their cells, so that they hold no values that no cell shows.

A slice keeps the cells before and after it, a filter keeps dictionary entries, and a missing value may still
hold the bytes of one. All of these would be written into files.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from tacita.core import DataError, Ints

# Extension types, by name, whose parameters are known to hold no data.
_HARMLESS = frozenset({"arrow.uuid", "arrow.json", "arrow.bool8", "pandas.period", "pandas.interval"})

_SAME_WIDTH = (
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_temporal,
    pa.types.is_decimal,
    pa.types.is_fixed_size_binary,
)
_BYTE_STRINGS = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_binary,
    pa.types.is_large_binary,
)
_LISTS = (pa.types.is_list, pa.types.is_large_list, pa.types.is_map)


class _UnknownType(Exception):
    """A type whose hidden contents are unknown."""


def rebuilt(column: pa.ChunkedArray, name: str, rows: Ints | None = None) -> pa.ChunkedArray:
    """The same cells (or those of some rows) in one new array; unknown types are refused. O(n).

    >>> sliced = pa.chunked_array([pa.array(["a", "b"]).dictionary_encode()]).slice(1)
    >>> sliced.chunk(0).dictionary.to_pylist(), rebuilt(sliced, "x").chunk(0).dictionary.to_pylist()
    (['a', 'b'], ['b'])
    """
    try:
        joined = column.combine_chunks()
        cells = pa.chunked_array([joined]).combine_chunks() if isinstance(joined, pa.ChunkedArray) else joined
        return pa.chunked_array([_gathered(cells, np.arange(len(cells)) if rows is None else rows)])
    except (_UnknownType, pa.ArrowException):
        raise not_rebuilt(name, column.type) from None


def without_memory(table: pa.Table, rows: Ints | None = None) -> pa.Table:
    """The same cells (or those of some rows), rebuilt without metadata and without hidden values."""
    bare = pa.schema([silent(field) for field in table.schema])
    columns = [rebuilt(table.column(i), name, rows) for i, name in enumerate(table.column_names)]
    return pa.table(columns, schema=bare)


def not_rebuilt(name: str, kind: pa.DataType) -> DataError:
    """The error for a column whose type cannot be rebuilt."""
    return DataError(
        f"Column {name}: its type, {_type_name(kind)}, may hold more than its cells show, and "
        "cannot be rebuilt. Convert the column to numbers, text, lists or structs of these."
    )


def silent(field: pa.Field) -> pa.Field:
    """A field without metadata, at any depth."""
    return pa.field(field.name, _silent_type(field.type), field.nullable)


def _silent_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_struct(kind):
        # the fields of a missing record are missing
        return pa.struct([silent(kind.field(i)).with_nullable(True) for i in range(kind.num_fields)])
    if pa.types.is_map(kind):
        return pa.map_(silent(kind.key_field), silent(kind.item_field), keys_sorted=kind.keys_sorted)
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(silent(kind.value_field).with_nullable(True), kind.list_size)
    if pa.types.is_list(kind):
        return pa.list_(silent(kind.value_field))
    if pa.types.is_large_list(kind):
        return pa.large_list(silent(kind.value_field))
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _silent_type(kind.value_type), kind.ordered)
    return kind


def _type_name(kind: pa.DataType) -> str:
    # parameters of a foreign type, and names inside a record, may be data
    return (
        f"{kind.extension_name} (extension)"
        if isinstance(kind, pa.BaseExtensionType)
        else _without_parameters(kind)
    )


def _without_parameters(kind: pa.DataType) -> str:
    return str(kind).split("<", 1)[0]


def _gathered(cells: pa.Array, rows: Ints) -> pa.Array:
    """The cells of some rows (-1: no value) in new memory; missing values are stored as zero bytes."""
    kind = cells.type
    if isinstance(kind, pa.BaseExtensionType):
        if kind.extension_name not in _HARMLESS:
            raise _UnknownType
        return pa.ExtensionArray.from_storage(kind, _gathered(cells.storage, rows))
    if pa.types.is_null(kind):
        return pa.nulls(rows.size)
    rows = _with_value(cells, rows)
    if pa.types.is_boolean(kind):
        present = np.zeros(rows.size, dtype=bool)
        present[rows >= 0] = np.asarray(cells.fill_null(False))[rows[rows >= 0]]
        return pa.array(present, mask=rows < 0)
    if any(test(kind) for test in _SAME_WIDTH):
        return _same_width(cells, rows)
    if any(test(kind) for test in _BYTE_STRINGS):
        return cells.take(pa.array(rows, mask=rows < 0))
    if kind in (pa.string_view(), pa.binary_view()):
        packed = cells.cast(pa.large_string() if kind == pa.string_view() else pa.large_binary())
        return _gathered(packed, rows).cast(kind)
    if pa.types.is_dictionary(kind):
        return _dictionary(cells, rows)
    if pa.types.is_struct(kind):
        return _struct(cells, rows, _silent_type(kind))
    if pa.types.is_fixed_size_list(kind):
        return _fixed_size_list(cells, rows)
    if any(test(kind) for test in _LISTS):
        return _list(cells, rows)
    raise _UnknownType


def _with_value(cells: pa.Array, rows: Ints) -> Ints:
    present = rows >= 0
    present[present] = np.asarray(cells.is_valid())[rows[present]]
    return np.where(present, rows, -1)


def _bitmap(rows: Ints) -> pa.Buffer | None:
    return None if (rows >= 0).all() else pa.array(rows >= 0).buffers()[1]


def _same_width(cells: pa.Array, rows: Ints) -> pa.Array:
    width = cells.type.bit_width // 8
    fresh = np.zeros((rows.size, width), dtype=np.uint8)
    present = rows >= 0
    if present.any():
        stored = np.frombuffer(cells.buffers()[1], dtype=np.uint8)
        first, last = cells.offset * width, (cells.offset + len(cells)) * width
        fresh[present] = stored[first:last].reshape(-1, width)[rows[present]]
    return pa.Array.from_buffers(cells.type, rows.size, [_bitmap(rows), pa.py_buffer(fresh)])


def _dictionary(cells: pa.DictionaryArray, rows: Ints) -> pa.Array:
    """Only the entries in use, in the order they had."""
    kind, present = cells.type, rows >= 0
    codes = np.asarray(cells.indices.fill_null(0)).astype(np.int64)[rows[present]]
    used, places = np.unique(codes, return_inverse=True)
    indices = np.zeros(rows.size, dtype=np.int64)
    indices[present] = places
    return pa.DictionaryArray.from_arrays(
        pa.array(indices, mask=~present).cast(kind.index_type),
        _gathered(cells.dictionary, used),
        ordered=kind.ordered,
    )


def _struct(cells: pa.StructArray, rows: Ints, kind: pa.DataType) -> pa.Array:
    parts = [_gathered(cells.field(i), rows) for i in range(kind.num_fields)]
    return pa.Array.from_buffers(kind, rows.size, [_bitmap(rows)], children=parts)


def _fixed_size_list(cells: pa.FixedSizeListArray, rows: Ints) -> pa.Array:
    size = cells.type.list_size
    inner = (cells.offset + rows)[:, None] * size + np.arange(size)
    inner[rows < 0] = -1
    child = _gathered(cells.values, inner.reshape(-1))
    return pa.Array.from_buffers(_silent_type(cells.type), rows.size, [_bitmap(rows)], children=[child])


def _list(cells: Any, rows: Ints) -> pa.Array:
    """Lists, or maps, which are lists of records; entries of lists outside the rows are dropped."""
    kind, present = _silent_type(cells.type), rows >= 0
    offsets = np.asarray(cells.offsets).astype(np.int64)
    lengths = np.zeros(rows.size, dtype=np.int64)
    lengths[present] = np.diff(offsets)[rows[present]]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    inner = np.repeat(offsets[np.maximum(rows, 0)] - ends[:-1], lengths) + np.arange(ends[-1])
    if pa.types.is_map(kind):
        child = _struct(cells.values, inner, kind.field(0).type)
    else:
        child = _gathered(cells.values, inner)
    new = pa.py_buffer(ends.astype(np.int64 if pa.types.is_large_list(kind) else np.int32))
    return pa.Array.from_buffers(kind, rows.size, [_bitmap(rows), new], children=[child])
