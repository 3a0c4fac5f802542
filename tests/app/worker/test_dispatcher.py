"""A child that computes: JSON lines in and out, nothing else on either, and no value in an error."""

import json
import os
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

import tacita
from app.server.test_server import runs, within
from tacita import datasets
from tacita.app.worker.dispatcher import VERBS
from tacita.app.worker.job_context import Teller
from tacita.core import Progress

ROLES = {
    "quasi": ["employees", "turnover", "costs"],
    "identifiers": ["name", "registration", "weight"],
    "strata": ["region"],
}


class Asked:
    """A worker of our own, and what it told before its answers."""

    def __init__(self, program=("-m", "tacita.app.worker")):
        self.process = subprocess.Popen(
            [sys.executable, *program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self.line() == {"id": 0, "event": "ready"}
        self.number = 0
        self.told = []

    def line(self):
        return json.loads(self.process.stdout.readline())

    def write(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, verb, **given):
        self.number += 1
        self.told = []
        self.write({"id": self.number, "verb": verb, "given": given})
        while True:
            message = self.line()
            assert message["id"] == self.number
            if message["event"] in ("done", "refused", "broken"):
                return message
            self.told.append(message)

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


@pytest.fixture(scope="module")
def worker():
    found = Asked()
    yield found
    found.end()


@pytest.fixture(scope="module")
def source(worker, tmp_path_factory):
    path = tmp_path_factory.mktemp("source") / "source-1.csv"
    assert worker.ask("demo", path=str(path))["event"] == "done"
    given = {"path": str(path), "shown_as": "survey.csv"}
    return {**given, "options": worker.ask("profile", source=given)["answer"]["options"]}


@pytest.mark.long
def test_a_profile_is_that_of_the_api_with_its_guesses(worker, source):
    answer = worker.ask("profile", source=source)["answer"]
    data = tacita.read(source["path"])
    assert answer["records"] == 600
    assert [each["name"] for each in answer["columns"]] == data.columns
    guesses = tacita.suggest_roles(data)
    assert [each["guess"]["role"] for each in answer["columns"]] == [guess.role for guess in guesses]
    assert "rows" not in answer


def test_exposure_is_that_of_the_api(worker, source):
    answer = worker.ask("exposure", source=source, columns=["employees", "investment"])["answer"]
    found = tacita.sample_uniqueness(source["path"], columns=["employees", "investment"])
    assert (answer["alone"], answer["below_3"]) == (found.alone, found.below_3)


def test_the_plan_of_a_release_gives_the_same_bytes_again(worker, source, tmp_path):
    folder = tmp_path / "n1"
    folder.mkdir()
    plan = {"roles": ROLES, "protect": {"method": "noise", "shuffle": True}}
    message = worker.ask("protect", source=source, plan=plan, folder=str(folder))
    answer = message["answer"]
    assert all(each["passed"] for each in answer["verdicts"])
    assert {each.name for each in folder.iterdir()} == {
        "release.csv",
        "note.html",
        "report.html",
        "record.json",
    }
    place = tmp_path / "again"
    place.mkdir()
    tacita.api.write_frame(datasets.load("business"), place / "survey.csv")
    (place / "plan.toml").write_text(answer["toml"])
    tacita.run_plan(tacita.Plan.load(place / "plan.toml"))
    released = (folder / "release.csv").read_bytes()
    assert (place / "survey-protected.csv").read_bytes() == released
    script = answer["script"].replace("'survey", f"'{place}/survey").replace("-protected", "-by-script")
    script = (
        script.replace("-report", "-report-2").replace("-record", "-record-2").replace("-note", "-note-2")
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    assert (place / "survey-by-script.csv").read_bytes() == released


def test_a_refusal_names_the_field_and_calls_the_file_as_its_owner_does(worker, source, tmp_path):
    plan = {"roles": ROLES, "protect": {"method": "mdav", "k": 1}}
    refused = worker.ask("protect", source=source, plan=plan, folder=str(tmp_path))
    assert refused["event"] == "refused"
    assert "k must be at least 2" in refused["fields"]["k"]
    plan = {"roles": ROLES, "protect": {"method": "mdav", "k": 200}}
    refused = worker.ask("protect", source=source, plan=plan, folder=str(tmp_path))
    assert refused["message"].startswith("survey.csv: ")
    assert not list(tmp_path.iterdir())


def test_a_fault_of_ours_tells_its_kind_and_nothing_else(worker):
    broken = worker.ask("exposure", source={"secret": 12345})
    assert broken == {"id": worker.number, "event": "broken", "kind": "KeyError"}


def test_a_verb_that_there_is_not_is_broken_and_the_worker_goes_on(worker):
    assert worker.ask("dance")["event"] == "broken"
    assert worker.ask("methods")["event"] == "done"


def test_every_method_has_a_schema_from_which_a_form_can_be_made(worker):
    answer = worker.ask("methods")["answer"]
    for each in answer["methods"]:
        for name, entry in each["parameters"]["properties"].items():
            assert {"type", "anyOf", "enum", "$ref", "allOf", "const"} & set(entry) or "default" in entry, (
                name
            )
    assert {"mdav", "fcrm", "optimal"} <= {each["name"] for each in answer["methods"]}
    assert "seed" in answer["options"]["properties"]


def test_trials_of_a_comparison_are_plans_of_their_own(worker):
    given = {
        "protect": {"method": "mdav", "shuffle": True},
        "compare": {"method": ["mdav", "hm"], "k": [3, 5]},
    }
    trials = worker.ask("grid", **given)["answer"]["trials"]
    assert [(each["method"], each["k"], each["shuffle"]) for each in trials] == [
        ("mdav", 3, True),
        ("mdav", 5, True),
        ("hm", 3, True),
        ("hm", 5, True),
    ]


def test_a_search_that_is_told_enough_keeps_the_best_it_has(worker, source, tmp_path):
    folder = tmp_path / "n1"
    folder.mkdir()
    roles = {**ROLES, "strata": []}
    plan = {"roles": roles, "protect": {"method": "best", "k": 3, "time": 120}}
    worker.number += 1
    given = {"source": source, "plan": plan, "folder": str(folder)}
    worker.write({"id": worker.number, "verb": "protect", "given": given})
    while worker.line()["event"] != "progress":
        pass
    began = time.monotonic()
    worker.write({"word": "enough"})
    while (message := worker.line())["event"] == "progress":
        pass
    assert message["event"] == "done"
    assert time.monotonic() - began < 60
    assert "search-stopped" in {each["name"] for each in message["answer"]["warnings"]}


def test_a_stray_print_does_not_reach_the_answers():
    program = (
        "from tacita.app.worker.pipe import Pipe\npipe = Pipe.of_this_process()\n"
        "import os, sys\nprint('stray')\nos.write(1, b'stray')\nsys.stdin.read()\n"
        "pipe.tell({'id': 0, 'event': 'ready'})\nprint('stray')\nnext(pipe.lines())\n"
    )
    asked = Asked(("-c", program))
    asked.write({})
    assert asked.process.stdout.read() == b""
    asked.end()


def test_a_worker_ends_with_all_that_it_started_when_its_input_closes():
    program = (
        "from tacita.app.worker.pipe import Pipe, end_of_all\npipe = Pipe.of_this_process()\n"
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "pipe.tell({'id': 0, 'event': 'ready'})\npipe.tell({'pid': child.pid})\n"
        "list(pipe.lines())\nend_of_all()\n"
    )
    asked = Asked(("-c", program))
    pid = asked.line()["pid"]
    asked.end()
    until = time.monotonic() + 5
    while runs(pid):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_progress_never_falls_within_a_stage_and_comes_ten_times_a_second_at_most():
    heard = []
    teller = Teller(lambda _event, message: heard.append((time.monotonic(), message)))
    for done in [*range(500), *range(500, 0, -7), 1000]:
        teller.progress(Progress("grouping", done, 1000))
        time.sleep(0.001)
    shares = [message["share"] for _, message in heard]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    between = [b - a for (a, _), (b, _) in pairwise(heard[:-1])]
    assert min(between) >= 0.099


def test_compiling_is_a_stage_of_its_own_and_the_one_before_it_comes_back():
    heard = []
    teller = Teller(lambda _event, message: heard.append((message["stage"], message["share"])))
    teller.progress(Progress("grouping", 1, 4))
    teller.compiling(True)
    teller.compiling(False)
    assert heard == [("grouping", 0.25), ("compiling", 0.0), ("grouping", 0.25)]


def test_the_environment_of_a_child_is_reduced(monkeypatch, tmp_path):
    from tacita.app.server.worker_processes import reduced

    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    known = reduced(os.environ, tmp_path)
    assert "AWS_SECRET_ACCESS_KEY" not in known
    assert known["TMPDIR"] == str(tmp_path)


def test_every_verb_says_what_it_does():
    assert all(verb.__doc__ for verb in VERBS.values())


def test_a_child_that_waits_loads_what_a_first_run_needs_until_it_is_asked():
    program = (
        "import queue, sys; from tacita.app.worker.preload import modules, next_question;"
        "asked = queue.Queue(); asked.put({'verb': 'first'}); waiting = modules();"
        "next_question(asked, waiting); before = 'numba' in sys.modules;"
        "silent = queue.Queue(); silent.empty = lambda: True; silent.get = lambda: {'verb': 'second'};"
        "next_question(silent, waiting);"
        "print(before, 'numba' in sys.modules, 'scipy.optimize' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["False", "True", "True"]


@pytest.mark.long
def test_a_child_loads_solvers_ahead_unless_it_is_told_not_to(monkeypatch, tmp_path):
    def loaded(child):
        return "highspy" in Path(f"/proc/{child.process.pid}/maps").read_text()

    waiting = Asked()
    within(60, lambda: loaded(waiting))
    monkeypatch.setenv("TACITA_NOTHING_AHEAD", "1")
    told = Asked()
    assert told.ask("demo", path=str(tmp_path / "survey.csv"))["event"] == "done"
    assert not loaded(told)
    for child in (waiting, told):
        child.end()
