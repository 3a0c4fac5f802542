"""Tables from records as one plan: the bytes of tabulate and suppress, without a list between them."""

import csv

import numpy as np
import pytest

import tacita
from tacita import ParameterError
from tacita.api import load_plan, run_table, tabulate_file
from tacita.cli import run_command
from tacita.tables.plans.plan import TablePlan, TabulatePlan


@pytest.fixture
def firms(tmp_path):
    """Records of firms in three dimensions; one cell is dominated, one firm asks, one has waived."""
    generator = np.random.default_rng(8)
    lines = ["region,sector,size,turnover,group,asks,waives,weight"]
    for region in ("north", "south", "east", "west"):
        for sector in ("food", "steel", "books"):
            large = 900 if (region, sector) == ("north", "steel") else 60
            others = 2 if (region, sector) == ("south", "books") else 4
            for at, turnover in enumerate([large, 40, 35, *generator.integers(5, 20, others)]):
                size = "small" if turnover < 30 else "large"
                asks, waives = int(at == 1 and region == "east"), int(at == 0 and region == "west")
                group = f"{region}{sector}{at}"
                lines.append(f"{region},{sector},{size},{turnover},{group},{asks},{waives},{1 + at % 2}")
    path = tmp_path / "firms.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


PLAN = """version = 1
[input]
path = "firms.csv"
[table]
dimensions = ["region", "sector"]
value = "turnover"
unit = "group"
[[rules]]
name = "p-percent"
p = 30
[[rules]]
name = "minimum-frequency"
threshold = 3
margin = 10
[suppress]
problem = "interval"
margins = true
[output]
path = "published.csv"
json = "result.json"
"""


def written(firms, text=PLAN, name="table.toml"):
    (firms.parent / name).write_text(text)
    return firms.parent / name


def tabulate(firms, *more, out="cells.csv"):
    return run_command(["tabulate", str(firms), "--out", str(firms.parent / out), *map(str, more)])


WAYS = [
    (
        "value = 'turnover'\nunit = 'group'",
        ["--value", "turnover", "--unit", "group"],
        [{"name": "p-percent", "p": 30}, {"name": "minimum-frequency", "threshold": 3, "margin": 10}],
        "p-percent:p=30,minimum-frequency:threshold=3:margin=10",
        "interval",
    ),
    (
        "value = 'turnover'\nrequest = 'asks'\nwaiver = 'waives'",
        ["--value", "turnover", "--request", "asks", "--waiver", "waives"],
        [{"name": "request"}, {"name": "dominance", "k": 70}],
        "request,dominance:k=70",
        "interval",
    ),
    ("weight = 'weight'", ["--weight", "weight"], [{"name": "minimum-frequency", "threshold": 6}],
     "minimum-frequency:threshold=6", "exact"),
    ("", [], [{"name": "minimum-frequency", "threshold": 6}], "minimum-frequency:threshold=6", "general"),
]  # fmt: skip


