"""Columns of any Arrow type: a release stores what its cells show, and the verifier sees what is more."""

from __future__ import annotations

import datetime
import io as streams
import pickle
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacita
from planting import failed
from tacita.core import DataError, Microdata
from tacita.io.formats.parquet import Parquet
from tacita.microdata import verify

CANARY = "SECRETCANARYSECRET"
X = [1.0, 2.0, 4.0, 10.0, 11.0, 15.0]
WORDS = pa.dictionary(pa.int8(), pa.string())
N = len(X)


def _sliced(kind: pa.DataType, cell: Callable[[str], Any]) -> pa.Array:
    """Six cells, cut out of nine of which the others hold a secret."""
    texts = [CANARY, "a", "b", "a", None, "b", "a", CANARY, CANARY]
    return pa.array([None if each is None else cell(each) for each in texts], kind).slice(1, N)


def _under_null(kind: pa.DataType, cell: Callable[[str], Any]) -> pa.Array:
    """Six cells, one of them without a value but with the bytes of a secret still there."""
    whole = pa.array([cell(each) for each in ["a", "b", CANARY, "a", "b", "a"]], kind)
    bits = pa.array([True, True, False, True, True, True]).buffers()[1]
    children = [whole.field(i) for i in range(kind.num_fields)] if pa.types.is_struct(kind) else None
    if children is None and pa.types.is_nested(kind):
        children = [whole.values]
    if pa.types.is_dictionary(kind):
        hidden = pa.Array.from_buffers(kind.index_type, N, [bits, whole.indices.buffers()[1]])
        return pa.DictionaryArray.from_arrays(hidden, whole.dictionary)
    own = kind.num_buffers if pa.types.is_nested(kind) else len(whole.buffers())
    return pa.Array.from_buffers(kind, N, [bits, *whole.buffers()[1:own]], children=children)


