"""Blocks for large files: borders leave no trace in the promises, and hardly one in the loss."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita.core import ParameterError, Partition, RunContext
from tacita.kernels.records import annealing, move_costs
from tacita.kernels.records.distance import nearest_in_windows
from tacita.microdata.methods.microaggregation import neighbours
from tacita.microdata.methods.microaggregation.annealing import Walks
from tacita.microdata.methods.microaggregation.best import Best
from tacita.microdata.methods.microaggregation.blocks import Blocks
from tacita.microdata.methods.microaggregation.neighbours import cut_order, nearest_by_cuts
from twins import neighbouring

KINDS = ["normal", "skewed", "clustered", "whole", "copies", "line"]


def drawn(kind, n, d, seed=0):
    generator = np.random.default_rng(seed)
    normal = generator.normal(size=(n, d))
    some = 5 * generator.normal(size=(max(2, n // 30), d))
    x = {
        "normal": normal,
        "skewed": np.exp(1.5 * normal),
        "clustered": some[generator.integers(0, len(some), n)] + normal,
        "whole": generator.integers(0, 5, size=(n, d)).astype(float),
        "copies": some[generator.integers(0, len(some), n)],
        "line": normal[:, :1] @ np.ones((1, d)),
    }[kind]
    return np.ascontiguousarray(x - x.mean(axis=0))


def spread(kind, n, seed=0):
    """Units of some records each, one with a third of all, or as many as there are records."""
    generator = np.random.default_rng(seed)
    if kind == "alone":
        return np.arange(n)
    return generator.integers(0, n // 4, n) if kind == "small" else np.maximum(0, np.arange(n) - n // 3)


@given(
    kind=st.sampled_from(KINDS),
    n=st.integers(2, 70),
    d=st.sampled_from([1, 3, 5]),
    width=st.sampled_from([4, 16, 128]),
    seed=st.integers(0, 10**6),
)
def test_lists_hold_the_nearest_of_all_windows(kind, n, d, width, seed):
    x, generator = drawn(kind, n, d, seed), np.random.default_rng(seed)
    orders = [generator.permutation(n) for _ in range(3)]
    near, gaps = np.full((n, 5), -1, dtype=np.int32), np.full((n, 5), np.inf)
    for order in orders:
        # in two calls, as by two threads
        border = n // 2 // width * width
        nearest_in_windows(x, order, width, 0, border, near, gaps)
        nearest_in_windows(x, order, width, border, n, near, gaps)
    for row, expected in enumerate(neighbouring.nearest_in_windows(x, orders, width, 5)):
        assert near[row][near[row] >= 0].tolist() == expected
        assert np.all(np.diff(gaps[row][: len(expected)]) >= 0)


def test_large_files_get_nearly_the_true_neighbours():
    x = drawn("normal", 7000, 4)
    x = np.ascontiguousarray(x[cut_order(x)])
    near = nearest_by_cuts(x, 10, RunContext())
    rows = np.arange(0, 7000, 70)
    gaps = ((x[rows, None] - x[None]) ** 2).sum(axis=2)
    gaps[np.arange(100), rows] = np.inf
    true = np.argsort(gaps, axis=1)[:, :10]
    found = [len(set(near[row].tolist()) & set(best.tolist())) for row, best in zip(rows, true, strict=True)]
    assert np.mean(found) > 9
    assert all(len(set(row.tolist())) == 10 for row in near[rows])


def test_copies_do_not_all_list_the_same_few():
    near = nearest_by_cuts(np.zeros((128, 2)), 10, RunContext())
    assert np.bincount(near.ravel(), minlength=128).max() <= 25


def walk_over(x, k, units=None):
    labels = tacita.get_method("mdav", k=k).partition(x, units=units).labels
    kept = np.bincount(labels)[labels] < 2 * k
    x, units = np.ascontiguousarray(x[kept]), None if units is None else units[kept]
    labels = np.unique(labels[kept], return_inverse=True)[1]
    return Walks(x, labels, k, np.array([7], dtype=np.uint64), RunContext(threads=1), k + 6, units)


@given(
    seed=st.integers(0, 10_000),
    k=st.sampled_from([2, 3, 4]),
    kind=st.sampled_from(["normal", "skewed", "whole"]),
    units=st.sampled_from([None, "small", "large"]),
)
def test_skipping_what_has_not_changed_leaves_the_descent_as_it_is(seed, k, kind, units):
    n = 9 * k + 2
    made = walk_over(drawn(kind, n, 3, seed), k, None if units is None else spread(units, n, seed))
    state = made.states[0]
    annealing.walk(state, k, made.random[0], np.arange(len(state.x), dtype=np.int32), 200, 0.3)
    move_costs.settle(state)
    least = 1e-9 * (state.x**2).sum()
    groups = [rows[:size].tolist() for rows, size in zip(state.members, state.sizes, strict=True)]
    given_units = state.units if units else None
    expected = neighbouring.descend(state.x, groups, state.near[:, :6], k, least, given_units)
    looks = annealing.no_looks(len(state.x), len(state.sizes))
    while annealing.descend(state, k, least, 0, len(state.x), 6, looks):
        pass
    assert np.array_equal(state.labels, expected)


@given(
    seed=st.integers(0, 10_000),
    k=st.sampled_from([2, 3, 5]),
    kind=st.sampled_from(["normal", "whole"]),
    units=st.sampled_from(["small", "large"]),
)
def test_a_walk_never_takes_a_unit_that_a_group_needs(seed, k, kind, units):
    n = 14 * k + 3
    made = walk_over(drawn(kind, n, 2, seed), k, spread(units, n, seed))
    state = made.states[0]
    for temperature in (1e9, 0.3, 0.01):
        before = state.labels.copy()
        annealing.walk(state, k, made.random[0], np.arange(len(state.x), dtype=np.int32), 2000, temperature)
        # a partition with fewer cannot be made
        Partition(state.labels.astype(np.int64), k, state.units)
        assert temperature < 1 or not np.array_equal(before, state.labels)


@given(
    n=st.integers(250, 900),
    k=st.sampled_from([2, 3, 7, 30]),
    kind=st.sampled_from(KINDS),
    units=st.sampled_from(["none", "small", "large"]),
    inside=st.sampled_from(["mdav", "vmdav", "projection"]),
)
def test_borders_of_blocks_cost_no_group_its_records_or_units(n, k, kind, units, inside):
    x = drawn(kind, n, 3, n)
    given_units = None if units == "none" else spread(units, n, n)
    method = Blocks(k=k, block=100, inside=inside, moves=2)
    inside_blocks = method.group(x, given_units, RunContext())
    found = method.partition(x, units=given_units)
    for labels in (inside_blocks, found.labels):
        Partition(labels, k, given_units)
    assert found.sse(x) <= Partition(inside_blocks, 1).sse(x)
    if given_units is None:
        assert found.sizes.max() < 2 * k


def test_a_unit_that_fills_a_block_alone_does_not_stay_alone():
    x = drawn("normal", 1000, 2)
    order = cut_order(x)
    units = np.empty(1000, dtype=np.int64)
    # the whole first half of the cuts is one firm
    units[order] = np.maximum(0, np.arange(1000) - 500)
    found = Blocks(k=4, block=100).partition(x, units=units)
    assert all(len(np.unique(units[found.labels == group])) >= 4 for group in range(len(found)))


@pytest.mark.each_once
@pytest.mark.parametrize("k", [3, 10])
@pytest.mark.parametrize("kind", KINDS)
def test_blocks_lose_no_more_than_mdav_of_the_whole_file(kind, k):
    x = drawn(kind, 12_000, 4)
    whole = tacita.get_method("mdav", k=k).partition(x)
    assert Blocks(k=k).partition(x).sse(x) <= whole.sse(x) * (1 + 1e-12)


def test_with_units_blocks_lose_no_more_than_mdav_of_the_whole_file():
    x, units = drawn("normal", 12_000, 4), spread("small", 12_000)
    whole = tacita.get_method("mdav", k=3).partition(x, units=units)
    assert Blocks(k=3).partition(x, units=units).sse(x) < whole.sse(x)


def test_the_number_of_threads_changes_nothing_and_the_seed_does():
    x = drawn("skewed", 7000, 3)
    method = Blocks(k=3, block=500)
    one, two, four = (method.partition(x, RunContext(threads=threads)).labels for threads in (1, 2, 4))
    assert np.array_equal(one, two)
    assert np.array_equal(one, four)
    assert not np.array_equal(one, method.partition(x, RunContext(seed=5)).labels)


def test_told_that_it_is_enough_it_keeps_what_it_has_and_cancelled_nothing():
    x = drawn("normal", 7000, 3)
    stages = []

    def told():
        return stages.count("annealing groups") >= 100

    def steered(**asked):
        stages.clear()
        return RunContext(on_progress=lambda heard: stages.append(heard.stage), threads=1, **asked)

    method = Blocks(k=3, block=1000, moves=50)
    start = Partition(method.group(x, None, RunContext()), 3)
    found = method.partition(x, steered(should_stop=told))
    assert told()
    assert found.sse(x) < start.sse(x)
    assert found.sse(x) > method.partition(x).sse(x)
    at_once = method.partition(x, RunContext(should_stop=lambda: True))
    assert np.array_equal(at_once.labels, start.labels)
    with pytest.raises(tacita.Cancelled):
        method.partition(x, steered(should_cancel=told))


def test_a_file_of_one_block_is_grouped_by_the_method_inside_and_bettered():
    x = drawn("clustered", 600, 3)
    whole = tacita.get_method("cbfs", k=4).partition(x)
    method = Blocks(k=4, inside="CBFS")
    assert np.array_equal(Partition(method.group(x, None, RunContext()), 4).labels, whole.labels)
    assert method.partition(x).sse(x) < whole.sse(x)


@pytest.mark.parametrize("inside", ["hm", "blocks"])
def test_a_method_that_cannot_group_blocks_is_refused_by_name(inside):
    with pytest.raises(ParameterError, match=rf"{inside} does not group blocks .* these do: mdav, "):
        Blocks(inside=inside)


@pytest.mark.parametrize("units", [None, "small"])
def test_best_starts_from_blocks_above_ten_thousand_records(monkeypatch, units):
    asked = []

    def group(self, x, units, run):
        asked.append(len(x))
        return blocked(self, x, units, run)

    blocked = Blocks.group
    monkeypatch.setattr(Blocks, "group", group)
    for n in (10_000, 10_001):
        x = drawn("normal", n, 2)
        given_units = None if units is None else spread(units, n)
        found = Best(k=5, effort=0.2).partition(x, units=given_units)
        assert found.sizes.min() >= 5
    assert asked == [10_001]


def test_neighbours_are_exact_where_all_pairs_are_measured(monkeypatch):
    x = drawn("normal", 300, 2)
    assert np.array_equal(neighbours.search_order(x), np.arange(300))
    monkeypatch.setattr(neighbours, "SETTINGS", replace(neighbours.SETTINGS, all_pairs_records=100))
    assert sorted(neighbours.search_order(x)) == list(range(300))
    assert not np.array_equal(neighbours.search_order(x), np.arange(300))
