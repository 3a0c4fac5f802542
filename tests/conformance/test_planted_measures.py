"""Broken measures: each breaks the law that was meant for it, by name."""

# a planted part keeps the whole signature of the one that it stands for
# ruff: noqa: ARG005

from dataclasses import replace

import numpy as np

from conformance.breakers import breakers, expect_broken, planted, unbroken
from tacita.core import RunContext
from tacita.microdata.measures.loss.changed_values import IL1
from tacita.microdata.measures.measure import Measure


def measure(value, **parts):
    own = {"kind": "loss", "name": "PLANTED", **parts}
    return planted(Measure, compute=lambda self, pair, run: self.result(value(pair)), **own)


MEASURES = {
    "figure lies in its range": [
        measure(lambda pair: np.inf),
        measure(lambda pair: -1.0),
        measure(lambda pair: 101.0, span=(0.0, 100.0)),
        planted(IL1, result=lambda self, value, **detail: replace(IL1().result(value, **detail), name="IL9")),
    ],
    "nothing is lost where nothing varies": [measure(lambda pair: 7.0)],
    "order of rows changes nothing": [
        measure(lambda pair: abs(np.arange(pair.n) @ (pair.original - pair.released)[:, 0]))
    ],
    "computed once per comparison": [
        planted(IL1, score=lambda self, pair, run=None: self.compute(pair, RunContext()))
    ],
}


@breakers(MEASURES)
def test_a_broken_method_breaks_the_law_that_says_so(law, method):
    expect_broken(law, method)


def test_every_law_has_a_method_that_breaks_it():
    assert not unbroken("loss", MEASURES)
