"""The transformer of scikit-learn: its checks, and that it protects what it is given and keeps nothing."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import tacita
from tacita import ParameterError
from tacita.sklearn import Microaggregator

X = np.random.default_rng(7).normal(size=(60, 3))


@pytest.mark.parametrize(
    "estimator", [Microaggregator(), Microaggregator("VMDAV", k=4, parameters={"gamma": 0.5})], ids=str
)
def test_all_checks_of_scikit_learn_pass_but_the_one_that_hides_a_record_by_itself(estimator):
    found = check_estimator(estimator, on_skip=None, on_fail=None)
    by_status = {status: [] for status in ("passed", "failed", "skipped")}
    for each in found:
        by_status[each["status"]].append(each)
    (failed,) = by_status["failed"]
    assert failed["check_name"] == "check_methods_subset_invariance"
    assert f"1 sample(s) (shape=(1, 3)) while a minimum of {estimator.k} is required" in str(
        failed["exception"]
    )
    # needs a setting of the process that scikit-learn's own tests do without as well
    assert {each["check_name"] for each in by_status["skipped"]} <= {"check_array_api_input"}
    assert len(by_status["passed"]) > 40


def test_it_publishes_what_protect_publishes():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    release = tacita.protect(frame, quasi=["a", "b", "c"], k=5)
    assert np.array_equal(Microaggregator(k=5).fit_transform(X), release.data.to_numpy())


def test_other_records_than_those_fitted_are_protected_among_each_other():
    fitted = Microaggregator(k=4).fit(X[:30])
    shown = fitted.transform(X[30:])
    assert np.array_equal(shown, Microaggregator(k=4).fit_transform(X[30:]))
    assert np.unique(shown, axis=0, return_counts=True)[1].min() >= 4


def test_nothing_of_the_records_is_kept():
    fitted = Microaggregator().fit(X)
    fitted.transform(X)
    assert set(vars(fitted)) == {"method", "k", "seed", "parameters", "n_features_in_"}
    assert not any(value.tobytes() in pickle.dumps(fitted) for value in X.ravel())


def test_names_of_columns_go_through():
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=range(100, 160))
    made = Microaggregator().set_output(transform="pandas").fit_transform(frame)
    assert list(made.columns) == list(Microaggregator().fit(frame).get_feature_names_out()) == ["a", "b", "c"]
    assert made.index.equals(frame.index)


def test_it_takes_part_in_a_pipeline_and_its_parameters_can_be_set():
    pipeline = make_pipeline(Microaggregator(), LinearRegression()).fit(X, X[:, 0])
    assert pipeline.predict(X).shape == (60,)
    changed = clone(pipeline).set_params(microaggregator__k=7, microaggregator__method="MD")
    assert changed[0].get_params() == {"method": "MD", "k": 7, "seed": None, "parameters": None}


def test_the_same_seed_makes_the_same_groups():
    first, again = (
        Microaggregator("ga", seed=5, parameters={"generations": 3}).fit_transform(X) for _ in range(2)
    )
    assert np.array_equal(first, again)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"method": "noise", "parameters": {"alpha": 0.5}}, "there is no parameter k"),
        ({"method": "rank-swap"}, "there is no parameter k"),
        ({"method": "onedims"}, "wanted a method that groups records, got onedims, a masking"),
        ({"method": "nothing"}, "no method, measure or format named 'nothing'"),
        ({"parameters": {"shuffle": True}}, "there is no parameter shuffle"),
        ({"k": 1}, "k must be at least 2"),
    ],
)
def test_what_it_cannot_do_is_refused_when_it_is_fitted(asked, message):
    with pytest.raises(ParameterError, match=message):
        Microaggregator(**asked).fit(X)
