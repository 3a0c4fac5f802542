"""Which cells move together, and how far: small relations whose answer is known."""

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import null_space
from scipy.optimize import linprog

from tacita.tables.verify import presolve
from tacita.tables.verify.presolve import implied, moving_together


def grouped(lines, down, up):
    """The groups of cells that these lines tie, each of which maps cells to coefficients."""
    entries = [(row, cell, sign) for row, line in enumerate(lines) for cell, sign in line]
    rows, cells, signs = (np.array(side) for side in zip(*entries, strict=True))
    return moving_together(rows, cells, signs.astype(float), np.array(down, float), np.array(up, float))


def limits(found):
    """How far each cell can fall and rise."""
    return [(found.limit(cell, -1), found.limit(cell, 1)) for cell in range(found.group.size)]


@pytest.mark.parametrize(
    ("lines", "down", "up", "expected"),
    [
        # a cell that can only fall by one, or only rise by one, moves
        ([[(0, 1), (1, 1)]], [1, 2], [0, 5], [(1, 0), (0, 1)]),
        ([[(0, 1), (1, 1)]], [0, 2], [1, 5], [(0, 1), (1, 0)]),
        # what a line adds and takes away is not in it
        ([[(0, 1), (0, -1), (1, 1), (2, 1)]], [7, 1, 2], [8, 3, 4], [(7, 8), (1, 2), (2, 1)]),
        # a cell that counts twice moves half as far
        ([[(0, 1), (1, 2)]], [10, 3], [100, 100], [(10, 6), (3, 5)]),
        # 1 moves as 0 the other way: what is left of the second line is a pair
        (
            [[(0, 1), (1, 1)], [(0, 1), (1, 1), (2, 1), (3, 1)]],
            [9] * 4,
            [5, 6, 3, 2],
            [(6, 5), (5, 6), (2, 3), (3, 2)],
        ),
        ([[(0, 1), (1, 1)], [(0, 1), (1, -1), (2, 1)]], [9] * 3, [5, 6, 4], [(2, 4.5), (4.5, 2), (9, 4)]),
        # and of a line that the others leave one cell, that cell does not move
        ([[(0, 1), (1, 1)], [(0, 1), (1, 1), (2, 1)]], [9] * 3, [5, 6, 4], [(6, 5), (5, 6), (0, 0)]),
    ],
)
def test_cells_in_short_lines_go_as_far_as_each_other_lets_them(lines, down, up, expected):
    found = grouped(lines, down, up)
    assert limits(found) == expected
    # every line is used up
    assert found.relations.shape[0] == 0
    assert [(-low, high) for low, high in zip(*moved_ends(found), strict=True)] == expected


def moved_ends(found):
    """The lowest and highest movement of every cell where its group goes to its own ends."""
    ends = np.stack([found.cells_moved(found.low), found.cells_moved(found.high)])
    return ends.min(axis=0).tolist(), ends.max(axis=0).tolist()


def test_what_is_left_has_three_groups_in_every_line_and_says_which_parts_hang_together():
    """Two cubes of ones side by side, in the second of which one more cell is tied to two others."""
    cube = [[0, 1, 2], [0, 3, 4], [1, 3, 5], [2, 4, 5]]
    lines = [[(cell, 1) for cell in line] for line in cube]
    lines += [[(cell + 6, 1) for cell in line] for line in cube]
    lines += [[(12, 1), (6, 1), (7, 1)], [(13, 1)], [(14, 1), (15, -1)]]
    found = grouped(lines, [1] * 16, [2] * 16)
    assert (np.diff(found.relations.indptr) >= 3).all()
    assert found.group[13] == -1
    assert found.group[14] == found.group[15]
    # groups and lines of each part: the pair alone, and the two cubes
    groups, relations = found.sizes()
    assert sorted(zip(groups.tolist(), relations.tolist(), strict=True)) == [(1, 0), (6, 4), (7, 5)]


def test_a_cell_that_has_left_a_line_may_follow_another_one():
    """0 leaves both of its first lines when 1 follows it, and then follows 2, which stands in more lines."""
    tangled = [(2, 3, 4), (2, 4, 5), (2, 5, 6), (2, 6, 3)]
    lines = [
        [(0, 1), (1, 1)],
        [(0, 1), (1, 1)],
        [(0, 1), (2, 1)],
        *([(cell, 1) for cell in line] for line in tangled),
    ]
    found = grouped(lines, [3] * 7, [4] * 7)
    assert found.group[0] == found.group[1] == found.group[2]
    assert (found.ratio[0], found.ratio[1]) == (-found.ratio[2], found.ratio[2])


