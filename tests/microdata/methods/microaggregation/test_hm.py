import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from effort import MANY
from twins.segments import best_partition_sse, best_segmentation_sse

numbers = st.lists(st.integers(-20, 20).map(float), min_size=2, max_size=8)


@MANY
@given(values=numbers, k=st.integers(2, 4))
def test_no_partition_at_all_loses_less(values, k):
    x = np.array(values).reshape(-1, 1)
    if len(x) >= k:
        assert tacita.method("hm", k=k).partition(x).sse(x) == pytest.approx(
            best_partition_sse(x, k), abs=1e-9
        )


@MANY
@given(
    values=st.lists(st.integers(-20, 20).map(float), min_size=3, max_size=14),
    k=st.integers(2, 4),
    m=st.integers(2, 6),
)
def test_no_cut_into_segments_of_k_units_loses_less(values, k, m):
    x = np.sort(np.array(values)).reshape(-1, 1)
    units = np.arange(len(x)) * 5 % m
    if len(np.unique(units)) >= k:
        found = tacita.method("hm", k=k).partition(x, units=units)
        assert found.sse(x) == pytest.approx(best_segmentation_sse(x, k, units), abs=1e-9)


def test_large_values_close_together_do_not_cancel():
    x = (1e9 + np.array([0.0, 1.0, 2.0, 100.0, 101.0, 102.0])).reshape(-1, 1)
    assert tacita.method("hm", k=3).partition(x).labels.tolist() == [0, 0, 0, 1, 1, 1]


def test_more_than_one_column_is_an_error():
    with pytest.raises(tacita.DataError, match="wanted one column, got 2"):
        tacita.method("hm", k=2).partition(np.zeros((5, 2)))


def test_never_loses_more_than_mdav_on_one_column():
    x = np.random.default_rng(3).lognormal(size=(400, 1))
    for k in (2, 3, 7):
        best, heuristic = (tacita.method(name, k=k).partition(x).sse(x) for name in ("hm", "mdav"))
        assert best <= heuristic
