"""Values as JSON and Arrow with a checksum: unpacking yields data, and never runs code.

The first line has the format and the SHA-256 of all that follows. The second is JSON, in which everything but
plain values is a list whose first entry is its kind. Arrays and tables follow as Arrow streams. An object is
stored as the name of its class and its fields, and read back as one of the classes that the reader expects.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AnySet
from dataclasses import dataclass, field, fields, is_dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import BaseModel

_MAGIC = b"tacita-parts 1"
# The numpy kinds that Arrow stores without loss.
_NUMBERS = "biuf"


class Damaged(ValueError):
    """The stored content was changed or cannot be read."""


def packed(value: object) -> bytes:
    """A value as bytes; TypeError where it holds something other than data.

    >>> unpacked(packed({"a": (1, 2.5), "b": np.array([True, False])}))
    {'a': (1, 2.5), 'b': array([ True, False])}
    """
    writer = _Writer()
    tree = writer.tree(value)
    head = {"value": tree, "sizes": [len(stream) for stream in writer.streams]}
    rest = b"\n".join([json.dumps(head, separators=(",", ":")).encode(), b"".join(writer.streams)])
    return b" ".join([_MAGIC, hashlib.sha256(rest).hexdigest().encode()]) + b"\n" + rest


def unpacked(content: bytes, kinds: Sequence[type] = ()) -> Any:
    """The value that was packed, with objects of these classes; Damaged where the content was changed."""
    first, _, rest = content.partition(b"\n")
    if first != b" ".join([_MAGIC, hashlib.sha256(rest).hexdigest().encode()]):
        raise Damaged("its checksum does not hold")
    try:
        line, _, streams = rest.partition(b"\n")
        head = json.loads(line)
        ends = accumulate(head["sizes"], initial=0)
        parts = [streams[begin:end] for begin, end in pairwise(ends)]
        return _Reader(parts, {kind.__name__: kind for kind in kinds}).value(head["value"])
    except Exception as error:  # any error means that the content is damaged
        raise Damaged("it cannot be read") from error


def kinds_in(value: object) -> tuple[type, ...]:
    """The classes of all objects in a value, which its reader must name."""
    writer = _Writer()
    writer.tree(value)
    return tuple(writer.kinds)


def table_of(values: np.ndarray) -> pa.Table:
    """An array of numbers as a table of one column, with its shape as metadata."""
    if values.dtype.kind not in _NUMBERS:
        raise TypeError(f"an array of {values.dtype}")
    plain = pa.array(np.ascontiguousarray(values).reshape(-1))
    return pa.table([plain], pa.schema([("values", plain.type)], {"shape": json.dumps(values.shape)}))


def array_of(table: pa.Table) -> np.ndarray:
    """The array in a table of `table_of`; it shares the memory of a table in one chunk."""
    shape = json.loads(table.schema.metadata[b"shape"])
    column = table["values"]
    if column.num_chunks == 1 and not pa.types.is_boolean(column.type):
        return np.asarray(column.chunk(0).to_numpy(zero_copy_only=True)).reshape(shape)
    return np.asarray(column.to_numpy()).reshape(shape)


@dataclass
class _Writer:
    streams: list[bytes] = field(default_factory=list)
    kinds: dict[type, None] = field(default_factory=dict)

    def tree(self, value: Any) -> Any:
        """A value as JSON values."""
        if value is None or isinstance(value, bool | str):
            return str(value) if isinstance(value, str) else value
        if isinstance(value, np.generic):
            return self.tree(value.item())
        if isinstance(value, int | float):
            # subclasses of numbers, such as enums, are stored as plain numbers
            return int(value) if isinstance(value, int) else float(value)
        for kind, name, inside in _CONTAINERS:
            if isinstance(value, kind):
                return [name, [self.tree(item) for item in inside(value)]]
        if isinstance(value, AnySet):
            return ["frozenset", sorted((self.tree(item) for item in value), key=json.dumps)]
        if isinstance(value, Path):
            return ["path", str(value)]
        if isinstance(value, pa.Table):
            return ["table", self._stream(value)]
        if isinstance(value, np.ndarray):
            return self._array(value)
        return self._object(value)

    def _array(self, values: np.ndarray) -> list[Any]:
        if values.dtype.kind in _NUMBERS:
            return ["array", self._stream(table_of(values))]
        if values.dtype.kind not in "OU":
            raise TypeError(f"an array of {values.dtype}")
        return [
            "objects",
            values.dtype.str,
            values.shape,
            [self.tree(item) for item in values.ravel().tolist()],
        ]

    def _object(self, value: Any) -> list[Any]:
        kind = type(value)
        if isinstance(value, BaseModel):
            names = sorted(value.model_fields_set)
        elif is_dataclass(value) and all(entry.init for entry in fields(value)):
            names = [entry.name for entry in fields(value)]
        else:
            raise TypeError(f"a {kind.__name__}")
        self.kinds[kind] = None
        return ["object", kind.__name__, {name: self.tree(getattr(value, name)) for name in names}]

    def _stream(self, table: pa.Table) -> int:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        self.streams.append(sink.getvalue().to_pybytes())
        return len(self.streams) - 1


_CONTAINERS: tuple[tuple[type | tuple[type, ...], str, Callable[[Any], Any]], ...] = (
    (list, "list", list),
    (tuple, "tuple", list),
    (Mapping, "dict", lambda value: [[key, item] for key, item in value.items()]),
)


@dataclass(frozen=True)
class _Reader:
    streams: Sequence[bytes]
    kinds: Mapping[str, type]

    def value(self, tree: Any) -> Any:
        """The value that JSON values stand for."""
        if not isinstance(tree, list):
            return tree
        kind, *rest = tree
        return getattr(self, f"_{kind}")(*rest)

    def _list(self, inside: list[Any]) -> list[Any]:
        return [self.value(item) for item in inside]

    def _tuple(self, inside: list[Any]) -> tuple[Any, ...]:
        return tuple(self._list(inside))

    def _frozenset(self, inside: list[Any]) -> frozenset[Any]:
        return frozenset(self._list(inside))

    def _dict(self, inside: list[Any]) -> dict[Any, Any]:
        return dict(self._list(inside))

    def _path(self, text: str) -> Path:
        return Path(text)

    def _table(self, number: int) -> pa.Table:
        return pa.ipc.open_stream(self.streams[number]).read_all()

    def _array(self, number: int) -> np.ndarray:
        # a copy, which callers may change
        return array_of(self._table(number)).copy()

    def _objects(self, kind: str, shape: list[int], inside: list[Any]) -> np.ndarray:
        items = np.empty(len(inside), dtype=np.dtype(kind))
        items[:] = self._list(inside)
        return items.reshape(shape)

    def _object(self, name: str, values: dict[str, Any]) -> Any:
        kind = self.kinds[name]
        arguments = {key: self.value(item) for key, item in values.items()}
        # a stored model was validated when it was created; its values are already converted
        return (
            kind.model_construct(set(arguments), **arguments)
            if issubclass(kind, BaseModel)
            else kind(**arguments)
        )
