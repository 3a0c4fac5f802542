"""What attackers gain who put together what they know: own cells, whole numbers, common tables, sums."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import tacita
from attacked_tables import block, tied
from tables_at_hand import counted
from tacita.core import Contributors, Pattern, RunContext, Table, VerificationError
from tacita.io.hierarchies import from_nested
from tacita.tables.release import reinforce
from tacita.tables.rules.frequency import MinimumFrequency
from tacita.tables.verify.audit import audit
from tacita.tables.verify.protection_criteria import Judge, Leak
from tacita.tables.verify.singleton_and_sum_attacks import KNOWN_SUM, LONE, own_part
from tacita.tables.verify.unions import sensitive_unions


def reasons(found):
    return {failure.reason for failure in found.failures}


def odd_square(lone):
    """x + y + s + w = y + z + s + w = x + z + s + w = 4, all of them 1: by w it follows that s is 1 or 3."""
    table = tied("xyzswabc", [1.0] * 5 + [4.0] * 3, [[0, 1, 3, 4, 5], [1, 2, 3, 4, 6], [0, 2, 3, 4, 7]], 3)
    number = np.where((np.arange(8) == 4) & lone, 1, 2)
    nobody = np.full((8, 1), -1)
    who = Contributors(
        table.values, number, np.zeros((8, 1)), nobody, number.astype(float), np.zeros(8), np.zeros(8)
    )
    return replace(table, contributors=who)


@pytest.mark.parametrize("lone", [True, False])
def test_a_singleton_knows_that_counts_are_whole(lone):
    found = audit(odd_square(lone), np.arange(8) < 5, "interval", zeros="withhold", strict=True)
    assert reasons(found) == ({LONE} if lone else set())
    # of amounts nobody knows that they are whole
    amounts = replace(odd_square(lone), frequency=False)
    assert audit(amounts, np.arange(8) < 5, "interval", zeros="withhold", strict=True).safe


def test_a_singleton_writes_down_the_table_behind_linked_ones():
    from brute_force import Attack, drawn, findings, released

    # by the sums of the linked tables alone, no singleton comes too close to a cell of this case
    case = drawn(22)
    attack = Attack(case, released(case).suppressed)
    assert attack.case.insiders
    assert not findings(attack).singletons


# known sums


def test_a_sum_that_several_lines_give_away_is_found():
    table = block()
    hidden = table.inner & (table.values != 20)
    [union] = sensitive_unions(table, hidden)
    assert table.values[union.cells].tolist() == [1, 1, 1, 1]
    assert not union.others.size
    assert not sensitive_unions(table, hidden, beyond_lines=False)
    assert reasons(audit(table, hidden, "interval", zeros="withhold")) == {KNOWN_SUM}


@pytest.mark.parametrize("method", ["optimal", "constructive", "hitas", "network"])
def test_a_sum_that_several_lines_give_away_is_a_demand_on_every_method(method):
    claim = tacita.suppress(block(), "interval", method, zeros="withhold")
    table = block()
    assert audit(table, claim, zeros="withhold").safe
    assert not sensitive_unions(table, claim.withheld)


def test_a_larger_sum_that_several_lines_give_away_is_not_sensitive():
    table = block()
    lower = replace(table, rules=(MinimumFrequency(threshold=4),))
    assert not sensitive_unions(lower, table.inner & (table.values != 20))


def test_a_sum_that_is_a_published_cell_is_judged_as_that_cell():
    records = {"r": ["x", "x", "y", "y", "y"], "v": [1, 90, 30, 30, 30], "u": list("aabcd")}
    rule = tacita.get_method("dominance", n=1, k=60)
    table = tacita.tabulate(pa.table(records), ["r"], "v", unit="u", rules=[rule], margins=False)
    hidden = table.inner
    assert table.primary.tolist() == [True, False, False]
    # 91 of 181 are those of one unit: the total is not sensitive, whatever is kept of its parts
    few = replace(table, contributors=replace(table.contributors, total=table.contributors.total * 0.5))
    assert not sensitive_unions(table, hidden)
    assert not sensitive_unions(few, hidden)
    # if the total were sensitive, or somebody else had a part of it, that would say nothing
    sensitive = replace(few, primary=np.array([True, False, True]), forced=np.array([False, False, False]))
    assert len(sensitive_unions(sensitive, hidden)) == 1


def test_a_unit_that_stands_for_several_is_not_one_large_unit_in_a_sum():
    largest = np.array([[38.8, 38.8, 12.0], [9.4, 1.9, 0.0]])
    whose = np.array([[2, 2, 3], [2, 2, -1]])
    count, weighted = np.array([2, 1]), np.array([4.4, 1.2])
    made = Contributors(np.array([95.4, 11.3]), count, largest, whose, weighted, np.zeros(2), largest[:, 0])
    both = made.together([0, 1])
    assert both.largest[0] == pytest.approx([48.2, 40.7, 12.0])
    assert both.holders.tolist() == [[2, 2, 3]]
    assert both.count.tolist() == [2]


# one's own part


def regions():
    """Of north, 5 of 7 are one unit's alone; nobody can be kept from knowing that north is not below."""
    region = from_nested("region", {"north": ["n1", "n2"], "south": ["s1", "s2"]})
    units = ["u"] + ["v"] + [f"s{at}" for at in range(11)]
    records = {
        "region": ["n1", "n2"] + ["s1"] * 5 + ["s2"] * 6,
        "amount": [5, 2] + [6] * 5 + [7] * 6,
        "unit": units,
    }
    rule = tacita.get_method("minimum-frequency", threshold=3)
    return tacita.tabulate(pa.table(records), {"region": region}, "amount", unit="unit", rules=[rule])


