"""Tables of which nothing says which cells are sensitive: no verdict, no release unless that is accepted."""

import json

import numpy as np
import pyarrow as pa
import pytest

import tacita
from table_commands import run_command
from tacita import api
from tacita.core import Contributors, ParameterError, Pattern, Table, VerificationError
from tacita.tables.plans.plan import LinkedPlan, TabulatePlan, kind_of
from tacita.tables.rules import apply_rules
from tacita.tables.rules.frequency import MinimumFrequency
from tacita.tables.verify.audit import audit, require_safe

NAME = "no-sensitive-cells"
FIRMS = {
    "region": ["n", "n", "s", "s", "s"],
    "sector": ["a", "b", "a", "b", "b"],
    "turnover": [100, 3, 7, 5, 2],
}


def plain():
    return tacita.tabulate(pa.table(FIRMS), ["region", "sector"], "turnover")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = zip(*FIRMS.values(), strict=True)
    text = "".join(",".join(map(str, line)) + "\n" for line in lines)
    (tmp_path / "firms.csv").write_text("region,sector,turnover\n" + text)
    return tmp_path


@pytest.mark.parametrize("problem", ["interval", "exact"])
def test_nothing_is_chosen_for_a_table_that_no_rule_was_applied_to(problem):
    with pytest.raises(ParameterError, match=f"nothing says which cells are sensitive.*{NAME}"):
        tacita.suppress(plain(), problem=problem)
    # insisting accepts other things
    with pytest.raises(ParameterError, match=NAME):
        tacita.suppress(plain(), problem=problem, accept_risks=True)
    pattern = tacita.suppress(plain(), problem=problem, accept_risks=[NAME])
    assert pattern.parameters["accept"] == [NAME]


def test_general_protection_is_no_way_round():
    table = Table.from_array([[5, -3], [2, 4]])
    with pytest.raises(ParameterError, match=NAME):
        tacita.suppress(table, problem="general")
    assert tacita.suppress(table, problem="general", accept_risks=NAME).parameters["accept"] == [NAME]


def test_the_audit_has_no_verdict_on_such_a_table():
    table = plain()
    nothing = np.zeros(table.n, dtype=bool)
    found = audit(table, nothing, "interval")
    assert not found.safe
    assert "no verdict" in found.headline
    with pytest.raises(ParameterError, match=NAME):
        require_safe(found)
    accepted = audit(table, nothing, "interval", accept_risks=NAME)
    assert accepted.safe
    assert "accepted, not judged" in accepted.headline
    assert [each.name for each in accepted.warnings] == [NAME]


@pytest.mark.parametrize(
    "judged",
    [
        # a rule that finds nothing is a rule
        apply_rules(
            Table.from_array([9, 8], contributors=Contributors.counts([9.0, 8.0, 17.0])), MinimumFrequency()
        ),
        Table.from_array([[5, 3]], primary=[[False, False]]),
    ],
)
def test_a_rule_or_marks_are_a_judgement_also_where_no_cell_is_sensitive(judged):
    pattern = tacita.suppress(judged, problem="exact", accept_risks=NAME)
    # nothing had to be accepted
    assert "accept" not in pattern.parameters
    assert audit(judged, pattern).safe


