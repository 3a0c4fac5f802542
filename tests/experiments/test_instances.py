"""The experiments on public tables: every table by every method, and an honest page."""

import json
import os
from pathlib import Path

import pytest
from experiments.__main__ import run_command
from experiments.instances import trials
from experiments.instances.trials import METHODS, NAMES, Setting, Trial
from experiments.published import INSTANCES
from experiments.version import VERSION
from experiments.writing import reproduce_into

from experiments import instances
from tacita.core import Cancelled, ParameterError, RunContext

AT_HAND = pytest.mark.skipif(
    not Path(os.environ.get("TACITA_SHARED", "nowhere"), "instances").is_dir(),
    reason="the public tables are not at hand: TACITA_SHARED names their folder",
)


@pytest.fixture
def answered(monkeypatch, tmp_path):
    """Answers at once; what was asked for, in order."""
    asked = []

    def answer(name, method, *_):
        asked.append((name, method))
        return Trial(name, method, 10, 4, 2, cost=8.0, lower_bound=6.0, secondaries=3, audited=True)

    (tmp_path / "instances").mkdir()
    monkeypatch.setenv("TACITA_SHARED", str(tmp_path))
    monkeypatch.setattr(trials, "tried", answer)
    return asked


@AT_HAND
def test_a_quick_run_proves_the_smallest_table_by_the_public_way():
    found = json.loads(instances.document(RunContext(), quick=True).files()["instances.json"])["trials"]
    best = {each["method"]: each for each in found}
    assert set(best) == set(METHODS)
    assert best["optimal"]["proven"]
    assert all(each["audited"] for each in found)
    assert all(each["cost"] >= best["optimal"]["cost"] - 1e-6 for each in found)
    assert all(each["lower_bound"] <= best["optimal"]["cost"] + 1e-6 for each in found)


@AT_HAND
def test_all_fifteen_are_there_from_the_smallest_to_the_largest():
    sizes = [trials.read(name).n for name in NAMES]
    assert sizes == sorted(sizes)
    assert (len(sizes), sizes[0], sizes[-1]) == (15, 162, 10733)


@pytest.mark.usefixtures("answered")
def test_the_page_has_what_was_known_beside_ours():
    text = instances.document(RunContext(), quick=False).text
    for name in NAMES:
        assert text.count(f"`{name}`") == 1 + len(METHODS)
    low, high = INSTANCES["table7"]
    assert f"{low:,.2f} to {high:,.2f}" in text
    assert "25.00 %" in text
    assert "not finished" not in text


def test_a_cancelled_run_leaves_what_it_has_and_the_next_goes_on_from_it(answered, tmp_path):
    heard = []
    run = RunContext(on_progress=heard.append, should_cancel=lambda: len(heard) >= 5)
    with pytest.raises(Cancelled, match="What was done is written"):
        reproduce_into("instances", tmp_path / "out", run)
    page = tmp_path / "out" / "instances.md"
    assert "**This run is not finished**: the page rests on" in page.read_text()
    done = len(json.loads(page.with_suffix(".json").read_text())["trials"])
    answered.clear()
    reproduce_into("instances", tmp_path / "out")
    assert "not finished" not in page.read_text()
    # the first three are there to compile
    assert len(answered) == len(NAMES) * len(METHODS) - done + len(METHODS)


@pytest.mark.usefixtures("answered")
def test_trials_of_another_cap_do_not_count():
    before = trials.numbers(Setting(), {("targus", "optimal"): Trial("targus", "optimal", 10, 4, 2)})
    assert len(trials.kept(Setting(), before)) == 1
    assert trials.kept(Setting(cap=7.0), before) == {}


@pytest.mark.parametrize("broken", [{}, {"version": VERSION}, {"trials": 3}, []])
def test_numbers_that_are_none_of_ours_are_refused(broken, answered, tmp_path, capsys):
    (tmp_path / "instances.json").write_text(json.dumps(broken))
    assert run_command(["instances", "--out", str(tmp_path), "--quiet"]) == 2
    assert "--fresh" in capsys.readouterr().err
    assert answered == []


def test_without_the_tables_it_says_what_is_wanted(monkeypatch, tmp_path, capsys):
    monkeypatch.delenv("TACITA_SHARED", raising=False)
    assert run_command(["instances", "--out", str(tmp_path), "--quiet"]) == 1
    assert "TACITA_SHARED" in capsys.readouterr().err


def test_a_broken_file_is_refused_by_its_name(monkeypatch, tmp_path):
    (tmp_path / "instances").mkdir()
    (tmp_path / "instances" / "targus.jj.gz").write_bytes(b"not packed")
    monkeypatch.setenv("TACITA_SHARED", str(tmp_path))
    with pytest.raises(ParameterError, match=r"targus\.jj\.gz: wanted a public table"):
        trials.read("targus")


@pytest.mark.parametrize("cap", [0.0, -1.0, 1e9])
def test_a_cap_that_is_none_is_refused(cap):
    with pytest.raises(ParameterError, match="cap"):
        Setting(cap=cap)
