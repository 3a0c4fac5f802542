"""The same work wherever it is done."""

import os
import signal

import pytest

from tacita.core import Cancelled, DataError, ParameterError, Run, VerificationError
from tacita.executors import EngineSection, opened

ENGINES = [
    pytest.param({"name": "serial"}, id="serial"),
    pytest.param({"name": "pool", "workers": 2}, id="pool"),
    pytest.param({"name": "dask", "workers": 2}, id="dask"),
]


@pytest.fixture(scope="module", params=ENGINES)
def engine(request):
    with opened(EngineSection(**request.param)) as found:
        yield found


def test_answers_come_in_the_order_of_the_tasks(engine):
    heard = []
    run = Run(on_progress=lambda told: heard.append(told.share))
    assert engine.map("squaring", "tests.executors.work:square", list(range(20)), run) == [
        n * n for n in range(20)
    ]
    assert heard[-1] == 1.0
    assert engine.map("squaring", "tests.executors.work:square", [3], Run()) == [9]


def test_what_a_task_refuses_is_refused_in_its_words(engine):
    with pytest.raises(DataError, match="seven is too many") as problem:
        engine.map("squaring", "tests.executors.work:refuses_seven", [1, 7], Run())
    assert problem.value.fields == {"k": "seven is too many"}


def test_a_fault_tells_its_kind_and_no_value(engine):
    # in this process it is raised as it is
    kind = ZeroDivisionError if type(engine).__name__ == "Serial" else VerificationError
    with pytest.raises(kind, match=r"ended in ZeroDivisionError|division by zero") as problem:
        engine.map("dividing", "tests.executors.work:divides", [0], Run())
    assert "secret" not in str(problem.value)


def test_a_run_that_is_cancelled_ends(engine):
    with pytest.raises(Cancelled):
        engine.map("squaring", "tests.executors.work:square", [1, 2], Run(cancelled=lambda: True))


@pytest.mark.parametrize("name", ["pool", "dask"])
def test_a_task_whose_process_is_killed_is_done_again(name, tmp_path):
    with opened(EngineSection(name=name, workers=2)) as found:
        tasks = [(str(tmp_path / str(n)), n, os.getpid()) for n in range(4)]
        assert found.map("dying", "tests.executors.work:dies_once", tasks, Run()) == [0, 1, 2, 3]


def test_a_task_that_kills_every_process_is_given_up():
    with (
        opened(EngineSection(name="pool", workers=1)) as found,
        pytest.raises(DataError, match="smaller parts"),
    ):
        found.map("dying", "tests.executors.work:dies", [int(signal.SIGKILL)], Run())


def test_only_dask_has_a_scheduler():
    with pytest.raises(ParameterError, match="scheduler is one of dask"):
        EngineSection(name="pool", scheduler="tcp://127.0.0.1:1")


@pytest.mark.parametrize("address", ["no address", "", "post://office:1", "tcp://office"])
def test_what_is_no_address_is_refused_before_anybody_is_asked(address):
    with pytest.raises(ParameterError, match="wanted the address of a scheduler"):
        EngineSection(name="dask", scheduler=address)


def test_a_scheduler_that_does_not_answer_is_told(monkeypatch):
    from tacita.executors import cluster

    monkeypatch.setattr(cluster, "_PATIENCE", 1)
    with (
        pytest.raises(ParameterError, match="does not answer"),
        opened(EngineSection(name="dask", scheduler="tcp://127.0.0.1:1")),
    ):
        pass


def test_ctrl_c_is_heard_by_whoever_started_a_pool_and_not_by_its_processes():
    with opened(EngineSection(name="pool", workers=2)) as found:
        groups = found.map("asking", "tests.executors.work:process_group", [None, None], Run())
    assert os.getpgrp() not in groups


def test_what_a_disk_refuses_is_told_in_words_and_nothing_else(engine, tmp_path):
    with pytest.raises(ParameterError, match=r"cannot be kept beside the output \(File too large\)") as told:
        engine.map("writing", "tests.executors.work:fills_the_disk", [str(tmp_path)], Run())
    assert str(tmp_path) not in str(told.value)


def test_a_cluster_that_is_gone_is_told_and_can_be_closed():
    with opened(EngineSection(name="dask", workers=1)) as found:
        found._own.close()
        with pytest.raises(DataError, match="does not answer any more"):
            found.map("squaring", "tests.executors.work:square", [1, 2], Run())
