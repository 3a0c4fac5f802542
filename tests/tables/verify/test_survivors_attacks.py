"""What attackers know beyond linear sums, at the border of what is asked: one step beyond it is found.

Sums of suppressed cells, contributors who know their own parts, whole numbers, the table behind linked ones.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tacita.core import Contributors, Hierarchy, Problem, Relations, Run, Table
from tacita.io.hierarchies import from_nested
from tacita.tables.rules.concentration import Dominance
from tacita.tables.rules.frequency import MinimumFrequency, ZeroCells
from tacita.tables.verify.audit import audit
from tacita.tables.verify.common import (
    COMMON,
    entries_behind,
    given_away_by_common_table,
    is_linked,
    with_common_table,
)
from tacita.tables.verify.insiders import INSIDER, insider_leaks
from tacita.tables.verify.integers import (
    PINNED,
    UNDECIDED,
    IntegerSearch,
    failures_of,
    given_away_by_integers,
)
from tacita.tables.verify.judge import Judge, counts_whole
from tacita.tables.verify.unions import is_sensitive, known_sums, sensitive_unions

REGION = from_nested("region", {"north": ["n1", "n2", "n3"], "south": ["s1", "s2"]})


def cells_named(table: Table, *names: str) -> np.ndarray:
    """A mask of the cells with these labels, of a table of one dimension."""
    return np.array([table.label(cell)[0] in names for cell in range(table.n)])


def sums_of(hidden: tuple[str, ...], sensitive: str) -> dict[frozenset[str], frozenset[str]]:
    """The known sums of a table of regions: suppressed cells, and the published ones that tell them."""
    table = Table.cross([REGION], np.array([4.0, 9, 20, 3, 30]), margins=True)
    table = replace(table, primary=cells_named(table, sensitive))

    def named(cells: np.ndarray) -> frozenset[str]:
        return frozenset(table.label(int(cell))[0] for cell in cells)

    found = list(known_sums(table, cells_named(table, *hidden)))
    assert len({named(cells) for cells, _ in found}) == len(found)
    return {named(cells): named(others) for cells, others in found}


TOP = REGION.labels[REGION.top]


def known(**sums: str) -> dict[frozenset[str], frozenset[str]]:
    return {frozenset(cells.split("_")): frozenset(others.split()) for cells, others in sums.items()}


@pytest.mark.parametrize(
    ("hidden", "sensitive", "expected"),
    [
        (("n1", "n2"), "n1", known(n1_n2="north n3")),
        # a subtotal follows where all others of its line are published
        (("n1", "n2", "north"), "n1", known(n1_n2=f"{TOP} south n3")),
        # nothing sensitive in it, a cell that stands alone, and a total that is not published
        (("n1", "n2"), "s1", {}),
        (("n1",), "n1", {}),
        (("n1", "n2", "north", TOP), "n1", {}),
        (
            ("n1", "north", "south", "s1"),
            "n1",
            known(n1_south=f"{TOP} n2 n3", n1_s1=f"{TOP} n2 n3 s2"),
        ),
        (
            ("n1", "north", "south", "s1"),
            "north",
            known(north_south=TOP, north_s1=f"{TOP} s2"),
        ),
        (("n1", "n2", "s1", "s2"), "s2", known(s1_s2="south")),
        (("north", "south", TOP), "north", {}),
    ],
)
def test_sums_that_published_figures_give_away_are_found_and_no_others(hidden, sensitive, expected):
    assert sums_of(hidden, sensitive) == expected


def test_a_line_that_is_no_plain_sum_tells_none():
    table = Table.from_array([4.0, 9, 20], primary=[True, False, False])
    hidden = np.array([True, True, False, False])
    assert len(list(known_sums(table, hidden))) == 1
    for values, signs in (([4.0, 9, 20, 42], [1, 2, 1, -1]), ([20.0, 13, 9, 24], [1, 1, -1, -1])):
        other = replace(table, values=np.array(values), relations=Relations.of([([0, 1, 2, 3], signs)]))
        assert not list(known_sums(other, hidden))


def line_of(contributions: list[list[float]], rules: tuple[Any, ...], holders: list[list[int]] | None = None):
    """A line of cells with its total; the first cell is sensitive."""
    depth = 3
    made = Contributors.of([*contributions, [part for own in contributions for part in own]], depth)
    if holders is not None:
        numbers = np.full((len(contributions) + 1, depth), -1)
        for cell, own in enumerate(holders):
            numbers[cell, : len(own)] = own
        made = replace(made, holders=numbers)
    values = [float(np.sum(own)) for own in contributions]
    table = Table.from_array(values, primary=[True] + [False] * (len(values) - 1))
    return replace(table, contributors=made, rules=rules)


@pytest.mark.parametrize(
    ("second", "sensitive"),
    [
        # 75 of 100 are one contributor's
        ([5.0, 5, 5, 5, 5], True),
        # 75 of 150
        ([50.0, 5, 5, 5, 5, 5], False),
    ],
)
def test_a_known_sum_is_judged_by_the_rules_of_single_cells(second, sensitive):
    table = line_of([[75.0], second, [900.0]], (Dominance(n=1, k=60),))
    hidden = np.array([True, True, False, False])
    found = sensitive_unions(table, hidden)
    assert len(found) == sensitive == is_sensitive(table, np.array([0, 1]))
    for union in found:
        assert union.cells.tolist() == [0, 1]
        assert union.others.tolist() == [2, 3]
        flags = Dominance(n=1, k=60).flag(table.contributors.together(np.array([0, 1])))
        assert (union.lower, union.upper) == (flags.lower[0], flags.upper[0])
        assert union.upper > 0


def test_of_several_rules_the_widest_level_counts_and_one_is_enough():
    table = line_of([[75.0], [5.0] * 5, [900.0]], ())
    hidden = np.array([True, True, False, False])
    ends = []
    for rules in [
        (Dominance(n=1, k=60),),
        (Dominance(n=1, k=70),),
        (Dominance(n=1, k=60), Dominance(n=1, k=70)),
    ]:
        (union,) = sensitive_unions(replace(table, rules=rules), hidden)
        ends.append((union.lower, union.upper))
    assert ends[0] != ends[1]
    assert ends[2] == tuple(np.maximum(ends[0], ends[1]))
    either = (Dominance(n=1, k=99), Dominance(n=1, k=60))
    assert len(sensitive_unions(replace(table, rules=either), hidden)) == 1


def test_rules_of_single_cells_say_nothing_of_sums():
    table = line_of([[75.0], [5.0] * 5, [900.0]], (ZeroCells(),))
    hidden = np.array([True, True, False, False])
    assert not sensitive_unions(table, hidden)


@pytest.mark.parametrize(("holder", "sensitive"), [(1, True), (2, False)])
def test_without_rules_a_sum_of_one_contributor_is_sensitive(holder, sensitive):
    table = line_of([[75.0], [25.0], [900.0]], (), [[1], [holder], [7]])
    hidden = np.array([True, True, False, False])
    assert len(sensitive_unions(table, hidden)) == sensitive
    assert not sensitive_unions(replace(table, contributors=None), hidden)
    assert not sensitive_unions(table, hidden, fixed=np.array([False, True, False, False]))


@pytest.mark.parametrize(
    ("third", "amount", "total_sensitive", "found"),
    [
        # the sum is a published cell that was found not to be sensitive, with an empty cell beside it or none
        (None, 0.0, False, 0),
        ([], 0.0, False, 0),
        # ... that is sensitive itself, has another amount, or is no cell of the table
        (None, 0.0, True, 1),
        ([], 30.0, False, 1),
        ([900.0], 900.0, False, 1),
    ],
)
def test_a_sum_that_is_a_published_cell_is_judged_as_that_cell_was(third, amount, total_sensitive, found):
    parts = [[75.0], [5.0] * 5, *([] if third is None else [third])]
    table = line_of(parts, (Dominance(n=1, k=60),))
    values = table.values.copy()
    if third is not None:
        values[2], values[3] = amount, 100.0 + amount
    primary = table.primary.copy()
    primary[-1] = total_sensitive
    table = replace(table, values=values, primary=primary, forced=~np.ones(table.n, dtype=bool))
    assert len(sensitive_unions(table, np.arange(table.n) < 2)) == found


# contributors who know their own part


def two_cells(lower: float, upper: float, **fields: Any) -> Table:
    """100 = 60 + 40 and 50 = 45 + 5 under a published total of 150."""
    made = Contributors.of([[60.0, 40.0], [45.0, 5.0], [60.0, 45.0, 40.0, 5.0]], 2)
    made = replace(made, holders=np.array([[0, 1], [2, 3], [0, 2]]))
    table = Table.from_array(
        [100.0, 50.0], primary=[True, False], lower=[lower, 0.0], upper=[upper, 0.0], **fields
    )
    return replace(table, contributors=made)


def leaks_of(table: Table) -> tuple[list[str], int]:
    hidden = np.array([True, True, False])
    judge = Judge(table, "interval")
    found, unjudged = insider_leaks(judge, judge.attacker(hidden), hidden, [0], Run())
    assert not list(judge.failures(hidden, [0]))
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
    assert leaks_of(two_cells(lower, upper)) == ([INSIDER] * leaks, 0)


def test_parts_of_one_contributor_in_two_cells_are_known_together():
    table, hidden = two_cells(1.0, 5.5), np.array([True, True, False])
    # 40 of the first cell and 45 of the second are of one
    holders = np.array([[0, 2], [2, 3], [0, 2]])
    table = replace(table, contributors=replace(table.contributors, holders=holders))
    judge = Judge(table, "interval")
    (leak,), _ = insider_leaks(judge, judge.attacker(hidden), hidden, [0], Run())
    assert (leak.failure.cell, leak.failure.high) == (0, 105.0)
    assert leak.low.tolist() == [40.0, 45.0, 0.0]


def test_contributors_without_a_number_are_one_a_cell():
    table = two_cells(1.0, 5.5)
    unknown = replace(table, contributors=replace(table.contributors, holders=np.full((3, 2), -1)))
    assert leaks_of(unknown) == ([INSIDER], 0)
    assert leaks_of(replace(unknown, upper=np.where(unknown.primary, 5.0, 0.0))) == ([], 0)


def test_without_contributors_or_where_values_may_be_negative_nobody_knows_a_part():
    assert leaks_of(replace(two_cells(1.0, 5.5), contributors=None)) == ([], 0)
    # negative contributions count by their size, and say nothing of the least value
    table = two_cells(1.0, 5.5)
    sizes = replace(table.contributors, total=table.contributors.total * 2)
    assert leaks_of(replace(table, contributors=sizes)) == ([], 0)
    negative = two_cells(1.0, 5.5, bounds=(-1000.0, 1000.0))
    assert leaks_of(negative) == ([], 0)


def test_whoever_is_alone_in_a_cell_is_near_also_where_a_level_is_asked_on_one_side():
    """The second cell is one contributor's, who computes the first: it rises by one where the first falls."""
    table = two_cells(1.0, 0.0)
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
    found, unjudged = insider_leaks(judge, judge.attacker(hidden), hidden, [0], Run())
    assert (len(found), unjudged) == (leaks, 0)


