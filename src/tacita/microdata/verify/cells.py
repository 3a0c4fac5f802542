"""Whether two columns hold the same cells: the same type, gaps, bits and letters."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tacita.core import CsvDialect, Ints
from tacita.core.data.number_parsing import UNTYPED
from tacita.io.formats.csv import cells_as_text

# Parquet has no seconds and one kind of date; these changes of unit lose nothing.
_STORED_AS = {
    pa.time32("s"): pa.time32("ms"),
    pa.date64(): pa.date32(),
}

# Arrow cannot yet gather the cells of a view.
TEXT_OF_VIEWS = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}


def as_array(column: Any) -> pa.Array:
    """A column of a frame as one Arrow array."""
    cells = column.to_arrow() if isinstance(column, nw.Series) else column
    whole = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
    return whole.cast(TEXT_OF_VIEWS[whole.type]) if whole.type in TEXT_OF_VIEWS else whole


def bits(cells: pa.Array) -> npt.NDArray[np.unsignedinteger[Any]]:
    """The present floats of an array as whole numbers: NaN equals itself, and minus zero is not zero."""
    values = np.ascontiguousarray(cells.drop_null().to_numpy(zero_copy_only=False))
    return values.view(f"u{values.dtype.itemsize}")


def same_column(before: nw.Series[Any], after: nw.Series[Any], rows: Ints) -> bool:
    """Whether `after` is `before` in the order of `rows`."""
    if before.dtype == nw.Object:
        # which type Arrow takes Python objects for depends on all of them, those that are gone too
        before, rows = before[rows.tolist()], np.arange(rows.size)
        if after.dtype == nw.Object:
            return _same_objects(before.to_list(), after.to_list())
    try:
        old, new = as_array(before), as_array(after)
        return identical(old.take(pa.array(rows)), new)
    except UNTYPED:
        # mixed Python objects and a few exotic types: Arrow has no type or no means for them
        was = before.to_list()
        return _same_objects([was[row] for row in rows.tolist()], after.to_list())


def same_text(old: pa.Array, new: pa.Array, dialect: CsvDialect) -> bool:
    """Whether text cells are how a file spells the typed cells, and mean the same to another reader."""
    if not as_array(cells_as_text(old, dialect)).equals(new):
        return False
    if pa.types.is_integer(old.type):
        read: Any = int
    elif pa.types.is_float64(old.type):
        read = float
    else:
        return True
    present = old.is_valid() if read is int else pc.fill_null(pc.invert(pc.is_nan(old)), False)
    texts = new.filter(present)
    if dialect.decimal == ",":
        texts = pc.replace_substring(texts, ",", ".")
    meant = pa.array(list(map(read, texts.to_pylist())), old.type)
    return identical(old.filter(present), meant)


def identical(old: pa.Array, new: pa.Array) -> bool:
    """Whether two arrays hold the same. O(n).

    A category must stay one, with the same order if it had one; only its unused values may go. Parquet
    knows categories of text alone, so others may come back as their values.
    """
    kind = old.type
    if isinstance(kind, pa.BaseExtensionType):
        return kind == new.type and identical(old.storage, new.storage)
    if pa.types.is_dictionary(kind):
        return _same_categories(old, new)
    if pa.types.is_map(kind):
        return pa.types.is_map(new.type) and identical(_entries(old), _entries(new))
    if len(old) != len(new) or not old.is_null().equals(new.is_null()):
        return False
    if pa.types.is_struct(kind):
        return _names(new.type) == _names(kind) and all(
            identical(pc.struct_field(old, [i]), pc.struct_field(new, [i])) for i in range(kind.num_fields)
        )
    if _is_list(kind):
        return (
            kind.id == new.type.id
            and pc.list_value_length(old).equals(pc.list_value_length(new))
            and identical(pc.list_flatten(old), pc.list_flatten(new))
        )
    if kind != new.type:
        stored = pa.timestamp("ms", kind.tz) if kind in _seconds(kind) else _STORED_AS.get(kind)
        return bool(stored == new.type and old.cast(stored).equals(new))
    if pa.types.is_floating(kind):
        return np.array_equal(bits(old), bits(new))
    return bool(old.equals(new))


def _same_categories(old: pa.DictionaryArray, new: pa.Array) -> bool:
    values = old.type.value_type
    if not pa.types.is_dictionary(new.type):
        return not _is_text(values) and identical(old.cast(values), new)
    if old.type.ordered != new.type.ordered:
        return False
    if old.type.ordered:
        order = new.dictionary.cast(old.dictionary.type)
        if not old.dictionary.filter(pc.is_in(old.dictionary, order)).equals(order):
            return False
    # Parquet knows one width of text in a dictionary
    dense = pa.large_string() if _is_text(values) and _is_text(new.type.value_type) else None
    return identical(old.cast(dense or values), new.cast(dense or new.type.value_type))


def _seconds(kind: pa.DataType) -> tuple[pa.DataType, ...]:
    return (pa.timestamp("s", kind.tz),) if pa.types.is_timestamp(kind) else ()


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _entries(cells: pa.MapArray) -> pa.Array:
    """A map as a list of its entries."""
    return cells.cast(pa.list_(cells.values.type))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view())


def _names(kind: pa.DataType) -> list[str] | None:
    return [kind.field(i).name for i in range(kind.num_fields)] if pa.types.is_struct(kind) else None


def _same_objects(old: list[object], new: list[object]) -> bool:
    return len(old) == len(new) and all(map(_same_object, old, new))


def _same_object(old: object, new: object) -> bool:
    if old is new:
        return True
    if type(old) is not type(new):
        return False
    if isinstance(old, float | list | tuple | dict):
        # equality would take minus zero for zero, and NaN for another
        return repr(old) == repr(new)
    # what does not even equal itself, such as Decimal("NaN"), is compared by its spelling
    return bool(old == new) or (old != old and repr(old) == repr(new))
