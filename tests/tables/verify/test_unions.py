"""Sums of suppressed cells that published figures give away, at the border of what is sensitive."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attacked_tables import REGIONS
from tacita.core import Contributors, Relations, Table
from tacita.tables.rules.concentration import Dominance
from tacita.tables.rules.frequency import MinimumFrequency, ZeroCells
from tacita.tables.verify.unions import is_sensitive, known_sums, sensitive_unions


def cells_named(table: Table, *names: str) -> np.ndarray:
    """A mask of the cells with these labels, of a table of one dimension."""
    return np.array([table.label(cell)[0] in names for cell in range(table.n)])


def sums_of(hidden: tuple[str, ...], sensitive: str) -> dict[frozenset[str], frozenset[str]]:
    """The known sums of a table of regions: suppressed cells, and the published ones that tell them."""
    table = Table.cross([REGIONS], np.array([4.0, 9, 20, 3, 30]), margins=True)
    table = replace(table, primary=cells_named(table, sensitive))

    def named(cells: np.ndarray) -> frozenset[str]:
        return frozenset(table.label(int(cell))[0] for cell in cells)

    found = list(known_sums(table, cells_named(table, *hidden)))
    assert len({named(cells) for cells, _ in found}) == len(found)
    return {named(cells): named(others) for cells, others in found}


TOP = REGIONS.labels[REGIONS.top]


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


def test_counts_below_a_threshold_are_sensitive_together_too():
    table = Table.from_array([5.0, 3, 15], frequency=True, primary=[True, True, False])
    table = replace(
        table, contributors=Contributors.counts(table.values), rules=(MinimumFrequency(threshold=9),)
    )
    hidden = np.array([True, True, False, False])
    assert len(sensitive_unions(table, hidden)) == 1
    enough = replace(table, rules=(MinimumFrequency(threshold=8),))
    assert not sensitive_unions(enough, hidden)
