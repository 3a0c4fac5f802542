"""Measures of loss: against plain twins, by simulation, on known data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita.core import Comparison, Partition, RunContext
from tacita.microdata.measures.partial_aggregation import Part
from twins import measures as twin

PARTS = ["PIL_mean", "PIL_variance", "PIL_covariance", "PIL_correlation", "PIL_quantile"]


def value(name, x, z, **beside):
    return tacita.get_method(name).score(Comparison.of(x, z, **beside)).value


def masked(x, k=4):
    labels = tacita.get_method("mdav", k=k).partition(x).labels
    return Partition(labels, k).centroids(x)[labels]


def pair(seed=1, n=90, d=3, tied=False):
    rng = np.random.default_rng(seed)
    x = (
        rng.integers(0, 4, size=(n, d)).astype(float)
        if tied
        else rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    )
    return x, masked(x)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize(
    ("name", "plain"),
    [("IL1", twin.il1), ("IL2", twin.il2), ("ENERGY", twin.energy), ("OVERLAP", twin.overlap)],
)
def test_measure_equals_its_plain_twin(name, plain, tied):
    x, z = pair(tied=tied)
    assert value(name, x, z) == pytest.approx(plain(x, z), rel=1e-6)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("with_context", [False, True])
def test_the_parts_of_pil_equal_their_plain_twin(tied, with_context):
    x, z = pair(tied=tied)
    context = x[:, :1] ** 2 + np.random.default_rng(0).normal(size=(90, 2)) if with_context else ()
    expected = twin.pil(x, z, context if with_context else None)
    found = [value(name, x, z, context=context) for name in PARTS]
    assert found == pytest.approx(expected, abs=1e-6)
    assert value("PIL", x, z, context=context) == pytest.approx(np.mean(expected))


@pytest.mark.parametrize(("name", "published"), [("tarragona", 31.32), ("census", 55.15)])
def test_one_single_group_loses_the_known_il2(benchmark, name, published):
    z = benchmark(name)
    assert value("IL2", z, np.zeros_like(z)) == pytest.approx(published, abs=0.005)


class TestSamplingVariances:
    """PIL stands on formulas for sampling variances; here samples say whether they are right."""

    N, TIMES = 400, 4000

    @pytest.fixture(scope="class")
    @classmethod
    def samples(cls):
        rng = np.random.default_rng(7)
        first = rng.gamma(2.0, 1.0, size=(cls.TIMES, cls.N))
        second = 0.6 * first + rng.normal(size=first.shape)
        return first, second

    def moments(self):
        rng = np.random.default_rng(8)
        a = rng.gamma(2.0, 1.0, size=2_000_000)
        b = 0.6 * a + rng.normal(size=a.size)
        return a - a.mean(), b - b.mean()

    def test_variance_of_a_mean(self, samples):
        a, _ = self.moments()
        assert samples[0].mean(axis=1).var() == pytest.approx((a**2).mean() / self.N, rel=0.08)

    def test_variance_of_a_variance(self, samples):
        a, _ = self.moments()
        expected = ((a**4).mean() - (a**2).mean() ** 2) / self.N
        assert samples[0].var(axis=1).var() == pytest.approx(expected, rel=0.08)

    def test_variance_of_a_covariance(self, samples):
        a, b = self.moments()
        x, y = (s - s.mean(axis=1, keepdims=True) for s in samples)
        expected = ((a**2 * b**2).mean() - (a * b).mean() ** 2) / self.N
        assert (x * y).mean(axis=1).var() == pytest.approx(expected, rel=0.08)

    def test_variance_of_a_correlation(self, samples):
        a, b = self.moments()
        a, b = a / a.std(), b / b.std()
        x, y = (s - s.mean(axis=1, keepdims=True) for s in samples)
        drawn = (x * y).mean(axis=1) / (x.std(axis=1) * y.std(axis=1))
        r, mu22 = (a * b).mean(), (a**2 * b**2).mean()
        expected = mu22 + r**2 / 4 * ((a**4).mean() + (b**4).mean() + 2 * mu22)
        expected -= r * ((a**3 * b).mean() + (a * b**3).mean())
        assert drawn.var() == pytest.approx(expected / self.N, rel=0.08)

    @pytest.mark.parametrize("q", [0.25, 0.5, 0.9])
    def test_variance_of_a_quantile(self, samples, q):
        from tacita.microdata.measures.loss.probabilistic import DensityStatistic

        drawn = np.quantile(samples[0], q, axis=1)
        values = samples[0].reshape(-1)[:200_000]
        width = values.std(ddof=1) * (0.75 * values.size) ** -0.2
        statistic = DensityStatistic(((float(np.median(drawn)),),), (0.0,), (1.0,), width)
        all_of_it = Part(Comparison.of(values[:, None], values[:, None]), 0, RunContext(), alone=True)
        f = statistic.compute(all_of_it)[0, 0] / (values.size * width * np.sqrt(2 * np.pi))
        assert drawn.var() == pytest.approx(q * (1 - q) / (self.N * f**2), rel=0.12)

    def test_another_sample_of_the_same_population_scores_what_theory_says(self, samples):
        # two samples differ with twice the variance: the mean of erf is then (2 / pi) atan(sqrt 2)
        drawn = samples[0][:600, :, None]
        figures = [value("PIL_mean", x, z) for x, z in zip(drawn[::2], drawn[1::2], strict=True)]
        assert np.mean(figures) == pytest.approx(100 * 2 / np.pi * np.arctan(np.sqrt(2)), abs=4)


def test_shuffling_whole_protected_rows_is_not_harmless():
    rng = np.random.default_rng(0)
    kept = rng.normal(size=(300, 2))
    x = kept @ rng.normal(size=(2, 3)) + 0.2 * rng.normal(size=(300, 3))
    z = x[rng.permutation(300)]
    assert value("PIL", x, z) == pytest.approx(0, abs=1e-6)
    assert value("PIL_correlation", x, z, context=kept) > 50
    assert value("PIL", x, z, context=kept) > 20


@pytest.mark.parametrize(
    "name", ["PIL", *PARTS, "IL1", "IL2", "SMD", "VARIANCE", "EIGEN", "HELLINGER", "ENERGY"]
)
def test_identical_data_has_no_loss(name):
    x, _ = pair()
    assert value(name, x, x) == pytest.approx(0, abs=1e-6)


def test_a_constant_column_that_changes_counts_fully_in_pil():
    x, z = pair()
    wide_x, wide_z = (np.column_stack([v, np.full(90, c)]) for v, c in ((x, 5.0), (z, 6.0)))
    score = tacita.get_method("PIL_mean").score(Comparison.of(wide_x, wide_z))
    assert score.per_attribute["x4"] == 100
    same = tacita.get_method("PIL").score(Comparison.of(wide_x, np.column_stack([z, np.full(90, 5.0)])))
    assert same.per_attribute["x4"] == pytest.approx(0, abs=1e-9)


@given(scale=st.floats(1e-3, 1e6), shift=st.floats(-1e6, 1e6))
def test_units_of_measurement_do_not_matter(scale, shift):
    x, z = pair(n=40, d=2)
    for name in ("PIL", "IL1", "IL2", "HELLINGER", "EIGEN"):
        moved = value(name, x * scale + shift, z * scale + shift)
        assert moved == pytest.approx(value(name, x, z), rel=1e-3, abs=1e-3)


def test_a_classifier_tells_shifted_data_and_not_equal_data():
    x, _ = pair(n=200)
    for classifier in ("logistic", "tree"):
        telling = tacita.get_method("PMSE", classifier=classifier)
        assert telling.score(Comparison.of(x, x)).value < 1
        assert telling.score(Comparison.of(x, x + 3 * x.std(axis=0))).value > 50


def test_overlap_says_why_where_released_columns_depend_on_each_other():
    x, _ = pair(d=2)
    score = tacita.get_method("OVERLAP").score(Comparison.of(x, np.column_stack([x[:, 0], x[:, 0]])))
    assert score.value is None
    assert "linearly" in score.reason


def test_overlap_leaves_out_a_total_beside_its_parts():
    x, _ = pair(d=2)
    wide = np.column_stack([x, x.sum(axis=1)])
    assert value("OVERLAP", wide, wide) == pytest.approx(100)


def test_subdomains_show_what_the_whole_hides():
    x = np.array([[0.0], [2.0], [10.0], [12.0]])
    z = np.array([[2.0], [4.0], [8.0], [10.0]])
    assert value("SMD", x, z) == pytest.approx(0, abs=1e-9)
    assert value("SUB_mean", x, z, domains=[0, 0, 1, 1]) > 30


def test_loss_per_attribute_averages_to_the_loss():
    x, z = pair(4)
    for name in ("IL1", "IL2", "PIL_mean", "PIL_quantile"):
        score = tacita.get_method(name).score(Comparison.of(x, z))
        assert np.mean(list(score.per_attribute.values())) == pytest.approx(score.value)


def test_a_sampled_energy_distance_carries_an_error_that_covers_the_whole():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1200, 2))
    z = 0.5 * x
    whole = tacita.get_method("ENERGY").score(Comparison.of(x, z))
    sampled = tacita.get_method("ENERGY", sample=400).score(Comparison.of(x, z))
    assert whole.error is None
    assert abs(sampled.value - whole.value) < 5 * sampled.error
