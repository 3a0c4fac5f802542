"""The command that sums up records, and marks what is sensitive."""

import csv

import numpy as np
import pytest

import tacita
from table_commands import outcome
from tacita.cli import run_command
from tacita.tables.rules.rule_syntax import build_rules


class TestTabulate:
    @pytest.fixture
    def firms(self, tmp_path):
        """Records of firms: in every cell one firm has most, and there are enough others."""
        generator = np.random.default_rng(5)
        lines = ["region,sector,turnover,group,asks"]
        for region in ("n", "s", "e", "w"):
            for sector in ("food", "steel", "books"):
                large = 400 if (region, sector) in (("n", "steel"), ("e", "food")) else 60
                for firm, size in enumerate([large, 40, 35, *generator.integers(5, 20, 3)]):
                    lines.append(f"{region},{sector},{size},{region}{sector}{firm},yes")
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
        named = ["region", "sector", "turnover", "primary", "lower", "upper", "contributors"]
        assert list(rows[0])[:7] == named
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

    @pytest.mark.parametrize("rule", ["p-percent:coalition=4", "pq:coalition=9:p=10:q=80", "dominance:n=7"])
    def test_as_many_contributions_are_kept_as_the_rules_look_at(self, firms, rule):
        assert self.tabulate(firms, "--value", "turnover", "--rule", f"zero-cells,{rule}") == 0
        table = tacita.tabulate(firms, ["region", "sector"], "turnover", rules=build_rules([rule]))
        with (firms.parent / "cells.csv").open() as file:
            flagged = [row["primary"] == "1" for row in csv.DictReader(file)]
        assert flagged == table.primary.tolist()
        assert table.contributors.depth == build_rules([rule])[0].depth > 3

    def test_rules_differ_in_a_parameter_that_both_have(self, firms):
        few, asked = "minimum-frequency:threshold=7:margin=10", "request:margin=40"
        told = "minimum-frequency:threshold=7:margin=10.0:weighted=False"
        told_too = f"{told},request:share=0.0:margin=40.0"
        for rules, more, percent, listed in (
            (few, [], 10, told),
            (f"{few},{asked}", ["--request", "asks"], 40, told_too),
        ):
            more = ["--value", "turnover", "--rule", rules, *more]
            assert self.tabulate(firms, *more, "--force") == 0
            with (firms.parent / "cells.csv").open() as file:
                inner = [row for row in csv.DictReader(file) if "Total" not in row.values()]
            shares = [100 * float(row["lower"]) / float(row["turnover"]) for row in inner]
            assert shares == pytest.approx([percent] * 12)
            assert {row["rules"] for row in inner} == {listed}

    def test_a_list_says_which_sums_are_sensitive_themselves(self, firms):
        rule = ["--value", "turnover", "--rule", "dominance", "--n", "4", "--k", "20"]
        assert self.tabulate(firms, *rule) == 0
        with (firms.parent / "cells.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert [row["primary"] for row in rows if row["sector"] == "Total"] == ["1"] * 5
        assert self.tabulate(firms, *rule, out="cells.jj") == 0
        assert self.tabulate(firms, *rule, out="cells.tab") == 0
        assert (firms.parent / "cells.rda").exists()

    def test_a_hierarchy_is_kept_in_a_tab_and_in_a_list(self, firms):
        (firms.parent / "sector.hrc").write_text("goods\n@food\n@steel\nbooks\n")
        more = ["--value", "turnover", "--hierarchy", f"sector={firms.parent / 'sector.hrc'}"]
        assert self.tabulate(firms, *more, "--rule", "p-percent", "--p", "50") == 0
        kept = tacita.read_table(firms.parent / "cells.csv").dimensions[1]
        assert kept.labels == ("Total", "goods", "food", "steel", "books")
        assert kept.parents == (-1, 0, 1, 1, 0)
        before = (firms.parent / "sector.hrc").read_bytes()
        assert self.tabulate(firms, *more, out="cells.tab") == 2
        assert (firms.parent / "sector.hrc").read_bytes() == before
        (firms.parent / "argus").mkdir()
        assert self.tabulate(firms, *more, "--rule", "p-percent", "--p", "50", out="argus/cells.tab") == 0
        assert sorted(path.name for path in (firms.parent / "argus").iterdir()) == [
            "cells.rda",
            "cells.tab",
            "sector.hrc",
        ]
        assert self.tabulate(firms, *more, "--rule", "p-percent", "--p", "50", out="cells.jj") == 0
        words = ["suppress", "", "--problem", "interval", "--out", str(firms.parent / "published.csv")]
        for source in ("argus/cells.tab", "cells.jj", "cells.csv"):
            words[1] = str(firms.parent / source)
            assert run_command([*words, "--force", *(["--margins"] if source == "cells.csv" else [])]) == 0

    def test_a_hierarchy_without_subtotals_is_as_good_as_none(self, firms):
        rule = ["--value", "turnover", "--rule", "p-percent", "--p", "50"]
        assert self.tabulate(firms, *rule, out="plain.csv") == 0
        (firms.parent / "sector.hrc").write_text("books\nfood\nsteel\n")
        more = ["--hierarchy", f"sector={firms.parent / 'sector.hrc'}"]
        assert self.tabulate(firms, *rule, *more) == 0
        assert (firms.parent / "cells.csv").read_bytes() == (firms.parent / "plain.csv").read_bytes()

    @pytest.mark.parametrize(
        ("more", "code", "said"),
        [
            (["--value", "wages"], 2, "there is no column wages"),
            (["--value", "sector"], 1, "wanted numbers"),
            (["--rule", "nosuch"], 2, "Known: minimum-frequency"),
            (["--rule", "p-percent", "--threshold", "3"], 2, "threshold"),
            (["--rule", "p-percent:threshold=3"], 2, "there is no parameter threshold. Known: p, coalition"),
            (["--rule", "p-percent:p=many"], 2, "p must be a number, got 'many'"),
            (["--rule", "p-percent:p=0.15"], 2, "p: 0.15 would be 0.15 percent; write 15 for 15 percent"),
            (["--rule", "p-percent", "--p", "0.15"], 2, "p: 0.15 would be 0.15 percent"),
            (["--rule", "p-percent:p=20", "--p", "15"], 2, "parameter p, or each says its own"),
            (["--rule", "p-percent:p"], 2, "NAME:PARAMETER=VALUE"),
            (["--rule", "p-percent:p=1:p=2"], 2, "each once"),
            (["--rule", "listed:cells=n"], 2, "NAME:PARAMETER=VALUE"),
            (["--rule", "p-percent:coalition=2.5"], 2, "coalition must be a whole number"),
            (["--rule", "p-per cent:p=15"], 2, "Known: minimum-frequency"),
            (["--value", "turnover", "--value", "wages"], 2, "separate several values by commas"),
            (["--value", "region"], 1, "wanted numbers"),
            (["--hierarchy", "turnover=x.hrc"], 2, "COLUMN=FILE.hrc"),
            (["--hierarchy", "sector=absent.hrc"], 2, "cannot be read"),
        ],
    )
    def test_wrong_words_are_refused(self, firms, capsys, more, code, said):
        assert self.tabulate(firms, *more) == code
        assert said in capsys.readouterr().err
        assert [path.name for path in firms.parent.iterdir()] == ["firms.csv"]
