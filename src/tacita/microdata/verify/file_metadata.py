"""Contents of the bytes of a file other than its cells."""

from __future__ import annotations

import base64
import codecs
import csv
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tacita.core import CsvDialect, Microdata
from tacita.io.canonical_arrow import without_memory
from tacita.io.formats.csv import CSV
from tacita.io.formats.excel import Excel
from tacita.io.formats.parquet import Parquet
from tacita.io.formats.readstat import read_by_library
from tacita.io.formats.record_format import RecordFormat, to_arrow
from tacita.io.formats.spss import SPSS
from tacita.io.formats.stata import Stata
from tacita.io.formats.xport import Xport

from .cells import as_array, identical
from .column_metadata import says_more
from .evidence import Evidence
from .hidden_content import speaks


def promise_of(form: RecordFormat) -> str:
    """What can be promised of a file: of formats that are known here more than their own word."""
    return "file-plain" if type(form) in _KNOWN else "file-written-again"


def nothing_but_cells(evidence: Evidence) -> str | None:
    """No metadata, comment, blank line, stale dictionary entry or stray byte."""
    if evidence.content is None or evidence.form is None:
        return "there is no file"
    return _KNOWN[type(evidence.form)](evidence.content, evidence)


def written_again(evidence: Evidence) -> str | None:
    """The cells that were read, made anew so that nothing clings to them, give the same bytes. O(n d)."""
    if evidence.content is None or evidence.form is None:
        return "there is no file"
    read = evidence.in_file
    again = evidence.form.encode(
        Microdata.of(without_memory(to_arrow(read)), dialect=read.dialect, notes=read.notes)
    )
    return None if again == evidence.content else "the file is not what its format writes of its cells"


def _csv_says_more(content: bytes, evidence: Evidence) -> str | None:
    plain = _plainly_written(evidence.released, evidence.claim.original.dialect or CsvDialect())
    return None if plain == content else "the file is not the plain spelling of its cells"


def _plainly_written(released: Microdata, dialect: CsvDialect) -> bytes:
    """The cells written by another hand (Python's csv module, not Arrow)."""
    lines: list[str] = []
    # with this line end both signs of a line break are quoted, whatever the version of Python
    writer = csv.writer(
        SimpleNamespace(write=lines.append), delimiter=dialect.delimiter, lineterminator="\r\n"
    )
    writer.writerow(released.columns)
    writer.writerows(zip(*(released.column(name).to_list() for name in released.columns), strict=True))
    text = "".join(line[:-2] + dialect.newline for line in lines)
    return (codecs.BOM_UTF8 if dialect.byte_order_mark else b"") + text.encode(dialect.encoding)


def _parquet_says_more(content: bytes, evidence: Evidence) -> str | None:
    return parquet_says_more(content, evidence.released.columns)


def parquet_says_more(content: bytes | pa.Buffer, columns: Sequence[str]) -> str | None:
    """The same of the bytes of a Parquet file, in memory or mapped: one row group is unfolded at a time."""
    footer = pq.read_metadata(pa.BufferReader(content))
    notes = dict(footer.metadata or {})
    schema = notes.pop(b"ARROW:schema", None)
    if notes:
        return f"the footer carries {len(notes)} entries of metadata"
    if schema is not None:
        kept = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(schema)))
        if speaks(kept) or kept.names != columns:
            return "the stored schema says more than the names and types of the columns"
    chunks = _chunks(footer)
    # magic, pages, footer, its length, magic
    accounted = 4 + sum(chunk.total_compressed_size for chunk in chunks)
    held = pa.py_buffer(content)
    accounted += int.from_bytes(held.slice(held.size - 8, 4).to_pybytes(), "little") + 8
    if accounted != held.size:
        return "the file has bytes that belong to no column"
    texts = {chunk.path_in_schema for chunk in chunks if chunk.physical_type == "BYTE_ARRAY"}
    raw = pq.ParquetFile(pa.BufferReader(content), read_dictionary=sorted(texts))
    file = pq.ParquetFile(pa.BufferReader(content))
    groups = range(footer.num_row_groups)
    stale = dict.fromkeys(name for group in groups for name in _stale_columns(raw.read_row_group(group)))
    if stale:
        return f"{len(stale)} columns store values that no record has: {', '.join(stale)}"
    wide = footer.num_columns
    false = dict.fromkeys(
        name
        for group in groups
        for name in _false_extremes(file.read_row_group(group), chunks[group * wide : (group + 1) * wide])
    )
    if false:
        return f"{len(false)} columns tell extremes that their cells do not have: {', '.join(false)}"
    return None


def _chunks(footer: Any) -> list[Any]:
    """What a footer says of every column in every row group."""
    groups = [footer.row_group(group) for group in range(footer.num_row_groups)]
    return [group.column(column) for group in groups for column in range(footer.num_columns)]


