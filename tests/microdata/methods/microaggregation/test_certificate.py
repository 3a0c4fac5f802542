"""Lower bounds hold, whatever the data, whenever the proof ends."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import tacita
from effort import DEAR
from tacita.core import Cancelled, DataError, ParameterError, Partition, RunContext
from tacita.microdata.methods.microaggregation.bounding import Pricing, least_shares
from tacita.microdata.methods.microaggregation.certificate import certify, instant_bound
from tacita.microdata.methods.microaggregation.set_partitioning import Columns, broken_triples
from twins.groups import groups_of, least_error, squared_error, value

ROUNDING = 1e-9


@st.composite
def problems(draw, most=9):
    """Few records, on a coarse grid so that ties, duplicates and constant columns are common."""
    k = draw(st.integers(2, 4))
    n = draw(st.integers(k, most))
    grid = st.integers(-3, 3).map(float) | st.floats(-100, 100, allow_nan=False, width=32)
    x = draw(arrays(np.float64, (n, draw(st.integers(2, 3))), elements=grid))
    return x, k


def blocks(n, k):
    return Partition(np.minimum(np.arange(n) // k, n // k - 1), k)


def mixture(n, d, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 4 * rng.integers(0, 4, size=(n, 1))


@given(problems())
@DEAR
def test_bounds_never_exceed_the_optimum_and_a_proven_optimum_is_one(problem):
    x, k = problem
    least = least_error(x, k)
    slack = ROUNDING * (1 + float((x**2).sum()))
    assert instant_bound(x, k) <= least + slack
    proof = certify(x, k, blocks(len(x), k))
    assert proof.lower_bound <= least + slack
    assert proof.sse >= least - slack
    assert proof.sse == pytest.approx(proof.partition.sse(x), abs=slack)
    if proof.proven_optimal:
        assert proof.sse == pytest.approx(least, rel=1e-6, abs=slack)


@given(problems(most=12), st.integers(0, 4), st.integers(0, 2**32 - 1))
@DEAR
def test_bounds_never_exceed_a_random_partition(problem, effort, seed):
    x, k = problem
    shuffled = Partition(blocks(len(x), k).labels[np.random.default_rng(seed).permutation(len(x))], k)
    proof = certify(x, k, shuffled, effort=effort)
    slack = ROUNDING * (1 + float((x**2).sum()))
    assert instant_bound(x, k) <= proof.lower_bound + slack
    assert proof.lower_bound <= proof.sse <= shuffled.sse(x) + slack
    assert 0 <= proof.gap <= 1


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_optimum_of_twelve_records_is_found_and_proven(k):
    x = mixture(12, 2, seed=k)
    proof = certify(x, k, blocks(12, k))
    assert proof.proven_optimal
    assert proof.sse == pytest.approx(least_error(x, k), rel=1e-7)


@given(problems(most=10), st.integers(0, 2**32 - 1))
def test_the_search_finds_the_group_worth_most(problem, seed):
    x, k = problem
    n = len(x)
    rng = np.random.default_rng(seed)
    prices = rng.exponential(max(1e-3, float(x.var())), n)
    triples = np.array(list(combinations(range(n), 3))[:: max(1, n // 2)], dtype=np.int64).reshape(-1, 3)
    fines = rng.exponential(prices.mean(), len(triples))
    pricing = Pricing(x, k, least_shares(x, k, RunContext()) + 1e-9)
    pricing.fined(triples, fines)
    worths = {group: value(x, group, prices, triples, fines) for group in groups_of(n, k)}
    slack = ROUNDING * (1 + float(prices.sum() + (x**2).sum()))

    found = pricing.price(prices, 0, False, 10**6, lambda: False).groups
    values = [value(x, group[group >= 0], prices, triples, fines) for group in found]
    assert max([0.0, *values]) == pytest.approx(max(0.0, *worths.values()), abs=slack)

    repaired = pricing.price(prices, 0, True, 10**6, lambda: False).prices
    assert (repaired <= prices + slack).all()
    assert max(value(x, group, repaired, triples, fines) for group in worths) <= slack

    hurried = pricing.price(prices, 0, True, 2, lambda: False).prices
    assert max(value(x, group, hurried, triples, fines) for group in worths) <= slack

    floor = float(np.median(list(worths.values()))) - 2 * slack
    listed = pricing.within(prices, -floor, len(worths) + 1, 10**6, lambda: False)
    rows = {tuple(sorted(row[row >= 0].tolist())) for row in listed}
    assert rows >= {group for group, worth in worths.items() if worth > floor + slack}
    assert len(rows) == len(listed)
    if len(listed):
        assert pricing.within(prices, -floor, len(listed) - 1, 10**6, lambda: False) is None


def test_columns_are_kept_once_with_their_squared_error():
    x = mixture(10, 2)
    pricing = Pricing(x, 3, least_shares(x, 3, RunContext()))
    columns = Columns(10, 3, pricing.errors_of)
    assert columns.add(np.array([[2, 1, 0, -1, -1], [0, 1, 2, -1, -1], [5, 9, 7, 8, 6]])) == 2
    assert columns.add(np.array([[9, 8, 7, 6, 5], [1, 2, 3, -1, -1]])) == 1
    wanted = [squared_error(x, row[row >= 0]) for row in columns.groups]
    np.testing.assert_allclose(columns.costs, wanted, rtol=1e-12)


def test_broken_triples_are_those_that_weights_serve_more_than_once():
    x = mixture(9, 2)
    columns = Columns(9, 2, Pricing(x, 2, least_shares(x, 2, RunContext())).errors_of)
    columns.add(np.array([[0, 1, -1], [1, 2, -1], [0, 2, -1], [3, 4, 5], [3, 4, 6], [7, 8, -1]]))
    weights = np.array([0.5, 0.5, 0.5, 0.6, 0.3, 1.0])
    none = np.empty((0, 3), dtype=np.int64)
    assert broken_triples(columns, weights, none, 10).tolist() == [[0, 1, 2]]
    assert len(broken_triples(columns, weights, np.array([[0, 1, 2]]), 10)) == 0


def test_more_rounds_never_lower_the_bound():
    x = mixture(40, 3)
    start = tacita.get_method("mdav", k=3).partition(x)
    bounds = [certify(x, 3, start, effort=effort).lower_bound for effort in (0, 1, 4, 12, 40)]
    # a bound counts up to the tolerance of the solver
    assert (np.diff(bounds) >= -1e-7 * start.sse(x)).all()
    assert bounds[-1] > bounds[0]
    assert bounds[0] == instant_bound(x, 3)


@pytest.mark.long
def test_a_good_partition_of_a_mixture_is_proven_best_or_bettered():
    x = mixture(60, 3)
    start = tacita.get_method("mdav", k=3).partition(x)
    proof = certify(x, 3, start)
    assert proof.gap < 0.005
    assert proof.sse <= start.sse(x)
    again = certify(x, 3, start)
    assert (again.lower_bound, again.columns, again.rounds) == (
        proof.lower_bound,
        proof.columns,
        proof.rounds,
    )
    assert again.partition.labels.tolist() == proof.partition.labels.tolist()
    pooled = certify(x, 3, start, pool=[proof.partition], effort=1)
    assert pooled.sse == pytest.approx(proof.sse)


@pytest.fixture(scope="module")
def proof_of_forty():
    return certify(mixture(40, 3), 3, blocks(40, 3))


@pytest.mark.parametrize(
    "scale",
    [1e-100, pytest.param(1e-6, marks=pytest.mark.long), pytest.param(1e6, marks=pytest.mark.long), 1e60],
)
def test_the_unit_of_the_data_does_not_weaken_the_proof(proof_of_forty, scale):
    here, there = proof_of_forty, certify(scale * mixture(40, 3), 3, blocks(40, 3))
    assert there.gap == pytest.approx(here.gap, abs=1e-6)
    assert there.lower_bound == pytest.approx(here.lower_bound * scale**2, rel=1e-6)


def test_an_outlier_does_not_weaken_the_proof():
    x = mixture(60, 3)
    x[7, 1] = 1e12
    assert certify(x, 3, blocks(60, 3)).gap < 1e-6


def test_one_column_is_settled_exactly():
    x = np.random.default_rng(3).exponential(size=(200, 1))
    proof = certify(x, 4, blocks(200, 4))
    assert proof.proven_optimal
    assert proof.gap == 0
    assert proof.sse == tacita.get_method("hm", k=4).partition(x).sse(x - x.mean())


def test_records_all_alike_cost_nothing():
    proof = certify(np.full((12, 3), 7.5), 3, blocks(12, 3))
    assert proof.proven_optimal
    assert (proof.lower_bound, proof.sse, proof.gap) == (0, 0, 0)


def test_large_groups_are_cut_before_they_are_priced():
    x = mixture(30, 2)
    whole = Partition(np.zeros(30, dtype=np.int64), 3)
    assert certify(x, 3, whole).sse < 0.5 * whole.sse(x)


def test_a_partition_with_units_is_not_replaced_by_one_that_may_break_them():
    x = mixture(24, 2)
    kept = Partition(np.arange(24) % 8, 3, units=np.arange(24) // 2)
    proof = certify(x, 3, kept)
    assert proof.partition is kept
    assert proof.lower_bound < proof.sse


def test_no_time_still_leaves_the_instant_bound():
    x = mixture(50, 3)
    proof = certify(x, 3, blocks(50, 3), seconds=0.0)
    assert proof.lower_bound == instant_bound(x, 3)
    assert proof.rounds == 0


def test_cancelling_ends_the_proof():
    x = mixture(50, 3)
    calls = iter(range(1000))
    with pytest.raises(Cancelled):
        certify(x, 3, blocks(50, 3), RunContext(should_cancel=lambda: next(calls) > 5))


def test_progress_ends_at_its_total():
    heard = []
    certify(mixture(20, 2), 3, blocks(20, 3), RunContext(on_progress=heard.append))
    assert heard[-1].share == 1


def test_what_cannot_be_certified_is_refused():
    x = mixture(10, 2)
    with pytest.raises(DataError, match="wanted a partition of 10 records"):
        certify(x, 3, blocks(9, 3))
    with pytest.raises(DataError, match="groups of at least 4"):
        certify(x, 4, blocks(10, 3))
    with pytest.raises(ParameterError, match="effort"):
        certify(x, 3, blocks(10, 3), effort=-1)
    with pytest.raises(DataError, match="needs at least 11 records"):
        instant_bound(x, 11)
