"""From files to published tables of any shape: the same by commands, plans and Python; links as one."""

import csv
import json
import runpy

import numpy as np
import pytest

import tacita
from random_tables import family
from tacita import api
from tacita.cli import run_command
from tacita.core import DataError, ParameterError
from tacita.io import atomic
from tacita.tables.input.linked_tables import link_tables, places
from tacita.tables.input.read import source_of
from tacita.tables.plans.plan import LinkedPlan, TablePlan, TabulatePlan, kind_of

HRC = "north\n@n1\n@n2\nsouth\n@s1\n@s2\n"
RULES = '[[rules]]\nname = "minimum-frequency"\nthreshold = 3\nmargin = 10\n'
SUPPRESS = '[suppress]\nproblem = "interval"\nmargins = true\n'
NESTED = f"""version = 1
[input]
path = "firms.csv"
[table]
dimensions = ["region", "sector"]
value = "turnover"
unit = "firm"
prefixes = {{sector = [1]}}
[table.hierarchy]
region = "region.hrc"
{RULES}{SUPPRESS}[output]
path = "published.csv"
json = "result.json"
report = "report.html"
"""
LINKED = f"""version = 1
[input]
path = "firms.csv"
[table]
value = "turnover"
unit = "firm"
[table.hierarchy]
region = "region.hrc"
[table.prefixes]
sector = [1]
[[tables]]
dimensions = ["region", "sector"]
output = "by-sector.csv"
[[tables]]
dimensions = ["region", "size"]
output = "by-size.html"
title = "Turnover by size"
{RULES}{SUPPRESS}[output]
json = "result.json"
report = "report.html"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(5)
    lines = ["region,sector,size,turnover,firm"]
    for region in ("n1", "n2", "s1", "s2"):
        for sector in ("A1", "A2", "B1"):
            few = (region, sector) == ("n1", "A2")
            for at in range(2 if few else 6):
                size = ("small", "medium", "large")[at % 3]
                lines.append(f"{region},{sector},{size},{generator.integers(20, 200)},{region}{sector}{at}")
    (tmp_path / "firms.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "region.hrc").write_text(HRC)
    (tmp_path / "nested.toml").write_text(NESTED)
    (tmp_path / "linked.toml").write_text(LINKED)
    return tmp_path


def published(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def test_a_plan_commands_and_python_publish_the_same_bytes(folder):
    assert run_command(["run", "nested.toml"]) == 0
    bytes_of_plan = (folder / "published.csv").read_bytes()
    words = ["--dimensions", "region,sector", "--hierarchy", "region=region.hrc", "--prefixes", "sector=1"]
    rule = ["--rule", "minimum-frequency", "--threshold", "3", "--margin", "10"]
    more = ["--value", "turnover", "--unit", "firm", "--out", "cells.csv"]
    assert run_command(["tabulate", "firms.csv", *words, *rule, *more]) == 0
    asked = ["--problem", "interval", "--margins", "--out", "steps.csv"]
    assert run_command(["suppress", "cells.csv", *asked]) == 0
    assert (folder / "steps.csv").read_bytes() == bytes_of_plan
    script = api.load_plan(folder / "nested.toml").to_python()
    for name in ("published.csv", "result.json", "report.html"):
        (folder / name).unlink()
    (folder / "script.py").write_text(script)
    runpy.run_path("script.py")
    assert (folder / "published.csv").read_bytes() == bytes_of_plan
    lines = published(folder / "published.csv")
    assert [line["region_level"] for line in lines if line["sector"] == "Total"] == list("0122122")
    assert {line["sector"] for line in lines} == {"Total", "A", "B", "A1", "A2", "B1"}


@pytest.mark.parametrize("ending", ["csv", "tab", "jj"])
def test_what_tabulate_writes_suppress_publishes_as_it_publishes_the_records(folder, ending):
    table = tacita.tabulate(
        "firms.csv",
        {"region": "region.hrc", "sector": None},
        "turnover",
        unit="firm",
        prefixes={"sector": [1]},
        rules=tacita.get_method("minimum-frequency", threshold=3, margin=10),
    )
    (folder / "argus").mkdir()
    tacita.save_cells(table, f"argus/cells.{ending}")
    again = tacita.read_table(f"argus/cells.{ending}")
    ours, theirs = (tacita.suppress(each, zeros="publish") for each in (table, again))
    assert ours.problem_cost == pytest.approx(theirs.problem_cost)
    if ending != "jj":
        assert [family(each) for each in again.dimensions] == [family(each) for each in table.dimensions]


def test_a_list_with_subtotals_is_told_apart_by_its_hierarchy(folder):
    lines = ["region,sector,v,p"]
    values = {("n1", "A"): 5, ("n1", "B"): 3, ("n2", "A"): 7, ("n2", "B"): 9}
    values |= {("s1", "A"): 4, ("s1", "B"): 6, ("s2", "A"): 8, ("s2", "B"): 2}
    lines += [
        f"{town},{sector},{value},{int((town, sector) == ('n1', 'A'))}"
        for (town, sector), value in values.items()
    ]
    (folder / "inner.csv").write_text("\n".join(lines) + "\n")
    regions = {"north": ("n1", "n2"), "south": ("s1", "s2"), "PT": ("n1", "n2", "s1", "s2")}
    sums = [
        f"{region},{sector},{sum(values[town, each] for town in towns for each in sectors)},0"
        for region, towns in {**regions, **{town: (town,) for town in regions["PT"]}}.items()
        for sector, sectors in {"A": "A", "B": "B", "all": "AB"}.items()
        if len(towns) > 1 or len(sectors) > 1
    ]
    (folder / "all.csv").write_text("\n".join([*lines, *sums]) + "\n")
    named = [
        "--dimensions",
        "region,sector",
        "--value",
        "v",
        "--primary",
        "p",
        "--problem",
        "exact",
        "--objective",
        "count",
    ]
    deep = [*named, "--hierarchy", "region=region.hrc", "--total", "region=PT,sector=all"]
    for source in ("inner.csv", "all.csv"):
        out = f"published-{source}"
        assert run_command(["suppress", source, *deep, "--out", out, "--json", f"{source}.json"]) == 0
        told = json.loads((folder / f"{source}.json").read_text())
        # the worked example: subtotals of the north keep the south out of it
        assert sorted((each["row"], each["column"]) for each in told["withheld"]) == [
            *(("n1", "A"), ("n1", "B"), ("n2", "A"), ("n2", "B"))
        ]
        assert told["proven"]
    assert (folder / "published-inner.csv").read_bytes() == (folder / "published-all.csv").read_bytes()


def test_a_json_result_counts_cells_by_level(folder):
    assert run_command(["run", "nested.toml"]) == 0
    told = json.loads((folder / "result.json").read_text())
    [table] = told["tables"]
    assert table["dimensions"] == ["region", "sector"]
    assert sum(each["cells"] for each in table["levels"]) == table["cells"] == 42
    for name, count in (("primary", told["primary_count"]), ("secondary", told["secondary_count"])):
        assert sum(each[name] for each in table["levels"]) == count
    finest = next(each for each in table["levels"] if each["levels"] == [2, 2])
    assert finest["cells"] == 12


class TestLinked:
    def test_tables_are_published_together_and_shared_cells_agree(self, folder, capsys):
        assert run_command(["run", "linked.toml"]) == 0
        said = capsys.readouterr().out
        assert "published table: " in said
        assert "by-size.html" in said
        assert run_command(["audit", "linked.toml"]) == 0
        told = json.loads((folder / "result.json").read_text())
        assert [each["dimensions"] for each in told["tables"]] == [["region", "sector"], ["region", "size"]]
        assert told["places"] == ["region", "sector", "size"]
        assert told["release_fingerprint"].count(", ") == 1
        page = (folder / "by-size.html").read_text()
        assert "<h1>Turnover by size</h1>" in page
        for line in published(folder / "by-sector.csv"):
            if line["sector"] == "Total" and line["status"] == "published":
                assert f"<td>{line['value']}</td>" in page

    def test_the_script_of_the_plan_publishes_the_same_bytes(self, folder):
        plan = api.load_plan(folder / "linked.toml")
        assert isinstance(plan, LinkedPlan)
        api.run_table(plan)
        names = ("by-sector.csv", "by-size.html")
        before = [(folder / name).read_bytes() for name in names]
        (folder / "script.py").write_text(plan.to_python())
        for name in (*names, "result.json", "report.html"):
            (folder / name).unlink()
        runpy.run_path("script.py")
        assert [(folder / name).read_bytes() for name in names] == before

    def test_a_saved_plan_is_the_same_plan(self, folder):
        plan = api.load_plan(folder / "linked.toml")
        api.save_plan(plan, folder / "again.toml")
        assert api.load_plan(folder / "again.toml") == plan
        assert str(folder) not in (folder / "again.toml").read_text()

    def test_all_files_are_written_or_none(self, folder, monkeypatch):
        (folder / "by-size.html").mkdir()
        with pytest.raises(ParameterError, match=r"by-size\.html"):
            api.run_table(api.load_plan(folder / "linked.toml"))
        assert not (folder / "by-sector.csv").exists()
        (folder / "by-size.html").rmdir()
        moved, calls = atomic.os.replace, []

        def fails(source, target, *more):
            calls.append(target)
            if len(calls) == 2:
                raise OSError(28, "No space left on device")
            return moved(source, target, *more)

        monkeypatch.setattr(atomic.os, "replace", fails)
        with pytest.raises(Exception, match=r"."):
            api.run_table(api.load_plan(folder / "linked.toml"))
        left = {path.name for path in folder.iterdir()}
        assert not left & {"by-sector.csv", "by-size.html", "result.json", "report.html"}

    def test_what_one_table_publishes_lays_open_what_another_withholds(self):
        labels = [["n", "s"], ["A", "B"]]
        secret = np.array([[True, False], [False, False]])
        made = {"labels": labels, "margins": True}
        one = tacita.Table.from_array([[5, 3], [2, 4]], names=["region", "sector"], primary=secret, **made)
        none = np.zeros((2, 2), dtype=bool)
        two = tacita.Table.from_array([[1, 7], [4, 2]], names=["region", "size"], primary=none, **made)
        # the line of A and the column of totals
        mask = np.array([1, 0, 1, 1, 0, 1, 0, 0, 0], dtype=bool)
        assert tacita.audit(one, mask, "exact").safe
        whole = link_tables([one, two])
        apart = np.zeros(whole.n, dtype=bool)
        apart[places(whole, one)] = mask
        apart[places(whole, two)] = False
        assert not tacita.audit(whole, apart, "exact").safe
        together = tacita.suppress(whole, "exact")
        assert tacita.audit(whole, together).safe
        assert together.secondary_count >= 3

    def test_the_link_of_one_table_is_that_table(self, folder):
        second = LINKED.index('[[tables]]\ndimensions = ["region", "size"]')
        one = LINKED[:second] + LINKED[LINKED.index("[[rules]]") :]
        (folder / "one.toml").write_text(one)
        api.run_table(api.load_plan(folder / "one.toml"))
        api.run_table(api.load_plan(folder / "nested.toml"), force=True)
        assert (folder / "by-sector.csv").read_bytes() == (folder / "published.csv").read_bytes()

    def test_lists_that_tabulate_wrote_are_linked_too_and_who_is_alone_is_asked_apart(self, folder):
        plan = api.load_plan(folder / "linked.toml")
        for at, member in enumerate(plan.members()):
            tacita.save_cells(source_of(member).table, f"list{at}.csv")
        text = "version = 1\n" + "".join(
            f'[[tables]]\ninput = "list{at}.csv"\noutput = "out{at}.csv"\n' for at in range(2)
        )
        (folder / "lists.toml").write_text(text + SUPPRESS)
        release = api.run_table(api.load_plan(folder / "lists.toml"))
        assert release.claim.table.contributors.apart
        assert release.claim.audit.safe
        ours = api.run_table(plan, dry_run=True).claim
        assert release.claim.pattern.problem_cost == pytest.approx(ours.pattern.problem_cost)
        assert api.audit_plan(api.load_plan(folder / "lists.toml")).safe


def test_methods_are_compared_on_one_table(folder, capsys):
    methods = ["--method", "optimal,hypercube"]
    assert run_command(["compare", "nested.toml", *methods, "--json", "compared.json"]) == 0
    said = capsys.readouterr().out
    assert "1 of 2 methods found a pattern, interval; the least cost is that of optimal." in said
    assert "hypercube: Hypercube: suppresses in two-way tables" in said
    told = json.loads((folder / "compared.json").read_text())
    best = told["trials"][0]
    assert best["method"] == "optimal"
    assert best["audit"] == "safe"
    pattern = api.run_table(api.load_plan(folder / "nested.toml"), dry_run=True).claim.pattern
    assert best["cost"] == pattern.cost
    assert best["lower_bound"] == pytest.approx(pattern.lower_bound)
    assert best["secondary_count"] == pattern.secondary_count
    assert not (folder / "published.csv").exists()
    assert run_command(["compare", "nested.toml", "--method", "hypercube"]) == 2


def test_a_comparison_is_a_frame_and_what_fails_says_why():
    table = tacita.Table.from_array(np.arange(1, 10).reshape(3, 3), primary=np.diag([1, 0, 0]))
    trials = tacita.compare_suppressions(table, ["optimal", "gauss"], "exact", seconds=5)
    frame = trials.to_arrow().to_pydict()
    assert frame["method"] == ["optimal", "gauss"]
    assert frame["audit"] == ["safe", "none"]
    assert "general protection" in frame["reason"][1]
    with pytest.raises(ParameterError, match="each once"):
        tacita.compare_suppressions(table, ["optimal", "optimal"], "exact")
    with pytest.raises(ParameterError, match="no method among these has speed"):
        tacita.compare_suppressions(table, ["optimal"], "exact", speed=3)
    with pytest.raises((ParameterError, DataError)):
        tacita.compare_suppressions(table, ["gauss"], "exact")


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ({"tables": []}, LinkedPlan),
        ({"table": {"dimensions": ["a"]}}, TabulatePlan),
        ({"table": {"dimensions": ["a"], "primary": "p"}, "suppress": {}}, TablePlan),
        ({"table": {"dimensions": ["a"], "lower": 5}, "suppress": {}}, TablePlan),
        ({"table": {"dimensions": ["a"]}, "suppress": {}}, TabulatePlan),
        ({"table": {"dimensions": ["a"], "primary": "p"}, "rules": []}, TabulatePlan),
        ({"suppress": {}}, TablePlan),
        ({"roles": {}}, None),
    ],
)
def test_a_plan_is_of_records_of_a_list_or_of_linked_tables(values, kind):
    assert kind_of(values) is kind
