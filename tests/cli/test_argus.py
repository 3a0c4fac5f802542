"""Files of tau-ARGUS on the command line: tables in, published tables out, and what is refused."""

import json

import numpy as np
import pytest

import tacita
from table_commands import REGIONS, outcome, published, suppress
from tacita.cli import run_command
from tacita.core import Hierarchy, Table
from tacita.io import argus
from tacita.plans import load_plan
from tacita.tables.plans.sections import TableInputSection

VALUES = np.array(list(REGIONS.values()), dtype=float)
INTERVAL = ["--problem", "interval"]


def made(values=VALUES, primary=None, levels=15, **fields):
    """The table of regions of the source; II / B is sensitive."""
    labels = [[*REGIONS], [*"ABC"]] if values is VALUES else None
    return Table.from_array(
        values,
        names=["activity", "region"],
        labels=labels,
        primary=values == 15 if primary is None else primary,
        lower=levels,
        upper=levels,
        **fields,
    )


def written(folder, table, name="table", encoding="utf-8"):
    """The files .tab and .rda (and .hrc) of a table; the path of the first."""
    files = argus.encode_tab(table)
    for ending, text in ((".tab", files.tab), (".rda", files.rda)):
        (folder / f"{name}{ending}").write_text(text, encoding=encoding)
    for file, text in files.hrc.items():
        (folder / file).write_text(text, encoding=encoding)
    return folder / f"{name}.tab"


def problem(folder, table):
    path = folder / "problem.jj"
    path.write_text(argus.format_jj(table))
    return path


def command(source, *more, out="published.csv"):
    words = ["suppress", "--force", str(source), "--out", str(source.parent / out)]
    return run_command([*words, "--json", str(source.parent / "result.json"), *map(str, more)])


def audit(source, *more, name="published.csv"):
    words = ["audit", "--force", str(source), str(source.parent / name), *map(str, more)]
    return run_command([*words, "--json", str(source.parent / "audit.json")])


