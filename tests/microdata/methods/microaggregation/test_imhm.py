import numpy as np
import pytest
from experiments.published import IMHM
from hypothesis import given
from hypothesis import strategies as st

import tacita
from effort import first_of_each
from tacita.core import Partition, RunContext
from tacita.kernels.records.paths import two_opt
from tacita.microdata.methods.microaggregation.imhm import chained, transported
from tacita.microdata.methods.microaggregation.orderings import nearest_next
from twins.relocation import transport_cost

CELLS = [(name, k, loss) for name, row in IMHM.items() for k, loss in row.items() if k <= 10]


@pytest.mark.parametrize(("name", "k", "loss"), first_of_each(CELLS))
def test_losses_are_at_most_the_published_ones(benchmark, name, k, loss):
    z = benchmark(name)
    found = tacita.get_method("imhm", k=k).partition(z)
    assert 100 * found.sse(z) / (z**2).sum() <= loss


@given(
    seed=st.integers(0, 500), k=st.integers(1, 4), groups=st.integers(1, 7), spare=st.integers(0, 12),
    whole=st.booleans(),
)  # fmt: skip
def test_transport_costs_what_linear_programming_says(seed, k, groups, spare, whole):
    generator = np.random.default_rng(seed)
    n = k * groups + spare
    x = generator.normal(size=(n, 2))
    centres = generator.normal(size=(groups, 2)) * 3
    if whole:
        x, centres = np.round(x), np.round(centres)
    labels = transported(x, centres, k)
    assert np.bincount(labels, minlength=groups).min() >= k
    ours = ((x - centres[labels]) ** 2).sum()
    assert ours == pytest.approx(transport_cost(x, centres, k), rel=1e-7, abs=1e-7)


def test_transport_looks_further_where_the_nearest_centres_cannot_be_filled():
    x = np.arange(12.0)[:, None]
    centres = np.array([[0.0], [1.0], [50.0], [60.0]])
    labels = transported(x, centres, 3, nearest=1)
    assert np.bincount(labels).tolist() == [3, 3, 3, 3]


def test_a_chain_visits_everyone_once_and_groups_one_after_the_other():
    x = np.random.default_rng(0).normal(size=(200, 3))
    labels = tacita.get_method("mdav", k=4).partition(x).labels
    order = chained(x, labels)
    assert np.array_equal(np.sort(order), np.arange(200))
    assert np.count_nonzero(np.diff(labels[order])) == labels.max()


def test_two_opt_shortens_the_round_trip():
    points = np.random.default_rng(1).normal(size=(300, 2))
    tour, place = nearest_next(points, RunContext(), 0), np.empty(300, dtype=np.int64)
    place[tour] = np.arange(300)

    def length():
        return np.sqrt(((points[tour] - points[np.roll(tour, 1)]) ** 2).sum(axis=1)).sum()

    before = length()
    near = np.argsort(((points[:, None] - points[None]) ** 2).sum(axis=2), axis=1)[:, 1:11]
    two_opt(points, near, tour, place, 50)
    assert np.array_equal(np.sort(tour), np.arange(300))
    assert np.array_equal(tour[place], np.arange(300))
    assert length() < 0.9 * before


@given(seed=st.integers(0, 50), k=st.integers(2, 5), n=st.integers(8, 60))
def test_groups_hold_k_and_nothing_is_worse_than_the_start(seed, k, n):
    generator = np.random.default_rng(seed)
    x = generator.integers(0, 6, size=(n, 2)).astype(float)
    start = Partition(generator.permutation(np.arange(n) % (n // k)), k)
    found = tacita.get_method("imhm", k=k).partition(x, start=start)
    assert found.sizes.min() >= k
    assert found.sse(x) <= start.sse(x)
