"""Synthetic data that would hold true values are refused."""

import numpy as np
import pytest

import tacita
from tacita import registry
from tacita.core import RunContext
from tacita.microdata.methods.synthesis.synthesis_method import Synthesis

ALL = [name for name in registry.names("synthesis") if issubclass(registry.lookup(name), Synthesis)]


def plain(n=60, p=3, q=2, seed=0):
    rng = np.random.default_rng(seed)
    s = rng.normal(size=(n, q))
    return s[:, :1] + rng.normal(size=(n, p)), s


@pytest.mark.parametrize("name", ALL)
class TestEverySynthesis:
    def test_refuses_a_dependent_column_that_is_a_function_of_the_independent_ones(self, name):
        y, s = plain()
        y[:, 1] = 4 - 3 * s[:, 0] + 2 * s[:, 1]
        with pytest.raises(
            tacita.DataError, match=r"dependent column 2 \(as given\) would come out unchanged"
        ):
            tacita.get_method(name).synthesize(y, s)

    def test_refuses_one_that_is_nearly_a_function_too(self, name):
        y, s = plain()
        y[:, 0] = s[:, 0] + 1e-5 * y[:, 0]
        with pytest.raises(
            tacita.DataError, match=r"dependent column 1 \(as given\) would come out unchanged"
        ):
            tacita.get_method(name).synthesize(y, s)

    def test_refuses_a_constant_dependent_column(self, name):
        y, s = plain()
        y[:, [0, 2]] = 5
        with pytest.raises(
            tacita.DataError, match=r"dependent columns 1, 3 \(as given\) would come out unchanged"
        ):
            tacita.get_method(name).synthesize(y, s)

    def test_accepts_a_sum_of_dependent_columns_that_is_a_function(self, name):
        # y1 + y2 = s1 says nothing of y1 or y2 alone that S does not say
        y, s = plain()
        y[:, 1] = s[:, 0] - y[:, 0]
        released = (
            tacita.get_method(name, c=2).synthesize(y, s)
            if name in ("fcrm", "ipso-cluster")
            else (tacita.get_method(name).synthesize(y, s))
        )
        assert np.abs(released - y).max(axis=0).min() > 0.01

    def test_refuses_too_few_records_for_the_rank(self, name):
        # rank [1, S] = 3, rank of residuals 3: more than 9 records are wanted
        y, s = plain(9)
        with pytest.raises(tacita.DataError, match=r"3 \+ 2 \* 3 = 9, got 9"):
            tacita.get_method(name, max_leverage=1).synthesize(y, s)

    def test_counts_the_rank_and_not_the_columns(self, name):
        y, s = plain(13, 2, 2)
        settings = {"max_leverage": 1} | ({"c": 1} if name in ("fcrm", "ipso-cluster") else {})
        y = np.column_stack([y, y.sum(axis=1), y[:, 0] - y[:, 1], s[:, 0] - y[:, 1]])
        s = np.column_stack([s, s.sum(axis=1), s[:, 0]])
        assert tacita.get_method(name, **settings).synthesize(y, s).shape == (13, 5)

    def test_refuses_a_record_that_is_its_own_prediction_unless_insisted(self, name):
        y, s = plain()
        s[:, 1] = 0
        s[7, 1] = 1  # only this record has the attribute: its residual is 0
        with pytest.raises(tacita.DataError, match=r"1 records have a leverage over 0.9: "):
            tacita.get_method(name).synthesize(y, s)
        released = tacita.get_method(name, max_leverage=1).synthesize(y, s, RunContext(seed=1))
        if name != "fcrm":
            assert (np.abs(released - y)[7] < 1e-9).all() == (name not in ("ipso-a", "gadp"))

    def test_refuses_records_that_do_not_match(self, name):
        y, s = plain()
        with pytest.raises(tacita.DataError, match="got 60 and 59"):
            tacita.get_method(name).synthesize(y, s[1:])

    def test_refuses_missing_values_without_naming_any(self, name):
        y, s = plain()
        s[3, 0] = np.nan
        with pytest.raises(tacita.DataError, match="1 values are missing"):
            tacita.get_method(name).synthesize(y, s)


def test_fcrm_refuses_more_clusters_than_records():
    y, s = plain()
    with pytest.raises(tacita.DataError, match="at least c=61 records, got 60"):
        tacita.get_method("fcrm", c=61).synthesize(y, s)


def test_fcrm_refuses_clusters_so_small_that_they_are_their_own_prediction():
    y, s = plain(seed=3)
    with pytest.raises(tacita.DataError, match=r"leverage over 0\.9 in their cluster"):
        tacita.get_method("fcrm", c=30).synthesize(y, s)


def test_fcrm_refuses_clusters_that_make_a_column_a_function():
    rng = np.random.default_rng(0)
    s = rng.normal(size=(200, 1))
    y = np.where(rng.random((200, 1)) < 0.5, s, 3 - s)  # two exact lines: two clusters find them
    with pytest.raises(tacita.DataError, match=r"100 % .* dependent column 1 \(as given\) would"):
        tacita.get_method("fcrm", c=2, rmax=200).synthesize(y, s)
    released = tacita.get_method("fcrm", c=2, rmax=200, max_unchanged=1).synthesize(y, s)
    assert np.allclose(released, y, atol=1e-3)
