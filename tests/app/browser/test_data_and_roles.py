"""The first steps in a real browser: a file, its roles, the risk before protection."""

import json

import tacita
from tacita import datasets


def test_from_the_start_to_the_risk_before_protection(demo_page):
    page = demo_page
    assert page.get_by_test_id("records").inner_text() == "600"
    assert page.get_by_test_id("loaded-file").inner_text() == "survey.csv"
    page.get_by_test_id("next").click()
    page.get_by_test_id("risk-unique").wait_for()
    assert page.get_by_test_id("risk-unique").inner_text() == "600"
    assert page.get_by_test_id("role-registration").input_value() == "identifiers"
    for column in ("turnover", "costs", "value_added", "wages", "investment"):
        page.get_by_test_id(f"role-{column}").select_option("other")
    page.get_by_test_id("roles-save").click()
    # several firms of a group are one unit
    found = tacita.sample_uniqueness(datasets.load("business"), columns="employees", unit="group_id")
    assert "Units of group_id are counted" in page.get_by_test_id("risk-before").inner_text()
    page.get_by_test_id("risk-unique").filter(has_text=str(found.alone)).wait_for()
    assert page.get_by_test_id("risk-below-5").inner_text() == str(found.below_5)
    page.reload()
    assert page.get_by_test_id("role-costs").input_value() == "other"
    page.go_back()
    page.go_forward()
    assert page.get_by_test_id("role-costs").input_value() == "other"


def test_a_file_is_chosen_sent_and_read(browser_page, tmp_path):
    page, path = browser_page, tmp_path / "inquérito <1>.csv"
    path.write_bytes("idade;x\n31;1,5\n42;2,5\n".encode("cp1252"))
    page.get_by_test_id("start-microdata").click()
    page.get_by_test_id("file").set_input_files(path)
    page.get_by_test_id("records").wait_for()
    assert page.get_by_test_id("loaded-file").inner_text() == path.name
    assert page.get_by_test_id("decimal").input_value() == ","
    assert "inqu" not in page.url


def test_a_file_that_cannot_be_read_is_refused_in_words(browser_page, tmp_path):
    page, path = browser_page, tmp_path / "empty.csv"
    path.write_text("")
    page.get_by_test_id("start-microdata").click()
    page.get_by_test_id("file").set_input_files(path)
    verdict = page.get_by_test_id("verdict")
    verdict.wait_for()
    assert verdict.get_attribute("data-state") == "refused"
    assert "empty.csv: the file is empty" in verdict.inner_text()


def test_columns_are_narrowed_while_a_name_is_typed(demo_page):
    page = demo_page
    page.get_by_test_id("step-roles").click()
    page.get_by_test_id("roles-filter").fill("em")
    page.get_by_test_id("role-turnover").wait_for(state="hidden")
    page.get_by_test_id("role-employees").wait_for()


def test_a_plan_is_opened_from_the_start_page(browser_page, tmp_path):
    page, path = browser_page, tmp_path / "plan.toml"
    path.write_text(
        'version = 1\n[input]\npath = "a.csv"\n[roles]\nquasi = ["x"]\n[output]\npath = "b.csv"\n'
    )
    page.get_by_test_id("open-file").set_input_files(path)
    page.get_by_test_id("opened").wait_for()
    assert "a.csv" in page.get_by_test_id("opened").inner_text()


def test_what_is_no_project_is_refused_beside_the_button(new_browser, tmp_path):
    path = tmp_path / "other.json"
    path.write_text(json.dumps({"a": 1}))
    page = new_browser()
    with page.expect_response("**/open") as answer:
        page.get_by_test_id("open-file").set_input_files(path)
    assert answer.value.status == 200
    problem = page.get_by_test_id("open-problem")
    problem.wait_for()
    assert "other.json" in problem.inner_text()
    # a table plan that is wrong is refused by the API, in English whatever the page speaks
    plan = tmp_path / "plan.toml"
    plan.write_text('version = 1\n[input]\npath = "a.csv"\n[table]\nvalue = 3\n[output]\npath = "b.csv"\n')
    page.get_by_test_id("open-file").set_input_files(plan)
    page.locator("[data-testid=open-problem][lang=en]:not([hidden])").wait_for()


def test_the_tour_is_closed_by_keyboard_and_stays_closed(new_browser):
    page = new_browser()
    page.get_by_test_id("tour-done").focus()
    page.keyboard.press("Enter")
    page.get_by_test_id("tour").wait_for(state="detached")
    page.reload()
    assert not page.get_by_test_id("tour").count()


def test_end_and_delete_is_asked_for_and_done(new_browser):
    page = new_browser()
    page.get_by_test_id("load-demo").click()
    page.get_by_test_id("records").wait_for()
    page.get_by_test_id("end").click()
    page.get_by_test_id("end-now").click()
    page.get_by_test_id("ended").wait_for()


def test_two_browsers_see_nothing_of_each_other(demo_page, new_browser):
    other = new_browser()
    other.get_by_test_id("start-microdata").click()
    other.get_by_test_id("drop").wait_for()
    assert not other.get_by_test_id("loaded-file").count()
    assert demo_page.get_by_test_id("loaded-file").count()


def test_everything_is_reached_by_keyboard_in_the_order_of_the_page(demo_page):
    page = demo_page
    page.get_by_test_id("step-roles").click()
    page.get_by_test_id("roles").wait_for()
    seen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        name = page.evaluate("document.activeElement.dataset.testid || document.activeElement.className")
        seen.append(name)
        if name == "roles-save":
            break
    assert seen[0] == "skip"
    wanted = [
        "language",
        "theme",
        "end",
        "step-data",
        "step-roles",
        "roles-filter",
        "role-name",
        "roles-save",
    ]
    places = [seen.index(name) for name in wanted]
    assert places == sorted(places)


def test_language_and_theme_are_chosen_and_kept(browser_page):
    page = browser_page
    for menu, value, told in (("language", "ca", "lang"), ("theme", "dark", "data-theme")):
        with page.expect_navigation():
            page.get_by_test_id(menu).select_option(value)
        page.reload()
        assert page.locator("html").get_attribute(told) == value
    assert page.evaluate("getComputedStyle(document.body).colorScheme") == "dark"
