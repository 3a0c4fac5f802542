import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.microdata.summary import summarise

values = st.lists(st.floats(-1e12, 1e12), min_size=3, max_size=200).map(np.array)


@given(before=values, k=st.integers(2, 5))
def test_no_bin_of_originals_holds_fewer_than_k(before, k):
    if len(before) >= k:
        summary = summarise("x", before, before, k)
        assert min(summary.before) >= k
        assert sum(summary.before) == len(before)
        assert len(summary.before) == len(summary.edges) + 1


@given(before=values)
def test_no_border_is_an_extreme_that_could_be_read_off(before):
    summary = summarise("x", before, before, 3)
    assert all(before.min() < edge <= before.max() for edge in summary.edges)


@pytest.mark.parametrize(
    "before",
    [
        np.random.default_rng(0).normal(50, 10, 500),
        np.random.default_rng(0).lognormal(8, 2, 500),
        np.where(np.arange(500) % 3, 0, np.arange(500.0)),
        np.random.default_rng(0).normal(0, 1, 500) * np.random.default_rng(1).lognormal(5, 2, 500),
        np.random.default_rng(0).integers(0, 5, 500).astype(float),
    ],
    ids=["symmetric", "skewed", "spike-at-zero", "both-signs", "few-values"],
)
def test_ordinary_attributes_get_enough_bins_to_show_their_shape(before):
    assert 4 <= len(summarise("x", before, before, 3).before) <= 20


def test_a_constant_attribute_has_one_bin():
    summary = summarise("x", np.full(9, 7.0), np.full(9, 7.0), 3)
    assert summary.before == (9,)
    assert summary.constant


def test_missing_values_are_left_out():
    summary = summarise("x", np.array([1.0, 2.0, 3.0, np.nan]), np.array([2.0, 2.0, 2.0, np.nan]), 3)
    assert sum(summary.before) == sum(summary.after) == 3