def _arrow_file(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _parquet_file(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="none")
    return bytes(sink.getvalue())


def _kept_by_parquet(kind: pa.DataType, cell: Callable[[str], Any]) -> bool:
    """Whether the installed Arrow writes such a column, gaps included, into Parquet, and reads it again.

    Before version 25 it ends the process over some maps of dictionaries.
    """
    if "map<" in str(kind) and int(pa.__version__.split(".")[0]) < 25:
        return False
    column = pa.array([None if each is None else cell(each) for each in ("a", None, "b")], kind)
    try:
        again = pq.read_table(streams.BytesIO(_parquet_file(pa.table({"c": column}))))
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return False
    return bool(again["c"].to_pylist() == column.to_pylist())


KINDS: dict[str, tuple[pa.DataType, Callable[[str], Any]]] = {
    "text": (pa.string(), str),
    "large text": (pa.large_string(), str),
    "bytes": (pa.binary(), str.encode),
    "bytes of one length": (pa.binary(18), lambda t: t.ljust(18).encode()),
    "view of text": (pa.string_view(), str),
    "view of bytes": (pa.binary_view(), str.encode),
    "dictionary": (WORDS, str),
    "list": (pa.list_(pa.string()), lambda t: [t]),
    "list of dictionary": (pa.list_(WORDS), lambda t: [t]),
    "large list of dictionary": (pa.large_list(WORDS), lambda t: [t, t]),
    "fixed list of dictionary": (pa.list_(WORDS, 2), lambda t: [t, t]),
    "record of dictionary": (pa.struct([("p", WORDS), ("q", pa.int64())]), lambda t: {"p": t, "q": len(t)}),
    "record of lists": (pa.struct([("p", pa.list_(WORDS))]), lambda t: {"p": [t]}),
    "list of records": (pa.list_(pa.struct([("p", WORDS)])), lambda t: [{"p": t}]),
    "map to dictionary": (pa.map_(pa.string(), WORDS), lambda t: [("key", t)]),
    "map from dictionary": (pa.map_(WORDS, pa.int64()), lambda t: [(t, 1)]),
    "map in a list": (pa.list_(pa.map_(pa.string(), WORDS)), lambda t: [[("key", t)]]),
    "map to lists": (pa.map_(pa.string(), pa.list_(WORDS)), lambda t: [(t, [t])]),
}
# the oldest Arrow that is supported does not write all of them
KINDS = {name: kind for name, kind in KINDS.items() if _kept_by_parquet(*kind)}
HIDDEN: dict[str, pa.Array] = {f"{name}, sliced": _sliced(*kind) for name, kind in KINDS.items()}
HIDDEN |= {f"{name}, under a null": _under_null(*kind) for name, kind in KINDS.items()}


def _released(column: Any) -> tacita.Release:
    return tacita.protect(pa.table({"x": X, "c": column}), quasi=["x"], k=3, measures=["IL1"])


@pytest.mark.parametrize("name", HIDDEN)
def test_what_no_cell_shows_is_in_no_byte_of_a_release(name):
    made = _released(HIDDEN[name])
    assert made.data["c"].to_pylist() == HIDDEN[name].to_pylist()
    made.data.validate(full=True)
    held = [bytes(each) for each in made.data["c"].chunk(0).buffers() if each is not None]
    content = Parquet().encode(Microdata.of(made.data))
    for written in (*held, _arrow_file(made.data), _parquet_file(made.data), content):
        assert CANARY.encode() not in written
    assert not failed(verify.verify_file(verify.WrittenFile(content, Parquet()), made.claim))
    again = pq.read_table(streams.BytesIO(content))
    assert again["c"].to_pylist() == HIDDEN[name].to_pylist()
    assert CANARY.encode() not in _parquet_file(again)


@pytest.mark.parametrize("name", HIDDEN)
def test_the_verifier_sees_a_column_that_stores_more_than_its_cells(name):
    made = _released(HIDDEN[name])
    planted = Microdata.of(made.data.set_column(1, "c", HIDDEN[name]))
    assert failed(verify.verify(planted, made.claim)) == {"no-leftovers"}


def _remembers(array: pa.Array) -> bool:
    try:
        return CANARY.encode() in _parquet_file(pa.table({"c": array}))
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return False


STALE = [name for name, array in HIDDEN.items() if _remembers(array)]


def test_there_are_files_that_remember():
    # before version 25 Arrow writes fewer kinds
    assert len(STALE) >= (12 if "map to dictionary" in KINDS else 8)


@pytest.mark.parametrize("name", STALE)
def test_the_verifier_sees_a_parquet_file_that_stores_more_than_its_cells(name):
    made = _released(HIDDEN[name])
    planted = _parquet_file(made.data.set_column(1, "c", HIDDEN[name]))
    assert "file-plain" in failed(verify.verify_file(verify.WrittenFile(planted, Parquet()), made.claim))


class Custom(pa.ExtensionType):
    """Somebody's own type, with parameters of their own."""

    def __init__(self, storage: pa.DataType, note: bytes = b"") -> None:
        self.note = note
        super().__init__(storage, "office.custom")

    def __arrow_ext_serialize__(self) -> bytes:
        return self.note

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, note: bytes) -> Custom:
        return cls(storage, note)


def _unknown_types() -> dict[str, pa.Array]:
    words = pa.array(["a", "b"] * 3, WORDS)
    types = pa.array([0] * N, pa.int8())
    return {
        "own type": pa.ExtensionArray.from_storage(Custom(WORDS), words),
        "own type inside a list": pa.array([["a"]] * N, pa.list_(pa.string())).cast(
            pa.list_(Custom(pa.string()))
        ),
        "own type with a note": pa.ExtensionArray.from_storage(Custom(WORDS, CANARY.encode()), words),
        "tensor": pa.ExtensionArray.from_storage(
            pa.fixed_shape_tensor(pa.int8(), [1], dim_names=[CANARY]),
            pa.array([[1]] * N, pa.list_(pa.int8(), 1)),
        ),
        "view of lists": pa.array([["a"]] * N, pa.list_view(WORDS)),
        "runs": pa.RunEndEncodedArray.from_arrays([N], ["a"]),
        "dense union": pa.UnionArray.from_dense(types, pa.array(range(N), pa.int32()), [words]),
        "sparse union": pa.UnionArray.from_sparse(types, [words]),
    }


