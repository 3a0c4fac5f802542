"""The same work wherever it is done."""

import os
import signal

import pyarrow as pa
import pytest

import tacita
from tacita import cli
from tacita.core import Cancelled, DataError, ParameterError, RunContext, VerificationError
from tacita.executors import ExecutorSection, opened

EXECUTORS = [
    pytest.param({"name": "serial"}, id="serial"),
    pytest.param({"name": "processes", "workers": 2}, id="processes"),
    pytest.param({"name": "dask", "workers": 2}, id="dask"),
]


@pytest.fixture(scope="module", params=EXECUTORS)
def executor(request):
    with opened(ExecutorSection(**request.param)) as found:
        yield found


def test_answers_come_in_the_order_of_the_tasks(executor):
    heard = []
    run = RunContext(on_progress=lambda told: heard.append(told.share))
    assert executor.map("squaring", "tests.executors.work:square", list(range(20)), run) == [
        n * n for n in range(20)
    ]
    assert heard[-1] == 1.0
    assert executor.map("squaring", "tests.executors.work:square", [3], RunContext()) == [9]


def test_what_a_task_refuses_is_refused_in_its_words(executor):
    with pytest.raises(DataError, match="seven is too many") as problem:
        executor.map("squaring", "tests.executors.work:refuses_seven", [1, 7], RunContext())
    assert problem.value.fields == {"k": "seven is too many"}


def test_a_fault_tells_its_kind_and_no_value(executor):
    # in this process it is raised as it is
    kind = ZeroDivisionError if type(executor).__name__ == "Serial" else VerificationError
    with pytest.raises(kind, match=r"ended in ZeroDivisionError|division by zero") as problem:
        executor.map("dividing", "tests.executors.work:divides", [0], RunContext())
    assert "secret" not in str(problem.value)


def test_a_run_that_is_cancelled_ends(executor):
    with pytest.raises(Cancelled):
        executor.map(
            "squaring", "tests.executors.work:square", [1, 2], RunContext(should_cancel=lambda: True)
        )


@pytest.mark.parametrize("name", ["processes", "dask"])
def test_a_task_whose_process_is_killed_is_done_again(name, tmp_path):
    with opened(ExecutorSection(name=name, workers=2)) as found:
        tasks = [(str(tmp_path / str(n)), n, os.getpid()) for n in range(4)]
        assert found.map("dying", "tests.executors.work:dies_once", tasks, RunContext()) == [0, 1, 2, 3]


def test_a_task_that_kills_every_process_is_given_up():
    with (
        opened(ExecutorSection(name="processes", workers=1)) as found,
        pytest.raises(DataError, match="smaller parts"),
    ):
        found.map("dying", "tests.executors.work:dies", [int(signal.SIGKILL)], RunContext())


def test_only_dask_has_a_scheduler():
    with pytest.raises(ParameterError, match="scheduler is one of dask"):
        ExecutorSection(name="processes", scheduler="tcp://127.0.0.1:1")


@pytest.mark.parametrize("address", ["no address", "", "post://office:1", "tcp://office"])
def test_what_is_no_address_is_refused_before_anybody_is_asked(address):
    with pytest.raises(ParameterError, match="wanted the address of a scheduler"):
        ExecutorSection(name="dask", scheduler=address)


def test_a_scheduler_that_does_not_answer_is_told(monkeypatch):
    from tacita.executors import dask_cluster

    monkeypatch.setattr(dask_cluster, "_PATIENCE", 1)
    with (
        pytest.raises(ParameterError, match="does not answer"),
        opened(ExecutorSection(name="dask", scheduler="tcp://127.0.0.1:1")),
    ):
        pass


def test_ctrl_c_is_heard_by_whoever_started_a_pool_and_not_by_its_processes():
    with opened(ExecutorSection(name="processes", workers=2)) as found:
        groups = found.map("asking", "tests.executors.work:process_group", [None, None], RunContext())
    assert os.getpgrp() not in groups


def test_what_a_disk_refuses_is_told_in_words_and_nothing_else(executor, tmp_path):
    with pytest.raises(
        ParameterError, match=r"cannot be stored next to the output \(File too large\)"
    ) as told:
        executor.map("writing", "tests.executors.work:fills_the_disk", [str(tmp_path)], RunContext())
    assert str(tmp_path) not in str(told.value)


def test_a_cluster_that_is_gone_is_told_and_can_be_closed():
    with opened(ExecutorSection(name="dask", workers=1)) as found:
        found._local.close()
        with pytest.raises(DataError, match="does not answer any more"):
            found.map("squaring", "tests.executors.work:square", [1, 2], RunContext())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("memory", {"name": "in-memory"}),
        ("pool", {"name": "processes"}),
        ("gpu", {"name": "in-memory", "device": "cuda"}),
    ],
)
def test_names_of_version_0_1_are_read_with_a_warning(old, new):
    with pytest.warns(FutureWarning, match=f'the executor "{old}" is name = "{new["name"]}"'):
        assert ExecutorSection(name=old) == ExecutorSection(**new)


def test_a_plan_with_a_section_engine_is_read_with_a_warning():
    plan = """version = 1
engine = "serial"
[input]
path = "in.parquet"
[roles]
quasi = ["x"]
[output]
path = "out.parquet"
"""
    with pytest.warns(FutureWarning, match=r"\[engine\] is \[executor\] now"):
        read = tacita.Plan.from_toml(plan)
    assert read.executor.name == "serial"
    assert "engine" not in read.to_toml()
    with pytest.raises(ParameterError, match="engine and executor are one"):
        tacita.Plan.from_toml(plan.replace("[input]", '[executor]\nname = "dask"\n[input]'))


def test_arguments_named_engine_are_taken_with_a_warning():
    with pytest.warns(FutureWarning, match="device='cuda'"):
        assert RunContext(engine="gpu").device == "cuda"
    with (
        pytest.warns(FutureWarning, match="engine= is executor= now"),
        pytest.raises(ParameterError, match="executor serial works on files"),
    ):
        tacita.tabulate(pa.table({"d": ["a"]}), ["d"], engine="serial")


@pytest.mark.parametrize(
    ("words", "new"),
    [
        (["--engine", "pool", "--k", "3"], ["--executor", "processes", "--k", "3"]),
        (["--engine=gpu"], ["--device", "cuda"]),
        (["--engine", "serial"], ["--executor", "serial"]),
    ],
)
def test_options_of_version_0_1_are_read_with_a_warning(words, new, capsys):
    assert cli._renamed(words) == new
    assert "The old name will go." in capsys.readouterr().err


def test_a_device_and_parts_do_not_go_together():
    with pytest.raises(ParameterError, match="device cuda works on a file in memory"):
        ExecutorSection(name="serial", device="cuda")
