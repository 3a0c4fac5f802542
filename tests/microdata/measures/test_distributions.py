import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.microdata.measures.distributions import summarise, summarise_categories

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


codes = st.lists(st.integers(0, 30), min_size=8, max_size=200)


@given(codes=codes, moved=st.integers(0, 30), k=st.integers(2, 7))
def test_categories_are_told_with_k_records_or_none_before_and_after_and_all_are_counted(codes, moved, k):
    before = np.array(codes, dtype=float)
    after = np.where(before < moved, before // 4, before)
    summary = summarise_categories("x", before, after, [f"name {i}" for i in range(31)], k)
    for side in (summary.before, summary.after):
        assert all(count == 0 or count >= k for count in side)
        assert sum(side) == len(codes)
    assert len(summary.categories) == len(summary.before) == len(summary.after) <= 13
    assert sum(share for share, _ in summary.shares) == pytest.approx(100)


def test_of_a_recoded_column_the_new_categories_are_seen_however_many_the_old_ones_were():
    ages = np.repeat(np.arange(60.0), 10)
    names = [str(age) for age in range(60)] + ["young", "old"]
    summary = summarise_categories("age", ages, np.where(ages < 30, 60.0, 61.0), names, 3)
    told = dict(zip(summary.categories, zip(summary.before, summary.after, strict=True), strict=True))
    assert told["young"] == told["old"] == (0, 300)
    assert len(told) == 13
    assert told["50 other categories"] == (500, 0)
