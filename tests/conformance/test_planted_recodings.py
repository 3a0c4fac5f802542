"""Broken recodings and codings: each breaks the law that was meant for it, by name."""

# a planted part keeps the whole signature of the one that it stands for
# ruff: noqa: ARG001, ARG005

import numpy as np
import pytest

import tacita
from conformance.breakers import breakers, drawn, expect_broken, planted, unbroken
from tacita import testing
from tacita.core import DataError
from tacita.microdata.methods.coding.coding_method import Coding
from tacita.microdata.methods.recoding.recoding_method import Recoding

# recodings


def recoding(relabel):
    return planted(Recoding, relabel=lambda self, column, labels: relabel(labels))


def quoting(labels):
    if not all(label.isdigit() for label in labels):
        raise DataError(f"no number: {labels[0]}")
    return list(labels)


def all_alike(self, column, labels):
    return ["all"] * len(labels)


RECODINGS = {
    "every value becomes one text": [
        recoding(lambda labels: sorted(set(labels))[1:]),
        recoding(lambda labels: [3] * len(labels)),
    ],
    "equal values become equal ones": [
        recoding(lambda labels: [f"{label} {at}" for at, label in enumerate(labels)]),
        recoding(lambda labels: [min(labels)] * len(labels)),
        recoding(lambda labels: [f"{label} {labels[:at].count(label)}" for at, label in enumerate(labels)]),
    ],
    "refused without quoting them": [recoding(quoting)],
    "a release of it is verified": [
        planted(
            Recoding, relabel=lambda *_: ["all"] * len(_[2]), guarantees=("recoded", "marginals-preserved")
        )
    ],
    "never groups of k": [planted(Recoding, relabel=all_alike, guarantees=("recoded", "k-units"))],
}


# codings


def coding(renumber, **parts):
    return planted(Coding, renumber=lambda self, column, values, run: renumber(values, run), **parts)


def in_place(values, run):
    values *= 2.0
    return values


def up_to_a_limit(values, run):
    if np.abs(values).max() > 1e9:
        return np.full_like(values, np.inf)
    return np.minimum(values, 9.0)


def numbered(values, run):
    return np.rint(values) + np.arange(values.size)


CODINGS = {
    "every number becomes a finite number": [
        coding(lambda values, run: values[1:]),
        coding(lambda values, run: np.where(values > 9, np.nan, values)),
        coding(in_place),
    ],
    "same seed gives the same numbers": [
        coding(lambda values, run: values + np.random.default_rng().normal(size=values.size), keeps=()),
    ],
    "what it keeps of earlier steps it keeps": [
        coding(numbered),
        coding(lambda values, run: np.rint(values) + drawn(run, values.size)),
    ],
    "far below or above does not stop it": [coding(up_to_a_limit)],
    "never promises groups of k": [
        coding(lambda values, run: np.rint(values), guarantees=()),
        coding(lambda values, run: np.rint(values), guarantees=("coded", "groups-of-k")),
        coding(lambda values, run: np.rint(values), guarantees=("coded", "k-units")),
    ],
    "a release of it is verified": [
        coding(lambda values, run: np.rint(values), guarantees=("coded", "marginals-preserved")),
        coding(lambda values, run: values + 1, guarantees=("coded", "top-coded")),
    ],
}


@breakers(RECODINGS, CODINGS)
def test_a_broken_method_breaks_the_law_that_says_so(law, method):
    expect_broken(law, method)


@pytest.mark.parametrize(("kind", "planted_for"), [("recoding", RECODINGS), ("coding", CODINGS)])
def test_every_law_has_a_method_that_breaks_it(kind, planted_for):
    assert not unbroken(kind, planted_for)


def test_a_method_that_needs_parameters_is_checked_as_an_instance():
    recode = type(tacita.get_method("recode", map={"town 1": "town 2"}))
    with pytest.raises(tacita.ParameterError, match=r"Recode has required parameters\. Pass an instance"):
        testing.check_method(recode)
