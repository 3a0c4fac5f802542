"""What a terminal of 80 columns shows: whole words, the main figures, a clock that moves."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios
from contextlib import contextmanager

import pytest

from tacita import api, datasets
from tacita.cli import run_command

CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    path = tmp_path_factory.mktemp("survey") / "firms.csv"
    api.write_frame(datasets.load("business", n=150), path)
    return path


def shown(words, columns=80, program=("-m", "tacita"), term="xterm"):
    """All that a command sends to a terminal of so many columns."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TERM"] = term
        os.execv(sys.executable, [sys.executable, *program, *map(str, words)])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    heard = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        heard += part
    os.waitpid(child, 0)
    os.close(terminal)
    return heard.decode()


def protect(survey, tmp_path, *more):
    return [
        "protect",
        survey,
        "--out",
        tmp_path / "out.csv",
        "--quasi",
        "turnover,wages",
        "--identifiers",
        "value_added",
        *more,
    ]


@pytest.mark.parametrize("columns", [80, 120])
def test_no_word_is_broken_and_no_line_is_longer_than_the_terminal(survey, tmp_path, columns, capsys):
    text = CONTROL.sub("", shown(protect(survey, tmp_path), columns)).replace("\r", "\n")
    assert max(len(line) for line in text.splitlines()) <= columns
    run_command([str(word) for word in protect(survey, tmp_path, "--force")])
    whole = capsys.readouterr().out
    warnings = [line for line in whole.splitlines() if line.startswith("warning:")]
    assert warnings
    for warning in warnings:
        assert " ".join(warning.split()) in " ".join(text.split())


def test_the_main_figures_come_first_and_all_of_them_on_demand(survey, tmp_path, capsys):
    run_command([str(word) for word in protect(survey, tmp_path)])
    short = capsys.readouterr().out
    assert [name for name in ("IL1", "PIL", "DR", "SCORE", "HELLINGER") if f" {name} " in short] == [
        "IL1",
        "PIL",
        "DR",
        "SCORE",
    ]
    assert "20 more figures with --all" in short
    run_command([str(word) for word in protect(survey, tmp_path, "--force", "--all")])
    every = capsys.readouterr().out
    assert "HELLINGER" in every
    assert "more figures" not in every
    headings = ["Changed values", "Usual analyses", "Distributions", "Records linked", "Values pinned down"]
    assert [every.index(each) for each in headings] == sorted(every.index(each) for each in headings)
    assert every.index("Distributions") < every.index("HELLINGER") < every.index("Records linked")
    run_command([str(word) for word in protect(survey, tmp_path, "--force", "--measures", "HELLINGER,IL2")])
    assert "HELLINGER" in capsys.readouterr().out


def test_figures_are_written_as_people_write_them():
    from tacita.cli.console import _figure

    figures = [26_190_000.0, 12_345.6, 9999.4, 0.07849, 0.00001234, -3.5, 100.0, 1e-12]
    assert [_figure(each) for each in figures] == [
        "26,190,000",
        "12,346",
        "9999",
        "0.07849",
        "0.000012",
        "-3.5",
        "100",
        "0",
    ]


@pytest.mark.long
def test_a_long_wait_shows_a_clock_that_moves(survey, tmp_path):
    words = protect(survey, tmp_path, "--method", "best", "--time", "4", "--measures", "IL1")
    seen = set(re.findall(r"0:00:\d\d", CONTROL.sub("", shown(words))))
    assert len(seen) >= 3


# the command on a machine whose disk is slow
LOADING_SLOWLY = """
import sys, time
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "cyclopts":
            time.sleep(2.3)
sys.meta_path.insert(0, Finder())
sys.argv[0] = "tacita"
from tacita.__main__ import main
main()
"""


@pytest.mark.long
def test_a_clock_moves_from_the_start_to_the_first_word_and_leaves_no_trace():
    seen = shown(["methods", "mdav"], program=("-c", LOADING_SLOWLY))
    before, _, after = seen.partition("mdav (microaggregation)")
    assert {"starting 0:00:00", "starting 0:00:01", "starting 0:00:02"} <= set(
        re.findall(r"starting 0:00:\d\d", before)
    )
    assert before.endswith("\r\x1b[K")
    assert "starting" not in after


def test_a_terminal_that_cannot_move_its_cursor_shows_no_clock():
    assert "starting" not in shown(["methods", "mdav"], program=("-c", LOADING_SLOWLY), term="dumb")


def test_a_table_of_records_shows_what_it_waits_for(survey, tmp_path, monkeypatch):
    from tacita.cli import tables

    bars = []

    @contextmanager
    def noted(quiet):
        bars.append(quiet)
        yield None

    monkeypatch.setattr(tables, "progress_bar", noted)
    words = ["tabulate", survey, "--rows", "region", "--columns", "sector", "--value", "turnover"]
    assert (
        run_command([str(word) for word in (*words, "--rule", "p-percent", "--out", tmp_path / "c.csv")]) == 0
    )
    assert bars == [False]


def test_advice_is_given_in_the_words_of_the_door(tmp_path, capsys):
    api.write_frame(datasets.load("business", n=60, missing=0.1), tmp_path / "gaps.csv")
    words = [
        "protect",
        tmp_path / "gaps.csv",
        "--out",
        tmp_path / "out.csv",
        "--quasi",
        "turnover,wages",
        "--identifiers",
        "value_added",
    ]
    assert run_command([str(word) for word in words]) == 1
    assert "choose --missing drop, --missing stratum or --missing merge" in capsys.readouterr().err
    (tmp_path / "plan.toml").write_text(
        'version = 1\n[input]\npath = "gaps.csv"\n[roles]\nquasi = ["turnover", "wages"]\n'
        'identifiers = ["value_added"]\n'
        '[output]\npath = "out.csv"\n'
    )
    assert run_command(["run", str(tmp_path / "plan.toml")]) == 1
    assert (
        'choose missing = "drop" under [protect], missing = "stratum" under [protect]'
        in capsys.readouterr().err
    )


def test_a_dry_run_that_saves_its_plan_says_so(survey, tmp_path, capsys):
    words = protect(survey, tmp_path, "--dry-run", "--save-plan", tmp_path / "plan.toml", "--measures", "IL1")
    assert run_command([str(word) for word in words]) == 0
    told = capsys.readouterr().out
    assert f"Nothing but the plan was written ({tmp_path / 'plan.toml'})" in told
    assert (tmp_path / "plan.toml").exists()


def test_methods_are_compared_without_a_plan(survey, tmp_path, capsys):
    words = [
        "compare",
        survey,
        "--quasi",
        "turnover,wages",
        "--identifiers",
        "value_added",
        "--method",
        "mdav,mdav+gsms-t2",
        "--k",
        "3,5",
    ]
    axes = ["--loss", "IL1", "--risk", "DLD", "--measures", "IL1", "--json", tmp_path / "c.json"]
    assert run_command([str(word) for word in (*words, *axes)]) == 0
    told = capsys.readouterr().out
    assert " of 4 trials on the front." in told
    assert (tmp_path / "c.json").exists()


def test_words_beside_a_plan_to_compare_are_refused(survey, tmp_path, capsys):
    (tmp_path / "plan.toml").write_text(
        f'version = 1\n[input]\npath = "{survey}"\n[roles]\nquasi = ["turnover"]\n'
        'identifiers = ["value_added"]\n[compare]\nk = [3, 5]\n'
    )
    assert run_command(["compare", str(tmp_path / "plan.toml"), "--k", "3"]) == 2
    assert "--k needs a file of records" in capsys.readouterr().err
