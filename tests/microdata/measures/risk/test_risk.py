"""Measures of risk: against plain twins and peers, ties shared, attackers who know the method."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita.core import Comparison, Partition, RunContext
from tacita.microdata.measures.risk import probabilistic
from tacita.microdata.measures.risk.probabilistic import Agreement, classify, fit
from tacita.microdata.plans.sections import MeasureSection
from twins import measures as twin


def value(measure, x, z, **steering):
    made = tacita.get_method(measure) if isinstance(measure, str) else measure
    return made.score(Comparison.of(x, z), RunContext(**steering)).value


def pair(seed=1, n=80, d=3, tied=False, k=4):
    rng = np.random.default_rng(seed)
    x = (
        rng.integers(0, 4, size=(n, d)).astype(float)
        if tied
        else rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    )
    labels = tacita.get_method("mdav", k=k).partition(x).labels
    return x, Partition(labels, k).centroids(x)[labels]


def noisy(seed=1, n=80, d=3):
    x, _ = pair(seed, n, d)
    return x, x + 0.2 * x.std(axis=0) * np.random.default_rng(seed).normal(size=x.shape)


DATA = {"groups": pair(), "ties": pair(tied=True), "noise": noisy(), "one column": pair(d=1)}


@pytest.mark.each_once
@pytest.mark.parametrize("data", list(DATA))
@pytest.mark.parametrize(
    ("name", "plain"),
    [("DLD", twin.dld), ("DBRL", twin.dbrl), ("ID_sd", twin.id_sd), ("ID_rank", twin.id_rank)],
)
def test_measure_equals_its_plain_twin(name, plain, data):
    assert value(name, *DATA[data]) == pytest.approx(plain(*DATA[data]), rel=1e-9)


@pytest.mark.parametrize("data", list(DATA))
def test_probabilistic_linkage_equals_its_plain_twin(data):
    assert value("PRL", *DATA[data]) == pytest.approx(twin.prl(*DATA[data])[0], rel=1e-6)


@given(seed=st.integers(0, 500), d=st.integers(1, 4), tied=st.booleans())
def test_linkage_by_distance_equals_its_twin_on_any_data(seed, d, tied):
    x, z = pair(seed, 30, d, tied, k=3)
    assert value("DBRL", x, z) == pytest.approx(twin.dbrl(x, z), rel=1e-9)
    assert value("DLD", x, z) == pytest.approx(twin.dld(x, z), rel=1e-9)


def test_linkage_with_mahalanobis_distance_equals_its_twin():
    x, z = noisy()
    found = value(tacita.get_method("DBRL", distance="mahalanobis"), x, z)
    assert found == pytest.approx(twin.dbrl_mahalanobis(x, z))


def test_mahalanobis_of_dependent_attributes_says_why_not():
    x, z = noisy(d=2)
    wide = (np.column_stack([v, v.sum(axis=1)]) for v in (x, z))
    score = tacita.get_method("DBRL", distance="mahalanobis").score(Comparison.of(*wide))
    assert score.value is None
    assert "dependent" in score.reason


def test_an_attacker_who_knows_some_attributes_is_the_mean_over_their_numbers():
    x, z = noisy(d=4)
    found = value(tacita.get_method("DBRL", attributes=[1, 3]), x, z)
    assert found == pytest.approx((twin.dbrl(x[:, :1], z[:, :1]) + twin.dbrl(x[:, :3], z[:, :3])) / 2)


def test_weights_say_how_much_an_attribute_counts():
    x, z = noisy(d=2)
    only_first = value(tacita.get_method("DBRL", weights=[1.0, 1e-12]), x, z)
    assert only_first == pytest.approx(twin.dbrl(x[:, :1], z[:, :1]), abs=3)
    with pytest.raises(tacita.ParameterError, match="wanted 2 weights"):
        value(tacita.get_method("DBRL", weights=[1.0]), x, z)


def test_identical_rows_of_a_group_share_the_link():
    x = np.array([[0.0], [1.0], [2.0], [50.0], [51.0], [52.0]])
    z = np.array([[1.0], [1.0], [1.0], [51.0], [51.0], [51.0]])
    assert value("DBRL", x, z) == pytest.approx(100 / 3)


def test_linkage_on_census_is_29_percent_with_ties_shared(benchmark):
    x = benchmark("census")
    labels = tacita.get_method("mdav", k=3).partition(x).labels
    z = Partition(labels, 3).centroids(x)[labels]
    assert value("DBRL", x, z) == pytest.approx(29.3, abs=0.1)


def test_assignment_links_more_than_nearest_neighbours_on_dense_noise():
    x, z = noisy(n=200, d=2)
    assert value("DBRL_assigned", x, z) > value("DBRL", x, z)


def test_a_file_too_large_for_an_assignment_says_so():
    x = np.random.default_rng(0).normal(size=(5001, 1))
    assert "at most 5000" in tacita.get_method("DBRL_assigned").score(Comparison.of(x, x)).reason


class TestExpectationMaximisation:
    """The fit of m and u: on simulated patterns, and beside an established package."""

    M, U = np.array([0.95, 0.9, 0.8, 0.85]), np.array([0.1, 0.2, 0.05, 0.3])

    def simulated(self, n, share):
        rng = np.random.default_rng(0)
        matched = rng.random(n) < share
        return rng.random((n, 4)) < np.where(matched[:, None], self.M, self.U)

    def counted(self, agree):
        patterns, counts = np.unique(agree, axis=0, return_counts=True)
        return Agreement(patterns, counts.astype(float))

    def test_recovers_m_and_u_of_simulated_patterns(self):
        linkage = fit(self.counted(self.simulated(400_000, 0.05)), 0.05)
        assert linkage.m == pytest.approx(self.M, abs=0.01)
        assert linkage.u == pytest.approx(self.U, abs=0.005)

    def test_recovers_the_prevalence_where_it_is_left_free_and_matches_are_many(self):
        linkage = fit(self.counted(self.simulated(400_000, 0.2)), None)
        assert linkage.prevalence == pytest.approx(0.2, abs=0.01)

    def test_agrees_with_the_record_linkage_toolkit_where_settings_coincide(self):
        peer = pytest.importorskip("recordlinkage", reason="`make test` installs it; it is the peer here")
        agree = self.simulated(20_000, 0.2)
        classifier = peer.ECMClassifier(binarize=None, max_iter=2000, atol=1e-9)
        classifier.fit(pd.DataFrame(agree.astype(int), columns=list("abcd")))
        ours = fit(self.counted(agree), None, most_rounds=5000)
        assert ours.prevalence == pytest.approx(float(classifier.p), abs=1e-4)
        assert ours.m == pytest.approx([classifier.m_probs[c][1] for c in "abcd"], abs=1e-4)
        assert ours.u == pytest.approx([classifier.u_probs[c][1] for c in "abcd"], abs=1e-4)

    def test_error_bounds_are_kept_by_the_classical_rule(self):
        linkage = fit(self.counted(self.simulated(100_000, 0.05)), 0.05)
        every = (np.arange(16)[:, None] >> np.arange(4) & 1).astype(bool)
        decision = classify(linkage, every, 0.02, 0.05)
        chance_u = np.where(every, linkage.u, 1 - linkage.u).prod(axis=1)
        chance_m = np.where(every, linkage.m, 1 - linkage.m).prod(axis=1)
        assert chance_u[decision == 1].sum() <= 0.02
        assert chance_m[decision == -1].sum() <= 0.05
        assert (decision == 0).any()
        ratio = chance_m / chance_u
        assert ratio[decision == 1].min() > ratio[decision == 0].max()
        assert ratio[decision == 0].min() > ratio[decision == -1].max()


def test_a_sample_of_records_comes_with_an_error_that_covers_the_truth(monkeypatch):
    monkeypatch.setattr(probabilistic, "_PEOPLE", 300)
    x, z = noisy(n=1500, d=3)
    whole = value("PRL", x, z)
    sampled = tacita.get_method("PRL", budget=2e4).score(Comparison.of(x, z))
    assert sampled.error is not None
    assert abs(sampled.value - whole) < 4 * sampled.error + 1
    assert sampled.per_record is None


@pytest.mark.long
def test_many_attributes_have_more_patterns_than_the_first_table_holds():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, size=(400, 18)).astype(float)
    z = np.where(rng.random(x.shape) < 0.2, 1 - x, x)
    assert 0 < value("PRL", x, z) <= 100


def test_more_attributes_than_bits_are_told():
    x = np.random.default_rng(0).normal(size=(10, 63))
    assert "more than 62" in tacita.get_method("PRL").score(Comparison.of(x, x)).reason


def test_disclosure_risk_and_score_are_the_stated_means():
    x, z = noisy()
    parts = {name: value(name, x, z) for name in ("DBRL", "PRL", "ID_sd", "PIL", "DR", "SCORE")}
    assert parts["DR"] == pytest.approx(0.25 * (parts["DBRL"] + parts["PRL"]) + 0.5 * parts["ID_sd"])
    assert parts["SCORE"] == pytest.approx(0.5 * (parts["PIL"] + parts["DR"]))


def test_intervals_of_disclosure_risk_are_as_wide_as_asked():
    x, z = noisy(n=40)
    percents = [20, 2, 5]
    widths = tuple(p / 100 for p in percents)
    by = {"sd": twin.id_sd(x, z, percents), "rank": twin.id_rank(x, z, percents)}
    assert by["sd"] != by["rank"]
    linked = {"tolerance": 0.3}
    prl = value(tacita.get_method("PRL", **linked), x, z)
    assert prl != value("PRL", x, z)
    for interval, pinned in by.items():
        assert value(tacita.get_method(f"ID_{interval}", widths=widths), x, z) == pytest.approx(pinned)
        settings = {"interval": interval, "widths": widths, **linked}
        risk = value(tacita.get_method("DR", **settings), x, z)
        assert risk == pytest.approx(0.25 * (value("DBRL", x, z) + prl) + 0.5 * pinned)
        score = value(tacita.get_method("SCORE", **settings), x, z)
        assert score == pytest.approx(0.5 * (value("PIL", x, z) + risk))


def test_values_agree_in_disclosure_risk_only_where_they_are_equal_if_asked():
    x, z = noisy()
    z[:3] = x[:3]
    linked = value(tacita.get_method("PRL", tolerance=0), x, z)
    assert linked == pytest.approx(twin.prl(x, z, 0.0)[0])
    assert value(tacita.get_method("DR", tolerance=0), x, z) < value("DR", x, z)


@pytest.mark.parametrize("widths", [(), (0.0,), (1.5,)])
def test_intervals_without_a_width_are_refused(widths):
    with pytest.raises(tacita.ParameterError, match="widths"):
        tacita.get_method("DR", widths=widths)


def test_a_composite_without_a_part_says_which():
    score = tacita.get_method("SCORE").score(Comparison.of(np.ones((4, 1)), np.ones((4, 1))))
    assert score.value is None
    assert "DBRL" in score.reason


def test_who_knows_the_window_of_a_rank_swap_finds_more():
    rng = np.random.default_rng(0)
    n = 200
    x = rng.normal(size=(n, 4))
    z = x.copy()
    for j in range(4):
        order = np.argsort(x[:, j])
        for start in range(0, n - 8, 8):
            block = order[start : start + 8]
            z[block, j] = x[rng.permutation(block), j]
    aware = value(tacita.get_method("RSRL", window=4), x, z)
    assert aware > value("DBRL", x, z)
    assert value(tacita.get_method("RSRL", window=100), x, z) == pytest.approx(100 / n)


def test_who_knows_that_groups_are_consecutive_undoes_individual_ranking():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 5))
    z = np.empty_like(x)
    for j in range(5):
        labels = tacita.get_method("hm", k=3).partition(x[:, j : j + 1]).labels
        z[:, j] = Partition(labels, 3).centroids(x[:, j : j + 1])[labels, 0]
    assert value("MARL", x, z) > 90


def test_threads_do_not_change_a_figure():
    x, z = noisy(n=1500)
    for name in ("DLD", "DBRL", "PRL", "RSRL"):
        assert value(name, x, z, threads=1) == value(name, x, z, threads=2)


def test_linkage_can_be_cancelled():
    x, z = noisy()
    for name in ("DLD", "DBRL", "PRL"):
        with pytest.raises(tacita.Cancelled):
            tacita.get_method(name).score(Comparison.of(x, z), RunContext(should_cancel=lambda: True))


@given(seed=st.integers(0, 5000), d=st.integers(1, 3))
def test_no_usual_measure_depends_on_row_order(seed, d):
    x, z = pair(seed, 24, d, tied=True, k=3)
    order = np.random.default_rng(seed).permutation(len(x))
    straight, mixed = Comparison.of(x, z), Comparison.of(x[order], z[order])
    for measure in MeasureSection().build():
        one, two = measure.score(straight), measure.score(mixed)
        assert one.reason == two.reason
        assert one.value is None or two.value == pytest.approx(one.value, rel=1e-7, abs=1e-7)
