"""Broken maskings: each breaks the law that was meant for it, by name."""

# a planted part keeps the whole signature of the one that it stands for
# ruff: noqa: ARG001, ARG005

from dataclasses import replace

import numpy as np
import pytest

from conformance.breakers import breakers, drawn, expect_broken, planted, unbroken
from tacita import testing
from tacita.core import RunContext
from tacita.microdata.methods.masking.masking_method import Masked, Masking
from tacita.microdata.methods.masking.noise import Noise


def masking(change, **parts):
    return planted(Masking, change=lambda self, x, units, beside, run: Masked(change(x, run)), **parts)


def with_a_gap(x, run):
    return np.where(np.arange(len(x))[:, None] == 3, np.nan, x + x.std(axis=0) * drawn(run, x.shape))


def repeats(x):
    return len(np.unique(x[:, 0])) < len(x)


def doubled(self, x, run=None, **given):
    x *= 2.0
    return Noise().mask(x, run, **given)


def uncancelled(self, x, run=None, **given):
    return Noise().masked(x, replace(run or RunContext(), should_cancel=lambda: False), **given)


MASKINGS = {
    "every value gets a finite one": [
        masking(with_a_gap),
        masking(lambda x, run: x.copy(), by_chance=False),
        masking(lambda x, run: x[1:]),
    ],
    "same seed gives the same bytes": [
        masking(lambda x, run: x + x.std(axis=0) * np.random.default_rng().normal(size=x.shape))
    ],
    "without a seed chance is never the same": [
        masking(lambda x, run: x + x.std(axis=0) * np.random.default_rng(0).normal(size=x.shape)),
        masking(lambda x, run: x + x.std(axis=0) * drawn(run, x.shape), by_chance=False),
    ],
    "unit of measurement changes nothing": [masking(lambda x, run: x + drawn(run, x.shape))],
    "a constant column stays": [
        masking(lambda x, run: x + np.abs(x).mean(axis=0) * drawn(run, x.shape)),
    ],
    "equal records and linear relations": [
        masking(
            lambda x, run: np.full_like(x, np.nan) if repeats(x) else x + x.std(axis=0) * drawn(run, x.shape)
        )
    ],
    "what comes in is left as it was": [planted(Noise, mask=doubled)],
    "cancelling stops it": [planted(Noise, masked=uncancelled)],
    "too few records are refused": [planted(Noise, fewest=lambda self, columns: 1)],
    "never groups of k": [planted(Noise, guarantees=("masked-cells", "noise-independent", "groups-of-k"))],
    "a release of it is verified": [planted(Noise, guarantees=("masked-cells", "marginals-preserved"))],
}


@breakers(MASKINGS)
def test_a_broken_method_breaks_the_law_that_says_so(law, method):
    expect_broken(law, method)


def test_every_law_has_a_method_that_breaks_it():
    assert not unbroken("masking", MASKINGS)


def test_laws_are_parametrized_one_by_one():
    sentences = [str(law) for law in testing.laws("masking")]
    assert len(set(sentences)) == len(sentences) > 15
    with pytest.raises(
        AssertionError, match=r"breaks the law 'the unit of measurement changes nothing' \(masking\)"
    ):
        next(law for law in testing.laws("masking") if "unit" in str(law)).check(
            MASKINGS["unit of measurement changes nothing"][0]()
        )
