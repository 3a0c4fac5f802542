"""Writing: nothing is overwritten unasked, all or none, and whoever stops a run is told what is there."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import tacita
from bad_inputs.shared import PROTECT, everything_in, fill, plan, text
from tacita import io
from tacita.cli import run_command
from tacita.io import atomic

posix = pytest.mark.skipif(os.name != "posix", reason="modes and signals of POSIX")
PAGES = "--report r.html --json r.json --note n.html --save-plan p.toml"
CONFIDENTIAL = {"r.html", "r.json", "p.toml"}
CELLS = "region,sector,turnover,sensitive\n" + "".join(
    f"{r},{s},{5 + i},{int(i == 4)}\n" for i, (r, s) in enumerate((r, s) for r in "abc" for s in "xyz")
)
TABLE = "--rows region --columns sector --value turnover --primary sensitive"
SUPPRESS = f"{TABLE} --problem exact --out t.csv"
COMPARE = plan(protect="[protect]\nk = 3\n[compare]\nk = [3, 4]", output="")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fill(tmp_path, {"cells.csv": CELLS, "compare.toml": COMPARE["plan.toml"], **plan()})
    (tmp_path / "out.csv").unlink()
    return tmp_path


# every command that writes, and the files it is asked for
WRITES = {
    f"{PROTECT} {PAGES}": {"out.csv", *CONFIDENTIAL, "n.html"},
    "run plan.toml": {"out.csv"},
    "synthesize survey.csv --out s.csv --dependent turnover --method ipso-a --report r.html": {
        "s.csv",
        "r.html",
    },
    "compare compare.toml --report r.html --json r.json": {"r.html", "r.json"},
    "assess survey.csv survey.csv --quasi turnover --measures IL1 --json r.json": {"r.json"},
    f"suppress cells.csv {SUPPRESS} --json r.json --report r.html --save-plan p.toml": {
        "t.csv",
        *CONFIDENTIAL,
    },
    "tabulate survey.csv --rows region --columns active --value wages --out t.tab": {"t.tab", "t.rda"},
    "datasets business --out d.csv": {"d.csv"},
    "demo --folder .": {
        "survey.csv",
        "plan.toml",
        "protected.csv",
        "report.html",
        "report.json",
        "quality.html",
    },
}


@pytest.mark.parametrize("words", WRITES)
def test_no_command_overwrites_a_file_without_force(words, folder, capsys):
    for name in WRITES[words]:
        standing = (folder / name).read_bytes() if (folder / name).exists() else None
        (folder / name).write_bytes(standing or b"mine")
        before = everything_in(folder)
        assert run_command(words.split()) == 2
        assert f"{name}: this file exists already" in capsys.readouterr().err or words.startswith("demo")
        assert everything_in(folder) == before
        if standing is None:
            (folder / name).unlink()
    if words.startswith("demo"):
        return
    assert run_command(words.split()) == 0, capsys.readouterr().err
    assert run_command(words.split()) == 2
    assert run_command([*words.split(), "--force"]) == 0


@posix
@pytest.mark.parametrize("words", [words for words in WRITES if not words.startswith("demo")])
def test_confidential_files_are_readable_by_their_owner_alone(words, folder):
    earlier = os.umask(0o022)
    try:
        # also where a file that all may read stands there
        (folder / "r.html").write_bytes(b"")
        assert run_command([*words.split(), "--force"]) == 0
    finally:
        os.umask(earlier)
    for name in WRITES[words]:
        confidential = name in CONFIDENTIAL or words.startswith("tabulate")
        assert stat.S_IMODE((folder / name).stat().st_mode) == (0o600 if confidential else 0o644), name


@pytest.mark.parametrize("option", ["--report", "--json", "--note", "--out"])
def test_a_plan_is_never_overwritten_by_its_own_run(option, folder, capsys):
    key = {"--out": "path"}.get(option, option.strip("-"))
    named = (
        f'[output]\npath = "out.csv"\n{key} = "plan.toml"' if key != "path" else '[output]\npath = "plan.csv"'
    )
    source = Path("plan.csv" if key == "path" else "plan.toml")
    source.write_text(plan(output=named)["plan.toml"])
    before = everything_in(folder)
    assert run_command(["run", str(source), "--force"]) == 2
    assert "the same file" in capsys.readouterr().err
    assert everything_in(folder) == before


def test_a_plan_of_a_table_is_not_either(folder, capsys):
    words = f"suppress cells.csv {TABLE} --problem exact --out t.csv --save-plan p.toml".split()
    assert run_command(words) == 0
    Path("p.toml").write_text(Path("p.toml").read_text().replace('"t.csv"', '"t.csv"\njson = "p.toml"'))
    before = everything_in(folder)
    assert run_command(["run", "p.toml", "--force"]) == 2
    assert "the same file" in capsys.readouterr().err
    assert everything_in(folder) == before


def test_no_plan_is_saved_of_a_run_that_fails(folder):
    before = everything_in(folder)
    assert run_command(f"{PROTECT} --k 99 --save-plan p.toml".split()) == 1
    assert run_command(
        f"suppress cells.csv {TABLE} --lower nothing --problem exact --out t.csv --save-plan p.toml".split()
    )
    assert everything_in(folder) == before


@pytest.mark.usefixtures("folder")
def test_a_release_is_saved_twice_with_force_only():
    release = tacita.protect("survey.csv", quasi=["turnover", "wages"])
    tacita.save(release, "one.csv")
    with pytest.raises(tacita.ParameterError, match=r"one\.csv: this file exists already"):
        tacita.save(release, "one.csv")
    tacita.save(release, "one.csv", force=True)
    tacita.save(release, "two.csv")
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()


@posix
def test_a_link_is_written_through_and_stays_a_link(folder):
    (folder / "elsewhere").mkdir()
    target = folder / "elsewhere" / "real.csv"
    target.write_text("earlier")
    Path("out.csv").symlink_to(target)
    assert run_command(PROTECT.split()) == 2
    assert run_command([*PROTECT.split(), "--force"]) == 0
    assert Path("out.csv").is_symlink()
    assert target.read_text().startswith("id,")


@posix
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("aim", ["nowhere.csv", "out.csv"])
def test_a_link_that_leads_nowhere_is_refused(aim, capsys):
    Path("out.csv").symlink_to(aim)
    assert run_command([*PROTECT.split(), "--force"]) == 2
    assert "out.csv: " in capsys.readouterr().err
    assert os.readlink("out.csv") == aim


def _leftover(process: int) -> Path:
    left = Path(f".tacita-{atomic._machine()}-{process}-abc")
    left.write_bytes(b"a confidential page")
    return left


@posix
@pytest.mark.usefixtures("folder")
def test_what_a_dead_process_left_is_swept_and_a_living_one_s_is_not():
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    dead, living, own = (_leftover(each) for each in (int(ended.stdout), os.getppid(), os.getpid()))
    others = [Path(".tacita-other-1-x"), Path(".tacita-notes.txt"), Path(f".tacita-{atomic._machine()}-x-1")]
    for other in others:
        other.write_bytes(b"not ours to judge")
    io.write_all({Path("new.csv"): b"x"})
    assert not dead.exists()
    assert all(each.exists() for each in (living, own, *others))


SLOW = """
import os, sys, time
usual = os.{name}
def slow(*words):
    print("now", flush=True)
    time.sleep({seconds})
    return usual(*words)
