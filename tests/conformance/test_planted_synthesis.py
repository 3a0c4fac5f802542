"""Broken syntheses: each breaks the law that was meant for it, by name."""

# a planted part keeps the whole signature of the one that it stands for
# ruff: noqa: ARG001, ARG005

from dataclasses import replace

import numpy as np

from conformance.breakers import breakers, drawn, expect_broken, planted, unbroken
from tacita.core import RunContext
from tacita.microdata.methods.synthesis.ipso import IPSOA
from tacita.microdata.methods.synthesis.synthesis_method import SYNTHETIC, Synthesis
from tacita.microdata.methods.synthesis.trees import Trees


def synthesis(draw, **parts):
    return planted(Synthesis, draw=lambda self, regression, run: draw(regression, run), **parts)


def normal(regression, run):
    noise = drawn(run, (regression.n, regression.residual_rank)) / np.sqrt(regression.n)
    run.report("drawing", 1, 1)
    return regression.with_residuals(noise)


def by_number(regression, run):
    run.report("drawing", 1, 1)
    return regression.fitted + np.sin(np.arange(regression.n))[:, None]


def halved(self, y, s):
    y /= 2.0
    return IPSOA().regress(y, s)


def impatient(self, y, s):
    if len(y) < 3:
        raise ValueError("too few")
    return IPSOA().regress(y, s)


SYNTHESES = {
    "dependent value gets a finite and other one": [
        synthesis(lambda regression, run: regression.y.copy()),
        synthesis(lambda regression, run: np.where(regression.y > 1, np.inf, 0.0)),
    ],
    "same seed gives the same bytes": [synthesis(lambda regression, run: normal(regression, RunContext()))],
    "without a seed chance is never the same": [
        synthesis(lambda regression, run: normal(regression, RunContext(seed=1)))
    ],
    "unit of measurement changes nothing": [
        synthesis(lambda regression, run: normal(regression, run) + 1 / regression.scale)
    ],
    "order of rows only renames them": [
        synthesis(
            lambda regression, run: regression.fitted + np.sin(np.arange(regression.n))[:, None],
            by_chance=False,
        )
    ],
    "what comes in is left as it was": [planted(IPSOA, regress=halved)],
    "too few records are refused": [planted(IPSOA, regress=impatient)],
    "would come out unchanged is refused": [
        planted(IPSOA, regress=lambda self, y, s: IPSOA().regress(y, s if y.shape[1] > 1 else None))
    ],
    "cancelling stops it": [
        synthesis(lambda regression, run: normal(regression, replace(run, should_cancel=lambda: False)))
    ],
    "promises changed cells and never groups": [
        planted(IPSOA, guarantees=("synthetic-cells",)),
        planted(Trees, guarantees=("synthetic-cells", "values-changed")),
    ],
    "categories come back as codes": [
        planted(
            Trees,
            synthesize=lambda self, y, s=None, run=None, columns=None: (
                Trees().synthesize(y, s, run, columns=columns) + (columns is not None) * 0.5
            ),
        ),
    ],
    "a release of it is verified": [planted(IPSOA, guarantees=(*SYNTHETIC, "means-preserved"))],
}


@breakers(SYNTHESES)
def test_a_broken_method_breaks_the_law_that_says_so(law, method):
    expect_broken(law, method)


def test_every_law_has_a_method_that_breaks_it():
    assert not unbroken("synthesis", SYNTHESES)