class TestFromRecords:
    @pytest.mark.parametrize("objective", ["value", "count"])
    @pytest.mark.parametrize("way", WAYS, ids=lambda way: way[3])
    def test_the_bytes_are_those_of_tabulate_and_suppress_and_of_the_script(
        self, firms, tmp_path, way, objective
    ):
        section, words, rules, spoken, problem = way
        assert tabulate(firms, "--rows", "region", "--columns", "sector", *words, "--rule", spoken) == 0
        around = ["--problem", problem, "--objective", objective, "--margins", "--insist"]
        out = ["--out", str(tmp_path / "step.csv"), "--json", str(tmp_path / "step.json")]
        assert run_command(["suppress", str(tmp_path / "cells.csv"), *around, *out]) == 0
        plan = TabulatePlan.from_toml(
            "version = 1\n[input]\npath = 'firms.csv'\n[table]\ndimensions = ['region', 'sector']\n"
            f"{section}\n[suppress]\nproblem = '{problem}'\nobjective = '{objective}'\nmargins = true\n"
            "insist = true\n[output]\npath = 'whole.csv'\n"
            + "".join(
                "[[rules]]\n" + "".join(f"{key} = {value!r}\n" for key, value in rule.items())
                for rule in rules
            ),
            tmp_path,
        )
        release = run_table(plan)
        step = (tmp_path / "step.csv").read_bytes()
        assert (tmp_path / "whole.csv").read_bytes() == step == release.data
        assert release.claim.pattern.secondary_count > 0
        (tmp_path / "whole.csv").unlink()
        exec(plan.to_python(), {})
        assert (tmp_path / "whole.csv").read_bytes() == step

    def test_the_record_tells_the_same_but_for_where_it_came_from(self, firms, tmp_path):
        told = run_table(load_plan(written(firms))).record.as_dict()
        words = ["--rule", "p-percent:p=30,minimum-frequency:threshold=3:margin=10"]
        words += ["--dimensions", "region,sector", "--value", "turnover", "--unit", "group"]
        assert tabulate(firms, *words) == 0
        cells = TablePlan(
            input={"path": tmp_path / "cells.csv"},
            suppress={"problem": "interval", "margins": True},
            output={"path": tmp_path / "step.csv"},
        )
        other = run_table(cells).record.as_dict()
        assert (told["source"], other["source"]) == ("firms.csv", "cells.csv")
        for name in ("source", "fingerprint", "seconds"):
            del told[name], other[name]
        assert told == other

    def test_it_runs_from_the_command_line_and_is_written_and_read_as_the_same_plan(self, firms, capsys):
        place = written(firms)
        assert run_command(["run", str(place), "--dry-run"]) == 0
        said = capsys.readouterr().out
        assert "tacita.tabulate(" in said
        assert "tacita.get_method('minimum-frequency', threshold=3, margin=10)" in said
        assert not (firms.parent / "published.csv").exists()
        assert run_command(["run", str(place)]) == 0
        assert (firms.parent / "published.csv").exists()
        plan = load_plan(place)
        assert TabulatePlan.from_toml(plan.to_toml(firms.parent), firms.parent) == plan

    def test_units_that_differ_in_spelling_alone_are_told_of(self, firms):
        text = firms.read_text().replace("northfood1", "northfood2 ", 1)
        firms.write_text(text)
        record = run_table(load_plan(written(firms))).record
        assert "units-respelled" in [each.name for each in record.warnings]

    def test_negative_values_are_refused_unless_nothing_is_known(self, firms, capsys):
        firms.write_text(firms.read_text().replace(",900,", ",-900,"))
        place = written(firms)
        assert run_command(["run", str(place)]) == 1
        assert "firms.csv: turnover has 3 negative values" in capsys.readouterr().err
        assert not (firms.parent / "published.csv").exists()

    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            ('name = "p-percent"', 'name = "q-percent"', "q-percent"),
            ("p = 30", "q = 30", "no parameter q"),
            ('unit = "group"', 'primary = "group"', "no parameter primary"),
            ('dimensions = ["region", "sector"]', "", "wanted the columns that span the table"),
            ('dimensions = ["region", "sector"]', 'rows = "region"', "Missing: --columns"),
            ('value = "turnover"', 'rows = "size"', "named twice"),
            ('value = "turnover"', 'hierarchy = {size = "size.hrc"}', "size is none"),
            ('path = "published.csv"', 'path = "published.jj"', "true values"),
            ('path = "published.csv"', 'path = "firms.csv"', "firms.csv"),
            ('[suppress]\nproblem = "interval"\nmargins = true\n', "", "there is no [suppress]"),
        ],
    )
    def test_a_plan_that_cannot_be_meant_is_refused_and_nothing_is_written(
        self, firms, capsys, old, new, said
    ):
        assert old in PLAN
        before = firms.read_bytes()
        place = written(firms, PLAN.replace(old, new))
        assert run_command(["run", str(place)]) == 2
        assert said in capsys.readouterr().err
        assert {path.name for path in firms.parent.iterdir()} == {"firms.csv", "table.toml"}
        assert firms.read_bytes() == before


class TestHierarchies:
    FLAT = "food\nsteel\nbooks\n"
    DEEP = "goods\n@food\n@steel\nbooks\n"

    def plan(self, firms, hierarchy):
        (firms.parent / "sector.hrc").write_text(hierarchy)
        return written(
            firms, PLAN.replace("[[rules]]", '[table.hierarchy]\nsector = "sector.hrc"\n[[rules]]', 1)
        )

    def test_of_one_level_are_as_good_as_none_but_for_the_order_of_labels(self, firms):
        run_table(load_plan(self.plan(firms, self.FLAT)))
        with (firms.parent / "published.csv").open() as file:
            sectors = [row["sector"] for row in csv.DictReader(file)]
        assert sectors[:4] == ["Total", "food", "steel", "books"]

    def test_with_subtotals_are_published_with_their_levels(self, firms):
        assert run_command(["run", str(self.plan(firms, self.DEEP))]) == 0
        with (firms.parent / "published.csv").open() as file:
            levels = {row["sector"]: row["sector_level"] for row in csv.DictReader(file)}
        assert levels == {"Total": "0", "goods": "1", "food": "2", "steel": "2", "books": "1"}

    def test_are_found_beside_the_plan_and_never_written_over(
        self, firms, capsys, monkeypatch, tmp_path_factory
    ):
        place = self.plan(firms, self.FLAT)
        monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
        assert run_command(["run", str(place)]) == 0
        assert load_plan(place).to_toml(firms.parent).count('"sector.hrc"') == 1
        text = place.read_text().replace('"result.json"', '"sector.hrc"')
        place.write_text(text)
        assert run_command(["run", str(place), "--force"]) == 2
        assert (firms.parent / "sector.hrc").read_text() == self.FLAT