os.{name} = slow
from tacita.__main__ import main
main()
"""


def _stopped(words: str, name: str, number: int) -> tuple[int, str]:
    """A command that is sent a signal at its first call of a function of the system."""
    code = SLOW.format(name=name, seconds=60 if number == signal.SIGKILL or name == "fsync" else 0.5)
    running = subprocess.Popen(
        [sys.executable, "-c", code, *words.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "now\n"
    running.send_signal(number)
    _, said = running.communicate()
    return running.returncode, said


@posix
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_that_is_stopped_while_writing_leaves_nothing_and_says_so(number, code, folder):
    before = everything_in(folder)
    assert _stopped(f"{PROTECT} {PAGES} --quiet", "fsync", number) == (
        code,
        "Cancelled. Nothing was written.\n",
    )
    assert everything_in(folder) == before


@posix
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_that_is_stopped_between_names_finishes_them_and_says_what_was_written(number, code, folder):
    stopped, said = _stopped(f"{PROTECT} {PAGES} --quiet", "replace", number)
    assert stopped == code
    assert said == "Cancelled. Written before that: out.csv, r.html, r.json, n.html, p.toml.\n"
    assert {"out.csv", "n.html", *CONFIDENTIAL} <= set(everything_in(folder))
    assert not list(folder.glob(".tacita-*"))


@posix
def test_a_killed_run_leaves_only_files_of_its_owner_and_the_next_takes_them_away(folder):
    before = set(everything_in(folder))
    _stopped(f"{PROTECT} {PAGES} --quiet", "replace", signal.SIGKILL)
    left = set(everything_in(folder)) - before
    assert left
    assert all(name.startswith(".tacita-") for name in left)
    public = [name for name in left if stat.S_IMODE((folder / name).stat().st_mode) != 0o600]
    for name in public:
        content = (folder / name).read_bytes()
        assert content.startswith(text().encode()[:20]) or b"Quality" in content
    assert run_command(f"{PROTECT} {PAGES} --quiet".split()) == 0
    assert not list(folder.glob(".tacita-*"))


@pytest.mark.usefixtures("folder")
def test_an_interrupt_after_the_work_says_what_was_written(monkeypatch, capsys):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tacita.cli.commands.print_outcome", interrupted)
    assert run_command(PROTECT.split()) == 130
    assert capsys.readouterr().err == "Cancelled. Written before that: out.csv.\n"


@pytest.mark.usefixtures("folder")
def test_an_interrupt_says_nothing_of_what_others_wrote_before(monkeypatch, capsys):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    io.write_all({Path("earlier.csv"): b"x"})
    assert run_command(["datasets", "business", "--out", "d.csv"]) == 0
    monkeypatch.setattr("tacita.api.run_plan", interrupted)
    assert run_command(PROTECT.split()) == 130
    assert capsys.readouterr().err == "Cancelled. Nothing was written.\n"


def test_a_command_leaves_no_trace_in_the_program_that_called_it(folder):
    before = atomic.WRITTEN.get()
    assert run_command(["datasets", "business", "--out", "d.csv"]) == 0
    assert (folder / "d.csv").exists()
    assert atomic.WRITTEN.get() == before
