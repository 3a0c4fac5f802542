"""Planted failures for mutants that lived: what is asked of a cell, what is a failure, and what is said."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from tacita.core import Contributors, Table
from tacita.tables.rules.frequency import MinimumFrequency
from tacita.tables.verify import mixed_sums
from tacita.tables.verify.audit import audit
from tacita.tables.verify.insiders import INSIDER
from tacita.tables.verify.judge import Judge, with_known_zeros

PAIR = np.array([True, True, False])


def pair(first=100.0, second=50.0, **fields):
    """Two cells under a published total, of which the first one is sensitive."""
    return Table.from_array([first, second], primary=[True, False], **fields)


def place(judge):
    """An attacker of both cells."""
    return judge.attacker(PAIR)


# how far a cell must be able to go


@pytest.mark.parametrize(
    ("values", "fields", "asked"),
    [
        # a count that need only move: by one
        ((100.0, 50.0), {"frequency": True}, (1.0, 1.0)),
        ((5000.0, 50.0), {"frequency": True}, (1.0, 1.0)),
        # an amount: by a thousandth, or a unit
        ((2.0, 50.25), {}, (0.01, 0.01)),
        ((5000.0, 50.25), {}, (5.0, 5.0)),
        # no farther than it can fall
        ((5000.0, 4999.0), {"bounds": (4998.0, np.inf)}, (2.0, 5.0)),
    ],
)
def test_a_cell_that_need_only_move_is_moved_by_a_small_step(values, fields, asked):
    judge = Judge(pair(*values, **fields).with_published_unit(), "exact")
    assert judge.demand(place(judge), 0, 0) == pytest.approx(asked)


@pytest.mark.parametrize(
    ("frequency", "level", "width", "asked"),
    [
        # the first cell can rise by 50, so the rest is a fall
        (False, (0.0, 0.0), 90.0, (40.0, 50.0)),
        (False, (0.0, 0.0), 30.5, (0.0, 30.5)),
        (True, (0.0, 0.0), 30.5, (1.0, 30.0)),
        # a level on one side is kept
        (False, (70.0, 0.0), 90.0, (70.0, 20.0)),
        (False, (0.0, 49.5), 90.0, (40.0, 50.0)),
        (True, (0.0, 49.5), 90.0, (40.0, 50.0)),
    ],
)
def test_a_width_is_asked_of_both_sides_as_far_as_each_can_go(frequency, level, width, asked):
    table = pair(lower=[level[0], 0], upper=[level[1], 0], sliding=[width, 0], frequency=frequency)
    judge = Judge(table, "interval")
    assert judge.demand(place(judge), 0, 0) == asked


def test_of_others_it_is_asked_whether_they_can_be_computed():
    judge = Judge(pair(lower=[5, 0], upper=[5, 0]), "interval")
    low, high = judge.range_of(place(judge), 1, 1, brief=True)
    assert low < high


@pytest.mark.parametrize(
    ("frequency", "level", "sought"),
    [
        # without a level it is enough that a cell moves, either way: a count by one, an amount by anything
        (True, 0.0, [1.0, 0.0]),
        (False, 0.0, [np.nextafter(0.0, 1.0), 0.0]),
        # counts are whole, so what is asked of one is
        (True, 2.5, [3.0, 3.0]),
        (False, 2.5, [2.5, 2.5]),
    ],
)
def test_no_more_is_sought_than_a_verdict_needs(frequency, level, sought):
    judge = Judge(pair(lower=[level, 0], upper=[level, 0], frequency=frequency), "interval")
    enough = []
    engine = SimpleNamespace(network=True, reach=lambda *asked: enough.append(asked[2]) or asked[2])
    judge.range_of(engine, 0, 0, brief=True)
    assert enough == sought


@pytest.mark.parametrize(("low", "high", "moves"), [(1.0, 2.0, False), (1.0, 1.0, True)])
def test_a_cell_is_open_only_where_it_has_a_range_and_moves(low, high, moves):
    judge = Judge(pair(1.0, 2.0), "exact")
    assert (
        judge.fault(SimpleNamespace(moves=lambda _: moves), 0, 0, low, high)[0] == "can be computed exactly"
    )
    assert judge.fault(SimpleNamespace(moves=lambda _: True), 0, 0, 1.0, 2.0) == ("", 0.0)


def test_published_zeros_raise_lower_bounds_and_never_lessen_one():
    table = pair(4.0, 3.0, frequency=True)
    assert with_known_zeros(table, PAIR, "interval", "publish").low.tolist() == [1.0, 1.0, 1.0]
    known = table.with_bounds(np.array([0.0, 2.0, 0.0]), np.inf)
    assert with_known_zeros(known, PAIR, "interval", "publish").low.tolist() == [1.0, 2.0, 1.0]
    negative = table.with_bounds(np.array([0.0, -2.0, 0.0]), np.inf)
    assert with_known_zeros(negative, PAIR, "interval", "publish").low.tolist() == [1.0, -2.0, 1.0]


# what the audit says


def test_failures_are_found_by_their_reason():
    found = audit(pair(), np.zeros(3, dtype=bool), "exact")
    assert found.cells_that_fail("published") == [0]
    assert found.cells_that_fail("can be computed exactly", "too narrow") == []


def known_parts():
    """Who holds 45 of the second cell knows that the first is 105 at most."""
    made = Contributors.of([[60.0, 40.0], [45.0, 5.0], [60.0, 45.0, 40.0, 5.0]], 2)
    made = replace(made, holders=np.array([[0, 1], [2, 3], [0, 2]]))
    return replace(pair(lower=[1.0, 0.0], upper=[5.5, 0.0]), contributors=made)


@pytest.mark.parametrize("demanded", [False, True])
def test_what_contributors_know_is_a_warning_or_where_they_were_demanded_a_failure(demanded):
    found = audit(known_parts(), PAIR, insiders=demanded)
    assert found.safe is not demanded
    assert {failure.reason for failure in found.failures} == ({INSIDER} if demanded else set())
    assert ("insiders" in {caution.name for caution in found.cautions}) is not demanded


def test_somebody_who_guesses_signs_knows_that_a_suppressed_zero_does_not_fall():
    table = pair(5.0, 0.0, lower=[1.0, 0.0], upper=[1.0, 0.0], bounds=(-np.inf, np.inf))
    found = audit(table, PAIR, "interval", zeros="withhold")
    assert found.safe
    assert {caution.name: caution.count for caution in found.cautions}["sign-guessed"] == 1


# sums of several lines


def block():
    """Four ones whose sum is that of two rows less that of a column."""
    table = Table.from_array([[6, 1, 1], [6, 1, 1], [20, 5, 5]], frequency=True)
    table = replace(table, contributors=Contributors.counts(table.values))
    flags = MinimumFrequency(threshold=5).flag_table(table)
    return table.with_primary(
        flags.mask, flags.lower, flags.upper, flags.sliding, (MinimumFrequency(threshold=5),)
    )


@pytest.mark.parametrize(("most", "found"), [(7, 0), (8, 1)])
def test_of_parts_that_are_too_large_no_sums_of_several_lines_are_sought(monkeypatch, most, found):
    table = block()
    hidden = table.inner & (table.values != 20)
    monkeypatch.setattr(mixed_sums, "_MOST", most)
    sets = [cells.tolist() for cells in mixed_sums.mixed_sums(table, hidden) if cells.size == 4]
    assert len(sets) == found
