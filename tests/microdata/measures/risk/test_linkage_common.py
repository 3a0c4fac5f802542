"""Linkage on large files: a tree of which little is looked at, and samples that say how sure they are."""

import json

import numpy as np
import pytest

import tacita
from tacita.core import Categories, Comparison, RunContext, Score
from tacita.kernels.records import kd_boxes, linkage
from tacita.microdata.measures.risk.linkage_common import Linked, distinct_rows
from twins import measures as twin


def noisy(n, d, noise=0.3, seed=1):
    rng = np.random.default_rng(seed)
    x = np.exp(rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) / 2)
    return x, x + noise * x.std(axis=0) * rng.normal(size=x.shape)


@pytest.mark.parametrize("name", ["DBRL", "DLD"])
def test_beyond_its_budget_linkage_is_a_sample_whose_interval_holds_the_exact_figure(name):
    pair = Comparison.of(*noisy(4000, 4))
    exact = tacita.get_method(name).score(pair)
    sampled = tacita.get_method(name, budget=1e5).score(pair)
    assert exact.error is None
    assert exact.interval is None
    assert sampled.error > 0
    assert sampled.per_record is None
    low, high = sampled.interval
    assert low < exact.value < high
    assert sampled.value == tacita.get_method(name, budget=1e5).score(pair, RunContext()).value


def test_a_budget_that_is_large_enough_asks_everybody():
    pair = Comparison.of(*noisy(500, 3))
    whole, usual = tacita.get_method("DBRL", budget=1e18).score(pair), tacita.get_method("DBRL").score(pair)
    assert np.array_equal(whole.per_record, usual.per_record)
    assert whole.error is None


def test_the_interval_of_several_attackers_is_that_of_their_mean():
    pair = Comparison.of(*noisy(4000, 4))
    exact = tacita.get_method("DBRL", attributes=(2, 4)).score(pair)
    sampled = tacita.get_method("DBRL", attributes=(2, 4), budget=1e5).score(pair)
    assert sampled.interval[0] < exact.value < sampled.interval[1]


def test_an_estimate_is_told_with_its_interval_in_json_and_in_words():
    score = Score(name="DBRL", value=99.9, span=(0.0, 100.0), error=0.1)
    told = json.loads(json.dumps(score.as_dict()))
    assert told["confidence_interval"] == [pytest.approx(99.704), 100.0]
    assert "99.7 to 100 with a confidence of 95 %" in score.sampled_as
    assert "confidence_interval" not in Score(name="DBRL", value=1.0).as_dict()


def test_intervals_of_samples_hold_the_truth_about_as_often_as_they_say():
    rng = np.random.default_rng(0)
    strata = [(rng.random(400) < share).astype(float) for share in (0.1, 0.5, 0.9)]
    truth, inside = np.concatenate(strata).mean(), 0
    for _ in range(400):
        found = Linked.of_sample([rng.permutation(each)[:40] for each in strata], [400] * 3)
        inside += abs(found.mean - truth) <= 1.96 * found.error
    assert 0.91 < inside / 400 < 0.985


def test_nearest_records_are_found_without_looking_at_most_of_them():
    x, z = noisy(3000, 3, noise=0.01)
    every = np.arange(len(x))
    points = linkage.Points(
        x,
        z,
        np.ones(len(x), dtype=np.int64),
        ((x - z) ** 2).sum(axis=1),
        np.ones(3),
        np.zeros(3, dtype=bool),
        False,
        x,
        kd_boxes.grow(z, 16),
    )
    assert linkage.as_near(points, every, np.empty(len(x), dtype=np.int64)) < 0.1 * len(x) ** 2


@pytest.mark.parametrize("n", [1, 15, 16, 17, 500])
def test_boxes_hold_their_records_each_once(n):
    x = np.random.default_rng(n).integers(0, 9, size=(n, 3)).astype(float)
    tree = kd_boxes.grow(x, 16)
    assert sorted(tree.order.tolist()) == list(range(n))
    assert np.array_equal(tree.columns.T, x[tree.order])
    for level in range(tree.levels + 1):
        for j in range(1 << level):
            inside = tree.columns[:, j * n >> level : (j + 1) * n >> level]
            assert inside.shape[1] > 0
            assert np.array_equal(tree.low[(1 << level) + j], inside.min(axis=1))
            assert np.array_equal(tree.high[(1 << level) + j], inside.max(axis=1))


def test_large_files_with_ties_are_linked_as_their_twins_say():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 6, size=(350, 3)).astype(float)
    z = np.clip(x + rng.integers(-1, 2, size=x.shape), 0, 5)
    pair = Comparison.of(x, z)
    assert tacita.get_method("DBRL").score(pair).value == pytest.approx(twin.dbrl(x, z), rel=1e-9)
    assert tacita.get_method("DLD").score(pair).value == pytest.approx(twin.dld(x, z), rel=1e-9)
    assert tacita.get_method("PRL").score(pair).value == pytest.approx(twin.prl(x, z)[0], rel=1e-6)


def test_names_and_levels_of_a_large_file_are_linked_as_their_twin_says():
    rng = np.random.default_rng(0)
    x, z = noisy(400, 1)
    codes = rng.integers(0, 5, size=(400, 2)).astype(float)
    after = np.where(rng.random(codes.shape) < 0.2, rng.integers(0, 5, size=codes.shape), codes)
    pair = Comparison.of(x, z, ["age"], categories=Categories(codes, after, ("sex", "level"), (False, True)))
    spans = np.array([np.ptp(x), 1.0, np.ptp(codes[:, 1])])
    kinds = ["numeric", "nominal", "ordinal"]
    plain = twin.gower_linked(np.hstack([x, codes]), np.hstack([z, after]), kinds, spans)
    assert tacita.get_method("DBRL").score(pair).value == pytest.approx(100 * np.mean(plain), rel=1e-9)


def test_values_far_from_nought_are_linked_as_near_ones():
    # differences are exact however far the values lie, and so must be who is nearest
    rng = np.random.default_rng(0)
    x = rng.integers(0, 1000, size=(300, 2)).astype(float)
    z = x + rng.integers(-20, 21, size=x.shape)
    near, far = (
        tacita.get_method("DBRL").score(Comparison.of(x + at, z + at)).value for at in (0.0, 2.0**40)
    )
    assert near == far


def test_equal_rows_are_told_once():
    x = np.random.default_rng(0).integers(0, 3, size=(200, 2)).astype(float)
    rows, own, repeats = distinct_rows(x)
    assert np.array_equal(rows[own], x)
    assert len(rows) == len(np.unique(x, axis=0))
    assert np.array_equal(np.bincount(own), repeats)


@pytest.mark.parametrize("tied", [False, True])
def test_who_knows_a_window_finds_whom_a_scan_of_all_rows_finds(tied):
    x, z = noisy(300, 3)
    if tied:
        x, z = np.round(x), np.round(z)
    aware = tacita.get_method("RSRL", window=20)
    score = aware.score(Comparison.of(x, z))
    bounds = [aware.allowed(a, b) for a, b in zip(x.T, z.T, strict=True)]
    low, high = (np.column_stack([each[side] for each in bounds]) for side in (0, 1))
    inside = ((low[:, None] <= z) & (z <= high[:, None])).all(axis=2)
    plain = np.where(inside.diagonal(), 1 / np.maximum(inside.sum(axis=1), 1), 0)
    assert score.per_record.tolist() == (100 * plain).tolist()