@pytest.mark.parametrize(("width", "leaks"), [(90.0, 0), (91.0, 1), (105.0, 1)])
def test_a_width_that_a_contributor_narrows_is_held_against_the_level(width, leaks):
    """Who holds 60 of the first cell knows that it is 60 to 150; that it can move at all shows nothing."""
    assert leaks_of(two_cells(0.0, 0.0, sliding=[width, 0.0])) == ([INSIDER] * leaks, 0)


@pytest.mark.parametrize(
    ("frequency", "fixed", "leaks"), [(True, True, 1), (True, False, 0), (False, True, 0)]
)
def test_halves_show_nothing_of_what_contributors_know_of_counts(frequency, fixed, leaks):
    """x + y + s + u = y + z + s + v = x + z + s + w, all 1; who knows u, v and w knows that s is odd.

    The smallest movement of s takes half of x, of y and of z, and leaves u, v and w in place.
    """
    n, sensitive = 10, np.arange(10) == 3
    lines = [
        ([0, 1, 3, 4, 7], [1, 1, 1, 1, -1]),
        ([1, 2, 3, 5, 8], [1, 1, 1, 1, -1]),
        ([0, 2, 3, 6, 9], [1, 1, 1, 1, -1]),
    ]
    of_one = np.isin(np.arange(n), [4, 5, 6])
    table = Table(
        (Hierarchy.flat("cell", list("xyzsuvwabc"), "t"),),
        np.arange(n)[:, None],
        np.array([1.0] * 7 + [4.0] * 3),
        Relations.of(lines),
        primary=sensitive,
        lower=sensitive * 1.0,
        upper=sensitive * 1.0,
        sliding=np.zeros(n),
        low=np.zeros(n),
        # more than one is not in u, v and w
        high=np.where(of_one, 1.0, np.inf),
        cost=np.ones(n),
        forced=np.arange(n) > 6,
        frequency=frequency,
    )
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
    found, not_judged = insider_leaks(judge, attacker, hidden, [3], Run())
    assert ([leak.failure.reason for leak in found], not_judged) == ([INSIDER] * leaks, 0)


