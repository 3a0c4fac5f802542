"""Adjusting tables of any shape: subtotals, more dimensions, linked tables, by the same ways in."""

import csv
import json
import re
import runpy

import numpy as np
import pyarrow as pa
import pytest

import tacita
from tacita import api
from tacita.cli import run_command
from tacita.core import DataError, Table
from tacita.core.spec import registry
from tacita.io.tables.published_table import Shown
from tacita.tables.adjustment.cta import CTA
from tacita.tables.adjustment.rounding import Rounding
from tacita.tables.adjustment.sums import settled, sums_of
from tacita.tables.input.linked_tables import link_tables, parts_of, places
from tacita.tables.plans.plan import TablePlan, kind_of
from tacita.tables.release.adjust import adjust
from tacita.tables.verify.adjusted import AdjustmentClaim
from tacita.tables.verify.claim import encoded_all, verify_files

HRC = "north\n@n1\n@n2\nsouth\n@s1\n@s2\n"
SEED = 2**70 + 1
WAYS = {
    "rounding": 'method = "rounding"\nbase = 5\n',
    "cell-key": 'method = "cell-key"\nlargest = 5\nhidden = 2\n',
    "cta": 'method = "cta"\nwhole = true\n',
}
# small counts are marked for the method that moves them
RULES = {"cta": '[[rules]]\nname = "minimum-frequency"\nthreshold = 16\nmargin = 30\n'}
LINKED = """version = 1
[input]
path = "persons.csv"
[table]
key = "key"
[table.hierarchy]
region = "region.hrc"
[[tables]]
dimensions = ["region", "sector"]
output = "by-sector.csv"
title = "Persons by sector"
[[tables]]
dimensions = ["region", "size"]
output = "by-size.html"
"""
AFTER = '[output]\njson = "result.json"\nreport = "report.html"\nnote = "note.html"\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(7)
    rows = [
        [*(generator.choice(each) for each in (["n1", "n2", "s1", "s2"], [*"abc"], [*"xyz"])), key]
        for key in generator.random(240)
    ]
    text = "\n".join(",".join(map(str, row)) for row in rows)
    (tmp_path / "persons.csv").write_text(f"region,sector,size,key\n{text}\n")
    (tmp_path / "region.hrc").write_text(HRC)
    return tmp_path


def linked(folder, method, more=""):
    (folder / "linked.toml").write_text(
        f"{LINKED}{RULES.get(method, '')}[adjust]\n{WAYS[method]}seed = {SEED}\n{more}{AFTER}"
    )
    return folder / "linked.toml"


def tables(**fields):
    dimensions = ({"region": "region.hrc", "sector": None}, {"region": "region.hrc", "size": None})
    return [tacita.tabulate("persons.csv", each, key="key", **fields) for each in dimensions]


def shown(path):
    with path.open() as file:
        return {
            tuple(row[name] for name in ("region", "sector")): row["value"] for row in csv.DictReader(file)
        }


@pytest.mark.parametrize("method", WAYS)
def test_linked_tables_are_adjusted_as_one_and_so_by_their_script(method, folder):
    place = linked(folder, method)
    assert run_command(["run", str(place)]) == 0
    files = ("by-sector.csv", "by-size.html")
    before = [(folder / name).read_bytes() for name in files]
    told = json.loads((folder / "result.json").read_text())
    assert [each["dimensions"] for each in told["tables"]] == [["region", "sector"], ["region", "size"]]
    assert [each["cells"] for each in told["tables"]] == [28, 28]
    assert told["cells"] == 49
    note = (folder / "note.html").read_text()
    assert "Persons by sector" in note
    assert "these 2 tables" in note
    script = api.load_plan(place).to_python()
    for name in (*files, "result.json", "report.html", "note.html"):
        (folder / name).unlink()
    (folder / "script.py").write_text(script)
    runpy.run_path("script.py")
    assert [(folder / name).read_bytes() for name in files] == before


@pytest.mark.parametrize("method", ["rounding", "cta"])
def test_a_cell_that_linked_tables_share_has_one_value_and_all_sums_hold(method, folder):
    release = api.run_table(api.load_plan(linked(folder, method)))
    claim = release.claim
    values = claim.adjusted.values
    assert not claim.table.relations.residuals(values).any()
    for table, cells in claim.linked:
        assert not table.relations.residuals(values[cells]).any()
    file = shown(folder / "by-sector.csv")
    first, cells = claim.linked[0]
    assert all(float(file[first.label(at)]) == values[cell] for at, cell in enumerate(cells.tolist()))


@pytest.mark.usefixtures("folder")
def test_noise_by_keys_is_the_same_alone_and_linked():
    own = tables()
    both = link_tables(own)
    together = tacita.adjust(both, "cell-key").values
    for table in own:
        assert np.array_equal(tacita.adjust(table, "cell-key").values, together[places(both, table)])


