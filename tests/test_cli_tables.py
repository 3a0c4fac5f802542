"""The commands of tables, from files to files."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest

import tacita
from tacita.cli import run_command
from tacita.tables.suppression.optimal import Optimal

PROBLEMS = ("general", "exact", "interval")
NAMED = ["--rows", "activity", "--columns", "region", "--value", "turnover", "--primary", "sensitive"]
REGIONS = {"I": (11, 47, 58), "II": (1, 15, 33), "III": (2, 31, 20)}


def write_cells(path, values, primary, extra=None):
    """A list of inner cells, activities down and regions across."""
    head = ["activity", "region", "turnover", "sensitive", *(extra or {})]
    lines = [",".join(head)]
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            own = [str(each[i][j]) for each in (extra or {}).values()]
            lines.append(",".join([f"a{i}", f"r{j}", f"{value:g}", str(int(primary[i][j])), *own]))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def cells(tmp_path):
    """The table of regions of the source; II / B is sensitive."""
    path = tmp_path / "cells.csv"
    lines = ["activity,region,turnover,sensitive,weight"]
    for activity, values in REGIONS.items():
        for region, value in zip("ABC", values, strict=True):
            secret = int((activity, region) == ("II", "B"))
            lines.append(f"{activity},{region},{value},{secret},{1 if activity == 'I' else 10}")
    path.write_text("\n".join(lines) + "\n")
    return path


def suppress(source, *more, out="published.csv", result="result.json"):
    words = ["suppress", str(source), *NAMED, "--out", str(source.parent / out)]
    return run_command([*words, "--json", str(source.parent / result), *map(str, more)])


def outcome(source, name="result.json"):
    return json.loads((source.parent / name).read_text())


def published(source, name="published.csv"):
    with (source.parent / name).open() as file:
        return list(csv.DictReader(file))


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

    def test_levels_are_a_share_or_a_column(self, tmp_path):
        values = [[100, 20, 35, 3], [15, 10, 40, 10], [10, 15, 30, 5]]
        primary = np.arange(12).reshape(3, 4) == 0
        absolute = {"down": np.full((3, 4), 15.0), "up": np.full((3, 4), 15.0)}
        source = write_cells(tmp_path / "cells.csv", values, primary, absolute)
        ends = []
        for levels in (("0.15", "0.15"), ("down", "up"), ("0.15", "up")):
            assert suppress(source, "--problem", "interval", "--lower", levels[0], "--upper", levels[1]) == 0
            ends.append(outcome(source))
        assert len({found["cost"] for found in ends}) == 1
        [cell] = ends[0]["audit"]
        assert cell["low"] <= 85
        assert cell["high"] >= 115
        assert (cell["wanted_low"], cell["wanted_high"]) == (85, 115)

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
        assert "no other cell of activity a0 may be withheld" in said
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

    def test_a_dry_run_writes_nothing(self, cells, capsys):
        assert suppress(cells, "--problem", "exact", "--dry-run") == 0
        assert "Nothing was written" in capsys.readouterr().out
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
        assert run_command(["run", str(plan), "--script"]) == 2


class TestBadInputs:
    @pytest.mark.parametrize(
        ("change", "code", "said"),
        [
            (("activity,region", "activity,country"), 2, "there is no column region"),
            (("II,B,15,1", "II,B,fifteen,1"), 1, "wanted numbers"),
            (("II,B,15,1", "II,B,,1"), 1, "column turnover has no number in 1 cells"),
            (("II,B,15,1", "II,B,-15,1"), 1, "1 negative values"),
            (("II,B,15,1", "II,B,15,2"), 1, "column sensitive must be 0 or 1"),
            (("II,B,15,1", "II,B,15,"), 1, "column sensitive has no number"),
            (("II,B,15,1", "II,A,15,1"), 1, "stand there more than once"),
            (("II,B,15,1", "Total,B,15,1"), 1, "the label Total"),
            (("II,B,15,1", ",B,15,1"), 1, "no label in 1 cells"),
            (("II,B,15,1,10", "II,B,15,1,-10"), 1, "column weight must be at least 0"),
            (("II,B,15,1,10", "II,B,15"), 1, "do not have 5 cells"),
            (("II,B,15,1", "II,B,inf,1"), 1, "infinite"),
        ],
    )
    @pytest.mark.parametrize("problem", ["exact", "interval"])
    def test_is_refused_in_words_without_values_and_nothing_is_written(
        self, cells, capsys, change, code, said, problem
    ):
        cells.write_text(cells.read_text().replace(*change))
        assert suppress(cells, "--problem", problem, "--objective", "weight") == code
        words = capsys.readouterr().err
        assert said in words
        assert "15" not in words
        assert "fifteen" not in words
        assert [path.name for path in cells.parent.iterdir()] == ["cells.csv"]

    @pytest.mark.parametrize(
        ("more", "said"),
        [
            (["--problem", "total"], "general"),
            (["--problem", "exact", "--lower", "depth"], "no column depth"),
            (["--problem", "interval", "--lower", "-0.5"], "lower must be a share of at least 0"),
            (["--problem", "interval", "--upper", "nan"], "upper must be a share of at least 0"),
            (["--problem", "exact", "--objective", "price"], "no column price"),
            (["--problem", "exact", "--method", "mdav"], "Known: optimal"),
            (["--problem", "exact", "--method", "gauss"], "made for general"),
            (["--problem", "exact", "--time", "0"], "time must be more than 0"),
            (["--problem", "exact", "--zeros", "hide"], "publish"),
            (["--problem", "exact", "--rows", "region"], "four different columns"),
            (["--problem", "exact", "--generations", "5"], "--generations"),
        ],
    )
    def test_wrong_words_are_wrong_usage(self, cells, capsys, more, said):
        named = [word for word in NAMED if "--rows" not in more or word not in ("--rows", "activity")]
        words = ["suppress", str(cells), *named, *more, "--out", str(cells.parent / "o.csv")]
        assert run_command(words) == 2
        assert said in capsys.readouterr().err
        assert not (cells.parent / "o.csv").exists()

    def test_a_solver_is_for_methods_that_have_one(self, cells, capsys):
        assert suppress(cells, "--problem", "exact", "--solver", "scip") == 0
        assert suppress(cells, "--problem", "exact", "--solver", "highs") == 0
        assert suppress(cells, "--problem", "exact", "--method", "network", "--solver", "scip") == 2
        assert "no solver scip" in capsys.readouterr().err

    def test_the_input_is_never_overwritten_nor_two_outputs_one_file(self, cells, capsys):
        before = cells.read_bytes()
        assert suppress(cells, "--problem", "exact", out="cells.csv") == 2
        assert suppress(cells, "--problem", "exact", result="cells.csv") == 2
        assert suppress(cells, "--problem", "exact", out="same.csv", result="same.csv") == 2
        assert suppress(cells, "--problem", "exact", out="table.ods") == 2
        assert ".csv, .xlsx, .html" in capsys.readouterr().err
        assert cells.read_bytes() == before
        assert [path.name for path in cells.parent.iterdir()] == ["cells.csv"]


class TestNothingIsWritten:
    @pytest.mark.parametrize("problem", PROBLEMS)
    def test_where_the_solver_was_tampered_with(self, cells, monkeypatch, capsys, problem):
        honest = Optimal.suppress

        def tampered(self, grid, run=None):
            found = honest(self, grid, run)
            mask = found.withheld.copy()
            mask.reshape(-1)[np.flatnonzero(mask & ~found.primary)[0]] = False
            cost = float(grid.cost[mask & ~found.primary].sum())
            return replace(found, withheld=mask, cost=cost, lower_bound=cost)

        monkeypatch.setattr(Optimal, "suppress", tampered)
        assert suppress(cells, "--problem", problem) == 1
        assert "not protected" in capsys.readouterr().err
        assert [path.name for path in cells.parent.iterdir()] == ["cells.csv"]

    def test_where_the_cost_or_the_bound_was_forged(self, cells, monkeypatch, capsys):
        honest = Optimal.suppress
        for forged in ({"cost": 3.0, "lower_bound": 3.0}, {"lower_bound": 35.0}, {"lower_bound": 1.0}):
            monkeypatch.setattr(
                Optimal,
                "suppress",
                lambda self, grid, run=None, forged=forged: replace(honest(self, grid, run), **forged),
            )
            assert suppress(cells, "--problem", "exact") == 1
            assert "34" not in capsys.readouterr().err
        assert [path.name for path in cells.parent.iterdir()] == ["cells.csv"]

    @pytest.mark.parametrize(
        ("encoder", "ending"), [("to_csv", ".csv"), ("to_html", ".html"), ("to_excel", ".xlsx")]
    )
    def test_where_the_file_shows_another_pattern_than_the_audited_one(
        self, cells, monkeypatch, capsys, encoder, ending
    ):
        from tacita.io import published as writers

        honest = getattr(writers, encoder)

        def shows_more(table, pattern):
            mask = pattern.withheld.copy()
            mask[np.flatnonzero(pattern.secondary)[0]] = False
            return honest(table, mask)

        monkeypatch.setattr(writers, encoder, shows_more)
        assert suppress(cells, "--problem", "exact", out=f"o{ending}") == 1
        assert "does not withhold the cells that it should" in capsys.readouterr().err
        assert [path.name for path in cells.parent.iterdir()] == ["cells.csv"]

    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            (b"II,B,,withheld", b"II,B,15,withheld", "but their value stands there"),
            (b"I,A,11,", b"I,A,12,", "1 values are not those of the table"),
            (b"I,A,11,", b"I,A,,", "1 values are not those of the table"),
            (b"I,A,11,published", b"I,A,11,open", "published or withheld"),
            (b"I,A,11,published\n", b"", "wanted each of 16 cells once"),
            (b"I,A,11", b"I,B,11", "wanted each of 16 cells once"),
            (b"I,A,11", b"X,A,11", "not those of the table"),
            (b"status", b"state", "there is no status"),
        ],
    )
    def test_where_the_bytes_are_not_what_was_meant(self, cells, monkeypatch, capsys, old, new, said):
        from tacita.io import published as writers

        honest = writers.to_csv
        monkeypatch.setattr(writers, "to_csv", lambda *words: honest(*words).replace(old, new, 1))
        assert suppress(cells, "--problem", "exact") == 1
        assert said in capsys.readouterr().err
        assert [path.name for path in cells.parent.iterdir()] == ["cells.csv"]


class TestAudit:
    def audit(self, cells, name="published.csv", *more):
        words = ["audit", str(cells), str(cells.parent / name), *NAMED, *more]
        return run_command([*words, "--json", str(cells.parent / "audit.json")])

    @pytest.mark.parametrize("ending", [".csv", ".xlsx", ".html"])
    def test_accepts_what_suppress_made(self, cells, ending):
        assert suppress(cells, "--problem", "exact", out=f"published{ending}") == 0
        assert self.audit(cells, f"published{ending}", "--problem", "exact") == 0
        found = outcome(cells, "audit.json")
        assert found["safe"]
        assert [(each["low"], each["high"]) for each in found["audit"]] == [(13, 16)]

    def test_fails_on_a_pattern_that_gives_a_cell_away_and_still_says_how(self, cells, capsys):
        assert suppress(cells, "--problem", "exact") == 0
        capsys.readouterr()
        path = cells.parent / "published.csv"
        path.write_text(path.read_text().replace("III,A,,withheld", "III,A,2,published"))
        assert self.audit(cells, "published.csv", "--problem", "exact") == 1
        assert "1 of 1 sensitive cells are not protected (first: II / B" in capsys.readouterr().err
        [cell] = outcome(cells, "audit.json")["audit"]
        assert (cell["low"], cell["high"], cell["protected"]) == (15, 15, False)

    def test_fails_where_intervals_were_wanted_and_only_exact_protection_is_there(self, cells):
        assert suppress(cells, "--problem", "exact") == 0
        assert self.audit(cells, "published.csv", "--problem", "interval", "--lower", "0.1") == 1
        [cell] = outcome(cells, "audit.json")["audit"]
        assert cell["reason"] == "too close from above"
        assert cell["shortfall"] == pytest.approx(1.25)
        assert self.audit(cells, "published.csv", "--problem", "interval", "--upper", "0.05") == 1
        mild = ["--problem", "interval", "--lower", "0.1", "--upper", "0.05"]
        assert self.audit(cells, "published.csv", *mild) == 0

    def test_fails_where_a_sensitive_cell_is_published(self, cells):
        assert suppress(cells, "--problem", "exact") == 0
        path = cells.parent / "published.csv"
        path.write_text(path.read_text().replace("II,B,,withheld", "II,B,15,published"))
        assert self.audit(cells, "published.csv", "--problem", "exact") == 1
        assert outcome(cells, "audit.json")["audit"][0]["reason"] == "published"

    def test_fails_where_published_values_are_others(self, cells, capsys):
        assert suppress(cells, "--problem", "exact") == 0
        path = cells.parent / "published.csv"
        path.write_text(path.read_text().replace("I,A,11,", "I,A,13,"))
        assert self.audit(cells, "published.csv", "--problem", "exact") == 1
        assert "1 published values are not those of the table" in capsys.readouterr().err

    def test_names_what_is_wrong_with_a_file(self, cells, capsys):
        for name, content, said in (
            ("broken.csv", b"\xff\xfe\x00", "broken.csv"),
            ("broken.xlsx", b"PK no workbook", "no workbook"),
            ("broken.html", b"<p>nothing</p>", "wanted the labels"),
            ("other.csv", b"activity,region,value\nI,A,3\n", "there is no status"),
        ):
            (cells.parent / name).write_bytes(content)
            assert self.audit(cells, name, "--problem", "exact") == 1
            assert said in capsys.readouterr().err
        assert self.audit(cells, "absent.csv", "--problem", "exact") == 2
        assert self.audit(cells, "cells.ods", "--problem", "exact") == 2


class TestTabulate:
    @pytest.fixture
    def firms(self, tmp_path):
        """Records of firms: in every cell one firm has most, and there are enough others."""
        generator = np.random.default_rng(5)
        lines = ["region,sector,turnover,group"]
        for region in ("n", "s", "e", "w"):
            for sector in ("food", "steel", "books"):
                large = 400 if (region, sector) in (("n", "steel"), ("e", "food")) else 60
                for firm, size in enumerate([large, 40, 35, *generator.integers(5, 20, 3)]):
                    lines.append(f"{region},{sector},{size},{region}{sector}{firm}")
        path = tmp_path / "firms.csv"
        path.write_text("\n".join(lines) + "\n")
        return path

    def tabulate(self, firms, *more, out="cells.csv"):
        words = ["tabulate", str(firms), "--rows", "region", "--columns", "sector", "--out"]
        return run_command([*words, str(firms.parent / out), *map(str, more)])

    def test_makes_what_suppress_takes(self, firms):
        rule = ["--rule", "p-percent", "--p", "50", "--unit", "group"]
        assert self.tabulate(firms, "--value", "turnover", *rule) == 0
        with (firms.parent / "cells.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert list(rows[0]) == ["region", "sector", "turnover", "primary", "lower", "upper", "contributors"]
        assert [(row["region"], row["sector"]) for row in rows if row["primary"] == "1"] == [
            ("e", "food"),
            ("n", "steel"),
        ]
        words = ["suppress", str(firms.parent / "cells.csv"), "--rows", "region", "--columns", "sector"]
        words += ["--value", "turnover", "--primary", "primary", "--lower", "lower", "--upper", "upper"]
        words += ["--problem", "interval", "--out", str(firms.parent / "published.csv")]
        assert run_command([*words, "--json", str(firms.parent / "result.json")]) == 0
        found = outcome(firms)
        assert found["proven"]
        assert all(each["high"] >= each["wanted_high"] for each in found["audit"])

    def test_counts_records_without_a_value_and_combines_rules(self, firms, capsys):
        rules = ["--rule", "minimum-frequency,zero-cells", "--threshold", "4"]
        assert self.tabulate(firms, *rules) == 0
        assert "12 cells, 0 sensitive; 8 sums, 0 sensitive" in capsys.readouterr().out
        assert (firms.parent / "cells.csv").read_text().startswith("region,sector,count,primary")

    def test_refuses_to_list_inner_cells_where_sums_are_sensitive(self, firms, capsys):
        rule = ["--value", "turnover", "--rule", "dominance", "--n", "4", "--k", "20"]
        assert self.tabulate(firms, *rule) == 1
        assert "sums are sensitive themselves" in capsys.readouterr().err
        assert not (firms.parent / "cells.csv").exists()
        assert self.tabulate(firms, *rule, "--insist") == 0
        assert self.tabulate(firms, *rule, out="cells.jj") == 0
        assert self.tabulate(firms, *rule, out="cells.tab") == 0
        assert (firms.parent / "cells.rda").exists()

    def test_takes_hierarchies_of_files(self, firms):
        (firms.parent / "sector.hrc").write_text("goods\n@food\n@steel\nbooks\n")
        hierarchy = f"sector={firms.parent / 'sector.hrc'}"
        assert self.tabulate(firms, "--value", "turnover", "--hierarchy", hierarchy) == 0
        assert len((firms.parent / "cells.csv").read_text().splitlines()) == 13
        before = (firms.parent / "sector.hrc").read_bytes()
        assert self.tabulate(firms, "--value", "turnover", "--hierarchy", hierarchy, out="cells.tab") == 2
        assert (firms.parent / "sector.hrc").read_bytes() == before
        (firms.parent / "argus").mkdir()
        more = ["--value", "turnover", "--hierarchy", hierarchy]
        assert self.tabulate(firms, *more, out="argus/cells.tab") == 0
        assert sorted(path.name for path in (firms.parent / "argus").iterdir()) == [
            "cells.rda",
            "cells.tab",
            "sector.hrc",
        ]

    @pytest.mark.parametrize(
        ("more", "code", "said"),
        [
            (["--value", "wages"], 2, "there is no column wages"),
            (["--value", "sector"], 1, "wanted numbers"),
            (["--rule", "nosuch"], 2, "Known: minimum-frequency"),
            (["--rule", "p-percent", "--threshold", "3"], 2, "threshold"),
            (["--hierarchy", "turnover=x.hrc"], 2, "COLUMN=FILE.hrc"),
            (["--hierarchy", "sector=absent.hrc"], 2, "cannot be read"),
        ],
    )
    def test_wrong_words_are_refused(self, firms, capsys, more, code, said):
        assert self.tabulate(firms, *more) == code
        assert said in capsys.readouterr().err
        assert [path.name for path in firms.parent.iterdir()] == ["firms.csv"]


def test_the_python_verbs_do_the_same_as_the_commands(cells):
    assert suppress(cells, "--problem", "exact") == 0
    values = np.array(list(REGIONS.values()), dtype=float)
    table = tacita.Table.from_array(values, primary=values == 15)
    pattern = tacita.suppress(table, problem="exact", method="optimal")
    assert pattern.cost == outcome(cells)["cost"]
    assert tacita.audit(table, pattern).safe
