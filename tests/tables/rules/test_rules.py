"""Which cells are sensitive: the formulas of the literature, on cells small enough to check by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita import registry
from tacita.core import Contributors, Table
from tacita.tables.rules import apply_rules
from tacita.tables.rules.concentration import PQ, Dominance, PPercent
from tacita.tables.rules.frequency import MinimumFrequency, ZeroCells
from tacita.tables.rules.request_rules import Listed, Request

CELL = st.lists(st.integers(1, 100), min_size=1, max_size=8)


def one(contributions, **changes):
    cell = Contributors.of([contributions], depth=max(4, len(contributions)))
    return replace(cell, **{name: np.array([float(value)]) for name, value in changes.items()})


@given(CELL, st.integers(1, 3), st.integers(30, 95))
def test_dominance_flags_and_the_level_makes_the_total_just_safe(contributions, n, k):
    found = Dominance(n=n, k=k).flag(one(contributions))
    total, top = sum(contributions), sum(sorted(contributions)[::-1][:n])
    assert found.mask[0] == (100 * top > k * total)
    if found.mask[0]:
        assert 100 * top == pytest.approx(k * (total + found.upper[0]))


@given(CELL, st.integers(1, 60))
def test_p_percent_flags_and_the_level_makes_the_estimate_just_wide_enough(contributions, p):
    found = PPercent(p=p).flag(one(contributions))
    ranked = [*sorted(contributions)[::-1], 0]
    remainder = sum(ranked) - ranked[0] - ranked[1]
    assert found.mask[0] == (100 * remainder < p * ranked[0])
    if found.mask[0]:
        assert remainder + found.upper[0] == pytest.approx(p * ranked[0] / 100)


@given(CELL, st.integers(1, 40))
def test_pq_is_p_percent_where_nothing_is_known_beforehand(contributions, p):
    cell = one(contributions)
    assert PQ(p=p, q=100).flag(cell).upper.tolist() == PPercent(p=p).flag(cell).upper.tolist()
    # who knows half beforehand comes twice as close
    assert PQ(p=p, q=50).flag(cell).upper.tolist() == PPercent(p=2 * p).flag(cell).upper.tolist()


@given(CELL, CELL, st.integers(1, 60))
def test_cells_that_are_safe_are_safe_together(first, second, p):
    cells = Contributors.of([first, second], depth=8)
    rule = PPercent(p=p)
    if not rule.flag(cells).mask.any():
        assert not rule.flag(cells.together([0, 1])).mask[0]


def test_a_coalition_knows_more():
    cell = one([60, 20, 15, 5])
    assert not PPercent(p=20).flag(cell).mask[0]
    assert PPercent(p=20, coalition=2).flag(cell).mask[0]


class TestWaivers:
    def test_the_largest_who_did_not_waive_is_the_one_to_protect(self):
        # 60 has waived; 30 is to be protected against 60, and 10 is what hides it
        assert PPercent(p=40).flag(one([60, 30, 10], open=30)).upper.tolist() == [2]
        assert not PPercent(p=30).flag(one([60, 30, 10], open=30)).mask[0]

    def test_a_small_one_below_those_who_waived(self):
        # target 10 against 60: 30 hides it
        assert not PPercent(p=50).flag(one([60, 30, 10], open=10)).mask[0]

    def test_nobody_asks_nobody_is_protected(self):
        for rule in (PPercent(p=50), PQ(p=50), Dominance(k=20), MinimumFrequency(threshold=10)):
            assert not rule.flag(one([60, 30, 10], open=0)).mask[0]

    def test_dominance_counts_unless_all_of_the_largest_waived(self):
        assert Dominance(n=2, k=80).flag(one([60, 30, 10], open=30)).mask[0]
        assert not Dominance(n=2, k=80).flag(one([60, 30, 10], open=10)).mask[0]


def test_minimum_frequency_counts_people_or_weights():
    cells = replace(Contributors.of([[1, 1], [1, 1, 1], []]), frequency=np.array([9.0, 3.0, 0.0]))
    assert MinimumFrequency(threshold=3).flag(cells).mask.tolist() == [True, False, False]
    assert MinimumFrequency(threshold=4, weighted=True).flag(cells).mask.tolist() == [False, True, False]


def test_zeros_are_sensitive_only_where_asked_for():
    cells = Contributors.of([[0, 0], [], [3]])
    assert ZeroCells().flag(cells).mask.tolist() == [True, False, False]
    found = ZeroCells(empty=True, level=2).flag(cells)
    assert found.upper.tolist() == [2, 2, 0]
    assert found.lower.tolist() == [0, 0, 0]


def test_a_request_counts_from_its_share_on():
    assert Request(share=30).flag(one([60, 40], requested=40)).mask[0]
    assert not Request(share=40).flag(one([60, 40], requested=40)).mask[0]
    assert not Request().flag(one([60, 40], requested=0)).mask[0]


class TestTogether:
    def table(self):
        who = Contributors.of([[60, 30, 10], [5, 1, 1], [2], [65, 31, 11, 2]])
        from tacita.core import Hierarchy

        return Table.cross(
            [Hierarchy.flat("d", ["a", "b", "c"])], [100, 7, 2, 109], margins=True, contributors=who
        )

    def test_a_cell_is_sensitive_if_one_rule_says_so_at_the_largest_level(self):
        rules = [PPercent(p=20), MinimumFrequency(threshold=2, margin=50), Listed(cells=[("a",)], margin=1)]
        table = apply_rules(self.table(), rules)
        assert table.primary.tolist() == [True, False, True, False]
        assert table.upper.tolist() == [2, 0, 1, 0]
        assert table.rules == tuple(rules)

    def test_a_rule_needs_contributors_and_enough_of_them(self):
        with pytest.raises(tacita.DataError, match="contributors"):
            apply_rules(Table.from_array([[1, 2]]), PPercent())
        with pytest.raises(tacita.DataError, match="depth=5"):
            apply_rules(self.table(), Dominance(n=5))

    def test_a_listed_cell_must_exist(self):
        with pytest.raises(tacita.ParameterError, match="no cell nosuch"):
            apply_rules(self.table(), Listed(cells=[("nosuch",)]))

    def test_p_must_be_less_than_q(self):
        with pytest.raises(tacita.ParameterError, match="less than q"):
            PQ(p=50, q=50)


class TestSeveralCellsAsOne:
    def test_contributions_of_one_holder_are_added(self):
        cells = replace(
            Contributors.of([[60, 30], [50, 5]], depth=3), holders=np.array([[1, 2, -1], [2, 3, -1]])
        )
        whole = cells.together([0, 1])
        assert whole.largest[0].tolist() == [80, 60, 5]
        assert whole.holders[0].tolist() == [2, 1, 3]
        assert whole.count[0] == 3

    def test_where_nobody_is_named_everyone_is_another(self):
        whole = Contributors.of([[60, 30], [50, 5]], depth=3).together([0, 1])
        assert whole.largest[0].tolist() == [60, 50, 30]
        assert whole.count[0] == 4


RULES = [registry.lookup(name, "rule")() for name in registry.names("rule")]
SOME = Contributors.of([[60, 30, 10], [5, 1, 1], [2], [], [0, 0], [50, 50], [7, 7, 7, 7]], depth=4)


@pytest.mark.parametrize("rule", RULES, ids=registry.names("rule"))
class TestEveryRule:
    def test_has_levels_of_at_least_nought_and_only_where_it_flags(self, rule):
        found = rule.flag(SOME)
        for level in (found.lower, found.upper, found.sliding):
            assert (level >= 0).all()
            assert (level[~found.mask] == 0).all()

    def test_judges_each_cell_by_itself(self, rule):
        order = np.array([3, 1, 6, 0, 5, 2, 4])
        mixed = rule.flag(SOME.at(order))
        assert mixed.mask.tolist() == rule.flag(SOME).mask[order].tolist()
        assert mixed.upper.tolist() == rule.flag(SOME).upper[order].tolist()

    def test_does_not_depend_on_the_unit_of_measurement(self, rule):
        grown = {name: getattr(SOME, name) * 1024 for name in ("total", "largest", "requested", "open")}
        larger = rule.flag(replace(SOME, **grown))
        assert larger.mask.tolist() == rule.flag(SOME).mask.tolist()
        if not isinstance(rule, ZeroCells):
            assert larger.upper.tolist() == (rule.flag(SOME).upper * 1024).tolist()
