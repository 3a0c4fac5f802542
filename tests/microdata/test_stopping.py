"""A release whose search was told that it is enough: as verified as ever, and its record says so."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import tacita
from tacita import datasets, registry
from tacita.core import RunContext
from tacita.microdata.methods.microaggregation.certificate import certify
from tacita.testing.examples import StopAfter

FIRMS = datasets.load("business", n=90).select(["region", "turnover", "wages", "costs"])
SEARCHES = [name for name in registry.names("microaggregation") if registry.lookup(name).anytime]
GRID = {"quasi": ["turnover", "wages"], "loss": "IL1", "risk": "DLD", "measures": ["IL1"]}
QUICK = {"quasi": ["turnover", "wages"], "measures": ["IL1"]}


def stopped(release):
    return [each for each in release.record.warnings if each.name == "search-stopped"]


def test_all_that_improve_a_partition_can_be_stopped_and_what_makes_one_cannot():
    assert {"best", "ga", "brkga", "dfo", "imhm", "hmkm", "kc", "gsms-t2"} <= set(SEARCHES)
    assert not {"mdav", "cbfs", "kward", "gower", "hm"} & set(SEARCHES)


@pytest.mark.each_once
@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("strata", [[], ["region"]])
def test_a_release_of_a_stopped_search_is_verified_and_says_that_it_was_stopped(name, strata):
    release = tacita.protect(
        FIRMS, **QUICK, strata=strata, method=name, context=RunContext(should_stop=lambda: True)
    )
    assert all(verdict.passed for verdict in release.record.verdicts)
    (warning,) = stopped(release)
    assert warning.text.startswith("The search was stopped by the user after ")
    assert "may give another result" in warning.advice


def test_a_release_that_nobody_stopped_does_not_say_so():
    assert not stopped(tacita.protect(FIRMS, **QUICK, method="best", effort=0.01))
    # one that has no search, and one that ended before
    assert not stopped(
        tacita.protect(FIRMS, **QUICK, method="mdav", context=RunContext(should_stop=lambda: True))
    )
    ends = RunContext(should_stop=StopAfter(10**9))
    assert not stopped(tacita.protect(FIRMS, **QUICK, method="ga", generations=2, context=ends))


def test_a_run_says_of_each_release_whether_that_one_was_stopped():
    run = RunContext(should_stop=lambda: True)
    found = [
        tacita.protect(FIRMS, **QUICK, method=name, context=run) for name in ("hmeans1", "mdav", "hmeans1")
    ]
    assert [len(stopped(release)) for release in found] == [1, 0, 1]


def test_a_later_step_and_a_chain_are_stopped_too():
    steps = [
        {"method": "mdav", "quasi": ["turnover"]},
        {"method": "best", "quasi": ["wages", "costs"], "effort": 1000},
    ]
    assert stopped(
        tacita.protect(FIRMS, steps=steps, measures=["IL1"], context=RunContext(should_stop=lambda: True))
    )
    chain = tacita.protect(
        FIRMS, **QUICK, method="mdav+best", effort=1e5, context=RunContext(should_stop=lambda: True)
    )
    assert stopped(chain)
    plan = {"input": {"path": "a.csv"}, "roles": {"quasi": ["x"]}, "output": {"path": "b.csv"}}
    for method, anytime in (("mdav", False), ("mdav+best", True), ("best", True), ("noise", False)):
        assert tacita.Plan(**plan, protect={"method": method}).anytime is anytime


def test_an_answer_stays_given():
    answers = iter([True, False])
    run = RunContext(should_stop=lambda: next(answers))
    assert run.should_stop()
    assert run.should_stop()
    assert run.branch(3).should_stop()
    assert run.silent().should_stop()


@pytest.mark.parametrize("questions", [0, 1, 3, 10, 30, 100, 300])
def test_a_stopped_proof_proves_no_more_than_is_true(questions):
    x = np.random.default_rng(2).normal(size=(36, 2))
    start = tacita.get_method("mdav", k=3).partition(x)
    whole, part = (
        certify(x, 3, start, RunContext(should_stop=StopAfter(most))) for most in (10**9, questions)
    )
    assert whole.proven_optimal
    assert part.lower_bound <= whole.sse * (1 + 1e-7)
    assert part.sse <= start.sse(x)
    assert not part.proven_optimal or part.sse == pytest.approx(whole.sse)


def test_a_time_that_is_stopped_before_its_speed_is_known_ends_with_the_start():
    release = tacita.protect(
        FIRMS, **QUICK, method="best", time=600, context=RunContext(should_stop=lambda: True)
    )
    mdav = tacita.protect(FIRMS, **QUICK, method="mdav")
    assert release.data.equals(mdav.data)
    assert stopped(release)


class TestCompare:
    def test_keeps_the_trials_made_so_far_and_says_which_were_not_made(self):
        made = []
        run = RunContext(on_trial=made.append, should_stop=lambda: len(made) >= 2)
        trials = tacita.compare_methods(FIRMS, method=["mdav", "cbfs"], k=[3, 4], context=run, **GRID)
        assert len(made) == 2
        assert [trial.report is not None for trial in trials].count(True) == 2
        left = [trial for trial in trials if trial.report is None]
        assert len(left) == 2
        assert all(each.reason.startswith("Not tried: the comparison was stopped") for each in left)
        assert {trial.parameters["k"] for trial in trials} == {3, 4}
        assert trials.front

    def test_goes_on_until_there_is_a_trial_to_show_and_stops_its_search(self):
        run = RunContext(should_stop=lambda: True)
        trials = tacita.compare_methods(FIRMS, method=["best"], k=[3, 4], effort=[1e5], context=run, **GRID)
        first, second = trials
        assert first.on_front
        assert first.reason.startswith("The search was stopped by the user")
        assert second.report is None

    def test_a_cancelled_one_keeps_nothing(self):
        made = []
        run = RunContext(
            on_trial=made.append, should_cancel=lambda: len(made) >= 1, should_stop=lambda: len(made) >= 1
        )
        with pytest.raises(tacita.Cancelled):
            tacita.compare_methods(FIRMS, method=["mdav"], k=[3, 4], context=run, **GRID)


def test_in_another_thread_nothing_listens_to_ctrl_c():
    heard = []

    def work():
        with tacita.interruptible(RunContext(should_stop=lambda: True)) as run:
            heard.append(run.should_stop())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert heard == [True]


def test_importing_it_changes_no_signal(tmp_path):
    code = "import signal; usual = signal.getsignal(signal.SIGINT); import tacita; tacita.interruptible; "
    code += "assert signal.getsignal(signal.SIGINT) is usual"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
