"""Protect, compare, export, history and map in a real browser."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app.server.test_server import runs, within
from tacita import api, datasets

QUASI = ["employees", "turnover", "costs", "value_added", "wages", "investment"]


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.csv"
    api.write_frame(datasets.load("business"), path)
    return path


def to_protect(page, **roles):
    page.get_by_test_id("step-roles").click()
    for column, role in roles.items():
        page.get_by_test_id(f"role-{column}").select_option(role)
    page.get_by_test_id("roles-save").click()
    page.get_by_test_id("step-protect").click()
    page.get_by_test_id("method").wait_for()


def choose(page, method, testid="method"):
    with page.expect_navigation():
        page.get_by_test_id(testid).select_option(method)


def run(page, **values):
    """Fill in what is asked, run it, and wait for its verdict."""
    for name, value in values.items():
        page.get_by_test_id(f"param-{name}").fill(value)
    page.get_by_test_id("run").click()
    page.locator("[data-testid=history] [aria-current]:not([data-state=running])").wait_for()
    page.get_by_test_id("verdict").wait_for()
    return page.get_by_test_id("verdict").get_attribute("data-state")


def download(page, name, folder):
    with page.expect_download() as waiting:
        page.get_by_test_id(f"get-{name}").click()
    path = Path(folder) / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def tool(*words, folder):
    return subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True, timeout=200)


def test_the_whole_way_from_a_file_to_downloads_that_verify_again(browser_page, survey, tmp_path):
    page = browser_page
    page.get_by_test_id("start-microdata").click()
    page.get_by_test_id("file").set_input_files(survey)
    page.get_by_test_id("records").wait_for()
    to_protect(page)
    choose(page, "noise")
    assert run(page, alpha="0.4") == "verified"
    scores = {name: page.get_by_test_id(f"score-{name}").inner_text() for name in ("PIL", "DR")}
    page.get_by_test_id("to-export").click()
    assert page.get_by_test_id("verdict").get_attribute("data-state") == "locked"
    assert not page.get_by_test_id("get-data").count()
    page.get_by_test_id("acknowledge").click()
    page.get_by_test_id("get-data").wait_for()
    taken = tmp_path / "taken"
    taken.mkdir()
    released = download(page, "data", taken)
    assert released.name == "survey-protected.csv"
    # measured again by the command line
    figures = taken / "figures.json"
    command = (sys.executable, "-m", "tacita")
    words = (
        "assess",
        str(survey),
        str(released),
        "--quasi",
        ",".join(QUASI),
        "--json",
        str(figures),
        "--quiet",
    )
    tool(*command, *words, folder=taken)
    found = {each["name"]: each["value"] for each in json.loads(figures.read_text())["scores"]}
    assert {name: f"{found[name]:.1f}" for name in scores} == scores
    # the plan and the script give the same bytes
    for name, words in (("plan", (*command, "run", "--quiet")), ("script", (sys.executable,))):
        place = tmp_path / name
        place.mkdir()
        (place / "survey.csv").write_bytes(survey.read_bytes())
        path = download(page, name, place)
        tool(*words, path.name, folder=place)
        assert (place / "survey-protected.csv").read_bytes() == released.read_bytes()
    for name in ("note", "report"):
        assert b"<html" in download(page, name, taken).read_bytes()
    project = json.loads(download(page, "history", taken).read_text())
    (node,) = project["history"]["nodes"]
    assert node["acknowledged"]


@pytest.mark.long
def test_a_form_says_beside_the_field_what_is_wrong_with_it(demo_page):
    page = demo_page
    to_protect(page)
    assert run(page, k="1") == "refused"
    assert "at least 2" in page.get_by_test_id("problem-k").inner_text()
    assert page.get_by_test_id("param-k").input_value() == "1"
    assert page.get_by_test_id("param-k").get_attribute("aria-invalid") == "true"
    # by keyboard alone
    page.get_by_test_id("param-k").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("6")
    page.keyboard.press("Enter")
    page.locator("[data-testid=verdict][data-state=verified]").wait_for()
    response = page.request.get(f"{page.url.split('/microdata')[0]}/microdata/get/data?node=n1")
    assert response.status == 409


# what the bar and its text were at every moment, noted by the page itself
_NOTE = """() => {
  window.noted = [];
  const part = (name) => document.querySelector(`[data-testid=${name}]`);
  const note = () => {
    window.noted.push([part("stage").textContent, part("share").textContent, part("progress").value]);
  };
  new MutationObserver(note).observe(part("running"), {
    subtree: true, childList: true, characterData: true, attributes: true,
  });
}"""


@pytest.mark.long
def test_a_long_run_is_seen_at_once_moves_and_can_be_cancelled(demo_page, app):
    page = demo_page
    to_protect(page, region="other")
    choose(page, "best")
    page.get_by_test_id("param-time").fill("60")
    files = set(app.folder.rglob("n*/*"))
    page.get_by_test_id("run").click()
    # at once: it is there before anything of it is known
    page.locator("[data-testid=running][data-state=shown]").wait_for()
    page.evaluate(_NOTE)
    within(60, lambda: len({share for _, share, _ in page.evaluate("noted")}) > 3)
    noted = page.evaluate("noted")
    # text and bar change one after the other, in one go: what is on the screen agrees
    assert page.evaluate(
        "document.querySelector('[data-testid=share]').textContent"
        " === `${document.querySelector('[data-testid=progress]').value} %`"
    )
    assert all(0 <= value <= 100 for _, _, value in noted)
    assert page.get_by_test_id("elapsed").inner_text().endswith(" s")
    before = app.children()
    page.get_by_test_id("cancel").click()
    page.locator("[data-testid=verdict][data-state=cancelled]").wait_for()
    assert "Nothing was written" in page.get_by_test_id("verdict").inner_text()
    # the one that worked is gone; others wait
    within(20, lambda: not all(runs(pid) for pid in before))
    assert set(app.folder.rglob("n*/*")) == files


@pytest.mark.long
def test_a_search_is_stopped_and_keeps_the_best(demo_page):
    page = demo_page
    to_protect(page, region="other")
    choose(page, "best")
    page.get_by_test_id("param-time").fill("100")
    page.get_by_test_id("run").click()
    page.get_by_test_id("stop-keep").wait_for()
    within(60, lambda: page.get_by_test_id("progress").evaluate("(bar) => bar.value > 0"))
    page.get_by_test_id("stop-keep").click()
    page.locator("[data-testid=verdict][data-state=verified]").wait_for(timeout=60_000)
    assert "stopped by the user" in page.get_by_test_id("warnings").text_content()


@pytest.mark.long
def test_history_branches_goes_back_compares_and_repeats_to_the_byte(demo_page, tmp_path):
    page = demo_page
    to_protect(page)
    choose(page, "noise")
    assert run(page, alpha="0.3") == "verified"
    assert run(page, alpha="0.6") == "verified"
    assert "▲" in page.get_by_test_id("delta-PIL").inner_text()
    page.get_by_test_id("node-n1").click()
    page.locator("[data-testid=node-n1][aria-current]").wait_for()
    assert page.get_by_test_id("param-alpha").input_value() == "0.3"
    # the same plan and seed, from the node that was gone back to: a branch of its own
    assert run(page) == "verified"
    tree = page.locator("[data-testid=history] li")
    assert [tree.nth(at).get_attribute("class") for at in range(3)] == ["d0", "d1 past-0", "d1"]
    page.get_by_test_id("compare-with").select_option("n2")
    page.get_by_test_id("side-by-side").wait_for()
    assert page.get_by_test_id("side-by-side").locator("tr.differs").count() > 2
    # a spot of the map is a button, by keyboard too
    page.get_by_test_id("spot-n2").focus()
    page.keyboard.press("Space")
    page.locator("[data-testid=node-n2][aria-current]").wait_for()
    page.go_back()
    contents = []
    for node in ("n1", "n3", "n2"):
        page.get_by_test_id(f"node-{node}").click()
        page.locator(f"[data-testid=node-{node}][aria-current]").wait_for()
        page.get_by_test_id("step-export").click()
        page.get_by_test_id("acknowledge").click()
        contents.append(download(page, "data", tmp_path).read_bytes())
        page.get_by_test_id("step-protect").click()
    assert contents[0] == contents[1] != contents[2]


@pytest.mark.long
def test_trials_land_in_history_and_map_while_the_page_stays(demo_page):
    page = demo_page
    to_protect(page)
    page.get_by_test_id("step-compare").click()
    page.get_by_test_id("grid-k").fill("3, 5, 8, 12")
    page.get_by_test_id("grid-run").click()
    page.get_by_test_id("cancel").wait_for()
    page.evaluate("window.stayed = true")
    page.get_by_test_id("spot-n1").wait_for()
    assert page.evaluate("window.stayed") or page.get_by_test_id("spot-n4").count()
    page.get_by_test_id("spot-n4").wait_for()
    page.locator("[data-testid=running]").wait_for(state="hidden")
    page.locator("[data-testid=trials] tr[data-state=verified]").nth(3).wait_for()
    assert page.locator("svg .front").get_attribute("points").count(",") >= 2
