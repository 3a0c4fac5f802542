"""MDAV on a graphics card: the groups of the processor. Without a card most of it skips, and says so."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from tacita.core import RunContext
from tacita.kernels import gpu
from tacita.microdata.methods.microaggregation.mdav import MDAV

ON_CARD = RunContext(device="cuda")
card = pytest.mark.skipif(gpu.missing() is not None, reason=f"needs a graphics card: {gpu.missing()}")


def test_a_device_that_is_not_known_is_refused():
    with pytest.raises(tacita.ParameterError, match="device cpu or cuda, got 'abacus'"):
        RunContext(device="abacus")


def test_without_a_card_the_device_is_refused_with_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(tacita.ParameterError, match="device cuda cannot be used here: CuPy is not installed"):
        MDAV(k=3).partition(np.arange(12.0)[:, None], ON_CARD)


def test_what_the_card_has_no_loop_for_is_grouped_by_the_processor(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    x = np.random.default_rng(0).normal(size=(60, 2))
    units = np.repeat(np.arange(30), 2)
    for method, given_ in (
        (MDAV(k=3), {"units": units}),
        (MDAV(k=3, growth="centroid"), {}),
        (tacita.get_method("cbfs", k=3), {}),
    ):
        here, there = method.partition(x, **given_), method.partition(x, ON_CARD, **given_)
        assert np.array_equal(here.labels, there.labels)


@pytest.mark.parametrize(("end_rule", "last_groups"), [("3k", 1), ("2k", 2)])
def test_the_last_groups_are_made_as_by_the_loop_of_the_processor(end_rule, last_groups, monkeypatch):
    """Fewer than 3 k records never reach the card."""
    from tacita.kernels.gpu import mdav

    def group(x, k, _, last):
        assert last == last_groups
        return mdav._rest(x, k, np.full(len(x), -1), x.sum(axis=0), len(x), 0, last)

    monkeypatch.setattr(gpu, "missing", lambda: None)
    monkeypatch.setattr(mdav, "group", group)
    rng = np.random.default_rng(1)
    for n in range(3, 9):
        for _ in range(20):
            x = rng.integers(0, 3, size=(n, 2)).astype(float)
            method = MDAV(k=3, end_rule=end_rule)
            assert np.array_equal(method.group(x, None, ON_CARD), method.group(x, None, RunContext()))


DATA = {
    "uniform": lambda rng, n, d: rng.random((n, d)),
    "few values": lambda rng, n, d: rng.integers(0, 3, size=(n, d)).astype(float),
    "constant": lambda _, n, d: np.ones((n, d)),
    "clusters": lambda rng, n, d: rng.integers(0, 9, size=(n, 1)) + 0.01 * rng.random((n, d)),
    "low rank": lambda rng, n, d: rng.random((n, 1)) * np.arange(1, d + 1),
    "skewed": lambda rng, n, d: rng.random((n, d)) ** 5,
}


@card
@pytest.mark.parametrize("kind", DATA)
@given(seed=st.integers(0, 10**6), n=st.integers(3, 4000), d=st.sampled_from([1, 2, 8]))
def test_no_label_differs_from_those_of_the_processor(kind, seed, n, d):
    k, end_rule = (2, 3, 5, 40)[seed % 4], ("3k", "2k")[seed // 4 % 2]
    x, method = DATA[kind](np.random.default_rng(seed), max(n, k), d), MDAV(k=k, end_rule=end_rule)
    assert np.array_equal(method.group(x, None, ON_CARD), method.group(x, None, RunContext()))


@card
def test_cancelling_stops_it_on_the_card():
    with pytest.raises(tacita.Cancelled):
        MDAV(k=3).partition(
            np.random.default_rng(0).random((5000, 3)), RunContext(device="cuda", should_cancel=lambda: True)
        )