class TestTab:
    @pytest.mark.parametrize("which", ["exact", "interval"])
    def test_with_a_negative_value_is_refused_as_a_list_is_where_signs_are_taken_to_be_known(
        self, tmp_path, which, capsys
    ):
        # without bounds the cheap cells of 0.1 would hide the 5: who knows signs finds 5.1 at most
        values = np.array([[5, 0.1, 90], [0.1, 7, -1], [80, 30, 60]])
        source = written(tmp_path, made(values, values == 5))
        assert command(source, "--problem", which) == 1
        said = capsys.readouterr().err
        assert said.startswith(
            "table.tab: value has 1 negative values; exact and interval protection take it"
        )
        assert not (tmp_path / "published.csv").exists()
        assert command(source, "--problem", "general") == 0
        assert audit(source, "--problem", which) == 1

    @pytest.mark.parametrize("which", ["general", "exact", "interval"])
    def test_comes_out_as_the_list_of_the_same_cells_does(self, cells, which):
        assert suppress(cells, "--problem", which, out="expected.csv", result="expected.json") == 0
        table = made().with_margins(False)
        source = written(cells.parent, table)
        assert command(source, "--meta", source.with_suffix(".rda"), "--problem", which) == 0
        assert published(cells) == published(cells, "expected.csv")
        assert outcome(cells)["cost"] == outcome(cells, "expected.json")["cost"]
        assert outcome(cells)["source"] == "table.tab"
        assert audit(source, "--problem", which) == 0

    def test_metadata_of_the_same_name_beside_it_are_found(self, tmp_path, capsys):
        source = written(tmp_path, made())
        assert command(source, *INTERVAL) == 0
        source.with_suffix(".rda").unlink()
        assert command(source, *INTERVAL, out="again.csv") == 2
        assert "table.rda: cannot be read" in capsys.readouterr().err

    def test_sums_may_be_withheld_unless_the_file_protects_them(self, tmp_path):
        # alone in its row: only with the sum of the row is there a pattern
        values = np.array([[5.0, 0, 0], [4, 7, 2], [6, 3, 9]])
        free = made(values, values == 5, margins=True)
        assert command(written(tmp_path, free), *INTERVAL) == 0
        hidden = {
            (row["activity"], row["region"])
            for row in published(tmp_path / "x")
            if row["status"] == "withheld"
        }
        assert ("1", "Total") in hidden
        assert command(written(tmp_path, free.with_margins(False)), *INTERVAL, out="again.csv") == 1
        assert not (tmp_path / "again.csv").exists()

    def test_levels_and_costs_are_those_of_the_file_and_not_given_twice(self, tmp_path, capsys):
        cost = np.ones((4, 4))
        cost[:3, :3] = [[9, 1, 1], [9, 1, 1], [9, 9, 9]]
        source = written(tmp_path, made(levels=10).with_cost(cost).with_margins(False))
        assert command(source, *INTERVAL) == 0
        found = outcome(source)
        assert (found["cost"], found["objective"]) == (3, "as in the file")
        assert [(each["wanted_low"], each["wanted_high"]) for each in found["audit"]] == [(13.5, 16.5)]
        assert command(source, *INTERVAL, "--objective", "value") == 0
        assert outcome(source)["objective"] == "value"
        assert outcome(source)["cost"] > 3
        assert command(source, *INTERVAL, "--lower", "20") == 2
        assert "levels of its own. Leave away --lower" in capsys.readouterr().err
        assert command(source, *INTERVAL, "--objective", "region") == 2

    def test_levels_that_the_file_does_not_have_are_in_percent_of_the_value(self, tmp_path):
        source = tmp_path / "table.tab"
        source.write_text("a;x;50;U\na;y;40;S\nb;x;30;S\nb;y;60;S\n")
        source.with_suffix(".rda").write_text(
            '<SEPARATOR> ";"\nr\n<RECODEABLE>\nc\n<RECODEABLE>\nv\n<NUMERIC>\ns\n<STATUS>\n'
        )
        assert command(source, *INTERVAL, "--upper", "20") == 0
        [cell] = outcome(source)["audit"]
        assert (cell["wanted_low"], cell["wanted_high"]) == (42.5, 60)

    def test_labels_come_in_the_encoding_that_is_named(self, tmp_path, capsys):
        dimensions = [Hierarchy.flat("région", ["Évora", "Faro"]), Hierarchy.flat("c", ["x", "y"])]
        table = Table.cross(dimensions, [[50, 40], [30, 60]], primary=[[1, 0], [0, 0]], lower=10, upper=10)
        source = written(tmp_path, table, encoding="latin-1")
        assert command(source, *INTERVAL) == 1
        assert "Name its encoding" in capsys.readouterr().err
        assert command(source, *INTERVAL, "--encoding", "latin-1") == 0
        assert published(source)[0]["région"] == "Évora"

    @pytest.mark.parametrize(
        "table",
        [argus.parse_hrc("north\n@n1\n@n2\nsouth\n", "region"), None],
        ids=["hierarchy", "three dimensions"],
    )
    def test_tables_of_any_shape_are_protected_as_in_python(self, tmp_path, table):
        flat = [Hierarchy.flat(name, ["x", "y", "z"]) for name in "ab"]
        dimensions = [table, flat[0]] if table else [*flat, Hierarchy.flat("c", ["u", "v"])]
        shape = [each.leaves.size for each in dimensions]
        values = np.arange(1.0, np.prod(shape) + 1).reshape(shape)
        cube = Table.cross(dimensions, values, primary=values == 2, lower=10, upper=10, margins=True)
        source = written(tmp_path, cube)
        assert command(source, *INTERVAL, "--margins") == 0
        assert outcome(source)["cost"] == tacita.suppress(cube).cost > 0

    @pytest.mark.parametrize(
        ("change", "code", "said"),
        [
            ((".rda", "<STATUS>", "<REQUEST>"), 2, "nothing says which cells are sensitive"),
            ((".rda", "<UNSAFE> U", "<UNSAFE> X"), 1, "1 cells have another"),
            ((".tab", ";15;", ";16;"), 1, "sums do not add up"),
            ((".tab", "II;B;15;", "II;B;fifteen;"), 1, "wants numbers"),
            ((".tab", "II;B;", "II;A;"), 1, "occur twice"),
            ((".rda", "<RECODEABLE>", "<RECODING>"), 1, "the word RECODING is not understood"),
        ],
    )
    def test_what_is_wrong_with_the_files_is_said_without_values(self, tmp_path, capsys, change, code, said):
        source = written(tmp_path, made())
        ending, old, new = change
        path = source.with_suffix(ending)
        path.write_text(path.read_text().replace(old, new))
        assert command(source, *INTERVAL) == code
        words = capsys.readouterr().err
        assert said in words
        assert "15" not in words
        assert "fifteen" not in words
        assert not (tmp_path / "published.csv").exists()

    def test_a_line_of_names_is_no_cell(self, tmp_path, capsys):
        source = written(tmp_path, made())
        names = "activity;region;value;cost;lower;upper;status\n"
        source.write_text(names + source.read_text())
        assert command(source, *INTERVAL) == 1
        assert "have no header" in capsys.readouterr().err

    def test_none_of_its_files_is_overwritten(self, tmp_path, capsys):
        source = written(tmp_path, made())
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        words = ["suppress", "--force", str(source), *INTERVAL, "--out", str(tmp_path / "o.csv"), "--json"]
        assert run_command([*words, str(tmp_path / "table.rda")]) == 2
        assert "same file" in capsys.readouterr().err
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before

    @pytest.mark.parametrize("ending", [".tab", ".jj"])
    def test_nothing_is_published_as_a_file_of_true_values(self, tmp_path, capsys, ending):
        assert command(written(tmp_path, made()), *INTERVAL, out=f"published{ending}") == 2
        assert "hold the true values" in capsys.readouterr().err


