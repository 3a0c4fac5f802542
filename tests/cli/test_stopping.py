"""Ctrl-C at a real terminal: once keeps the best so far, twice cancels."""

import json
import os
import pty
import re
import select
import signal
import sys
import time

import numpy as np
import pytest

from tacita import api, datasets
from tacita.core.results.interrupt import STOPPING

CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
CTRL_C = b"\x03"
# nobody waits so long: a test that gets there has failed
PATIENCE = 240


class Terminal:
    """A command at a terminal of its own, what it has shown so far, and keys to press."""

    def __init__(self, *words):
        self.child, self.screen = pty.fork()
        if self.child == 0:
            os.environ["TERM"] = "xterm"
            os.execv(sys.executable, [sys.executable, "-m", "tacita", *map(str, words)])
        self.shown, self.until = b"", time.monotonic() + PATIENCE

    def _listen(self):
        left = self.until - time.monotonic()
        if left <= 0 or not select.select([self.screen], [], [], left)[0]:
            os.kill(self.child, signal.SIGKILL)
            raise AssertionError(f"It still runs after {PATIENCE} s, and has shown: {self.text[-2000:]}")
        try:
            part = os.read(self.screen, 65536)
        except OSError:
            part = b""
        self.shown += part
        return bool(part)

    def wait_for(self, words):
        while words not in self.text:
            assert self._listen(), f"It ended without {words!r}: {self.text[-2000:]}"

    def press(self, key):
        os.write(self.screen, key)

    def end(self):
        while self._listen():
            pass
        os.close(self.screen)
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])

    @property
    def text(self):
        return CONTROL.sub("", self.shown.decode(errors="replace"))


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    path = tmp_path_factory.mktemp("survey") / "firms.csv"
    api.write_frame(datasets.load("business", n=400), path)
    return path


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """A table whose least pattern takes minutes to prove."""
    path = tmp_path_factory.mktemp("cells") / "cells.csv"
    generator = np.random.default_rng(0)
    values = generator.integers(1, 500, size=10_000)
    sensitive = np.zeros(10_000, dtype=int)
    sensitive[generator.choice(10_000, 60, replace=False)] = 1
    lines = [f"r{i // 100},c{i % 100},{values[i]},{sensitive[i]}" for i in range(10_000)]
    path.write_text("\n".join(["r,c,v,p", *lines, ""]))
    return path


def best(survey, folder):
    to = ["--out", folder / "out.csv", "--json", folder / "out.json", "--report", folder / "out.html"]
    how = [
        "--quasi",
        "turnover,wages",
        "--identifiers",
        "value_added",
        "--method",
        "best",
        "--effort",
        1e5,
        "--certify",
    ]
    return ["protect", survey, *to, *how]


def optimal(cells, folder):
    what = ["--rows", "r", "--columns", "c", "--value", "v", "--primary", "p", "--problem", "interval"]
    to = ["--out", folder / "out.csv", "--json", folder / "out.json", "--report", folder / "out.html"]
    return ["suppress", cells, *what, *to, "--time", 3600]


def compared(survey, folder):
    grid = ["--method", "mdav,best", "--k", "3,4", "--effort", "100000", "--certify", "true"]
    axes = ["--loss", "IL1", "--risk", "DLD", "--measures", "IL1", "--json", folder / "out.json"]
    return ["compare", survey, "--quasi", "turnover,wages", "--identifiers", "value_added", *grid, *axes]


def stopped_in(result):
    (found,) = [each["text"] for each in result["warnings"] if each["name"] == "search-stopped"]
    return found


@pytest.mark.long
def test_ctrl_c_once_keeps_the_best_groups_so_far_and_every_paper_says_so(survey, tmp_path):
    terminal = Terminal(*best(survey, tmp_path))
    terminal.wait_for("annealing groups")
    terminal.press(CTRL_C)
    assert terminal.end() == 0
    assert STOPPING in terminal.text
    assert len(STOPPING) < 80
    result = json.loads((tmp_path / "out.json").read_text())
    assert all(each["passed"] for each in result["verdicts"])
    assert re.search(r"stopped by the user after \d+\.\d s", stopped_in(result))
    assert "stopped by the user after" in (tmp_path / "out.html").read_text()
    assert "stopped by the user" in " ".join(terminal.text.split())
    assert len(api.read(tmp_path / "out.csv").native) == 400


@pytest.mark.long
def test_ctrl_c_once_keeps_the_best_pattern_so_far_with_its_bound_and_without_a_proof(cells, tmp_path):
    terminal = Terminal(*optimal(cells, tmp_path))
    terminal.wait_for("proving")
    terminal.press(CTRL_C)
    assert terminal.end() == 0
    result = json.loads((tmp_path / "out.json").read_text())
    assert result["status"] == "stopped"
    assert not result["proven"]
    assert 0 < result["lower_bound"] < result["cost"]
    assert result["safe"]
    assert "with a proven bound" in stopped_in(result)
    assert "<dd>stopped</dd>" in (tmp_path / "out.html").read_text()
    assert (tmp_path / "out.csv").exists()


@pytest.mark.long
def test_ctrl_c_once_keeps_the_trials_made_so_far_and_says_which_were_not(survey, tmp_path):
    terminal = Terminal(*compared(survey, tmp_path))
    terminal.wait_for("comparing 3 of 4")
    terminal.press(CTRL_C)
    assert terminal.end() == 0
    trials = json.loads((tmp_path / "out.json").read_text())["trials"]
    assert [(each["method"], bool(each["scores"])) for each in trials] == [
        ("best", False),
        ("best", False),
        ("mdav", True),
        ("mdav", True),
    ]
    assert trials[0]["reason"].startswith("Not tried: the comparison was stopped by the user after ")


@pytest.mark.parametrize(("words", "at"), [(best, "annealing groups"), (optimal, "proving")])
def test_ctrl_c_twice_cancels_and_leaves_nothing_behind(survey, cells, tmp_path, words, at):
    terminal = Terminal(*words(cells if words is optimal else survey, tmp_path))
    terminal.wait_for(at)
    terminal.press(CTRL_C)
    terminal.wait_for(STOPPING)
    terminal.press(CTRL_C)
    assert terminal.end() == 130
    assert "Cancelled. Nothing was written." in terminal.text
    assert not list(tmp_path.iterdir())


@pytest.mark.long
def test_ctrl_c_cancels_at_once_what_has_no_search_to_stop(tmp_path):
    api.write_frame(datasets.load("business", n=20_000), tmp_path / "firms.csv")
    to = ["--out", tmp_path / "out.csv", "--quasi", "turnover,wages", "--identifiers", "value_added"]
    terminal = Terminal("protect", tmp_path / "firms.csv", *to, "--method", "mdav")
    terminal.wait_for("grouping records")
    terminal.press(CTRL_C)
    assert terminal.end() == 130
    assert STOPPING not in terminal.text
    assert [each.name for each in tmp_path.iterdir()] == ["firms.csv"]
