"""Noise: of the declared size and shape, within bounds, and never the same twice."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita
from seeds import SEED
from tacita.core import RunContext
from tacita.microdata.methods.masking.noise import CorrelatedNoise, Noise


def records(n=20000, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 3)) @ [
        [1.0, 2.0, 0.0],
        [0.0, 1.0, 5.0],
        [0.0, 0.0, 1.0],
    ] + [0.0, 10.0, -5.0]


@pytest.mark.parametrize("alpha", [0.01, 0.25, 2.0])
def test_independent_noise_has_alpha_times_the_variance_and_no_correlation(alpha):
    x = records()
    noise = Noise(alpha=alpha).mask(x, RunContext(seed=1)) - x
    assert np.allclose(noise.var(axis=0) / x.var(axis=0), alpha, rtol=0.05)
    assert np.abs(np.corrcoef(noise.T) - np.eye(3)).max() < 0.04
    assert np.abs(np.corrcoef(noise.T, x.T)[:3, 3:]).max() < 0.04


@pytest.mark.parametrize("alpha", [0.01, 0.25, 2.0])
def test_correlated_noise_has_alpha_times_the_covariance(alpha):
    x = records()
    noise = CorrelatedNoise(alpha=alpha).mask(x, RunContext(seed=1)) - x
    scale = np.outer(x.std(axis=0), x.std(axis=0))
    assert np.abs(np.cov(noise.T) / alpha - np.cov(x.T)).max() < 0.05 * scale.max()
    assert np.abs((np.cov(noise.T) / alpha - np.cov(x.T)) / scale).max() < 0.04


def test_shrinking_restores_mean_and_covariance_in_expectation():
    x = records(400)
    made = CorrelatedNoise(alpha=1.0, shrink=True)
    released = [made.mask(x, RunContext(seed=seed)) for seed in range(300)]
    scale = x.std(axis=0, ddof=1)
    assert np.abs((np.mean([z.mean(axis=0) for z in released], axis=0) - x.mean(axis=0)) / scale).max() < 0.02
    mean_covariance = np.mean([np.cov(z.T) for z in released], axis=0)
    assert np.abs((mean_covariance - np.cov(x.T)) / np.outer(scale, scale)).max() < 0.02
    plain = np.mean(
        [np.cov(CorrelatedNoise(alpha=1.0).mask(x, RunContext(seed=s)).T) for s in range(300)], axis=0
    )
    assert np.abs((plain - 2 * np.cov(x.T)) / np.outer(scale, scale)).max() < 0.04


def test_correlated_noise_keeps_linear_relations():
    parts = np.random.default_rng(0).lognormal(size=(300, 2))
    x = np.column_stack([parts, parts.sum(axis=1)])
    for shrink in (False, True):
        z = CorrelatedNoise(alpha=0.5, shrink=shrink).mask(x, RunContext(seed=1))
        assert np.allclose(z[:, 2], z[:, 0] + z[:, 1], atol=1e-12)


@pytest.mark.parametrize("method", [Noise, CorrelatedNoise])
def test_bounds_hold_and_bounds_of_the_data_are_not_reached(method):
    x = np.random.default_rng(0).exponential(size=(5000, 2))
    z = method(alpha=0.2, lowest=0.0).mask(x, RunContext(seed=1))
    assert z.min() >= 0
    assert (z == 0).sum() == 0, "values are drawn again, not cut off"
    assert z.max() != x.max()
    both = method(alpha=0.2, lowest=-1, highest=20).mask(x, RunContext(seed=1))
    assert both.min() >= -1
    assert both.max() <= 20


def test_noise_within_bounds_follows_the_normal_distribution_cut_off_there():
    from scipy.stats import kstest, truncnorm

    x = np.repeat([[0.0], [1.0], [4.0]], 4000, axis=0)
    spread = np.sqrt(0.5) * x.std(ddof=1)
    z = Noise(alpha=0.5, lowest=0.0).mask(x, RunContext(seed=1))
    for value in (0.0, 1.0, 4.0):
        drawn = z[x[:, 0] == value, 0]
        expected = truncnorm((0 - value) / spread, np.inf, loc=value, scale=spread)
        assert kstest(drawn, expected.cdf).pvalue > 1e-4


def test_values_outside_the_bounds_are_refused_by_count():
    x = np.array([[-1.0], [2.0], [3.0], [-4.0]])
    with pytest.raises(tacita.DataError, match="2 original values lie outside"):
        Noise(lowest=0).mask(x)


def test_bounds_without_room_are_refused():
    with pytest.raises(tacita.ParameterError, match="lowest must be less than highest, got 3 and 3"):
        Noise(lowest=3, highest=3)
    x = np.random.default_rng(0).uniform(0, 1, size=(60, 8))
    with pytest.raises(tacita.DataError, match="found no noise within the bounds"):
        CorrelatedNoise(alpha=100, lowest=0, highest=1).mask(x, RunContext(seed=1))


@pytest.mark.parametrize("alpha", [0, -1, float("nan"), float("inf"), "much"])
def test_a_strength_that_is_none_is_refused(alpha):
    with pytest.raises(tacita.ParameterError, match="alpha must be"):
        Noise(alpha=alpha)


def test_strata_with_the_same_values_do_not_share_their_noise():
    values = np.random.default_rng(0).normal(size=50)
    table = pa.table({"x": np.tile(values, 2), "region": ["a"] * 50 + ["b"] * 50})
    made = tacita.protect(table, quasi="x", strata=["region"], method="noise", seed=SEED, measures=["IL1"])
    noise = made.data["x"].to_numpy() - np.tile(values, 2)
    assert abs(np.corrcoef(noise[:50], noise[50:])[0, 1]) < 0.5


def test_a_stratum_of_two_records_is_refused():
    table = pa.table({"x": [1.0, 2.0, 3.0, 4.0, 9.0], "region": ["a", "a", "a", "b", "b"]})
    with pytest.raises(tacita.DataError, match=r"at least 3 records \(a stratum\), got 2"):
        tacita.protect(table, quasi="x", strata=["region"], method="noise")
