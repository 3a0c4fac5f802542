"""Random orthogonal matrix masking: exact moments whatever the data, from the identity to a fresh sample."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita.core import RunContext
from tacita.microdata.methods.masking.orthogonal import ROMM


def off(x, z):
    """How far means and covariances are apart, on the scale of the standard deviations."""
    scale = x.std(axis=0, ddof=1)
    scale = np.where(scale > 0, scale, 1.0)
    means = np.abs((z - x).mean(axis=0)) / scale
    covariances = np.abs(np.cov(z.T) - np.cov(x.T)) / np.outer(scale, scale)
    return max(means.max(), np.max(covariances))


@given(st.integers(1, 6), st.integers(0, 60), st.integers(1, 6), st.floats(1e-3, 1e4), st.integers(0, 10**6))
def test_means_and_covariances_are_exact_for_any_size_and_rank(d, more, rank, strength, seed):
    rng = np.random.default_rng(seed)
    n = 2 * d + 3 + more
    x = rng.lognormal(size=(n, min(rank, d))) @ rng.normal(size=(min(rank, d), d)) + rng.normal(size=d)
    assert off(x, ROMM(strength=strength).mask(x, RunContext(seed=seed))) < 1e-12


def test_linear_relations_stay():
    rng = np.random.default_rng(0)
    parts = rng.lognormal(size=(200, 2))
    x = np.column_stack([parts, parts.sum(axis=1), 3 * parts[:, 0] - 7])
    z = ROMM(strength=3).mask(x, RunContext(seed=1))
    assert np.allclose(z[:, 2], z[:, 0] + z[:, 1], atol=1e-11)
    assert np.allclose(z[:, 3], 3 * z[:, 0] - 7, atol=1e-11)


@pytest.mark.parametrize("strength", [0.1, 0.5, 1.0, 3.0])
def test_originals_and_masked_correlate_as_said(strength):
    x = np.random.default_rng(0).normal(size=(20000, 2))
    z = ROMM(strength=strength).mask(x, RunContext(seed=1))
    for j in range(2):
        assert np.corrcoef(x[:, j], z[:, j])[0, 1] == pytest.approx(1 / np.sqrt(1 + strength**2), abs=0.02)


def test_a_strong_one_is_a_uniformly_random_frame():
    # of a Haar frame in n - 1 dimensions, the square of one coordinate along any axis has mean 1 / (n - 1)
    x = np.arange(9.0).reshape(-1, 1)
    direction = (x[:, 0] - 4) / np.sqrt(60)
    squares = [
        float(direction @ (ROMM(strength=1e5).mask(x, RunContext(seed=seed))[:, 0] - 4) / np.sqrt(60)) ** 2
        for seed in range(800)
    ]
    assert np.mean(squares) == pytest.approx(1 / 8, abs=0.02)


def test_columns_far_from_zero_and_of_unlike_size_keep_their_moments():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3)) * [1e-3, 1.0, 1e6] + [5.0, -200.0, 1e7]
    assert off(x, ROMM().mask(x, RunContext(seed=1))) < 1e-11


def test_rounding_is_refused_since_it_breaks_the_promise():
    frame = {"x": list(range(40))}
    with pytest.raises(tacita.ParameterError, match="rounding would break"):
        tacita.protect(pa.table(frame), quasi="x", method="romm", round_integers=True)
    made = tacita.protect(pa.table(frame), quasi="x", method="romm", measures=["IL1"])
    assert made.data["x"].type == pa.float64()
