"""Stored content other than the shown cells: dictionary entries, hidden slots, cut-off ends, metadata.

Types are known one by one; an unknown type is a fault, because its stored content cannot be examined.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.core import Mask
from tacita.core.data.number_parsing import UNTYPED

from .cells import TEXT_OF_VIEWS, as_array
from .evidence import Evidence

_STALE = "remember values that no record has"
_UNKNOWN = "are of a type whose memory cannot be checked"

# What libraries put where there is no value, the same into every slot: nothing, pandas' filler and its code
# of no category, not-a-time.
_FILLERS = {0, 1, -1, -(2**63)}

_KNOWN_EXTENSIONS = ("arrow.uuid", "arrow.json", "arrow.bool8", "pandas.period", "pandas.interval")


def no_leftovers(evidence: Evidence) -> str | None:
    """Columns store only what their cells show; frames carry no notes."""
    wrong: dict[str, list[str]] = {}
    for name in evidence.released.columns:
        for fault in faults(evidence.released.column(name), evidence.content is None):
            wrong.setdefault(fault, []).append(name)
    if wrong:
        return "; ".join(
            f"{len(names)} columns {fault}: {', '.join(names)}" for fault, names in wrong.items()
        )
    native = evidence.released.native
    if isinstance(native, pa.Table) and speaks(native.schema):
        return "the schema carries metadata"
    if getattr(native, "attrs", None):
        return "the frame carries attributes (attrs)"
    if any(_index_remembers(getattr(native, side, None)) for side in ("index", "columns")):
        return "the index stores values that no record or column has"
    return None


def _index_remembers(index: Any) -> bool:
    """Whether a pandas index has levels or categories out of use."""
    for level, codes in zip(getattr(index, "levels", ()), getattr(index, "codes", ()), strict=False):
        if np.unique(codes[codes >= 0]).size != len(level) or _index_remembers(level):
            return True
    categories = getattr(index, "categories", None)
    return categories is not None and len(index.unique().dropna()) != len(categories)


def speaks(schema: pa.Schema) -> bool:
    """Whether a schema or one of its fields, at any depth, carries metadata."""
    return bool(schema.metadata) or any(_field_speaks(field) for field in schema)


def _field_speaks(field: pa.Field) -> bool:
    inner = [field.type.field(i) for i in range(field.type.num_fields)]
    return bool(field.metadata) or any(_field_speaks(child) for child in inner)


def faults(series: nw.Series[Any], in_memory: bool) -> set[str]:
    """What is wrong with a column. Of a file read again, only what the file holds: slots are the reader's."""
    if series.dtype == nw.Object:
        # Python objects have neither dictionary nor slots; those of an Arrow copy would be the copier's
        return set()
    try:
        return {fault for cells in _arrays(series) for fault in _walk(cells, in_memory)}
    except UNTYPED:
        return {_UNKNOWN}


def _arrays(series: nw.Series[Any]) -> list[pa.Array]:
    """The memory of a column as it is, not gathered anew."""
    native = series.to_native()
    if isinstance(native, pa.ChunkedArray):
        return list(native.chunks)
    inside = getattr(getattr(native, "array", None), "__arrow_array__", None)
    cells = inside() if inside is not None else series.to_arrow()
    return list(cells.chunks) if isinstance(cells, pa.ChunkedArray) else [cells]


def _walk(cells: pa.Array, in_memory: bool) -> Iterator[str]:
    kind = cells.type
    if isinstance(kind, pa.BaseExtensionType):
        if kind.extension_name not in _KNOWN_EXTENSIONS:
            # its parameters travel with it, whatever they hold
            yield _UNKNOWN
        yield from _walk(cells.storage, in_memory)
        return
    if in_memory and cells.offset:
        yield _STALE
    if pa.types.is_null(kind):
        return
    if pa.types.is_dictionary(kind):
        if pc.count_distinct(cells.indices, mode="only_valid").as_py() != len(cells.dictionary):
            yield _STALE
        yield from _walk(cells.indices, in_memory)
        yield from _walk(cells.dictionary, in_memory)
    elif pa.types.is_struct(kind):
        for i in range(kind.num_fields):
            # a part that is there where the whole is not
            if pc.any(pc.and_(cells.is_null(), cells.field(i).is_valid())).as_py():
                yield _STALE
            yield from _walk(cells.field(i), in_memory)
    elif pa.types.is_nested(kind):
        yield from _walk_list(cells, in_memory)
    elif not _flat(kind):
        yield _UNKNOWN
    elif in_memory and _hides(cells):
        yield _STALE


def _walk_list(cells: Any, in_memory: bool) -> Iterator[str]:
    kind = cells.type
    if pa.types.is_fixed_size_list(kind):
        hidden = np.repeat(np.asarray(cells.is_null()), kind.list_size)
        if len(cells.values) != hidden.size or np.asarray(cells.values.is_valid())[hidden].any():
            yield _STALE
    elif any(test(kind) for test in (pa.types.is_list, pa.types.is_large_list, pa.types.is_map)):
        ends = np.asarray(cells.offsets)
        # every entry belongs to a list that is there
        if ends[0] != 0 or ends[-1] != len(cells.values) or np.diff(ends)[np.asarray(cells.is_null())].any():
            yield _STALE
    else:
        yield _UNKNOWN
        return
    yield from _walk(cells.values, in_memory)


def _flat(kind: pa.DataType) -> bool:
    numbers = ("integer", "floating", "boolean", "decimal", "temporal")
    letters = ("string", "large_string", "binary", "large_binary", "fixed_size_binary")
    return kind in TEXT_OF_VIEWS or any(getattr(pa.types, f"is_{name}")(kind) for name in numbers + letters)


def _hides(cells: pa.Array) -> bool:
    """Whether a flat array holds bytes that none of its cells shows."""
    kind, absent = cells.type, np.asarray(cells.is_null())
    _, *stored = (np.frombuffer(buffer or b"", "u1") for buffer in cells.buffers())
    if kind in TEXT_OF_VIEWS:
        return _views_hide(as_array(cells), stored, absent)
    if len(stored) == 2:
        return int(stored[1].size) != (pc.sum(pc.binary_length(cells)).as_py() or 0)
    if pa.types.is_boolean(kind):
        bits = np.unpackbits(stored[0], bitorder="little")[: absent.size]
        return bool(bits[absent[: bits.size]].any())
    width = kind.bit_width // 8
    if stored[0].size != width * absent.size:
        return not (stored[0].size == 0 and absent.all())
    hidden = np.ascontiguousarray(stored[0].reshape(-1, width)[absent])
    if pa.types.is_floating(kind) and np.isnan(hidden.view(f"f{width}")).all():
        return False
    fillers = {
        int.from_bytes(filler.tobytes(), "little", signed=True) for filler in np.unique(hidden, axis=0)
    }
    return len(fillers) > 1 or not fillers <= _FILLERS


def _views_hide(letters: pa.Array, stored: list[Any], absent: Mask) -> bool:
    """Behind views stand all their texts, or only those too long for a slot; nothing else."""
    slots, behind = stored[0].reshape(-1, 16), b"".join(buffer.tobytes() for buffer in stored[1:])
    long_ones = letters.filter(pc.greater(pc.binary_length(letters), 12))
    shown = [b"".join(_bytes(array)) for array in (letters, long_ones)]
    return len(slots) != absent.size or bool(slots[absent].any()) or behind not in shown


def _bytes(cells: pa.Array) -> Iterator[bytes]:
    for cell in cells.drop_null().to_pylist():
        yield cell.encode() if isinstance(cell, str) else cell
