"""Broken claims, broken means and lying plug-ins: the release looks well, the promise is not kept."""

from __future__ import annotations

from dataclasses import replace
from math import fsum

import numpy as np
import pyarrow as pa
import pytest

import tacita
from planting import (
    FORMS,
    TYPED,
    base_table,
    cell,
    failed,
    group,
    judge,
    native,
    one_bit,
    per_group,
    release,
    simple,
    with_column,
)
from tacita import registry
from tacita.core import DataError, Microdata, Roles, VerificationError
from tacita.microdata import verify
from tacita.microdata.methods.microaggregation.microaggregation_method import Microaggregation
from tacita.microdata.protection import apply

GAPS = {"x": [None, None, None, 1.0, 2.0, 3.0, 7.0, 8.0, 9.0], "y": [float(i) for i in range(9)]}


@pytest.fixture(scope="module")
def made() -> tacita.Release:
    return release()


CLAIMS = {
    "k is higher than the groups": ("groups-of-k", lambda c: replace(c, k=4)),
    "k is one": ("groups-of-k", lambda c: replace(c, k=1)),
    "k is zero": ("groups-of-k", lambda c: replace(c, k=0)),
    "a row is claimed twice": ("rows-complete", lambda c: replace(c, rows=np.r_[0, c.rows[:-1]])),
    "a row is beyond the source": ("rows-complete", lambda c: replace(c, rows=c.rows + 1)),
    "a row is left out": ("rows-complete", lambda c: replace(c, rows=c.rows[:-1])),
    "rows are in another order": ("others-identical", lambda c: replace(c, rows=c.rows[::-1])),
    "labels are too few": ("rows-complete", lambda c: replace(c, labels=c.labels[:-1])),
    "labels are all one": ("groups-of-k", lambda c: replace(c, labels=np.zeros_like(c.labels))),
    "labels are singletons": ("groups-of-k", lambda c: replace(c, labels=np.arange(c.labels.size))),
    "labels are in another order": ("group-means", lambda c: replace(c, labels=c.labels[::-1])),
    "rounding is claimed": ("group-means", lambda c: replace(c, rounded=frozenset(["y"]))),
    "a guarantee is unknown": ("moments-kept", lambda c: replace(c, guarantees=("moments-kept",))),
}


@pytest.mark.each_once
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("what", CLAIMS)
def test_a_false_claim_is_caught(what, form):
    breaks, change = CLAIMS[what]
    one = release(form)
    assert breaks in failed(judge(form, release().data, change(one.claim)))


def test_groups_across_strata_are_caught():
    table = base_table()
    one = release(strata=[], table=table)
    assert failed(judge("pyarrow", one.data, one.claim)) == set()
    # each group has three records of either region, so that only the mixing is wrong
    region = pa.array(["north", "south"])
    within = [(one.claim.labels[: i + 1] == one.claim.labels[i]).sum() % 2 for i in range(14)]
    altered = with_column(table, "region", region.take(pa.array(within)).to_pylist())
    roles = Roles(quasi=["x", "y"], identifiers=["name", "firm"], strata=["region"], unit="firm")
    claim = replace(one.claim, original=Microdata.of(altered).with_roles(roles))
    released = with_column(one.data, "region", altered["region"].combine_chunks())
    assert "groups-of-k" in failed(judge("pyarrow", released, claim))


@pytest.mark.parametrize("form", FORMS)
def test_a_group_of_three_records_of_two_units_is_caught(form):
    one = release(form)
    alike = with_column(base_table(), "firm", ["u0", "u0", *(f"u{i}" for i in range(2, 14))])
    few = with_column(base_table(), "firm", [*(f"u{i}" for i in range(5)), "u4", "u6", *list("abcdefg")])
    for table, breaks in ((alike, set()), (few, {"k-units"})):
        original = Microdata.of(native(table, form)).with_roles(one.claim.original.roles)
        assert failed(judge(form, release().data, replace(one.claim, original=original))) == breaks


def test_a_record_without_a_unit_is_caught(made):
    table = with_column(base_table(), "firm", [None, *(f"u{i}" for i in range(1, 14))])
    original = Microdata.of(table).with_roles(made.claim.original.roles)
    assert failed(judge("pyarrow", made.data, replace(made.claim, original=original))) == {"k-units"}


