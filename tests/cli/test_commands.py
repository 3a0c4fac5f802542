import json
import os
import subprocess
import sys
import threading
from contextlib import suppress

import pytest

from seeds import SEED
from tacita import datasets, registry
from tacita.cli import COMMANDS, run_command


@pytest.fixture
def survey(tmp_path):
    run_command(["datasets", "business", "--out", str(tmp_path / "survey.csv")])
    return tmp_path / "survey.csv"


QUASI = "turnover,costs,wages"


def protect(source, folder, *more):
    words = ["protect", str(source), "--out", str(folder / "out.csv"), "--method", "mdav", "--k", "3"]
    return run_command([*words, "--quasi", QUASI, "--identifiers", "name,registration", *more])


def test_protect_writes_every_file_it_was_asked_for_and_no_other(survey, tmp_path):
    folder = tmp_path / "result"
    folder.mkdir()
    more = [
        "--report",
        str(folder / "r.html"),
        "--json",
        str(folder / "r.json"),
        "--note",
        str(folder / "q.html"),
    ]
    assert protect(survey, folder, *more) == 0
    assert sorted(p.name for p in folder.iterdir()) == ["out.csv", "q.html", "r.html", "r.json"]


def test_the_json_report_has_scores_with_range_and_direction(survey, tmp_path):
    assert protect(survey, tmp_path, "--json", str(tmp_path / "r.json")) == 0
    scores = json.loads((tmp_path / "r.json").read_text())["scores"]
    usual = [name for name in registry.names(*registry.MEASURING) if registry.lookup(name).by_default]
    assert [score["name"] for score in scores] == usual
    for score in scores:
        assert len(score["range"]) == 2
        assert score["direction"] in ("lower", "higher")
        assert isinstance(score["value"], float) or score["reason"]


def test_assess_prints_scores_and_writes_them_as_json(survey, tmp_path, capsys):
    protect(survey, tmp_path)
    capsys.readouterr()
    words = [
        "assess",
        str(survey),
        str(tmp_path / "out.csv"),
        "--quasi",
        QUASI,
        "--json",
        str(tmp_path / "a.json"),
    ]
    assert run_command(words) == 0
    assert "IL1" in capsys.readouterr().out
    assert {s["name"] for s in json.loads((tmp_path / "a.json").read_text())["scores"]} >= {
        "IL1",
        "IL2",
        "DLD",
    }


