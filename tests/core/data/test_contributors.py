"""Who stands behind cells: sizes from the largest down, and cells taken together holder by holder."""

from dataclasses import replace

import numpy as np
import pytest

from tacita.core import Contributors, DataError


def behind(amounts, holders, count=None, **fields):
    """Contributors by the size and holder of each, cell by cell, to a depth of three."""
    largest, whose = np.zeros((len(amounts), 3)), np.full((len(amounts), 3), -1)
    for cell, (sizes, names) in enumerate(zip(amounts, holders, strict=True)):
        largest[cell, : len(sizes)], whose[cell, : len(names)] = sizes, names
    number = np.array([len(each) for each in amounts] if count is None else count)
    total = np.array([float(sum(each)) for each in amounts])
    made = Contributors(
        total, number, largest, whose, number.astype(float), np.zeros(len(total)), largest[:, 0]
    )
    return replace(made, **fields)


def test_the_largest_are_kept_from_the_largest_down_without_signs():
    two = Contributors.of([[2.0, -5.0, 4.0, 3.0], [1.0]])
    assert two.largest.tolist() == [[5.0, 4.0, 3.0], [1.0, 0.0, 0.0]]
    assert (two.total.tolist(), two.count.tolist()) == ([14.0, 1.0], [4, 1])
    assert (two.holders == -1).all()
    assert two.open.tolist() == [5.0, 1.0]
    assert two.requested.tolist() == [0.0, 0.0]
    assert Contributors.of([[2.0, 5.0]], depth=1).largest.tolist() == [[5.0]]


def test_of_counts_everyone_counts_one():
    three = Contributors.counts([0.0, 1.0, 7.0])
    assert three.largest.tolist() == [[0.0], [1.0], [1.0]]
    assert (three.count.tolist(), three.open.tolist()) == ([0, 1, 7], [0.0, 1.0, 1.0])
    assert three.lone.tolist() == [False, True, False]


@pytest.mark.parametrize("name", ["count", "frequency", "requested", "open"])
def test_figures_of_other_cells_are_refused(name):
    two = Contributors.of([[2.0], [3.0]])
    with pytest.raises(DataError, match="for the same cells everywhere"):
        replace(two, **{name: getattr(two, name)[:1]})


@pytest.mark.parametrize(
    ("largest", "words"),
    [
        (np.zeros((1, 3)), "the largest contribution of each cell"),
        (np.zeros((2, 0)), "the largest contribution of each cell"),
        (np.zeros(2), "the largest contribution of each cell"),
        (np.array([[1.0, 2.0], [0.0, 0.0]]), "from the largest down"),
        (np.array([[1.0, 0.0], [0.0, -1.0]]), "from the largest down"),
    ],
    ids=["too few", "none", "one figure", "rising", "negative"],
)
def test_contributions_out_of_order_or_missing_are_refused(largest, words):
    two = Contributors.of([[2.0], [3.0]])
    with pytest.raises(DataError, match=words):
        replace(two, largest=largest, holders=np.full(largest.shape, -1))


def test_equal_contributions_are_in_order():
    assert Contributors.of([[2.0, 2.0, 2.0]]).largest.tolist() == [[2.0, 2.0, 2.0]]


def test_one_contributor_who_stands_for_others_is_not_alone():
    cells = behind([[5.0], [5.0], [3.0, 2.0]], [[0], [1], [2, 3]], frequency=np.array([1.0, 1.5, 1.0]))
    assert cells.lone.tolist() == [True, False, False]


def test_what_one_holder_gives_to_several_cells_is_added_before_it_is_ranked():
    cells = behind([[60.0, 5.0], [50.0, 6.0], [100.0]], [[0, 1], [0, 2], [4]])
    whole = cells.together([0, 1])
    assert whole.largest.tolist() == [[110.0, 6.0, 5.0]]
    assert whole.holders.tolist() == [[0, 2, 1]]
    assert (whole.count.tolist(), whole.total.tolist(), whole.frequency.tolist()) == ([3], [121.0], [4.0])
    assert whole.open.tolist() == [110.0]
    alone = cells.together([2])
    assert (alone.largest.tolist(), alone.holders.tolist()) == ([[100.0, 0.0, 0.0]], [[4, -1, -1]])
    assert alone.count.tolist() == [1]
    chosen = cells.at([2, 0])
    assert (chosen.total.tolist(), chosen.holders[:, 0].tolist()) == ([100.0, 65.0], [4, 0])


def test_nobody_who_is_not_named_is_taken_for_another():
    cells = behind([[60.0], [50.0]], [[-1], [-1]])
    whole = cells.together([0, 1])
    assert (whole.largest.tolist(), whole.holders.tolist()) == ([[60.0, 50.0, 0.0]], [[-1, -1, -1]])
    assert whole.count.tolist() == [2]


@pytest.mark.parametrize(
    ("holders", "count", "least"),
    [
        # all of them are known
        ([[0, 1, 2], [0, 1, 3]], [3, 3], 4),
        ([[0, 1, 2], [0, 1, 2]], [3, 3], 3),
        # more than are kept: at least those known, at least those of the largest cell
        ([[0, 1, 2], [0, 1, 3]], [4, 3], 4),
        ([[0, 1, 2], [0, 1, 3]], [9, 4], 9),
        ([[0, 1, -1], [0, 1, 3]], [3, 3], 3),
        ([[0, -1, -1], [-1, -1, -1]], [3, 3], 3),
        ([[-1, -1, -1], [-1, -1, -1]], [3, 4], 7),
        ([[0, 0, 0], [0, 0, 0]], [4, 4], 4),
    ],
    ids=str,
)
def test_several_cells_have_the_least_number_of_contributors_that_they_can_have(holders, count, least):
    sizes = [[9.0, 8.0, 7.0], [6.0, 5.0, 4.0]]
    assert behind(sizes, holders, count).together([0, 1]).count.tolist() == [least]


@pytest.mark.parametrize(
    ("open_to", "wanted"), [([60.0, 50.0], 110.0), ([5.0, 50.0], 50.0), ([0.0, 0.0], 0.0)], ids=str
)
def test_who_waived_protection_does_not_count_as_open(open_to, wanted):
    cells = behind(
        [[60.0], [50.0]], [[0], [0]], open=np.array(open_to), requested=np.array([3.0, 4.0])
    ).together([0, 1])
    assert cells.open.tolist() == [wanted]
    assert cells.requested.tolist() == [4.0]


def test_cells_in_which_nobody_asked_are_together_cells_in_which_nobody_asked():
    assert Contributors.of([[0.5], [0.25]]).together([0, 1]).requested.tolist() == [0.0]
