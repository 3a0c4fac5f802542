import numpy as np
import pytest
from experiments.published import GSMS, GSMS_T2
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import tacita
from effort import first_of_each
from tacita.core import Partition
from twins.successive import dissolve, gsms

# Whole numbers add and subtract exactly, so twin and kernel must agree on every tie.
whole_numbers = arrays(
    float, st.tuples(st.integers(4, 24), st.integers(1, 5)), elements=st.integers(-4, 4).map(float)
)


def loss(z, name, k):
    return 100 * tacita.get_method(name, k=k).partition(z).sse(z) / (z**2).sum()


@pytest.mark.parametrize(
    ("name", "k", "wanted"), first_of_each((f, k, v) for f, row in GSMS.items() for k, v in row.items())
)
def test_losses_are_those_of_the_literature(benchmark, name, k, wanted):
    # printed to 0.01; Census at k = 5 is printed as 8.67, two independent programmes of ours give 8.686
    assert loss(benchmark(name), "gsms", k) == pytest.approx(wanted, abs=0.02 if k == 5 else 0.01)


@pytest.mark.parametrize(
    ("name", "k", "wanted"), first_of_each((f, k, v) for f, row in GSMS_T2.items() for k, v in row.items())
)
def test_the_second_phase_reaches_the_checked_losses_or_less(benchmark, name, k, wanted):
    # less where a group of 2k or more is cut, which the checked programme left out
    found = loss(benchmark(name), "gsms-t2", k)
    assert found <= wanted + 0.0006
    assert found == pytest.approx(wanted, abs=0.07 if name == "eia" else 0.01)


@given(x=whole_numbers, k=st.integers(2, 5))
def test_kernel_equals_plain_twin_ties_included(x, k):
    if len(x) >= k:
        assert_same_groups(tacita.get_method("gsms", k=k).partition(x).labels, gsms(x, k))


@pytest.mark.parametrize(("n", "k"), [(80, 2), (101, 3), (120, 7)])
def test_kernel_equals_plain_twin_where_lists_are_used_up(n, k):
    # all records around one point, so that the same neighbours are wanted by many
    x = np.random.default_rng(n).standard_t(2, size=(n, 2))
    assert_same_groups(tacita.get_method("gsms", k=k).partition(x).labels, gsms(x, k))


def test_kernel_equals_plain_twin_where_many_records_are_alike():
    x = np.random.default_rng(2).integers(0, 3, size=(120, 2)).astype(float)
    assert_same_groups(tacita.get_method("gsms", k=3).partition(x).labels, gsms(x, 3))


@given(x=whole_numbers, k=st.integers(2, 4), groups=st.integers(1, 6))
def test_the_second_phase_equals_its_plain_twin_before_cutting(x, k, groups):
    groups = max(1, min(groups, len(x) // k))
    start = Partition(np.arange(len(x)) % groups, k)
    made = tacita.get_method("gsms-t2", k=k)
    found = made.partition(x, start=start)
    twin = dissolve(x, start.labels)
    assert found.sse(x) <= Partition(twin, k).sse(x) + 1e-9
    assert found.sizes.max() < 2 * k or found.sse(x) == pytest.approx(start.sse(x))
    if np.bincount(twin).max() < 2 * k:
        assert_same_groups(found.labels, twin)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_second_phase_equals_its_plain_twin_on_real_numbers(k):
    x = np.random.default_rng(k).standard_t(2, size=(150, 3))
    start = tacita.get_method("gsms", k=k).partition(x)
    twin = dissolve(x, start.labels)
    found = tacita.get_method("gsms-t2", k=k).partition(x).labels
    assert len(np.unique(twin)) < len(start), "no group was dissolved, the test is idle"
    small = np.bincount(twin)[twin] < 2 * k
    assert_same_groups(found[small], twin[small])


@given(x=whole_numbers, k=st.integers(2, 4))
@pytest.mark.parametrize("start", ["mdav", "kward", "one group", "pairs of groups"])
def test_the_second_phase_never_worsens_a_start(x, k, start):
    if len(x) < k:
        return
    if start == "one group":
        given_start = Partition(np.zeros(len(x), dtype=int), k)
    elif start == "pairs of groups":
        given_start = Partition(np.minimum(np.arange(len(x)) // (2 * k), max(0, len(x) // (2 * k) - 1)), k)
    else:
        given_start = tacita.get_method(start, k=k).partition(x)
    found = tacita.get_method("gsms-t2", k=k).partition(x, start=given_start)
    assert found.sse(x) <= given_start.sse(x) * (1 + 1e-12) + 1e-12


def test_a_single_large_start_group_is_cut():
    x = np.random.default_rng(0).normal(size=(40, 2))
    found = tacita.get_method("gsms-t2", k=3).partition(x, start=Partition(np.zeros(40, dtype=int), 3))
    assert 3 <= found.sizes.min() <= found.sizes.max() < 6


def assert_same_groups(ours, theirs):
    assert np.array_equal(Partition(ours, 1).labels, Partition(theirs, 1).labels)
