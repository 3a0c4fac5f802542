import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita import registry
from tacita.core import Comparison, Run
from twins import measures as twin

TWINS = {"IL1": twin.il1, "IL2": twin.il2, "DLD": twin.dld}


def figures(name, x, z, **steering):
    return tacita.method(name).score(Comparison.of(x, z), Run(**steering))


def pair(seed, n=80, d=3, tied=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)) if not tied else rng.integers(0, 4, size=(n, d)).astype(float)
    return x, tacita.method("mdav", k=4).partition(x).centroids(x)[
        tacita.method("mdav", k=4).partition(x).labels
    ]


@pytest.mark.parametrize("name", list(TWINS))
@pytest.mark.parametrize("tied", [False, True])
def test_measure_equals_its_plain_twin(name, tied):
    x, z = pair(1, tied=tied)
    assert figures(name, x, z).value == pytest.approx(TWINS[name](x, z), rel=1e-9)


def test_every_measure_of_the_registry_has_a_twin():
    assert set(registry.names(*registry.MEASURING)) == set(TWINS)


@pytest.mark.parametrize(("name", "published"), [("tarragona", 31.32), ("census", 55.15)])
def test_one_single_group_loses_the_known_il2(benchmark, name, published):
    z = benchmark(name)
    assert figures("IL2", z, np.zeros_like(z)).value == pytest.approx(published, abs=0.005)


@given(seed=st.integers(0, 10_000))
def test_row_order_does_not_matter(seed):
    x, z = pair(seed, n=40, d=2, tied=True)
    order = np.random.default_rng(seed).permutation(len(x))
    for name in TWINS:
        assert figures(name, x[order], z[order]).value == pytest.approx(figures(name, x, z).value, rel=1e-12)


def test_identical_data_has_no_loss_and_full_linkage():
    x = np.random.default_rng(0).normal(size=(50, 2))
    assert figures("IL1", x, x).value == 0
    assert figures("IL2", x, x).value == 0
    assert figures("DLD", x, x).value == 1


def test_ties_share_their_probability():
    x = np.array([[0.0], [0.0], [0.0], [9.0]])
    assert figures("DLD", x, x).value == pytest.approx((3 * (1 / 3) + 1) / 4)


def test_a_constant_column_counts_for_nothing():
    x, z = pair(2)
    wider = np.column_stack([x, np.full(len(x), 7.0)])
    for name in TWINS:
        assert figures(name, wider, np.column_stack([z, np.full(len(z), 7.0)])).value == pytest.approx(
            figures(name, x, z).value
        )


def test_where_nothing_varies_the_score_says_why():
    score = figures("IL1", np.ones((5, 1)), np.ones((5, 1)))
    assert score.value is None
    assert "varies" in score.reason


def test_threads_do_not_change_a_figure():
    x, z = pair(3, n=3000, d=2)
    assert figures("DLD", x, z, threads=1).value == figures("DLD", x, z, threads=2).value


def test_loss_per_attribute_averages_to_the_loss():
    x, z = pair(4)
    score = figures("IL1", x, z)
    assert np.mean(list(score.per_attribute.values())) == pytest.approx(score.value)
    assert score.per_record.shape == (len(x),)
