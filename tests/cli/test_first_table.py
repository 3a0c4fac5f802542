"""A newcomer's first table, of the built-in survey: every refusal says what to do, in words that work."""

import re
from dataclasses import replace

import numpy as np
import pyarrow.csv
import pytest

import tacita
from table_commands import NAMED
from tacita.cli import run_command
from tacita.tables.plans.sections import SuppressSection

DOMINANCE = ["--rule", "dominance", "--n", "2", "--k", "30"]


@pytest.fixture(scope="module")
def firms(tmp_path_factory):
    path = tmp_path_factory.mktemp("survey") / "firms.csv"
    assert run_command(["datasets", "business", "--out", str(path)]) == 0
    words = ["tabulate", str(path), "--rows", "region", "--columns", "sector", "--value", "turnover"]
    assert (
        run_command([*words, "--unit", "group_id", *DOMINANCE, "--out", str(path.parent / "cells.csv")]) == 0
    )
    return path


def plan_of(firms, suppress):
    path = firms.parent / "plan.toml"
    path.write_text(
        'version = 1\n[input]\npath = "firms.csv"\n[table]\ndimensions = ["region", "sector"]\n'
        'value = "turnover"\nunit = "group_id"\n[[rules]]\nname = "dominance"\nn = 2\nk = 30\n'
        f'[suppress]\nproblem = "interval"\n{suppress}[output]\npath = "published.csv"\n'
    )
    return path


class TestSensitiveSums:
    def test_at_the_command_line_the_option_is_named_and_works(self, firms, capsys):
        words = ["suppress", str(firms.parent / "cells.csv"), "--problem", "interval"]
        words += ["--out", str(firms.parent / "published.html")]
        assert run_command(words) == 1
        said = capsys.readouterr().err.replace("\n", " ")
        assert "2 of 40 sensitive cells cannot be protected while every other sum must be published" in said
        assert "Sums that are sensitive themselves: 2. Let sums be suppressed too: --margins." in said
        assert run_command([*words, "--margins"]) == 0

    def test_in_a_plan_the_key_is_named_and_works(self, firms, capsys):
        assert run_command(["run", str(plan_of(firms, ""))]) == 1
        assert "Let sums be suppressed too: margins = true under [suppress]." in capsys.readouterr().err
        assert run_command(["run", str(plan_of(firms, "margins = true\n")), "--force"]) == 0

    def test_a_plan_that_python_carries_out_is_told_keys_too(self, firms):
        with pytest.raises(tacita.DataError, match=r"margins = true under \[suppress\]\.$"):
            tacita.api.run_table(tacita.api.load_plan(plan_of(firms, "")), force=True)

    def test_in_python_the_argument_is_named_and_works(self, firms):
        rules = [tacita.get_method("dominance", n=2, k=30)]
        table = tacita.tabulate(firms, ["region", "sector"], "turnover", unit="group_id", rules=rules)
        with pytest.raises(tacita.DataError, match=r"sensitive themselves: 2\. .* too: margins=True\.$"):
            tacita.suppress(table, margins=False)
        assert tacita.suppress(table, margins=True).secondary_count

    def test_where_sums_would_not_help_nothing_says_that_they_do(self):
        table = tacita.Table.from_array([[5, 3], [2, 4]], primary=[[1, 0], [0, 0]])
        known = replace(
            table,
            sliding=np.where(table.primary, 90.0, 0.0),
            low=np.where(table.inner, 0.0, table.values),
            high=np.where(table.inner, np.inf, table.values),
        )
        with pytest.raises(tacita.DataError, match="by any pattern") as refused:
            tacita.suppress(known, margins=True)
        assert "margins" not in str(refused.value)

    def test_tabulate_says_beforehand_that_suppress_will_want_it(self, firms, capsys):
        words = ["tabulate", str(firms), "--rows", "region", "--columns", "sector", "--value", "turnover"]
        words += ["--unit", "group_id", "--force", "--out", str(firms.parent / "again.csv")]
        assert run_command([*words, *DOMINANCE]) == 0
        assert "give --margins to `tacita suppress`" in capsys.readouterr().out.replace("\n", " ")
        assert run_command([*words, "--rule", "p-percent"]) == 0
        assert "--margins" not in capsys.readouterr().out


