import numpy as np
import pytest
from experiments.published import MDAV

import tacita
from tacita.core import Partition, RunContext
from tacita.microdata.methods.microaggregation.genetic import _crossed


@pytest.mark.each_once
@pytest.mark.parametrize("block", [None, 10, 60])
@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("n", [7, 13, 14, 60, 200])
def test_never_worse_than_mdav_and_no_group_of_2k(n, k, block):
    x = np.random.default_rng(n).normal(size=(n, 2))
    found = tacita.get_method("ga", k=k, block=block, generations=3, population=4).partition(x)
    assert found.sse(x) <= tacita.get_method("mdav", k=k).partition(x).sse(x) * (1 + 1e-12)
    assert k <= found.sizes.min() <= found.sizes.max() < 2 * k


@pytest.mark.parametrize("x", [np.ones((20, 1)), np.repeat([[0.0], [1.0]], 11, axis=0)])
def test_repeated_records_are_no_obstacle_in_blocks_either(x):
    found = tacita.get_method("ga", k=3, block=10).partition(x)
    assert found.sizes.min() >= 3
    assert found.sse(x) <= tacita.get_method("mdav", k=3).partition(x).sse(x)


def test_one_column_comes_to_the_proven_best():
    x = np.random.default_rng(3).normal(size=(60, 1))
    best = tacita.get_method("hm", k=3).partition(x).sse(x)
    found = tacita.get_method("ga", k=3).partition(x).sse(x)
    assert best * (1 - 1e-12) <= found <= best * 1.02


def test_a_child_has_whole_groups_of_one_parent_and_the_rest_of_the_other():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    first, second = rng.permutation(np.arange(60) // 3), rng.permutation(np.arange(60) // 4)
    child = _crossed(x, first, second, rng)
    inherited = child < 20
    assert 0 < inherited.sum() < 60
    assert np.array_equal(child[inherited], first[inherited])
    assert np.array_equal(child[~inherited], second[~inherited] + 20)
    assert not set(first[inherited]) & set(first[~inherited])


def test_same_seed_same_groups_and_another_seed_searches_elsewhere():
    x = np.random.default_rng(0).normal(size=(150, 5))
    made = tacita.get_method("ga", k=3, generations=2, population=4)
    first = made.partition(x, RunContext(seed=1)).labels
    assert np.array_equal(first, made.partition(x, RunContext(seed=1)).labels)
    assert not np.array_equal(first, made.partition(x, RunContext(seed=2)).labels)


def test_cancelling_stops_between_generations():
    heard = []

    def evolving():
        return any(one.stage == "evolving groups" for one in heard)

    with pytest.raises(tacita.Cancelled, match="evolving groups"):
        tacita.get_method("ga", k=3).partition(
            np.random.default_rng(0).normal(size=(60, 2)),
            RunContext(on_progress=heard.append, should_cancel=evolving),
        )


@pytest.mark.parametrize(
    ("name", "bar"), [pytest.param("census", 5.1, marks=pytest.mark.long), ("tarragona", 16.0)]
)
def test_few_generations_are_enough_to_lose_clearly_less_than_mdav(benchmark, name, bar):
    z = benchmark(name)
    found = tacita.get_method("ga", k=3, generations=15, population=10).partition(z)
    loss = 100 * Partition(found.labels, 3).sse(z) / (z**2).sum()
    print(f"ga on {name}: {loss:.3f}, MDAV published {MDAV[name][3]}")
    assert loss < bar < MDAV[name][3]
