"""Sums of suppressed cells that follow from several lines, beside a search through all small sets."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import null_space
from scipy.sparse import linalg

from attacked_tables import PAIR, REGIONS, block, pair
from tacita.core import Hierarchy, Table
from tacita.tables.verify import mixed_sums as module
from tacita.tables.verify.mixed_sums import mixed_sums

SHAPES = {
    "two-way": [Hierarchy.flat("a", list("pqr")), Hierarchy.flat("b", list("tuv"))],
    "nested": [REGIONS, Hierarchy.flat("b", list("tu"))],
    "cube": [Hierarchy.flat(name, [f"{name}0", f"{name}1"]) for name in "abc"],
}


def movements(table, cells):
    """Directions that keep all sums, one a column; cells in rows."""
    matrix = np.zeros((len(table.relations), table.n))
    matrix[table.relations.rows, table.relations.cells] = table.relations.signs
    return null_space(matrix[:, cells])


def at_or_above(hierarchy, label):
    while label >= 0:
        yield label
        label = hierarchy.parents[label]


def without_shared_records(table, one, other):
    """Whether there is a dimension in which neither cell is part of the other."""
    return any(
        table.codes[one, at] not in set(at_or_above(each, table.codes[other, at]))
        and table.codes[other, at] not in set(at_or_above(each, table.codes[one, at]))
        for at, each in enumerate(table.dimensions)
    )


def searched(table, hidden):
    """Every set of two to four cells that move, pairwise without shared records, whose sum does not move."""
    cells = np.flatnonzero(hidden)
    moved = movements(table, cells)
    moving = [at for at in range(cells.size) if np.abs(moved[at]).max(initial=0.0) > 1e-9]
    apart = {
        (one, other)
        for one, other in combinations(moving, 2)
        if without_shared_records(table, cells[one], cells[other])
    }
    known = []
    for size in (2, 3, 4):
        for chosen in combinations(moving, size):
            if all(two in apart for two in combinations(chosen, 2)):
                smaller = any(each < set(chosen) for each in known)
                if not smaller and np.abs(moved[list(chosen)].sum(axis=0)).max() <= 1e-9:
                    known.append(set(chosen))
    sets = [tuple(cells[sorted(each)].tolist()) for each in known]
    return {each for each in sets if table.primary[list(each)].any()}


def some_table(shape, seed):
    """A table, some cells of which are suppressed, few of those sensitive."""
    generator = np.random.default_rng(seed)
    dimensions = SHAPES[shape]
    values = generator.integers(1, 9, size=[each.leaves.size for each in dimensions]).astype(float)
    table = Table.cross(dimensions, values, margins=True)
    hidden = generator.random(table.n) < generator.choice([0.5, 0.7])
    return replace(table, primary=hidden & (generator.random(table.n) < 0.3)), hidden


@pytest.mark.parametrize(("shape", "sizes"), [("two-way", {2, 3, 4}), ("nested", {2, 3}), ("cube", {2})])
def test_the_sums_that_are_found_are_those_of_a_search_through_all_sets(shape, sizes):
    seen = set()
    for seed in range(8):
        table, hidden = some_table(shape, seed)
        found = [tuple(cells.tolist()) for cells in mixed_sums(table, hidden)]
        assert len(set(found)) == len(found)
        assert set(found) == searched(table, hidden), seed
        seen |= {len(cells) for cells in found}
    assert seen == sizes


@pytest.mark.parametrize(("most", "found"), [(7, 0), (8, 1)])
def test_of_parts_that_are_too_large_no_sums_of_several_lines_are_sought(monkeypatch, most, found):
    table = block()
    hidden = table.inner & (table.values != 20)
    monkeypatch.setattr(module, "_MOST", most)
    sets = [cells.tolist() for cells in mixed_sums(table, hidden) if cells.size == 4]
    assert len(sets) == found


def test_no_more_sets_of_one_size_are_looked_at_than_a_limit(monkeypatch):
    table = Table.from_array(np.ones((3, 3)), primary=np.ones((3, 3), dtype=bool))
    whole = [cells.size for cells in mixed_sums(table, table.inner)]
    # the rows and columns
    assert whole == [3] * 6
    monkeypatch.setattr(module, "_SETS", 2)
    assert [cells.size for cells in mixed_sums(table, table.inner)] == [3] * 2


@pytest.mark.parametrize(
    ("sums", "expected"),
    [
        ([1.0, -2.0, 5.0], [(0, 0), (0, 1), (1, 2)]),
        # of what is not opposite, but nearly
        ([1.0 + 0.9e-8, -2.0 - 0.9e-8], [(0, 0), (0, 1), (1, 2)]),
        ([1.0 + 1.1e-8, -2.0 - 1.1e-8], []),
        ([], []),
    ],
)
def test_sums_are_matched_with_all_that_are_opposite(sums, expected):
    which, where = module._matches(np.array(sums), np.array([-1.0, -1.0, 2.0, 3.0]))
    assert list(zip(which.tolist(), where.tolist(), strict=True)) == expected


def test_only_the_first_of_very_many_matches_are_looked_at(monkeypatch):
    monkeypatch.setattr(module, "_SETS", 0.08)
    # four in all
    which, _ = module._matches(np.array([1.0, 1.0, 1.0]), np.array([-1.0, -1.0]))
    assert which.tolist() == [0, 0, 1, 1]


def test_a_movement_keeps_all_sums_takes_every_cell_that_can_move_and_is_another_for_each_seed():
    table, hidden = some_table("nested", 3)
    cells = np.flatnonzero(hidden)
    rows, entries, signs = table.relations.among(hidden)
    place = np.searchsorted(cells, entries)
    matrix = sparse.csr_array((signs, (rows, place)), shape=(len(table.relations), cells.size))
    free = np.abs(movements(table, cells)).max(axis=1) > 1e-9
    first, again, other = (module._any_movement(matrix, seed) for seed in (0, 0, 1))
    assert first.tolist() == again.tolist()
    assert not np.allclose(first, other)
    for moved in (first, other):
        assert np.abs(matrix @ moved).max() <= 1e-9
        assert (np.abs(moved[free]) > 1e-4).all()
        assert (np.abs(moved[~free]) < 1e-8).all()


@pytest.mark.parametrize(("left", "calls"), [(0.0, 1), (0.95e-9, 1), (1.05e-9, 2), (-1.05e-9, 2)])
def test_a_movement_is_improved_until_every_sum_holds(left, calls, monkeypatch):
    made, honest = [], linalg.lsqr

    def imprecise(*given, **limits):
        part = honest(*given, **limits)[0]
        # of two sums the first is off after the first round
        part[0] -= 0.0 if made else left
        made.append(part)
        return (part,)

    monkeypatch.setattr(linalg, "lsqr", imprecise)
    matrix = sparse.csr_array(np.array([[1.0, 1, 0, 0], [0, 0, 1, 1]]))
    assert np.abs(matrix @ module._any_movement(matrix, 0)).max() <= 1e-9
    assert len(made) == calls


@pytest.mark.parametrize("chance", [0, 1])
def test_what_one_movement_shows_by_chance_the_other_one_must_confirm(chance, monkeypatch):
    honest = module._any_movement
    by_chance = np.outer([1.0, 1, -2], [1.0, -1, 0]).ravel()
    monkeypatch.setattr(
        module, "_any_movement", lambda matrix, seed: by_chance if seed == chance else honest(matrix, seed)
    )
    table = Table.from_array(np.ones((3, 3)), primary=np.ones((3, 3), dtype=bool))
    found = [cells.tolist() for cells in mixed_sums(table, table.inner)]
    grid = np.flatnonzero(table.inner).reshape(3, 3)
    assert sorted(found) == sorted([*grid.tolist(), *grid.T.tolist()])


def test_two_cells_under_a_published_sum_are_a_set():
    assert [cells.tolist() for cells in mixed_sums(pair(), PAIR)] == [[0, 1]]
    assert not list(mixed_sums(replace(pair(), primary=np.zeros(3, dtype=bool)), PAIR))
