import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita import DataError, Partition, VerificationError


@given(labels=st.lists(st.integers(-5, 5), min_size=1, max_size=40), k=st.integers(1, 4))
def test_a_partition_exists_exactly_if_every_group_has_k_records(labels, k):
    smallest = min(labels.count(label) for label in labels)
    if smallest >= k:
        assert Partition(np.array(labels), k).sizes.min() == smallest
    else:
        with pytest.raises(VerificationError, match=f"fewer than k={k} records"):
            Partition(np.array(labels), k)


@given(labels=st.lists(st.integers(-5, 5), min_size=1, max_size=40))
def test_numbering_follows_the_lowest_row_and_keeps_the_groups(labels):
    given_labels = np.array(labels)
    numbered = Partition(given_labels, 1).labels
    assert numbered[0] == 0
    assert all(numbered[i] <= numbered[:i].max() + 1 for i in range(1, len(labels)))
    same = given_labels[:, None] == given_labels[None, :]
    assert np.array_equal(same, numbered[:, None] == numbered[None, :])


def test_units_are_counted_per_group():
    labels = np.array([0, 0, 0, 1, 1, 1])
    Partition(labels, 3, np.array([1, 2, 3, 1, 2, 3]))
    with pytest.raises(VerificationError, match="1 of 2 groups have fewer than k=3 distinct units"):
        Partition(labels, 3, np.array([1, 2, 2, 1, 2, 3]))


@pytest.mark.parametrize("labels", [[], [[0, 1]], [0.5, 0.5], ["a", "a"]])
def test_labels_must_be_whole_numbers_one_per_record(labels):
    with pytest.raises(DataError, match="whole-number label per record"):
        Partition(np.array(labels), 1)


def test_labels_cannot_be_changed_afterwards():
    with pytest.raises(ValueError, match="read-only"):
        Partition(np.array([0, 0]), 2).labels[0] = 5


def test_squared_error_is_that_of_the_definition():
    rng = np.random.default_rng(0)
    x, labels = rng.normal(size=(30, 3)), rng.integers(0, 4, 30)
    expected = sum(((x[labels == g] - x[labels == g].mean(axis=0)) ** 2).sum() for g in range(4))
    assert Partition(labels, 1).sse(x) == pytest.approx(expected)
