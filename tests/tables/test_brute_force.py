"""Small tables against an attacker who tries every table of whole numbers that shows the same."""

import numpy as np
import pytest

from brute_force import MOST, Attack, Case, drawn, findings, judged

# cases that were open before contributors were taken to know what everybody does
OPEN_BEFORE = (22, 87)


def counts(*values, zeros="publish", problem="interval", insiders=False):
    """A case of one column, with so many records of each label."""
    labels = [f"a{at}" for at, count in enumerate(values) for _ in range(count)]
    rule = ("minimum-frequency", {"threshold": 3, "margin": 30.0})
    return Case(
        0, {"a": labels}, [("a",)], {}, [rule], None, None, "optimal", problem, zeros, insiders=insiders
    )


def suppressed(*labels):
    return frozenset((label,) for label in labels)


def test_the_attacker_finds_what_published_zeros_give_away():
    # 22 - 19 = 3 over three cells of which none is zero
    values = (10, 1, 1, 1, 9)
    attack = Attack(counts(*values), suppressed("a1", "a2", "a3"))
    found = findings(attack)
    assert found.tables == 1
    assert [each.cell for each in found.outsiders] == [("a1",), ("a2",), ("a3",)]
    withheld = Attack(counts(*values, zeros="withhold"), suppressed("a1", "a2", "a3"))
    found = findings(withheld)
    assert found.tables == 10
    assert not found.outsiders


def test_the_attacker_finds_sums_that_are_known_and_sensitive():
    attack = Attack(counts(15, 1, 1), suppressed("a1", "a2"))
    assert findings(attack).sums == ["('a1',) + ('a2',)"]
    assert not findings(Attack(counts(15, 2, 2), suppressed("a1", "a2"))).sums


def test_the_attacker_finds_what_singletons_and_contributors_know():
    # a record is a unit: whoever is a1 knows it
    attack = Attack(counts(15, 1, 2, zeros="withhold", insiders=True), suppressed("a1", "a2"))
    found = findings(attack)
    assert not found.outsiders
    assert [(each.cell, each.who) for each in found.singletons] == [(("a2",), "15")]
    # a record of a2 knows that it is 1 at least, and so a1 no more than 2
    assert (("a2",), "15") in [(each.cell, each.who) for each in found.insiders]


def test_real_numbers_are_tried_where_whole_tables_are_too_many():
    assert MOST == 10**6
    # nothing says how large a suppressed total is
    attack = Attack(counts(15, 1, 2, zeros="withhold"), suppressed("a1", "Total"))
    assert attack.whole_entries() is None
    assert attack.linear_range(1, attack.low, np.zeros(4, dtype=bool)) == (0.0, np.inf)


def test_every_whole_table_is_tried():
    case = Case(
        0,
        {"a": ["x", "x", "y", "y", "y"], "b": ["u", "w", "u", "w", "w"]},
        [("a", "b")],
        {},
        [("minimum-frequency", {"threshold": 2, "margin": 30.0})],
        None,
        None,
        "optimal",
        "interval",
        "withhold",
    )
    inner = frozenset((one, other) for one in "xy" for other in "uw")
    entries = Attack(case, inner).whole_entries()
    # rows of 2 and 3, columns of 2 and 3
    assert sorted(entries.tolist()) == [[0, 2, 2, 1], [1, 1, 1, 2], [2, 0, 0, 3]]


@pytest.mark.parametrize("seed", OPEN_BEFORE)
def test_what_was_open_is_closed(seed):
    assert judged(drawn(seed)).wrong == []


def test_no_cell_of_small_tables_is_open(some):
    tried = 0
    for seed in some(range(100, 500), 20):
        verdict = judged(drawn(seed))
        assert verdict.wrong == [], seed
        tried += verdict.tables is not None
    assert tried >= 10
