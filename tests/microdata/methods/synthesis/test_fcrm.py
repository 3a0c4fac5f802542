"""Fuzzy c-regression models: the twin, the stop rules, what a listener hears, what constraints keep."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tacita
from tacita.core import RunContext
from tacita.microdata.methods.synthesis.constraints import Constraints
from tacita.microdata.methods.synthesis.fcrm import FCRM, weighted_moments
from tacita.microdata.methods.synthesis.fuzzy import fuzzy_c_means
from twins import synthesis as twin

seeds = st.integers(0, 10_000)


def sample(seed, n=60, p=2, q=2):
    rng = np.random.default_rng(seed)
    s = rng.normal(size=(n, q))
    return np.abs(s[:, :1]) * 3 + rng.normal(size=(n, p)) + 4, s * [10.0**j for j in range(q)] + 7


def free(**settings):
    return FCRM(max_leverage=1, max_unchanged=1, **settings)


def start(y, s, c, m, eps, rmax):
    """The memberships that FCRM starts from: fuzzy c-means on all attributes, standardised."""
    x = np.hstack([s, y])
    x = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    return fuzzy_c_means(x, c, np.random.default_rng(0), m=m, tolerance=eps, rounds=rmax).memberships


@pytest.mark.parametrize("m", [1.3, 1.5, 2.0])
@pytest.mark.parametrize("rmax", [1, 8])
@given(seed=seeds, c=st.integers(1, 4))
def test_a_joint_fit_is_the_twins(m, rmax, seed, c):
    y, s = sample(seed)
    centre, scale = y.mean(axis=0), y.std(axis=0, ddof=1)
    heard = []
    released = free(c=c, m=m, rmax=rmax, eps=1e-3).synthesize(y, s, on_iteration=heard.append)
    standard = (s - s.mean(axis=0)) / s.std(axis=0, ddof=1)
    u = start(y, s, c, m, 1e-3, rmax)
    objectives, u, predictions, _ = twin.fcrm((y - centre) / scale, standard, u, m, 1e-3, rmax)
    assert np.allclose([each.objective for each in heard], objectives, rtol=1e-5)
    clear = np.sort(u, axis=1)[:, -1] - (np.sort(u, axis=1)[:, -2] if c > 1 else 0) > 1e-4
    assert np.allclose(released[clear], (centre + scale * predictions)[clear], atol=1e-4)


def test_separate_memberships_are_one_fit_per_attribute():
    y, s = sample(1)
    heard = []
    released = free(c=2, memberships="separate").synthesize(y, s, on_iteration=heard.append)
    standard = (s - s.mean(axis=0)) / s.std(axis=0, ddof=1)
    u = start(y, s, 2, 1.5, 1e-4, 30)
    for j in range(2):
        centre, scale = y[:, j].mean(), y[:, j].std(ddof=1)
        plain = twin.fcrm((y[:, [j]] - centre) / scale, standard, u, 1.5, 1e-4, 30)
        assert np.allclose(released[:, j], centre + scale * plain[2][:, 0], atol=1e-6)
        assert [each.objective for each in heard if each.attribute == j] == pytest.approx(plain[0])


@pytest.mark.parametrize("model", ["linear", "radial"])
@given(seed=seeds, c=st.integers(1, 6), m=st.floats(1.1, 3))
def test_the_objective_never_rises(model, seed, c, m):
    y, s = sample(seed)
    heard = []
    free(c=c, m=m, model=model).synthesize(y, s, on_iteration=heard.append)
    objectives = np.array([each.objective for each in heard])
    # a direction that falls under the tolerance of the pseudo-inverse is given up, and with it a little fit
    assert (np.diff(objectives) <= 1e-6 * objectives[0]).all()


def test_it_stops_at_the_first_round_that_changes_little_or_after_the_last():
    y, s = sample(2)
    heard = []
    free(c=2, eps=1e-3, rmax=500).synthesize(y, s, on_iteration=heard.append)
    assert heard[-1].change < 1e-3
    assert all(each.change >= 1e-3 for each in heard[:-1])
    assert [each.iteration for each in heard] == list(range(1, len(heard) + 1))
    short = []
    free(c=2, eps=1e-9, rmax=3).synthesize(y, s, on_iteration=short.append)
    assert len(short) == 3


def test_a_listener_can_draw_every_round_from_what_it_hears():
    y, s = sample(3)
    heard = []
    released = free(c=3).synthesize(y, s, on_iteration=heard.append)
    last = heard[-1]
    assert last.memberships.shape == (60, 3)
    assert np.allclose(last.memberships.sum(axis=1), 1)
    assert last.coefficients.shape == (3, 3, 2)
    terms = np.column_stack([np.ones(60), s])
    lines = np.einsum("it,itp->ip", terms, last.coefficients[last.memberships.argmax(axis=1)])
    assert np.allclose(lines, released, atol=1e-8)


def test_what_a_listener_keeps_is_not_written_over():
    y, s = sample(3)
    heard, copies = [], []
    free(c=3).synthesize(
        y, s, on_iteration=lambda each: (heard.append(each), copies.append(each.memberships.copy()))
    )
    assert all(np.array_equal(each.memberships, copy) for each, copy in zip(heard, copies, strict=True))


def test_a_listener_may_cancel_in_mid_run():
    y, s = sample(3)
    heard = []
    run = RunContext(should_cancel=lambda: len(heard) >= 2)
    with pytest.raises(tacita.Cancelled):
        free(c=3, eps=1e-12).synthesize(y, s, run, on_iteration=heard.append)
    assert len(heard) == 2


def test_one_cluster_is_the_regression():
    y, s = sample(4)
    assert np.allclose(
        free(c=1).synthesize(y, s), tacita.get_method("regression").synthesize(y, s), atol=1e-10
    )


def test_radial_functions_follow_a_bend_that_a_line_does_not():
    rng = np.random.default_rng(5)
    s = rng.uniform(-3, 3, size=(300, 1))
    y = np.sin(2 * s) + 0.2 * rng.normal(size=(300, 1))
    gaps = [
        np.abs(free(c=1, model=model).synthesize(y, s) - np.sin(2 * s)).mean()
        for model in ("linear", "radial")
    ]
    assert gaps[1] < 0.3 * gaps[0]


@given(seeds)
def test_weighted_least_squares_of_all_clusters_is_that_of_each(seed):
    rng = np.random.default_rng(seed)
    x, y, u = rng.normal(size=(50, 4)), rng.normal(size=(50, 2)), rng.random((50, 3))
    x[:, 3] = x[:, 0] - x[:, 1] if seed % 2 else x[:, 3]
    inverse, moments = weighted_moments(x, y, u)
    for k in range(3):
        root = np.sqrt(u[:, [k]])
        assert np.allclose(
            inverse[k] @ moments[k], np.linalg.lstsq(root * x, root * y, rcond=1e-8)[0], atol=1e-7
        )


def test_separate_memberships_break_relations_unless_equalities_bring_them_back():
    rng = np.random.default_rng(6)
    s = rng.lognormal(size=(200, 2))
    a, b = rng.lognormal(size=(2, 200)) + np.abs(s.T - 1)
    y = np.column_stack([a, b, a + b])

    def gap(**settings):
        released = free(c=3, **settings).synthesize(y, s)
        return np.abs(released[:, 0] + released[:, 1] - released[:, 2]).max()

    assert gap(memberships="separate", equalities=False) > 0.1
    assert gap(memberships="separate") < 1e-9
    assert gap(memberships="joint", equalities=False) < 1e-6
    assert gap() < 1e-9
    assert FCRM(equalities=False).promised() == ("synthetic-cells", "values-changed")


def incomes(seed=7, n=300):
    """Wages and other income add up; taxes lie below the total; all start at 0, where many stand."""
    rng = np.random.default_rng(seed)
    s = np.column_stack([rng.lognormal(size=n), 3 + rng.lognormal(size=n) * 4])
    wages = np.minimum(np.maximum(s[:, 0] * 2 + rng.normal(size=n) - 2, 0), s[:, 1])
    other = np.maximum(rng.normal(size=n), 0)
    tax = (wages + other) * rng.uniform(0, 0.5, n)
    return np.column_stack([wages, other, wages + other, tax]), s


@pytest.mark.parametrize("memberships", ["joint", "separate"])
def test_bounds_order_and_equalities_are_kept_together(memberships):
    y, s = incomes()
    made = free(c=3, memberships=memberships, nonnegative=True, order=True)
    loose = free(c=3, memberships=memberships).synthesize(y, s)
    assert (loose < 0).any()
    assert (loose[:, 0] > s[:, 1]).any() or (loose[:, 3] > loose[:, 2]).any()
    wages, other, total, tax = made.synthesize(y, s).T
    assert min(wages.min(), other.min(), total.min(), tax.min()) >= 0
    assert (tax <= total).all()
    assert (wages <= total).all()
    assert (wages <= s[:, 1]).all()
    assert np.abs(wages + other - total).max() < 1e-9


def test_constraints_found_are_those_that_every_record_keeps():
    y, s = incomes()
    found = Constraints.from_data(y, s, nonnegative=True, order=True)
    assert found.lower.tolist() == [0, 0, 0, 0]
    assert {(0, 2), (1, 2), (3, 2), (0, 5)} <= set(found.ordered)
    assert (2, 0) not in found.ordered
    assert Constraints.from_data(y - 1, s, nonnegative=True, order=False).empty


def test_constraints_may_be_given_by_hand():
    y, s = sample(8)
    by_hand = Constraints(np.array([3.0, -np.inf]), np.array([5.0, 4.5]), ())
    released = free(c=2).synthesize(y, s, constraints=by_hand)
    assert released[:, 0].min() == 3  # to the last bit
    assert released[:, 0].max() <= 5
    assert released[:, 1].max() <= 4.5
    with pytest.raises(tacita.ParameterError, match="for each of 2 columns"):
        free(c=2).synthesize(y, s, constraints=Constraints(np.zeros(3), np.ones(3)))
    with pytest.raises(tacita.ParameterError, match="one of the first 2 in each"):
        free(c=2).synthesize(y, s, constraints=Constraints(by_hand.lower, by_hand.upper, ((2, 3),)))


@given(seeds)
def test_the_projection_is_the_nearest_point_that_keeps_all(seed):
    from scipy.optimize import nnls

    from tacita.kernels.records.halfspaces import nearest_inside

    rng = np.random.default_rng(seed)
    normals = rng.normal(size=(5, 3))
    points = rng.normal(size=(8, 3)) * 3
    bounds = rng.normal(size=(8, 3)) @ normals.T - 0.1  # some point keeps each
    moved = points.copy()
    # nearly parallel normals can take more sweeps than these, which it then says
    assume(nearest_inside(moved, normals, bounds, 1e-13, 50_000) == 0)
    slack = moved @ normals.T - bounds
    assert slack.min() > -1e-9
    for i in range(8):
        # the optimum is where the step is a sum of the normals of tight bounds, with weights of at least 0
        tight = slack[i] < 1e-7
        step = moved[i] - points[i]
        gap = nnls(normals[tight].T, step)[1] if tight.any() else np.abs(step).max()
        assert gap < 1e-6
