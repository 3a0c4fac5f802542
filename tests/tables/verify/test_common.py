"""The table behind linked ones: what its entries give away, and when there is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attacked_tables import linked_margins, some_cells
from tacita.core import RunContext, Table
from tacita.tables.verify import common
from tacita.tables.verify.common import (
    COMMON,
    entries_behind,
    given_away_by_common_table,
    is_linked,
    with_common_table,
)
from tacita.tables.verify.protection_criteria import Judge


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
    behind = with_common_table(table, table.values < 3)
    assert behind is not None
    assert (behind.linked, behind.table.n) == (table.n, table.n + 8)
    assert (behind.table.values >= 0).all()
    assert np.abs(behind.table.relations.residuals(behind.table.values)).max() < 1e-6
    assert behind.suppressed(table.values < 3).sum() == (table.values < 3).sum() + 8
    # each of the linked tables is a margin: 3 x 4 sums of its own
    assert len(behind.table.relations) == len(table.relations) + 12


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


def with_levels(table: Table) -> tuple[Table, np.ndarray]:
    """All linked cells that are no totals are sensitive, with small levels; the table, and which they are."""
    inner = inner_pairs(table)
    return replace(table, primary=inner, lower=inner * 1e-3, upper=inner * 1e-3), inner


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
    lacking = some_cells(whole, kept, kept)
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
    monkeypatch.setattr(common, "_MOST", most)
    table, hidden = with_levels(table)
    cells = np.flatnonzero(hidden).tolist()
    assert given_away_by_common_table(Judge(table, "interval"), hidden, cells, RunContext()) == ([], 0)


@pytest.mark.parametrize(("most", "judged"), [(8, True), (7, False)])
def test_a_common_table_that_is_too_large_is_told_as_not_judged(most, judged, monkeypatch):
    monkeypatch.setattr(common, "_MOST", most)
    table, inner = with_levels(linked_margins(cube()))
    cells = np.flatnonzero(inner).tolist()
    found, left = given_away_by_common_table(Judge(table, "interval"), inner, cells, RunContext())
    assert left == (0 if judged else len(cells))
    assert (with_common_table(table, inner) is not None) == judged
    assert all(each.reason == COMMON for each in found)
    assert given_away_by_common_table(Judge(table, "interval"), inner, [], RunContext()) == ([], 0)


def test_without_time_one_cell_is_judged_and_the_others_are_told(monkeypatch):
    monkeypatch.setattr(common, "_SECONDS", -1.0)
    table, inner = with_levels(linked_margins(cube()))
    _, left = given_away_by_common_table(
        Judge(table, "interval"), inner, np.flatnonzero(inner).tolist(), RunContext()
    )
    assert left == inner.sum() - 1