def test_bounds_are_passed_on_to_either_side():
    line = sparse.csr_array(np.array([[1.0, 1.0, -1.0]]))
    low, high = implied(line, np.array([-9.0, -2, -1]), np.array([9.0, 3, 4]))
    assert low == pytest.approx([-4, -2, -1])
    assert high == pytest.approx([6, 3, 4])
    # never narrower than it is
    assert low[0] <= -4
    assert high[0] >= 6
    opposite = implied(-line, np.array([-9.0, -2, -1]), np.array([9.0, 3, 4]))
    assert [side.tolist() for side in opposite] == [low.tolist(), high.tolist()]


def test_a_cell_beside_cells_that_do_not_move_does_not_move():
    low, high = implied(sparse.csr_array(np.ones((1, 2))), np.array([-5.0, 0]), np.array([5.0, 0]))
    assert (low.tolist(), high.tolist()) == ([0, 0], [0, 0])


def test_beside_two_cells_without_limit_there_is_none_and_beside_one_only_for_others():
    line = sparse.csr_array(np.array([[1.0, 2.0, 1.0]]))
    endless = np.array([np.inf, np.inf, 4.0])
    low, high = implied(line, -endless, endless)
    assert (low.tolist(), high.tolist()) == ([-np.inf, -np.inf, -4], [np.inf, np.inf, 4])
    endless[0] = 6.0
    low, high = implied(line, -endless, endless)
    assert high == pytest.approx([6, 5, 4])
    assert low == pytest.approx([-6, -5, -4])


@pytest.mark.parametrize(("third", "rounds"), [(0.0, 2), (2.0, 1)])
def test_bounds_are_passed_on_as_long_as_some_shrink(third, rounds, monkeypatch):
    sought, honest = [], presolve._of_others
    monkeypatch.setattr(presolve, "_of_others", lambda *given: sought.append(1) or honest(*given))
    line = sparse.csr_array(np.array([[1.0, 1.0, -1.0]]))
    implied(line, np.array([-1.0, -2.0, -third]), np.array([1.0, 1.0, third]))
    assert len(sought) == 2 * rounds


@pytest.mark.parametrize(
    ("lines", "down", "up", "groups", "expected"),
    [
        # a cell that cannot move leaves the two others of its line to each other
        ([(0, 1, 2)], [0, 4, 5], [0, 3, 9], [-1, 0, 0], [(0, 0), (4, 3), (3, 4)]),
        # cells that can only rise balance nobody, nor can who hangs on them alone
        ([(0, 1, 2), (2, 3)], [0, 0, 0, 7], [5, 5, 5, 7], [-1] * 4, [(0, 0)] * 4),
        ([(0, 1)], [0, 2], [0, 2], [-1, -1], [(0, 0)] * 2),
    ],
)
def test_what_cannot_move_is_in_no_group_and_in_no_line(lines, down, up, groups, expected):
    found = grouped([[(cell, 1) for cell in line] for line in lines], down, up)
    assert found.group.tolist() == groups
    assert limits(found) == expected
    assert found.relations.shape[0] == 0


@pytest.mark.parametrize("seed", range(12))
def test_groups_move_as_all_movements_do_and_no_cell_goes_farther_than_its_limit(seed):
    generator = np.random.default_rng(seed)
    n, rows = 9, 6
    matrix = np.zeros((rows, n))
    for row in matrix:
        chosen = generator.choice(n, generator.integers(2, 5), replace=False)
        row[chosen] = generator.choice([1.0, 1, -1, 2], chosen.size)
    row, cell = np.nonzero(matrix)
    down, up = generator.integers(1, 9, (2, n)).astype(float)
    found = moving_together(row, cell, matrix[row, cell], down, up)
    free = null_space(matrix)
    inside = found.group >= 0
    assert np.abs(free[~inside]).max(initial=0.0) < 1e-9
    # every movement of the cells is one of the groups, and there are no others
    shares = free[inside] / found.ratio[inside, None]
    groups = np.zeros((found.low.size, free.shape[1]))
    groups[found.group[inside]] = shares
    assert np.allclose(groups[found.group[inside]], shares)
    left = found.relations.toarray()
    assert np.allclose(left @ groups, 0)
    assert found.low.size - (np.linalg.matrix_rank(left) if left.size else 0) == free.shape[1]
    assert (np.diff(found.relations.indptr) >= 3).all()
    for at in range(n):
        for direction in (1, -1):
            aim = -direction * (np.arange(n) == at)
            ends = np.column_stack([-down, up])
            reach = -linprog(aim, A_eq=matrix, b_eq=np.zeros(rows), bounds=ends).fun
            assert found.limit(at, direction) >= reach - 1e-7
            if not left.size:
                assert found.limit(at, direction) == pytest.approx(reach, abs=1e-7)


def test_what_others_leave_is_nothing_where_none_of_them_moves():
    found = presolve._of_others(np.array([0, 0, 1, 1, 1]), np.array([5.0, 0, 0.25, 0.25, np.inf]), 2)
    assert found[0] == 0.0
    assert found[1:] == pytest.approx([5.0, np.inf, np.inf, 0.5], abs=1e-9)
    # a little wider than it is, for rounding
    assert found[1] > 5.0
