import csv

import numpy as np
import pandas as pd
import pytest
from experiments.published import MDAV
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import tacita
from effort import first_of_each
from tacita.cli import run_command
from tacita.core import Partition
from tacita.microdata.methods.microaggregation import mdav as found_by
from tacita.testing import check_method
from twins.mdav import mdav

PRINTED = [(name, k, loss) for name, row in MDAV.items() for k, loss in row.items()]
OPTIONS = [(end_rule, growth) for end_rule in ("3k", "2k") for growth in ("seed", "centroid")]
options = st.sampled_from(OPTIONS)


def loss_of(z, k, **parameters):
    return 100 * tacita.get_method("mdav", k=k, **parameters).partition(z).sse(z) / (z**2).sum()


@pytest.mark.parametrize(("name", "k", "loss"), first_of_each(one for one in PRINTED if one[1] <= 25))
def test_losses_are_those_of_the_literature(benchmark, name, k, loss):
    assert loss_of(benchmark(name), k) == pytest.approx(loss, abs=0.001)


@pytest.mark.parametrize(("name", "k", "loss"), first_of_each(PRINTED))
def test_with_the_end_rule_2k_all_losses_are_those_of_the_literature(benchmark, name, k, loss):
    assert loss_of(benchmark(name), k, end_rule="2k") == pytest.approx(loss, abs=0.001)


def test_centroids_that_stay_where_they_are_do_not_meet_print(benchmark, monkeypatch):
    z = benchmark("census")
    monkeypatch.setattr(found_by, "join_nearest_moving_group", found_by.join_nearest_group)
    assert loss_of(z, 100, end_rule="2k") == pytest.approx(39.090, abs=0.001)
    assert MDAV["census"][100] == pytest.approx(39.063)


# Our own figures, which guard against change by accident.
@pytest.mark.parametrize(
    ("name", "k", "parameters", "loss"),
    [
        ("tarragona", 50, {}, 58.531),
        ("tarragona", 100, {}, 69.561),
        ("census", 100, {}, 39.735),
        ("tarragona", 3, {"growth": "centroid"}, 15.631),
        ("census", 3, {"growth": "centroid"}, 5.343),
        ("tarragona", 10, {"growth": "centroid"}, 36.995),
    ],
)
def test_losses_stay_as_they_were(benchmark, name, k, parameters, loss):
    assert loss_of(benchmark(name), k, **parameters) == pytest.approx(loss, abs=0.001)


# Whole numbers add and subtract exactly, so twin and kernel must agree on every tie.
whole_numbers = arrays(
    float, st.tuples(st.integers(3, 40), st.integers(1, 6)), elements=st.integers(-4, 4).map(float)
)


@given(x=whole_numbers, k=st.integers(2, 5), options=options)
def test_kernel_equals_plain_twin_ties_included(x, k, options):
    end_rule, growth = options
    if len(x) >= k:
        ours = tacita.get_method("mdav", k=k, end_rule=end_rule, growth=growth).partition(x)
        assert_same_groups(ours.labels, mdav(x, k, None, end_rule, growth))


@given(x=whole_numbers, k=st.integers(2, 4), n_units=st.integers(2, 12), options=options)
def test_kernel_equals_plain_twin_under_the_unit_rule(x, k, n_units, options):
    end_rule, growth = options
    units = np.arange(len(x)) * 7 % n_units
    if len(np.unique(units)) >= k:
        # leftovers compare distances to group means, which are no whole numbers: compare the loss there
        ours = tacita.get_method("mdav", k=k, end_rule=end_rule, growth=growth).partition(x, units=units)
        theirs = Partition(mdav(x, k, units, end_rule, growth), k, units)
        assert ours.sse(x) == pytest.approx(theirs.sse(x), rel=1e-9, abs=1e-9)
        assert len(ours) == len(theirs)


@pytest.mark.each_once
@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 8, 13])
@pytest.mark.parametrize(("end_rule", "growth"), OPTIONS)
def test_kernel_equals_plain_twin_on_real_numbers(d, end_rule, growth):
    x = np.random.default_rng(d).normal(size=(500, d))
    for k in (3, 70):
        ours = tacita.get_method("mdav", k=k, end_rule=end_rule, growth=growth).partition(x)
        assert_same_groups(ours.labels, mdav(x, k, None, end_rule, growth))


