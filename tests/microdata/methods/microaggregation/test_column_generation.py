"""Groups made and chosen by programmes: what comes out is a partition, never worse than what went in."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from effort import DEAR
from tacita.core import Partition, RunContext
from tacita.microdata.methods.microaggregation.best import Best
from tacita.microdata.methods.microaggregation.bounding import Pricing, least_shares
from tacita.microdata.methods.microaggregation.column_generation import (
    QUICK,
    Care,
    Generation,
    dive,
    tightened,
)
from tacita.microdata.methods.microaggregation.recombination import polish, recombine, regroup
from tacita.microdata.methods.microaggregation.set_partitioning import (
    Columns,
    Limits,
    as_groups,
    as_labels,
    no_triples,
    squared_errors,
)
from twins.groups import groups_of, least_error, squared_error


def records(seed, n, d=3, tied=False):
    generator = np.random.default_rng(seed)
    x = generator.integers(0, 4, size=(n, d)) if tied else generator.normal(size=(n, d))
    return np.ascontiguousarray(x - x.mean(axis=0))


def mdav(x, k):
    return tacita.get_method("mdav", k=k).partition(x).labels


def generation(x, k, most=200):
    pricing = Pricing(x, k, least_shares(x, k, RunContext()))
    return Generation(pricing, as_groups(mdav(x, k), k), most, lambda: False)


def is_a_partition(groups, n, k):
    members = groups[groups >= 0]
    sizes = (groups >= 0).sum(axis=1)
    return sorted(members.tolist()) == list(range(n)) and sizes.min() >= k


@given(seed=st.integers(0, 10_000), k=st.integers(1, 5), more=st.integers(0, 30))
def test_groups_and_labels_say_the_same_and_large_groups_are_cut(seed, k, more):
    generator = np.random.default_rng(seed)
    labels = generator.permutation(np.arange(3 * k + more) % 3)
    groups = as_groups(labels, k)
    sizes = (groups >= 0).sum(axis=1)
    assert k <= sizes.min() <= sizes.max() <= 2 * k - 1
    assert is_a_partition(groups, len(labels), k)
    again = as_labels(groups, len(labels))
    assert len({(new, old) for new, old in zip(again, labels, strict=True)}) == len(groups)
    x = generator.normal(size=(len(labels), 2))
    wanted = [squared_error(x, row[row >= 0]) for row in groups]
    np.testing.assert_allclose(squared_errors(x, groups), wanted, atol=1e-12)


def test_recombination_finds_the_best_mixture_of_two_partitions():
    x = np.repeat(np.arange(8.0) * 10, 3)[:, None] + np.tile([0.0, 0.1, 0.2], 8)[:, None]
    right = np.repeat(np.arange(8), 3)
    one, two = right.copy(), right.copy()
    one[[2, 3]] = one[[3, 2]]
    two[[20, 21]] = two[[21, 20]]
    found = Partition(recombine(x, one, 3, as_groups(two, 3), Limits(10)), 3)
    assert np.array_equal(found.labels, right)


@given(seed=st.integers(0, 10_000), k=st.integers(2, 4), tied=st.booleans(), left=st.sampled_from([0, 6, 15]))
def test_a_dive_fixes_groups_that_do_not_overlap_and_leaves_the_rest_free(seed, k, tied, left):
    x = records(seed, 8 * k + 3, tied=tied)
    made = generation(x, k)
    made.generate(12)
    rows, free = dive(made.columns, made.triples, left)
    members = made.columns.groups[rows]
    members = members[members >= 0]
    assert len(set(members.tolist())) == len(members)
    assert sorted(members.tolist() + np.flatnonzero(free).tolist()) == list(range(len(x)))
    # what is free can be grouped
    assert free.sum() == 0 or free.sum() >= k


def test_a_dive_takes_a_step_back_that_leaves_no_partition():
    columns = Columns(6, 2, lambda groups: np.array([0.1, 3.0, 3.0, 3.0])[: len(groups)])
    # the cheap group is in no partition of those known
    columns.add(np.array([[1, 2, -1], [0, 1, -1], [2, 3, -1], [4, 5, -1]]))
    rows, free = dive(columns, no_triples(), 0)
    assert rows.tolist() == [1, 2, 3]
    assert not free.any()


@given(seed=st.integers(0, 10_000), k=st.integers(2, 4), tied=st.booleans())
@DEAR
def test_what_is_combined_is_a_partition_however_few_are_left_to_the_integer_programme(seed, k, tied):
    x = records(seed, 9 * k + 1, tied=tied)
    made = generation(x, k)
    made.generate(12)
    made.add_triples(1e-5)
    for care in (QUICK, Care(near=50, left=3 * k**3, questions=5)):
        assert is_a_partition(made.combined(care, Limits(care.questions)), len(x), k)


@pytest.mark.parametrize("thorough", [False, True])
@pytest.mark.parametrize(("n", "k"), [(11, 3), (12, 4), (12, 2)])
def test_groups_made_anew_are_the_best_where_everything_can_be_tried(n, k, thorough):
    x = records(n + k, n, 2)
    labels = mdav(x, k)
    found = regroup(x, labels, k, as_groups(labels, k), thorough, RunContext())
    assert Partition(found, k).sse(x) == pytest.approx(least_error(x, k))


@pytest.mark.long
@given(seed=st.integers(0, 10_000), k=st.integers(2, 4), tied=st.booleans(), tries=st.integers(0, 6))
@DEAR
def test_polishing_leaves_a_partition_that_is_no_worse(seed, k, tied, tries):
    x = records(seed, 50, tied=tied)
    made = generation(x, k)
    made.widen((12,))
    groups = as_groups(np.random.default_rng(seed).permutation(np.arange(50) // k % (50 // k)), k)
    mended = polish(made, groups, tries, Limits(20))
    assert is_a_partition(mended, 50, k)
    assert squared_errors(x, mended).sum() <= squared_errors(x, groups).sum() * (1 + 1e-12)


def test_polishing_mends_what_two_records_in_wrong_groups_lose():
    x = records(3, 240, d=2)
    made = generation(x, 3)
    made.widen((12, 20))
    good = as_labels(made.combined(QUICK, Limits(30)), 240)
    made.columns.add(as_groups(good, 3))
    spoilt = good.copy()
    far = int(((x - x[0]) ** 2).sum(axis=1).argmax())
    spoilt[[0, far]] = spoilt[[far, 0]]
    mended = polish(made, as_groups(spoilt, 3), 10, Limits(30))
    errors = [squared_errors(x, as_groups(each, 3)).sum() for each in (good, spoilt)]
    assert squared_errors(x, mended).sum() < errors[0] + 0.1 * (errors[1] - errors[0])


def test_polishing_ends_when_cancelled():
    x = records(4, 60)
    made = generation(x, 3)
    made.widen((12,))
    groups = as_groups(np.arange(60) // 3, 3)
    assert polish(made, groups, 9, Limits(30, lambda: True)) is groups


def test_groups_made_anew_lose_less_than_annealing_alone_and_repeat():
    x = records(3, 240, 6)
    alone = Best(k=3, effort=2, recombine=False).partition(x)
    method = Best(k=3, effort=10, starts=1)
    assert method._shares(len(x), 10_000_000)[1] == "quick"
    found = method.partition(x)
    assert found.sse(x) < alone.sse(x)
    assert np.array_equal(found.labels, method.partition(x).labels)


def test_a_stopped_regrouping_returns_what_it_started_from():
    x = records(4, 90)
    labels = mdav(x, 3)
    found = regroup(x, labels, 3, as_groups(labels, 3), True, RunContext(should_stop=lambda: True))
    assert np.array_equal(found, labels)


@given(seed=st.integers(0, 10_000), k=st.integers(2, 4), above=st.floats(1.0, 1.5))
def test_a_tightened_bound_holds_for_every_partition_below_the_error_asked_about(seed, k, above):
    n = 10
    x = records(seed, n, 2)
    least = least_error(x, k)
    pricing = Pricing(x, k, least_shares(x, k, RunContext()))
    candidates = Columns(n, k, pricing.errors_of)
    everything = np.full((len(list(groups_of(n, k))), 2 * k - 1), -1)
    for row, group in zip(everything, groups_of(n, k), strict=True):
        row[: len(group)] = group
    candidates.add(everything)
    kept, triples, bound = tightened(candidates, no_triples(), least * above * (1 + 1e-6), lambda: False)
    assert bound <= least * (1 + 1e-9)
    choice = kept.choose(triples, None, Limits(1000))
    assert kept.costs[choice.chosen].sum() == pytest.approx(least)


def test_a_programme_that_is_cancelled_has_nothing_or_a_feasible_choice():
    x = records(5, 60)
    made = generation(x, 3)
    made.generate(12)
    start = made.columns.rows_of(made.start)
    choice = made.columns.choose(no_triples(), start, Limits(1000, lambda: True))
    assert not choice.closed
    assert choice.chosen is None or is_a_partition(made.columns.groups[choice.chosen], 60, 3)


def test_a_choice_that_is_no_partition_is_not_believed(monkeypatch):
    import highspy

    columns = Columns(4, 2, lambda groups: np.ones(len(groups)))
    columns.add(np.array([[0, 1, -1], [2, 3, -1], [1, 2, -1]]))

    class Wrong:
        col_value = (1.0, 0.0, 1.0)

    assert columns.choose(no_triples(), None, Limits(100)).chosen.tolist() == [0, 1]
    monkeypatch.setattr(highspy.Highs, "getSolution", lambda _: Wrong())
    choice = columns.choose(no_triples(), None, Limits(100))
    assert choice.chosen is None
    assert not choice.closed
