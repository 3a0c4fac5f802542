"""Planted failures: files with withheld cells that are not as promised, and claims that are not true."""

from dataclasses import replace
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

import tacita
from planting import FRAMES, failed, judge, native, with_column
from tacita.core import Microdata
from tacita.microdata import verify
from tacita.microdata.verify import local_suppression

KEYS = ["town", "sex", "age"]


def survey():
    """Forty persons of twenty households in two regions; some miss a town."""
    rng = np.random.default_rng(12)
    towns = [str(each) for each in rng.choice(["A", "B", "C", "D"], 40, p=[0.5, 0.3, 0.15, 0.05])]
    gaps = rng.random(40) < 0.1
    return pa.table(
        {
            "town": [None if gap else town for town, gap in zip(towns, gaps, strict=True)],
            "sex": [str(each) for each in rng.choice(["m", "f"], 40)],
            "age": rng.integers(1, 5, 40),
            "region": ["north", "south"] * 20,
            "home": [f"h{i // 4}{i % 2}" for i in range(40)],
            "income": np.arange(40) * 3,
        }
    )


@cache
def made(reading="category", strata=(), unit=None, m=None, shuffle=False, form="pyarrow"):
    more = {} if m is None else {"m": m}
    roles = {} if unit is None else {"unit": unit}
    return tacita.protect(
        native(survey(), form),
        quasi=KEYS,
        strata=list(strata),
        **roles,
        method="local-suppression",
        k=3,
        missing_as=reading,
        shuffle=shuffle,
        measures=["k_anonymity"],
        **more,
    )


READINGS = {"category": "k-anonymous", "wildcard": "k-anonymous-to-all"}
WAYS = {
    "plain": {},
    "strata": {"strata": ("region",)},
    "units": {"unit": "home"},
    "pairs": {"m": 2},
    "shuffled": {"shuffle": True},
}


def original_cell(claim, name, row):
    return claim.original.column(name).to_list()[int(claim.rows[row])]


def withheld_places(release):
    return [(int(i), KEYS[j]) for i, j in np.argwhere(release.claim.suppressed)]


def put(table, name, row, value):
    cells = table[name].to_pylist()
    cells[row] = value
    return with_column(table, name, cells)


@pytest.mark.each_once
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("form", ["pyarrow", "pandas", "polars", "csv", "parquet"])
def test_a_correct_release_passes_in_every_form(form, reading, way):
    release = made(reading, **WAYS[way], form=form if form in FRAMES else "pyarrow")
    if form in FRAMES:
        verdicts = verify.verify(Microdata.of(release.data), release.claim)
    else:
        verdicts = judge(form, release.data, release.claim)
    assert failed(verdicts) == set()
    assert {"only-withheld", READINGS[reading]} <= {each.guarantee for each in verdicts}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("reading", READINGS)
def test_a_withheld_value_that_is_shown_again_is_found(reading, way):
    release = made(reading, **WAYS[way])
    for row, name in withheld_places(release)[:3]:
        table = put(release.data, name, row, original_cell(release.claim, name, row))
        assert "only-withheld" in failed(judge("pyarrow", table, release.claim))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("reading", READINGS)
def test_values_shown_again_and_claimed_to_be_are_found_by_the_count(reading, way):
    release = made(reading, **WAYS[way])
    table, suppressed = release.data, np.zeros_like(release.claim.suppressed)
    for row, name in withheld_places(release):
        table = put(table, name, row, original_cell(release.claim, name, row))
    found = failed(judge("pyarrow", table, replace(release.claim, suppressed=suppressed)))
    assert READINGS[reading] in found


@pytest.mark.parametrize("form", ["pyarrow", "csv", "parquet"])
@pytest.mark.parametrize("name", KEYS)
def test_another_value_in_a_cell_is_found(name, form):
    release = made()
    shown = next(row for row, cell in enumerate(release.data[name].to_pylist()) if cell is not None)
    other = 9 if name == "age" else "Z"
    table = put(release.data, name, shown, other)
    assert "only-withheld" in failed(judge(form, table, release.claim))


@pytest.mark.parametrize("name", KEYS)
def test_a_cell_that_is_empty_without_being_claimed_is_found(name):
    release = made()
    shown = next(row for row, cell in enumerate(release.data[name].to_pylist()) if cell is not None)
    assert "only-withheld" in failed(judge("pyarrow", put(release.data, name, shown, None), release.claim))


def test_cells_claimed_withheld_that_had_no_value_are_found():
    release = made()
    suppressed = release.claim.suppressed.copy()
    gap = next(row for row in range(40) if original_cell(release.claim, "town", row) is None)
    suppressed[gap, 0] = True
    assert "only-withheld" in failed(
        judge("pyarrow", release.data, replace(release.claim, suppressed=suppressed))
    )


