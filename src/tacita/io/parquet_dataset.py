"""Read row ranges of a Parquet file, or of a folder of them.

The row numbers do not depend on how the data are split into files and row groups.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tacita.core import DataError, Ints, ParameterError
from tacita.core.data.microdata import check_name_types, check_unique_names

from .canonical_arrow import without_memory
from .formats.parquet import needs_schema, readable

_BYTES_AT_ONCE = 2**22


@dataclass(frozen=True)
class ParquetParts:
    """The records of some files, one file after another.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for number in (1, 2):
    ...         pq.write_table(pa.table({"x": [number, 10 * number]}), f"{folder}/part-{number}.parquet")
    ...     parts = ParquetParts.at(Path(folder))
    ...     parts.rows, parts.read(1, 2)["x"].to_pylist()
    (4, [10, 2])
    """

    files: tuple[Path, ...]
    # the first row of each row group, and at the end the number of all rows; file and number of each group
    starts: tuple[int, ...]
    groups: tuple[tuple[int, int], ...]
    names: tuple[str, ...]
    # the names of text columns
    texts: tuple[str, ...] = ()

    @classmethod
    def at(cls, path: Path) -> ParquetParts:
        """The parts at a path: a file, or all Parquet files of a folder in the order of their names."""
        files = _files_at(path)
        starts, groups, names = [0], [], ()
        first: pa.Schema | None = None
        for number, file in enumerate(files):
            with readable(file.name):
                parquet = pq.ParquetFile(file)
                schema = parquet.schema_arrow.remove_metadata()
            check_name_types(schema.names)
            check_unique_names(schema.names)
            first = schema if first is None else first
            if not schema.equals(first):
                raise DataError(
                    f"{file.name}: has other columns or types than {files[0].name}. All files of a folder "
                    "must have the same."
                )
            names = tuple(schema.names)
            for group in range(parquet.metadata.num_row_groups):
                starts.append(starts[-1] + parquet.metadata.row_group(group).num_rows)
                groups.append((number, group))
            parquet.close()
        if starts[-1] == 0:
            raise DataError(f"{path.name}: wanted records, got none. There is nothing to protect.")
        assert first is not None
        texts = tuple(field.name for field in first if pa.types.is_string(field.type))
        return cls(files, tuple(starts), tuple(groups), names, texts)

    @property
    def rows(self) -> int:
        """Records in all files."""
        return self.starts[-1]

    def read(
        self, first: int, count: int, columns: Sequence[str] | None = None, *, coded: bool = False
    ) -> pa.Table:
        """At most `count` records from row `first` on, without metadata.

        All columns, or some; with `coded`, texts are dictionary-encoded.
        """
        last = min(first + count, self.rows)
        begin = int(np.searchsorted(self.starts, first, side="right")) - 1
        end = int(np.searchsorted(self.starts, last, side="left"))
        tables = []
        for number in range(begin, end):
            file, group = self.groups[number]
            with readable(self.files[file].name):
                chosen = None if columns is None else list(columns)
                texts = self.texts if coded else ()
                parquet = pq.ParquetFile(self.files[file], read_dictionary=list(texts))
                table = parquet.read_row_group(group, columns=chosen)
                # a flipped bit can make text that is no UTF-8, or an index beyond its dictionary
                table.validate(full=True)
            start = self.starts[number]
            table = table.slice(max(first - start, 0), min(last, self.starts[number + 1]) - max(first, start))
            tables.append(table.cast(table.schema.remove_metadata()))
        return in_one_piece(pa.concat_tables(tables))

    def spans(self, rows: int) -> list[tuple[int, int]]:
        """First row and number of records of spans of `rows` records; the last may be shorter."""
        return [(first, min(rows, self.rows - first)) for first in range(0, self.rows, rows)]

    def chunks(self, rows: int) -> Iterator[tuple[int, pa.Table]]:
        """All records in spans of `rows`, each with the number of its first record."""
        for first, count in self.spans(rows):
            yield first, self.read(first, count)

    def fingerprint(self) -> str:
        """SHA-256 of the file; of several files, the SHA-256 of their hashes."""
        hashes = [_hash_of(file) for file in self.files]
        return hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()


def in_one_piece(table: pa.Table) -> pa.Table:
    """The same table, each column in one chunk."""
    return table.unify_dictionaries().combine_chunks()


def taken(table: pa.Table, rows: Ints) -> pa.Table:
    """Some rows of a table, in that order, each column in one chunk. O(cells)."""
    try:
        return in_one_piece(table.take(pa.array(rows)))
    except pa.ArrowNotImplementedError:
        # Arrow cannot take from string views, at any depth
        return without_memory(table, rows)


def _files_at(path: Path) -> tuple[Path, ...]:
    if not path.exists():
        raise ParameterError(f"{path.name}: cannot be read (there is no such file). Check the path.")
    if not path.is_dir():
        if path.suffix.lower() not in (".parquet", ".pq"):
            raise ParameterError(
                f"{path.name}: an executor that works in parts reads Parquet, a file or a folder of files. "
                "Convert it first, or leave out the executor: then it is read as a whole."
            )
        return (path,)
    inside = sorted(path.iterdir())
    if any(entry.is_dir() and not entry.name.startswith(".") for entry in inside):
        raise ParameterError(
            f"{path.name}: holds folders, whose files would be left out. Move all files into one folder."
        )
    files = tuple(entry for entry in inside if entry.suffix.lower() in (".parquet", ".pq"))
    if not files:
        raise ParameterError(f"{path.name}: wanted a folder of files ending in .parquet, found none in it.")
    return files


def _hash_of(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(_BYTES_AT_ONCE):
            digest.update(block)
    return digest.hexdigest()


def write_pieces(path: Path, pieces: Iterable[pa.Table], *, as_folder: bool = False) -> None:
    """Write tables of the same columns one after another, each as a row group, or as a file of a folder.

    One file has the bytes of `Parquet.pack`.
    """
    if as_folder:
        path.mkdir(mode=0o700)
        for number, piece in enumerate(pieces):
            write_pieces(path / f"part-{number:05d}.parquet", [piece])
        return
    writer: pq.ParquetWriter | None = None
    try:
        for piece in pieces:
            plain = without_memory(piece)
            if writer is None:
                schema = plain.schema
                writer = pq.ParquetWriter(path, schema, compression="zstd", store_schema=needs_schema(schema))
            if not plain.schema.equals(writer.schema):
                raise DataError(
                    "Executor: a column came out with other types in some parts of the file. Convert it to "
                    "one type first, or choose larger parts."
                )
            writer.write_table(plain, row_group_size=max(1, plain.num_rows))
    finally:
        if writer is not None:
            writer.close()
