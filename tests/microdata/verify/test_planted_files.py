"""What only a file can hide: spellings, comments, metadata, stale dictionaries, stray bytes."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacita
from planting import base_table, encoded, failed, release, simple, with_column
from tacita import registry
from tacita.core import Microdata, VerificationError
from tacita.io.formats.parquet import Parquet
from tacita.microdata import verify


@pytest.fixture(scope="module")
def made() -> tacita.Release:
    return release()


@pytest.fixture(scope="module")
def spelled() -> tacita.Release:
    """Six records in two groups of three, published as 2 and 20."""
    return simple(columns={"x": [1.0, 2.0, 3.0, 19.0, 20.0, 21.0], "y": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})


def _encoded(data: object, form: str) -> bytes:
    return encoded(Microdata.of(data), form)[0]


def _refused(monkeypatch, tmp_path, one: tacita.Release, form: str, content: bytes) -> str:
    """Save a release whose encoder yields other bytes; what the refusal says."""
    monkeypatch.setattr(registry.lookup(form, "format"), "encode", lambda *_: content)
    with pytest.raises(VerificationError) as refusal:
        tacita.save(one, tmp_path / f"out.{form}", note=tmp_path / "note.html")
    assert list(tmp_path.iterdir()) == []
    return str(refusal.value)


SPELLINGS = {
    "a decimal zero": (b"\n2,", b"\n2.0,"),
    "two decimal zeros": (b"\n2,", b"\n2.00,"),
    "a space before": (b"\n2,", b"\n 2,"),
    "a space behind": (b"\n2,", b"\n2 ,"),
    "a power of ten": (b"\n2,", b"\n2e0,"),
    "a plus sign": (b"\n2,", b"\n+2,"),
    "a leading zero": (b"\n2,", b"\n02,"),
}


@pytest.mark.each_once
@pytest.mark.parametrize("once", [True, False], ids=["one cell", "a whole group"])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_group_spelled_another_way_is_caught(spelling, once, spelled, monkeypatch, tmp_path):
    plain, other = SPELLINGS[spelling]
    content = _encoded(spelled.data, "csv")
    planted = content.replace(plain, other, 1 if once else -1)
    assert planted != content
    said = _refused(monkeypatch, tmp_path, spelled, "csv", planted)
    assert "group-means" in said
    assert ("groups-of-k" in said) == once


BYTES = {
    "truncated in a cell": lambda c: c[:-3],
    "truncated by a line": lambda c: c[: c.rindex(b"\n", 0, -1) + 1],
    "last line break lost": lambda c: c[:-1],
    "half the file": lambda c: c[: len(c) // 2],
    "empty": lambda _: b"",
    "an extra cell in every line": lambda c: c.replace(b"\n", b",\n"),
    "an extra cell in one line": lambda c: c.replace(b"\n2,", b"\n2,2,", 1),
    "an extra named column": lambda c: c.replace(b"\n", b",1\n").replace(b"x,y,1", b"x,y,z"),
    "a comment line before": lambda c: b"# Firm 1\n" + c,
    "a comment line behind": lambda c: c + b"# Firm 1\n",
    "a comment line with commas": lambda c: c + b"# Firm,1\n",
    "a blank line behind": lambda c: c + b"\n",
    "a blank line between": lambda c: c.replace(b"\n20,", b"\n\n20,", 1),
    "another delimiter": lambda c: c.replace(b",", b";"),
    "a delimiter in the header only": lambda c: c.replace(b",", b";", 1),
    "other line ends": lambda c: c.replace(b"\n", b"\r\n"),
    "a byte order mark": lambda c: b"\xef\xbb\xbf" + c,
    "a needless quote": lambda c: c.replace(b"\n20,", b'\n"20",', 1),
    "a quoted header": lambda c: c.replace(b"x,y", b'"x",y'),
    "a decimal comma": lambda c: c.replace(b"\n20,", b'\n"20,0",', 1),
    "minus zero": lambda c: c.replace(b"\n2,", b"\n-0,"),
    "infinity": lambda c: c.replace(b"\n2,", b"\ninf,"),
    "text for a number": lambda c: c.replace(b"\n2,", b"\ntwo,", 1),
    "missing for a number": lambda c: c.replace(b"\n2,", b"\nNA,", 1),
    "a NUL": lambda c: c + b"\0",
    "another encoding": lambda c: c.decode().encode("utf-16"),
}


@pytest.mark.parametrize("how", BYTES)
def test_a_csv_file_that_is_not_the_plain_spelling_of_its_cells_is_caught(
    how, spelled, monkeypatch, tmp_path
):
    content = _encoded(spelled.data, "csv")
    planted = BYTES[how](content)
    assert planted != content
    said = _refused(monkeypatch, tmp_path, spelled, "csv", planted)
    assert re.search("file-plain|columns-kept|group-means", said)


def _written(table: pa.Table, **options: object) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **options)
    return bytes(sink.getvalue())


def _stale(table: pa.Table) -> pa.Table:
    """The same cells, beside a category that none of them has."""
    cells = table["size"].combine_chunks()
    more = pa.concat_arrays([cells.dictionary, pa.array(["SECRET"])])
    return with_column(table, "size", pa.DictionaryArray.from_arrays(cells.indices, more))


def _noted_field(table: pa.Table) -> pa.Table:
    noted = [f.with_metadata({"label": "Firm 1"}) if f.name == "x" else f for f in table.schema]
    return table.cast(pa.schema(noted))


def _pandas_notes(table: pa.Table) -> pa.Table:
    metadata = pa.Table.from_pandas(base_table().to_pandas()).schema.metadata
    assert b"name" in metadata[b"pandas"]
    return table.replace_schema_metadata(metadata)


PARQUET = {
    "schema metadata": lambda t: _written(t.replace_schema_metadata({"made_from": "name"})),
    "pandas metadata that names an identifier": lambda t: _written(_pandas_notes(t)),
    "metadata added to the footer": lambda t: _with_footer_notes(t),
    "field metadata": lambda t: _written(_noted_field(t)),
    "a stale dictionary": lambda t: _written(_stale(t)),
    "a stale dictionary without the Arrow schema": lambda t: _written(_stale(t), store_schema=False),
    "a stale dictionary, uncompressed": lambda t: _written(_stale(t), compression="none"),
    "truncated": lambda t: _written(t)[:-9],
    "half the file": lambda t: _written(t)[:200],
    "bytes behind": lambda t: _written(t) + b"Firm 1",
    "bytes before the footer": lambda t: _with_stray_bytes(_written(t)),
    "page indexes": lambda t: _written(t, write_page_index=True),
    "a file of text": lambda _: b"x,y\n1,2\n",
}


def _with_footer_notes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, table.schema) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"made_from": "name"})
    return bytes(sink.getvalue())


def _with_stray_bytes(content: bytes) -> bytes:
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    return content[:start] + b"Firm 1" + content[start:]


@pytest.mark.parametrize("how", PARQUET)
def test_a_parquet_file_that_says_more_than_its_cells_is_caught(how, made, monkeypatch, tmp_path):
    planted = PARQUET[how](made.data)
    assert "file-plain" in _refused(monkeypatch, tmp_path, made, "parquet", planted)


@pytest.mark.parametrize("compression", ["none", "zstd", "snappy"])
def test_a_plain_parquet_file_passes_however_it_is_compressed(compression, made):
    content = _written(made.data, compression=compression)
    assert failed(verify.verify_file(verify.WrittenFile(content, Parquet()), made.claim)) == set()


@pytest.mark.parametrize("rows", [3, 5])
def test_a_parquet_file_of_several_row_groups_passes(rows, made):
    content = _written(made.data, row_group_size=rows)
    assert failed(verify.verify_file(verify.WrittenFile(content, Parquet()), made.claim)) == set()


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_the_real_encoder_passes_and_writes(form, made, tmp_path):
    tacita.save(made, tmp_path / f"out.{form}")
    assert [path.name for path in tmp_path.iterdir()] == [f"out.{form}"]
