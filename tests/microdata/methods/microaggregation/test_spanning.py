import numpy as np
import pytest
from experiments.published import MST_D
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform

import tacita
from effort import first_of_each
from tacita.core import Partition, RunContext
from tacita.microdata.methods.microaggregation.spanning import components, spanning_tree
from twins import tree

# Whole numbers add and subtract exactly, so twin and kernel must agree on every tie.
whole_numbers = arrays(
    float, st.tuples(st.integers(4, 24), st.integers(1, 4)), elements=st.integers(-4, 4).map(float)
)
CUTS = {"mst-d": tree.from_both_ends, "mst-c": tree.from_outside}


@pytest.mark.parametrize(
    ("name", "k", "wanted"), first_of_each((f, k, v) for f, row in MST_D.items() for k, v in row.items())
)
def test_losses_are_those_of_the_literature(benchmark, name, k, wanted):
    z = benchmark(name)
    found = tacita.get_method("mst-d", k=k).partition(z)
    # printed to 0.01, and not always rounded upwards
    assert 100 * found.sse(z) / (z**2).sum() == pytest.approx(wanted, abs=0.0125)


@pytest.mark.parametrize(("n", "d"), [(2, 1), (50, 1), (300, 3), (200, 13)])
def test_the_tree_weighs_what_scipy_says(n, d):
    x = np.random.default_rng(n).normal(size=(n, d))
    _, length, _ = spanning_tree(x, RunContext())
    theirs = minimum_spanning_tree(squareform(pdist(x))).sum()
    assert np.sqrt(length).sum() == pytest.approx(theirs, rel=1e-12)


@given(x=whole_numbers, k=st.integers(2, 5))
def test_components_equal_those_of_a_plain_twin_ties_included(x, k):
    if len(x) >= k:
        assert_same_groups(components(x, k, RunContext()), tree.components(x, k))


@pytest.mark.parametrize("name", CUTS)
@given(x=whole_numbers, k=st.integers(2, 4))
def test_groups_equal_those_of_a_plain_twin_ties_included(name, x, k):
    if len(x) >= k:
        theirs = tree.cut(x, tree.components(x, k), k, CUTS[name])
        assert_same_groups(tacita.get_method(name, k=k).partition(x).labels, theirs)


@pytest.mark.parametrize("name", CUTS)
@pytest.mark.parametrize("k", [2, 3, 6])
def test_groups_equal_those_of_a_plain_twin_on_real_numbers(name, k):
    x = np.random.default_rng(k).normal(size=(120, 5))
    theirs = tree.cut(x, tree.components(x, k), k, CUTS[name])
    assert_same_groups(tacita.get_method(name, k=k).partition(x).labels, theirs)


@pytest.mark.parametrize("name", CUTS)
def test_no_group_holds_2k(name):
    x = np.random.default_rng(1).normal(size=(500, 4))
    assert tacita.get_method(name, k=4).partition(x).sizes.max() < 8


def assert_same_groups(ours, theirs):
    assert np.array_equal(Partition(ours, 1).labels, Partition(theirs, 1).labels)