def test_linked_tables_of_fractions_are_moved_so_that_all_files_add_up(folder):
    generator = np.random.default_rng(3)
    firms = {"r": generator.choice(list("abcd"), 90), "s": generator.choice(list("xyz"), 90)}
    firms |= {"t": generator.choice(list("uvw"), 90), "v": np.round(generator.lognormal(3, 1.5, 90), 2)}
    rule = tacita.get_method("p-percent", p=40)
    own = [tacita.tabulate(pa.table(firms), ["r", other], "v", rules=rule) for other in "st"]
    for norm in (1, 2):
        made = adjust(link_tables(own), CTA(norm=norm))
        assert made.audit.safe
        assert made.adjusted.changed
        paths = [folder / f"{other}{norm}.csv" for other in "st"]
        tacita.save_adjusted_tables(own, tacita.adjust(link_tables(own), "cta", norm=norm), paths)
        assert all(path.exists() for path in paths)


def test_no_cell_of_large_linked_tables_is_said_to_be_computed_that_is_not():
    """Parts of linked tables cannot change alone: another of the other table changes with it."""
    generator = np.random.default_rng(1)
    cube = generator.integers(1, 40, size=(12, 15, 15)).astype(float)
    labels = [[f"{name}{at}" for at in range(size)] for name, size in zip("rst", cube.shape, strict=True)]
    own = [
        Table.from_array(
            cube.sum(axis=axis), names=["r", name], labels=[labels[0], labels[at]], frequency=True
        )
        for axis, name, at in ((2, "s", 1), (1, "t", 2))
    ]
    both = link_tables(own)
    assert both.n > 300
    made = adjust(both, Rounding(base=5, seconds=20))
    assert (made.adjusted.values == both.values).any()
    assert made.audit.safe


@pytest.mark.usefixtures("folder")
def test_a_file_in_which_a_shared_cell_differs_is_caught():
    own = tables()
    both = link_tables(own)
    found = adjust(both, Rounding(base=5))
    claim = AdjustmentClaim(found.adjusted, found.audit, parts_of(both, own))
    forms = [registry.lookup("published-csv", "format")()] * 2
    contents = list(encoded_all(claim, forms))
    assert all(each.passed for each in verify_files(contents, forms, claim))
    table, cells = claim.linked[1]
    shared = next(at for at in range(table.n) if table.label(at) == ("n1", "Total"))
    other = claim.adjusted.values[cells].copy()
    other[shared] += 5
    contents[1] = forms[1].encode(Shown.of_values(table, other))
    broken = {each.guarantee for each in verify_files(contents, forms, claim) if not each.passed}
    assert broken >= {"values-audited", "promises-on-file"}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("method", "said"),
    [
        ({"method": "small-counts", "base": 12}, "as by linked tables"),
        ({"method": "rounding", "base": 5, "random": True}, "as by linked tables"),
    ],
)
def test_what_cannot_be_done_in_linked_tables_is_refused_with_the_reason(method, said):
    with pytest.raises(DataError, match=said):
        tacita.adjust(link_tables(tables()), **method)


def test_linked_tables_whose_shared_cells_have_other_keys_are_refused(folder):
    one = tables()[0]
    text = (folder / "persons.csv").read_text().splitlines()
    others = [f"{line.rsplit(',', 1)[0]},{at / 1000}" for at, line in enumerate(text[1:])]
    (folder / "persons.csv").write_text("\n".join([text[0], *others]) + "\n")
    with pytest.raises(DataError, match="shared cells have different keys"):
        link_tables([one, tables()[1]])


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('[suppress]\nproblem = "exact"\n', "published in one way"),
        ('[compare]\nmethod = "optimal"\n', "tries methods of suppression"),
    ],
)
def test_a_linked_plan_goes_one_way(more, said, folder, capsys):
    assert run_command(["run", str(linked(folder, "rounding", more))]) == 2
    assert said in capsys.readouterr().err


def test_a_linked_plan_without_any_way_is_refused(folder, capsys):
    (folder / "linked.toml").write_text(LINKED)
    assert run_command(["run", "linked.toml"]) == 2
    assert "suppress is required, or adjust" in capsys.readouterr().err
    (folder / "linked.toml").write_text(f'{LINKED}[suppress]\nproblem = "exact"\n{AFTER}')
    assert run_command(["run", "linked.toml"]) == 2
    assert "output.note is the quality note of an adjusted table" in capsys.readouterr().err


