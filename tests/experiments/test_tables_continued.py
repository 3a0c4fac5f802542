"""An interrupted reproduction of tables leaves an honest page, and the next run goes on from it."""

import json

import pytest
from experiments.__main__ import run_command
from experiments.tables import experiments, setting
from experiments.tables.experiments import Answer
from experiments.tables.setting import Case, Setting, cases
from experiments.version import VERSION
from experiments.writing import reproduce_into

import tacita
from tacita.core import RunContext

ROWS = 8


@pytest.fixture
def solved(monkeypatch):
    """Small tables, answered at once; what was asked for, in order."""
    asked = []

    def answer(case, number, cap, _):
        asked.append((case, number))
        return Answer(number, audited=True, proven=True, gap=0.0, cost=cap, secondaries=3, seconds=1.0)

    monkeypatch.setattr(setting, "SIZES", {"general": ((6, 6),), "exact": (), "interval": ((6, 6),)})
    monkeypatch.setattr(setting, "PARTS", ())
    monkeypatch.setattr(experiments, "solve", answer)
    monkeypatch.setattr(experiments, "_warm", lambda _: None)
    return asked


def stopping_after(number):
    """A run that is cancelled when so many tables were begun."""
    heard = []
    return RunContext(on_progress=heard.append, should_cancel=lambda: len(heard) >= number)


def numbers(folder):
    return json.loads((folder / "tables.json").read_text())


def test_work_goes_number_by_number_through_all_rows(solved, tmp_path):
    reproduce_into("tables", tmp_path, tables=3)
    assert [number for _, number in solved] == [0] * ROWS + [1] * ROWS + [2] * ROWS
    assert len({case for case, _ in solved[:ROWS]}) == ROWS
    assert "not finished" not in (tmp_path / "tables.md").read_text()


@pytest.mark.usefixtures("solved")
def test_an_interrupted_run_leaves_a_page_that_says_what_it_rests_on(tmp_path):
    with pytest.raises(tacita.Cancelled, match="What was done is written"):
        reproduce_into("tables", tmp_path, stopping_after(5), tables=3)
    text = (tmp_path / "tables.md").read_text()
    assert (
        "**This run is not finished**: the page rests on 5 of 24 tables. 3 of 8 rows have none yet." in text
    )
    assert numbers(tmp_path)["tables"] == {"done": 5, "wanted": 24}
    with pytest.raises(tacita.Cancelled):
        reproduce_into("tables", tmp_path, stopping_after(8), tables=3)
    text = (tmp_path / "tables.md").read_text()
    assert "the page rests on 13 of 24 tables. The same command" in text
    assert {path.name for path in tmp_path.iterdir()} == {"tables.md", "tables.json", "tables.svg"}


