"""Which cells move together, and how far: small relations whose answer is known."""

import numpy as np
import pytest
from scipy import sparse

from tacita.tables.verify import together
from tacita.tables.verify.together import implied, moving_together


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
    sought, honest = [], together._of_others
    monkeypatch.setattr(together, "_of_others", lambda *given: sought.append(1) or honest(*given))
    line = sparse.csr_array(np.array([[1.0, 1.0, -1.0]]))
    implied(line, np.array([-1.0, -2.0, -third]), np.array([1.0, 1.0, third]))
    assert len(sought) == 2 * rounds
