"""The command that chooses what to withhold, from file to file."""

import numpy as np
import pytest

import tacita
from table_commands import NAMED, PROBLEMS, REGIONS, outcome, published, suppress, write_cells
from tacita.cli import run_command


class TestSuppress:
    def test_publishes_the_pattern_of_the_source(self, cells):
        assert suppress(cells, "--problem", "exact") == 0
        rows = published(cells)
        assert list(rows[0]) == ["activity", "region", "value", "status"]
        hidden = {(row["activity"], row["region"]) for row in rows if row["status"] == "withheld"}
        assert hidden == {("II", "A"), ("II", "B"), ("III", "A"), ("III", "B")}
        assert all((row["value"] == "") == (row["status"] == "withheld") for row in rows)
        sums = {(row["activity"], row["region"]): row["value"] for row in rows if "Total" in row.values()}
        assert sums["II", "Total"] == "49"
        assert sums["Total", "Total"] == "218"
        assert len(rows) == 16

    def test_writes_cost_proof_and_audit_as_json(self, cells):
        assert suppress(cells, "--problem", "exact") == 0
        found = outcome(cells)
        assert (found["cost"], found["lower_bound"], found["gap"]) == (34, 34, 0)
        assert (found["proven"], found["secondary_count"]) == (True, 3)
        assert found["seconds"] >= 0
        assert sorted((each["row"], each["column"], each["kind"]) for each in found["withheld"]) == [
            ("II", "A", "secondary"),
            ("II", "B", "primary"),
            ("III", "A", "secondary"),
            ("III", "B", "secondary"),
        ]
        assert [(each["low"], each["high"]) for each in found["audit"]] == [(13, 16)]

    def test_ranges_of_the_general_problem_have_no_ends(self, cells):
        assert suppress(cells, "--problem", "general") == 0
        assert [(each["low"], each["high"]) for each in outcome(cells)["audit"]] == [(None, None)]

    def test_levels_are_in_percent_or_a_column(self, tmp_path):
        values = [[100, 20, 35, 3], [15, 10, 40, 10], [10, 15, 30, 5]]
        primary = np.arange(12).reshape(3, 4) == 0
        absolute = {"down": np.full((3, 4), 15.0), "up": np.full((3, 4), 15.0)}
        source = write_cells(tmp_path / "cells.csv", values, primary, absolute)
        ends = []
        for levels in (("15", "15"), ("down", "up"), ("15", "up")):
            assert suppress(source, "--problem", "interval", "--lower", levels[0], "--upper", levels[1]) == 0
            ends.append(outcome(source))
        assert len({found["cost"] for found in ends}) == 1
        [cell] = ends[0]["audit"]
        assert cell["low"] <= 85
        assert cell["high"] >= 115
        assert (cell["wanted_low"], cell["wanted_high"]) == (85, 115)

    @pytest.mark.parametrize("level", ["--lower", "--upper", "--sliding"])
    def test_levels_that_a_problem_does_not_keep_are_told(self, cells, level):
        for problem, given, warned in (("exact", "20", 1), ("interval", "20", 0), ("general", "0", 0)):
            assert suppress(cells, "--problem", problem, level, given) == 0
            told = [each for each in outcome(cells)["warnings"] if each["name"] == "levels-not-kept"]
            assert [each["count"] for each in told] == [1] * warned

    def test_a_width_is_in_percent_or_a_column_too(self, tmp_path):
        values = [[100, 20, 35, 3], [15, 10, 40, 10], [10, 15, 30, 5]]
        primary = np.arange(12).reshape(3, 4) == 0
        source = write_cells(tmp_path / "cells.csv", values, primary, {"width": np.full((3, 4), 60.0)})
        costs = []
        for width in ("60", "width", "0"):
            assert suppress(source, "--problem", "interval", "--sliding", width) == 0
            [cell] = outcome(source)["audit"]
            assert cell["wanted_width"] == (0 if width == "0" else 60)
            assert cell["high"] - cell["low"] >= cell["wanted_width"]
            costs.append(outcome(source)["cost"])
        assert costs[0] == costs[1] > costs[2]

    def test_the_objective_is_value_count_or_a_column(self, cells):
        costs = []
        for objective in ("value", "count", "weight"):
            assert suppress(cells, "--problem", "exact", "--objective", objective) == 0
            costs.append(outcome(cells)["cost"])
        assert costs == [34, 3, 12]

    def test_a_cell_alone_in_its_row_needs_margins(self, tmp_path, capsys):
        values = [[5, 0, 0], [4, 7, 2], [6, 3, 9]]
        source = write_cells(tmp_path / "cells.csv", values, np.arange(9).reshape(3, 3) == 0)
        assert suppress(source, "--problem", "interval") == 1
        said = capsys.readouterr().err
        assert "a0 / r0" in said
        assert "no other cell of activity a0 may be suppressed" in said
        assert not (tmp_path / "published.csv").exists()
        assert suppress(source, "--problem", "interval", "--margins") == 0
        hidden = {
            (row["activity"], row["region"]) for row in published(source) if row["status"] == "withheld"
        }
        assert ("a0", "Total") in hidden

    def test_zeros_are_withheld_for_1_in_exact_protection_only_unless_said(self, tmp_path):
        values = [[5, 0, 9], [0, 7, 9], [9, 9, 9]]
        source = write_cells(tmp_path / "cells.csv", values, np.arange(9).reshape(3, 3) == 0)
        cost = {}
        for problem in PROBLEMS:
            for zeros in (None, "publish", "withhold"):
                more = [] if zeros is None else ["--zeros", zeros]
                if suppress(source, "--problem", problem, *more, "--insist") == 0:
                    cost[problem, zeros] = outcome(source)["cost"]
        assert cost["exact", None] == cost["exact", "withhold"] == 9
        assert cost["exact", "publish"] == cost["general", None] == cost["general", "publish"] == 27
        assert cost["interval", None] == cost["interval", "publish"]

    def test_a_general_pattern_that_signs_give_away_is_refused_unless_insisted(self, tmp_path, capsys):
        # of the withheld zeros, none can fall: as in the source's counter-example
        values = [[2, 300, 0], [100, 400, 100], [1, 500, 0]]
        source = write_cells(tmp_path / "cells.csv", values, np.arange(9).reshape(3, 3) == 0)
        general = ["--problem", "general", "--zeros", "withhold"]
        assert suppress(source, *general) == 1
        assert "Use exact protection" in capsys.readouterr().err
        assert not (tmp_path / "published.csv").exists()
        assert suppress(source, *general, "--insist") == 0
        assert outcome(source)["parameters"]["insist"] is True
        assert [each["name"] for each in outcome(source)["warnings"]] == ["sign-guessed"]

    @pytest.mark.parametrize("problem", PROBLEMS)
    def test_random_tables_come_out_safe_by_the_audit_of_the_file(self, tmp_path, problem):
        for seed in range(4):
            generator = np.random.default_rng(seed)
            values = generator.integers(0, 90, size=(6, 5))
            if problem == "general":
                values = values * generator.choice([-1, 1], size=values.shape)
            primary = np.zeros(30, dtype=bool)
            primary[generator.choice(np.flatnonzero(values.ravel()), 3, replace=False)] = True
            source = write_cells(tmp_path / "cells.csv", values, primary.reshape(6, 5))
            assert suppress(source, "--problem", problem, "--margins") == 0
            words = ["audit", str(source), str(tmp_path / "published.csv"), *NAMED, "--problem", problem]
            assert run_command([*words, "--quiet"]) == 0
            found = outcome(source)
            assert found["proven"]
            assert found["safe"]

    @pytest.mark.parametrize("ending", [".csv", ".xlsx", ".html"])
    def test_the_public_file_says_neither_what_is_sensitive_nor_what_it_cost(self, cells, ending):
        out = f"published{ending}"
        assert suppress(cells, "--problem", "exact", out=out) == 0
        content = (cells.parent / out).read_bytes()
        for word in (b"primary", b"secondary", b"sensitive", b"cost", b"34"):
            assert word not in content, word

    @pytest.mark.parametrize("ending", [".csv", ".xlsx", ".html"])
    def test_same_input_same_bytes(self, cells, ending):
        contents = []
        for name in ("one", "two"):
            assert suppress(cells, "--problem", "interval", out=name + ending) == 0
            contents.append((cells.parent / (name + ending)).read_bytes())
        assert contents[0] == contents[1]

    def test_options_of_the_method_are_options_of_the_command(self, cells, capsys):
        assert run_command(["suppress", "--method", "genetic", "--help"]) == 0
        assert "--generations" in capsys.readouterr().out
        assert suppress(cells, "--problem", "exact", "--method", "genetic", "--generations", 20) == 0
        found = outcome(cells)
        assert found["method"] == "genetic"
        assert found["parameters"]["generations"] == 20
        assert found["parameters"]["seconds"] == 60

    def test_time_ends_in_a_pattern_with_its_bound(self, tmp_path):
        generator = np.random.default_rng(1)
        values = generator.integers(1, 500, size=(40, 40))
        primary = np.zeros(1600, dtype=bool)
        primary[generator.choice(1600, 12, replace=False)] = True
        source = write_cells(tmp_path / "cells.csv", values, primary.reshape(40, 40))
        assert suppress(source, "--problem", "interval", "--time", 0.01, "--report", tmp_path / "r.html") == 0
        found = outcome(source)
        assert not found["proven"]
        assert found["status"] == "time limit"
        assert 0 <= found["lower_bound"] < found["cost"]
        assert 0 < found["gap"] <= 1
        assert "data:image/png;base64," in (tmp_path / "r.html").read_text()

    def test_a_dry_run_writes_nothing_and_shows_plan_and_script(self, cells, capsys):
        assert suppress(cells, "--problem", "exact", "--dry-run") == 0
        told = capsys.readouterr().out
        assert "Nothing was written" in told
        assert 'problem = "exact"' in told
        assert "tacita.read_table(" in told
        assert [path.name for path in cells.parent.iterdir()] == ["cells.csv"]

    def test_missing_combinations_are_zeros_only_where_said(self, cells, capsys):
        lines = cells.read_text().splitlines()
        cells.write_text("\n".join(lines[:1] + lines[2:]) + "\n")
        assert suppress(cells, "--problem", "exact") == 1
        assert "1 of 9 combinations of labels are missing" in capsys.readouterr().err
        assert suppress(cells, "--problem", "exact", "--fill-zeros") == 0
        assert published(cells)[-1]["value"] == "207"

    def test_labels_stay_as_they_are_written(self, tmp_path):
        path = tmp_path / "cells.csv"
        path.write_text(
            'activity;region;turnover;sensitive\n"a;b";01;5,5;1\n"a;b";NA;4;0\n=x;01;3;0\n=x;NA;2;0\n'
        )
        more = ["--problem", "exact", "--delimiter", ";", "--decimal", ","]
        assert suppress(path, *more) == 0
        assert [(row["activity"], row["region"]) for row in published(path)][:5] == [
            ("a;b", "01"),
            ("a;b", "NA"),
            ("a;b", "Total"),
            ("=x", "01"),
            ("=x", "NA"),
        ]
        assert suppress(path, *more, out="published.xlsx") == 0
        assert suppress(path, *more, out="published.html") == 0

    def test_a_plan_does_the_same(self, cells):
        assert suppress(cells, "--problem", "exact") == 0
        plan = cells.parent / "plan.toml"
        plan.write_text(
            "\n".join(
                [
                    "version = 1",
                    '[input]\npath = "cells.csv"',
                    '[table]\nrows = "activity"\ncolumns = "region"',
                    'value = "turnover"\nprimary = "sensitive"',
                    '[suppress]\nproblem = "exact"',
                    '[output]\npath = "again.csv"\njson = "again.json"',
                ]
            )
        )
        assert run_command(["run", str(plan), "--quiet"]) == 0
        assert (cells.parent / "again.csv").read_bytes() == (cells.parent / "published.csv").read_bytes()
        first, second = outcome(cells), outcome(cells, "again.json")
        assert {**first, "seconds": 0} == {**second, "seconds": 0}


def test_a_table_is_read_from_a_list_of_cells(cells):
    named = {"rows": "activity", "columns": "region", "value": "turnover", "primary": "sensitive"}
    table = tacita.read_table(cells, **named)
    assert tacita.suppress(table, problem="exact").cost == 34
    with pytest.raises(tacita.ParameterError, match="colour"):
        tacita.read_table(cells, **named, colour="red")
    with pytest.raises(tacita.ParameterError, match="Missing: --primary"):
        tacita.read_table(str(cells), rows="activity", columns="region", value="turnover")


def test_the_python_verbs_do_the_same_as_the_commands(cells):
    assert suppress(cells, "--problem", "exact") == 0
    values = np.array(list(REGIONS.values()), dtype=float)
    table = tacita.Table.from_array(values, primary=values == 15)
    pattern = tacita.suppress(table, problem="exact", method="optimal")
    assert pattern.cost == outcome(cells)["cost"]
    assert tacita.audit(table, pattern).safe
