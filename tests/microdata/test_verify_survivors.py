"""Faults that a verifier with one small error of its own would let pass: each is planted, and found.

Every test here kills a mutant of the verifier (`python -m mutants`) that no other test noticed.
"""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import tacita
from planting import FORMS, failed, judge, native, release, with_column
from tacita import io
from tacita.core import VerificationError
from tacita.microdata import verify
from tacita.microdata.verify import cells

X = [1.0, 2.0, 3.0, 19.0, 20.0, 21.0]


def beside(column: pa.Array, form: str = "pyarrow") -> tacita.Release:
    """A release of six records with one column beside the masked one."""
    return tacita.protect(native(pa.table({"x": X, "o": column}), form), quasi=["x"], measures=["IL1"])


def test_a_check_that_raises_counts_as_failed():
    made = release()
    found = judge("pyarrow", made.data, replace(made.claim, k="three"))
    told = {verdict.guarantee: verdict for verdict in found}["groups-of-k"]
    assert not told.passed
    assert told.detail == "cannot be checked (TypeError)"
    with pytest.raises(VerificationError):
        verify.insist(found)


@pytest.mark.parametrize("form", FORMS)
def test_a_gap_moved_to_the_next_record_of_a_float_column_is_caught(form):
    made = release(form)
    shares = release().data["share"].to_pylist()
    assert shares[5] is None
    shares[5], shares[6] = shares[6], shares[5]
    planted = with_column(release().data, "share", shares)
    assert failed(judge(form, planted, made.claim)) == {"others-identical"}


@pytest.mark.parametrize(
    ("kind", "decimal"), [(pa.int64(), "."), (pa.float64(), "."), (pa.float64(), ",")], ids=str
)
def test_a_text_that_spells_another_number_is_caught_although_writer_and_verifier_agree(
    kind, decimal, monkeypatch
):
    dialect = tacita.core.CsvDialect(decimal=decimal, delimiter=";")
    numbers = pa.array([1234567, 2345678, None, 4567890], pa.int64()).cast(kind)
    if kind == pa.float64():
        numbers = pc.divide(numbers, 1024.0)
    spelled = cells.as_array(cells.cells_as_text(numbers, dialect))
    assert cells.same_text(numbers, spelled, dialect)

    def careless(column, dialect):
        """The fourth letter becomes a nought, here and there alike."""
        texts = io.csv.cells_as_text(column, dialect).to_pylist()
        return pa.array([text[:3] + text[3:4].replace(text[3:4], "0") + text[4:] for text in texts])

    monkeypatch.setattr(cells, "cells_as_text", careless)
    planted = careless(numbers, dialect)
    assert not planted.equals(spelled)
    assert not cells.same_text(numbers, planted, dialect)


def stale(words: list[str]) -> pa.DictionaryArray:
    """Categories of which no cell has the last."""
    fresh = pa.array(words).dictionary_encode()
    values = pa.concat_arrays([fresh.dictionary, pa.array(["SECRET"])])
    return pa.DictionaryArray.from_arrays(fresh.indices, values)


NESTS = {
    "a record": lambda inner: pa.StructArray.from_arrays([inner], ["size"]),
    "the second field of a record": lambda inner: pa.StructArray.from_arrays(
        [pa.array(range(6)), inner], ["n", "size"]
    ),
    "a list": lambda inner: pa.ListArray.from_arrays(range(7), inner),
    "a list of records": lambda inner: pa.ListArray.from_arrays(
        range(7), pa.StructArray.from_arrays([inner], ["size"])
    ),
    "a record of lists": lambda inner: pa.StructArray.from_arrays(
        [pa.ListArray.from_arrays(range(7), inner)], ["sizes"]
    ),
}


@pytest.mark.parametrize("nest", NESTS)
def test_a_stale_category_inside_nested_cells_is_caught(nest):
    words = ["small", "large", "small"] * 2
    made = beside(NESTS[nest](pa.array(words).dictionary_encode()))
    assert failed(judge("pyarrow", made.data, made.claim)) == set()
    planted = made.data.set_column(1, "o", NESTS[nest](stale(words)))
    assert "no-leftovers" in failed(judge("pyarrow", planted, made.claim))


def _noted(name: str, kind: pa.DataType) -> pa.Field:
    return pa.field(name, kind, metadata={"respondent": "Firm 1"})


NOTED = {
    "a field of records": (pa.struct([_noted("a", pa.int64())]), [{"a": i} for i in range(6)]),
    "the second field of records": (
        pa.struct([pa.field("a", pa.int64()), _noted("b", pa.int64())]),
        [{"a": i, "b": i} for i in range(6)],
    ),
    "the items of lists": (pa.list_(_noted("item", pa.int64())), [[i] for i in range(6)]),
    "records in lists": (pa.list_(pa.struct([_noted("a", pa.int64())])), [[{"a": i}] for i in range(6)]),
}


@pytest.mark.parametrize("where", NOTED)
def test_metadata_of_a_nested_field_is_caught_in_the_frame_and_in_the_file(where):
    kind, values = NOTED[where]
    made = beside(pa.array(values, kind))
    assert failed(judge("pyarrow", made.data, made.claim)) == set()
    planted = made.data.set_column(1, pa.field("o", kind), pa.array(values, kind))
    assert "no-leftovers" in failed(judge("pyarrow", planted, made.claim))
    sink = pa.BufferOutputStream()
    pq.write_table(planted, sink)
    found = verify.verify_file(bytes(sink.getvalue()), "parquet", io.InputOptions(), made.claim)
    assert "file-plain" in failed(found)


@pytest.mark.parametrize(("true", "told"), [("alpha", "adieu"), ("omega", "zebra")], ids=["least", "largest"])
def test_an_extreme_in_the_footer_that_no_record_has_is_caught(true, told):
    made = beside(pa.array(["alpha", "gamma", "omega"] * 2))
    sink = pa.BufferOutputStream()
    pq.write_table(made.data, sink)
    content = bytes(sink.getvalue())
    assert failed(verify.verify_file(content, "parquet", io.InputOptions(), made.claim)) == set()
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    assert true.encode() in content[start:]
    planted = content[:start] + content[start:].replace(true.encode(), told.encode())
    found = verify.verify_file(planted, "parquet", io.InputOptions(), made.claim)
    assert failed(found) == {"file-plain"}


@pytest.mark.parametrize("up", [True, False])
@pytest.mark.parametrize("ties", [1, 4])
def test_a_value_from_one_rank_too_far_is_caught_and_the_last_allowed_one_passes(up, ties):
    values = [float(i // ties) for i in range(100)]
    made = tacita.protect(pa.table({"x": values}), quasi=["x"], method="rank-swap", seed=1, measures=["IL1"])
    planted = list(values)
    planted[48] = values[48] + (3 if up else -3)
    # of equal values the nearest counts: two heaps lie between, and one step
    distance = 2 * ties + 1
    for p, breaks in ((distance, set()), (distance - 1, {"ranks-near"})):
        claim = replace(made.claim, terms={**made.claim.terms, "p": p})
        found = failed(judge("pyarrow", pa.table({"x": planted}), claim))
        assert found & {"ranks-near"} == breaks
