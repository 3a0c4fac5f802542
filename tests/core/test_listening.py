"""Who listens to a run hears bounds and trials as they come."""

from itertools import pairwise

import numpy as np

import tacita
from tables_at_hand import positive
from tacita import datasets
from tacita.core import RunContext
from tacita.microdata.methods.microaggregation.certificate import certify


def closing(heard):
    assert heard
    lower, upper = ([getattr(each, side) for each in heard] for side in ("lower", "upper"))
    assert all(a <= b * (1 + 1e-9) for a, b in zip(lower, upper, strict=True))
    assert all(later <= earlier * (1 + 1e-9) for earlier, later in pairwise(upper))
    return heard[-1]


def test_bounds_of_a_suppression_close_on_the_scale_of_the_table():
    for scale in (1.0, 0.001):
        table = positive(3, (12, 12), 10)
        table = table.with_cost(table.cost * scale)
        heard = []
        pattern = tacita.suppress(table, problem="exact", context=RunContext(on_bounds=heard.append))
        last = closing(heard)
        assert pattern.cost <= last.upper * (1 + 1e-9)
        assert last.lower <= pattern.cost * (1 + 1e-6)
        assert last.upper < 1e9 * scale


def test_bounds_of_a_certificate_close_on_the_squared_error():
    x = np.random.default_rng(0).normal(size=(40, 2))
    heard = []
    partition = tacita.get_method("mdav", k=3).partition(x)
    proof = certify(x, 3, partition, run=RunContext(on_bounds=heard.append))
    last = closing(heard)
    assert last.upper >= proof.sse * (1 - 1e-9)
    assert last.gap < 1


def test_every_trial_is_heard_once_it_is_made_failed_ones_too():
    heard = []
    firms = datasets.load("business", n=40)
    trials = tacita.compare_methods(
        firms,
        quasi=["turnover", "wages"],
        identifiers=["value_added"],
        k=[3, 400],
        loss="IL1",
        risk="DLD",
        measures=["IL1"],
        context=RunContext(on_trial=heard.append),
    )
    assert [trial.parameters["k"] for trial in heard] == [3, 400]
    assert [trial.reason is None for trial in heard] == [True, False]
    assert len(trials) == 2


def test_a_run_in_strata_is_heard_from_its_begin_to_its_end():
    heard = []
    tacita.protect(
        datasets.load("business", n=600),
        quasi=["turnover", "wages"],
        identifiers=["value_added"],
        strata=["region"],
        measures=["IL1"],
        context=RunContext(on_progress=lambda told: heard.append((told.stage, told.share))),
    )
    shares = [share for stage, share in heard if stage == "grouping strata"]
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert shares == sorted(shares)
    assert len(shares) >= 6


def test_a_long_stage_of_a_part_moves_the_whole_and_a_short_one_does_not():
    heard, seconds = [], iter(range(100))
    whole = RunContext(on_progress=lambda told: heard.append((told.stage, told.share)))
    inner = whole.within("grouping strata", 2, 4, lambda: next(seconds))
    for share in (0.0, 0.25, 0.5):
        inner.report("annealing groups", share, 1)
    # a stage that begins again does not take the whole back
    inner.report("combining groups", 0.1, 1)
    assert heard == [("grouping strata", 0.5625), ("grouping strata", 0.625)]