def test_what_a_singleton_has_of_a_cell_is_no_leak():
    table = regions()
    named = {table.label(cell)[0]: cell for cell in range(table.n)}
    hidden = np.isin(np.arange(table.n), [named[name] for name in ("n1", "n2", "north", "south", "s1")])
    knows = frozenset([named["n1"]])
    # n2 is suppressed, so that it is no zero
    assert own_part(table.with_zeros("publish"), hidden, knows, named["north"]) == 6
    assert own_part(table, hidden, knows, named["north"]) == 5
    assert own_part(table, hidden, knows, named["n2"]) == 0
    assert table.values[named["north"]] - table.lower[named["north"]] < 5
    found = audit(table, hidden, "interval", strict=True)
    assert found.safe
    assert "lone-contributors" not in {warning.name for warning in found.warnings}


def test_a_cell_counts_in_another_by_its_lines_and_not_by_its_labels():
    square = odd_square(lone=True)
    # the label of the last cell stands above all others, its line leaves y out
    every = np.ones(8, dtype=bool)
    assert own_part(square, every, frozenset([4]), 7) == 1
    assert own_part(square, every, frozenset([1]), 7) == 0
    assert own_part(square, every, frozenset([0, 2, 4]), 7) == 3


# demands for contributors


def test_a_pattern_for_contributors_is_refused_where_a_singleton_comes_too_close():
    values = [[5, 3], [2, 4]]
    table = counted(Table.from_array(values, primary=[[True, False], [False, False]]), [[4, 4], [4, 1]])
    assert tacita.suppress(table, "exact").cost == 9
    with pytest.raises(VerificationError, match=LONE):
        tacita.suppress(table, "exact", insiders=True)


# how leaks are closed


def test_where_no_movement_helps_the_cheapest_of_all_cells_do(monkeypatch):
    values = np.arange(5.0, 21.0).reshape(4, 4)
    table = Table.from_array(values, primary=values == 10)
    failing = tacita.audit(table, table.primary, "exact").failures[0]
    bare = Pattern.of(table, table.primary, lower_bound=0.0, problem="exact")
    leak = Leak(failing, frozenset(), table.low)
    monkeypatch.setattr(reinforce, "_around", lambda *_, **__: None)
    closed = reinforce.close(table, bare, [leak], set(), RunContext())
    assert audit(table, closed, "exact").safe
    # with one cell less it would not be
    for cell in np.flatnonzero(closed.secondary).tolist():
        fewer = closed.withheld.copy()
        fewer[cell] = False
        assert not audit(table, fewer, "exact").safe


def test_a_leak_that_nothing_closes_is_tried_once():
    table = Table.from_array([[5.0, 3], [2, 4]], primary=[[True, False], [False, False]])
    pattern = tacita.suppress(table, "exact")
    knows = frozenset([table.cell("2", "2")])
    failing = next(Judge(table, "exact").failures(table.primary, [0]))
    hopeless = set()
    leak = Leak(failing, knows, table.low)
    assert reinforce.close(table, pattern, [leak], hopeless, RunContext()) is pattern
    assert hopeless == {(0, knows)}
    assert reinforce.close(table, pattern, [leak], hopeless, RunContext()) is pattern