@pytest.mark.parametrize(("demanded", "known"), [(True, False), (False, False), (True, True)])
def test_a_demand_without_known_contributors_is_said_not_to_be_judged(demanded, known):
    table = two_cells(1.0, 5.0)
    table = table if known else replace(table, contributors=None)
    found = audit(table, np.array([True, True, False]), insiders=demanded)
    said = {caution.name: caution.count for caution in found.cautions}
    assert said.get("insiders-not-tried") == (1 if demanded and not known else None)


def test_cells_that_were_not_judged_for_want_of_time_are_told(monkeypatch):
    from tacita.tables.verify import insiders

    monkeypatch.setattr(insiders, "_SECONDS", -1.0)
    assert leaks_of(two_cells(1.0, 5.5)) == ([], 1)


# whole numbers


def triangle(high: float = np.inf, level: float = 1.0) -> Table:
    """x + y + s = y + z + s = x + z + s = 3 and all 1: x = y = z, and s = 3 - 2 x moves by two."""
    lines = [([0, 1, 3, 4], [1, 1, 1, -1]), ([1, 2, 3, 5], [1, 1, 1, -1]), ([0, 2, 3, 6], [1, 1, 1, -1])]
    sensitive = np.arange(7) == 3
    return Table(
        (Hierarchy.flat("cell", list("xyzsab"), "c"),),
        np.arange(7)[:, None],
        np.array([1.0, 1, 1, 1, 3, 3, 3]),
        Relations.of(lines),
        primary=sensitive,
        lower=sensitive * level,
        upper=sensitive * level,
        sliding=np.zeros(7),
        low=np.zeros(7),
        high=np.full(7, high),
        cost=np.ones(7),
        forced=np.arange(7) > 3,
        frequency=True,
    )


