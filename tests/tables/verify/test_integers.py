"""Counts are whole: what linear programs leave open and whole numbers do not is found, and no more."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from types import SimpleNamespace

import numpy as np
import pytest

from attacked_tables import odd_triangle
from tacita.core import Problem, RunContext, Table
from tacita.solvers.highs import LinearProgram
from tacita.tables.verify import integers
from tacita.tables.verify.integers import (
    PINNED,
    UNDECIDED,
    IntegerSearch,
    failures_of,
    given_away_by_integers,
)
from tacita.tables.verify.protection_criteria import Judge, counts_whole

# of the odd triangle
HIDDEN = np.arange(7) < 4


def with_level(level: float) -> Table:
    """The odd triangle in which s must be able to move so far."""
    table = odd_triangle()
    return replace(table, lower=table.primary * level, upper=table.primary * level)


def whole_search(table: Table) -> IntegerSearch:
    return IntegerSearch(table, HIDDEN)


@pytest.mark.parametrize(
    ("by", "reached"), [(1.0, True), (2.0, True), (3.0, False), (-1.0, False), (-2.0, False)]
)
def test_a_count_that_moves_by_two_reaches_what_whole_numbers_allow(by, reached):
    # s is 1 or 3
    assert whole_search(odd_triangle()).moves(3, by, 5.0) is reached


@pytest.mark.parametrize(("width", "wide"), [(1.0, True), (2.0, True), (2.5, False), (3.0, False)])
def test_the_width_of_a_count_is_that_of_whole_numbers(width, wide):
    assert whole_search(odd_triangle()).spans(3, width, monotonic() + 5) is wide
    assert whole_search(odd_triangle()).spans(3, width, monotonic() - 1) is None


def test_without_time_nothing_is_decided():
    search = whole_search(odd_triangle())
    assert search.moves(3, 1.0, 0.0) is None
    assert search.moves(3, 1.0, 5.0) is True
    # what cannot be by the bounds alone takes no time
    assert search.moves(3, -2.0, 0.0) is False


@pytest.mark.parametrize(
    ("x", "status", "moves", "spans"),
    [
        (None, "time_limit", None, None),
        # what was found in time moves the cell; how far it could go is not known
        ([-1.0, -1, -1, 2], "time_limit", True, None),
        ([-1.0, -1, -1, 2], "optimal", True, False),
        # what the solver says and does not add up
        ([-1.0, -1, -1, 1], "optimal", None, None),
    ],
)
def test_what_a_solver_did_not_finish_or_got_wrong_is_not_decided(x, status, moves, spans, monkeypatch):
    answer = SimpleNamespace(x=None if x is None else np.array(x), status=status)
    monkeypatch.setattr(LinearProgram, "choose", lambda *_, **__: answer)
    assert whole_search(odd_triangle()).moves(3, 1.0, 5.0) is moves
    assert whole_search(odd_triangle()).spans(3, 1.0, monotonic() + 5) is spans


def test_one_search_answers_for_several_cells():
    """s is 1 or 3, x is 0 or 1: the ends of one say nothing of those of the other."""
    search = whole_search(odd_triangle())
    for _ in range(2):
        assert search.spans(3, 2.0, monotonic() + 5) is True
        assert search.spans(0, 1.0, monotonic() + 5) is True
        assert search.spans(0, 2.0, monotonic() + 5) is False


@pytest.mark.parametrize(
    ("change", "stands"),
    [
        ([-1.0, -1, -1, 2], True),
        ([0.0, 0, 0, 0], True),
        ([-1.0, -1, -1, 1], False),
        ([-0.5, -0.5, -0.5, 1], False),
        ([1.0, 1, 1, -2], False),
        ([-1 + 1e-9, -1, -1, 2], True),
        ([-1 - 1e-9, -1, -1, 2], True),
        # two of three sums hold
        ([-1.0, 0, 0, 1], False),
    ],
)
def test_a_change_stands_if_it_is_whole_within_bounds_and_adds_up(change, stands):
    assert whole_search(odd_triangle()).stands(np.array(change)) is stands


def test_bounds_of_counts_are_taken_inwards():
    search = whole_search(replace(odd_triangle(), low=HIDDEN * 0.5, high=np.where(HIDDEN, 2.5, np.inf)))
    assert search.low.tolist() == [0.0] * 4
    assert search.high.tolist() == [1.0] * 4
    assert search.moves(3, 1.0, 5.0) is False
    exact = whole_search(replace(odd_triangle(), low=HIDDEN * 1e-9, high=np.where(HIDDEN, 3 - 1e-9, np.inf)))
    assert exact.low.tolist() == [-1.0] * 4
    assert exact.high.tolist() == [2.0] * 4


def given_away(table: Table, problem: Problem = "interval") -> list[str]:
    judge = Judge(table, problem)
    found = given_away_by_integers(judge, judge.attacker(HIDDEN), HIDDEN, [3], RunContext())
    assert all((each.cell, each.low, each.high) == (3, 1.0, 1.0) for each in found)
    return [each.reason for each in found]


def test_integer_programs_judge_counts_alone():
    assert given_away(odd_triangle()) == [PINNED]
    assert given_away(replace(odd_triangle(), lower=np.zeros(7))) == []
    assert given_away(replace(odd_triangle(), frequency=False)) == []
    assert counts_whole(odd_triangle())
    assert not counts_whole(replace(odd_triangle(), values=odd_triangle().values * 0.5))
    assert not counts_whole(replace(odd_triangle(), frequency=False))


@pytest.mark.parametrize(
    ("lower", "upper", "reasons"), [(0.0, 2.0, []), (0.0, 3.0, [PINNED]), (1.0, 0.0, [PINNED])]
)
def test_a_count_is_asked_to_move_where_its_level_is(lower, upper, reasons):
    # s is 1 or 3
    one = np.arange(7) == 3
    assert given_away(replace(odd_triangle(), lower=one * lower, upper=one * upper)) == reasons


@pytest.mark.parametrize(("high", "reasons"), [(3.0, []), (2.0, [PINNED])])
def test_against_exact_disclosure_a_count_moves_either_way(high, reasons):
    table = replace(odd_triangle(), high=np.where(np.arange(7) == 3, high, np.inf))
    assert given_away(table, "exact") == reasons


def test_exact_disclosure_that_was_not_decided_in_time_is_no_protection(monkeypatch):
    monkeypatch.setattr(integers, "_SECONDS", -1.0)
    table = replace(odd_triangle(), high=np.where(np.arange(7) == 3, 2.0, np.inf))
    assert given_away(table, "exact") == [UNDECIDED]


def test_a_movement_of_real_numbers_that_is_whole_is_enough():
    """All are 5: s rises by two where the others fall by one."""
    table = replace(with_level(2.0), values=np.array([5.0, 5, 5, 5, 15, 15, 15]))
    assert given_away_at(table, 5.0) == []


def given_away_at(table: Table, value: float) -> list[tuple[str, float]]:
    return [(each.reason, each.low - value) for each in failures_of(Judge(table, "interval"), HIDDEN, [3])]


def test_real_numbers_and_whole_ones_are_asked_one_after_the_other():
    real = Judge(odd_triangle(), "interval")
    assert real.failure(real.attacker(HIDDEN), 3, 3) is None
    assert given_away_at(odd_triangle(), 1.0) == [(PINNED, 0.0)]
    assert given_away_at(replace(odd_triangle(), frequency=False), 1.0) == []


def test_what_was_not_decided_in_time_is_no_protection(monkeypatch):
    monkeypatch.setattr(integers, "_SECONDS", -1.0)
    assert given_away(with_level(0.5)) == [UNDECIDED]
