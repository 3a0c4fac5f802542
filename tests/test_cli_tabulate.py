"""The command that sums up records, and marks what is sensitive."""

import csv

import numpy as np
import pytest

from table_commands import outcome
from tacita.cli import run_command


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
            (["--rule", "p-percent", "--rule", "pq"], 2, "several values have commas between"),
            (["--hierarchy", "turnover=x.hrc"], 2, "COLUMN=FILE.hrc"),
            (["--hierarchy", "sector=absent.hrc"], 2, "cannot be read"),
        ],
    )
    def test_wrong_words_are_refused(self, firms, capsys, more, code, said):
        assert self.tabulate(firms, *more) == code
        assert said in capsys.readouterr().err
        assert [path.name for path in firms.parent.iterdir()] == ["firms.csv"]
