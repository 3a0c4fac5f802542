"""Searches among leaves find what a scan over all records finds: farthest, nearest, ties, some gone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita.core import Partition
from tacita.kernels.records.pruning_tree import (
    cut,
    empty_leaves,
    farthest_place,
    fill,
    nearest_places,
    remove,
)
from twins.mdav import mdav


def drawn(kind, n, d, seed):
    generator = np.random.default_rng(seed)
    normal = generator.normal(size=(n, d))
    some = generator.normal(size=(max(2, n // 30), d))
    return {
        "random": normal,
        "clustered": 10 * some[generator.integers(0, len(some), n)] + normal,
        "skewed": np.exp(normal),
        "duplicated": some[generator.integers(0, len(some), n)],
        "low rank": normal[:, :1] @ generator.normal(size=(1, d)),
        "constant": np.full((n, d), 0.1),
        "whole": generator.integers(-2, 3, size=(n, d)).astype(float),
    }[kind]


KINDS = ["random", "clustered", "skewed", "duplicated", "low rank", "constant", "whole"]


def in_leaves(x):
    columns, leaves = np.ascontiguousarray(x.T), empty_leaves(*x.shape)
    leaves.rows[: len(x)] = np.arange(len(x))
    cut(columns, leaves.rows, len(x), leaves.keys)
    leaves.origin[:] = x.mean(axis=0)
    fill(columns, len(x), leaves)
    return leaves


def gaps(x, point):
    """Squares added in column order, as the kernels do."""
    total = np.zeros(len(x))
    for column, here in zip(x.T, point, strict=True):
        total += (column - here) ** 2
    return total


@pytest.mark.parametrize("n", [1, 15, 16, 17, 255, 256, 257, 513, 1200])
def test_cuts_lose_no_record(n):
    x = drawn("clustered", n, 3, n)
    leaves = in_leaves(x)
    assert sorted(leaves.rows[:n].tolist()) == list(range(n))
    assert int(leaves.block_left.sum()) == int(leaves.left.sum()) == n


@given(
    kind=st.sampled_from(KINDS),
    n=st.integers(2, 700),
    d=st.sampled_from([1, 2, 5, 9]),
    seed=st.integers(0, 10**6),
    share=st.sampled_from([0.0, 0.3, 0.9]),
)
def test_searches_are_those_of_a_scan(kind, n, d, seed, share):
    x, generator = drawn(kind, n, d, seed), np.random.default_rng(seed)
    leaves = in_leaves(x)
    place = np.argsort(leaves.rows[:n])
    gone = generator.random(n) < share
    gone[generator.integers(n)] = False
    for row in np.flatnonzero(gone):
        remove(place[row], leaves)
    here = np.flatnonzero(~gone)
    units = generator.integers(0, 4, n)
    for point in (x[generator.integers(n)], x.mean(axis=0), 3 * generator.normal(size=d)):
        distances = gaps(x, point)
        far = farthest_place(point, leaves)
        assert leaves.rows[far] == here[np.argmax(distances[here])]
        order = here[np.lexsort([here, distances[here]])]
        chosen, best = np.empty(3, dtype=np.int64), np.empty(3)
        nearest_places(point, int(place[0]), leaves, units, -1, False, chosen, best)
        assert leaves.rows[chosen[chosen >= 0]].tolist() == order[:3].tolist()
        nearest_places(point, int(place[0]), leaves, units, 2, True, chosen, best)
        others = [row for row in order if units[row] != 2]
        first = [row for at, row in enumerate(others) if units[row] not in units[others[:at]]]
        assert leaves.rows[chosen[chosen >= 0]].tolist() == first[:3]


def test_nothing_is_found_where_all_are_gone():
    leaves = in_leaves(drawn("random", 20, 2, 0))
    for place in range(20):
        remove(place, leaves)
    assert farthest_place(np.zeros(2), leaves) == -1


@pytest.mark.each_once
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("growth", ["seed", "centroid"])
def test_groups_are_those_of_the_plain_twin_on_every_kind_of_data(kind, k, growth):
    # whole numbers below 2^20 add and subtract exactly: twin and kernel must agree on every tie
    x = np.round(64 * drawn(kind, 900, 4, k))
    for end_rule in ("3k", "2k"):
        labels = tacita.get_method("mdav", k=k, end_rule=end_rule, growth=growth).partition(x).labels
        assert np.array_equal(labels, Partition(mdav(x, k, None, end_rule, growth), 1).labels)


@pytest.mark.each_once
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("growth", ["seed", "centroid"])
def test_groups_of_units_are_those_of_the_plain_twin_on_every_kind_of_data(kind, growth):
    x, units = np.round(64 * drawn(kind, 700, 3, 8)), np.arange(700) * 7 % 200
    labels = tacita.get_method("mdav", k=3, growth=growth).partition(x, units=units).labels
    assert np.array_equal(labels, Partition(mdav(x, 3, units, "3k", growth), 1).labels)
