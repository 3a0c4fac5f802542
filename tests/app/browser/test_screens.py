"""Every screen as everybody must be able to read and reach it, in each language, theme and width."""

from importlib import resources

import pytest

from app.browser.access import everywhere
from app.conftest import Visitor
from app.forms import send

MICRODATA = (
    *("data", "data?values=shown", "roles", "protect", "protect?node=n2", "compare"),
    *("export?node=n2", "export?node=n3"),
)
TABLES = ("build", "rules", "suppress", "suppress?view=published", "audit", "export")
SCREENS = (
    *("/", "/?tour=shown", "/end", "/fuzzy"),
    *(f"/microdata/{each}" for each in MICRODATA),
    *(f"/tables/{each}" for each in TABLES),
)

REGIONS = b"North;Inland;*\nEast;Inland;*\nSouth;Inland;*\nWest;Sea;*\nCoast;Sea;*\n"


@pytest.fixture(scope="module")
def works(app):
    """Somebody whose works have come all the way, by requests: that is quicker than by hand."""
    visitor = Visitor(app).enter()
    visitor.post("/microdata/data/demo")
    visitor.wait_for("/microdata/data", 'data-testid="records"')
    # a hierarchy, chosen by its name
    visitor.send("/microdata/roles/beside", REGIONS, "region.csv")
    send(visitor, "/microdata/roles", "/microdata/roles?from=0&find=")
    visitor.wait_for("/microdata/roles", 'data-testid="risk-unique"')
    for k in ("5", "8"):
        send(visitor, "/microdata/protect", do="run", **{"s0.k": k})
        visitor.wait_for("/microdata/protect", 'data-testid="running" data-state="hidden"')
    visitor.post("/microdata/acknowledge", node="n2")
    # one that is refused, and a second step, that speaks of columns one by one
    send(visitor, "/microdata/protect", do="run", **{"s0.k": "1"})
    visitor.wait_for("/microdata/protect", 'data-testid="running" data-state="hidden"')
    send(visitor, "/microdata/protect", do="add")
    send(visitor, "/microdata/protect", **{"s1.method": "recode"})
    assert "s1.level." in visitor.get("/microdata/protect").text
    visitor.post("/tables/build/demo", name="business")
    visitor.wait_for("/tables/build", 'data-testid="step-build-form"')
    for path in ("/tables/build", "/tables/rules", "/tables/suppress"):
        send(visitor, path)
        visitor.wait_for(path, 'data-testid="running" data-state="hidden"')
    return visitor


@pytest.fixture
def everything(new_browser, works):
    """A page of the browser of somebody who has come all the way."""
    return new_browser(who=works), works


def test_axe_finds_nothing_serious_on_any_screen(everything):
    library = pytest.importorskip("axe_playwright_python", reason="needs axe (pip install --group test)")
    axe = resources.files(library).joinpath("axe.min.js").read_text("utf-8")
    page, visitor = everything
    for screen in SCREENS:
        page.goto(f"{visitor.app.origin}{screen}")
        page.evaluate(f"() => {{ {axe} }}")
        found = page.evaluate("axe.run({ resultTypes: ['violations'] }).then((found) => found.violations)")
        serious = {
            each["id"]: [node["html"][:120] for node in each["nodes"][:3]]
            for each in found
            if each["impact"] in ("serious", "critical")
        }
        assert serious == {}, screen


@pytest.mark.long
def test_every_screen_can_be_read_in_each_language_theme_and_width(everything):
    page, visitor = everything
    for screen in SCREENS:
        page.goto(f"{visitor.app.origin}{screen}")
        assert everywhere(page) == {}, screen
