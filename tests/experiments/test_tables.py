"""The experiments on tables run, on tables that are what the page says; the source's figures stand beside."""

import json
import time
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from experiments.__main__ import run_command
from experiments.tables import experiments, setting
from experiments.tables.experiments import Answer, Found, draw, solve
from experiments.tables.page import page
from experiments.tables.plot import times_and_proofs
from experiments.tables.setting import Case, Setting, cases

import tacita
from experiments import reproduce
from tacita.core import RunContext, VerificationError
from tacita.tables.suppression import time_limit

KIND = Case("interval", 20, 10, "dense", "value")


@pytest.fixture(scope="module")
def quickly():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(setting, "PARTS", ())
        return reproduce("tables", quick=True)


@pytest.fixture(scope="module")
def numbers(quickly):
    return json.loads(quickly.files()["tables.json"])


def test_a_quick_reproduction_makes_page_plot_and_numbers(quickly):
    files = quickly.files()
    assert set(files) == {"tables.md", "tables.json", "tables.svg"}
    assert ElementTree.fromstring(files["tables.svg"]).tag.endswith("svg")
    assert "](tables.svg)" in quickly.text


def test_every_row_is_there_with_every_table_and_its_audit(quickly, numbers):
    assert len(numbers["rows"]) == 3 * 2 * 2 * 2
    kinds = {(r["problem"], r["rows"], r["columns"], r["density"], r["objective"]) for r in numbers["rows"]}
    assert len(kinds) == len(numbers["rows"])
    for row in numbers["rows"]:
        assert [answer["number"] for answer in row["answers"]] == [0, 1]
        assert all(answer["audited"] for answer in row["answers"])
        assert all(0 <= answer["gap"] <= 1 for answer in row["answers"])
    assert "Audits passed: 48 of 48." in quickly.text


def test_shares_lie_between_none_and_all(quickly):
    lines = [line.strip("| ").split(" | ") for line in quickly.text.splitlines() if " of 2 |" in line]
    assert len(lines) == 24
    assert all(0 <= float(line[4].removesuffix(" %")) <= 100 for line in lines)


def test_the_figures_of_the_source_are_quoted(quickly):
    rows = [line for line in quickly.text.splitlines() if "under 4 min" in line]
    said = [(line.split(" | ")[1].split(",")[0], line.split(" | ")[4].strip()) for line in rows]
    assert said == [
        ("210", "98 %"),
        ("210", ""),
        ("170", "95 %"),
        ("170", "70 %"),
        ("1410", "95 %"),
        ("1410", ""),
    ]
    text = " ".join(quickly.text.split())
    assert "The source's tables are not available" in text
    assert "The whole experiment, 10 tables per row, 240 s each" in text


def test_tables_depend_on_size_density_and_number_alone():
    values, primary = draw(KIND, 3)
    for other in (replace(KIND, problem="general"), replace(KIND, objective="count")):
        assert np.array_equal(draw(other, 3)[0], values)
        assert np.array_equal(draw(other, 3)[1], primary)
    assert not np.array_equal(draw(KIND, 4)[0], values)
    assert not np.array_equal(draw(replace(KIND, density="sparse"), 3)[0], values)


@pytest.mark.parametrize("case", [c for c in cases(Setting(largest=100)) if c.objective == "value"], ids=str)
def test_values_are_in_range_and_sensitive_cells_among_the_small(case):
    values, primary = draw(case, 0)
    assert values.shape == primary.shape == (case.rows, case.columns)
    assert 0 <= values.min() <= values.max() <= 499
    assert np.array_equal(values, np.rint(values))
    assert primary.sum() == case.primaries
    assert (values[primary] > 0).all()
    assert values[primary].max() <= np.quantile(values, 0.2)


def test_dense_tables_have_more_sensitive_cells_than_sparse_ones():
    for case in cases(Setting()):
        if case.density == "sparse":
            assert case.primaries < replace(case, density="dense").primaries


