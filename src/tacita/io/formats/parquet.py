"""Parquet without hidden contents: no metadata, no unused dictionary entries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
import pyarrow.parquet as pq

from tacita.core import DataError
from tacita.core.data.microdata import check_unique_names
from tacita.io.canonical_arrow import without_memory
from tacita.io.content import opened

from .record_format import Held, RecordFormat, refuse_huge


class Parquet(RecordFormat):
    """Columns with their types, compressed, and nothing else.

    Schema and field metadata are left out, as is every dictionary entry that no record uses. O(cells).
    Source: Apache Parquet, file format 2.6.

    >>> table = pa.table({"x": [1, 2]}, metadata={"made": "today"})
    >>> Parquet().unpack(Parquet().pack(table), "survey.parquet").schema
    x: int64
    """

    endings: ClassVar[tuple[str, ...]] = (".parquet", ".pq")
    holds: ClassVar[frozenset[Held]] = frozenset(("dates", "truth values", "categories", "empty texts"))
    streams: ClassVar[bool] = True

    def unpack(self, content: bytes, source: str) -> pa.Table:
        """The table in the bytes of a Parquet file."""
        with readable(source):
            file = _parquet_file(pa.BufferReader(content))
            refuse_huge(file.metadata.num_rows, file.metadata.num_columns, source)
            table = file.read()
            # a flipped bit can make text that is no UTF-8, or an index beyond its dictionary
            table.validate(full=True)
            return table

    def pack(self, table: pa.Table) -> bytes:
        """The table as Parquet; schema and field metadata are left out. Same table, same bytes."""
        plain = without_memory(table)
        sink = pa.BufferOutputStream()
        try:
            pq.write_table(plain, sink, compression="zstd", store_schema=needs_schema(plain.schema))
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            raise DataError(
                "A column has a type that Parquet cannot hold. Convert it to numbers, dates or text."
            ) from None
        return bytes(sink.getvalue())

    def chunks(self, path: Path, rows: int = 2**16) -> Iterator[pa.RecordBatch]:
        """One row group after another."""
        with opened(path) as file, readable(path.name):
            for batch in _parquet_file(pa.PythonFile(file)).iter_batches(rows):
                batch.validate(full=True)
                yield batch


@contextmanager
def readable(source: str) -> Iterator[None]:
    """Replace errors of the library, whose messages could quote cells."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise DataError(
            f"{source}: this is not a readable Parquet file. Is it truncated, or of another format?"
        ) from None


def _parquet_file(file: pa.NativeFile) -> pq.ParquetFile:
    parquet = pq.ParquetFile(file)
    check_unique_names(parquet.schema_arrow.names)
    return parquet


def needs_schema(schema: pa.Schema) -> bool:
    """Whether Arrow's own schema must be stored too: only for dictionaries and unusual types."""
    simple = (pa.types.is_integer, pa.types.is_floating, pa.types.is_string, pa.types.is_boolean)
    return not all(any(test(field.type) for test in simple) for field in schema)
