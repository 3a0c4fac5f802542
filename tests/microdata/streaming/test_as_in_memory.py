"""Files that are hard to cut: in parts they are released, or refused in the same words, as in memory."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from people_in_parts import ASKED, PARTS, nothing_hidden, people
from tacita import api
from tacita.core import DataError, ParameterError

N = 1000


def changed(**columns):
    table = people(N)
    for name, values in columns.items():
        if name in table.column_names:
            table = table.set_column(table.column_names.index(name), name, pa.array(values))
        else:
            table = table.append_column(name, pa.array(values))
    return table


@pytest.fixture
def both(tmp_path):
    """What protecting a table comes to in memory and in parts: the file read again, or the refusal."""

    def outcomes(table, **options):
        pq.write_table(table, tmp_path / "in.parquet")
        asked = {**ASKED, "strata": (), **options}
        found = []
        for executor in ("in-memory", {**PARTS, "part": asked.pop("part", 200)}):
            try:
                api.protect_file(
                    tmp_path / "in.parquet", tmp_path / "out.parquet", executor=executor, force=True, **asked
                )
                found.append(pq.read_table(tmp_path / "out.parquet"))
            except (DataError, ParameterError) as problem:
                found.append(f"{type(problem).__name__} {problem}")
            assert nothing_hidden(tmp_path)
        return found

    return outcomes


REFUSED = {
    "a stratum too small": ({"region": ["a"] * 998 + ["b"] * 2}, {"strata": ["region"]}, "1 of 2 strata"),
    "strata that lie in other parts": (
        {"region": ["a"] * 500 + ["b"] * 2 + ["c"] * 496 + ["d"] * 2},
        {"strata": ["region"]},
        "2 of 4 strata",
    ),
    "more in a group than records": ({}, {"k": 2000}, "at least 2000 records, got 1000"),
    "nothing but gaps": ({"income": np.full(N, np.nan)}, {"missing": "drop"}, "every record misses"),
    "numbers behind some words": (
        {"code": ["ab", "cd", *map(str, range(1, 999))]},
        {"quasi": "numeric"},
        "998 numbers and 2 cells of other text",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_memory_refuses_is_refused_in_parts_in_the_same_words(kind, both):
    columns, options, words = REFUSED[kind]
    memory, parts = both(changed(**columns), **options)
    assert words in memory
    assert parts == memory


def _mostly_missing(share):
    income = people(N)["income"].to_numpy().copy()
    income[np.random.default_rng(3).random(N) < share] = np.nan
    return income


LEAVING = {
    "nearly all": ({"income": _mostly_missing(0.97)}, {}),
    "all of a stratum": (
        {"region": ["a"] * 100 + ["b"] * 900, "income": [np.nan] * 100 + [*range(900)]},
        {"strata": ["region"]},
    ),
}


@pytest.mark.parametrize("kind", LEAVING)
def test_whoever_misses_a_value_leaves_no_part_without_records(kind, both):
    columns, options = LEAVING[kind]
    table = changed(**columns)
    memory, parts = both(table, missing="drop", part=100, **options)
    stayed = table.filter(pa.array(~np.isnan(table["income"].to_numpy())))
    assert parts["note"].equals(memory["note"])
    assert parts["note"].combine_chunks().equals(stayed["note"].combine_chunks())
    counts = parts.group_by(ASKED["quasi"]).aggregate([([], "count_all")])["count_all"].to_pylist()
    assert min(counts) >= 3


def test_parts_are_larger_where_k_asks_for_it(both):
    _, parts = both(people(N), k=150, part=100)
    counts = parts.group_by(ASKED["quasi"]).aggregate([([], "count_all")])["count_all"].to_pylist()
    assert min(counts) >= 150


def test_a_refusal_that_is_about_a_part_says_so(both):
    firm = np.zeros(N, dtype=np.int64)
    firm[:5] = range(1, 6)
    memory, parts = both(changed(firm=firm), unit="firm")
    assert memory.num_rows == N
    assert "needs at least 3 distinct units, got" in parts
    assert "in a part of 200 records; larger ones may have enough" in parts


def test_columns_that_numeric_passed_over_are_told(tmp_path):
    pq.write_table(people(N), tmp_path / "in.parquet")
    told = []
    for name, executor in (("in-memory", "in-memory"), ("parts", PARTS)):
        api.protect_file(
            tmp_path / "in.parquet",
            tmp_path / f"{name}.parquet",
            quasi="numeric",
            identifiers=["id", "firm"],
            k=3,
            executor=executor,
            json_report=tmp_path / f"{name}.json",
        )
        warnings = json.loads((tmp_path / f"{name}.json").read_text())["warnings"]
        told.append([each["text"] for each in warnings if each["name"] == "not-numeric"])
    assert told[0] == told[1]
    assert "region" in told[0][0]


def test_ordered_categories_keep_their_order_whichever_part_comes_first(both):
    codes = np.repeat([3, 1, 0, 2], N // 4)
    grade = pa.DictionaryArray.from_arrays(
        pa.array(codes, pa.int8()), pa.array(["low", "middle", "high", "top"]), ordered=True
    )
    memory, parts = both(changed(grade=grade, firm=codes), strata=["firm"])
    assert [each["grade"].chunk(0).dictionary.to_pylist() for each in (memory, parts)] == [
        ["low", "middle", "high", "top"]
    ] * 2
    assert parts["grade"].to_pylist() == memory["grade"].to_pylist()


VIEWS = {
    "texts": pa.array([f"x{n % 9}" for n in range(N)], pa.string_view()),
    "lists of texts": pa.array([[f"x{n % 9}"] for n in range(N)], pa.list_(pa.string_view())),
}


@pytest.mark.parametrize("kind", VIEWS)
def test_views_of_text_stay_what_they_are(kind, both):
    memory, parts = both(changed(beside=VIEWS[kind]))
    assert parts.schema == memory.schema
    assert parts["beside"].to_pylist() == VIEWS[kind].to_pylist()


@pytest.mark.parametrize("values", [[[n % 3] for n in range(N)], [{"a": n % 3} for n in range(N)]])
def test_lists_and_records_may_be_strata(values, both):
    _, parts = both(changed(beside=values), strata=["beside"])
    kept = [str(value) for value in parts["beside"].to_pylist()]
    counts = (
        parts.append_column("kept", pa.array(kept))
        .group_by(["kept", *ASKED["quasi"]])
        .aggregate([([], "count_all")])["count_all"]
    )
    assert min(counts.to_pylist()) >= 3
