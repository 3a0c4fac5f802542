"""Protect, compare and export without a browser: what is refused says where, what is verified may leave."""

import re
import time
from itertools import pairwise

import pytest

import tacita
from app.conftest import Visitor
from tacita import api, datasets

PROTECT, COMPARE, EXPORT = "/microdata/protect", "/microdata/compare", "/microdata/export"
MDAV = {"s0.method": "mdav", "s0.was": "mdav"}
STATE = r'data-testid="verdict" data-state="(\w+)"'


def with_roles(visitor):
    """The demo survey, its roles as they were guessed."""
    visitor.post("/microdata/data/demo")
    visitor.wait_for("/microdata/data", 'data-testid="records"')
    visitor.post("/microdata/roles")
    visitor.wait_for("/microdata/roles", 'data-testid="risk-unique"')
    return visitor


@pytest.fixture(scope="module")
def office(app):
    return with_roles(Visitor(app).enter())


def ended(visitor, path=PROTECT, seconds=90):
    """The page as soon as nothing runs."""
    until = time.monotonic() + seconds
    while 'data-testid="running" data-state="shown"' in (text := visitor.get(path).text):
        assert time.monotonic() < until
        time.sleep(0.1)
    return text


def run(visitor, **fields):
    assert visitor.post(PROTECT, do="run", **{**MDAV, **fields}).status == 303
    return ended(visitor)


def shown(text, name):
    return float(re.search(rf'data-testid="score-{name}">([\d.,]+)<', text)[1].replace(",", "."))


def test_a_run_shows_verdict_figures_pictures_and_promises(office, app):
    before = set(app.folder.rglob("release.csv"))
    text = run(office, **{"s0.k": "5"})
    assert re.search(STATE, text)[1] == "verified"
    (released,) = set(app.folder.rglob("release.csv")) - before
    (source,) = released.parents[1].glob("source-*")
    quasi = ["employees", "turnover", "costs", "value_added", "wages", "investment"]
    report = tacita.evaluate(source, released, quasi=quasi)
    for name in ("PIL", "DR", "SCORE"):
        assert shown(text, name) == pytest.approx(report[name].value, abs=0.051)
    assert text.count('class="histogram"') == len(quasi)
    assert text.count('class="heat"') == 3
    for name in ("warnings", "before-after", "promises", "spot-n1", "node-n1"):
        assert f'data-testid="{name}"' in text


def test_pictures_speak_the_language_of_the_page_and_name_the_pairs_that_changed_most(office):
    text = run(office, **{"s0.k": "5"})
    changes = re.findall(r'<td class="num">(\S+) → (\S+)</td>', text)
    widths = [
        abs(float(after.replace("−", "-")) - float(before.replace("−", "-"))) for before, after in changes
    ]
    assert len(changes) == 8
    assert all(wider >= width - 0.011 for wider, width in pairwise(widths))
    office.post("/settings", language="pt", theme="auto")
    try:
        said = office.get(PROTECT).text
    finally:
        office.post("/settings", language="en", theme="auto")
    cells = [set(re.findall(r'y="22">([^<]+)<', each)) for each in (text, said)]
    assert {each.replace(".", ",") for each in cells[0]} == cells[1] != cells[0]


def test_a_second_run_is_a_child_and_shows_what_changed(office):
    run(office, **{"s0.k": "5"})
    text = run(office, **{"s0.k": "12"})
    change = re.search(r'data-testid="delta-PIL">▲ ([\d.]+)', text)
    assert float(change[1]) > 1
    assert "Starting from <strong" in text


def test_a_wrong_value_is_refused_beside_its_field_and_nothing_is_written(office, app):
    files = set(app.folder.rglob("n*/*"))
    for wrong in ("1", "many", "900"):
        text = run(office, **{"s0.k": wrong})
        assert re.search(STATE, text)[1] == "refused"
        assert 'data-testid="problem-k"' in text
        assert f'value="{wrong}"' in text
        node = re.findall(r'data-testid="node-(n\d+)" data-state="refused"', text)[-1]
        assert set(app.folder.rglob("n*/*")) == files
        # the address is refused too, whoever types it
        assert office.get(f"/microdata/get/data?node={node}").status == 409


def test_a_requirement_that_is_not_met_refuses_the_release(office):
    text = run(office, **{"s0.k": "3", "r0.name": "DR", "r0.limit": "0,5"})
    assert re.search(STATE, text)[1] == "refused"
    assert "does not meet 1 of 1 requirements" in text
    assert 'value="0.5"' in text


def test_steps_are_added_run_and_removed(office):
    office.post(PROTECT, do="add", **MDAV, **{"s0.k": "4"})
    text = office.get(PROTECT).text
    assert 'data-testid="method-2"' in text
    second = {"s1.method": "rank-swap", "s1.was": "rank-swap", "s1.p": "5", "s1.columns": "wages"}
    # of these nothing follows from columns that are released as they are
    text = run(office, **{"s0.k": "4", "s0.columns": "employees", **second})
    assert re.search(STATE, text)[1] == "verified"
    assert "Result: mdav k=4, rank-swap p=5" in text
    assert "several steps" in office.get(COMPARE).text
    office.post(PROTECT, do="remove-1", **MDAV, **{"s0.k": "4", "s0.columns": "employees", **second})
    assert 'data-testid="method-2"' not in office.get(PROTECT).text