def test_methods_as_json_tell_kind_name_parameters_and_guarantees(capsys):
    assert run_command(["methods", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    mdav = next(entry for entry in listed if entry["name"] == "mdav")
    assert mdav["kind"] == "microaggregation"
    assert mdav["parameters"]["properties"]["k"]["minimum"] == 2
    assert "groups-of-k" in mdav["guarantees"]


def test_methods_describes_one(capsys):
    assert run_command(["methods", "mdav"]) == 0
    text = capsys.readouterr().out
    assert "Domingo-Ferrer" in text
    assert "smallest group size" in text


def test_quasi_numeric_takes_quantities_and_leaves_codes(survey, tmp_path):
    words = ["protect", str(survey), "--out", str(tmp_path / "o.csv"), "--quasi", "numeric"]
    assert (
        run_command([*words, "--identifiers", "name,registration", "--json", str(tmp_path / "o.json")]) == 0
    )
    quasi = json.loads((tmp_path / "o.json").read_text())["record"]["roles"]["quasi"]
    assert "turnover" in quasi
    assert "sector" not in quasi


def test_a_column_name_with_a_comma_can_be_quoted(tmp_path):
    (tmp_path / "in.csv").write_text('"a,b";c\n' + "".join(f"{i};x\n" for i in range(9)))
    words = ["protect", str(tmp_path / "in.csv"), "--out", str(tmp_path / "out.csv"), "--quasi", '"a,b"']
    assert run_command(words) == 0


def test_demo_writes_its_files_and_its_plan_repeats_it(tmp_path):
    assert run_command(["demo", "--folder", str(tmp_path), "--quiet"]) == 0
    first = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    assert set(first) >= {"protected.csv", "report.html", "quality.html", "plan.toml"}
    assert run_command(["run", str(tmp_path / "plan.toml"), "--quiet", "--force"]) == 0
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == first


def test_run_prints_the_script(tmp_path, capsys):
    run_command(["demo", "--folder", str(tmp_path), "--quiet"])
    assert run_command(["run", str(tmp_path / "plan.toml"), "--script"]) == 0
    assert capsys.readouterr().out.startswith("import tacita")


def test_a_dry_run_says_that_the_plan_it_shows_with_its_seed_is_confidential(survey, tmp_path, capsys):
    assert protect(survey, tmp_path, "--shuffle", "--seed", str(2**100), "--dry-run") == 0
    before, said, shown = capsys.readouterr().out.partition("The plan (confidential):")
    assert said
    assert str(2**100) in shown
    assert str(2**100) not in before


def test_dry_run_shows_plan_and_script_and_writes_nothing(survey, tmp_path, capsys):
    assert protect(survey, tmp_path, "--dry-run") == 0
    text = capsys.readouterr().out
    assert "version = 1" in text
    assert "tacita.protect(" in text
    assert not (tmp_path / "out.csv").exists()


def test_quiet_prints_nothing(survey, tmp_path, capsys):
    capsys.readouterr()
    assert protect(survey, tmp_path, "--quiet") == 0
    heard = capsys.readouterr()
    assert heard.out == heard.err == ""


PLAN = """version = 1
[input]
path = "survey.csv"
[roles]
quasi = ["turnover", "wages"]
identifiers = ["value_added"]
[measure]
names = ["IL1"]
[compare]
method = ["mdav", "hm"]
k = [3, 5]
loss = "IL1"
risk = "DLD"
[output]
report = "named.html"
"""


def compare(survey, *more, plan=PLAN):
    survey.with_name("plan.toml").write_text(plan)
    return run_command(["compare", str(survey.with_name("plan.toml")), *more])


def test_compare_prints_every_trial_with_the_front_marked_and_writes_its_pages(survey, tmp_path, capsys):
    capsys.readouterr()
    assert compare(survey, "--json", str(tmp_path / "c.json")) == 0
    text = capsys.readouterr().out
    trials = json.loads((tmp_path / "c.json").read_text())["trials"]
    starred = [line.split()[1:3] for line in text.splitlines() if line.startswith(" * ")]
    assert starred == [[t["method"], f"k={t['parameters']['k']}"] for t in trials if t["on_front"]] != []
    assert text.count("HM: wanted one column, got 2") == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["c.json", "named.html", "plan.toml", "survey.csv"]


def test_an_option_of_compare_goes_before_the_plan(survey, tmp_path):
    assert compare(survey, "--report", str(tmp_path / "other.html"), "--quiet") == 0
    assert (tmp_path / "other.html").exists()
    assert not (tmp_path / "named.html").exists()


def test_compare_is_silent_if_asked_to(survey, capsys):
    capsys.readouterr()
    assert compare(survey, "--quiet") == 0
    heard = capsys.readouterr()
    assert heard.out == heard.err == ""


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (("[3, 5]", "[3, 3]"), 2, "given twice"),
        (("turnover", "nosuch"), 2, "no column nosuch"),
        (('method = ["mdav", "hm"]', 'method = ["hm"]'), 1, "each of the 2 trials failed"),
        (("named.html", "survey.csv"), 2, "report and input are the same file"),
        (("named.html", "plan.toml"), 2, "report and plan are the same file"),
        (
            ('[compare]\nmethod = ["mdav", "hm"]\nk = [3, 5]\nloss = "IL1"\nrisk = "DLD"', ""),
            2,
            "output.path",
        ),
    ],
)
def test_compare_refuses_with_the_exit_codes_of_every_command(
    survey, tmp_path, capsys, change, code, message
):
    assert compare(survey, plan=PLAN.replace(*change)) == code
    assert message in capsys.readouterr().err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["plan.toml", "survey.csv"]


def test_run_says_that_a_plan_which_only_compares_has_no_output(survey, capsys):
    plan = survey.with_name("plan.toml")
    plan.write_text(PLAN)
    assert run_command(["run", str(plan)]) == 2
    assert "output.path is required" in capsys.readouterr().err
    assert run_command(["run", str(plan), "--script"]) == 0
    assert "tacita.compare_methods(" in capsys.readouterr().out


