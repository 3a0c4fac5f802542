"""Linkage on a graphics card: the figures of the processor. Without a card most of it skips, and says so."""

import sys

import numpy as np
import pytest

import tacita
from tacita.core import Comparison, RunContext
from tacita.kernels import gpu
from tacita.microdata.measures.risk.linkage import DBRL, DLD

ON_CARD = RunContext(device="cuda")
card = pytest.mark.skipif(gpu.missing() is not None, reason=f"needs a graphics card: {gpu.missing()}")


def pair(kind, n=400, d=5):
    rng = np.random.default_rng(3)
    x = rng.integers(0, 4, (n, d)).astype(float) if kind == "ties" else rng.normal(size=(n, d)) ** 3
    z = (
        np.repeat(x.reshape(-1, 4, d).mean(axis=1), 4, axis=0)
        if kind == "groups"
        else x + 0.1 * rng.normal(size=(n, d))
    )
    return Comparison.of(x, z)


@card
@pytest.mark.parametrize("measure", [DBRL, DLD])
@pytest.mark.parametrize("kind", ["noise", "groups", "ties"])
def test_the_card_finds_whom_the_processor_finds(measure, kind):
    here, there = measure(budget=1e18).score(pair(kind)), measure().score(pair(kind), ON_CARD)
    assert here.value == there.value
    assert np.array_equal(here.per_record, there.per_record)


def test_without_a_card_linkage_on_it_is_refused_with_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(
        tacita.ParameterError, match="Linkage: the device cuda cannot be used here: CuPy is not installed"
    ):
        DBRL().score(pair("noise"), ON_CARD)