class TestTabulateIsAPlan:
    @pytest.mark.parametrize(
        "words",
        [
            [
                "--rows",
                "region",
                "--columns",
                "sector",
                "--value",
                "turnover",
                "--rule",
                "p-percent",
                "--p",
                "30",
            ],
            ["--dimensions", "region,sector", "--rule", "minimum-frequency:threshold=4,zero-cells"],
            ["--dimensions", "region,sector,size", "--value", "turnover", "--unit", "group"],
        ],
        ids=["rows and columns", "rules of their own", "three dimensions"],
    )
    def test_the_plan_that_is_saved_makes_the_same_list_and_so_does_its_script(self, firms, words):
        place = firms.parent / "saved.toml"
        assert tabulate(firms, *words, "--save-plan", place) == 0
        cells = firms.parent / "cells.csv"
        wanted = cells.read_bytes()
        plan = load_plan(place)
        assert isinstance(plan, TabulatePlan)
        cells.unlink()
        assert run_command(["run", str(place)]) == 0
        assert cells.read_bytes() == wanted
        cells.unlink()
        exec(plan.to_python(), {})
        assert cells.read_bytes() == wanted

    def test_a_dry_run_writes_nothing_and_shows_the_plan(self, firms, capsys):
        assert tabulate(firms, "--dimensions", "region,sector", "--dry-run") == 0
        said = capsys.readouterr().out
        assert "12 cells, 0 sensitive" in said
        assert "tacita.save_cells(tacita.tabulate(" in said
        assert not (firms.parent / "cells.csv").exists()

    def test_pages_about_withheld_cells_need_some(self, firms):
        with pytest.raises(ParameterError, match=r"there is no \[suppress\]"):
            TabulatePlan(
                input={"path": firms},
                table={"dimensions": ["region"]},
                output={"path": "cells.csv", "json": "result.json"},
            )
        plan = TabulatePlan(
            input={"path": firms},
            table={"dimensions": ["region", "sector"]},
            output={"path": firms.parent / "cells.csv"},
        )
        with pytest.raises(ParameterError, match="only makes a list"):
            run_table(plan)
        assert tabulate_file(plan, dry_run=True).n == 20


class TestThreeDimensions:
    def test_a_list_of_three_says_itself_what_it_is_and_is_read_as_the_same_table(self, firms):
        words = ["--dimensions", "region,sector,size", "--value", "turnover", "--unit", "group"]
        assert tabulate(firms, *words, "--rule", "p-percent", "--p", "30") == 0
        again = tacita.read_table(firms.parent / "cells.csv")
        rule = tacita.get_method("p-percent", p=30)
        table = tacita.tabulate(firms, ["region", "sector", "size"], "turnover", unit="group", rules=rule)
        assert [each.labels for each in again.dimensions] == [each.labels for each in table.dimensions]
        for name in ("values", "primary", "upper"):
            assert np.array_equal(getattr(again, name), getattr(table, name)), name
        assert np.array_equal(again.contributors.count, table.contributors.count)
        assert again.rules == table.rules

    def test_it_can_be_published_and_audited(self, firms):
        words = ["--dimensions", "region,sector,size", "--value", "turnover", "--unit", "group"]
        assert tabulate(firms, *words, "--rule", "p-percent", "--p", "30") == 0
        cells, out = str(firms.parent / "cells.csv"), str(firms.parent / "published.csv")
        asked = ["--problem", "interval", "--margins", "--time", "5", "--out", out]
        assert run_command(["suppress", cells, *asked]) == 0
        assert run_command(["audit", cells, out, "--problem", "interval"]) == 0
        table = tacita.read_table(cells)
        everything = tacita.Pattern.of(table.with_margins(True), np.ones(table.n, dtype=bool))
        tacita.save_table(table.with_margins(True), everything, out, force=True)
        assert run_command(["audit", cells, out, "--problem", "interval"]) == 0
