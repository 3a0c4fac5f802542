"""Grouping by Gower's distance: kernel against twin, laws of mixed columns."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tacita
from effort import MANY
from tacita.microdata.protection.apply import published_values
from tacita.microdata.protection.group_representatives import exposed_groups, spare_records
from twins.gower import gower_mdav, middle_of, published_by

KINDS = ("numeric", "ordinal", "nominal")


@st.composite
def mixed_records(draw, categories_only=False):
    """Small whole numbers: sums are exact, so twin and kernel must agree on every tie."""
    n = draw(st.integers(4, 30))
    kinds = draw(st.lists(st.sampled_from(KINDS[categories_only:]), min_size=1, max_size=4))
    cells = st.lists(st.integers(0, 4), min_size=n, max_size=n)
    return np.array([draw(cells) for _ in kinds], dtype=float).T, tuple(kinds)


@given(mixed_records(), st.integers(2, 4))
def test_kernel_equals_plain_twin_ties_included(records, k):
    x, kinds = records
    # a mean of what is left is no exact number: where it decides a tie, the last bit may
    x = (
        x
        if "numeric" not in kinds
        else x + np.sqrt(np.arange(1, x.shape[0] + 1))[:, None] * (np.array(kinds) == "numeric")
    )
    found = tacita.get_method("gower", k=k).partition(x, kinds=kinds)
    assert same_groups(found.labels, gower_mdav(x, k, kinds))


@given(mixed_records(categories_only=True), st.integers(2, 3), st.integers(3, 9))
def test_kernel_equals_plain_twin_under_the_unit_rule_and_weights(records, k, n_units):
    x, kinds = records
    units = np.arange(len(x)) * 7 % n_units
    assume(len(np.unique(units)) >= k)
    weights = tuple(float(2**j) for j in range(len(kinds)))
    found = tacita.get_method("gower", k=k, weights=weights).partition(x, kinds=kinds, units=units)
    assert same_groups(found.labels, gower_mdav(x, k, kinds, weights, units))


@given(mixed_records(), st.integers(2, 4))
def test_a_group_publishes_mean_lower_median_and_mode(records, k):
    x, kinds = records
    labels = tacita.get_method("gower", k=k).partition(x, kinds=kinds).labels
    made = published_values(x, labels, np.zeros(len(kinds), dtype=bool), kinds)
    for row, label in enumerate(labels):
        members = x[labels == label]
        expected = [middle_of(members[:, j].tolist(), kind) for j, kind in enumerate(kinds)]
        assert made[row] == pytest.approx(expected, rel=1e-12)


@given(mixed_records(), st.integers(2, 4), st.integers(1, 2))
@MANY
def test_what_a_group_publishes_equals_the_plain_twin(records, k, parts):
    x, kinds = records
    strata = np.arange(len(x)) % parts
    assume(min(np.bincount(strata)) >= k)
    labels = np.empty(len(x), dtype=np.int64)
    groups = 0
    for part in range(parts):
        here = strata == part
        labels[here] = groups + tacita.get_method("gower", k=k).partition(x[here], kinds=kinds).labels
        groups = labels[here].max() + 1
    middles = published_values(x, labels, np.zeros(len(kinds), dtype=bool), kinds)
    made = spare_records(x, middles, labels, strata, kinds, k)
    levels = [sorted(set(column)) for column in x.T.tolist()]
    for label in range(groups):
        members, stratum = x[labels == label], strata[labels == label][0]
        expected = published_by(members.tolist(), x[strata == stratum].tolist(), kinds, k, levels)
        assert made[labels == label].tolist() == [expected] * len(members)


def test_a_random_file_publishes_nobodys_record():
    x = np.random.default_rng(0).integers(0, 3, (300, 6)).astype(float)
    kinds, strata = ["nominal"] * 3 + ["ordinal"] * 3, np.zeros(300, dtype=np.int64)
    labels = tacita.get_method("gower", k=3).partition(x, kinds=kinds).labels
    middles = published_values(x, labels, np.zeros(6, dtype=bool), kinds)
    made = spare_records(x, middles, labels, strata, kinds, 3)
    assert exposed_groups(x, middles, labels, strata, 3).size > 70
    assert exposed_groups(x, made, labels, strata, 3).size == 0
    own = {tuple(row) for row in x}
    assert sum(tuple(row) in own for row in made) < 30


def test_the_names_of_nominal_codes_do_not_matter_but_their_order_for_ordinal_does():
    rng = np.random.default_rng(3)
    x = np.column_stack([rng.normal(size=60), rng.integers(0, 5, 60)])
    renamed = np.column_stack([x[:, 0], np.array([40.0, 10.0, 30.0, 0.0, 20.0])[x[:, 1].astype(int)]])
    method = tacita.get_method("gower", k=4)
    for kind, same in (("nominal", True), ("ordinal", False)):
        kinds = ("numeric", kind)
        labels = method.partition(x, kinds=kinds).labels, method.partition(renamed, kinds=kinds).labels
        assert np.array_equal(*labels) == same


def test_records_that_share_a_name_stay_together_where_nothing_else_differs():
    x = np.repeat([[0.0], [1.0], [2.0]], 4, axis=0)[np.random.default_rng(0).permutation(12)]
    labels = tacita.get_method("gower", k=4).partition(x, kinds=["nominal"]).labels
    assert same_groups(labels, x[:, 0])


def test_other_methods_refuse_categories_and_name_the_one_that_does_not():
    with pytest.raises(tacita.ParameterError, match=r"MDAV: .*nominal or ordinal.*gower"):
        tacita.get_method("mdav", end_rule="2k", growth="centroid").partition(
            np.ones((9, 1)), kinds=["nominal"]
        )


@pytest.mark.parametrize(
    ("given", "kinds", "message"),
    [
        ({"weights": (1.0, 2.0)}, ["nominal"], "wanted 1 weights, one per attribute, got 2"),
        ({}, ["nominal", "numeric"], "wanted the kinds of 1 columns, got 2"),
    ],
)
def test_another_number_of_weights_or_kinds_is_refused(given, kinds, message):
    with pytest.raises(tacita.ParameterError, match=message):
        tacita.get_method("gower", **given).partition(np.ones((9, 1)), kinds=kinds)


def test_a_weight_must_count_for_something():
    with pytest.raises(tacita.ParameterError, match="more than 0"):
        tacita.get_method("gower", weights=(0.0,))


def same_groups(a, b):
    pairs = set(zip(list(a), list(b), strict=True))
    return len(pairs) == len({p for p, _ in pairs}) == len({q for _, q in pairs})