@pytest.mark.parametrize("name", _unknown_types())
def test_a_type_that_may_remember_anything_is_refused_by_name_without_data(name):
    with pytest.raises(DataError, match="Column c: its type") as refusal:
        _released(_unknown_types()[name])
    assert CANARY not in str(refusal.value)


@pytest.mark.parametrize("name", _unknown_types())
def test_the_verifier_does_not_pass_a_type_that_it_does_not_know(name):
    made = _released(pa.array(["a", "b"] * 3))
    planted = Microdata.of(made.data.set_column(1, "c", _unknown_types()[name]))
    assert "no-leftovers" in failed(verify.verify(planted, made.claim))


FLAT = {
    "null": pa.nulls(N),
    "flag": pa.array([True, None, False] * 2),
    "half": pa.array([np.float16(1), None, np.float16(2)] * 2, pa.float16()),
    "decimal": pa.array([Decimal("1.50"), None, Decimal("-2.25")] * 2),
    "date": pa.array([datetime.date(2020, 1, 2), None, datetime.date(1999, 1, 1)] * 2),
    "time": pa.array([datetime.time(1, 2), None, datetime.time(3)] * 2),
    "moment": pa.array([datetime.datetime(2020, 1, 2, 3), None, datetime.datetime(1999, 1, 1)] * 2),
    "length of time": pa.array([datetime.timedelta(1), None, datetime.timedelta(2)] * 2),
    "span": pa.array([pa.MonthDayNano([1, 2, 3]), None, pa.MonthDayNano([0, 0, 1])] * 2),
    "dictionary of numbers": pa.array([7, None, 9] * 2).dictionary_encode(),
    "dictionary of dictionaries": pa.DictionaryArray.from_arrays(
        pa.array([1, None, 2] * 2, pa.int8()), pa.array(["z", "a", "b"], WORDS)
    ),
    "record without parts": pa.array([{}, None, {}] * 2, pa.struct([])),
    "empty lists": pa.array([[], None, []] * 2, pa.list_(WORDS)),
    "uuid": pa.array([bytes(range(16)), None, bytes(16)] * 2, pa.binary(16)).cast(pa.uuid()),
}


@pytest.mark.parametrize("name", FLAT)
def test_cells_of_every_other_type_come_out_as_they_went_in(name):
    column = FLAT[name]
    for given in (
        column,
        pa.concat_arrays([column, column]).slice(N),
        pa.chunked_array([column[:2], column[2:]]),
    ):
        made = _released(given)
        assert made.data["c"].type == column.type
        assert made.data["c"].to_pylist() == column.to_pylist()
        made.data.validate(full=True)


def test_a_required_part_of_a_record_that_is_missing_shows_nothing():
    parts = [pa.array([1, 77123, 3, 4, 5, 6])]
    required = [pa.field("p", pa.int64(), nullable=False)]
    records = pa.StructArray.from_arrays(parts, fields=required, mask=pa.array([False, True] + [False] * 4))
    data = _released(records).data
    assert data["c"].to_pylist() == [{"p": 1}, None, *({"p": p} for p in (3, 4, 5, 6))]
    assert data["c"].chunk(0).field(0).to_pylist() == [1, None, 3, 4, 5, 6]
    assert (77123).to_bytes(8, "little") not in _arrow_file(data)


ENUM = pl.Enum(["a", CANARY, "b"])
POLARS = {
    "list of Enum": (pl.List(ENUM), lambda t: [t]),
    "array of Enum": (pl.Array(ENUM, 2), lambda t: [t, t]),
    "record of Enum": (pl.Struct({"p": ENUM, "q": pl.List(ENUM)}), lambda t: {"p": t, "q": [t]}),
    "list of lists of Enum": (pl.List(pl.List(ENUM)), lambda t: [[t]]),
    "list of Categorical": (pl.List(pl.Categorical), lambda t: [t]),
    "record of Categorical": (pl.Struct({"p": pl.Categorical}), lambda t: {"p": t}),
    "text": (pl.String, str),
}


