"""Tables in a real browser: from records to a file that stands an audit; bounds, grid, inspector."""

import subprocess
import sys
from pathlib import Path

import pytest

import tacita
from app.server.test_server import within
from tacita import api, datasets


@pytest.fixture
def ruled(browser_page):
    """The demo of firms, built, and its rules counted."""
    page = browser_page
    for name in ("start-tables", "load-demo", "build", "next", "rules-save"):
        page.get_by_test_id(name).click()
    page.get_by_test_id("sensitive-count").wait_for()
    return page


def suppressed(page):
    page.get_by_test_id("step-suppress").click()
    page.get_by_test_id("suppress").click()
    page.locator("[data-testid=verdict][data-state=verified]").wait_for(timeout=60_000)
    return page


def download(page, name, folder):
    with page.expect_download() as found:
        page.get_by_test_id(f"get-{name}").click()
    path = folder / found.value.suggested_filename
    found.value.save_as(path)
    return path


def test_the_whole_path_of_a_table(ruled, tmp_path, monkeypatch):
    page = ruled
    frame = datasets.load("business")
    rules = [
        api.get_method("p-percent"),
        api.get_method("dominance", n=2),
        api.get_method("minimum-frequency"),
    ]
    table = tacita.tabulate(frame, ["region", "sector"], "turnover", unit="group_id", rules=rules)
    assert page.get_by_test_id("sensitive-count").inner_text() == str(table.primary.sum())
    suppressed(page)
    pattern = tacita.suppress(table, margins=False)
    cost = page.get_by_test_id("cost").inner_text().replace("\u202f", "")
    assert float(cost) == pattern.cost
    assert page.get_by_test_id("node-n1").get_attribute("data-state") == "verified"
    page.get_by_test_id("step-audit").click()
    page.get_by_test_id("audit").wait_for()
    assert page.get_by_test_id("audit").locator("tbody tr").count() == table.primary.sum()
    page.get_by_test_id("step-export").click()
    # two cells are not protected from a contributor who knows their own part of every suppressed cell
    assert not page.get_by_test_id("get-data").count()
    page.get_by_test_id("acknowledge").click()
    files = {name: download(page, name, tmp_path) for name in ("data", "excel", "page", "plan", "script")}
    monkeypatch.chdir(tmp_path)
    api.write_frame(frame, "firms.csv")
    assert files["data"].name == "firms-published.csv"
    words = ["-m", "tacita", "audit", files["plan"].name]
    audited = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    assert audited.returncode == 0, audited.stdout + audited.stderr
    released = Path("firms-published.csv").read_bytes()
    Path("firms-published.csv").unlink()
    api.run_table(api.load_plan(files["plan"].name))
    assert Path("firms-published.csv").read_bytes() == released
    for name in ("published.csv", "report.html", "record.json"):
        Path(f"firms-{name}").unlink()
    exec(compile(files["script"].read_text(), "script.py", "exec"), {})
    assert Path("firms-published.csv").read_bytes() == released
    # and the page takes what was published elsewhere
    page.get_by_test_id("step-audit").click()
    page.get_by_test_id("published-file").set_input_files("firms-published.csv")
    page.locator("[data-testid=foreign-verdict][data-state=verified]").wait_for(timeout=60_000)


@pytest.mark.long
def test_the_grid_is_one_stop_with_arrows_inside_and_the_inspector_follows(ruled):
    page = suppressed(ruled)
    page.get_by_test_id("view-review").focus()
    page.keyboard.press("Tab")

    def focused():
        return page.evaluate("document.activeElement.dataset.testid")

    assert focused() == "cell-0-0"
    assert page.locator("[data-testid=grid] [tabindex='0']").count() == 1
    inspector = page.get_by_test_id("cell-inspector")
    assert "Coast × 01" in inspector.inner_text()
    assert page.get_by_test_id("inspector-range").inner_text()
    assert page.get_by_test_id("inspector-wanted").inner_text()
    page.locator("[data-strip] circle[cx]").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert focused() == "cell-1-1"
    assert "East × 08" in inspector.inner_text()
    assert not page.get_by_test_id("inspector-range").is_visible()
    page.keyboard.press("Control+End")
    assert focused() == "cell-5-8"
    page.keyboard.press("Tab")
    assert focused() == "next"
    page.get_by_test_id("view-published").check()
    page.locator(".as-published").wait_for()
    assert page.get_by_test_id("cell-0-0").inner_text() == "×"
    shown = page.get_by_test_id("grid").inner_html()
    assert "primary" not in shown
    assert "●" not in page.get_by_test_id("grid").inner_text()


@pytest.mark.long
def test_bounds_close_in_while_it_runs_and_stopping_keeps_the_best(new_browser, slow_list, tmp_path):
    page, path = new_browser(), tmp_path / "cells.csv"
    path.write_text(slow_list)
    page.get_by_test_id("start-tables").click()
    page.get_by_test_id("file").set_input_files(path)
    page.get_by_test_id("part-row").wait_for()
    page.get_by_test_id("build").click()
    page.get_by_test_id("cells").wait_for()
    page.get_by_test_id("step-suppress").click()
    page.get_by_test_id("suppress").click()
    page.locator("[data-testid=running][data-state=shown]").wait_for()
    within(60, lambda: page.get_by_test_id("lower").inner_text() != "–")
    first = page.get_by_test_id("lower").inner_text()
    within(60, lambda: page.get_by_test_id("lower").inner_text() not in (first, "–"))
    page.get_by_test_id("stop-keep").click()
    page.locator("[data-testid=verdict][data-state=verified]").wait_for(timeout=60_000)
    page.get_by_test_id("warnings").wait_for()
    page.get_by_test_id("step-export").click()
    assert not page.get_by_test_id("get-data").count()
    page.get_by_test_id("acknowledge").click()
    page.get_by_test_id("get-data").wait_for()


@pytest.mark.long
def test_a_refused_run_is_a_node_and_adjusting_another_way_to_publish(ruled):
    page = ruled
    page.get_by_test_id("step-suppress").click()
    page.get_by_test_id("method").select_option("gauss")
    page.get_by_test_id("suppress").click()
    verdict = page.locator("[data-testid=verdict][data-state=refused]")
    verdict.wait_for(timeout=60_000)
    assert page.get_by_test_id("node-n1").get_attribute("data-state") == "refused"
    page.get_by_test_id("method").select_option("rounding")
    page.get_by_test_id("param-rounding-base").fill("100000000")
    assert not page.get_by_test_id("objective").is_visible()
    page.get_by_test_id("suppress").click()
    page.locator("[data-testid=verdict][data-state=verified]").wait_for(timeout=60_000)
    page.get_by_test_id("node-n1").click()
    verdict.wait_for()


@pytest.mark.long
def test_levels_of_codes_become_rows_of_their_own(new_browser):
    page = new_browser()
    page.get_by_test_id("start-tables").click()
    page.get_by_test_id("load-demo").click()
    page.get_by_test_id("by-sector").select_option("prefixes")
    page.get_by_test_id("prefixes-sector").fill("1")
    page.get_by_test_id("build").click()
    page.get_by_test_id("cells").wait_for()
    # five regions, eight sectors in six groups, and totals
    assert page.get_by_test_id("cells").inner_text() == str(6 * (8 + 6 + 1))
