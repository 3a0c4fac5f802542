"""The order of labels that come out of data."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.core.data.labels import natural_order


@pytest.mark.parametrize(
    "ordered",
    [
        [str(month) for month in range(1, 13)],
        ["-10", "-2", "0", "0.5", "1", "1.0", "2e3"],
        ["5-9", "10-19", "20-49", "50-249", "250+"],
        ["A1", "A2", "A10", "B1"],
        ["Q1 2024", "Q2 2024", "Q3 2024", "Q10 2024"],
        ["01", "011", "012", "02", "10"],
        ["2024-01", "2024-02", "2024-10"],
        ["1", "2", "10", "unknown"],
        # a number longer than int() takes
        ["9", "1" + "0" * 5000],
    ],
)
def test_labels_come_as_a_person_would_list_them(ordered):
    assert natural_order(reversed(ordered)) == ordered


def test_the_order_is_that_of_the_labels_and_not_of_the_records():
    labels = ["10", "9", "x2", "x10"]
    assert len({tuple(natural_order(each)) for each in permutations(labels)}) == 1


@given(st.lists(st.text()))
def test_no_label_is_lost_and_no_text_without_digits_moves(labels):
    found = natural_order(labels)
    assert sorted(found) == sorted(set(labels))
    plain = [label for label in set(labels) if not any(sign in "0123456789" for sign in label)]
    assert natural_order(plain) == sorted(plain)
