"""Former names of the public interface work for one release, and say what the new one is."""

import pyarrow as pa
import pytest

import tacita
from tacita import datasets
from tacita._renamed import FORMER
from tacita.core import RunContext

X = pa.table({"x": [1.0, 2.0, 3.0, 10.0, 11.0, 12.0]})


@pytest.mark.parametrize(("old", "new"), FORMER.items())
def test_a_former_name_is_what_the_new_one_is(old, new):
    with pytest.warns(DeprecationWarning, match=rf"tacita\.{old} is tacita\.{new} now"):
        former = getattr(tacita, old)
    assert former is getattr(tacita, new)
    assert old not in tacita.__all__
    assert new in tacita.__all__


def test_a_run_goes_by_the_former_name_of_its_argument():
    with pytest.warns(DeprecationWarning, match=r"protect\(run=...\) is protect\(context=...\) now"):
        assert tacita.protect(X, quasi="x", k=3, run=RunContext()).record.groups == 2


def test_a_run_context_takes_its_former_arguments():
    with pytest.warns(
        DeprecationWarning, match=r"RunContext\(enough=...\) is RunContext\(should_stop=...\) now"
    ):
        context = RunContext(enough=lambda: True)
    assert context.should_stop()
    with pytest.warns(DeprecationWarning, match="RunContext.should_stop now"):
        assert context.enough()
    with pytest.warns(DeprecationWarning, match=r"RunContext\(cancelled=...\)"):
        context = RunContext(cancelled=lambda: True)
    with pytest.warns(DeprecationWarning, match="RunContext.should_cancel now"):
        assert context.cancelled()


def test_clusters_are_watched_by_the_former_name():
    rounds = []
    with pytest.warns(DeprecationWarning, match=r"tacita\.watch is tacita\.synthesize\(callback=...\) now"):
        watch = tacita.watch
    clouds = datasets.five_clouds()
    release = watch(clouds, dependent="y", independent="x", on_round=rounds.append, c=2, rmax=2)
    assert len(rounds) == 2
    assert [score.name for score in release.report] == ["PIL", "DR", "SCORE"]


def test_a_name_that_never_was_is_not_there():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = tacita.nothing


def test_a_record_has_its_warnings_by_their_former_names():
    record = tacita.protect(X, quasi="x", k=3).record
    with pytest.warns(DeprecationWarning, match=r"Record\.cautions is Record\.warnings now"):
        assert record.cautions == record.warnings
    with pytest.warns(DeprecationWarning, match=r"Record\.insisted is Record\.accepted_risks now"):
        assert record.insisted == ()
