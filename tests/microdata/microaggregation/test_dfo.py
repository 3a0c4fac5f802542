import numpy as np
import pytest
from experiments.published import DFO
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita.core import Partition, Run
from tacita.microdata.microaggregation.dfo import dissolve, divide

# Of the large file one cell here; `python -m experiments microaggregation` prints all of them.
CELLS = [
    (name, k, start, loss)
    for start, files in DFO.items()
    for name, row in files.items()
    for k, loss in row.items()
    if name != "eia" or (k, start) == (10, "gsms-t2")
]


@pytest.mark.long
@pytest.mark.parametrize(("name", "k", "start", "loss"), CELLS)
def test_the_best_of_three_steps_loses_no_more_than_published(benchmark, name, k, start, loss):
    z = benchmark(name)
    begun = tacita.method(start, k=k).partition(z)
    # lazily: where an early step is good enough the others need not run
    found = (tacita.method("dfo", k=k, step=step).partition(z, start=begun) for step in (10, 20, 30))
    assert any(100 * one.sse(z) / (z**2).sum() <= loss for one in found)


@given(seed=st.integers(0, 50), k=st.integers(2, 5), n=st.integers(8, 60), step=st.sampled_from([1, 2.5, 20]))
def test_groups_hold_k_and_nothing_is_worse_than_the_start(seed, k, n, step):
    generator = np.random.default_rng(seed)
    x = generator.integers(0, 6, size=(n, 2)).astype(float)
    start = Partition(generator.permutation(np.arange(n) % (n // k)), k)
    found = tacita.method("dfo", k=k, step=step).partition(x, start=start)
    assert found.sizes.min() >= k
    assert found.sse(x) <= start.sse(x)


def test_the_number_of_groups_is_searched_not_kept():
    blobs = np.repeat(np.arange(12.0) * 100, 5)[:, None]
    x = blobs + np.random.default_rng(0).normal(size=(60, 2))
    found = tacita.method("dfo", k=3).partition(x)
    assert len(tacita.method("mdav", k=3).partition(x)) == 20
    assert len(found) == 12
    assert found.sizes.tolist() == [5] * 12


def test_a_random_origin_repeats_with_its_seed_and_holds_k():
    x = np.random.default_rng(1).normal(size=(90, 3))
    method = tacita.method("dfo", k=4, origin="random")
    one, two, three = (method.partition(x, Run(seed=seed)) for seed in (5, 5, 6))
    assert np.array_equal(one.labels, two.labels)
    assert not np.array_equal(one.labels, three.labels)
    assert min(one.sizes.min(), three.sizes.min()) >= 4


def test_dissolving_and_dividing_change_the_number_of_groups_as_asked():
    x = np.random.default_rng(2).normal(size=(60, 2))
    labels = tacita.method("mdav", k=4).partition(x).labels
    for costliest in (False, True):
        fewer = dissolve(x, labels, 4, costliest)
        assert np.array_equal(np.unique(fewer), np.arange(11))
        kept = np.bincount(fewer) == 4
        assert kept.any()
    assert divide(x, labels, 3).max() == 14 + 3