def whole_search(table: Table) -> IntegerSearch:
    return IntegerSearch(table, np.arange(7) < 4)


@pytest.mark.parametrize(
    ("by", "reached"), [(1.0, True), (2.0, True), (3.0, False), (-1.0, False), (-2.0, False)]
)
def test_a_count_that_moves_by_two_reaches_what_whole_numbers_allow(by, reached):
    # s is 1 or 3
    assert whole_search(triangle()).moves(3, by, 5.0) is reached


@pytest.mark.parametrize(("width", "wide"), [(1.0, True), (2.0, True), (2.5, False), (3.0, False)])
def test_the_width_of_a_count_is_that_of_whole_numbers(width, wide):
    from time import monotonic

    assert whole_search(triangle()).spans(3, width, monotonic() + 5) is wide
    assert whole_search(triangle()).spans(3, width, monotonic() - 1) is None


def test_without_time_nothing_is_decided():
    search = whole_search(triangle())
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
    from time import monotonic
    from types import SimpleNamespace

    from tacita.solvers.highs import LinearProgramme

    answer = SimpleNamespace(x=None if x is None else np.array(x), status=status)
    monkeypatch.setattr(LinearProgramme, "choose", lambda *_, **__: answer)
    assert whole_search(triangle()).moves(3, 1.0, 5.0) is moves
    assert whole_search(triangle()).spans(3, 1.0, monotonic() + 5) is spans