@pytest.mark.parametrize("method", WAYS)
def test_the_files_of_a_linked_plan_are_audited_together(method, folder, capsys):
    place = str(linked(folder, method))
    assert run_command(["run", place]) == 0
    assert run_command(["audit", place]) == 0
    # the same cell with another value in one of both, which all sums of that table allow
    page = (folder / "by-sector.csv").read_text()
    other = re.sub(r"^(Total,.*?(?:a|Total).*?),(\d+),published", _moved, page, flags=re.MULTILINE)
    assert other != page
    (folder / "by-sector.csv").write_text(other)
    capsys.readouterr()
    assert run_command(["audit", place]) == 1
    assert "two tables show with different values" in capsys.readouterr().err


def _moved(found):
    return f"{found[1]},{int(found[2]) + 5},published"


def test_a_list_with_subtotals_is_adjusted_by_command_plan_and_script_alike(folder):
    named = ["--dimensions", "region,sector,size", "--hierarchy", "region=region.hrc"]
    assert run_command(["tabulate", "persons.csv", *named, "--key", "key", "--out", "cells.csv"]) == 0
    asked = ["--method", "cell-key", "--out", "published.csv", "--save-plan", "plan.toml"]
    assert run_command(["adjust", "cells.csv", *asked]) == 0
    before = (folder / "published.csv").read_bytes()
    assert run_command(["run", "plan.toml", "--force"]) == 0
    assert (folder / "published.csv").read_bytes() == before
    (folder / "published.csv").unlink()
    exec(api.load_plan(folder / "plan.toml").to_python(), {})
    assert (folder / "published.csv").read_bytes() == before
    table = tacita.tabulate("persons.csv", {"region": "region.hrc", "sector": None, "size": None}, key="key")
    tacita.save_adjusted(table, tacita.adjust(table, "cell-key"), "python.csv")
    assert (folder / "python.csv").read_bytes() == before


def test_a_plan_of_a_list_with_dimensions_that_is_saved_is_still_one_of_a_list(folder):
    table = tacita.tabulate("persons.csv", ["region", "sector", "size"])
    lines = [f"{'/'.join(table.label(at))}/{int(table.values[at])}" for at in np.flatnonzero(table.inner)]
    text = "\n".join(line.replace("/", ",") for line in lines)
    (folder / "list.csv").write_text(f"region,sector,size,v\n{text}\n")
    named = ["--dimensions", "region,sector,size", "--value", "v"]
    asked = ["--method", "rounding", "--base", "3", "--out", "published.html", "--save-plan", "plan.toml"]
    assert run_command(["adjust", "list.csv", *named, *asked]) == 0
    assert isinstance(api.load_plan(folder / "plan.toml"), TablePlan)
    before = (folder / "published.html").read_bytes()
    assert run_command(["run", "plan.toml", "--force"]) == 0
    assert (folder / "published.html").read_bytes() == before
    assert before.count(b"<caption>") == 5
    assert kind_of({"input": {"kind": "cells"}, "table": {"dimensions": ["a"]}, "adjust": {}}) is TablePlan


def test_subtotals_have_the_keys_of_their_parts_where_a_list_has_inner_cells_only(folder):
    table = tables()[0]
    inner = np.flatnonzero(table.inner)
    keys = table.keys.key[inner]
    text = "\n".join(
        f"{','.join(table.label(cell))},{int(table.values[cell])},{key!r}"
        for cell, key in zip(inner.tolist(), keys.tolist(), strict=True)
    )
    (folder / "inner.csv").write_text(f"region,sector,v,k\n{text}\n")
    again = tacita.read_table(
        "inner.csv",
        dimensions=["region", "sector"],
        hierarchy={"region": "region.hrc"},
        value="v",
        key="k",
        counts=True,
        sensitive=False,
    )
    ours, theirs = ({each.label(at): at for at in range(each.n)} for each in (table, again))
    order = [theirs[label] for label in ours]
    assert np.array_equal(again.keys.key[order], table.keys.key)
    assert np.array_equal(again.keys.count[order], table.keys.count)
    published = [tacita.adjust(each, "cell-key").values for each in (table, again)]
    assert np.array_equal(published[0], published[1][order])


def test_settling_makes_linked_sums_hold_to_the_last_digits():
    one = Table.from_array([[1.1, 2.2], [3.3, 4.4]], names=["r", "s"])
    two = Table.from_array([[1.0, 2.3], [3.5, 4.2]], names=["r", "t"])
    both = link_tables([one, two])
    assert not sums_of(both.relations, both.n).free(both.relations)
    assert sums_of(one.relations, one.n).free(one.relations)
    off = both.values + np.random.default_rng(0).normal(0, 1e-8, both.n)
    found = settled(both.relations, off, np.ones(both.n, dtype=bool))
    assert np.abs(both.relations.residuals(found)).max() < 1e-13
    assert np.abs(found - off).max() < 1e-7
