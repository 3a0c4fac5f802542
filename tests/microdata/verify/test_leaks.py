"""Leaks seen in ordinary libraries: none of them gets into a release, and the verifier sees each."""

from __future__ import annotations

from math import fsum

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacita
from planting import FRAMES, native
from tacita.core import DataError, Microdata, TacitaError
from tacita.io.formats.parquet import Parquet
from tacita.microdata import verify

X = [1.0, 2.0, 4.0, 10.0, 11.0, 15.0]
# the first three records are taken away, and with them the only ones of this category
SIZES = ["SECRET"] * 3 + ["small", "large", "small"] * 2
TABLE = pa.table({"x": [0.0] * 3 + X, "name": [f"Firm {i}" for i in range(9)], "size": SIZES})
OPTIONS = {"quasi": ["x"], "identifiers": ["name"], "k": 3}


def _sliced_arrow() -> pa.Table:
    table = TABLE.set_column(2, "size", TABLE["size"].combine_chunks().dictionary_encode())
    return table.slice(3)


def _filtered_pandas() -> pd.DataFrame:
    frame = TABLE.to_pandas()
    return frame.assign(size=frame["size"].astype("category"))[3:]


def _ordered_pandas() -> pd.DataFrame:
    ladder = pd.CategoricalDtype(["small", "SECRET", "large"], ordered=True)
    frame = TABLE.to_pandas()
    return frame.assign(size=frame["size"].astype(ladder))[3:]


def _polars(kind: object) -> pl.DataFrame:
    return pl.from_arrow(TABLE).with_columns(pl.col("size").cast(kind))[3:]


def _nested_arrow() -> pa.Table:
    lists = pa.array([[size] for size in SIZES], pa.list_(pa.dictionary(pa.int8(), pa.string())))
    return TABLE.set_column(2, "size", lists).slice(3)


SOURCES = {
    "sliced Arrow dictionary": _sliced_arrow,
    "filtered pandas Categorical": _filtered_pandas,
    "ordered pandas Categorical": _ordered_pandas,
    "polars Enum": lambda: _polars(pl.Enum(["small", "SECRET", "large"])),
    "polars Categorical": lambda: _polars(pl.Categorical),
    "Arrow dictionary inside lists": _nested_arrow,
}


@pytest.mark.parametrize("source", SOURCES)
def test_a_removed_category_is_in_no_byte_of_the_file(source, tmp_path):
    made = tacita.protect(SOURCES[source](), **OPTIONS)
    tacita.save(made, tmp_path / "out.parquet")
    _contains_nothing_secret(pq.read_table(tmp_path / "out.parquet"))
    content = Parquet().encode(Microdata.of(made.data))
    assert b"SECRET" not in content


def _contains_nothing_secret(table: pa.Table) -> None:
    """Neither as read back with its dictionaries, nor as the bytes of another file."""
    for compression in ("none", "snappy"):
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression=compression)
        content = bytes(sink.getvalue())
        assert b"SECRET" not in content
        assert b"name" not in content


@pytest.mark.parametrize("source", SOURCES)
def test_the_returned_frame_writes_no_removed_category_by_itself(source, tmp_path):
    data = tacita.protect(SOURCES[source](), **OPTIONS).data
    path = tmp_path / "out.parquet"
    if isinstance(data, pa.Table):
        pq.write_table(data, path, compression="none")
    elif isinstance(data, pl.DataFrame):
        data.write_parquet(path, compression="uncompressed")
    else:
        data.to_parquet(path, compression=None, index=False)
    assert b"SECRET" not in path.read_bytes()


@pytest.mark.parametrize("source", [name for name in SOURCES if name != "polars Categorical"])
def test_the_verifier_sees_a_stale_category(source):
    stale = SOURCES[source]()
    made = tacita.protect(stale, **OPTIONS)
    kept = stale["size"]
    if isinstance(made.data, pa.Table):
        planted = made.data.set_column(1, "size", kept)
    elif isinstance(made.data, pl.DataFrame):
        planted = made.data.with_columns(kept)
    else:
        planted = made.data.assign(size=kept)
    failed = {v.guarantee for v in verify.verify(Microdata.of(planted), made.claim) if not v.passed}
    assert failed == {"no-leftovers"}


def test_an_ordered_category_keeps_its_order_in_parquet(tmp_path):
    ladder = pd.CategoricalDtype(["small", "medium", "large"], ordered=True)
    frame = pd.DataFrame({"x": X, "size": pd.Categorical(["large", "small"] * 3, dtype=ladder)})
    tacita.save(tacita.protect(frame, quasi=["x"]), tmp_path / "out.parquet")
    read = pq.read_table(tmp_path / "out.parquet")["size"]
    assert read.type.ordered
    assert read.chunk(0).dictionary.to_pylist() == ["small", "large"]


