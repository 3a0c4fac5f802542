"""Noise by keys: the worked example of cellKey, and the same cell with the same noise everywhere."""

import csv

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv as arrow_csv

import tacita
from reference import reference
from seeds import SEED
from tacita.core import CellKeys, DataError, Flex, Hierarchy, ParameterError, RunContext, Table
from tacita.core.data.cell_keys import sums_of_keys
from tacita.io.hierarchies import from_nested
from tacita.tables.adjustment.cellkey import CellKey, between_rows, flexed
from tacita.tables.adjustment.noise import noise_table
from tacita.tables.verify.keyed import other_noise

AGES = {"young": ["a1", "a2", "a3", "a4"], "old": ["a5", "a6", "a7", "a8"]}


def lines(name):
    return list(csv.DictReader(reference(f"r/D_cellkey/{name}.csv").read_text().splitlines()))


def records():
    return arrow_csv.read_csv(reference("r/D_cellkey/micro.csv"))


def persons(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "area": [f"a{i}" for i in rng.integers(0, 6, n)],
            "sex": [f"s{i}" for i in rng.integers(0, 2, n)],
            "age": [f"g{i}" for i in rng.integers(0, 5, n)],
            "income": rng.lognormal(6, 1, n).round(2),
            "key": rng.random(n),
        }
    )


@pytest.mark.parametrize(("name", "noise"), [("D3V1", (3, 1.0, 0)), ("D5V3js2", (5, 3.0, 2))])
@pytest.mark.parametrize("variable", ["total", "female"])
@pytest.mark.parametrize(("weight", "shown"), [(None, "puwc"), ("weight", "pwc")])
def test_all_counts_of_the_worked_example_of_cellkey_are_met(name, noise, variable, weight, shown):
    frame = records()
    if variable == "female":
        frame = frame.filter(pc.equal(frame["female"], 1))
    # labels that none of the chosen records has are labels still
    regions, sexes = (
        from_nested(column, {f"all {column}": sorted(set(records()[column].to_pylist()))})
        for column in ("region", "sex")
    )
    flat = {"region": _flat(regions), "sex": _flat(sexes), "ageg": from_nested("ageg", AGES)}
    table = tacita.tabulate(frame, flat, key="rkey", weight=weight)
    made = CellKey(largest=noise[0], variance=noise[1], hidden=noise[2]).adjust(table)
    expected = [each for each in lines(f"counts_{name}") if each["vname"] == variable]
    assert len(expected) == 231
    for each in expected:
        cell = table.cell(each["region"], each["sex"], each["ageg"])
        wanted = 0.0 if each[shown] in ("NA", "NaN") else float(each[shown])
        assert made.values[cell] == pytest.approx(wanted, abs=1e-8)


def _flat(hierarchy):
    from tacita.core import Hierarchy

    return Hierarchy.flat(hierarchy.name, [hierarchy.labels[leaf] for leaf in hierarchy.leaves])


def test_the_magnitudes_of_the_worked_example_of_cellkey_are_met():
    frame = records()
    table = tacita.tabulate(frame, ["region", "sex"], "income", weight="weight", key="rkey")
    even = noise_table(8, 1.0, parts=2, counts=[1, 5, 8])
    odd = noise_table(10, 2.0, parts=2, counts=[1, 10], exact_variance=[True, False])
    for each in lines("nums_simple"):
        cell = table.cell(each["region"], each["sex"])
        noise = odd if table.keys.count[cell] % 2 else even
        scale = 0.25 * table.keys.largest[[cell]]
        change = between_rows(noise, table.values[[cell]] / scale, table.keys.of_sizes[[cell]])
        shown = (table.values[[cell]] + change * scale)[0]
        assert shown == pytest.approx(float(each["pws"]), rel=1e-9)


def test_the_share_of_noise_falls_from_small_to_large_beyond_the_flex_point():
    flex = Flex(0.2, 0.03, 1000.0, 2.0)
    found = flexed(flex, np.array([10.0, 999.0, 1000.0, 5000.0, 1e9]))
    assert found[:3].tolist() == pytest.approx([0.2, 0.2, 0.2])
    assert found[2] > found[3] > found[4]
    assert found[4] == pytest.approx(0.03, rel=1e-3)


def test_the_same_records_have_the_same_noise_in_every_table():
    frame, method = persons(), CellKey()
    wide = tacita.tabulate(frame, ["area", "sex", "age"], key="key")
    narrow = tacita.tabulate(frame, ["sex", "area"], key="key")
    one, other = method.adjust(wide), method.adjust(narrow)
    for area in ("a0", "a3", "Total"):
        for sex in ("s0", "s1", "Total"):
            assert one.values[wide.cell(area, sex, "Total")] == other.values[narrow.cell(sex, area)]


def test_the_order_of_the_records_changes_no_key():
    frame = persons()
    turned = frame.take(pa.array(np.random.default_rng(1).permutation(frame.num_rows)))
    one, other = (tacita.tabulate(each, ["area", "age"], key="key") for each in (frame, turned))
    assert np.array_equal(one.keys.key, other.keys.key)


