"""A list of cells keeps who stands behind them: the audit finds in it what it finds in the records."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tacita
from effort import DEAR
from table_commands import outcome, published
from tables_at_hand import file_of
from tacita.cli import run_command
from tacita.core import RunContext
from tacita.tables.input.cell_list import to_cells
from tacita.tables.rules.rule_syntax import spell_rules
from tacita.tables.verify.audit import audit
from tacita.tables.verify.protection_criteria import Judge
from tacita.tables.verify.singleton_and_sum_attacks import lone_leaks, sensitive_sums

NAMED = {"rows": "r", "columns": "c", "value": "v", "primary": "primary"}
NAMED_OPTIONS = [word for name, column in NAMED.items() for word in (f"--{name}", column)]
RULES = {
    "p-percent": {"p": 15},
    "dominance": {"n": 2, "k": 80},
    "minimum-frequency": {"threshold": 3},
    "request": {"share": 20},
}


def one_holder_in_two_cells():
    """H is alone in r1 / c2 and r1 / c3: who knows both computes r1 / c1 from the sum of r1."""
    records = [("r1", "c1", size, f"big{size}") for size in (500, 10, 3)]
    records += [("r1", "c2", 300, "H"), ("r1", "c3", 320, "H")]
    records += [("r1", "c4", 900, f"r1c4-{firm}") for firm in range(8)]
    for row in ("r2", "r3"):
        for place, size in enumerate((110, 120, 130, 140)):
            records += [(row, f"c{place + 1}", size, f"{row}c{place}-{firm}") for firm in range(8)]
    return pa.table(dict(zip(("r", "c", "v", "unit"), map(list, zip(*records, strict=True)), strict=True)))


def as_file(folder, frame):
    path = folder / "records.csv"
    path.write_bytes(frame.to_pandas().to_csv(index=False).encode())
    return path


def tabulated(folder, *more, out="cells.csv", unit=("--unit", "unit")):
    path = as_file(folder, one_holder_in_two_cells())
    words = ["tabulate", str(path), "--rows", "r", "--columns", "c", "--value", "v", *unit]
    return run_command([*words, "--rule", "p-percent", "--p", "15", *more, "--out", str(folder / out)])


def suppressed(folder, *more, source="cells.csv", named=True):
    words = [
        "suppress",
        str(folder / source),
        "--problem",
        "interval",
        "--out",
        str(folder / "published.csv"),
    ]
    for option, column in NAMED.items() if named else ():
        words += [f"--{option}", column]
    return run_command([*words, "--json", str(folder / "result.json"), *more])


def hidden(folder):
    return {(row["r"], row["c"]) for row in published(folder / "x") if row["status"] == "withheld"}


def warned(folder):
    return {each["name"]: each["count"] for each in outcome(folder / "x")["warnings"]}


class TestOneHolderInTwoCells:
    def in_python(self):
        rule = tacita.get_method("p-percent", p=15)
        table = tacita.tabulate(one_holder_in_two_cells(), ["r", "c"], "v", unit="unit", rules=rule)
        return table, tacita.suppress(table, margins=False)

    @pytest.mark.parametrize("more", [[], ["--contributors", "contributors", "--lower", "lower"]])
    def test_the_commands_withhold_what_python_withholds(self, tmp_path, more):
        table, pattern = self.in_python()
        assert tabulated(tmp_path) == 0
        assert suppressed(tmp_path, *more) == 0
        assert hidden(tmp_path) == {table.label(cell) for cell in np.flatnonzero(pattern.withheld)}
        assert len(hidden(tmp_path)) == 8
        assert warned(tmp_path) == {}
        assert outcome(tmp_path / "x")["lone_count"] > 0

    def test_a_list_that_describes_itself_needs_no_column_named_again(self, tmp_path):
        assert tabulated(tmp_path) == 0
        assert suppressed(tmp_path) == 0
        named = (tmp_path / "published.csv").read_bytes()
        words = ["suppress", str(tmp_path / "cells.csv"), "--problem", "interval", "--out"]
        assert run_command([*words, str(tmp_path / "again.csv")]) == 0
        assert (tmp_path / "again.csv").read_bytes() == named

    def test_the_audit_of_a_file_knows_the_holder_too(self, tmp_path):
        assert tabulated(tmp_path) == 0
        table, _ = self.in_python()
        withheld = np.isin(
            np.arange(table.n), [table.cell(r, c) for r in ("r1", "r2") for c in ("c1", "c2", "c3")]
        )
        (tmp_path / "published.csv").write_bytes(file_of(table, withheld))
        words = ["audit", str(tmp_path / "cells.csv"), str(tmp_path / "published.csv"), *NAMED_OPTIONS]
        words += ["--problem", "interval", "--json", str(tmp_path / "result.json")]
        assert run_command(words) == 1
        assert warned(tmp_path) == {"lone-contributors": 1}
        assert run_command([*words, "--insist", "--force"]) == 0
        assert warned(tmp_path) == {"lone-contributors": 1, "sensitive-sums": 3}

    def test_less_than_the_rules_ask_for_is_refused_unless_insisted(self, tmp_path, capsys):
        assert tabulated(tmp_path) == 0
        out = str(tmp_path / "published.csv")
        for words in (
            ["suppress", str(tmp_path / "cells.csv"), *NAMED_OPTIONS, "--problem", "exact", "--out", out],
            ["audit", str(tmp_path / "cells.csv"), out, *NAMED_OPTIONS, "--problem", "exact"],
        ):
            assert run_command(words) == 2
            assert "PPercent asks that nobody comes too close" in capsys.readouterr().err
            assert run_command([*words, "--insist"]) == 0

    def test_numbers_alone_do_not_promise_it(self, tmp_path, capsys):
        assert tabulated(tmp_path) == 0
        lines = [line.split(",")[:7] for line in (tmp_path / "cells.csv").read_text().splitlines()]
        kept = [",".join(words) for words in lines if "Total" not in words[:2]]
        (tmp_path / "cells.csv").write_text("\n".join(kept) + "\n")
        levels = ["--lower", "lower", "--upper", "upper", "--contributors", "contributors"]
        capsys.readouterr()
        assert suppressed(tmp_path, *levels, "--report", str(tmp_path / "page.html")) == 0
        assert warned(tmp_path) == {"holders-unknown": 2, "rules-unknown": 3}
        said = "2 suppressed cells have one contributor each, and nothing says who"
        assert f"warning: {said}" in capsys.readouterr().out
        assert said in (tmp_path / "page.html").read_text()

    @pytest.mark.parametrize(
        ("ending", "warnings"),
        [(".tab", {"holders-unknown", "rules-unknown"}), (".jj", {"contributors-unknown"})],
    )
    def test_files_of_tau_argus_do_not_promise_it(self, tmp_path, ending, warnings):
        assert tabulated(tmp_path, out=f"cells{ending}") == 0
        assert suppressed(tmp_path, source=f"cells{ending}", named=False) == 0
        assert set(warned(tmp_path)) == warnings

    def test_a_list_that_lost_a_part_of_it_is_refused(self, tmp_path, capsys):
        assert tabulated(tmp_path) == 0
        whole = (tmp_path / "cells.csv").read_text()
        for changed, said in (
            ("\n".join(line for line in whole.splitlines() if "Total" not in line), "lines of the sums"),
            (whole.replace("p-percent:p=15.0", "p-percent:p=20.0", 1), "must say the same in every line"),
            (whole.replace("p-percent:p=15.0", "p-percnt:p=15.0"), "Known: minimum-frequency"),
            ("\n".join(whole.splitlines()[:-1]), "7 of 8 sums"),
        ):
            (tmp_path / "cells.csv").write_text(changed + "\n")
            assert suppressed(tmp_path) != 0
            assert said in capsys.readouterr().err
        (tmp_path / "cells.csv").write_text(whole)
        assert suppressed(tmp_path, "--contributors", "contributed") == 2
        assert "says itself who stands behind" in capsys.readouterr().err

    def test_holders_are_numbers_that_mean_nothing_in_the_source(self, tmp_path):
        assert tabulated(tmp_path, unit=()) == 0
        lines = (tmp_path / "cells.csv").read_text().splitlines()
        first = lines[0].split(",").index("holder_1")
        assert [line.split(",")[first] for line in lines[1:4]] == ["0", "3", "4"]
        # record 5 of the file is the first of r1 / c4
        assert lines[4].split(",")[first : first + 3] == ["5", "6", "7"]


@st.composite
def record_sets(draw):
    """Few units in many cells: some are alone in several, with requests, waivers and weights."""
    generator = np.random.default_rng(draw(st.integers(0, 10_000)))
    rows, columns = draw(st.sampled_from([(3, 3), (3, 4)]))
    n = draw(st.sampled_from([12, 25, 60]))
    place = np.concatenate([np.arange(rows * columns), generator.integers(0, rows * columns, n)])
    size = place.size
    frame = {
        "r": [f"r{each // columns}" for each in place],
        "c": [f"c{each % columns}" for each in place],
        "v": np.round(generator.lognormal(3, 1.5, size), draw(st.sampled_from([0, 2]))) + 1,
        "unit": [f"u{each}" for each in generator.integers(0, draw(st.sampled_from([6, 25])), size)],
        "asks": (generator.random(size) < 0.2).astype(int),
        "waives": (generator.random(size) < 0.1).astype(int),
        "w": generator.choice([1.0, 1.0, 2.5], size) if draw(st.booleans()) else np.ones(size),
    }
    names = draw(st.lists(st.sampled_from(sorted(RULES)), min_size=1, max_size=2, unique=True))
    how = {
        "value": draw(st.sampled_from(["v", None])),
        "unit": draw(st.sampled_from(["unit", None])),
        "request": "asks",
        "waiver": "waives",
        "weight": draw(st.sampled_from(["w", None])),
        "rules": [tacita.get_method(name, **RULES[name]) for name in names],
    }
    return pa.table(frame), how


@DEAR
@given(record_sets(), st.booleans())
def test_a_list_gives_the_same_leaks_and_the_same_suppression_as_the_records(
    tmp_path_factory, records, margins
):
    frame, how = records
    value = how.pop("value")
    table = tacita.tabulate(frame, ["r", "c"], value, **how)
    assume(table.primary.any())
    path = tmp_path_factory.mktemp("list") / "cells.csv"
    path.write_bytes(to_cells(table, spell_rules(table.rules)))
    again = tacita.read_table(path, **{**NAMED, "value": value or "count"})
    assert again.rules == table.rules
    assert again.frequency == table.frequency
    for name in ("values", "primary"):
        assert np.array_equal(getattr(again, name), getattr(table, name))
    masks = [table.primary, table.inner, table.inner | table.primary, np.ones(table.n, dtype=bool)]
    for mask in masks:
        leaks = [
            [
                (leak.failure, leak.known, leak.low.tolist())
                for leak in lone_leaks(Judge(each, "interval"), mask, (), RunContext())
            ]
            for each in (table, again)
        ]
        assert leaks[0] == leaks[1]
        assert [str(each) for each in sensitive_sums(table, mask)] == [
            str(each) for each in sensitive_sums(again, mask)
        ]
    outcomes = []
    for each in (table, again):
        try:
            pattern = tacita.suppress(each, margins=margins, method="network")
            outcomes.append((pattern.withheld.tolist(), audit(each, pattern).warnings))
        except tacita.DataError as refusal:
            outcomes.append(str(refusal))
    assert outcomes[0] == outcomes[1]


def test_a_sum_of_one_holder_is_known_as_such_in_the_list(tmp_path):
    """H has all of r1: its sum is as good as a cell of one contributor."""
    frame = one_holder_in_two_cells().to_pandas()
    frame.loc[frame["r"] == "r1", "unit"] = "H"
    table = tacita.tabulate(frame, ["r", "c"], "v", unit="unit")
    (tmp_path / "cells.csv").write_bytes(to_cells(replace(table, primary=table.values == 513)))
    again = tacita.read_table(tmp_path / "cells.csv", **NAMED)
    assert again.contributors.lone[again.cell("r1", "Total")]


def test_a_sensitive_sum_goes_through_the_list(tmp_path):
    """The sum of r2 is sensitive itself; the list says so, and it is withheld with another."""
    rule = tacita.get_method("listed", cells=[("r2", "Total")], margin=5)
    table = tacita.tabulate(one_holder_in_two_cells(), ["r", "c"], "v", unit="unit", rules=rule)
    (tmp_path / "cells.csv").write_bytes(to_cells(table, "listed"))
    assert suppressed(tmp_path) == 1
    assert suppressed(tmp_path, "--margins") == 0
    assert ("r2", "Total") in hidden(tmp_path)


def test_columns_that_the_list_needs_are_not_those_of_the_records():
    frame = one_holder_in_two_cells()
    for old, new in (
        ("c", "rules"),
        ("c", "holder_2"),
        ("v", "lower"),
        ("v", "contributors"),
        ("r", "count"),
    ):
        named = frame.rename_columns([new if name == old else name for name in frame.column_names])
        rows, columns, value = (new if name == old else name for name in ("r", "c", "v"))
        table = tacita.tabulate(named, [rows, columns], None if new == "count" else value)
        with pytest.raises(tacita.ParameterError, match=f"a column cannot be called {new}"):
            to_cells(table)
