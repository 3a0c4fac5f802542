"""Dealing records into parts: even, the same for everybody, and by content alone."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from people_in_parts import people, split
from tacita.core import Roles, RunContext
from tacita.io.hashing import cells_of, fractions
from tacita.io.parquet_dataset import ParquetParts
from tacita.microdata.statistics.standardise import centre_and_scale
from tacita.microdata.streaming.cut_points import part_of, planted
from tacita.microdata.streaming.global_scan import Dealt, survey
from tacita.microdata.streaming.partition import dealt_by_place


@given(
    st.integers(1, 400),
    st.integers(1, 12),
    st.integers(1, 3),
    st.sampled_from(["normal", "few values", "constant"]),
    st.integers(0, 10**6),
)
def test_cuts_are_even_however_many_values_are_equal(n, parts, columns, kind, seed):
    rng = np.random.default_rng(seed)
    z = {
        "normal": rng.normal(size=(n, columns)),
        "few values": rng.integers(0, 3, (n, columns)).astype(float),
        "constant": np.zeros((n, columns)),
    }[kind]
    ties = fractions(np.arange(n), 2)
    found = part_of(planted(z, ties, parts), z, ties)
    sizes = np.bincount(found, minlength=parts)
    assert sizes.size == parts
    if n >= 4 * parts:
        assert sizes.max() - sizes.min() <= 2 + np.log2(parts)


def test_a_record_goes_where_it_lies_whoever_is_dealt_with_it():
    rng = np.random.default_rng(0)
    z, ties = rng.normal(size=(500, 3)), rng.random(500)
    cut = planted(z[:200], ties[:200], 7)
    whole = part_of(cut, z, ties)
    chosen = rng.permutation(500)[:90]
    assert part_of(cut, z[chosen], ties[chosen]).tolist() == whole[chosen].tolist()


def test_cells_have_one_number_however_they_are_stored():
    plain = pa.table({"a": ["x", None, "y", "x"], "b": [0.0, -0.0, 1.5, None]})
    coded = plain.set_column(0, "a", plain["a"].dictionary_encode())
    parted = pa.concat_tables([plain.slice(2), plain.slice(0, 2)])
    found = cells_of(plain, ["a", "b"])
    assert found.tolist() == cells_of(coded, ["a", "b"]).tolist()
    assert found[[2, 3, 0, 1]].tolist() == cells_of(parted.combine_chunks(), ["a", "b"]).tolist()
    assert np.unique(found).size == 4
    assert np.unique(cells_of(plain, ["b"])[:2]).size == 1
    assert cells_of(plain, []).tolist() == [0, 0, 0, 0]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    pq.write_table(people(3000), folder / "one.parquet")
    return ParquetParts.at(folder / "one.parquet"), ParquetParts.at(
        split(people(3000), folder / "many", [1, 2, 700, 1200])
    )


def test_rows_are_the_same_however_files_are_split(files):
    one, many = files
    rng = np.random.default_rng(3)
    for first in rng.integers(0, 3000, 12).tolist():
        count = int(rng.integers(1, 900))
        assert one.read(first, count).equals(many.read(first, count))
    assert one.read(5, 9, ["age"]).column_names == ["age"]
    assert one.rows == many.rows == 3000


def test_what_is_known_of_the_whole_is_what_all_records_say(files):
    one, many = files
    dealt = Dealt(("income", "age"), ("region",), False)
    roles = Roles(quasi=["income", "age", "hours"], strata=["region"])
    facts = [survey(each, "people", roles, dealt, ("income",), RunContext()) for each in (one, many)]
    assert facts[0].whole == facts[1].whole
    assert facts[0].strata == facts[1].strata
    table = people(3000)
    x = np.column_stack([table[name].to_numpy() for name in ("income", "age", "hours")]).astype(float)
    centre, scale = centre_and_scale(x)
    for place, name in enumerate(("income", "age", "hours")):
        assert facts[0].whole.spread[name] == pytest.approx((centre[place], scale[place]), rel=1e-12)
    assert facts[0].whole.integer == {"income": False, "age": True, "hours": False}
    assert sorted(facts[0].strata.values()) == sorted(
        table.group_by("region").aggregate([([], "count_all")])["count_all"].to_pylist()
    )


def test_small_strata_stay_whole_and_large_ones_are_cut(files):
    one, _ = files
    dealt = Dealt(("income", "age"), ("region",), False)
    roles = Roles(quasi=["income", "age"], strata=["region"])
    deal = dealt_by_place(survey(one, "people", roles, dealt, (), RunContext()), dealt, 800)
    table = one.read(0, 3000)
    parts = deal.parts_of(table, 0)
    assert np.bincount(parts, minlength=deal.parts).min() > 100
    assert np.bincount(parts).max() <= 800
    regions = np.array(table["region"].to_pylist())
    assert np.unique(parts[regions == "isles"]).size == 1
    assert np.unique(parts[regions == "north"]).size == 3
    # a record goes to its part whatever is read with it
    assert deal.parts_of(one.read(1000, 77), 1000).tolist() == parts[1000:1077].tolist()
