"""Hierarchies of microdata on the page: added as files or made, chosen, exported with the plan."""

import json
import re
import tomllib

import pytest

import tacita
from app.conftest import Visitor
from app.forms import send
from tacita import api, datasets

ROLES, PROTECT, EXPORT = "/microdata/roles", "/microdata/protect", "/microdata/export"
COLUMNS = [*datasets.load("business").column_names]
AT = {name: COLUMNS.index(name) for name in COLUMNS}
REGIONS = b"North;Inland;*\nEast;Inland;*\nSouth;Inland;*\nWest;Sea;*\nCoast;Sea;*\n"
# region and sector are what somebody may know, and who employs how many
KNOWN = {f"role.{AT[name]}": "other" for name in ("turnover", "costs", "value_added", "wages", "investment")}
KNOWN |= {f"role.{AT[name]}": "quasi" for name in ("region", "sector", "employees")}


def saved(visitor, **fields):
    """The form of roles as the page shows it, with what is named."""
    assert send(visitor, ROLES, f"{ROLES}?from=0&find=", **fields).status == 303
    return visitor.wait_for(ROLES, 'data-testid="running" data-state="hidden"')


@pytest.fixture
def office(visitor):
    visitor.post("/microdata/data/demo")
    visitor.wait_for("/microdata/data", 'data-testid="records"')
    saved(visitor, **KNOWN)
    return visitor


def levels_of(text, column):
    """How many labels there are on each level, as the card of a column shows them."""
    card = text.partition(f"<legend>{column}</legend>")[2].partition("</fieldset>")[0]
    return [int(count) for count in re.findall(r"(?:values|labels): (\d+)", card)]


def generalised(visitor, **fields):
    """Run the method that looks for the best levels."""
    given = {"s0.method": "generalise", "s0.was": "generalise", "s0.k": "5", "o.insist": "true"}
    visitor.post(PROTECT, do="run", **{**given, **fields})
    return visitor.wait_for(PROTECT, 'data-testid="running" data-state="hidden"', 90)


def taken(visitor, name, node="n1"):
    answer = visitor.get(f"/microdata/get/{name}?node={node}")
    assert answer.status == 200
    return answer


def test_a_file_and_made_levels_are_used_and_plan_and_files_give_the_same_bytes(office, tmp_path):
    assert json.loads(office.send(f"{ROLES}/beside", REGIONS, "region.csv").text) == {"next": ROLES}
    # a file that is called as a column is its own
    text = office.wait_for(ROLES, 'data-testid="levels"')
    assert levels_of(text, "region") == [5, 2, 1]
    assert "Inland, Sea" in text
    # and stays so when a browser keeps the form that was open meanwhile
    text = saved(office, only="beside", **{f"by.{AT['region']}": "none"})
    assert levels_of(text, "region") == [5, 2, 1]
    at = AT["employees"]
    sizes = {f"by.{at}": "intervals", f"widths.{at}": "10; 50", f"top.{at}": "200"}
    codes = {f"by.{AT['sector']}": "prefixes", f"lengths.{AT['sector']}": "1"}
    text = saved(office, **sizes, **codes)
    distinct = len(set(datasets.load("business")["employees"].to_pylist()))
    assert levels_of(text, "employees")[0] == distinct
    assert levels_of(text, "sector") == [8, 6, 1]
    assert "employees-hierarchy.csv" in text
    assert office.get("/microdata/get/hierarchy-0?node=n1").status == 409
    text = generalised(office)
    assert 'data-testid="verdict" data-state="verified"' in text, text.partition("verdict")[2][:900]
    shown = {name: int(level) for name, level in re.findall(r'data-testid="level-(\w+)">(\d)', text)}
    assert set(shown) == {"region", "sector", "employees"}
    assert "other categories" in text
    office.post("/settings", language="pt")
    text = office.get(PROTECT).text
    assert "outras: " in text
    assert "other categories" not in text
    office.post("/microdata/acknowledge", node="n1")
    names = re.findall(r'data-testid="get-hierarchy-\d">([^<]+)', office.get(EXPORT).text)
    assert sorted(names) == ["employees-hierarchy.csv", "region.csv", "sector-hierarchy.csv"]
    for at, name in enumerate(names):
        answer = taken(office, f"hierarchy-{at}")
        assert answer.getheader("content-disposition").endswith(f"''{name}")
        (tmp_path / name).write_bytes(answer.content)
    assert (tmp_path / "region.csv").read_bytes() == REGIONS
    assert office.get("/microdata/get/hierarchy-3?node=n1").status == 404
    plan = taken(office, "plan").text
    assert str(office.app.folder) not in plan + taken(office, "script").text + taken(office, "report").text
    (tmp_path / "plan.toml").write_text(plan)
    api.write_frame(datasets.load("business"), tmp_path / "survey.csv")
    release = tacita.run_plan(tacita.Plan.load(tmp_path / "plan.toml"))
    assert (tmp_path / "survey-protected.csv").read_bytes() == taken(office, "data").content
    assert release.record.steps[0].search["levels"] == shown