@pytest.mark.long
def test_trials_land_one_by_one_and_what_is_refused_is_one_of_them(visitor):
    with_roles(visitor)
    assert "compare.empty" not in visitor.get(COMPARE).text
    visitor.post(COMPARE, do="run", method="mdav", **{"g.k": "3, 900, 6"})
    text = ended(visitor, COMPARE)
    found = re.findall(r'data-testid="trial-n\d" data-state="(\w+)"', text)
    assert found == ["verified", "refused", "verified"]
    assert len(re.findall(r'data-testid="spot-n\d"', text)) == 2
    visitor.post(COMPARE, do="run", method="mdav", **{"g.k": "3, 3"})
    assert "is given twice" in ended(visitor, COMPARE)
    many = ", ".join(str(k) for k in range(3, 110))
    visitor.post(COMPARE, do="run", method="mdav", **{"g.k": many})
    assert "107 trials" in ended(visitor, COMPARE)


def test_a_comparison_that_is_cancelled_keeps_what_has_ended(visitor):
    with_roles(visitor)
    visitor.post(COMPARE, do="run", method="best", **{"g.k": "3, 4, 5, 6, 7, 8", "g.time": "2"})
    visitor.wait_for(COMPARE, 'data-state="verified"')
    visitor.post("/microdata/cancel")
    found = re.findall(r'data-testid="trial-n\d" data-state="(\w+)"', ended(visitor, COMPARE))
    assert found.count("verified") >= 1
    assert found[-1] == "cancelled"
    assert len(found) < 6


def test_nothing_leaves_before_its_warnings_were_read_nor_after_the_roles_changed(visitor):
    with_roles(visitor)
    assert 'data-state="locked"' in visitor.get(EXPORT).text
    run(visitor, **{"s0.k": "5"})
    text = visitor.get(EXPORT).text
    assert 'data-testid="acknowledge"' in text
    assert "/microdata/get/" not in text
    visitor.post("/microdata/acknowledge", node="n1")
    text = visitor.get(EXPORT).text
    for name in ("data", "note", "report", "plan", "script", "history"):
        assert f'data-testid="get-{name}"' in text
        assert visitor.get(f"/microdata/get/{name}?node=n1").status == 200
    public, confidential = text.split('data-testid="confidential"')
    assert "get-data" in public
    assert "get-report" not in public
    assert "get-report" in confidential
    assert (
        '"unique-combinations"' in visitor.get("/microdata/get/history?node=n1").text.split("acknowledged")[1]
    )
    employees = re.search(
        r'name="role\.(\d+)" data-testid="role-employees"', visitor.get("/microdata/roles").text
    )
    visitor.post("/microdata/roles", **{f"role.{employees[1]}": "other"})
    assert visitor.get("/microdata/get/data?node=n1").status == 409
    assert "/microdata/get/" not in visitor.get(EXPORT).text
    assert 'data-testid="node-n1" data-state="stale"' in visitor.get(PROTECT).text


def test_columns_with_markup_for_names_are_text_on_every_screen(visitor):
    name = "<script>alert(1)</script>"
    rows = "".join(f"{i % 7},{i * 37 % 101}\n" for i in range(60))
    visitor.send("/microdata/data/file", f"{name},b\n{rows}".encode(), "a.csv")
    visitor.wait_for("/microdata/data", 'data-testid="records"')
    visitor.post("/microdata/roles", **{"role.0": "quasi", "role.1": "quasi", "kind.0": "numeric"})
    visitor.wait_for("/microdata/roles", 'data-testid="risk-unique"')
    text = run(visitor, **{"s0.k": "4"})
    assert re.search(STATE, text)[1] == "verified"
    visitor.post(PROTECT, do="add", **MDAV)
    for path in (PROTECT, COMPARE, EXPORT):
        assert "<script>alert" not in visitor.get(path).text
    assert "&lt;script&gt;alert" in visitor.get(PROTECT).text


@pytest.mark.long
def test_a_project_opens_again_and_the_same_plan_gives_the_same_bytes(app, visitor, tmp_path):
    api.write_frame(datasets.load("business"), tmp_path / "survey.csv")
    survey = (tmp_path / "survey.csv").read_bytes()

    def given(visitor):
        visitor.send("/microdata/data/file", survey, "survey.csv")
        visitor.wait_for("/microdata/data", 'data-testid="records"')

    given(visitor)
    visitor.post("/microdata/roles")
    visitor.wait_for("/microdata/roles", 'data-testid="risk-unique"')
    run(visitor, **{"s0.method": "noise", "s0.was": "noise", "s0.alpha": "0.3"})
    visitor.post("/microdata/acknowledge", node="n1")
    saved = visitor.get("/microdata/get/history?node=n1").text
    released = visitor.get("/microdata/get/data?node=n1").text
    other = Visitor(app).enter()
    other.send("/open", saved.encode(), "project.json")
    given(other)
    text = other.get(EXPORT).text
    assert 'data-testid="node-n1" data-state="verified"' in text
    assert "holds no data" in text
    form = other.get(f"{PROTECT}?node=n1").text
    seed = re.search(r'name="o.seed" value="(\d+)"', form)[1]
    text = run(other, **{"s0.method": "noise", "s0.was": "noise", "s0.alpha": "0.3", "o.seed": seed})
    node = re.findall(r'data-testid="node-(n\d+)" data-state="verified"', text)[-1]
    other.post("/microdata/acknowledge", node=node)
    assert other.get(f"/microdata/get/data?node={node}").text == released
