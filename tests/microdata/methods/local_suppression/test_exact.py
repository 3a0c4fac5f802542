"""Local suppression: the least cost, bounds, and what the usual count hides."""

import numpy as np
import pytest

from tacita.core import RunContext
from tacita.microdata.methods.local_suppression.local import LocalSuppression

from . import slow_twin

READINGS = ("category", "wildcard")


def case(number):
    """Keys of a few records, with gaps, units, importance, or combinations of m keys in some."""
    rng = np.random.default_rng(number)
    n = int(rng.integers(4, 7))
    d = int(rng.integers(2, 4)) if n < 5 else 2
    k = 2 if n > 5 else int(rng.integers(2, 4))
    codes = rng.integers(-1 if number % 3 == 0 else 0, 3, (n, d))
    units = rng.integers(0, n - 1, n) if number % 4 == 1 else None
    if units is not None and np.unique(units).size < k:
        units = np.arange(n) % k
    weights = np.ones(d) if number % 2 else rng.integers(1, 4, d).astype(float)
    m = int(rng.integers(1, d + 1)) if number % 5 == 0 else None
    return codes, weights, k, m, units


@pytest.mark.each_once
@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("block", range(12))
def test_the_cost_is_the_least_over_all_subsets_of_cells(block, reading):
    wildcard = reading == "wildcard"
    for number in range(10 * block, 10 * block + 10):
        codes, weights, k, m, units = case(number)
        least = slow_twin.least_cost(codes, weights, k, wildcard=wildcard, m=m, units=units)
        for options in (20_000, 0):
            method = LocalSuppression(k=k, missing_as=reading, m=m, options=options)
            found = method.suppress(codes, weights, RunContext(), units=units)
            released = slow_twin.emptied(codes, found.cells)
            assert slow_twin.keeps(codes, released, k, wildcard=wildcard, m=m, units=units), number
            assert found.lower_bound <= least + 1e-9 <= (found.cells @ weights).sum() + 2e-9, number
            if options:
                assert (found.cells @ weights).sum() == pytest.approx(least), number
                assert found.status == "optimal", number


def test_whoever_is_alike_is_compatible_so_that_wildcards_never_cost_more():
    rng = np.random.default_rng(5)
    for _ in range(10):
        codes = rng.integers(0, 4, (40, 3))
        costs = [
            LocalSuppression(missing_as=each).suppress(codes, np.ones(3), RunContext()).cells.sum()
            for each in READINGS
        ]
        assert costs[1] <= costs[0]


@pytest.mark.parametrize("reading", READINGS)
def test_many_records_keep_the_promise_near_the_bound(reading):
    rng = np.random.default_rng(8)
    codes = np.minimum(rng.geometric(0.45, (700, 5)), 6)
    weights = np.array([1.0, 2.0, 1.5, 1.0, 3.0])
    found = LocalSuppression(k=3, missing_as=reading, options=0).suppress(codes, weights, RunContext())
    assert slow_twin.keeps(codes, slow_twin.emptied(codes, found.cells), 3, wildcard=reading == "wildcard")
    assert 0.7 * (found.cells @ weights).sum() <= found.lower_bound <= (found.cells @ weights).sum()


def test_a_column_of_more_importance_is_withheld_less_often():
    codes = np.random.default_rng(2).integers(0, 4, (60, 3))
    cells = [
        LocalSuppression(k=3).suppress(codes, np.array(weights), RunContext()).cells.sum(axis=0)
        for weights in ([1.0, 1.0, 1.0], [5.0, 1.0, 1.0])
    ]
    assert cells[1][0] < cells[0][0]


def greedy_peer(codes, k):
    """As peers do it: who is short by the count of shown patterns loses one cell after another."""
    released = codes.copy()
    columns = range(codes.shape[1])
    while True:
        counts = [sum(slow_twin.agree(a, b, columns) for b in released) for a in released]
        short = [i for i, count in enumerate(counts) if count < k and (released[i] >= 0).any()]
        if not short:
            return released
        i = short[0]
        gains = []
        for j in np.flatnonzero(released[i] >= 0):
            tried = released[i].copy()
            tried[j] = -1
            gains.append((-sum(slow_twin.agree(tried, b, columns) for b in released), -j))
        released[i, -min(gains)[1]] = -1


def test_the_usual_count_of_patterns_can_leave_a_person_alone():
    # three alike, and one who differs in one key: without it, four patterns are compatible with each other
    codes = np.array([[0, 0], [0, 0], [0, 0], [0, 1]])
    released = greedy_peer(codes, 3)
    assert released.tolist() == [[0, 0], [0, 0], [0, 0], [0, -1]]
    # yet whoever knows the key (0, 1) finds one compatible record, the right one
    assert [slow_twin.agree(codes[3], row, range(2)) for row in released] == [False, False, False, True]
    assert not slow_twin.keeps(codes, released, 3, wildcard=True)
    found = LocalSuppression(k=3, missing_as="wildcard").suppress(codes, np.ones(2), RunContext())
    assert found.cells.sum() == 3
    assert slow_twin.keeps(codes, slow_twin.emptied(codes, found.cells), 3, wildcard=True)


def test_empty_records_that_are_compatible_with_everybody_protect_nobody():
    codes = np.arange(12).reshape(6, 2)
    blank = codes.copy()
    blank[:2] = -1
    # every original is compatible with three released records, and still four of these name one person
    assert all(sum(slow_twin.agree(a, b, range(2)) for b in blank) >= 3 for a in codes[2:])
    assert not slow_twin.keeps(codes, blank, 3, wildcard=True)


def test_told_that_it_is_enough_it_keeps_the_promise_all_the_same():
    codes = np.random.default_rng(4).integers(0, 5, (300, 4))
    for reading in READINGS:
        run = RunContext(should_stop=lambda: True)
        found = LocalSuppression(missing_as=reading).suppress(codes, np.ones(4), run)
        assert found.status == "heuristic"
        assert slow_twin.keeps(
            codes, slow_twin.emptied(codes, found.cells), 3, wildcard=reading == "wildcard"
        )


def test_keys_beyond_the_room_of_a_number_are_told_apart():
    codes = np.random.default_rng(6).integers(0, 4000, (200, 8))
    codes[:, 4:] = codes[:, :1] % 3
    found = LocalSuppression(k=3).suppress(codes, np.ones(8), RunContext())
    assert slow_twin.keeps(codes, slow_twin.emptied(codes, found.cells), 3, wildcard=False)


def test_solving_parts_again_never_costs_more_and_keeps_the_promise():
    codes = np.minimum(np.random.default_rng(9).geometric(0.4, (100, 4)), 6)
    weights = np.array([1.0, 1.0, 2.0, 1.0])
    plainly, again = (
        LocalSuppression(k=3, options=options).suppress(codes, weights, RunContext()) for options in (0, 1)
    )
    assert (again.cells @ weights).sum() < (plainly.cells @ weights).sum()
    assert again.status == "heuristic"
    assert slow_twin.keeps(codes, slow_twin.emptied(codes, again.cells), 3, wildcard=False)