def test_an_ordered_category_with_another_order_is_caught():
    ladder = pa.DictionaryArray.from_arrays([0, 1] * 3, ["small", "large"], ordered=True)
    made = tacita.protect(pa.table({"x": X, "size": ladder}), quasi=["x"])
    other = pa.DictionaryArray.from_arrays([1, 0] * 3, ["large", "small"], ordered=True)
    planted = Microdata.of(made.data.set_column(1, "size", other))
    assert not {v.guarantee: v.passed for v in verify.verify(planted, made.claim)}["others-identical"]


@pytest.mark.parametrize("kind", FRAMES)
def test_the_name_of_a_dropped_column_is_nowhere_in_the_file(kind, tmp_path):
    table = pa.Table.from_pandas(TABLE.rename_columns(["x", "passport", "size"]).to_pandas())
    assert b"passport" in table.schema.metadata[b"pandas"]
    made = tacita.protect(native(table, kind), quasi=["x"], identifiers=["passport"])
    for name in ("out.parquet", "out.csv"):
        tacita.save(made, tmp_path / name)
        assert b"passport" not in (tmp_path / name).read_bytes()


def test_the_returned_arrow_table_carries_no_metadata_of_its_source():
    noted = pa.field("x", pa.float64(), metadata={"unit": "EUR"})
    table = pa.table([TABLE["x"], TABLE["name"]], schema=pa.schema([noted, pa.field("name", pa.string())]))
    table = table.replace_schema_metadata({"respondent": "Firm 1"})
    data = tacita.protect(table, **OPTIONS).data
    assert data.schema.metadata is None
    assert data.schema.field("x").metadata is None


def test_the_verifier_sees_metadata_on_a_frame():
    made = tacita.protect(TABLE, **OPTIONS)
    noted = made.data.replace_schema_metadata({"respondent": "Firm 1"})
    assert not {v.guarantee: v.passed for v in verify.verify(Microdata.of(noted), made.claim)}["no-leftovers"]


def test_a_pandas_frame_loses_its_attributes_and_the_source_keeps_them():
    frame = TABLE.to_pandas()
    frame.attrs["respondent"] = "Firm 1"
    made = tacita.protect(frame, **OPTIONS)
    assert made.data.attrs == {}
    assert frame.attrs == {"respondent": "Firm 1"}
    made.data.attrs["respondent"] = "Firm 1"
    verdicts = verify.verify(Microdata.of(made.data), made.claim)
    assert not {v.guarantee: v.passed for v in verdicts}["no-leftovers"]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_pandas_index_of_names_is_not_written(form, tmp_path):
    frame = TABLE.to_pandas().set_index("name")
    tacita.save(tacita.protect(frame, quasi=["x"]), tmp_path / f"out.{form}")
    content = (tmp_path / f"out.{form}").read_bytes()
    assert b"Firm" not in content
    assert b"index" not in content


@pytest.mark.parametrize("cell", ["=cmd|' /C calc'!A0", "@SUM(1)", "+cmd", "-cmd", "\t=1"])
def test_cells_that_look_like_formulas_are_counted_in_a_caution(cell):
    made = tacita.protect(pa.table({"x": X, "note": [cell, "plain", "-5", "+3", "", None]}), quasi=["x"])
    counts = {warning.name: warning.count for warning in made.record.warnings}
    assert counts["spreadsheet-formulas"] == 1


def test_published_means_are_exact_sums_of_the_originals_not_of_z_scores():
    values = np.random.default_rng(7).lognormal(10, 3, 999)
    made = tacita.protect(pa.table({"x": values}), quasi=["x"])
    published = np.array(made.data["x"].to_pylist())
    for label in np.unique(made.claim.labels):
        members = made.claim.labels == label
        assert set(published[members].tolist()) == {fsum(values[members].tolist()) / int(members.sum())}


@pytest.mark.parametrize("bad", [float("inf"), 9e199, "777777"])
def test_errors_hold_no_value(bad):
    cells = [str(x) for x in X] if isinstance(bad, str) else [type(bad)(x) for x in X]
    with pytest.raises(TacitaError) as refusal:
        tacita.protect(pa.table({"x": [*cells, bad]}), quasi=["x"])
    assert not any(text in str(refusal.value) for text in ("9e+199", "777777", "11"))


def test_a_type_that_parquet_cannot_keep_is_refused_in_words(tmp_path):
    odd = pa.array([pa.MonthDayNano([1, 2, 3])] * 6)
    made = tacita.protect(pa.table({"x": X, "span": odd}), quasi=["x"])
    with pytest.raises(DataError, match="Parquet cannot hold"):
        tacita.save(made, tmp_path / "out.parquet")
