"""Beside the main tables: the documents' own methods, shares of zeros, sums, and the source's numbers."""

import json
from dataclasses import replace

import numpy as np
import pytest
from experiments.__main__ import run_command
from experiments.printed.slides import HEADLINES
from experiments.tables import beside, experiments, setting
from experiments.tables.beside import Pair, sections
from experiments.tables.earlier import kept, numbers
from experiments.tables.experiments import Answer, draw, solve
from experiments.tables.setting import Case, Setting, cases, parts, reference, wanted
from experiments.writing import reproduce_into

import tacita
from experiments import render
from tacita.core import RunContext

SMALL = {"general": ((6, 6),), "exact": ((6, 6),), "interval": ((6, 6),)}
KIND = Case("exact", 8, 6, "dense", "value")


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(setting, "QUICK_SIZES", SMALL)


@pytest.fixture
def answered(small, monkeypatch):  # noqa: ARG001
    """Small tables, answered at once: other methods than optimal lose a tenth more, and prove nothing."""

    def answer(case, number, *_):
        least = case.method == "optimal"
        cost, gap = (10.0, 0.0) if least else (11.0, 0.2)
        return Answer(number, audited=True, proven=least, gap=gap, cost=cost, secondaries=4, seconds=2.0)

    monkeypatch.setattr(experiments, "solve", answer)
    monkeypatch.setattr(experiments, "_warm", lambda _: None)


def run_into(folder, *words):
    assert run_command(["tables", "--quick", *words, "--out", str(folder), "--quiet"]) == 0
    return json.loads((folder / "tables.json").read_text()), (folder / "tables.md").read_text()


def rows_of(text, title):
    part = text.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("| ")]


@pytest.mark.usefixtures("small")
def test_every_part_stands_beside_the_main_tables_and_old_rows_keep_their_form(tmp_path):
    made, text = run_into(tmp_path, "--tables", "1")
    usual = Setting.usual(quick=True)
    assert len(made["rows"]) == len(cases(usual)) == 12
    assert not {"method", "zeros", "margins"} & {key for row in made["rows"] for key in row}
    assert not {"zeros", "sums"} & {key for row in made["rows"] for each in row["answers"] for key in each}
    # by lagrange, three-phase and genetic; shares of zeros by two methods; sums
    assert [len(part["rows"]) for part in made["parts"]] == [8, 4, 12, *[4] * 6, 12]
    assert made["tables"] == {"done": 12, "wanted": 12}
    # optimal on published sums is among the main rows; with shares of zeros it has a part of its own
    assert not made["compared"]
    assert sorted(made["methods"]) == ["genetic", "lagrange", "three-phase"]
    methods = rows_of(text, "Document 002: its own methods")
    printed = {(row[0], row[1], row[2]): row[4] for row in methods if row[2].startswith("least")}
    assert {key: share for key, share in printed.items() if share} == {
        ("General (G)", "lagrange", "least value"): "98 %",
        ("Exact (E)", "lagrange", "least value"): "95 %",
        ("Exact (E)", "lagrange", "least number"): "70 %",
        ("Interval (I)", "three-phase", "least value"): "95 %",
    }
    zeros = rows_of(text, "Exact protection where cells are zero")[1:]
    assert [(row[0], row[1]) for row in zeros] == [
        (share, method)
        for share in ("0 %", "20 %", "50 %")
        for method in ("optimal", "lagrange")
        for _ in "EE"
    ]
    assert len(rows_of(text, "Sums that may be suppressed")) == 1 + 6
    assert "Not finished" not in text
    command = "`python -m experiments tables --quick --tables 1`"
    assert f"{command} with `--largest 50 --method lagrange`, `--largest 20 --method three-phase`," in text
    assert "--problem exact` with `--zeros 0`, `--method lagrange --zeros 0`, `--zeros 20`," in text
    again = render("tables", made).files()
    assert again["tables.md"].decode() == text
    assert json.loads(again["tables.json"]) == made


@pytest.mark.parametrize(
    ("method", "problems"),
    [("lagrange", 2), ("three-phase", 1), ("genetic", 3)],
)
@pytest.mark.usefixtures("answered")
def test_a_method_runs_alone_beside_optimal(tmp_path, method, problems):
    made, text = run_into(tmp_path, "--method", method, "--tables", "1")
    assert made["command"] == f"python -m experiments tables --quick --tables 1 --method {method}"
    assert len(made["rows"]) == len(made["compared"]) == 4 * problems
    assert not made["parts"]
    for row, other in zip(made["rows"], made["compared"], strict=True):
        assert row["method"] == method
        assert "method" not in other
    rows = rows_of(text, "Document 002: its own methods")
    shown = [row for row in rows if row[1] == method and row[2].startswith("least")]
    assert len(shown) == 2 * problems
    # tables, proven, at the optimum, mean and worst above, and both times
    assert all(row[3] == "2" and row[5:7] == ["0 %", "0 of 2"] for row in shown)
    assert all(row[7:] == ["10.00 %", "10.00 %", "2.00 s", "2.00 s"] for row in shown)
    assert f"`suppress` with the method `{method}`" in text
    assert "**This is another setting**: 1 table per row, at most 5 s of CPU time each" in text
    assert f", by `{method}`. The whole experiment, 10 tables per row" in text