class TestProblem:
    @pytest.mark.parametrize("ending", [".csv", ".xlsx", ".html"])
    def test_is_published_by_the_numbers_of_its_cells(self, tmp_path, ending):
        table = made().with_margins(False)
        source = problem(tmp_path, table)
        assert command(source, "--problem", "exact", out=f"published{ending}") == 0
        found = outcome(source)
        assert (found["cost"], found["proven"]) == (34, True)
        hidden = {int(each["cell"]) for each in found["withheld"]}
        assert hidden == {
            table.cell(*place) for place in (("II", "A"), ("II", "B"), ("III", "A"), ("III", "B"))
        }
        assert audit(source, "--problem", "exact", name=f"published{ending}") == 0
        if ending == ".csv":
            assert {int(row["cell"]) for row in published(source) if row["status"] == "withheld"} == hidden

    def test_the_audit_says_which_cell_is_given_away(self, tmp_path, capsys):
        source = problem(tmp_path, made().with_margins(False))
        assert command(source, "--problem", "exact") == 0
        assert audit(source, *INTERVAL) == 1
        said = capsys.readouterr()
        assert "1 of 1 sensitive cells are not protected (first: 5, too close from above)" in said.err
        assert "cell" in said.out
        path = tmp_path / "published.csv"
        path.write_text(path.read_text().replace("4,,withheld", "4,1,published"))
        assert audit(source, "--problem", "exact") == 1

    def test_relations_in_any_order_and_sign_are_found_to_be_rows_and_columns(self, tmp_path):
        generator = np.random.default_rng(3)
        for shape in ((2, 2), (1, 3), (4, 3)):
            values = generator.integers(20, 90, size=shape).astype(float)
            primary = np.arange(values.size).reshape(shape) == 0
            table = Table.from_array(values, primary=primary, lower=10, upper=10, margins=True)
            expected = tacita.suppress(table)
            lines = argus.format_jj(table).splitlines()
            count = len(table.relations)
            head, relations = lines[:-count], lines[-count:]
            generator.shuffle(relations)
            relations[0] = relations[0].replace("(1)", "(+)").replace("(-1)", "(1)").replace("(+)", "(-1)")
            source = tmp_path / "problem.jj"
            source.write_text("\n".join([*head, *relations, ""]))
            assert command(source, *INTERVAL) == 0
            assert outcome(source)["cost"] == expected.cost

    def test_other_relations_than_rows_and_columns_are_protected_too(self, tmp_path):
        values = np.arange(1.0, 9).reshape(2, 2, 2)
        cube = Table.from_array(values, primary=values == 3, lower=10, upper=10)
        source = problem(tmp_path, cube)
        assert command(source, *INTERVAL) == 0
        # all eight move together
        assert outcome(source)["cost"] == 33

    @pytest.mark.parametrize(
        ("more", "said"),
        [
            (["--margins"], "marks what must be published by z"),
            (["--lower", "20"], "levels of its own"),
            (["--meta", "table.rda"], "belongs to kind tab"),
            (["--delimiter", ";"], "delimiter cannot be chosen"),
            (["--rows", "region"], "Leave away --rows"),
            (["--fill-zeros"], "Leave away --fill-zeros"),
        ],
    )
    def test_what_the_file_says_itself_is_not_said_again(self, tmp_path, monkeypatch, capsys, more, said):
        monkeypatch.chdir(tmp_path)
        assert command(problem(tmp_path, made()), *INTERVAL, *more) == 2
        assert said in capsys.readouterr().err
        assert sorted(path.name for path in tmp_path.iterdir()) == ["problem.jj"]