def test_only_what_is_missing_is_run_and_the_end_is_that_of_a_run_in_one_piece(solved, tmp_path):
    for _ in range(2):
        with pytest.raises(tacita.Cancelled):
            reproduce_into("tables", tmp_path / "pieces", stopping_after(7), tables=2)
    reproduce_into("tables", tmp_path / "pieces", tables=2)
    assert len(solved) == len(set(solved)) == 2 * ROWS
    reproduce_into("tables", tmp_path / "whole", tables=2)
    for file in ("tables.md", "tables.json", "tables.svg"):
        assert (tmp_path / "pieces" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()


def test_a_finished_run_runs_nothing_again_but_what_is_added(solved, tmp_path):
    reproduce_into("tables", tmp_path, tables=1)
    reproduce_into("tables", tmp_path, tables=1)
    assert len(solved) == ROWS
    reproduce_into("tables", tmp_path, tables=2)
    assert [number for _, number in solved[ROWS:]] == [1] * ROWS


def test_answers_that_a_smaller_page_does_not_show_are_not_lost(solved, tmp_path):
    reproduce_into("tables", tmp_path, tables=2)
    reproduce_into("tables", tmp_path, tables=1, problem="general")
    shown = numbers(tmp_path)
    assert {row["problem"] for row in shown["rows"]} == {"general"}
    assert sum(len(row["answers"]) for row in shown["rows"]) == ROWS // 2
    assert "Interval (I) |" not in (tmp_path / "tables.md").read_text()
    reproduce_into("tables", tmp_path, tables=2)
    assert len(solved) == 2 * ROWS


@pytest.mark.parametrize("other", [{"cap": 10.0}, {"fresh": True}], ids=["another cap", "fresh"])
def test_another_cap_or_fresh_starts_anew(solved, tmp_path, other):
    reproduce_into("tables", tmp_path, tables=1)
    reproduce_into("tables", tmp_path, tables=1, **other)
    assert len(solved) == 2 * ROWS
    cost = other.get("cap", Setting().cap)
    made = numbers(tmp_path)
    assert {answer["cost"] for row in made["rows"] for answer in row["answers"]} == {cost}
    assert not made["beyond"]


@pytest.mark.parametrize("changed", ["version", "method", "drawing"])
def test_answers_of_another_version_method_or_kind_of_table_are_not_kept(solved, tmp_path, changed):
    reproduce_into("tables", tmp_path, tables=1)
    made = numbers(tmp_path)
    made["basis"][changed] = "other"
    (tmp_path / "tables.json").write_text(json.dumps(made))
    reproduce_into("tables", tmp_path, tables=1)
    assert len(solved) == 2 * ROWS


def test_a_page_of_before_there_was_a_basis_is_not_gone_on_with(solved, tmp_path):
    (tmp_path / "tables.json").write_text(json.dumps({"version": VERSION, "rows": []}))
    reproduce_into("tables", tmp_path, tables=1)
    assert len(solved) == ROWS


@pytest.mark.parametrize("rubbish", ["{", "[]", None])
@pytest.mark.usefixtures("solved")
def test_a_file_that_is_no_earlier_run_is_refused_and_kept(tmp_path, rubbish):
    reproduce_into("tables", tmp_path, tables=1)
    made = numbers(tmp_path)
    made["rows"][0]["answers"] = [{"number": 0}]
    text = json.dumps(made) if rubbish is None else rubbish
    (tmp_path / "tables.json").write_text(text)
    with pytest.raises(tacita.ParameterError, match="--fresh"):
        reproduce_into("tables", tmp_path, tables=1)
    assert (tmp_path / "tables.json").read_text() == text


@pytest.mark.usefixtures("solved")
def test_answers_are_handed_over_while_the_work_goes_on():
    handed = []
    small = Setting(tables=1)
    experiments.gather(small, RunContext(), save=lambda answers: handed.append(len(answers)), pause=0.0)
    assert handed == list(range(1, ROWS + 1))
    handed.clear()
    experiments.gather(small, RunContext(), save=lambda answers: handed.append(len(answers)), pause=1e9)
    assert handed == [ROWS]


def test_one_problem_may_be_run_alone(solved, tmp_path):
    words = ["tables", "--problem", "interval", "--tables", "1", "--out", str(tmp_path)]
    assert run_command([*words, "--quiet"]) == 0
    assert {case.problem for case, _ in solved} == {"interval"}
    assert numbers(tmp_path)["command"] == "python -m experiments tables --tables 1 --problem interval"
    assert "Interval (I) only" in (tmp_path / "tables.md").read_text()
    assert cases(Setting(problem="exact", quick=True))[0].problem == "exact"
    with pytest.raises(tacita.ParameterError, match="problem must be"):
        Setting(problem="other")


def test_the_command_starts_over_where_told_and_only_what_can_go_on(solved, tmp_path, capsys):
    words = ["tables", "--tables", "1", "--out", str(tmp_path), "--quiet"]
    assert run_command(words) == run_command(words) == 0
    assert len(solved) == ROWS
    assert run_command([*words, "--fresh"]) == 0
    assert len(solved) == 2 * ROWS
    assert run_command(["synthetic", "--fresh", "--out", str(tmp_path / "new")]) == 2
    assert "Leave --fresh away" in capsys.readouterr().err


def test_a_real_answer_survives_its_file(tmp_path, monkeypatch):
    monkeypatch.setattr(setting, "QUICK_SIZES", {"general": ((6, 6),), "exact": (), "interval": ()})
    monkeypatch.setattr(setting, "PARTS", ())
    reproduce_into("tables", tmp_path, quick=True, tables=1)
    before = numbers(tmp_path)
    reproduce_into("tables", tmp_path, quick=True, tables=1)
    assert numbers(tmp_path) == before
    assert Case("general", 6, 6, "sparse", "value") in cases(Setting.usual(quick=True))
