"""Faults that a verifier with one small error of its own would let pass: each is planted, and found.

Every test here kills a mutant of the verifier (`python -m mutants`) that no other test noticed.
"""

from __future__ import annotations

from dataclasses import replace
from struct import pack

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import tacita
from planting import FORMS, base_table, beside, failed, judge, release, simple, spelled, with_column
from seeds import SEED
from tacita.core import Microdata, VerificationError
from tacita.core.results.release import Claim
from tacita.io.formats.csv import cells_as_text
from tacita.io.formats.parquet import Parquet
from tacita.microdata import verify
from tacita.microdata.verify import cells
from tacita.microdata.verify.evidence import distinct

X = [1.0, 2.0, 3.0, 19.0, 20.0, 21.0]


def test_a_check_that_raises_counts_as_failed():
    made = release()
    found = judge("pyarrow", made.data, replace(made.claim, k="three"))
    told = {verdict.guarantee: verdict for verdict in found}["groups-of-k"]
    assert not told.passed
    assert told.detail == "cannot be checked (TypeError)"
    with pytest.raises(VerificationError):
        verify.require_passed(found)


@pytest.mark.parametrize("form", FORMS)
def test_a_gap_moved_to_the_next_record_of_a_float_column_is_caught(form):
    made = release(form)
    shares = release().data["share"].to_pylist()
    assert shares[5] is None
    shares[5], shares[6] = shares[6], shares[5]
    planted = with_column(release().data, "share", shares)
    assert failed(judge(form, planted, made.claim)) == {"others-identical"}