def test_one_search_answers_for_several_cells():
    """s is 1 or 3, x is 0 or 1: the ends of one say nothing of those of the other."""
    from time import monotonic

    search = whole_search(triangle())
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
    assert whole_search(triangle()).stands(np.array(change)) is stands


def test_bounds_of_counts_are_taken_inwards():
    inner = np.arange(7) < 4
    search = whole_search(replace(triangle(), low=inner * 0.5, high=np.where(inner, 2.5, np.inf)))
    assert search.low.tolist() == [0.0] * 4
    assert search.high.tolist() == [1.0] * 4
    assert search.moves(3, 1.0, 5.0) is False
    exact = whole_search(replace(triangle(), low=inner * 1e-9, high=np.where(inner, 3 - 1e-9, np.inf)))
    assert exact.low.tolist() == [-1.0] * 4
    assert exact.high.tolist() == [2.0] * 4


def given_away(table: Table, problem: Problem = "interval") -> list[str]:
    hidden = np.arange(7) < 4
    judge = Judge(table, problem)
    found = given_away_by_integers(judge, judge.attacker(hidden), hidden, [3], Run())
    assert all((each.cell, each.low, each.high) == (3, 1.0, 1.0) for each in found)
    return [each.reason for each in found]


def test_integer_programs_judge_counts_alone():
    assert given_away(triangle()) == [PINNED]
    assert given_away(replace(triangle(), lower=np.zeros(7))) == []
    assert given_away(replace(triangle(), frequency=False)) == []
    assert counts_whole(triangle())
    assert not counts_whole(replace(triangle(), values=triangle().values * 0.5))
    assert not counts_whole(replace(triangle(), frequency=False))


@pytest.mark.parametrize(
    ("lower", "upper", "reasons"), [(0.0, 2.0, []), (0.0, 3.0, [PINNED]), (1.0, 0.0, [PINNED])]
)
def test_a_count_is_asked_to_move_where_its_level_is(lower, upper, reasons):
    # s is 1 or 3
    one = np.arange(7) == 3
    assert given_away(replace(triangle(), lower=one * lower, upper=one * upper)) == reasons


@pytest.mark.parametrize(("high", "reasons"), [(3.0, []), (2.0, [PINNED])])
def test_against_exact_disclosure_a_count_moves_either_way(high, reasons):
    table = replace(triangle(), high=np.where(np.arange(7) == 3, high, np.inf))
    assert given_away(table, "exact") == reasons


def test_exact_disclosure_that_was_not_decided_in_time_is_no_protection(monkeypatch):
    from tacita.tables.verify import integers

    monkeypatch.setattr(integers, "_SECONDS", -1.0)
    table = replace(triangle(), high=np.where(np.arange(7) == 3, 2.0, np.inf))
    assert given_away(table, "exact") == [UNDECIDED]


def test_a_movement_of_real_numbers_that_is_whole_is_enough():
    """All are 5: s rises by two where the others fall by one."""
    table = triangle(level=2.0)
    table = replace(table, values=np.array([5.0, 5, 5, 5, 15, 15, 15]))
    assert given_away_at(table, 5.0) == []


def given_away_at(table: Table, value: float) -> list[tuple[str, float]]:
    hidden = np.arange(7) < 4
    return [(each.reason, each.low - value) for each in failures_of(Judge(table, "interval"), hidden, [3])]


def test_real_numbers_and_whole_ones_are_asked_one_after_the_other():
    real = Judge(triangle(), "interval")
    assert real.failure(real.attacker(np.arange(7) < 4), 3, 3) is None
    assert given_away_at(triangle(), 1.0) == [(PINNED, 0.0)]
    assert given_away_at(replace(triangle(), frequency=False), 1.0) == []