@pytest.mark.parametrize("name", POLARS)
def test_nested_categories_of_polars_keep_only_what_their_cells_have(name):
    kind, cell = POLARS[name]
    texts = [CANARY, "a", "b", None, "a", "b", "a", CANARY]
    series = pl.Series("c", [None if each is None else cell(each) for each in texts], dtype=kind)
    frame = pl.DataFrame({"x": [0.0, *X, 0.0], "c": series})[1:-1]
    made = tacita.protect(frame, quasi=["x"], measures=["IL1"])
    assert made.data["c"].to_list() == frame["c"].to_list()
    written = streams.BytesIO()
    made.data.write_parquet(written, compression="uncompressed")
    arrow = streams.BytesIO()
    made.data.write_ipc(arrow, compression="uncompressed")
    contents = [written.getvalue(), arrow.getvalue()]
    if name != "array of Enum" or "fixed list of dictionary" in KINDS:
        contents.append(Parquet().encode(Microdata.of(made.data)))
    for content in contents:
        assert CANARY.encode() not in content


PANDAS = {
    "ArrowDtype of a dictionary": lambda: pd.array(
        pa.chunked_array([_sliced(WORDS, str)]), dtype=pd.ArrowDtype(WORDS)
    ),
    "ArrowDtype of a map": lambda: pd.array(
        pa.chunked_array([HIDDEN["map to dictionary, sliced"]]),
        dtype=pd.ArrowDtype(HIDDEN["map to dictionary, sliced"].type),
    ),
    "ArrowDtype under a null": lambda: pd.array(
        pa.chunked_array([HIDDEN["text, under a null"]]), dtype=pd.ArrowDtype(pa.string())
    ),
}


if "map to dictionary" not in KINDS:
    del PANDAS["ArrowDtype of a map"]


@pytest.mark.parametrize("name", PANDAS)
def test_arrow_columns_of_pandas_are_made_anew_too(name):
    column = PANDAS[name]()
    frame = pd.DataFrame({"x": X, "c": column})
    assert CANARY.encode() in pickle.dumps(frame)
    made = tacita.protect(frame, quasi=["x"], measures=["IL1"])
    assert made.data["c"].dtype == frame["c"].dtype
    assert CANARY.encode() not in pickle.dumps(made.data)
    planted = made.data.assign(c=column)
    assert failed(verify.verify(Microdata.of(planted), made.claim)) == {"no-leftovers"}


def test_a_number_under_the_mask_of_a_pandas_column_is_gone_and_would_be_seen():
    masked = pd.arrays.IntegerArray(
        np.array([1, 2, 77123, 4, 5, 6]), np.array([0, 0, 1, 0, 0, 0], dtype=bool)
    )
    made = tacita.protect(pd.DataFrame({"x": X, "c": masked}), quasi=["x"], measures=["IL1"])
    assert made.data["c"].isna().tolist() == [False, False, True, False, False, False]
    assert (77123).to_bytes(8, "little") not in pickle.dumps(made.data)
    planted = made.data.assign(c=masked)
    assert failed(verify.verify(Microdata.of(planted), made.claim)) == {"no-leftovers"}


INDEXES = {
    "levels": pd.MultiIndex.from_product([["a", CANARY], list(range(N))])[:N],
    "categories": pd.CategoricalIndex([CANARY, *"abcdef"])[1:],
}


@pytest.mark.parametrize("name", INDEXES)
def test_an_index_of_pandas_forgets_what_no_record_has(name):
    frame = pd.DataFrame({"x": X}, index=INDEXES[name])
    made = tacita.protect(frame, quasi=["x"], measures=["IL1"])
    assert made.data.index.tolist() == frame.index.tolist()
    assert CANARY.encode() not in pickle.dumps(made.data)
    planted = made.data.set_axis(INDEXES[name])
    assert failed(verify.verify(Microdata.of(planted), made.claim)) == {"no-leftovers"}


