"""Individual ranking: optimal in each column, k behind every value, and never called k-anonymous."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from planting import FORMS, Plant, cell, failed, judge, one_bit, release, with_column
from tacita.core import VerificationError
from tacita.microdata.methods.masking.ranking import OneDims
from tacita.microdata.methods.microaggregation.mhm import HM

# IL1 in percent, ours: `python -m benchmarks maskings`; that no cut loses less is shown below.
DATA = {
    "tarragona": {3: 2.207102, 5: 4.255432, 10: 10.606833},
    "census": {3: 0.102918, 5: 0.331346, 10: 0.890560},
    "eia": {3: 0.013624, 5: 0.040213, 10: 0.144817},
}


def least_loss(values, k):
    """By trying every cut of the sorted values."""
    ordered, n = np.sort(values), len(values)
    best = np.inf
    for pieces in range(1, n // k + 1):
        for cuts in combinations(range(1, n), pieces - 1):
            parts = np.split(ordered, cuts)
            if min(map(len, parts)) >= k:
                best = min(best, sum(((part - part.mean()) ** 2).sum() for part in parts))
    return best


@given(st.integers(6, 11), st.integers(2, 3), st.integers(0, 10**6))
def test_no_other_cut_of_any_column_loses_less(n, k, seed):
    x = np.random.default_rng(seed).integers(0, 12, size=(n, 2)).astype(float)
    masked = OneDims(k=k).mask(x)
    for j in range(2):
        assert ((x[:, j] - masked[:, j]) ** 2).sum() == pytest.approx(least_loss(x[:, j], k), abs=1e-9)


@given(st.integers(3, 40), st.integers(1, 4), st.integers(2, 3), st.integers(0, 10**6), st.booleans())
def test_every_value_of_a_column_stands_k_times_whatever_the_ties(n, d, k, seed, tied):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 4, size=(n, d)).astype(float) if tied else rng.normal(size=(n, d))
    made = OneDims(k=k).masked(x)
    for j in range(d):
        assert np.unique(made.values[:, j], return_counts=True)[1].min() >= k
        assert np.bincount(made.labels[:, j]).min() >= k


def test_each_column_is_what_hm_makes_of_it_alone():
    x = np.random.default_rng(0).normal(size=(50, 3))
    made = OneDims(k=4).masked(x)
    for j in range(3):
        assert np.array_equal(made.labels[:, j], HM(k=4).partition(x[:, [j]]).labels)


def test_means_are_kept_and_order_too():
    x = np.random.default_rng(1).lognormal(size=(200, 3))
    masked = OneDims(k=5).mask(x)
    assert np.allclose(masked.mean(axis=0), x.mean(axis=0), rtol=1e-14)
    for j in range(3):
        assert (np.diff(masked[np.argsort(x[:, j]), j]) >= 0).all()


def test_with_units_every_value_stands_for_k_of_them():
    x = np.random.default_rng(2).normal(size=(90, 2))
    for units in (np.arange(90) // 4, np.arange(90) % 5):
        masked = OneDims(k=3).mask(x, units=units)
        for column in masked.T:
            assert min(np.unique(units[column == value]).size for value in np.unique(column)) >= 3


def test_loses_less_than_groups_of_whole_records():
    x = np.random.default_rng(3).normal(size=(120, 4))
    whole = tacita.get_method("mdav", k=3).partition(x).sse(x)
    assert ((x - OneDims(k=3).mask(x)) ** 2).sum() < whole / 10


def test_a_missing_cell_stays_missing_and_its_pattern_is_a_stratum():
    table = pa.table({"x": [1.0, 2.0, 3.0, 9.0, 8.0, 7.0], "y": [None, 1.0, None, 5.0, None, 6.0]})
    made = tacita.protect(table, quasi=["x", "y"], method="onedims", missing="stratum", measures=["IL1"])
    assert made.data["x"].to_pylist() == [4.0, 6.0, 4.0, 6.0, 4.0, 6.0]
    assert made.data["y"].to_pylist() == [None, 4.0, None, 4.0, None, 4.0]


def test_whole_numbers_are_rounded_where_asked_for():
    made = release(method="onedims", round_integers=True)
    assert made.data["y"].type == pa.int64()
    assert made.data["x"].type == pa.float64()


def test_the_release_never_claims_groups_of_k_and_warns_of_combinations():
    made = release(method="onedims")
    promised = {verdict.guarantee for verdict in made.record.verdicts}
    assert {"column-groups", "column-units", "column-means"} <= promised
    assert not promised & {"groups-of-k", "k-units", "group-means"}
    rng = np.random.default_rng(0)
    table = pa.table({"x": rng.normal(size=60), "y": rng.normal(size=60)})
    made = tacita.protect(table, quasi=["x", "y"], method="onedims", measures=["IL1"])
    found = {warning.name: warning for warning in made.record.warnings}["not-k-anonymous"]
    alike = made.data.group_by(["x", "y"]).aggregate([([], "count_all")])["count_all"].to_pylist()
    assert found.count == sum(count for count in alike if count < 3) > 30
    assert "not k-anonymous" in found.text


def test_the_report_and_the_note_say_what_is_not_promised(tmp_path):
    made = release(method="onedims")
    tacita.save(made, tmp_path / "out.csv", report=tmp_path / "r.html", note=tmp_path / "n.html")
    assert "not in groups" in (tmp_path / "r.html").read_text()
    note = (tmp_path / "n.html").read_text()
    assert "may belong to a single record" in note
    assert "Every group has at least" not in note


def test_claiming_groups_of_k_all_the_same_is_refused(monkeypatch):
    monkeypatch.setattr(OneDims, "guarantees", ("groups-of-k", "column-groups"))
    with pytest.raises(VerificationError, match="groups-of-k: the claim does not name one group"):
        release(method="onedims")


def column_group(name, row, value):
    """Changes the cells of one group of a column."""

    def change(table, claim):
        labels = claim.labels[:, claim.original.quasi.index(name)]
        cells = table[name].to_pylist()
        for member in np.flatnonzero(labels == labels[row]).tolist():
            cells[member] = value(cells[member])
        return with_column(table, name, cells)

    return change


def _originals(table, claim):
    for name in ("x", "y"):
        table = with_column(table, name, claim.original.numbers(name)[claim.rows])
    return table


PLANTS = {
    "one cell off": Plant("column-groups", cell("x", 0, lambda v: v + 1)),
    "one cell off by a bit": Plant("column-groups", cell("x", 0, one_bit)),
    "a group off by a bit": Plant("column-means", column_group("x", 0, one_bit)),
    "the originals": Plant("column-groups", _originals),
    "a cell emptied": Plant("masked-cells", cell("x", 0, None)),
    "a column of text": Plant(
        "masked-cells",
        lambda table, _: with_column(
            table, "x", [f"{value:.2f}" for value in table["x"].to_pylist()], pa.string()
        ),
    ),
}


@pytest.mark.each_once
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("what", PLANTS)
def test_a_broken_release_is_caught_in_the_frame_and_in_the_file(what, form):
    made = release(form, method="onedims")
    sound = release(method="onedims")
    assert not failed(judge(form, sound.data, made.claim))
    plant = PLANTS[what]
    assert plant.breaks in failed(judge(form, plant.change(sound.data, made.claim), made.claim))


CLAIMS = {
    "no groups": ("column-groups", lambda _: {"labels": None}),
    "groups of whole records": ("column-groups", lambda claim: {"labels": claim.labels[:, 0].copy()}),
    "a group short of k": ("column-groups", lambda claim: {"labels": moved(claim.labels)}),
    "a group across strata": ("column-groups", lambda claim: {"labels": np.zeros_like(claim.labels)}),
    "a larger k": ("column-groups", lambda _: {"k": 5}),
    "no k": ("column-groups", lambda _: {"k": None}),
    "groups of another file": ("rows-complete", lambda claim: {"labels": claim.labels[:5]}),
}


def moved(labels):
    changed = labels.copy()
    changed[0, 0] = labels.max() + 1
    return changed


@pytest.mark.parametrize("what", CLAIMS)
def test_a_false_claim_is_caught(what):
    made = release(method="onedims")
    breaks, lie = CLAIMS[what]
    assert breaks in failed(judge("pyarrow", made.data, replace(made.claim, **lie(made.claim))))


def test_values_of_fewer_than_k_units_are_caught():
    table = pa.table({"x": [1.0, 2.0, 3.0, 7.0, 8.0, 9.0], "u": ["a", "a", "b", "c", "d", "e"]})
    options = {"quasi": ["x"], "method": "onedims", "measures": ["IL1"], "k": 3}
    plain = tacita.protect(table, **options)
    with_units = tacita.protect(table, unit="u", **options)
    assert "column-units" in {verdict.guarantee for verdict in with_units.record.verdicts}
    assert with_units.data["x"].to_pylist() == [5.0] * 6
    claim = replace(with_units.claim, labels=plain.claim.labels)
    assert "column-units" in failed(judge("pyarrow", plain.data, claim))


@pytest.mark.parametrize("file", DATA)
def test_the_loss_on_the_files_of_the_field_is_what_it_was(file):
    try:
        table = tacita.datasets.load(file)
    except tacita.DataError:
        pytest.skip("the public file is not at hand")
    columns = [table[name].to_numpy() for name in tacita.datasets.describe(file).quasi]
    x = np.column_stack(columns).astype(float)
    z = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    for k, loss in DATA[file].items():
        found = 100 * ((z - OneDims(k=k).mask(z)) ** 2).sum() / (z**2).sum()
        assert found == pytest.approx(loss, abs=1e-6)


def test_a_chain_with_a_masking_is_refused():
    with pytest.raises(tacita.ParameterError, match="onedims cannot be part of a chain"):
        release(method="mdav+onedims")