def test_what_was_not_decided_in_time_is_no_protection(monkeypatch):
    from tacita.tables.verify import integers

    monkeypatch.setattr(integers, "_SECONDS", -1.0)
    assert given_away(triangle(level=0.5)) == [UNDECIDED]


# the table behind linked ones


def linked_margins(values: np.ndarray, without_zeros: bool = False, **fields: Any) -> Table:
    """The tables a x b, a x c and b x c of a file, as one system that shares its totals; of a x b a and b."""
    sizes = values.shape
    names = "abc"[: len(sizes)]
    dimensions = tuple(
        Hierarchy.flat(name, [f"{name}{at}" for at in range(size)], "Total")
        for name, size in zip(names, sizes, strict=True)
    )
    whole = Table.cross(dimensions, values, margins=True, **fields)
    tops = np.array([each.top for each in dimensions])
    linked = (whole.codes == tops).any(axis=1)
    kept = linked & (whole.values > 0) if without_zeros else linked
    number = np.cumsum(kept) - 1
    lines = []
    for row in range(len(whole.relations)):
        cells, signs = whole.relations.line(row)
        if linked[cells].all():
            lines.append((number[cells[kept[cells]]].tolist(), signs[kept[cells]].tolist()))
    columns = ("codes", "values", "primary", "lower", "upper", "sliding", "low", "high", "cost", "forced")
    return replace(
        whole, relations=Relations.of(lines), **{name: getattr(whole, name)[kept] for name in columns}
    )


def cube() -> np.ndarray:
    return np.array([[[2.0, 0], [1, 3]], [[4, 1], [0, 5]]])


def test_linked_tables_are_told_from_one_table():
    table = linked_margins(cube())
    assert is_linked(table)
    assert entries_behind(table) == 8
    assert is_linked(linked_margins(cube()[0]))
    assert not is_linked(Table.from_array(cube()))
    assert not is_linked(Table.from_array([1.0, 2]))
    assert not is_linked(
        replace(Table.from_array([1.0, 2, 3]), dimensions=Table.from_array([1.0]).dimensions)
    )


def test_the_table_behind_linked_ones_has_their_margins_and_no_negative_entry():
    table = linked_margins(cube())
    common = with_common_table(table, table.values < 3)
    assert common is not None
    assert (common.linked, common.table.n) == (table.n, table.n + 8)
    assert (common.table.values >= 0).all()
    assert np.abs(common.table.relations.residuals(common.table.values)).max() < 1e-6
    assert common.suppressed(table.values < 3).sum() == (table.values < 3).sum() + 8
    # each of the linked tables is a margin: 3 x 4 sums of its own
    assert len(common.table.relations) == len(table.relations) + 12


def test_entries_under_a_published_zero_are_no_unknowns():
    values = cube() + 1
    values[0, 1] = 0
    table = linked_margins(values)
    zero = table.values == 0
    nothing = np.zeros(table.n, dtype=bool)
    assert zero.sum() == 1
    published, hidden = with_common_table(table, nothing), with_common_table(table, zero)
    assert published is not None
    assert hidden is not None
    assert published.table.n - table.n == 6
    assert hidden.table.n - table.n == 8
    # nor are those under a cell that no linked table has
    sparse = linked_margins(values, without_zeros=True)
    absent = with_common_table(sparse, np.ones(sparse.n, dtype=bool))
    assert absent is not None
    assert (sparse.n, absent.table.n - sparse.n) == (table.n - 1, 6)


def inner_pairs(table: Table) -> np.ndarray:
    """Which linked cells are no totals."""
    return (table.codes != np.array([each.top for each in table.dimensions])).sum(axis=1) == 2


def of_no_file() -> Table:
    """a with the other b, a with the other c, and b with the other c: no record can be all three."""
    table = linked_margins(cube())
    leaf = np.stack([each.is_leaf[table.codes[:, at]] for at, each in enumerate(table.dimensions)], axis=1)
    place = np.stack(
        [np.searchsorted(each.leaves, table.codes[:, at]) for at, each in enumerate(table.dimensions)], axis=1
    )
    other = np.where(leaf, place, 0).sum(axis=1) == 1
    pairs, values = inner_pairs(table), np.where(leaf.sum(axis=1) == 1, 9.0, 18.0)
    return replace(table, values=np.where(pairs, np.where(other, 9.0, 0.0), values))