def test_a_pattern_of_somebody_else_is_not_written_either(tmp_path):
    table = plain()
    pattern = Pattern.of(table, np.zeros(table.n, dtype=bool))
    with pytest.raises((VerificationError, ParameterError), match=NAME):
        tacita.save_table(table, pattern, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()
    accepted = tacita.suppress(table, accept_risks=NAME)
    tacita.save_table(table, accepted, tmp_path / "out.csv", json_report=tmp_path / "result.json")
    told = json.loads((tmp_path / "result.json").read_text())
    assert (told["judged"], told["accepted"], told["parameters"]["accept"]) == (False, [NAME], [NAME])


def test_a_rule_about_requests_needs_to_know_who_asked():
    # it would mark no cell, and the table would count as judged
    with pytest.raises(ParameterError, match="a column that marks who requested protection"):
        tacita.tabulate(pa.table(FIRMS), ["region"], "turnover", rules=tacita.get_method("request"))


@pytest.mark.usefixtures("folder")
def test_linked_lists_are_judged_only_if_all_are():
    marked = apply_rules(plain(), MinimumFrequency(threshold=2))
    other = tacita.tabulate(pa.table(FIRMS), ["region"], "turnover")
    assert not tacita.link_tables([plain(), other]).judged
    assert not tacita.link_tables([marked, other]).judged
    assert tacita.link_tables([marked, apply_rules(other, MinimumFrequency(threshold=2))]).judged
    for name, table in (("marked", marked), ("other", other)):
        tacita.save_cells(table, f"{name}.csv")
    plan = {
        "tables": [{"input": f"{name}.csv", "output": f"out-{name}.csv"} for name in ("marked", "other")],
        "suppress": {"problem": "exact", "margins": True},
    }
    with pytest.raises(ParameterError, match=NAME):
        api.run_table(LinkedPlan(**plan))
    plan["suppress"]["accept"] = NAME
    assert api.run_table(LinkedPlan(**plan)).record.as_dict()["accepted"] == [NAME]


@pytest.mark.parametrize("ending", ["csv", "tab", "jj"])
def test_no_file_makes_a_judgement_of_none(tmp_path, ending):
    path = tmp_path / f"cells.{ending}"
    tacita.save_cells(plain(), path)
    again = tacita.read_table(path)
    assert not again.judged
    with pytest.raises(ParameterError, match=NAME):
        tacita.suppress(again)
    marked = apply_rules(plain(), MinimumFrequency(threshold=2))
    tacita.save_cells(marked, tmp_path / f"marked.{ending}")
    assert tacita.read_table(tmp_path / f"marked.{ending}").judged


def test_a_list_without_contributors_has_no_marks_to_be_taken_for_a_judgement(tmp_path):
    tacita.save_cells(Table.from_array([[5, 3]]), tmp_path / "cells.csv")
    with pytest.raises(ParameterError, match="there is no column primary"):
        tacita.read_table(
            tmp_path / "cells.csv", rows="row", columns="column", value="value", primary="primary"
        )


def test_marks_of_a_list_of_ones_own_are_a_judgement(tmp_path):
    (tmp_path / "cells.csv").write_text("r,c,v,p\na,x,5,0\na,y,3,0\nb,x,2,0\nb,y,4,0\n")
    table = tacita.read_table(tmp_path / "cells.csv", rows="r", columns="c", value="v", primary="p")
    assert tacita.suppress(table).secondary_count == 0


def test_the_command_line_refuses_and_accepts_by_name(folder, capsys):
    made = ["tabulate", "firms.csv", "--rows", "region", "--columns", "sector", "--value", "turnover"]
    assert run_command([*made, "--out", "cells.csv"]) == 0
    assert "no cell is marked as sensitive" in capsys.readouterr().out
    asked = ["suppress", "cells.csv", "--problem", "interval", "--out", "out.csv"]
    assert run_command(asked) != 0
    assert f"--accept {NAME}" in capsys.readouterr().err
    assert not (folder / "out.csv").exists()
    assert run_command([*asked, "--accept", "everything"]) != 0
    assert NAME in capsys.readouterr().err
    pages = ["--json", "result.json", "--report", "report.html", "--save-plan", "plan.toml"]
    assert run_command([*asked, "--accept", NAME, *pages]) == 0
    said = capsys.readouterr().out
    assert "not audited" in said
    assert NAME in said
    report = (folder / "report.html").read_text()
    assert "Not audited" in report
    assert "✓ Audited" not in report
    assert NAME in (folder / "plan.toml").read_text()
    assert run_command(["audit", "cells.csv", "out.csv", "--problem", "interval"]) != 0
    assert "no verdict" in capsys.readouterr().err
    assert run_command(["audit", "cells.csv", "out.csv", "--problem", "interval", "--accept", NAME]) == 0
    assert run_command(["run", "plan.toml", "--force"]) == 0


def test_a_plan_without_rules_is_refused_and_its_script_names_what_it_accepts(folder):
    plan = {
        "input": {"path": "firms.csv"},
        "table": {"dimensions": ["region", "sector"], "value": "turnover"},
        "suppress": {"problem": "interval"},
        "output": {"path": "out.csv"},
    }
    assert kind_of(plan) is TabulatePlan
    with pytest.raises(ParameterError, match=f'accept = "{NAME}" under'):
        api.run_table(TabulatePlan(**plan))
    accepted = TabulatePlan(**{**plan, "suppress": {"problem": "interval", "accept": NAME}})
    api.run_table(accepted)
    assert (folder / "out.csv").exists()
    assert f"accept_risks=['{NAME}']" in accepted.to_python()
    with pytest.raises(ParameterError, match="nothing says which cells"):
        api.compare_table(TabulatePlan(**plan), ["optimal"])


def test_other_values_of_magnitudes_are_warned_of_where_nothing_was_judged(folder):
    adjusted = tacita.adjust(plain(), "rounding", base=5)
    tacita.save_adjusted(plain(), adjusted, "out.csv", json_report="result.json")
    warned = [each["name"] for each in json.loads((folder / "result.json").read_text())["warnings"]]
    assert "nothing-judged" in warned
    counts = tacita.tabulate(pa.table(FIRMS), ["region", "sector"])
    tacita.save_adjusted(counts, tacita.adjust(counts, "rounding", base=5), "c.csv", json_report="c.json")
    # rounding protects all counts alike
    assert json.loads((folder / "c.json").read_text())["warnings"] == []


def test_numbers_of_contributors_without_sizes_say_that_nobody_waived_protection(tmp_path):
    (tmp_path / "cells.csv").write_text("r,c,v,p,n\na,x,5,0,2\na,y,30,0,9\nb,x,20,0,9\nb,y,40,0,9\n")
    table = tacita.read_table(
        tmp_path / "cells.csv", rows="r", columns="c", value="v", primary="p", contributors="n"
    )
    marked = apply_rules(table, MinimumFrequency(threshold=3))
    assert np.flatnonzero(marked.primary & marked.inner).size == 1