class TestWhatElseIsMetOnTheWay:
    def test_a_problem_that_is_left_out_is_explained(self, firms, capsys):
        words = ["suppress", str(firms.parent / "cells.csv"), "--out", str(firms.parent / "never.csv")]
        assert run_command(words) == 2
        said = capsys.readouterr().err.replace("\n", " ")
        for word in ("--problem", "interval (nobody comes", "exact (nobody computes", "general (nobody"):
            assert word in said
        with pytest.raises(tacita.ParameterError, match=r"problem is required: what counts as protected"):
            SuppressSection()

    @pytest.mark.parametrize(("problem", "said"), [("exact", "--problem interval"), ("general", "--insist")])
    def test_a_weaker_problem_is_refused_in_options(self, firms, capsys, problem, said):
        words = ["suppress", str(firms.parent / "cells.csv"), "--problem", problem]
        assert run_command([*words, "--out", str(firms.parent / "never.csv")]) == 2
        assert said in capsys.readouterr().err.replace("\n", " ")

    def test_labels_that_a_hierarchy_lacks_are_counted_and_only_its_own_are_named(self, firms, capsys):
        hierarchy = firms.parent / "region.hrc"
        hierarchy.write_text("Coast\nWest\n@Northern west\nMoon\n")
        words = [
            "tabulate",
            str(firms),
            "--dimensions",
            "region,sector",
            "--hierarchy",
            f"region={hierarchy}",
        ]
        assert run_command([*words, "--out", str(firms.parent / "never.csv")]) == 1
        said = capsys.readouterr().err.replace("\n", " ")
        regions = set(pyarrow.csv.read_csv(firms)["region"].to_pylist())
        own = {"Coast", "West", "Northern west", "Moon"}
        assert f"{len(regions - {'Coast'})} labels that are no leaves" in said
        assert "Leaves that no record has: Northern west, Moon" in said
        assert "Groups of it, where a leaf under them is wanted: West." in said
        assert not any(re.search(rf"\b{region}\b", said) for region in regions - own)


class TestTitles:
    @pytest.mark.parametrize("ending", ["html", "xlsx", "csv"])
    def test_a_title_is_public_only_where_it_is_declared(self, cells, capsys, ending):
        out = cells.parent / f"published.{ending}"
        asked = [*NAMED, "--problem", "exact"]
        assert run_command(["suppress", str(cells), *asked, "--title", "Was 15?", "--out", str(out)]) == 0
        audit = ["audit", str(cells), str(out), *asked]
        assert run_command([*audit, "--title", "Was 15?"]) == 0
        capsys.readouterr()
        # whoever audits a file of others takes no word of theirs for the table's
        assert run_command(audit) == (0 if ending == "csv" else 1)
        assert "Was" not in capsys.readouterr().err

    def test_a_plan_with_a_title_is_the_same_as_its_script(self, cells, monkeypatch):
        words = ["suppress", "cells.csv", *NAMED, "--problem", "exact", "--title", "Firms"]
        monkeypatch.chdir(cells.parent)
        assert run_command([*words, "--out", "one.html", "--save-plan", "plan.toml"]) == 0
        script = tacita.api.load_plan("plan.toml").to_python().replace("one.html", "two.html")
        exec(script, {})
        one, two = ((cells.parent / name).read_text() for name in ("one.html", "two.html"))
        assert one == two
        assert "<h1>Firms</h1>" in one

    def test_a_title_of_several_lines_or_of_a_list_is_refused(self, cells, firms, capsys):
        words = ["suppress", str(cells), *NAMED, "--problem", "exact", "--out", str(cells.parent / "o.html")]
        assert run_command([*words, "--title", "a\nb"]) == 2
        assert "one line of text" in capsys.readouterr().err
        plan = plan_of(firms, "")
        text = plan.read_text().replace('[suppress]\nproblem = "interval"\n', "")
        plan.write_text(text.replace("[[rules]]", 'title = "Firms"\n[[rules]]'))
        assert run_command(["run", str(plan)]) == 2
        assert "table.title is the heading of a published table" in capsys.readouterr().err.replace("\n", " ")