def test_no_method_is_better_than_what_is_proven_least():
    for method in ("lagrange", "genetic"):
        for number in range(2):
            case = replace(KIND, method=method, zeros=20)
            answer, least = (solve(each, number, 5.0, RunContext()) for each in (case, reference(case)))
            assert least.proven
            assert answer.audited
            assert answer.cost >= least.cost
            assert not answer.proven or answer.cost == least.cost
            assert 0 <= answer.zeros <= answer.secondaries
            again = solve(case, number, 5.0, RunContext())
            assert replace(again, seconds=0, search_seconds=0) == replace(answer, seconds=0, search_seconds=0)


@pytest.mark.parametrize(
    "kind", [c for c in cases(Setting(problem="exact", zeros=0)) if c.objective == "value"]
)
def test_shares_of_zeros_are_exact_and_grow_out_of_each_other(kind):
    usual, primary = draw(replace(kind, zeros=None), 1)
    tables = {share: draw(replace(kind, zeros=share), 1) for share in (0, 20, 50, 60)}
    before = np.zeros(usual.shape, dtype=bool)
    for share, (values, sensitive) in tables.items():
        zero = values == 0
        assert int(zero.sum()) == round(share * usual.size / 100)
        assert np.array_equal(sensitive, primary)
        assert not (zero & primary).any()
        assert (zero | ~before).all()
        assert np.array_equal(values[~zero & (usual > 0)], usual[~zero & (usual > 0)])
        assert (~zero).any(axis=0).all()
        assert (~zero).any(axis=1).all()
        before = zero


def test_exact_protection_without_zeros_is_general_protection_and_with_zeros_it_is_not():
    def cost(problem, zeros):
        return [
            solve(Case(problem, 12, 8, density, "value", zeros=zeros), 0, 5.0, RunContext()).cost
            for density in ("sparse", "dense")
        ]

    assert cost("exact", 0) == cost("general", 0)
    assert cost("exact", 50) != cost("exact", 0)


def test_sums_that_may_be_suppressed_save_where_cells_cannot_move_enough(monkeypatch):
    values = np.full((3, 3), 50.0)
    values[0], values[:, 0] = (100, 10, 10), (100, 10, 10)
    primary = values == 100
    monkeypatch.setattr(experiments, "draw", lambda *_: (values, primary))
    found = {}
    for objective in ("value", "count"):
        case = Case("interval", 3, 3, "dense", objective, margins=True)
        free, published = (solve(each, 0, 5.0, RunContext()) for each in (case, reference(case)))
        assert free.proven
        assert published.proven
        assert published.sums is None
        found[objective] = free.sums, free.cost, published.cost
    # two cells of row and column each where one cannot move by 15, or a sum of each and the total
    assert found["count"] == (3, 3.0, 6.0)
    assert found["value"][0] == 0
    assert found["value"][1] == found["value"][2]
    alone = Setting(tables=1, quick=True, problem="interval", margins=True)
    case = replace(cases(alone)[1], rows=6, columns=6)
    answers = {
        (case, 0): Answer(0, audited=True, proven=True, gap=0.0, cost=3.0, sums=3),
        (reference(case), 0): Answer(0, audited=True, proven=True, gap=0.0, cost=6.0),
    }
    assert "| Interval (I) | least number | 1 | 100 % | 0.000 s | 1 | 3.0 | 50.00 % | 50.00 % |" in "\n".join(
        sections(alone, answers)
    )


def test_the_numbers_of_the_source_are_shared_out_evenly():
    source = Setting("source")
    assert source.command == "python -m experiments tables --tables source"
    assert source.whole == 2 * sum(each.tables for each in HEADLINES.values()) == 2 * 1790
    for problem, headline in HEADLINES.items():
        counts = [
            len(source.numbers(case))
            for case in cases(source)
            if (case.problem, case.objective) == (problem, "value")
        ]
        assert sum(counts) == headline.tables
        assert max(counts) - min(counts) <= 1
    assert (
        sum(len(Setting("source", largest=50).numbers(case)) for case in cases(Setting(largest=50))) == 3580
    )
    # parts beside it stay samples
    assert {part.tables for part in parts(source)} == {2, 3}
    assert len(wanted(Setting("source", zeros=20))) == 2 * 170
    assert len(wanted(Setting("source", method="lagrange"))) == 2 * 2 * (210 + 170)


