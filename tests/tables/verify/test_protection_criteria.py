"""Planted failures of what is asked of a cell: how far it must be able to go, and what it is known to be."""

from types import SimpleNamespace

import numpy as np
import pytest

from attacked_tables import PAIR, pair
from tacita.tables.verify.protection_criteria import Judge, with_known_zeros


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
