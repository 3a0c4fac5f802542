"""The audit of published files of other values, whoever made them: by a plan, or by naming the method."""

import json
import re

import pytest

from seeds import SEED
from tacita import api
from tacita.cli import run_command

CELLS = "r,c,n,p,k\n" + "".join(
    f"{r},{c},{v},{int(v in (9, 5))},{(v * 37 % 101) / 101}\n"
    for r, row in zip("abc", ([4, 7, 30], [2, 9, 16], [5, 11, 61]), strict=True)
    for c, v in zip("xyz", row, strict=True)
)
NAMED = ["--rows", "r", "--columns", "c", "--value", "n", "--counts"]
# how a table is made, and how its audit is asked for
WAYS = {
    "rounding": ["--base", "5"],
    "small-counts": ["--base", "3"],
    "cell-key": ["--key", "k"],
    "cta": ["--primary", "p", "--whole"],
}
ENDINGS = ["csv", "xlsx", "html"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "cells.csv").write_text(CELLS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(method, ending):
    words = ["adjust", "cells.csv", *NAMED, "--method", method, *WAYS[method], "--seed", str(SEED)]
    assert run_command([*words, "--out", f"o.{ending}", "--save-plan", "plan.toml"]) == 0


def audit(method, *more, file="o.csv"):
    return run_command(["audit", "cells.csv", file, *NAMED, "--method", method, *WAYS[method], *more])


@pytest.mark.each_once
@pytest.mark.parametrize("method", WAYS)
@pytest.mark.parametrize("ending", ENDINGS)
def test_what_a_method_made_passes_by_its_name_and_by_its_plan(method, ending, folder):
    made(method, ending)
    assert audit(method, "--json", "audit.json", file=f"o.{ending}") == 0
    told = json.loads((folder / "audit.json").read_text())
    assert told["safe"] is True
    assert told["confidential"] is True
    assert told["method"] == method
    assert all(each["passed"] for each in told["promises"])
    assert run_command(["audit", "plan.toml"]) == 0


@pytest.mark.each_once
@pytest.mark.parametrize("method", WAYS)
@pytest.mark.parametrize("line", range(1, 17))
def test_another_number_in_any_line_of_the_file_fails_the_audit(method, line, folder, capsys):
    made(method, "csv")
    lines = (folder / "o.csv").read_text().splitlines()
    lines[line] = re.sub(r",(\d+),published", lambda found: f",{int(found[1]) + 1},published", lines[line])
    (folder / "o.csv").write_text("\n".join(lines) + "\n")
    capsys.readouterr()
    assert audit(method) == 1
    assert "is not what its method promises" in capsys.readouterr().err
    assert run_command(["audit", "plan.toml"]) == 1


@pytest.mark.parametrize("method", WAYS)
def test_a_file_that_shows_more_than_the_table_fails_the_audit(method, folder, capsys):
    made(method, "csv")
    text = (folder / "o.csv").read_text().splitlines()
    (folder / "o.csv").write_text("\n".join(f"{line},{at}" for at, line in enumerate(text)) + "\n")
    assert audit(method) == 1
    assert "shows more than the table" in capsys.readouterr().err


def test_a_file_with_withheld_cells_is_no_adjusted_table(folder, capsys):
    made("rounding", "csv")
    text = (folder / "o.csv").read_text()
    (folder / "o.csv").write_text(re.sub(r"\d+,published", ",withheld", text, count=1))
    assert audit("rounding") == 1
    assert "1 are suppressed" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_the_true_table_fails_under_every_name(capsys):
    exactly = ["--method", "rounding", "--base", "1"]
    assert run_command(["adjust", "cells.csv", *NAMED, *exactly, "--insist", "--out", "t.csv"]) == 0
    for method in WAYS:
        assert audit(method, file="t.csv") == 1
    capsys.readouterr()
    # of base 1 it is a rounding, and gives every count away
    assert run_command(["audit", "cells.csv", "t.csv", *NAMED, *exactly]) == 1
    assert "give too much away" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_other_parameters_than_those_it_was_made_with_fail():
    made("rounding", "csv")
    assert run_command(["audit", "cells.csv", "o.csv", *NAMED, "--method", "rounding", "--base", "10"]) == 1
    assert run_command(["audit", "cells.csv", "o.csv", *NAMED, "--method", "small-counts"]) == 1


def test_values_beyond_their_neighbours_are_told(folder, capsys):
    made("rounding", "csv")
    text = (folder / "o.csv").read_text()
    # a circuit of four inner cells keeps all sums
    for label, change in {"a,x": 5, "a,y": -5, "b,x": -5, "b,y": 5}.items():
        old = re.search(rf"^{label},(\d+),", text, re.MULTILINE)
        text = text.replace(f"{label},{old[1]},", f"{label},{int(old[1]) + change},")
    (folder / "o.csv").write_text(text)
    capsys.readouterr()
    audit("rounding", "--json", "audit.json")
    told = json.loads((folder / "audit.json").read_text())
    assert "relaxed" in [each["name"] for each in told["warnings"]]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--method", "cell-key"], "nobody can say what noise"),
        (["--method", "rounding", "--problem", "exact"], "is for suppressed cells"),
        (["--method", "rounding", "--strict"], "is for suppressed cells"),
        (["--method", "optimal"], "optimal"),
        (["--method", "roundings"], "roundings"),
        (["--method", "rounding", "--base", "0"], "base"),
        (["--method", "rounding", "--bogus", "3"], "--bogus"),
    ],
)
def test_what_cannot_be_audited_is_refused_with_a_way_out(words, said, capsys):
    made("rounding", "csv")
    capsys.readouterr()
    assert run_command(["audit", "cells.csv", "o.csv", *NAMED, *words]) in (1, 2)
    assert said in capsys.readouterr().err


def test_no_figure_of_the_table_is_in_a_refusal(folder):
    made("cta", "csv")
    text = (folder / "o.csv").read_text()
    (folder / "o.csv").write_text(re.sub(r"(\d+),published", r"1\1,published", text))
    found = api.audit_plan(api.load_plan(folder / "plan.toml"))
    assert not found.safe
    assert not re.search(r"\b(61|30|107|145)\b", found.refusal())
