"""Fuzzy c-means against its plain twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita.microdata.methods.synthesis.fuzzy import fuzzy_c_means, shares, spread_centres
from twins import synthesis as twin

seeds = st.integers(0, 10_000)


@given(seeds, st.integers(1, 4), st.floats(1.1, 3.0))
def test_memberships_and_centres_are_the_twins(seed, c, m):
    x = np.random.default_rng(seed).normal(size=(25, 2))
    found = fuzzy_c_means(x, c, np.random.default_rng(seed), m=m, tolerance=1e-3, rounds=15)
    start = spread_centres(x, c, np.random.default_rng(seed))
    u, centres, done = twin.fuzzy_c_means(x, start, m, 1e-3, 15)
    assert found.rounds == done
    assert np.allclose(found.memberships, u, atol=1e-8)
    assert np.allclose(found.centres, centres, atol=1e-8)


@given(seeds)
def test_more_rounds_never_raise_the_objective(seed):
    x = np.random.default_rng(seed).normal(size=(40, 3))
    objectives = [
        fuzzy_c_means(x, 4, np.random.default_rng(0), tolerance=0, rounds=rounds).objective
        for rounds in range(1, 12)
    ]
    assert (np.diff(objectives) <= 1e-9).all()


@given(seeds, st.integers(1, 5), st.floats(1.01, 4.0))
def test_shares_add_up_to_one(seed, c, m):
    errors = np.random.default_rng(seed).exponential(size=(10, c)) ** 20
    found = shares(errors, m)
    assert np.allclose(found.sum(axis=1), 1)
    assert (found >= 0).all()


def test_a_record_on_several_centres_shares_itself_among_them():
    errors = np.array([[0.0, 1.0, 0.0], [0.0, 2.0, 3.0]])
    assert np.allclose(shares(errors, 1.5), [[0.5, 0, 0.5], [1, 0, 0]])
    assert np.allclose(shares(errors, 1.5), twin.memberships(errors, 1.5))


def test_it_stops_at_the_first_round_that_changes_little():
    x = np.random.default_rng(1).normal(size=(60, 2))
    found = fuzzy_c_means(x, 3, np.random.default_rng(0), tolerance=1e-3)
    sooner = fuzzy_c_means(x, 3, np.random.default_rng(0), tolerance=1e-3, rounds=found.rounds - 1)
    assert found.change < 1e-3 <= sooner.change


def test_clouds_are_found_and_identical_records_are_no_obstacle():
    rng = np.random.default_rng(2)
    x = np.concatenate([rng.normal(size=(30, 2)) + 20 * place for place in range(4)])
    labels = fuzzy_c_means(x, 4, np.random.default_rng(0)).labels.reshape(4, 30)
    assert sorted(labels[:, 0].tolist()) == [0, 1, 2, 3]
    assert (labels == labels[:, :1]).all()
    assert np.isfinite(fuzzy_c_means(np.ones((10, 2)), 3, np.random.default_rng(0)).memberships).all()


def test_more_clusters_than_records_are_refused():
    with pytest.raises(tacita.DataError, match="at least c=4 records, got 3"):
        fuzzy_c_means(np.ones((3, 1)), 4, np.random.default_rng(0))