def test_sizes_reach_from_the_smallest_to_the_largest_of_the_source():
    ends = {problem: (sizes[0], sizes[-1]) for problem, sizes in setting.SIZES.items()}
    assert ends == {
        "general": ((20, 10), (200, 200)),
        "exact": ((50, 10), (100, 100)),
        "interval": ((10, 10), (500, 500)),
    }


def test_all_but_the_times_repeats():
    case = Case("interval", 8, 8, "dense", "value")
    first, second = (solve(case, 1, 5.0, RunContext()) for _ in range(2))
    assert replace(first, seconds=0, search_seconds=0) == replace(second, seconds=0, search_seconds=0)


def test_an_answer_that_is_refused_counts_as_neither_audited_nor_proven(monkeypatch):
    def refuse(*_, **__):
        raise VerificationError("broken")

    monkeypatch.setattr(experiments, "suppress", refuse)
    answer = solve(KIND, 0, 5.0, RunContext())
    row = Found(KIND, (answer, Answer(1, audited=True, proven=True, gap=0.0, seconds=1.0)))
    assert (answer.audited, answer.proven, answer.gap) == (False, False, None)
    assert (row.audited, row.proven, row.gaps) == (1, 50.0, [0.0])
    assert "Audits passed: 1 of 2." in page(Setting(tables=2), [row])


def test_a_search_that_the_cap_ended_is_told_with_its_gap():
    answers = (
        Answer(0, audited=True, proven=True, gap=0.0, seconds=2.0),
        Answer(1, audited=True, proven=False, gap=0.0312, seconds=10.0),
    )
    row = Found(KIND, answers)
    text = page(Setting(tables=2, cap=10.0), [row])
    assert "| Interval (I) | 20 x 10 | dense | least value | 1 of 2 | 3.12 |" in text
    assert "| 20 x 10 | dense | 20 | least value | 50 % | 6.00 | 10 | 1.56 % | 3.12 % | 2 of 2 |" in text
    assert "Nowhere" not in text
    assert ElementTree.fromstring(times_and_proofs([row])).tag.endswith("svg")


def test_the_page_names_the_command_that_wrote_it_and_the_whole_one():
    assert Setting().command == "python -m experiments tables"
    assert Setting.usual(quick=True).command == "python -m experiments tables --quick"
    reduced = Setting(tables=2, cap=10, largest=100)
    assert reduced.command == "python -m experiments tables --tables 2 --cap 10 --largest 100"
    text = page(reduced, [Found(KIND, (Answer(0, audited=True, proven=True, gap=0.0),))])
    assert f"Written by `{reduced.command}`" in text
    assert "reduced setting" in text
    whole = page(Setting(), [Found(KIND, (Answer(0, audited=True, proven=True, gap=0.0),))])
    assert "reduced" not in whole


@pytest.mark.parametrize("wrong", [{"tables": 0}, {"cap": 0.0}, {"largest": 5}])
def test_settings_without_a_table_are_refused(wrong):
    with pytest.raises(tacita.ParameterError, match="reproduce tables"):
        reproduce("tables", **wrong)


def test_the_clock_of_searches_is_put_back():
    with pytest.raises(tacita.Cancelled):
        experiments.gather(Setting.usual(quick=True), RunContext(should_cancel=lambda: True))
    assert time_limit.Watch(1.0).clock is time.perf_counter


def test_the_command_hands_its_settings_on(tmp_path, monkeypatch):
    monkeypatch.setattr(setting, "QUICK_SIZES", {"general": ((6, 6),), "exact": (), "interval": ()})
    monkeypatch.setattr(setting, "PARTS", ())
    words = [
        "tables",
        "--quick",
        "--tables",
        "1",
        "--cap",
        "3",
        "--out",
        str(tmp_path),
        "--quiet",
    ]
    assert run_command(words) == 0
    made = json.loads((tmp_path / "tables.json").read_text())
    assert made["command"] == "python -m experiments tables --quick --tables 1 --cap 3"
    assert len(made["rows"]) == 4


def test_settings_of_tables_are_refused_for_other_experiments(tmp_path, capsys):
    assert run_command(["synthetic", "--cap", "3", "--out", str(tmp_path / "new")]) == 2
    assert "there is no setting cap" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