def test_tables_that_come_from_no_file_have_none_behind_them():
    table = linked_margins(cube())
    assert with_common_table(table, inner_pairs(table)) is not None
    assert with_common_table(of_no_file(), inner_pairs(table)) is None
    assert with_common_table(replace(table, low=np.full(table.n, -1.0)), inner_pairs(table)) is None


def test_where_all_is_published_as_zero_or_entries_are_cells_themselves_there_is_none_behind():
    zeros = linked_margins(np.zeros((2, 2, 2)))
    assert with_common_table(zeros, np.zeros(zeros.n, dtype=bool)) is None
    whole = Table.from_array(cube() + 1, margins=True)
    kept = np.arange(whole.n) != whole.n - 1
    lines = [whole.relations.line(row) for row in range(len(whole.relations))]
    columns = ("codes", "values", "primary", "lower", "upper", "sliding", "low", "high", "cost", "forced")
    lacking = replace(
        whole,
        relations=Relations.of([(c.tolist(), s.tolist()) for c, s in lines if kept[c].all()]),
        **{name: getattr(whole, name)[kept] for name in columns},
    )
    assert is_linked(lacking)
    assert with_common_table(lacking, np.ones(lacking.n, dtype=bool)) is None


@pytest.mark.parametrize(
    ("table", "most"),
    [
        # nothing is behind them: of no file, of one table, and where entries may be negative
        (of_no_file(), 8),
        (Table.from_array(cube(), margins=True), 7),
        (replace(linked_margins(cube()), low=np.full(19, -1.0)), 7),
    ],
)
def test_where_there_is_no_common_table_nothing_is_left_to_judge(table, most, monkeypatch):
    from tacita.tables.verify import common

    monkeypatch.setattr(common, "_MOST", most)
    hidden = inner_pairs(table)
    table = replace(table, primary=hidden, lower=hidden * 1e-3, upper=hidden * 1e-3)
    cells = np.flatnonzero(hidden).tolist()
    assert given_away_by_common_table(Judge(table, "interval"), hidden, cells, Run()) == ([], 0)


@pytest.mark.parametrize(("most", "judged"), [(8, True), (7, False)])
def test_a_common_table_that_is_too_large_is_told_as_not_judged(most, judged, monkeypatch):
    from tacita.tables.verify import common

    monkeypatch.setattr(common, "_MOST", most)
    table = linked_margins(cube())
    inner = inner_pairs(table)
    table = replace(table, primary=inner, lower=inner * 1e-3, upper=inner * 1e-3)
    cells = np.flatnonzero(inner).tolist()
    found, left = given_away_by_common_table(Judge(table, "interval"), inner, cells, Run())
    assert left == (0 if judged else len(cells))
    assert (with_common_table(table, inner) is not None) == judged
    assert all(each.reason == COMMON for each in found)
    assert given_away_by_common_table(Judge(table, "interval"), inner, [], Run()) == ([], 0)


def test_without_time_one_cell_is_judged_and_the_others_are_told(monkeypatch):
    from tacita.tables.verify import common

    monkeypatch.setattr(common, "_SECONDS", -1.0)
    table = linked_margins(cube())
    inner = inner_pairs(table)
    table = replace(table, primary=inner, lower=inner * 1e-3, upper=inner * 1e-3)
    _, left = given_away_by_common_table(
        Judge(table, "interval"), inner, np.flatnonzero(inner).tolist(), Run()
    )
    assert left == inner.sum() - 1


def test_counts_below_a_threshold_are_sensitive_together_too():
    table = Table.from_array([5.0, 3, 15], frequency=True, primary=[True, True, False])
    table = replace(
        table, contributors=Contributors.counts(table.values), rules=(MinimumFrequency(threshold=9),)
    )
    hidden = np.array([True, True, False, False])
    assert len(sensitive_unions(table, hidden)) == 1
    enough = replace(table, rules=(MinimumFrequency(threshold=8),))
    assert not sensitive_unions(enough, hidden)
