import numpy as np
import pytest
from experiments.published import DFO
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita.core import Partition, RunContext
from tacita.microdata.methods.microaggregation.dfo import HEURISTICS
from tacita.microdata.methods.microaggregation.reassignment import (
    dissolve,
    divide,
    improve_once,
    squared_error,
    with_groups,
)

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
    begun = tacita.get_method(start, k=k).partition(z)
    # lazily: where an early step is good enough the others need not run
    found = (tacita.get_method("dfo", k=k, step=step).partition(z, start=begun) for step in (10, 20, 30))
    assert any(100 * one.sse(z) / (z**2).sum() <= loss for one in found)


@given(seed=st.integers(0, 50), k=st.integers(2, 5), n=st.integers(8, 60), step=st.sampled_from([1, 2.5, 20]))
def test_groups_hold_k_and_nothing_is_worse_than_the_start(seed, k, n, step):
    generator = np.random.default_rng(seed)
    x = generator.integers(0, 6, size=(n, 2)).astype(float)
    start = Partition(generator.permutation(np.arange(n) % (n // k)), k)
    found = tacita.get_method("dfo", k=k, step=step).partition(x, start=start)
    assert found.sizes.min() >= k
    assert found.sse(x) <= start.sse(x)


def test_the_number_of_groups_is_searched_not_kept():
    blobs = np.repeat(np.arange(12.0) * 100, 5)[:, None]
    x = blobs + np.random.default_rng(0).normal(size=(60, 2))
    found = tacita.get_method("dfo", k=3).partition(x)
    assert len(tacita.get_method("mdav", k=3).partition(x)) == 20
    assert len(found) == 12
    assert found.sizes.tolist() == [5] * 12


def test_a_random_origin_repeats_with_its_seed_and_holds_k():
    x = np.random.default_rng(1).normal(size=(90, 3))
    method = tacita.get_method("dfo", k=4, origin="random")
    one, two, three = (method.partition(x, RunContext(seed=seed)) for seed in (5, 5, 6))
    assert np.array_equal(one.labels, two.labels)
    assert not np.array_equal(one.labels, three.labels)
    assert min(one.sizes.min(), three.sizes.min()) >= 4


def test_dissolving_and_dividing_change_the_number_of_groups_as_asked():
    x = np.random.default_rng(2).normal(size=(60, 2))
    labels = tacita.get_method("mdav", k=4).partition(x).labels
    for costliest in (False, True):
        fewer = dissolve(x, labels, 4, costliest)
        assert np.array_equal(np.unique(fewer), np.arange(11))
        kept = np.bincount(fewer) == 4
        assert kept.any()
    assert divide(x, labels, 3).max() == 14 + 3


def test_the_start_may_be_that_of_gsms_t2():
    x = np.random.default_rng(3).normal(size=(60, 2))
    begun = tacita.get_method("gsms-t2", k=3).partition(x)
    found = tacita.get_method("dfo", k=3, origin="gsms-t2").partition(x)
    assert np.array_equal(found.labels, tacita.get_method("dfo", k=3).partition(x, start=begun).labels)
    assert found.sse(x) <= begun.sse(x)


def plain_search(x, labels, k, step, judge):
    """Algorithm 2 of the document, line by line; `judge` gives the labels for so many groups from others."""
    low, high = -(-len(x) // (2 * k - 1)), len(x) // k
    labels = judge(labels, int(labels.max()) + 1)
    error = {int(labels.max()) + 1: squared_error(x, labels)}
    at, gamma, last = int(labels.max()) + 1, float(step), None
    while gamma >= 1:
        way = 0
        for i in (1, 2):
            way = -way if way else -1 if last == "left" else 1
            trial = at + way * max(1, int(gamma))
            if low <= trial <= high and trial not in error:
                found = judge(labels, trial)
                error[trial] = squared_error(x, found)
                if error[trial] < error[at]:
                    labels, at = found, trial
                    last = "right" if way > 0 else "left"
                    gamma *= 2
                    break
            if i == 2:
                last = None
                gamma /= 2
    return labels


@pytest.mark.parametrize("surrogate", list(HEURISTICS))
def test_the_plain_search_is_algorithm_2_line_by_line(surrogate):
    x = np.random.default_rng(4).normal(size=(90, 2))
    x -= x.mean(axis=0)
    start = tacita.get_method("gsms-t2", k=3).partition(x)
    passes, free = HEURISTICS[surrogate]

    def judge(labels, groups):
        labels = with_groups(x, labels, groups, 3)
        for by in passes:
            labels = improve_once(x, labels, 3, by, free, RunContext())
        return labels

    for step in (1, 10):
        method = tacita.get_method("dfo", k=3, step=step, surrogate=surrogate, polish=False)
        found = method.improve(x, start.labels, None, RunContext())
        assert np.array_equal(found, plain_search(x, start.labels, 3, step, judge))
        assert np.bincount(found).min() >= 3


def test_plain_or_at_random_nothing_is_worse_than_the_start_and_seeds_repeat():
    x = np.random.default_rng(5).normal(size=(120, 3))
    start = tacita.get_method("mdav", k=4).partition(x)
    for reach in ("at-hand", "random"):
        method = tacita.get_method("dfo", k=4, surrogate="hmkm", polish=False, reach=reach)
        found = method.partition(x, RunContext(seed=1), start=start)
        assert found.sizes.min() >= 4
        assert found.sse(x) < start.sse(x)
        assert np.array_equal(found.labels, method.partition(x, RunContext(seed=1), start=start).labels)