@pytest.mark.usefixtures("answered")
def test_the_page_says_how_many_tables_the_source_has(tmp_path):
    made, text = run_into(tmp_path, "--tables", "source", "--problem", "exact")
    assert made["tables"] == {"done": 340, "wanted": 340}
    assert "as many tables as the source has, divided evenly among the rows" in text
    assert rows_of(text, "Document 002: headlines")[1][1:3] == ["170, 50 x 10 to 100 x 100", "170"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"method": "three-phase", "problem": "general"}, "three-phase is made for interval protection"),
        (
            {"method": "lagrange", "problem": "interval"},
            "made for general and exact protection, got interval",
        ),
        ({"method": "hypercube"}, "the method must be one of optimal, lagrange, three-phase, genetic"),
        ({"zeros": 61}, "the share of zeros must be 0 to 60 percent, got 61"),
        ({"zeros": -1}, "the share of zeros must be 0 to 60 percent"),
        ({"zeros": 20, "problem": "general"}, "zeros are published for general protection"),
        ({"zeros": 20, "method": "three-phase"}, "three-phase is made for interval"),
        ({"tables": "all"}, "at least one table"),
    ],
)
def test_settings_that_make_no_sense_are_refused_in_words(wrong, said):
    with pytest.raises(tacita.ParameterError, match=said):
        Setting(**wrong)


def test_the_command_refuses_what_it_does_not_know(tmp_path, capsys):
    for words in (["--method", "hypercube"], ["--tables", "all"], ["--zeros", "half"]):
        assert run_command(["tables", *words, "--out", str(tmp_path / "new")]) == 2
    assert (
        run_command(["tables", "--method", "three-phase", "--problem", "exact", "--out", str(tmp_path)]) == 2
    )
    assert "got exact. Choose another problem" in capsys.readouterr().err
    assert run_command(["synthetic", "--margins", "--out", str(tmp_path / "new")]) == 2
    assert "there is no setting margins" in capsys.readouterr().err


def test_parts_follow_the_problem_and_the_side_and_only_the_main_experiment_has_them():
    assert {part.problems for part in parts(Setting(problem="interval"))} == {("interval",)}
    assert all(part.largest == 20 for part in parts(Setting(largest=20, problem="interval")))
    assert {part.tables for part in parts(Setting(tables=2))} == {2}
    assert {part.cap for part in parts(Setting(cap=7.0))} == {7.0}
    for alone in ({"method": "lagrange"}, {"zeros": 0}, {"margins": True}):
        assert parts(Setting(**alone)) == []
    for part in parts(Setting()):
        words = part.command.removeprefix("python -m experiments tables")
        assert any(option in words for option in ("--method", "--zeros", "--margins"))


def test_cost_above_the_least_counts_only_where_that_is_proven():
    least = Answer(0, audited=True, proven=True, gap=0.0, cost=100.0)
    found = Answer(0, audited=True, gap=0.1, cost=104.0)
    assert Pair(KIND, found, least).above == pytest.approx(4.0)
    assert Pair(KIND, found, replace(least, proven=False)).above is None
    assert Pair(KIND, found, None).above is None
    assert Pair(KIND, Answer(0, audited=False), least).above is None


def test_an_interrupted_part_says_what_it_rests_on():
    alone = Setting(method="lagrange", tables=2, quick=True, problem="exact")
    case = replace(KIND, method="lagrange")
    answers = {(case, 0): Answer(0, audited=True, proven=True, gap=0.0, cost=5.0)}
    text = "\n".join(sections(alone, answers))
    assert "**Not finished**: it rests on 1 of 16." in text
    assert "| Exact (E) | lagrange | least value | 1 | 95 % | 100 % |  |  |  |" in text
    assert sections(alone, {}) == []
    assert beside.pairs(alone, answers)[0].other is None


@pytest.mark.usefixtures("answered")
def test_answers_of_a_method_whose_parameters_changed_are_not_kept(tmp_path):
    reproduce_into("tables", tmp_path, quick=True, tables=1, method="lagrange", problem="exact")
    made = json.loads((tmp_path / "tables.json").read_text())
    whole = kept(Setting.usual(quick=True), made)
    assert len(whole) == 8
    assert numbers(Setting.usual(quick=True), whole)["methods"] == made["methods"]
    made["methods"]["lagrange"]["iterations"] = 7
    assert {case.method for case, _ in kept(Setting.usual(quick=True), made)} == {"optimal"}
    del made["methods"]
    assert {case.method for case, _ in kept(Setting.usual(quick=True), made)} == {"optimal"}
