"""A hierarchy in a real browser: added on the page of roles, used by a step, exported with the plan."""

import pytest

import tacita
from app.browser.test_protect import choose, download, run
from tacita import api, datasets

REGIONS = "North;Inland;*\nEast;Inland;*\nSouth;Inland;*\nWest;Sea;*\nCoast;Sea;*\n"


@pytest.mark.long
def test_a_hierarchy_is_added_chosen_and_used_by_a_step_and_its_export_runs_again(demo_page, tmp_path):
    page = demo_page
    (tmp_path / "areas.csv").write_text(REGIONS)
    page.get_by_test_id("step-roles").click()
    for column in ("turnover", "costs", "value_added", "wages", "investment", "employees"):
        page.get_by_test_id(f"role-{column}").select_option("other")
    page.get_by_test_id("role-region").select_option("quasi")
    page.get_by_test_id("role-sector").select_option("quasi")
    page.get_by_test_id("roles-save").click()
    page.get_by_test_id("risk-unique").wait_for()
    page.get_by_test_id("hierarchies").locator("summary").click()
    # what was chosen meanwhile is not lost to a file that is added
    page.get_by_test_id("role-investment").select_option("confidential")
    page.get_by_test_id("beside").set_input_files(tmp_path / "areas.csv")
    page.get_by_test_id("beside-files").wait_for()
    assert page.get_by_test_id("role-investment").input_value() == "confidential"
    page.get_by_test_id("by-region").select_option("file")
    page.get_by_test_id("hierarchy-region").select_option("areas.csv")
    page.get_by_test_id("by-sector").select_option("prefixes")
    page.get_by_test_id("lengths-sector").fill("1")
    page.get_by_test_id("roles-save").click()
    page.get_by_test_id("levels").nth(1).wait_for()
    page.get_by_test_id("step-protect").click()
    choose(page, "generalise")
    with page.expect_navigation():
        page.get_by_test_id("step-add").click()
    choose(page, "noise", "method-2")
    page.locator("details.columns summary").nth(1).click()
    page.get_by_test_id("column-region-2").uncheck()
    page.get_by_test_id("column-sector-2").uncheck()
    page.get_by_test_id("column-wages-2").check()
    page.get_by_test_id("more-options").locator("summary").click()
    page.get_by_test_id("option-insist").check()
    assert run(page, k="5") == "verified"
    assert page.get_by_test_id("level-region").inner_text() in "012"
    page.get_by_test_id("to-export").click()
    page.get_by_test_id("acknowledge").click()
    page.get_by_test_id("get-data").wait_for()
    released = download(page, "data", tmp_path)
    expected = released.read_bytes()
    names = [download(page, f"hierarchy-{at}", tmp_path).name for at in (0, 1)]
    assert sorted(names) == ["areas.csv", "sector-hierarchy.csv"]
    plan = download(page, "plan", tmp_path)
    released.unlink()
    api.write_frame(datasets.load("business"), tmp_path / "survey.csv")
    tacita.run_plan(tacita.Plan.load(plan))
    assert released.read_bytes() == expected