ROUNDED = {
    "not rounded where declared": per_group("y", lambda v: fsum(v) / len(v)),
    "one up in a group": group("y", 0, lambda v: v + 1),
    "one up in a cell": cell("y", 0, lambda v: v + 1),
    "rounded up": per_group("y", lambda v: float(np.ceil(v.mean()))),
    "cut off": per_group("y", lambda v: float(np.floor(v.mean()))),
}


@pytest.mark.each_once
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("what", ROUNDED)
def test_a_wrong_rounding_is_caught(what, form):
    one = release(form, round_integers=True)
    arrow = release(round_integers=True)
    planted = arrow.data
    if "rounded" in what or "cut" in what:
        planted = planted.set_column(1, "y", planted["y"].cast(pa.float64()))
    planted = ROUNDED[what](planted, one.claim)
    if form in TYPED and what in ("rounded up", "cut off"):
        planted = planted.set_column(1, "y", planted["y"].cast(pa.int64()))
    assert failed(judge(form, arrow.data, one.claim)) == set()
    assert "group-means" in failed(judge(form, planted, one.claim))


@pytest.mark.parametrize("form", TYPED)
def test_rounded_means_of_another_type_are_caught(form):
    planted = release(round_integers=True).data
    planted = planted.set_column(1, "y", planted["y"].cast(pa.float64()))
    assert failed(judge(form, planted, release(form, round_integers=True).claim)) == {"group-means"}


GAP_PLANTS = {
    "filled with zero": cell("x", 0, 0.0),
    "all filled with a sentinel": group("x", 0, lambda _: -9.0),
    "missing where there was a value": cell("x", 3, None),
    "a group missing where there were values": group("x", 3, lambda _: None),
}


@pytest.mark.each_once
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("what", GAP_PLANTS)
def test_a_changed_gap_is_caught(what, form):
    claim = simple(form, columns=GAPS, missing="stratum").claim
    data = simple(columns=GAPS, missing="stratum").data
    assert failed(judge(form, data, claim)) == set()
    assert "group-means" in failed(judge(form, GAP_PLANTS[what](data, claim), claim))


@pytest.mark.parametrize("form", ["polars", "pyarrow", "parquet"])
def test_a_gap_that_is_null_here_and_nan_there_is_caught(form):
    one = simple(columns=GAPS, missing="stratum")
    claim = simple(form, columns=GAPS, missing="stratum").claim
    planted = cell("x", 1, float("nan"))(one.data, claim)
    assert "group-means" in failed(judge(form, planted, claim))


@pytest.mark.parametrize("form", FORMS)
def test_dropping_a_complete_record_or_keeping_an_incomplete_one_is_caught(form):
    columns = {"x": [None, *GAPS["x"][1:3], *GAPS["x"][3:]], "y": GAPS["y"]}
    claim = simple(form, columns=columns, missing="drop").claim
    data = simple(columns=columns, missing="drop").data
    assert failed(judge(form, data, claim)) == set()
    fewer = replace(claim, rows=claim.rows[1:], labels=claim.labels[1:])
    assert "rows-complete" in failed(judge(form, data.slice(1), fewer))
    more = replace(claim, rows=np.r_[0, claim.rows], labels=np.r_[0, claim.labels])
    assert "rows-complete" in failed(judge(form, pa.concat_tables([data.slice(0, 1), data]), more))
    undeclared = replace(claim, left_out=())
    assert "rows-complete" in failed(judge(form, data, undeclared))


TWINS = {"x": [0.1, 0.2, 0.7] * 4, "y": [3.0, 1.0, 2.0] * 4}


@pytest.mark.parametrize("form", FORMS)
def test_groups_whose_means_coincide_pass_and_one_bit_more_in_all_of_them_is_caught(form):
    one = simple(form, columns=TWINS)
    table = simple(columns=TWINS).data
    labels = np.repeat([0, 1, 2, 3], 3)
    mean = fsum([0.1, 0.2, 0.7]) / 3
    same = with_column(with_column(table, "x", [mean] * 12), "y", [2.0] * 12)
    claim = replace(one.claim, labels=labels)
    assert failed(judge(form, same, claim)) == set()
    moved = with_column(same, "x", [one_bit(mean)] * 12)
    assert failed(judge(form, moved, claim)) == {"group-means"}


