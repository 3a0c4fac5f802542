"""Contributors who know their own part of every suppressed cell: one step too close is found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attacked_tables import PAIR, known_parts, tied
from tacita.core import Contributors, RunContext, Table
from tacita.tables.verify.audit import audit
from tacita.tables.verify.insiders import INSIDER, insider_leaks
from tacita.tables.verify.integers import failures_of
from tacita.tables.verify.protection_criteria import Judge


def leaks_of(table: Table) -> tuple[list[str], int]:
    judge = Judge(table, "interval")
    found, unjudged = insider_leaks(judge, judge.attacker(PAIR), PAIR, [0], RunContext())
    assert not list(judge.failures(PAIR, [0]))
    return [leak.failure.reason for leak in found], unjudged


@pytest.mark.parametrize(
    ("lower", "upper", "leaks"),
    [
        # whoever holds 45 of the second cell knows that it is no less: the first is 105 at most
        (1.0, 5.0, 0),
        (1.0, 5.5, 1),
        # nobody can be kept from knowing their own part: a level ends there
        (40.5, 5.0, 0),
        (40.5, 5.5, 1),
    ],
)
def test_what_contributors_know_of_their_own_parts_is_held_against_the_level(lower, upper, leaks):
    assert leaks_of(known_parts(lower, upper)) == ([INSIDER] * leaks, 0)


def test_parts_of_one_contributor_in_two_cells_are_known_together():
    table = known_parts(1.0, 5.5)
    # 40 of the first cell and 45 of the second are of one
    holders = np.array([[0, 2], [2, 3], [0, 2]])
    table = replace(table, contributors=replace(table.contributors, holders=holders))
    judge = Judge(table, "interval")
    (leak,), _ = insider_leaks(judge, judge.attacker(PAIR), PAIR, [0], RunContext())
    assert (leak.failure.cell, leak.failure.high) == (0, 105.0)
    assert leak.low.tolist() == [40.0, 45.0, 0.0]


def test_contributors_without_a_number_are_one_a_cell():
    table = known_parts(1.0, 5.5)
    unknown = replace(table, contributors=replace(table.contributors, holders=np.full((3, 2), -1)))
    assert leaks_of(unknown) == ([INSIDER], 0)
    assert leaks_of(replace(unknown, upper=np.where(unknown.primary, 5.0, 0.0))) == ([], 0)


def test_without_contributors_or_where_values_may_be_negative_nobody_knows_a_part():
    assert leaks_of(replace(known_parts(1.0, 5.5), contributors=None)) == ([], 0)
    # negative contributions count by their size, and say nothing of the least value
    table = known_parts(1.0, 5.5)
    sizes = replace(table.contributors, total=table.contributors.total * 2)
    assert leaks_of(replace(table, contributors=sizes)) == ([], 0)
    negative = known_parts(1.0, 5.5, bounds=(-1000.0, 1000.0))
    assert leaks_of(negative) == ([], 0)


def test_whoever_is_alone_in_a_cell_is_near_also_where_a_level_is_asked_on_one_side():
    """The second cell is one contributor's, who computes the first: it rises by one where the first falls."""
    table = known_parts(1.0, 0.0)
    alone = Contributors.of([[60.0, 40.0], [50.0], [60.0, 50.0, 40.0]], 2)
    alone = replace(alone, holders=np.array([[0, 1], [2, -1], [0, 2]]))
    assert leaks_of(table) == ([], 0)
    assert leaks_of(replace(table, contributors=alone)) == ([INSIDER], 0)


@pytest.mark.parametrize(("named", "leaks"), [(False, 0), (True, 1)])
def test_a_contributor_without_a_number_is_none_of_those_with_one(named, leaks):
    """Who holds 45 of the second cell and all of the third would know that the first is 105 at most."""
    made = Contributors.of([[60.0, 40.0], [45.0, 5.0], [30.0], [60.0, 45.0, 40.0, 30.0, 5.0]], 2)
    second = [3, 2] if named else [-1, 2]
    made = replace(made, holders=np.array([[0, 1], second, [3, -1], [0, 3 if named else -1]]))
    one = [True, False, False]
    table = Table.from_array([100.0, 50.0, 30.0], primary=one, lower=np.array(one) * 1.0, upper=[5.5, 0, 0])
    table = replace(table, contributors=made)
    hidden = np.array([True, True, True, False])
    judge = Judge(table, "interval")
    found, unjudged = insider_leaks(judge, judge.attacker(hidden), hidden, [0], RunContext())
    assert (len(found), unjudged) == (leaks, 0)


@pytest.mark.parametrize(("width", "leaks"), [(90.0, 0), (91.0, 1), (105.0, 1)])
def test_a_width_that_a_contributor_narrows_is_held_against_the_level(width, leaks):
    """Who holds 60 of the first cell knows that it is 60 to 150; that it can move at all shows nothing."""
    assert leaks_of(known_parts(0.0, 0.0, sliding=[width, 0.0])) == ([INSIDER] * leaks, 0)


@pytest.mark.parametrize(
    ("frequency", "fixed", "leaks"), [(True, True, 1), (True, False, 0), (False, True, 0)]
)
def test_halves_show_nothing_of_what_contributors_know_of_counts(frequency, fixed, leaks):
    """x + y + s + u = y + z + s + v = x + z + s + w, all 1; who knows u, v and w knows that s is odd.

    The smallest movement of s takes half of x, of y and of z, and leaves u, v and w in place.
    """
    lines = [[0, 1, 3, 4, 7], [1, 2, 3, 5, 8], [0, 2, 3, 6, 9]]
    table = tied("xyzsuvwabct", [1.0] * 7 + [4.0] * 3, lines, 3)
    n, of_one = table.n, np.isin(np.arange(table.n), [4, 5, 6])
    # more than one is not in u, v and w
    table = replace(table, high=np.where(of_one, 1.0, np.inf), frequency=frequency)
    number = np.full(n, 2)
    part = (of_one & fixed)[:, None] * 1.0
    whose = np.where(part > 0, 9, -1)
    made = Contributors(table.values, number, part, whose, number * 1.0, np.zeros(n), np.zeros(n))
    table = replace(table, contributors=made)
    hidden = np.arange(n) < 7
    judge = Judge(table, "interval")
    attacker = judge.attacker(hidden)
    half = attacker.smallest_movement(3, 1.0)
    assert half.tolist() == [-0.5, -0.5, -0.5, 1.0, 0.0, 0.0, 0.0]
    assert not list(failures_of(judge, hidden, [3]))
    found, not_judged = insider_leaks(judge, attacker, hidden, [3], RunContext())
    assert ([leak.failure.reason for leak in found], not_judged) == ([INSIDER] * leaks, 0)


@pytest.mark.parametrize(("demanded", "known"), [(True, False), (False, False), (True, True)])
def test_a_demand_without_known_contributors_is_said_not_to_be_judged(demanded, known):
    table = known_parts(1.0, 5.0)
    table = table if known else replace(table, contributors=None)
    found = audit(table, PAIR, insiders=demanded)
    said = {warning.name: warning.count for warning in found.warnings}
    assert said.get("insiders-not-tried") == (1 if demanded and not known else None)


def test_cells_that_were_not_judged_for_want_of_time_are_told(monkeypatch):
    from tacita.tables.verify import insiders

    monkeypatch.setattr(insiders, "_SECONDS", -1.0)
    assert leaks_of(known_parts(1.0, 5.5)) == ([], 1)