def test_a_claim_without_its_cells_is_refused():
    release = made()
    assert "only-withheld" in failed(judge("pyarrow", release.data, replace(release.claim, suppressed=None)))


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("k", [None, 1])
def test_a_k_that_promises_nothing_is_refused(reading, k):
    release = made(reading)
    assert READINGS[reading] in failed(judge("pyarrow", release.data, replace(release.claim, k=k)))


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("way", WAYS)
def test_a_larger_k_than_was_kept_is_found(reading, way):
    release = made(reading, **WAYS[way])
    assert READINGS[reading] in failed(judge("pyarrow", release.data, replace(release.claim, k=30)))


@pytest.mark.parametrize("reading", READINGS)
def test_all_keys_together_promised_where_pairs_were_kept_is_found(reading):
    release = made(reading, m=1)
    claim = replace(release.claim, terms={**release.claim.terms, "m": None})
    assert READINGS[reading] in failed(judge("pyarrow", release.data, claim))


@pytest.mark.parametrize("reading", READINGS)
def test_strata_promised_where_none_were_kept_are_found(reading):
    release = made(reading)
    roles = release.claim.original.roles.model_copy(update={"strata": ("region",)})
    claim = replace(release.claim, original=release.claim.original.with_roles(roles))
    assert READINGS[reading] in failed(judge("pyarrow", release.data, claim))


@pytest.mark.parametrize("reading", READINGS)
def test_units_promised_where_records_were_counted_are_found(reading):
    data = survey().set_column(4, "home", pa.array(["same"] * 30 + [f"h{i}" for i in range(10)]))
    release = tacita.protect(
        data, quasi=KEYS, method="local-suppression", missing_as=reading, measures=["k_anonymity"]
    )
    roles = release.claim.original.roles.model_copy(update={"unit": "home"})
    claim = replace(release.claim, original=release.claim.original.with_roles(roles))
    assert READINGS[reading] in failed(judge("pyarrow", release.data, claim))


@pytest.mark.parametrize("reading", READINGS)
def test_a_missing_unit_is_no_unit(reading):
    release = made(reading)
    roles = release.claim.original.roles.model_copy(update={"unit": "town"})
    claim = replace(release.claim, original=release.claim.original.with_roles(roles))
    assert READINGS[reading] in failed(judge("pyarrow", release.data, claim))


def test_two_spellings_of_what_is_missing_are_found(tmp_path):
    rows = ["town,sex", *["A,m"] * 3, *["B,m"] * 2, "NA,f", "C,f", "D,f", "D,x"]
    (tmp_path / "in.csv").write_text("\n".join(rows) + "\n")
    release = tacita.protect(
        tacita.read(tmp_path / "in.csv"), quasi=["town", "sex"], method="local-suppression", measures=["PIL"]
    )
    place = next(i for i, each in enumerate(release.data["town"].to_pylist()) if each == "NA")
    table = put(release.data, "town", place, "")
    assert "only-withheld" in failed(judge("csv", table, release.claim))


def test_blank_records_do_not_make_others_one_of_k():
    data = pa.table({"a": list("abcdef"), "b": list("uvwxyz")})
    release = tacita.protect(data, quasi=["a", "b"], method="local-suppression", missing_as="wildcard")
    blank = np.zeros((6, 2), dtype=bool)
    blank[:3] = True
    table = pa.table({"a": [None, None, None, *"def"], "b": [None, None, None, *"xyz"]})
    found = judge("pyarrow", table, replace(release.claim, suppressed=blank))
    assert failed(found) == {"k-anonymous-to-all"}
    (told,) = [each.detail for each in found if not each.passed]
    assert "released combinations" in told


def test_rows_that_stand_in_another_order_are_found():
    release = made(shuffle=True)
    rows = release.claim.rows.copy()
    rows[[0, 1, 2]] = rows[[1, 2, 0]]
    assert failed(judge("pyarrow", release.data, replace(release.claim, rows=rows)))


@pytest.mark.parametrize("seed", range(20))
def test_the_join_counts_pairs_as_a_look_at_every_pair_does(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 5))
    keys, others = rng.integers(-1, 3, (15, d)), rng.integers(-1, 3, (40, d))
    units = rng.integers(0, 9, 40)
    wanted = np.unique(keys, axis=0)
    plain = [
        len({u for row, u in zip(others, units, strict=True) if ((key == row) | (key < 0) | (row < 0)).all()})
        for key in wanted
    ]
    assert local_suppression.compatible(keys, others, units).tolist() == plain


def test_nothing_is_told_of_a_value():
    release = made("wildcard")
    told = [
        each.detail
        for each in judge("pyarrow", release.data, replace(release.claim, k=30))
        if not each.passed
    ]
    assert told
    assert not any(f" {value} " in f" {detail} " for detail in told for value in ("A", "B", "m", "f"))
