"""Weighted estimates by domain for reviewers: right by plain sums, and silent about the few."""

import json

import numpy as np
import pyarrow as pa
import pytest

import tacita
from seeds import SEED

N = 300
MDAV = {"method": "mdav", "quasi": ["wage"], "k": 5}


def records(n=N, tiny=4):
    rng = np.random.default_rng(21)
    region = np.where(np.arange(n) < tiny, "tiny", np.where(np.arange(n) % 2, "north", "south"))
    return pa.table(
        {
            "region": region,
            "sex": rng.choice(["m", "f"], n),
            "job": np.where(np.arange(n) % 60 == 1, "rare", rng.choice(["a", "b", "c"], n)),
            "wage": rng.lognormal(3, 1, n),
            "age": rng.integers(20, 80, n),
            "weight": rng.uniform(1, 5, n),
        }
    )


def released(table=None, **given):
    steps = given.pop(
        "steps", [{"method": "mdav", "quasi": ["wage"], "k": 5}, {"method": "pram", "quasi": ["job"]}]
    )
    around = {"weight": "weight", "domains": ["region"], "seed": SEED, "measures": ["IL1"], **given}
    return tacita.protect(records() if table is None else table, steps=steps, **around)


def plain(values, weights):
    """Total and mean with their intervals, by the textbook."""
    n, u = len(values), weights * values
    total = u.sum()
    half = 1.96 * np.sqrt(n / (n - 1) * ((u - u.mean()) ** 2).sum())
    mean = total / weights.sum()
    error = 1.96 * np.sqrt(n / (n - 1) * ((weights * (values - mean)) ** 2).sum()) / weights.sum()
    return (total, total - half, total + half), (mean, mean - error, mean + error)


def test_estimates_of_the_whole_are_those_of_the_textbook():
    release = released()
    weights = records()["weight"].to_numpy()
    for side, table in (("before", records()), ("after", release.data)):
        for each, wanted in zip(("total", "mean"), plain(table["wage"].to_numpy(), weights), strict=True):
            (told,) = [
                e
                for e in release.record.estimates
                if (e.column, e.statistic, e.domain) == ("wage", each, None)
            ]
            found = getattr(told, side)
            assert (found.value, found.low, found.high) == pytest.approx(wanted, rel=1e-12)


def test_the_share_of_a_category_in_a_domain_is_its_weight_among_all():
    release = released(records(tiny=100))
    table, weights = records(tiny=100), records()["weight"].to_numpy()
    here = table["region"].to_numpy() == "north"
    a = table["job"].to_numpy() == "a"
    (told,) = [
        e
        for e in release.record.estimates
        if (e.statistic, e.label, e.domain) == ("share", "a", "region north")
    ]
    assert told.before.value == pytest.approx(weights[here & a].sum() / weights[here].sum(), rel=1e-12)
    assert told.records == int((here & a).sum())


def test_intervals_overlap_wholly_where_nothing_changed():
    release = released(steps=[{"method": "round", "quasi": ["wage"], "base": 1e-12}])
    assert [each.overlap for each in release.record.estimates] == pytest.approx([100.0] * 4)


def test_without_a_weight_nothing_is_estimated():
    assert released(weight=None).record.estimates == ()


def test_domains_and_categories_of_few_are_not_told():
    told = released().record.estimates
    assert not [each for each in told if each.domain is not None and "tiny" in each.domain]
    assert not [each for each in told if each.label == "rare" and each.domain is not None]
    assert min(each.records for each in told) >= 10


def test_a_small_domain_cannot_be_told_by_taking_the_others_from_the_whole():
    told = {each.domain for each in released().record.estimates if each.column == "wage"}
    assert told in ({None, "region north"}, {None, "region south"})
    told = {each.domain for each in released(records(tiny=20)).record.estimates if each.column == "wage"}
    assert told == {None, "region north", "region south", "region tiny"}


def test_the_value_that_a_whole_domain_has_is_not_told():
    table = records(tiny=20)
    wage = np.where(table["region"].to_numpy() == "tiny", 77.125, table["wage"].to_numpy())
    table = table.set_column(3, "wage", [wage])
    told = [each for each in released(table).record.estimates if each.column == "wage"]
    assert not [each for each in told if each.domain == "region tiny"]
    assert len({each.domain for each in told}) == 2


def test_no_estimate_is_the_value_of_a_record():
    values = set(records()["wage"].to_pylist())
    for each in released().record.estimates:
        assert each.statistic in ("total", "mean", "share")
        assert each.before.value not in values


@pytest.mark.parametrize(("limit", "told"), [(79, False), (60, True)])
def test_what_a_few_who_left_had_cannot_be_told_by_a_difference(limit, told):
    steps = [
        {"method": "drop", "records": f"age > {limit - 1}"},
        {"method": "mdav", "quasi": ["wage"], "k": 5},
    ]
    release = released(steps=steps)
    gone = N - release.data.num_rows
    assert (gone >= 10) == told
    assert gone > 0
    unchanged = [each for each in release.record.estimates if each.column == "age"]
    assert bool(unchanged) == told
    assert all(each.domain is None for each in unchanged)


def test_reviewers_see_them_and_the_public_does_not(tmp_path):
    release = released()
    out = {name: tmp_path / f"{name}.html" for name in ("report", "note")}
    tacita.save(release, tmp_path / "out.csv", json_report=tmp_path / "r.json", **out)
    assert "Estimates of the population" in out["report"].read_text()
    assert len(json.loads((tmp_path / "r.json").read_text())["estimates"]) == len(release.record.estimates)
    note = out["note"].read_text()
    assert "Estimates of the population" not in note
    for each in release.record.estimates:
        assert f"{each.before.value:.4g}" not in note or each.before.value < 10


def test_named_domains_come_before_strata():
    told = {each.domain for each in released(domains=["sex"]).record.estimates if each.column == "wage"}
    assert told == {None, "sex f", "sex m"}