@pytest.mark.parametrize(
    ("kind", "decimal"), [(pa.int64(), "."), (pa.float64(), "."), (pa.float64(), ",")], ids=spelled
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
        texts = cells_as_text(column, dialect).to_pylist()
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
    found = verify.verify_file(verify.WrittenFile(bytes(sink.getvalue()), Parquet()), made.claim)
    assert "file-plain" in failed(found)


EXTREMES = {
    "least text": (["alpha", "gamma", "omega"], b"alpha", b"adieu"),
    "largest text": (["alpha", "gamma", "omega"], b"omega", b"zebra"),
    "least whole number": ([305419896, 591751049, 878082202], pack("<q", 305419896), pack("<q", 7)),
    "largest whole number": ([305419896, 591751049, 878082202], pack("<q", 878082202), pack("<q", 2**40)),
    "least float": ([0.123, 4.56, 7.89], pack("<d", 0.123), pack("<d", 0.1)),
    "largest float": ([0.123, 4.56, 7.89], pack("<d", 7.89), pack("<d", 8.5)),
    "largest in a list": ([[305419896], [591751049], [878082202]], pack("<q", 878082202), pack("<q", 2**40)),
}


@pytest.mark.each_once
@pytest.mark.parametrize("rows", [6, 4], ids=["one row group", "two row groups"])
@pytest.mark.parametrize("what", EXTREMES)
def test_an_extreme_in_the_footer_that_no_record_has_is_caught(what, rows):
    cells, true, told = EXTREMES[what]
    made = beside(pa.array(cells * 2))
    sink = pa.BufferOutputStream()
    pq.write_table(made.data, sink, row_group_size=rows)
    content = bytes(sink.getvalue())
    assert failed(verify.verify_file(verify.WrittenFile(content, Parquet()), made.claim)) == set()
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    assert true in content[start:]
    head, found, tail = content[start:].rpartition(true)
    planted = content[:start] + head + found.replace(true, told) + tail
    verdicts = verify.verify_file(verify.WrittenFile(planted, Parquet()), made.claim)
    assert failed(verdicts) == {"file-plain"}


@pytest.mark.parametrize("up", [True, False])
@pytest.mark.parametrize("ties", [1, 4])
def test_a_value_from_one_rank_too_far_is_caught_and_the_last_allowed_one_passes(up, ties):
    values = [float(i // ties) for i in range(100)]
    made = tacita.protect(
        pa.table({"x": values}), quasi=["x"], method="rank-swap", seed=SEED, measures=["IL1"]
    )
    planted = list(values)
    planted[48] = values[48] + (3 if up else -3)
    # of equal values the nearest counts: two heaps lie between, and one step
    distance = 2 * ties + 1
    for p, breaks in ((distance, set()), (distance - 1, {"ranks-near"})):
        claim = replace(made.claim, terms={**made.claim.terms, "p": p})
        found = failed(judge("pyarrow", pa.table({"x": planted}), claim))
        assert found & {"ranks-near"} == breaks


@pytest.mark.parametrize("broken", ["columns", "rows"])
def test_nothing_is_compared_where_columns_or_rows_are_wrong(broken):
    made = release()
    planted = made.data.drop_columns(["count"]) if broken == "columns" else made.data.slice(1)
    found = {verdict.guarantee: verdict for verdict in judge("pyarrow", planted, made.claim)}
    told = found.pop("columns-kept" if broken == "columns" else "rows-complete")
    assert not told.passed
    if broken == "rows":
        assert found.pop("columns-kept").passed
    details = {verdict.detail for verdict in found.values()}
    assert details == {"cannot be checked: rows or columns are wrong"}
    assert not any(verdict.passed for verdict in found.values())


def test_two_records_are_the_least_group_and_no_k_is_no_promise():
    made = release()
    assert failed(judge("pyarrow", made.data, replace(made.claim, k=2))) == set()
    assert failed(judge("pyarrow", made.data, replace(made.claim, k=None))) == {"groups-of-k", "k-units"}


ALIKE = pa.table({"x": [5.0] * 6, "firm": list("aabbcd")})


def alike(labels: list[int]) -> Claim:
    """Six records that are published alike, said to be of some groups."""
    made = tacita.protect(
        with_column(ALIKE, "x", [5.0] * 5 + [6.0]),
        quasi=["x"],
        unit="firm",
        identifiers=["firm"],
        k=3,
        measures=["IL1"],
    )
    original = Microdata.of(ALIKE).with_roles(made.claim.original.roles)
    return replace(made.claim, original=original, labels=np.array(labels))


@pytest.mark.parametrize(
    ("labels", "breaks"),
    [
        ([0, 0, 0, 0, 0, 0], set()),
        ([0, 1, 0, 1, 0, 1], set()),
        ([0, 0, 1, 1, 1, 1], {"groups-of-k", "k-units"}),
        # three records, but of two firms
        ([0, 0, 0, 1, 1, 1], {"k-units"}),
    ],
    ids=spelled,
)
def test_groups_as_claimed_count_where_published_rows_coincide(labels, breaks):
    assert failed(judge("pyarrow", pa.table({"x": [5.0] * 6}), alike(labels))) == breaks


def test_published_rows_count_where_the_groups_as_claimed_are_large_enough():
    claim = alike([0] * 6)
    few = pa.table({"x": [5.0] * 4 + [6.0] * 2})
    assert failed(judge("pyarrow", few, claim)) == {"groups-of-k", "k-units", "group-means"}
    # three records each, but the first of two firms
    halves = pa.table({"x": [5.0] * 3 + [6.0] * 3})
    assert failed(judge("pyarrow", halves, claim)) == {"k-units", "group-means"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("other", [None, -0.0])
def test_neither_a_gap_nor_minus_zero_counts_as_one_more_zero_of_a_group(other, form):
    columns = {"x": [0.0, 0.0, 0.0, 7.0, 8.0, 9.0]}
    claim = simple(form, columns=columns).claim
    planted = with_column(simple(columns=columns).data, "x", [other, 0.0, 0.0, 8.0, 8.0, 8.0])
    assert {"groups-of-k", "group-means"} <= failed(judge(form, planted, claim))


@pytest.mark.parametrize("form", FORMS)
def test_a_record_is_dropped_for_a_gap_in_any_column_that_the_method_reads(form):
    columns = {"x": [None, *map(float, range(1, 9))], "y": [*map(float, range(8)), None]}
    made = simple(form, columns=columns, missing="drop")
    assert made.claim.rows.tolist() == list(range(1, 8))
    assert failed(judge(form, simple(columns=columns, missing="drop").data, made.claim)) == set()


def test_a_claim_without_roles_is_never_confirmed():
    made = release()
    original = Microdata.of(base_table().drop_columns(["name", "firm"]))
    found = judge("pyarrow", made.data, replace(made.claim, original=original))
    assert failed(found) == {verdict.guarantee for verdict in found} - {"columns-kept"}
    with pytest.raises(VerificationError, match="cannot be checked"):
        verify.require_passed(found)


def test_categories_are_held_to_be_middles_only_where_means_are_promised():
    table = pa.table({"x": X, "sex": ["m", "f", "f", "m", "m", "f"]})
    options = {"quasi": ["x", "sex"], "nominal": ["sex"], "method": "gower", "measures": ["GOWER_loss"]}
    made = tacita.protect(table, **options)
    for guarantees, held in ((("groups-of-k", "group-means"), True), (("groups-of-k",), False)):
        found = judge("pyarrow", made.data, replace(made.claim, guarantees=guarantees))
        assert failed(found) == set()
        assert ("group-categories" in {verdict.guarantee for verdict in found}) == held


def details(planted: pa.Table, claim: Claim) -> dict[str, str]:
    """Why promises fail, where they do."""
    found = verify.verify(Microdata.of(planted), claim)
    return {verdict.guarantee: verdict.detail for verdict in found if not verdict.passed}


def test_a_claim_without_groups_or_k_is_told_in_words():
    made = release()
    nobody = "the claim does not name one group for each record"
    assert details(made.data, replace(made.claim, labels=None)) == dict.fromkeys(
        ("groups-of-k", "k-units", "group-means"), nobody
    )
    none = details(made.data, replace(made.claim, k=None))
    assert none == {"groups-of-k": "k=None promises nothing", "k-units": nobody}


def test_a_claim_about_categories_without_groups_or_k_is_told_in_words():
    table = pa.table({"x": X, "sex": ["m", "f", "f", "m", "m", "f"]})
    options = {"quasi": ["x", "sex"], "nominal": ["sex"], "method": "gower", "measures": ["GOWER_loss"]}
    made = tacita.protect(table, **options)
    nobody = "the claim does not name one group for each record"
    for missing in ({"labels": None}, {"k": None}):
        assert details(made.data, replace(made.claim, **missing))["group-categories"] == nobody


def test_numbers_written_as_text_into_a_typed_frame_are_told_to_be_no_means():
    made = release()
    planted = made.data.set_column(0, "x", made.data["x"].cast(pa.string()))
    assert details(planted, made.claim) == {
        "group-means": "1 columns hold values that are not the means of their groups: x"
    }


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.string_view()], ids=str)
@pytest.mark.parametrize("cell", ["", None])
def test_a_column_of_empty_texts_or_of_none_hides_nothing(cell, kind):
    made = beside(pa.array([cell] * 6, kind))
    assert failed(judge("pyarrow", made.data, made.claim)) == set()


def by_column(x: list[float], labels: list[int], firms: str = "aabbcd") -> tuple[pa.Table, Claim]:
    """A release of one column by itself, and its claim, of originals that are all alike."""
    varied = pa.table({"x": [5.0] * 5 + [6.0], "firm": list(firms)})
    made = tacita.protect(
        varied, quasi=["x"], method="onedims", unit="firm", identifiers=["firm"], k=3, measures=["IL1"]
    )
    cells = [None if firm == "?" else firm for firm in firms]
    table = pa.table({"x": [5.0] * 6, "firm": cells})
    original = Microdata.of(table).with_roles(made.claim.original.roles)
    return pa.table({"x": x}), replace(made.claim, original=original, labels=np.array(labels)[:, None])


@pytest.mark.parametrize(
    ("x", "labels", "breaks"),
    [
        ([5.0] * 6, [0] * 6, set()),
        ([5.0] * 6, [0, 1, 0, 1, 0, 1], set()),
        ([5.0] * 6, [0, 0, 1, 1, 1, 1], {"column-groups", "column-units"}),
        # three records, but of two firms: as claimed, and as published
        ([5.0] * 6, [0, 0, 0, 1, 1, 1], {"column-units"}),
        ([5.0] * 3 + [6.0] * 3, [0] * 6, {"column-units", "column-means"}),
        ([5.0] * 4 + [6.0] * 2, [0] * 6, {"column-groups", "column-units", "column-means"}),
    ],
    ids=spelled,
)
def test_values_of_a_column_count_as_published_and_as_claimed(x, labels, breaks):
    assert failed(judge("pyarrow", *by_column(x, labels))) == breaks


def test_a_claim_about_columns_without_groups_k_or_units_is_told_in_words():
    planted, claim = by_column([5.0] * 6, [0] * 6)
    nobody = "the claim does not name a group for each cell"
    for labels in (None, np.zeros(6, dtype=np.int64)):
        assert details(planted, replace(claim, labels=labels)) == dict.fromkeys(
            ("column-groups", "column-units", "column-means"), nobody
        )
    assert details(planted, replace(claim, k=None)) == {
        "column-groups": "k=None promises nothing",
        "column-units": nobody,
    }
    assert details(planted, replace(claim, k=2)) == {}
    assert details(planted, replace(claim, k=1)) == {"column-groups": "k=1 promises nothing"}
    unknown = details(*by_column([5.0] * 6, [0] * 6, "abcde?"))
    assert unknown == {"column-units": "the unit of 1 records is not known"}
    unnamed = replace(claim.original, roles=claim.original.roles.model_copy(update={"unit": None}))
    promised = replace(claim, original=unnamed, guarantees=(*claim.guarantees, "column-units"))
    assert details(planted, promised) == {"column-units": "no unit column was named"}


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("form", FORMS)
def test_rounded_means_beyond_64_bits_beside_small_ones_pass_as_floats(form, sign):
    columns = {"x": [1.0, 2.0, 3.0, sign * 1e25, sign * 2e25, sign * 4e25]}
    claim = simple(form, columns=columns, round_integers=True).claim
    table = simple(columns=columns, round_integers=True).data
    assert table["x"].type == pa.float64()
    assert failed(judge(form, table, claim)) == set()


def test_a_frame_cannot_promise_what_only_a_file_shows():
    made = release()
    claim = replace(made.claim, guarantees=(*made.claim.guarantees, "file-plain"))
    assert details(made.data, claim) == {"file-plain": "there is no file"}


def test_a_file_that_tells_no_extremes_passes():
    made = release()
    sink = pa.BufferOutputStream()
    pq.write_table(made.data, sink, write_statistics=False)
    found = verify.verify_file(verify.WrittenFile(bytes(sink.getvalue()), Parquet()), made.claim)
    assert failed(found) == set()


def test_combinations_of_keys_are_told_apart_and_equal_ones_are_one():
    rng = np.random.default_rng(4)
    for size in (1, 2, 7, 200):
        keys = [rng.integers(0, most, size) for most in (2, 3, 5)]
        rows = list(zip(*(key.tolist() for key in keys), strict=True))
        numbers = distinct(*keys).tolist()
        assert len(set(numbers)) == len(set(rows)) == len(set(zip(rows, numbers, strict=True)))
        assert set(numbers) == set(range(len(set(rows))))