def test_recode_goes_up_to_the_levels_that_are_chosen(office):
    office.send(f"{ROLES}/beside", REGIONS, "region.csv")
    office.wait_for(ROLES, 'data-testid="levels"')
    saved(office, **{f"role.{AT['sector']}": "other", f"role.{AT['employees']}": "other"})
    office.post(PROTECT, **{"s0.method": "recode", "s0.was": ""})
    text = office.get(PROTECT).text
    assert f'name="s0.level.{AT["region"]}"' in text
    assert "1 · labels: 2" in text
    given = {"s0.method": "recode", "s0.was": "recode", f"s0.level.{AT['region']}": "1", "o.insist": "true"}
    office.post(PROTECT, do="run", **given)
    text = office.wait_for(PROTECT, 'data-testid="running" data-state="hidden"', 90)
    assert 'data-testid="verdict" data-state="verified"' in text, text.partition("verdict")[2][:900]
    # the form shows again what was chosen
    assert '<option value="1" selected>1 · labels: 2' in text
    office.post("/microdata/acknowledge", node="n1")
    assert tomllib.loads(taken(office, "plan").text)["protect"]["level"] == {"region": 1}
    lines = taken(office, "data").text.splitlines()
    at = lines[0].split(",").index("region")
    assert {line.split(",")[at] for line in lines[1:]} == {"Inland", "Sea"}


def test_what_cannot_be_made_is_said_beside_its_column_and_nothing_runs_without_it(office):
    at = AT["employees"]
    text = saved(office, **{f"by.{at}": "intervals", f"widths.{at}": "5, 12"})
    assert "every width must be a multiple" in text.partition('problem-hierarchy-employees"')[2][:200]
    assert 'value="5, 12"' in text
    assert 'data-testid="roles-problem"' in text
    assert 'data-state="locked"' in office.get(PROTECT).text
    text = saved(office, **{f"by.{at}": "none"})
    assert 'data-testid="roles-problem"' not in text
    text = saved(office, **{f"by.{AT['region']}": "intervals", f"widths.{AT['region']}": "5"})
    assert "5 of 5 values are not numeric" in text


def test_values_that_a_file_lacks_are_counted_and_never_named(office):
    office.send(f"{ROLES}/beside", REGIONS.replace(b"Coast;Sea;*\n", b""), "regions of ours.csv")
    text = saved(office, **{f"by.{AT['region']}": "file", f"file.{AT['region']}": "regions of ours.csv"})
    assert "1 of 5 values of the file are not in this hierarchy" in text
    assert "Coast" not in text
    text = generalised(office)
    assert 'data-testid="verdict" data-state="refused"' in text
    assert "not in its hierarchy" in text
    assert "Coast" not in text


def test_other_files_are_refused_and_a_broken_one_is_called_by_its_owners_name(office):
    answer = json.loads(office.send(f"{ROLES}/beside", b"x", "region.toml").text)
    assert ".csv, .hrc, .txt" in answer["message"]
    office.send(f"{ROLES}/beside", b"\xff\xfe\x00", "region.csv")
    text = office.wait_for(ROLES, "problem-hierarchy-region")
    assert "region.csv: cannot be read as a text file of UTF-8" in text
    office.send(f"{ROLES}/beside", b"North;a;*\nEast;b\n", "region.csv")
    text = office.wait_for(ROLES, "have more or fewer levels")
    assert "Hierarchy region: 1 of 2 lines" in text
    # what a form says of places and ways that there are not changes nothing
    office.post(ROLES, **{"by.1": "anything", "by.99": "file", "file.99": "/etc/passwd"})
    assert "passwd" not in office.get(ROLES).text


def test_a_run_is_stale_with_another_file_of_its_hierarchy_and_not_with_one_beside(office):
    office.send(f"{ROLES}/beside", REGIONS, "region.csv")
    office.wait_for(ROLES, 'data-testid="levels"')
    generalised(office)
    office.send(f"{ROLES}/beside", b"a;b\n", "other.csv")
    assert 'data-testid="node-n1" data-state="verified"' in office.get(ROLES).text
    office.send(f"{ROLES}/beside", REGIONS.replace(b"East;Inland", b"East;Sea"), "region.csv")
    text = office.get(ROLES).text
    assert 'data-testid="node-n1" data-state="stale"' in text
    assert office.get("/microdata/get/hierarchy-0?node=n1").status == 409


def test_a_project_asks_for_its_hierarchies_by_name_and_goes_on_with_them(office, app):
    office.send(f"{ROLES}/beside", REGIONS, "region.csv")
    office.wait_for(ROLES, 'data-testid="levels"')
    generalised(office)
    office.post("/microdata/acknowledge", node="n1")
    saved_project, seed = taken(office, "history").text, taken(office, "plan").text
    other = Visitor(app).enter()
    assert "next" in json.loads(other.send("/open", saved_project.encode(), "project.json").text)
    other.post("/microdata/data/demo")
    other.wait_for("/microdata/data", 'data-testid="records"')
    assert "region.csv has not been added yet" in other.get(ROLES).text
    other.send(f"{ROLES}/beside", REGIONS, "region.csv")
    text = other.wait_for(ROLES, 'data-testid="levels"')
    assert 'data-testid="node-n1" data-state="verified"' in text
    assert send(other, PROTECT, do="run").status == 303
    other.wait_for(PROTECT, 'data-testid="node-n2" data-state="verified"', 90)
    other.post("/microdata/acknowledge", node="n2")
    assert taken(other, "plan", "n2").text == seed
    assert taken(other, "data", "n2").content == taken(office, "data").content
    wrong = json.loads(saved_project)
    wrong["declared"]["hierarchy"] = ["region.csv"]
    assert "next" not in json.loads(other.send("/open", json.dumps(wrong).encode(), "project.json").text)