@given(
    st.lists(st.floats(0, 1, exclude_max=True, allow_subnormal=False), min_size=1, max_size=40), st.randoms()
)
def test_keys_add_up_to_the_same_fraction_in_any_order(keys, random):
    turned = list(keys)
    random.shuffle(turned)
    cells = Hierarchy.flat("cell", [f"c{at}" for at in range(len(keys))])
    total = sums_of_keys([cells], np.array(keys))[cells.top]
    assert total == sums_of_keys([cells], np.array(turned))[cells.top]
    away = (total - sum(keys)) % 1.0
    assert min(away, 1.0 - away) < 1e-9


def test_noise_is_on_average_none_and_of_the_variance_that_was_asked_for():
    rng = np.random.default_rng(4)
    n = 40_000
    counts = rng.integers(1, 40, n)
    table = Table.from_array(counts[:, None].astype(float), frequency=True, names=["r", "c"])
    made = CellKey(largest=5, variance=3, hidden=2).adjust(table, RunContext(seed=SEED))
    noise = (made.values - table.values)[table.inner]
    assert abs(noise.mean()) < 4 * np.sqrt(3 / n)
    assert noise.var() == pytest.approx(3, rel=0.05)
    assert np.abs(noise).max() <= 5


def test_zeros_stay_zero_and_hidden_counts_never_show():
    rng = np.random.default_rng(5)
    table = Table.from_array(rng.poisson(1.5, (30, 30)).astype(float), frequency=True)
    made = CellKey(hidden=2).adjust(table, RunContext(seed=SEED))
    assert not made.values[table.values == 0].any()
    assert not ((made.values > 0) & (made.values <= 2)).any()


def test_magnitudes_get_noise_that_the_audit_finds_again():
    table = tacita.tabulate(persons(), ["area", "age"], "income", key="key")
    for method in (CellKey(), CellKey(share=30, share_large=5, flex_point=500, power=2)):
        made = method.adjust(table)
        assert (made.values != table.values).any()
        assert other_noise(made.values, table, made.terms) is None
        assert (made.values >= 0).all()


def test_keys_of_a_list_are_those_of_the_records(tmp_path):
    table = tacita.tabulate(persons(), ["area", "age"], key="key")
    tacita.save_cells(table, tmp_path / "cells.csv")
    again = tacita.read_table(tmp_path / "cells.csv", sensitive=False)
    assert again.frequency
    assert np.array_equal(again.keys.key, table.keys.key)
    assert np.array_equal(CellKey().adjust(again).values, CellKey().adjust(table).values)


def test_sums_have_keys_where_a_list_has_inner_cells_only(tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text("r,c,n,k\na,x,5,0.5\na,y,3,0.75\nb,x,0,0.9\nb,y,9,0.25\n")
    fields = {"rows": "r", "columns": "c", "value": "n", "key": "k", "counts": True, "sensitive": False}
    keys = tacita.read_table(path, **fields).keys
    assert keys.key.tolist() == [0.5, 0.75, 0.25, 0.0, 0.25, 0.25, 0.5, 0.0, 0.5]
    assert keys.count.tolist() == [5, 3, 8, 0, 9, 9, 5, 12, 17]


def test_drawn_keys_are_those_of_records_that_drew_one_each():
    table = Table.from_array(np.full((60, 60), 7.0), frequency=True)
    made = CellKey().adjust(table, RunContext(seed=SEED))
    key = made.terms.keys.key[table.inner]
    assert made.drawn == table.n
    # uniform: no tenth has far more than its share
    assert np.histogram(key, 10, (0, 1))[0].max() < 3600 / 10 + 5 * np.sqrt(360)
    assert np.array_equal(made.terms.keys.key, sums_of_keys(table.dimensions, key.reshape(60, 60)).ravel())


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        ([0.1, 1.0, 0.3], "2 have none|1 have none"),
        ([0.1, -0.2, 0.3], "1 have none"),
        ([0.5] * 8, "has 1 different keys for 8 records"),
    ],
)
def test_keys_that_are_none_are_refused(keys, wanted):
    frame = pa.table({"a": ["x"] * len(keys), "key": keys})
    with pytest.raises(DataError, match=wanted):
        tacita.tabulate(frame, ["a"], key="key")


def test_magnitudes_without_keys_are_refused_with_a_way_out():
    with pytest.raises(DataError, match="the column of their keys"):
        CellKey().adjust(Table.from_array([[5.5, 2.0]]))


def test_magnitudes_whose_largest_contributions_are_not_known_are_refused_not_left_as_they_are(tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text("r,c,n,k\na,x,5,0.5\na,y,3,0.75\nb,x,0,0.9\nb,y,9,0.25\n")
    table = tacita.read_table(path, rows="r", columns="c", value="n", key="k", sensitive=False)
    with pytest.raises(DataError, match="largest contribution of 8 cells is not known"):
        CellKey().adjust(table)


def test_noise_that_cannot_leap_over_hidden_counts_is_refused():
    with pytest.raises(ParameterError, match="Raise the variance, or hide fewer counts"):
        CellKey(largest=3, variance=2, hidden=2).adjust(Table.from_array([[5, 1]], frequency=True))


def test_a_share_that_grows_with_size_is_refused():
    with pytest.raises(ParameterError, match="share_large must be at most share"):
        CellKey(share=5, share_large=20)


def test_keys_must_fit_the_table():
    keys = CellKeys(np.zeros(3), np.zeros(3, dtype=np.int64), np.zeros(3))
    with pytest.raises(DataError, match="wanted keys of 6 cells, got 3"):
        Table.from_array([[5, 3]], keys=keys)
