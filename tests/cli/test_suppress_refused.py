"""What the command that withholds refuses, and that it then writes nothing."""

from dataclasses import replace

import numpy as np
import pytest

from table_commands import NAMED, PROBLEMS, suppress
from tacita.cli import run_command
from tacita.tables.suppression.optimal.optimal import Optimal


class TestBadInputs:
    @pytest.mark.each_once
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
            (("II,B,15,1", "Total,B,15,1"), 1, "1 of 7 sums are listed (label Total)"),
            (("II,B,15,1", ",B,15,1"), 1, "no label in 1 cells"),
            (("II,B,15,1,10", "II,B,15,1,-10"), 1, "column weight must be at least 0"),
            (("II,B,15,1,10", "II,B,15"), 1, "do not have 5 cells"),
            (("II,B,15,1", "II,B,inf,1"), 1, "infinite"),
            # the end of the sentence: nothing about quasi-identifiers, which tables do not have
            (("II,B,15,1", "II,B,15,yes"), 1, "or leave the column out.\n"),
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
            (["--problem", "interval", "--lower", "-0.5"], "lower must be at least 0 percent"),
            (["--problem", "interval", "--upper", "nan"], "upper must be at least 0 percent"),
            (
                ["--problem", "interval", "--lower", "1.5"],
                "lower: 1.5 may be 1.5 percent, or the share",
            ),
            (["--problem", "exact", "--objective", "price"], "no column price"),
            (["--problem", "exact", "--method", "mdav"], "Known: optimal"),
            (["--problem", "exact", "--method", "gauss"], "made for general"),
            (["--problem", "exact", "--time", "0"], "time must be more than 0"),
            (["--problem", "exact", "--zeros", "hide"], "publish"),
            (["--problem", "exact", "--rows", "region"], "different columns"),
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
        honest = Optimal.choose

        def tampered(self, table, *asked):
            found = honest(self, table, *asked)
            mask = found.withheld.copy()
            mask[np.flatnonzero(found.secondary)[0]] = False
            cost = float(table.cost[mask & ~found.primary].sum())
            return replace(found, withheld=mask, cost=cost, problem_cost=cost, lower_bound=cost)

        monkeypatch.setattr(Optimal, "choose", tampered)
        assert suppress(cells, "--problem", problem) == 1
        assert "not protected" in capsys.readouterr().err
        assert [path.name for path in cells.parent.iterdir()] == ["cells.csv"]

    def test_where_the_cost_or_the_bound_was_forged(self, cells, monkeypatch, capsys):
        honest = Optimal.choose
        for forged in ({"cost": 3.0, "lower_bound": 3.0}, {"lower_bound": 35.0}, {"lower_bound": 1.0}):

            def lie(*asked, forged=forged):
                found = honest(*asked)
                for name, value in forged.items():
                    object.__setattr__(found, name, value)
                return found

            monkeypatch.setattr(Optimal, "choose", lie)
            assert suppress(cells, "--problem", "exact") == 1
            assert "34" not in capsys.readouterr().err
        assert [path.name for path in cells.parent.iterdir()] == ["cells.csv"]

    @pytest.mark.parametrize("ending", [".csv", ".html", ".xlsx"])
    def test_where_the_file_shows_another_pattern_than_the_audited_one(
        self, cells, monkeypatch, capsys, ending
    ):
        from tacita.io.tables.published_table import Shown

        honest = Shown.of

        def shows_more(table, withheld):
            mask = withheld.copy()
            mask[np.flatnonzero(mask & ~table.primary)[0]] = False
            return honest(table, mask)

        monkeypatch.setattr(Shown, "of", shows_more)
        assert suppress(cells, "--problem", "exact", out=f"o{ending}") == 1
        assert "does not suppress the cells that it should" in capsys.readouterr().err
        assert [path.name for path in cells.parent.iterdir()] == ["cells.csv"]

    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            (b"II,B,,withheld", b"II,B,15,withheld", "that show their value"),
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
        from tacita.io.tables.csv import PublishedCSV

        honest = PublishedCSV.encode
        monkeypatch.setattr(PublishedCSV, "encode", lambda *words: honest(*words).replace(old, new, 1))
        assert suppress(cells, "--problem", "exact") == 1
        assert said in capsys.readouterr().err
        assert [path.name for path in cells.parent.iterdir()] == ["cells.csv"]