def _false_extremes(cells: pa.Table, chunks: list[Any]) -> list[str]:
    """Columns of a row group whose extremes in the footer are not those of their cells, written again.

    O(n d).
    """
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, cells.schema) as writer:
        writer.write_table(cells, row_group_size=max(len(cells), 1))
    pairs = zip(chunks, _chunks(pq.read_metadata(pa.BufferReader(sink.getvalue()))), strict=True)
    return [one.path_in_schema for one, other in pairs if _extremes(one) not in ((), _extremes(other))]


def _extremes(chunk: Any) -> tuple[str, ...]:
    """The extremes of the cells of a column in a footer, or nothing."""
    if not chunk.is_stats_set or not chunk.statistics.has_min_max:
        return ()
    return repr(chunk.statistics.min), repr(chunk.statistics.max)


def _stale_columns(raw: pa.Table) -> list[str]:
    """Columns of a row group with an entry of a dictionary page, at any depth, that no cell has."""
    stale = []
    leaves = [(name, leaf) for name in raw.column_names for leaf in _leaves(raw[name])]
    for name, parts in leaves:
        accounted = [part.dictionary for part in parts if pa.types.is_dictionary(part.type)]
        if not accounted:
            continue
        kind = parts[0].type.value_type
        cells = pc.unique(as_array(pa.chunked_array([part.cast(kind) for part in parts])))
        if not all(pc.all(pc.is_in(values, cells)).as_py() is not False for values in accounted):
            stale.append(name)
    return stale


def _leaves(column: pa.ChunkedArray) -> list[list[pa.Array]]:
    """The columns that Parquet makes of one, each in its chunks."""
    return [list(parts) for parts in zip(*(_flat(chunk) for chunk in column.chunks), strict=True)]


def _flat(cells: pa.Array) -> list[pa.Array]:
    kind = cells.type
    if isinstance(kind, pa.BaseExtensionType):
        return _flat(cells.storage)
    if pa.types.is_struct(kind):
        return [leaf for part in cells.flatten() for leaf in _flat(part)]
    if pa.types.is_map(kind):
        return _flat(cells.cast(pa.list_(cells.values.type)))
    return (
        _flat(cells.flatten()) if pa.types.is_nested(kind) and not pa.types.is_dictionary(kind) else [cells]
    )


def _notes_say_more(_content: bytes, evidence: Evidence) -> str | None:
    """Metadata that cells do not bear out, or bytes that neither cells nor metadata account for.

    The cells and metadata that the library read are written again by another writer: where the same bytes
    come out, they hold nothing but the cells and metadata that were checked.
    """
    form = evidence.form
    assert form is not None
    bare = without_memory(to_arrow(evidence.in_file))
    # whole numbers may have been whole by their type, which not every such file says
    usual = [
        form.decode(form.encode(Microdata.of(cells)), "plain")
        for cells in (bare, _whole(bare))
        if cells.num_columns
    ]
    return says_more(evidence, usual) or written_again(evidence)


def _whole(cells: pa.Table) -> pa.Table:
    """The columns of doubles that hold whole numbers alone, as such."""
    converted = {}
    for name, column in zip(cells.column_names, cells.columns, strict=True):
        if pa.types.is_floating(column.type):
            with suppress(pa.ArrowInvalid):
                converted[name] = column.cast(pa.int64())
    return pa.table(converted)


def _xport_says_more(content: bytes, evidence: Evidence) -> str | None:
    """The same; and since tacita reads such files itself, the library must find the same cells."""
    by_library = read_by_library("read_xport", content, "release", "SAS transport")
    table = Xport().unpack(content, "release")
    if list(by_library) != table.column_names:
        return "another reader finds other columns"
    differing = [
        name for name in by_library if not _same_cells(table[name].combine_chunks(), by_library[name])
    ]
    if differing:
        return f"another reader finds other cells in {len(differing)} columns: {', '.join(differing)}"
    return _notes_say_more(content, evidence)


def _same_cells(cells: pa.Array, others: list[Any]) -> bool:
    if pa.types.is_string(cells.type):
        return bool(pc.fill_null(cells, "").to_pylist() == others)
    clock = Xport.clock
    if pa.types.is_date(cells.type):
        numbers = pc.add(cells.cast(pa.int32()).cast(pa.float64()), -float(clock.day_0))
    elif pa.types.is_timestamp(cells.type):
        ticks = cells.cast(pa.int64()).to_pylist()
        zero = clock.day_0 * 86_400 * 10**6
        numbers = pa.array([None if tick is None else (tick - zero) / 10**6 for tick in ticks], pa.float64())
    else:
        numbers = cells
    return identical(numbers, pa.array(others, pa.float64()))


_KNOWN: dict[type[RecordFormat], Callable[[bytes, Evidence], str | None]] = {
    CSV: _csv_says_more,
    Parquet: _parquet_says_more,
    Stata: _notes_say_more,
    SPSS: _notes_say_more,
    Xport: _xport_says_more,
    # a workbook says nothing of its columns
    Excel: lambda _, evidence: written_again(evidence),
}
