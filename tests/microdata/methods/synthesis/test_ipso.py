"""Exact moments, whatever the rank of the data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita import registry
from tacita.core import RunContext
from tacita.microdata.methods.synthesis.ipso import by_rank, exact_directions, nearest_directions
from tacita.microdata.methods.synthesis.regression import Regression
from tacita.microdata.methods.synthesis.synthesis_method import Synthesis
from twins.synthesis import gram_schmidt

EXACT = ["ipso-c", "ipso-q", "ipso-cluster"]
RANDOM = ["ipso-a", "ipso-b", *EXACT, "gadp"]
ALL = [name for name in registry.names("synthesis") if issubclass(registry.lookup(name), Synthesis)]


def sample(seed, n, p, q, relations=0, scales=True):
    """Skewed correlated columns on very different scales; the last `relations` columns are sums of others."""
    rng = np.random.default_rng(seed)
    s = rng.normal(size=(n, q))
    if q > 1 and relations:
        s[:, -1] = s[:, 0] - 2  # a singular S
    y = s @ rng.normal(size=(q, p)) + np.exp(rng.normal(size=(n, p)))
    for j in range(p - relations, p):
        y[:, j] = y[:, : p - relations].sum(axis=1) * (j + 1)
    if scales:
        y = (y + rng.normal(size=p)) * 10.0 ** rng.integers(-4, 7, p)
        s = s * 10.0 ** rng.integers(-4, 7, q)
    return y, s


def moments_differ(y, s, released):
    """Largest change of means, covariances and coefficients, in standard deviations of the original."""
    before, after = np.hstack([s, y]), np.hstack([s, released])
    keep = before.std(axis=0) > 0
    before, after = before[:, keep], after[:, keep]
    centre, scale = before.mean(axis=0), before.std(axis=0, ddof=1)
    before, after = (before - centre) / scale, (after - centre) / scale
    means = np.abs(before.mean(axis=0) - after.mean(axis=0)).max()
    return max(means, np.abs(np.cov(before.T) - np.cov(after.T)).max())


def coefficients(y, s, like):
    x = np.column_stack([np.ones(len(s)), (s - s.mean(axis=0)) / s.std(axis=0)])
    return np.linalg.lstsq(x, (y - like.mean(axis=0)) / like.std(axis=0), rcond=1e-9)[0]


shapes = st.tuples(
    st.integers(0, 10_000), st.integers(1, 60), st.integers(1, 5), st.integers(0, 4), st.integers(0, 2)
)


@pytest.mark.parametrize("name", EXACT)
@given(shape=shapes)
def test_means_and_covariances_are_exact_for_any_n_d_and_rank(name, shape):
    seed, more, p, q, relations = shape
    relations = min(relations, p - 1)
    n = max(q + 1 + 2 * p + more, 12)
    y, s = sample(seed, n, p, q, relations)
    released = tacita.get_method(name, max_leverage=1).synthesize(y, s, RunContext(seed=seed))
    assert moments_differ(y, s, released) < 1e-12
    assert np.abs(released - y).max() > 0


@pytest.mark.parametrize("name", ["regression", "ipso-b", *EXACT])
@given(shape=shapes)
def test_means_and_coefficients_are_exact(name, shape):
    seed, more, p, q, relations = shape
    relations = min(relations, p - 1)
    y, s = sample(seed, max(q + 2 + 2 * p + more, 12), p, q + 1, relations)
    released = tacita.get_method(name, max_leverage=1).synthesize(y, s, RunContext(seed=seed))
    scale = y.std(axis=0, ddof=1)
    assert (np.abs(released.mean(axis=0) - y.mean(axis=0)) < 1e-12 * scale).all()
    centred = (s - s.mean(axis=0)) / s.std(axis=0)
    assert (np.abs(centred.T @ ((released - y) / scale)) / len(y) < 1e-12).all()
    assert np.allclose(coefficients(y, s, y), coefficients(released, s, y), atol=1e-10)


@pytest.mark.parametrize("name", ALL)
def test_relations_among_dependent_and_with_independent_columns_survive(name):
    rng = np.random.default_rng(4)
    s = rng.lognormal(size=(300, 3))
    a, b = rng.lognormal(size=(2, 300))
    y = np.column_stack([a, b, 3 * a - 2 * b + 7, s[:, 0] - a, rng.normal(size=300)])
    released = tacita.get_method(name, **insisting(name)).synthesize(y, s, RunContext(seed=1))
    a, b, c, d, _ = released.T
    assert np.abs(3 * a - 2 * b + 7 - c).max() < 1e-9
    assert np.abs(s[:, 0] - a - d).max() < 1e-9
    assert np.abs(released - y).max(axis=0).min() > 0.1


@pytest.mark.each_once
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("dependent", [[4, 7, 9, 3], [7, 9, 3, 6]])
def test_total_income_of_census_stays_the_sum_of_its_parts(census, name, dependent):
    # PTOTVAL = PEARNVAL + POTHVAL in all 1080 records, whether the total is dependent or not
    independent = [j for j in range(13) if j not in dependent]
    everything = census.copy()
    everything[:, dependent] = tacita.get_method(name, **insisting(name)).synthesize(
        census[:, dependent], census[:, independent], RunContext(seed=3)
    )
    assert np.abs(census[:, 4] - census[:, 7] - census[:, 9]).max() == 0
    assert np.abs(everything[:, 4] - everything[:, 7] - everything[:, 9]).max() < 1e-9


def insisting(name):
    return {"max_unchanged": 1, "max_leverage": 1} if name == "fcrm" else {}


@pytest.mark.parametrize("name", ALL)
def test_same_seed_gives_same_bytes_and_the_input_is_left_alone(name):
    y, s = sample(1, 120, 3, 2)
    before = y.copy(), s.copy()
    made = tacita.get_method(name, **insisting(name))
    first, second = (made.synthesize(y, s, RunContext(seed=5)).tobytes() for _ in range(2))
    assert first == second
    assert np.array_equal(y, before[0])
    assert np.array_equal(s, before[1])


@pytest.mark.parametrize("name", RANDOM)
def test_without_a_seed_nobody_can_repeat_it(name):
    y, s = sample(1, 120, 3, 2)
    made = tacita.get_method(name)
    assert not np.allclose(made.synthesize(y, s), made.synthesize(y, s))
    assert not np.allclose(
        made.synthesize(y, s, RunContext(seed=1)), made.synthesize(y, s, RunContext(seed=2))
    )


@pytest.mark.parametrize("name", ALL)
def test_scale_and_place_of_columns_do_not_matter(name):
    y, s = sample(2, 200, 3, 2, scales=False)
    made = tacita.get_method(name, **insisting(name))
    straight = made.synthesize(y, s, RunContext(seed=1))
    scaled = made.synthesize(y * [1e6, 1.0, 1e-4] + [1e6, 0, 1], s * [1e3, 1e-3] - 5, RunContext(seed=1))
    assert np.allclose((scaled - [1e6, 0, 1]) / [1e6, 1.0, 1e-4], straight, atol=1e-6)


@pytest.mark.parametrize("name", ALL)
def test_works_without_independent_attributes(name):
    y, _ = sample(2, 200, 3, 0)
    released = tacita.get_method(name, **insisting(name)).synthesize(y, None, RunContext(seed=1))
    assert released.shape == y.shape


@pytest.mark.parametrize("name", ALL)
def test_progress_ends_at_one_and_cancelling_stops(name):
    y, s = sample(2, 100, 2, 2)
    heard = []
    tacita.get_method(name, **insisting(name)).synthesize(y, s, RunContext(seed=1, on_progress=heard.append))
    assert heard[-1].share == 1
    with pytest.raises(tacita.Cancelled):
        tacita.get_method(name).synthesize(y, s, RunContext(should_cancel=lambda: True))


def test_regression_is_the_least_squares_prediction():
    y, s = sample(3, 150, 4, 3, scales=False)
    x = np.column_stack([np.ones(150), s])
    wanted = x @ np.linalg.lstsq(x, y, rcond=None)[0]
    assert np.allclose(tacita.get_method("regression").synthesize(y, s), wanted, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "similarity"), [("ipso-a", 0.0), ("ipso-b", 0.0), ("gadp", 0.0), ("gadp", 0.7)]
)
def test_residuals_have_the_originals_covariance_in_expectation(name, similarity):
    y, s = sample(5, 80, 2, 2, scales=False)
    x = np.column_stack([np.ones(80), s])
    fitted = x @ np.linalg.lstsq(x, y, rcond=None)[0]
    wanted = (y - fitted).T @ (y - fitted)
    made = tacita.get_method(name, **({"similarity": similarity} if name == "gadp" else {}))
    products, likeness = np.zeros((2, 2)), 0.0
    for seed in range(1000):
        residual = made.synthesize(y, s, RunContext(seed=seed)) - fitted
        products += residual.T @ residual / 1000
        likeness += (residual * (y - fitted)).sum() / ((y - fitted) ** 2).sum() / 1000
    # free noise also falls along [1, S]: n instead of n - rank terms
    share = 1.0 if name == "ipso-b" else (1 - similarity**2) * 80 / 77 + similarity**2
    assert np.allclose(products, share * wanted, rtol=0.03, atol=0.03 * np.sqrt(np.prod(np.diag(wanted))))
    assert likeness == pytest.approx(similarity, abs=0.02)


@given(st.integers(0, 1000), st.integers(1, 4), st.integers(0, 3))
def test_directions_are_those_of_gram_and_schmidt_up_to_sign(seed, p, q):
    y, s = sample(seed, 40, p, q)
    regression = Regression.of(y, s)
    draws = np.random.default_rng(seed + 1).normal(size=(40, regression.residual_rank))
    taken = np.hstack([regression.basis, regression.left])
    ours, plain = exact_directions(regression, draws), gram_schmidt(draws, taken)
    assert np.allclose(np.abs(ours.T @ plain), np.eye(ours.shape[1]), atol=1e-10)


def test_draws_that_lie_among_the_independent_attributes_are_no_obstacle():
    # data made with the same generator and seed as the noise
    s = np.random.default_rng(1).standard_normal((50, 2))
    y = s + np.random.default_rng(2).standard_normal((50, 2))
    for name in EXACT:
        released = tacita.get_method(name, **({"c": 1} if name == "ipso-cluster" else {})).synthesize(
            y, s, RunContext(seed=1)
        )
        assert moments_differ(y, s, released) < 1e-12


@given(st.integers(0, 1000))
def test_no_other_exact_residuals_are_nearer_than_those_of_ipso_q(seed):
    y, s = sample(seed, 60, 3, 2, relations=seed % 2)
    regression = Regression.of(y, s)
    rng = np.random.default_rng(seed)
    wanted = by_rank(rng.normal(size=(60, 3)), np.sort(regression.y, axis=0))
    nearest = nearest_directions(regression, wanted)
    gap = ((regression.with_residuals(nearest) - wanted) ** 2).sum()
    for _ in range(20):
        draws = nearest + rng.choice([0.01, 1.0]) * rng.normal(size=nearest.shape)
        other = regression.with_residuals(exact_directions(regression, draws))
        assert ((other - wanted) ** 2).sum() >= gap - 1e-9


def test_released_residuals_do_not_go_with_the_true_ones():
    y, s = sample(6, 200, 3, 2)
    regression = Regression.of(y, s)
    for name in ("ipso-c", "ipso-q"):
        released = (
            tacita.get_method(name).synthesize(y, s, RunContext(seed=1)) - regression.centre
        ) / regression.scale
        assert np.abs((regression.y - regression.fitted).T @ (released - regression.fitted)).max() < 1e-9


def test_more_alternations_bring_the_marginals_nearer():
    y, s = sample(7, 500, 3, 2, scales=False)

    def gap(released):
        return (np.abs(np.sort(released, axis=0) - np.sort(y, axis=0)) / y.std(axis=0)).mean()

    gaps = [
        gap(tacita.get_method("ipso-q", alternations=a).synthesize(y, s, RunContext(seed=1)))
        for a in (1, 5, 20)
    ]
    assert gap(tacita.get_method("ipso-c").synthesize(y, s, RunContext(seed=1))) > gaps[0] > gaps[1] > gaps[2]


def test_cluster_wise_moments_are_exact_in_every_cluster():
    from tacita.microdata.methods.synthesis.fuzzy import fuzzy_c_means

    rng = np.random.default_rng(8)
    s = np.concatenate([rng.normal(size=(80, 2)), rng.normal(size=(90, 2)) + 12])
    y = s**2 + rng.normal(size=(170, 2))
    released = tacita.get_method("ipso-cluster", c=2).synthesize(y, s, RunContext(seed=1))
    for rows in (slice(0, 80), slice(80, 170)):
        assert moments_differ(y[rows], s[rows], released[rows]) < 1e-12
    assert fuzzy_c_means(np.hstack([s, y]), 2, np.random.default_rng(0)).labels[79] in (0, 1)


def test_a_cluster_that_would_publish_true_values_is_merged():
    rng = np.random.default_rng(9)
    s = np.concatenate([rng.normal(size=(80, 1)), rng.normal(size=(60, 1)) + 20])
    y = np.concatenate([rng.normal(size=(80, 1)), np.zeros((60, 1))])  # constant in the second cluster
    released = tacita.get_method("ipso-cluster", c=2).synthesize(y, s, RunContext(seed=1))
    assert (released[80:] == 0).mean() == 0
    assert moments_differ(y, s, released) < 1e-12