class TestLists:
    @pytest.mark.parametrize("left", ["rows", "columns", "value", "primary"])
    @pytest.mark.parametrize("verb", ["suppress", "audit"])
    def test_a_list_of_cells_still_needs_its_columns_named(self, cells, capsys, verb, left):
        named = {"rows": "activity", "columns": "region", "value": "turnover", "primary": "sensitive"}
        del named[left]
        words = [word for name, column in named.items() for word in (f"--{name}", column)]
        out = ["--out", str(cells.parent / "o.csv")] if verb == "suppress" else [str(cells.parent / "p.csv")]
        assert run_command([verb, str(cells), *out, *words, "--problem", "exact"]) == 2
        assert f"Missing: --{left} " in capsys.readouterr().err

    def test_so_do_records(self, tmp_path, capsys):
        (tmp_path / "firms.csv").write_text("region,turnover\nn,3\n")
        words = ["tabulate", str(tmp_path / "firms.csv"), "--rows", "region"]
        assert run_command([*words, "--out", str(tmp_path / "cells.csv")]) == 2
        assert "Missing: --columns." in capsys.readouterr().err


def assert_script_publishes_the_same(plan, capsys):
    published = plan.parent / "published.csv"
    before = published.read_bytes()
    published.unlink()
    (plan.parent / "result.json").unlink()
    capsys.readouterr()
    assert run_command(["run", str(plan), "--script"]) == 0
    exec(capsys.readouterr().out, {})
    assert published.read_bytes() == before


class TestPlan:
    def test_a_saved_plan_names_the_kind_and_does_the_same(self, tmp_path):
        source = written(tmp_path, made())
        plan = tmp_path / "plan.toml"
        meta = ["--meta", source.with_suffix(".rda")]
        assert command(source, *meta, *INTERVAL, "--save-plan", plan) == 0
        assert 'kind = "tab"' in plan.read_text()
        assert 'meta = "table.rda"' in plan.read_text()
        before = (tmp_path / "published.csv").read_bytes()
        (tmp_path / "published.csv").unlink()
        assert run_command(["run", str(plan), "--quiet", "--force"]) == 0
        assert (tmp_path / "published.csv").read_bytes() == before

    def test_a_plan_of_a_problem_needs_no_table_section(self, tmp_path):
        source = problem(tmp_path, made().with_margins(False))
        plan = tmp_path / "plan.toml"
        assert command(source, "--problem", "exact", "--time", 5, "--save-plan", plan, "--dry-run") == 0
        assert "[table]" not in plan.read_text()
        assert load_plan(plan).input.kind == "jj"
        assert load_plan(plan).suppress.time == 5
        assert run_command(["run", str(plan), "--quiet", "--force"]) == 0
        assert outcome(source)["cost"] == 34

    def test_a_list_of_cells_is_saved_too(self, cells):
        plan = cells.parent / "plan.toml"
        assert suppress(cells, "--problem", "exact", "--save-plan", plan) == 0
        before = (cells.parent / "published.csv").read_bytes()
        assert run_command(["run", str(plan), "--quiet", "--force"]) == 0
        assert (cells.parent / "published.csv").read_bytes() == before
        assert 'kind = "cells"' in plan.read_text()

    @pytest.mark.parametrize("kind", ["tab", "jj", "named jj"])
    def test_the_script_of_a_plan_publishes_the_same(self, tmp_path, capsys, kind):
        source = written(tmp_path, made()) if kind == "tab" else problem(tmp_path, made().with_margins(False))
        words = ["--margins", *INTERVAL] if kind == "tab" else ["--problem", "exact", "--objective", "count"]
        if kind == "named jj":
            source = source.rename(tmp_path / "problem.txt")
            words += ["--kind", "jj"]
        plan = tmp_path / "plan.toml"
        assert command(source, *words, "--save-plan", plan) == 0
        assert_script_publishes_the_same(plan, capsys)

    @pytest.mark.parametrize(
        "words",
        [
            ["--problem", "exact"],
            ["--problem", "general", "--objective", "count", "--zeros", "withhold", "--method", "network"],
            ["--problem", "interval", "--lower", 10, "--objective", "turnover", "--margins", "--time", 5],
        ],
    )
    def test_so_does_that_of_a_list_of_cells(self, cells, capsys, words):
        plan = cells.parent / "plan.toml"
        assert suppress(cells, *words, "--save-plan", plan) == 0
        assert_script_publishes_the_same(plan, capsys)

    def test_the_kind_may_be_named_where_the_ending_does_not_tell(self, tmp_path):
        source = problem(tmp_path, made().with_margins(False)).rename(tmp_path / "problem.txt")
        assert command(source, "--kind", "jj", "--problem", "exact") == 0
        assert TableInputSection(path="table.txt", meta="table.rda").kind == "tab"