def test_every_command_has_help(capsys):
    for name in COMMANDS:
        assert run_command([name, "--help"]) == 0
        assert name in capsys.readouterr().out


def test_datasets_lists_describes_and_writes(tmp_path, capsys):
    assert run_command(["datasets"]) == 0
    assert run_command(["datasets", "household", "--out", str(tmp_path / "h.parquet")]) == 0
    text = capsys.readouterr().out
    assert all(entry.name in text for entry in datasets.catalogue())
    assert (tmp_path / "h.parquet").stat().st_size > 1000


def test_ctrl_c_ends_with_130_and_nothing_written(survey, tmp_path, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("tacita.microdata.statistics.group_statistics.fsum", interrupted)
    assert protect(survey, tmp_path) == 130
    assert "Nothing was written" in capsys.readouterr().err
    assert not (tmp_path / "out.csv").exists()


def test_a_fault_of_ours_shows_its_kind_but_never_its_message(survey, tmp_path, monkeypatch, capsys):
    def broken(*_, **__):
        raise RuntimeError("turnover 12345 of Quixote")

    monkeypatch.setattr("tacita.microdata.statistics.group_statistics.fsum", broken)
    assert protect(survey, tmp_path) == 70
    err = capsys.readouterr().err
    assert "RuntimeError" in err
    assert "Quixote" not in err
    assert "Traceback" not in err


def test_a_reader_that_leaves_early_is_no_error_of_ours():
    reader = "import sys; sys.stdin.readline()"
    first = subprocess.Popen(
        [sys.executable, "-m", "tacita", "methods", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    subprocess.run([sys.executable, "-c", reader], stdin=first.stdout, check=True)
    first.stdout.close()
    assert b"Traceback" not in first.stderr.read()
    first.stderr.close()
    first.wait()


def test_a_reader_who_leaves_early_does_not_make_a_release_look_refused(tmp_path):
    (tmp_path / "in.csv").write_text("a\n" + "".join(f"{i}\n" for i in range(9)))
    words = ["protect", tmp_path / "in.csv", "--quasi", "a", "--out", tmp_path / "out.csv"]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "tacita", *words], stdout=writing, stderr=subprocess.PIPE, text=True
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "out.csv").exists()


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo terminal")
def test_progress_shows_on_a_terminal_and_not_in_the_output(survey, tmp_path):
    leader, follower = os.openpty()
    shown: list[bytes] = []

    def read() -> None:
        # a terminal that nobody reads would block the command; at its end Linux raises, others send nothing
        with suppress(OSError):
            while part := os.read(leader, 4096):
                shown.append(part)

    reader = threading.Thread(target=read)
    reader.start()
    words = ["protect", str(survey), "--out", str(tmp_path / "o.csv"), "--quasi", QUASI]
    done = subprocess.run(
        [sys.executable, "-m", "tacita", *words],
        stdout=subprocess.PIPE,
        stderr=follower,
        check=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(follower)
    reader.join()
    os.close(leader)
    assert b"reading" in b"".join(shown)
    assert b"\x1b" not in done.stdout


def test_a_saved_plan_repeats_the_run(survey, tmp_path):
    assert (
        protect(
            survey, tmp_path, "--seed", str(SEED), "--shuffle", "--save-plan", str(tmp_path / "plan.toml")
        )
        == 0
    )
    first = (tmp_path / "out.csv").read_bytes()
    assert str(tmp_path) not in (tmp_path / "plan.toml").read_text()
    assert run_command(["run", str(tmp_path / "plan.toml"), "--quiet", "--force"]) == 0
    assert (tmp_path / "out.csv").read_bytes() == first


def test_a_full_terminal_is_told_from_a_failed_run(survey, tmp_path):
    if not os.path.exists("/dev/full"):
        return
    words = ["protect", str(survey), "--out", str(tmp_path / "o.csv"), "--quasi", QUASI]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tacita", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 74
    assert "Done, but" in done.stderr
    assert (tmp_path / "o.csv").exists()