def test_names_of_columns_that_are_gone_do_not_stay_in_the_index_of_names():
    frame = pd.DataFrame([[x, "p"] for x in X], columns=pd.CategoricalIndex(["x", CANARY]))
    made = tacita.protect(frame, quasi=["x"], identifiers=[CANARY], measures=["IL1"])
    assert CANARY.encode() not in pickle.dumps(made.data)


@pytest.mark.each_once
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", [{"missing": "drop"}, {"shuffle": True}], ids=["dropped", "shuffled"])
def test_rows_of_any_known_type_are_dropped_and_shuffled(kind, options):
    cells = _sliced(*KINDS[kind])
    x = [None, *X[1:]] if "missing" in options else X
    made = tacita.protect(pa.table({"x": x, "v": cells}), quasi=["x"], k=3, measures=["IL1"], **options)
    kept = cells.to_pylist()[1 if "missing" in options else 0 :]
    assert sorted(map(repr, made.data["v"].to_pylist())) == sorted(map(repr, kept))


def test_categories_may_be_views_of_text():
    table = pa.table({"x": X, "v": pa.array(["a", "b", "a", "b", "a", "b"], pa.string_view())})
    made = tacita.protect(table, quasi=["x", "v"], nominal=["v"], method="gower", k=3, measures=["IL1"])
    assert made.data.schema.field("v").type == pa.string_view()


@pytest.mark.parametrize("missing", ["refuse", "drop"])
def test_a_type_that_nothing_can_be_taken_from_is_refused_in_words(missing):
    import pyarrow.compute as pc

    runs = pc.run_end_encode(pa.array([CANARY] * N))
    frame = pd.DataFrame({"x": X, "v": pd.Series(["a"] * N, dtype=pd.ArrowDtype(pa.string_view()))})
    if missing == "drop":
        frame.loc[0, "x"] = None
        with pytest.raises(DataError, match="Column v: its type, string_view"):
            tacita.protect(frame, quasi=["x"], k=3, missing=missing)
    x = [None, *X[1:]] if missing == "drop" else X
    with pytest.raises(DataError, match="Column v: its type, run_end_encoded"):
        tacita.protect(pa.table({"x": x, "v": runs}), quasi=["x"], k=3, missing=missing)


@pytest.mark.parametrize("cell", [{"a": "b"}, {"a": 1}, {"a": ["b"]}, {"a": {"b": 1.5}}], ids=str)
def test_python_records_of_which_some_are_missing_are_no_fault(tmp_path, cell):
    frame = pd.DataFrame({"x": X, "v": pd.Series([cell, None] * 3, dtype=object)})
    made = tacita.protect(frame, quasi=["x"], k=3, measures=["IL1"])
    assert made.data["v"].tolist() == [cell, None] * 3
    tacita.save(made, tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet")["v"].to_pylist() == [cell, None] * 3


def test_records_that_are_gone_do_not_change_the_type_of_those_that_stay(tmp_path):
    cells = [{CANARY: 1}, *({"a": i} for i in range(5))]
    frame = pd.DataFrame({"x": [None, *X[1:]], "v": pd.Series(cells, dtype=object)})
    made = tacita.protect(frame, quasi=["x"], k=3, missing="drop", measures=["IL1"])
    tacita.save(made, tmp_path / "out.parquet")
    assert CANARY.encode() not in (tmp_path / "out.parquet").read_bytes()
    assert pq.read_table(tmp_path / "out.parquet")["v"].to_pylist() == cells[1:]


def test_categories_of_mixed_types_are_refused_in_words():
    frame = pd.DataFrame({"x": X, "v": pd.Categorical([1, "1", 1, "1", 1, "1"])})
    with pytest.raises(DataError, match="Column v: its categories are Python objects of mixed types"):
        tacita.protect(frame, quasi=["x"], k=3)
