"""The verifier's means are exact: their sums are rounded once, however the numbers cancel."""

from math import fsum

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacita.microdata.verify.evidence import _exact_sums, exact_means

HARD = st.one_of(
    st.floats(-1e150, 1e150),
    st.sampled_from([1e16, 1.0, -1e16, 1e-16, 2.0**53, 1.0 + 2.0**-52, -0.0, 1e150, 5e-324, 0.1]),
)


@given(st.lists(st.lists(HARD, min_size=1, max_size=7), min_size=1, max_size=6))
def test_means_are_those_of_exact_sums(groups):
    values = np.array([value for group in groups for value in group])
    labels = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    wanted = [fsum(group) / len(group) for group in groups]
    assert exact_means(values, labels).tolist() == wanted


def test_sums_of_usual_groups_are_sure_without_a_second_look():
    rng = np.random.default_rng(0)
    column, counts = rng.lognormal(size=30_000), np.full(10_000, 3)
    sums, doubtful = _exact_sums(column, np.arange(0, 30_000, 3), counts)
    assert not doubtful.any()
    assert sums.tolist() == [fsum(column[i : i + 3].tolist()) for i in range(0, 30_000, 3)]


def test_a_group_with_a_gap_has_no_mean():
    assert np.isnan(exact_means(np.array([np.nan, np.nan, 1.0]), np.array([0, 0, 1]))).tolist() == [
        True,
        False,
    ]