@pytest.mark.parametrize("form", FORMS)
def test_minus_zero_for_half_of_many_zeros_is_caught(form):
    columns = {"x": [0.0] * 6 + [5.0, 6.0, 7.0]}
    claim = simple(form, columns=columns).claim
    table = simple(columns=columns).data
    assert failed(judge(form, table, claim)) == set()
    half = with_column(table, "x", [-0.0] * 3 + table["x"].to_pylist()[3:])
    assert "group-means" in failed(judge(form, half, claim))
    whole = with_column(table, "x", [-0.0] * 6 + table["x"].to_pylist()[6:])
    assert "group-means" in failed(judge(form, whole, claim))


MEANS = {
    "median": lambda x, labels, _: np.array([np.median(x[labels == g], axis=0) for g in labels]),
    "first member": lambda x, labels, _: np.array([x[labels == g][0] for g in labels]),
    "originals": lambda x, *_: x.copy(),
    "overall mean": lambda x, *_: np.broadcast_to(x.mean(axis=0), x.shape).copy(),
    "one bit off": lambda x, labels, _: np.nextafter(
        np.array([[fsum(c) / len(c) for c in x[labels == g].T] for g in labels]), np.inf
    ),
}


@pytest.mark.parametrize("what", MEANS)
def test_protect_never_returns_a_release_of_wrong_means(what, monkeypatch):
    monkeypatch.setattr(apply, "published_means", MEANS[what])
    with pytest.raises(VerificationError):
        release()


class _Lying(Microaggregation):
    """Puts each record in a group of its own and calls that a partition."""

    def partition(self, x, run=None, *, units=None):
        class Fake:
            labels = np.arange(len(np.asarray(x)))

            def __len__(self):
                return self.labels.size

        return Fake()

    def group(self, x, units, run):
        raise NotImplementedError


class _Careless(Microaggregation):
    """Forgets the last record."""

    unit_aware = True

    def group(self, x, units, run):
        labels = np.arange(x.shape[0]) // self.k
        labels[-1] = labels.max() + 1
        return labels


@pytest.mark.parametrize("method", [_Lying, _Careless])
def test_a_plug_in_that_breaks_k_gets_no_release(method, monkeypatch):
    monkeypatch.setattr(registry, "lookup", lambda *_: method)
    with pytest.raises((VerificationError, DataError), match="Partition"):
        release()


def test_a_lie_behind_the_partition_is_caught_by_the_verifier(monkeypatch):
    class Unchecked:
        def __init__(self, labels, k, units=None):
            self.labels = np.asarray(labels)
            self.sizes = np.bincount(self.labels)

        def __len__(self):
            return self.sizes.size

    monkeypatch.setattr(registry, "lookup", lambda *_: _Lying)
    monkeypatch.setattr(apply, "Partition", Unchecked)
    with pytest.raises(VerificationError, match="groups-of-k"):
        release()


class _Silent(_Careless):
    """Promises nothing, hoping that nothing is checked."""

    guarantees = ()

    def group(self, x, units, run):
        return np.minimum(np.arange(x.shape[0]) // self.k, x.shape[0] // self.k - 1)


def test_a_plug_in_that_promises_nothing_is_held_to_the_promises_of_its_kind(monkeypatch):
    monkeypatch.setattr(registry, "lookup", lambda *_: _Silent)
    assert {"groups-of-k", "group-means"} <= {v.guarantee for v in release(measures=[]).record.verdicts}
    monkeypatch.setattr(apply, "published_means", MEANS["originals"])
    with pytest.raises(VerificationError, match="groups-of-k"):
        release(measures=[])


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_release_changed_between_protecting_and_saving_is_not_written(form, tmp_path):
    one = release("pandas")
    one.data.loc[0, "x"] = 99.0
    with pytest.raises(VerificationError, match="group-means"):
        tacita.save(one, tmp_path / f"out.{form}")
    assert list(tmp_path.iterdir()) == []


def test_no_refusal_names_a_value(made):
    planted = cell("code", 0, "SECRET")(cell("x", 0, 123.456)(made.data, made.claim), made.claim)
    with pytest.raises(VerificationError) as refusal:
        verify.require_passed(judge("pyarrow", planted, made.claim))
    assert not any(value in str(refusal.value) for value in ("SECRET", "123", "01234", "1.1", "Firm"))
