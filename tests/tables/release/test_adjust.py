"""From records or a list to an adjusted table: release, record, pages and plans."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import tacita
from seeds import SEED
from tacita.cli import run_command
from tacita.core import Adjusted, ParameterError, RunContext, Table, VerificationError
from tacita.plans import load_plan
from tacita.plans.table_plans import run_table
from tacita.tables.adjustment.adjustment_method import Adjustment
from tacita.tables.plans.plan import TablePlan, TabulatePlan
from tacita.tables.release.adjust import adjust

CELLS = "r,c,n,p\n" + "".join(
    f"{r},{c},{v},{int(v in (9, 5))}\n"
    for r, row in zip("abc", ([4, 7, 30], [2, 9, 16], [5, 11, 61]), strict=True)
    for c, v in zip("xyz", row, strict=True)
)
NAMED = ["--rows", "r", "--columns", "c", "--value", "n"]
WAYS = {
    "rounding": ["--base", "5"],
    "small-counts": ["--base", "3"],
    "cell-key": ["--seed", str(SEED)],
    "cta": ["--primary", "p", "--whole"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "cells.csv").write_text(CELLS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(method, *more):
    words = ["adjust", "cells.csv", *NAMED, "--counts", "--method", method, *WAYS[method], "--force", *more]
    return run_command(words)


@pytest.mark.each_once
@pytest.mark.parametrize("method", WAYS)
@pytest.mark.parametrize("ending", ["csv", "xlsx", "html"])
def test_the_same_seed_gives_the_same_bytes_in_every_format(method, ending, folder):
    assert run(method, "--out", f"one.{ending}") == 0
    assert run(method, "--out", f"two.{ending}") == 0
    assert (folder / f"one.{ending}").read_bytes() == (folder / f"two.{ending}").read_bytes()


@pytest.mark.parametrize("method", WAYS)
def test_the_record_tells_all_and_the_note_nothing_of_the_true_values(method, folder):
    assert run(method, "--out", "o.csv", "--json", "j.json", "--report", "r.html", "--note", "n.html") == 0
    told = json.loads((folder / "j.json").read_text())
    assert told["confidential"] is True
    assert told["method"] == method
    assert told["safe"] is True
    assert all(each["passed"] for each in told["promises"])
    assert len(told["values"]) == told["cells"] == 16
    assert {each["true"] for each in told["values"]} >= {61.0, 30.0}
    note, report = (folder / "n.html").read_text(), (folder / "r.html").read_text()
    assert "CONFIDENTIAL" in report
    assert "CONFIDENTIAL" not in note
    assert str(SEED) not in note
    # true counts, how many changed and by how much in all stay at home
    for secret in ("61", "30", "distance", "changed by", "lower bound"):
        assert secret not in note.partition("<body>")[2]


@pytest.mark.parametrize("method", WAYS)
def test_a_plan_and_its_script_give_the_same_bytes(method, folder):
    assert run(method, "--out", "o.csv", "--save-plan", "plan.toml") == 0
    first = (folder / "o.csv").read_bytes()
    plan = load_plan(folder / "plan.toml")
    assert isinstance(plan, TablePlan)
    (folder / "o.csv").unlink()
    exec(plan.to_python(), {})
    assert (folder / "o.csv").read_bytes() == first
    assert TablePlan.from_toml(plan.to_toml()) == plan


def test_records_become_an_adjusted_table_in_one_plan(folder):
    rng = np.random.default_rng(0)
    lines = [
        f"{a},{b},{k!r}" for a, b, k in zip("ns" * 60, "xyz" * 40, rng.random(120).tolist(), strict=True)
    ]
    (folder / "people.csv").write_text("\n".join(["region,size,key", *lines, ""]))
    (folder / "plan.toml").write_text(
        'version = 1\n[input]\npath = "people.csv"\n[table]\ndimensions = ["region", "size"]\nkey = "key"\n'
        '[adjust]\nmethod = "cell-key"\n[output]\npath = "out.csv"\n'
    )
    plan = load_plan("plan.toml")
    assert isinstance(plan, TabulatePlan)
    release = run_table(plan)
    assert "keys-drawn" not in {each.name for each in release.record.warnings}
    first = (folder / "out.csv").read_bytes()
    words = ["tabulate", "people.csv", "--dimensions", "region,size", "--key", "key", "--out", "cells2.csv"]
    assert run_command(words) == 0
    assert run_command(["adjust", "cells2.csv", "--method", "cell-key", "--out", "again.csv"]) == 0
    assert (folder / "again.csv").read_bytes() == first
    (folder / "out.csv").unlink()
    exec(plan.to_python(), {})
    assert (folder / "out.csv").read_bytes() == first


def test_a_dry_run_writes_nothing(folder):
    before = sorted(path.name for path in folder.iterdir())
    assert run("rounding", "--out", "o.csv", "--note", "n.html", "--dry-run") == 0
    assert sorted(path.name for path in folder.iterdir()) == before


def test_all_files_are_written_or_none(folder):
    (folder / "taken").mkdir()
    assert run("rounding", "--out", "o.csv", "--note", "taken") != 0
    assert not (folder / "o.csv").exists()


def test_values_of_whoever_made_them_are_audited_before_they_are_written(folder):
    table = Table.from_array([[4, 7], [2, 1]], frequency=True)
    good = tacita.adjust(table, "rounding", base=5)
    tacita.save_adjusted(table, good, folder / "good.csv")
    bad = replace(good, values=good.values + np.eye(1, table.n).ravel() * 5)
    with pytest.raises(VerificationError, match="do not add up"):
        tacita.save_adjusted(table, bad, folder / "bad.csv")
    nameless = replace(good, method="")
    with pytest.raises(ParameterError):
        tacita.save_adjusted(table, nameless, folder / "bad.csv")
    assert not (folder / "bad.csv").exists()


class Liar(Adjustment):
    """Says that it keeps what it does not."""

    guarantees = ("adds-up", "zeros-stay")

    def revalue(self, table, run):
        return Adjusted.of(table, table.values + 1.0)


class Boaster(Liar):
    """Says that it changed nothing."""

    def revalue(self, table, run):
        return replace(super().revalue(table, run), changed=0)


@pytest.mark.parametrize(
    ("method", "wanted"), [(Liar(), "sums do not add up"), (Boaster(), "other cells than")]
)
def test_a_method_is_not_believed_on_its_word(method, wanted):
    with pytest.raises(VerificationError, match=wanted):
        adjust(Table.from_array([[4, 7], [2, 1]]), method)


def test_what_is_drawn_differs_from_run_to_run_without_a_seed():
    table = Table.from_array(np.arange(1.0, 65.0).reshape(8, 8), frequency=True)
    drawn = [tacita.adjust(table, "cell-key").values for _ in range(2)]
    assert not np.array_equal(*drawn)
    seeded = [tacita.adjust(table, "cell-key", seed=SEED).values for _ in range(2)]
    assert np.array_equal(*seeded)


@pytest.mark.parametrize("asked", [["rounding", "--base", "1"], ["small-counts", "--base", "2", "--counts"]])
def test_a_table_in_which_nothing_changed_is_warned_of(asked, folder):
    words = ["adjust", "cells.csv", *NAMED, "--json", "result.json", "--out", "out.csv", "--method", *asked]
    assert run_command(words) == 0
    warned = json.loads((folder / "result.json").read_text())["warnings"]
    # of values that are not said to be counts, rounding alone says nothing
    judged = [] if "--counts" in asked else [("nothing-judged", 16)]
    assert [(each["name"], each["count"]) for each in warned] == [("nothing-changed", 16), *judged]


def test_a_stopped_search_is_told():
    table = Table.from_array(np.random.default_rng(0).poisson(3, (6, 6, 6)).astype(float), names="abc")
    made = tacita.adjust(table, "rounding", base=5, seconds=20, context=RunContext(should_stop=lambda: True))
    assert made.status in ("stopped", "optimal")


def test_a_file_of_tau_argus_is_adjusted_as_it_is(folder):
    table = tacita.read_table("cells.csv", rows="r", columns="c", value="n", primary="p")
    tacita.save_cells(table, folder / "cells.tab")
    assert run_command(["adjust", "cells.tab", "--method", "rounding", "--base", "10", "--out", "o.csv"]) == 0
    tacita.save_cells(table, folder / "cells.jj")
    assert run_command(["adjust", "cells.jj", "--method", "rounding", "--base", "10", "--out", "o2.csv"]) == 0


def test_an_adjusted_table_shows_nothing_of_itself_in_a_notebook():
    made = tacita.adjust(Table.from_array([[4, 987654321], [2, 1]], frequency=True), "rounding", base=5)
    assert "987654321" not in made._repr_html_()
    assert "987654321" not in repr(made)


def test_pages_are_made_of_pyarrow_tables_too():
    frame = pa.table({"a": list("xxyy"), "b": list("pqpq")})
    made = tacita.adjust(tacita.tabulate(frame, ["a", "b"]), "rounding", base=3)
    assert made.values.size == 9


def test_what_is_proven_has_no_gap_whatever_digits_are_lost():
    table = Table.from_array([[4.0, 6.0]])
    near = Adjusted.of(table, np.array([5.0, 5, 10, 5, 5, 10]), lower_bound=4.0 * (1 - 1e-15))
    assert (near.proven, near.gap) == (True, 0.0)


def test_the_page_draws_what_changed_in_the_panels_of_the_table(folder):
    assert run("cta", "--out", "o.csv", "--report", "r.html") == 0
    page = (folder / "r.html").read_text()
    assert page.count('<td class="raised">') > 0
    assert page.count('<td class="lowered">') > 0
    assert sum(page.count(f'<td class="{state}">') for state in ("raised", "lowered", "same")) == 16
    # both sensitive cells are marked, not by colour alone
    assert page.count("● ") - page.count("● marks") == 2
