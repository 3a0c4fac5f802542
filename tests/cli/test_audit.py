"""The command that attacks a published table, whoever made it."""

import pytest

from table_commands import NAMED, outcome, suppress
from tacita.cli import run_command


class TestAudit:
    def audit(self, cells, name="published.csv", *more):
        words = ["audit", "--force", str(cells), str(cells.parent / name), *NAMED, *more]
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
        assert self.audit(cells, "published.csv", "--problem", "interval", "--lower", "10") == 1
        [cell] = outcome(cells, "audit.json")["audit"]
        assert cell["reason"] == "too close from above"
        assert cell["shortfall"] == pytest.approx(1.25)
        assert self.audit(cells, "published.csv", "--problem", "interval", "--upper", "5") == 1
        mild = ["--problem", "interval", "--lower", "10", "--upper", "5"]
        assert self.audit(cells, "published.csv", *mild) == 0

    def test_tells_of_levels_that_the_problem_does_not_keep(self, cells):
        assert suppress(cells, "--problem", "exact") == 0
        for more, warned in ((), []), (("--upper", "50"), ["levels-not-kept"]):
            assert self.audit(cells, "published.csv", "--problem", "exact", *more) == 0
            assert [each["name"] for each in outcome(cells, "audit.json")["warnings"]] == warned

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
            ("broken.xlsx", b"PK no workbook", "not a workbook"),
            ("broken.html", b"<p>nothing</p>", "wanted the labels"),
            ("other.csv", b"activity,region,value\nI,A,3\n", "there is no status"),
        ):
            (cells.parent / name).write_bytes(content)
            assert self.audit(cells, name, "--problem", "exact") == 1
            assert said in capsys.readouterr().err
        assert self.audit(cells, "absent.csv", "--problem", "exact") == 2
        assert self.audit(cells, "cells.ods", "--problem", "exact") == 2
