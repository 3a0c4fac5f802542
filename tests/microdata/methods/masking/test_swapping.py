"""Rank swapping: the same values, each near where it was in rank."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from effort import MANY
from tacita.core import RunContext
from tacita.kernels.records.swapping import pair_ranks
from tacita.microdata.methods.masking.swapping import RankSwap
from twins.swapping import paired_ranks


@MANY
@given(st.integers(1, 70), st.integers(1, 80), st.integers(0, 10**6))
def test_the_kernel_pairs_as_the_plain_twin_does(n, reach, seed):
    draws = np.random.default_rng(seed).random(n)
    partner = np.empty(n, dtype=np.int64)
    pair_ranks(reach, draws, partner)
    assert partner.tolist() == paired_ranks(n, reach, draws.tolist())


def test_the_draw_next_to_one_takes_the_last_free_rank():
    draws = np.full(7, np.nextafter(1.0, 0.0))
    partner = np.empty(7, dtype=np.int64)
    pair_ranks(3, draws, partner)
    assert partner.tolist() == paired_ranks(7, 3, draws.tolist())


def test_all_free_ranks_within_reach_are_equally_likely():
    counts = np.zeros(6)
    partner = np.empty(6, dtype=np.int64)
    for draw in (np.arange(600) + 0.5) / 600:
        pair_ranks(5, np.full(6, draw), partner)
        counts[partner[0]] += 1
    assert counts.tolist() == [0, 120, 120, 120, 120, 120]


@given(st.integers(10, 200), st.floats(10, 100), st.integers(0, 10**6))
def test_swaps_are_mutual_and_at_most_p_percent_apart(n, p, seed):
    x = np.random.default_rng(seed).permutation(n).astype(float).reshape(-1, 1)
    z = RankSwap(p=p).mask(x, RunContext(seed=seed))
    assert np.array_equal(np.sort(z, axis=0), np.sort(x, axis=0))
    assert np.abs(z - x).max() <= p * n / 100
    came_from = dict(zip(x[:, 0], z[:, 0], strict=True))
    assert all(came_from[came_from[value]] == value for value in came_from)


def test_few_values_stay_where_they_were():
    x = np.random.default_rng(0).normal(size=(2000, 3))
    z = RankSwap(p=5).mask(x, RunContext(seed=1))
    assert (z == x).mean() < 0.02


def test_correlations_weaken_with_p():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3000, 2)) @ [[1.0, 0.9], [0.0, 0.4]]
    found = [np.corrcoef(RankSwap(p=p).mask(x, RunContext(seed=1)).T)[0, 1] for p in (1, 10, 40)]
    assert np.corrcoef(x.T)[0, 1] > found[0] > found[1] > found[2]


def test_less_than_one_rank_is_refused():
    with pytest.raises(tacita.DataError, match="less than one rank"):
        RankSwap(p=5).mask(np.arange(10.0).reshape(-1, 1))