class TestRecords:
    """Microdata with metadata: separated or in fixed columns, without a header line."""

    LINES = (
        ("n1", "food", 400),
        ("n1", "food", 40),
        ("n1", "food", 35),
        ("n2", "food", 90),
        ("n2", "food", 80),
    )
    LINES += (("n2", "food", 70), ("s1", "food", 60), ("s1", "food", 50), ("s1", "food", 55))
    LINES += tuple((region, "steel", 30 + at) for at in range(4) for region in ("n1", "n2", "s1"))

    def metadata(self, folder, fixed=False, more=""):
        places = {name: f" {start} {width}" if fixed else "" for name, start, width in PLACES}
        lines = [] if fixed else ['<SEPARATOR> ","']
        lines += [f"region{places['region']}", "<RECODEABLE>", *more.splitlines()]
        lines += [f"sector{places['sector']}", "<RECODEABLE>", f"turnover{places['turnover']}", "<NUMERIC>"]
        lines += [f"group{places['group']}", "<HOLDING>", f"asks{places['asks']}", '<REQUEST> "y"']
        (folder / "firms.rda").write_text("\n".join(lines) + "\n")
        return folder / "firms.rda"

    def records(self, folder, fixed=False, same_group=False):
        path = folder / ("firms.asc" if fixed else "firms.csv")
        lines = []
        for at, (region, sector, turnover) in enumerate(self.LINES):
            group, asks = "g1" if same_group and at < 3 else f"f{at}", "y" if at == 7 else "n"
            words = (region, sector, str(turnover), group, asks)
            widths = [width for _, _, width in PLACES]
            lines.append(
                "".join(word.ljust(width) for word, width in zip(words, widths, strict=True))
                if fixed
                else ",".join(words)
            )
        path.write_text("\n".join(lines) + "\n")
        return path

    def tabulate(self, records, meta, *more, out="cells.csv"):
        words = ["tabulate", "--force", str(records), "--meta", str(meta), "--value", "turnover"]
        return run_command([*words, "--out", str(records.parent / out), *map(str, more)])

    @pytest.mark.parametrize("fixed", [False, True], ids=["separated", "fixed"])
    def test_are_summed_up_by_the_dimensions_of_the_metadata(self, tmp_path, fixed):
        records, meta = self.records(tmp_path, fixed), self.metadata(tmp_path, fixed)
        assert self.tabulate(records, meta, "--rule", "p-percent", "--p", "20") == 0
        lines = (tmp_path / "cells.csv").read_text().splitlines()
        assert lines[0].startswith("region,sector,turnover,primary")
        assert lines[1].startswith("n1,food,475,1,")
        assert lines[4].startswith("n2,food,240,0,")

    def test_holdings_and_requests_are_those_of_the_metadata(self, tmp_path):
        def sensitive():
            rows = [line.split(",") for line in (tmp_path / "cells.csv").read_text().splitlines()]
            return [row[:2] for row in rows if row[3] == "1" and "Total" not in row]

        meta = self.metadata(tmp_path)
        frequency = ["--rule", "minimum-frequency", "--threshold", "3"]
        assert self.tabulate(self.records(tmp_path, same_group=True), meta, *frequency) == 0
        assert sensitive() == [["n1", "food"]]
        assert self.tabulate(self.records(tmp_path), meta, "--rule", "request", "--share", "10") == 0
        assert sensitive() == [["s1", "food"]]

    def test_go_through_a_tab_to_a_published_and_audited_table(self, tmp_path):
        records, meta = self.records(tmp_path), self.metadata(tmp_path)
        rule = ["--rule", "p-percent", "--p", "20"]
        assert self.tabulate(records, meta, *rule, out="cells.tab") == 0
        assert command(tmp_path / "cells.tab", *INTERVAL) == 0
        assert audit(tmp_path / "cells.tab", *INTERVAL) == 0
        assert json.loads((tmp_path / "audit.json").read_text())["safe"]

    @pytest.mark.parametrize("named", [[], ["--dimensions", "sector,region"]], ids=["metadata's", "named"])
    def test_the_plan_that_is_saved_and_its_script_make_the_same_list(self, tmp_path, named):
        records, meta = self.records(tmp_path, same_group=True), self.metadata(tmp_path)
        place, cells = tmp_path / "plan.toml", tmp_path / "cells.csv"
        rule = ["--rule", "minimum-frequency", "--threshold", "3"]
        assert self.tabulate(records, meta, *rule, *named, "--save-plan", place) == 0
        wanted = cells.read_bytes()
        assert run_command(["run", str(place), "--force"]) == 0
        assert cells.read_bytes() == wanted
        cells.unlink()
        exec(load_plan(place).to_python(), {})
        assert cells.read_bytes() == wanted
        assert run_command(["run", str(place)]) == 2

    def test_records_of_tau_argus_are_published_by_one_plan(self, tmp_path):
        records, meta = self.records(tmp_path), self.metadata(tmp_path)
        assert self.tabulate(records, meta, "--rule", "p-percent", "--p", "20") == 0
        assert command(tmp_path / "cells.csv", *INTERVAL) == 0
        wanted = (tmp_path / "published.csv").read_bytes()
        (tmp_path / "plan.toml").write_text(
            'version = 1\n[input]\npath = "firms.csv"\nmeta = "firms.rda"\n[table]\nvalue = "turnover"\n'
            '[[rules]]\nname = "p-percent"\np = 20\n[suppress]\nproblem = "interval"\n'
            '[output]\npath = "whole.csv"\n'
        )
        assert run_command(["run", str(tmp_path / "plan.toml")]) == 0
        assert (tmp_path / "whole.csv").read_bytes() == wanted

    def test_hierarchies_are_read_from_beside_the_metadata(self, tmp_path, capsys):
        records = self.records(tmp_path)
        meta = self.metadata(tmp_path, more='<HIERCODELIST> "C:\\data\\region.hrc"')
        (tmp_path / "region.hrc").write_text("north\n@n1\n@n2\nsouth\n@s1\n")
        (tmp_path / "out").mkdir()
        assert self.tabulate(records, meta, out="out/cells.tab") == 0
        assert (tmp_path / "out" / "region.hrc").read_text() == "north\n@n1\n@n2\nsouth\n@s1\n"
        assert self.tabulate(records, meta, out="cells.tab") == 2
        (tmp_path / "region.hrc").unlink()
        assert self.tabulate(records, meta) == 2
        assert "region.hrc: cannot be read" in capsys.readouterr().err

    def test_levels_of_codes_make_a_hierarchy(self, tmp_path):
        meta = self.metadata(tmp_path, more="<HIERLEVELS> 1 1")
        assert self.tabulate(self.records(tmp_path), meta, out="cells.tab") == 0
        assert (tmp_path / "region.hrc").read_text() == "n\n@n1\n@n2\ns\n@s1\n"

    def test_a_hierarchy_of_the_metadata_is_not_lost_in_a_list(self, tmp_path, capsys):
        records = self.records(tmp_path)
        assert self.tabulate(records, self.metadata(tmp_path, more="<HIERARCHICAL>")) != 0
        assert "subtotals" in capsys.readouterr().err
        assert not (tmp_path / "cells.csv").exists()
        assert self.tabulate(records, self.metadata(tmp_path, more="<HIERLEVELS> 1 1")) == 0
        assert tacita.read_table(tmp_path / "cells.csv").dimensions[0].depths.max() == 2

    def test_two_of_more_dimensions_must_be_named(self, tmp_path, capsys):
        records, meta = self.records(tmp_path), self.metadata(tmp_path)
        meta.write_text(meta.read_text().replace("<HOLDING>", "<RECODEABLE>"))
        assert self.tabulate(records, meta) == 2
        assert "firms.rda has 3 dimensions. Name two" in capsys.readouterr().err
        assert self.tabulate(records, meta, "--rows", "sector", "--columns", "region") == 0
        assert (tmp_path / "cells.csv").read_text().startswith("sector,region,turnover")
        assert self.tabulate(records, meta, "--rows", "sector", "--columns", "country") == 2
        assert "there is no variable country" in capsys.readouterr().err


PLACES = (("region", 1, 3), ("sector", 4, 6), ("turnover", 10, 5), ("group", 15, 4), ("asks", 19, 1))
