"""A refused run in a real browser: the column, its confidential report, and the way out, which is taken."""

import pytest

from app.browser.access import everywhere
from app.browser.test_protect import run, to_protect

OTHERS = ("employees", "costs", "value_added", "wages", "investment")


@pytest.fixture
def undone(demo_page):
    """Turnover alone is protected, and costs with value added give it back."""
    to_protect(demo_page, **dict.fromkeys(OTHERS, "other"))
    assert run(demo_page, k="4") == "refused"
    return demo_page


@pytest.mark.long
def test_a_refused_run_names_the_column_shows_its_report_and_the_way_out_works(undone, tmp_path):
    page = undone
    assert "600 of 600 changed cells" in page.get_by_test_id("refused-findings").inner_text()
    assert "turnover" in page.get_by_test_id("refused-findings").inner_text()
    assert "costs or value_added" in page.get_by_test_id("refused-ways").inner_text()
    for name in ("to-export", "get-data", "get-note", "scores"):
        assert not page.get_by_test_id(name).count()
    with page.expect_download() as waiting:
        page.get_by_test_id("refused-report").click()
    assert waiting.value.suggested_filename == "survey-refused-n1-CONFIDENTIAL.html"
    waiting.value.save_as(tmp_path / "report.html")
    assert "turnover follow from costs with value_added" in (tmp_path / "report.html").read_text()
    assert everywhere(page) == {}
    # the way out: one of the columns is left out
    page.get_by_test_id("refused-roles").click()
    page.get_by_test_id("role-value_added").select_option("identifiers")
    page.get_by_test_id("roles-save").click()
    page.get_by_test_id("step-protect").click()
    page.get_by_test_id("method").wait_for()
    assert run(page, k="4") == "verified"
    assert page.get_by_test_id("gravity-finds-records").is_visible()


@pytest.mark.long
def test_a_requirement_that_is_not_met_is_in_sight_and_can_be_changed(demo_page):
    page = demo_page
    to_protect(page)
    page.get_by_test_id("more-options").locator("summary").click()
    page.get_by_test_id("require-1").select_option("IL1")
    page.get_by_test_id("require-limit-1").fill("5")
    assert run(page, k="5") == "refused"
    assert "investment" in page.get_by_test_id("refused-findings").inner_text()
    assert page.get_by_test_id("refused-report").is_visible()
    assert page.get_by_test_id("require-limit-1").is_visible()
    assert everywhere(page) == {}
    page.get_by_test_id("require-limit-1").fill("90")
    assert run(page) == "verified"
