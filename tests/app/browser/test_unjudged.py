"""A table of which nothing says which cells are sensitive has no good verdict in a real browser."""

import re

import pytest

from app.browser.access import everywhere

WORDS = {
    "en": (
        "Refused: It is unknown which cells are sensitive",
        "No cell of this table is sensitive: accept this risk (no-sensitive-cells); it is recorded",
        "Not audited: you accepted that no cell is sensitive",
    ),
    "pt": (
        "Recusado: Não se sabe que células são sensíveis",
        "Nenhuma célula desta tabela é sensível: aceitar este risco (no-sensitive-cells); fica registado",
        "Não auditado: aceitou que nenhuma célula é sensível",
    ),
    "ca": (
        "Refusat: No se sap quines cel·les són sensibles",
        "Cap cel·la d'aquesta taula no és sensible: accepta aquest risc (no-sensitive-cells)",
        "No auditat: heu acceptat que cap cel·la no és sensible",
    ),
}
STATES = "[data-testid=verdict][data-state={}]"


@pytest.fixture
def unjudged(browser_page):
    """The demo of firms without any rule."""
    page = browser_page
    for name in ("start-tables", "load-demo", "build", "next"):
        page.get_by_test_id(name).click()
    page.get_by_test_id("rules-save").wait_for()
    chosen = page.locator("[data-testid^=rule-]:checked")
    while chosen.count():
        chosen.first.uncheck()
    page.get_by_test_id("rules-save").click()
    page.get_by_test_id("unjudged").wait_for()
    page.get_by_test_id("step-suppress").click()
    page.get_by_test_id("suppress").wait_for()
    return page


def speak(page, language):
    if page.get_by_test_id("language").input_value() != language:
        with page.expect_navigation():
            page.get_by_test_id("language").select_option(language)


def good(page):
    """What looks like a verdict that all is well: green banners, ticks of the audit."""
    ticked = page.locator(".rail li.done [data-testid=step-audit]").count()
    return page.locator(".banner.good").count() + ticked


@pytest.mark.long
def test_without_a_rule_nothing_is_released_unless_that_is_accepted_by_name(unjudged):
    page = unjudged
    page.get_by_test_id("suppress").click()
    page.locator(STATES.format("refused")).wait_for()
    for language, (refused, accept, _) in WORDS.items():
        speak(page, language)
        assert refused in page.get_by_test_id("verdict").inner_text()
        assert accept in page.locator("label[for=accept]").inner_text()
        assert not good(page)
        # nothing to take away, and no step that leads there
        assert not page.get_by_test_id("step-export").count()
    assert everywhere(page) == {}
    speak(page, "en")
    page.get_by_test_id("accept").check()
    page.get_by_test_id("suppress").click()
    page.locator(STATES.format("verified")).wait_for(timeout=60_000)
    for step, verdict in (("suppress", "verdict"), ("audit", "audit-verdict"), ("export", "verdict")):
        page.get_by_test_id(f"step-{step}").click()
        page.locator(f"[aria-current=step][data-testid=step-{step}]").wait_for()
        for language, (_, _, said) in WORDS.items():
            speak(page, language)
            assert said in page.get_by_test_id(verdict).inner_text()
            assert not good(page), (step, language)
            # that none was found, at no cost, would reassure
            assert not page.locator(".banner.warn, .tiles").get_by_text(re.compile(r"^\+? ?0\b")).count()
    # not before its warning was read
    assert not page.get_by_test_id("get-data").count()
    page.get_by_test_id("acknowledge").click()
    page.get_by_test_id("get-data").wait_for()
    # taken back, it is refused again
    page.get_by_test_id("step-suppress").click()
    page.locator("details.run-form > summary").click()
    page.get_by_test_id("accept").uncheck()
    page.get_by_test_id("suppress").click()
    page.locator(STATES.format("refused")).wait_for()
    # the run that was accepted stays in the history; this one leaves nothing to take away
    page.get_by_test_id("step-export").click()
    page.locator("[aria-current=step][data-testid=step-export]").wait_for()
    page.locator(STATES.format("locked")).wait_for()
    assert not page.get_by_test_id("get-data").count()


@pytest.mark.long
def test_adjusted_values_of_such_a_table_have_no_good_verdict_either(unjudged):
    page = unjudged
    page.get_by_test_id("method").select_option("rounding")
    page.get_by_test_id("param-rounding-base").fill("1000000")
    page.get_by_test_id("suppress").click()
    page.locator(STATES.format("verified")).wait_for(timeout=60_000)
    assert "it is unknown which cells are sensitive" in page.get_by_test_id("verdict").inner_text()
    assert not good(page)
    for step, verdict in (("audit", "audit-verdict"), ("export", "verdict")):
        page.get_by_test_id(f"step-{step}").click()
        assert "it is unknown which cells are sensitive" in page.get_by_test_id(verdict).inner_text()
        assert not good(page)