@given(x=whole_numbers, k=st.integers(2, 6), options=options)
def test_every_group_has_k_to_2k_records(x, k, options):
    end_rule, growth = options
    if len(x) >= k:
        sizes = tacita.get_method("mdav", k=k, end_rule=end_rule, growth=growth).partition(x).sizes
        assert k <= sizes.min()
        assert sizes.max() < 2 * k
        assert sizes.size == len(x) // k


@given(x=whole_numbers, k=st.integers(2, 4), n_units=st.integers(2, 12), options=options)
def test_every_group_has_k_units(x, k, n_units, options):
    end_rule, growth = options
    units = np.arange(len(x)) ** 2 % n_units
    if len(np.unique(units)) >= k:
        found = tacita.get_method("mdav", k=k, end_rule=end_rule, growth=growth).partition(x, units=units)
        assert all(len(np.unique(units[found.labels == label])) >= k for label in range(len(found)))


def test_a_centroid_moves_with_each_record_that_joins_it():
    # two groups of three; 4.9 joins the lower one and moves it from 0.5 to 1.6, and so 5.1 joins it too
    x = np.array([[0.0], [0.5], [1.0], [9.0], [9.5], [10.0], [4.9], [5.1]])
    found = tacita.get_method("mdav", k=3, end_rule="2k").partition(x)
    assert found.labels.tolist() == [0, 0, 0, 1, 1, 1, 0, 0]


@pytest.mark.parametrize(("end_rule", "growth"), OPTIONS)
def test_the_laws_of_every_method_hold_with_each_option(end_rule, growth):
    check_method(tacita.get_method("mdav", end_rule=end_rule, growth=growth))


def test_options_are_reached_from_the_command_line(tmp_path):
    source, out = tmp_path / "firms.csv", tmp_path / "out.csv"
    run_command(["datasets", "business", "--out", str(source)])
    quasi = "employees,turnover,costs,value_added,wages,investment"
    words = f"--quasi {quasi} --identifiers name,registration --strata region --unit group_id --k 4 --force"
    made = set()
    for more in ("", "--end-rule 2k", "--growth centroid", "--method cbfs --growth centroid"):
        assert run_command(["protect", str(source), "--out", str(out), *words.split(), *more.split()]) == 0
        with out.open(newline="") as file:
            made.add(tuple((row["turnover"], row["wages"]) for row in csv.DictReader(file)))
    assert len(made) == 4


def test_a_record_names_options_where_they_are_not_the_default():
    assert tacita.get_method("mdav", k=4).own_parameters() == {"k": 4}
    assert (
        tacita.get_method("cbfs").own_parameters() == tacita.get_method("kward").own_parameters() == {"k": 3}
    )
    other = tacita.get_method("mdav", end_rule="2k", growth="centroid").own_parameters()
    assert other == {"k": 3, "end_rule": "2k", "growth": "centroid"}


def test_trials_of_options_are_told_apart():
    frame = pd.DataFrame({"x": np.random.default_rng(0).normal(size=60)})
    trials = tacita.compare_methods(
        frame, quasi="x", method="mdav", growth=["seed", "centroid"], loss="IL1", risk="DLD"
    )
    assert sorted(trial.parameters["growth"] for trial in trials) == ["centroid", "seed"]
    assert [*trials.differing] == ["growth"]


@pytest.mark.parametrize("given_", [{"end_rule": "4k"}, {"growth": "middle"}])
def test_other_end_rules_and_growths_are_refused(given_):
    (name,) = given_
    with pytest.raises(tacita.ParameterError, match=name):
        tacita.get_method("mdav", **given_)


def test_a_dominant_unit_is_spread_over_groups_of_others():
    x = np.random.default_rng(5).normal(size=(60, 2))
    units = np.where(np.arange(60) < 48, 0, np.arange(60))
    found = tacita.get_method("mdav", k=3).partition(x, units=units)
    for label in range(len(found)):
        assert len(np.unique(units[found.labels == label])) >= 3


def test_input_is_left_untouched():
    x = np.random.default_rng(0).normal(size=(30, 2))
    before = x.copy()
    units = np.arange(30) % 10
    tacita.get_method("mdav", k=3).partition(x, units=units)
    assert np.array_equal(x, before)
    assert np.array_equal(units, np.arange(30) % 10)


def assert_same_groups(ours, theirs):
    assert np.array_equal(ours, Partition(theirs, 1).labels)
