"""A real Chromium on a running page; without one these tests skip, and say so.

`browser_page` is a page of a browser of its own, at the start page, let in as the `visitor` who has nothing
begun; `demo_page` has the demo survey loaded. When a test ends, whatever the console said, whatever the
content policy refused and whatever was asked of another host fails it.
"""

import re
import shutil

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright (pip install --group test)")

# a page that is still loading hears nobody: what is found by its test id is of one that has loaded
LOADED = "addEventListener('load', () => { document.documentElement.dataset.loaded = ''; })"

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


# of a module, not of the session: while it lives, its loop is in the way of tests with a loop of their own
@pytest.fixture(scope="module")
def chromium():
    if CHROMIUM is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def new_browser(chromium, app):
    """Makes pages of browsers that share nothing, each of a newcomer or of `who`; all are watched."""
    contexts, faults = [], []

    def watched(page):
        page.on(
            "console", lambda told: faults.append(told.text) if told.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda problem: faults.append(str(problem)))
        page.on(
            "request",
            lambda asked: (
                None if asked.url.startswith((app.origin, "data:")) else faults.append(f"asked {asked.url}")
            ),
        )

    def made(width=1280, height=900, who=None, **options):
        context = chromium.new_context(
            viewport={"width": width, "height": height}, locale="en-GB", accept_downloads=True, **options
        )
        context.set_default_timeout(20_000)
        contexts.append(context)
        if who is not None:
            context.add_cookies([{"name": "tacita", "value": who.cookie, "url": app.origin}])
        context.on("page", watched)
        context.add_init_script(LOADED)
        page = context.new_page()
        page.get_by_test_id = lambda name: page.locator(f'html[data-loaded] [data-testid="{name}"]')
        page.goto(f"{app.origin}/enter?token={app.token}")
        page.wait_for_url(re.compile(r"/$"))
        return page

    yield made
    for context in contexts:
        context.close()
    assert not faults


@pytest.fixture
def browser_page(new_browser, visitor):
    return new_browser(who=visitor)


@pytest.fixture
def demo_page(browser_page):
    browser_page.get_by_test_id("load-demo").click()
    browser_page.get_by_test_id("records").wait_for()
    return browser_page
