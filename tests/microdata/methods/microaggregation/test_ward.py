import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import tacita
from tacita.core import Partition, RunContext
from tacita.microdata.methods.microaggregation.ward import farthest_two, ward_labels
from twins.ward import kward

whole_numbers = arrays(
    float, st.tuples(st.integers(2, 40), st.integers(1, 4)), elements=st.integers(-4, 4).map(float)
)


@pytest.mark.each_once
@pytest.mark.parametrize(("n", "d", "k"), [(30, 1, 2), (60, 2, 3), (60, 5, 4), (60, 3, 9)])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("growth", ["seed", "centroid"])
def test_chains_give_what_merging_the_cheapest_pair_gives(n, d, k, seed, growth):
    x = np.random.default_rng(seed).standard_t(3, size=(n, d))
    theirs = np.empty(n, dtype=int)
    for number, group in enumerate(kward(x, k, growth=growth)):
        theirs[group] = number
    ours = tacita.get_method("kward", k=k, growth=growth).partition(x)
    assert np.array_equal(ours.labels, Partition(theirs, k).labels)


@given(x=whole_numbers, k=st.integers(2, 6), growth=st.sampled_from(["seed", "centroid"]))
def test_groups_hold_k_to_2k_records_whatever_ties(x, k, growth):
    if len(x) >= k:
        sizes = Partition(ward_labels(x, k, RunContext(), growth), k).sizes
        assert sizes.max() < 2 * k


@given(x=whole_numbers)
def test_the_farthest_two_are_the_lowest_of_those_that_tie(x):
    gap = ((x[:, None] - x[None]) ** 2).sum(axis=2)
    r, s = farthest_two(x)
    assert (r, s) == (np.unravel_index(gap.argmax(), gap.shape) if gap.any() else (0, 1))


def test_a_spread_sphere_is_searched_as_well():
    x = np.random.default_rng(0).normal(size=(400, 3))
    x /= np.linalg.norm(x, axis=1)[:, None]
    gap = ((x[:, None] - x[None]) ** 2).sum(axis=2)
    r, s = farthest_two(x)
    assert gap[r, s] == pytest.approx(gap.max(), rel=1e-12)


# Our own figures, for want of published ones that we could read: they guard against change by accident.
@pytest.mark.parametrize(("name", "losses"), [("tarragona", {3: 16.211, 5: 21.834, 10: 36.728}),
                                              ("census", {3: 5.991, 5: 9.066, 10: 14.092})])  # fmt: skip
def test_losses_stay_as_they_were(benchmark, name, losses):
    z = benchmark(name)
    for k, wanted in losses.items():
        found = tacita.get_method("kward", k=k).partition(z)
        assert 100 * found.sse(z) / (z**2).sum() == pytest.approx(wanted, abs=0.001)
