"""Picture every screen of `tacita app` in Chromium: `make docs-pictures`, or `python docs/page_screens.py`.

Without options it draws those that README and guide show. To look at all of them, in every state:
`python docs/page_screens.py --all seen --theme dark --width 1920 --language pt`. All data is made up.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
IMAGES = DOCS / "images"
HEIGHT, COLOURS, PATIENCE = 900, 256, 60_000
# long enough not to be refused as one that can be guessed
SEED = "31415926535897932384626433832795"
# picture -> the state of a screen that it shows, and how much of it
KEPT = {
    "page": ("protect-verified", 1560),
    "page-refused": ("protect-inferred", 760),
    "page-roles": ("roles", 1020),
    "page-compare": ("compare-done", 940),
    "page-table": ("suppress-verified", 830),
    "page-audit": ("audit", 590),
    "page-fuzzy": ("fuzzy-paused", 1060),
}
# what the regions of the demo become, as ARX writes it
REGIONS = "North;Inland;*\nEast;Inland;*\nSouth;Inland;*\nWest;Sea;*\nCoast;Sea;*\n"
Seen = Callable[[str], None]


def main(words: list[str] | None = None) -> int:
    """Draw what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--all", type=Path, metavar="FOLDER", help="every screen, whole, into this folder")
    parser.add_argument("--theme", choices=["light", "dark"], default="light")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--language", choices=["en", "pt", "ca", "zh"], default="en")
    parser.add_argument("--job", choices=[*JOBS], action="append", help="only the screens of this job")
    asked = parser.parse_args(words)
    browser = shutil.which("chromium")
    if browser is None:
        print("Chromium is not there: the page keeps its pictures.")
        return 0
    wanted = {state: (name, height) for name, (state, height) in KEPT.items()}
    if asked.all is not None:
        asked.all.mkdir(parents=True, exist_ok=True)
    drawn = 0
    for job in asked.job or JOBS:
        with opened(browser, asked.width, asked.language, asked.theme) as page:

            def see(state: str, page: Any = page) -> None:
                nonlocal drawn
                if asked.all is None and state not in wanted:
                    return
                name, height = wanted[state] if asked.all is None else (state, max(HEIGHT, height_of(page)))
                page.set_viewport_size({"width": asked.width, "height": height})
                settle(page)
                place = (asked.all or IMAGES) / f"{name}.png"
                place.write_bytes(few_colours(page.screenshot()))
                page.set_viewport_size({"width": asked.width, "height": HEIGHT})
                drawn += 1

            JOBS[job](page, see)
    print(f"{drawn} pictures in {IMAGES.name if asked.all is None else asked.all.name}/")
    return 0


@contextmanager
def opened(browser: str, width: int, language: str, theme: str) -> Iterator[Any]:
    """A page of a server of its own, let in, at the start page."""
    from playwright.sync_api import sync_playwright

    sys.path[:0] = [str(DOCS.parent / "tests" / "support"), str(DOCS.parent / "tests")]
    from app.conftest import running

    with (
        tempfile.TemporaryDirectory() as place,
        running(place) as app,
        sync_playwright() as tool,
        tool.chromium.launch(executable_path=browser, args=["--no-sandbox"]) as chromium,
    ):
        page = chromium.new_page(viewport={"width": width, "height": HEIGHT}, reduced_motion="reduce")
        page.set_default_timeout(PATIENCE)
        page.goto(f"{app.origin}/enter?token={app.token}")
        page.wait_for_url(re.compile(r"/$"))
        for menu, value in (("language", language), ("theme", theme)):
            if page.get_by_test_id(menu).input_value() != value:
                with page.expect_navigation():
                    page.get_by_test_id(menu).select_option(value)
        yield page


def height_of(page: Any) -> int:
    """All of a page, so that what sticks to its lower edge covers nothing."""
    page.wait_for_load_state()
    return int(page.evaluate("document.documentElement.scrollHeight"))


def settle(page: Any) -> None:
    """Nothing is pointed at and nothing moves when the picture is taken."""
    page.mouse.move(0, 0)
    page.evaluate("() => document.fonts.ready.then(() => scrollTo(0, 0))")


def few_colours(picture: bytes) -> bytes:
    """A PNG of few colours: small, and with less of what differs from machine to machine."""
    from PIL import Image

    made = io.BytesIO()
    whole = Image.open(io.BytesIO(picture)).convert("RGB")
    # the most frequent colours stay as they are; only the edges of letters take the nearest of them
    often = sorted(whole.getcolors(1 << 24), reverse=True)[:COLOURS]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for _, colour in often for part in colour])
    few = whole.quantize(palette=palette, dither=Image.Dither.NONE)
    few.save(made, "PNG", optimize=True)
    return made.getvalue()


def click(page: Any, *names: str) -> None:
    """Press one thing after the other."""
    for name in names:
        page.get_by_test_id(name).click()


def reaches(page: Any, verdict: str) -> None:
    """Wait until a run is over."""
    page.locator("[data-testid=history] [aria-current]:not([data-state=running])").wait_for()
    page.locator(f"[data-testid=verdict][data-state={verdict}]").wait_for()


def moves(page: Any) -> None:
    """Wait until a run says how far it is; what is compiled before it is soon over."""
    page.wait_for_function(
        "() => ((at) => at > 5 && at < 95)(document.querySelector('[data-testid=progress]').value)"
    )


def protect(page: Any, method: str, verdict: str = "verified", **values: str) -> None:
    """Run a method on the demo survey, and wait for its verdict."""
    if page.get_by_test_id("method").input_value() != method:
        with page.expect_navigation():
            page.get_by_test_id("method").select_option(method)
    for name, value in values.items():
        page.get_by_test_id(f"param-{name}").fill(value)
    if not page.get_by_test_id("seed").is_visible():
        page.get_by_test_id("more-options").locator("summary").click()
    page.get_by_test_id("seed").fill(SEED)
    click(page, "run")
    reaches(page, verdict)


def microdata(page: Any, see: Seen) -> None:
    """Microdata: every step, and every state of a run."""
    see("start")
    click(page, "start-microdata")
    see("data-empty")
    click(page, "load-demo")
    page.get_by_test_id("records").wait_for()
    see("data")
    click(page, "show-values")
    page.get_by_test_id("hide-values").wait_for()
    see("data-values")
    click(page, "step-roles")
    see("roles-first")
    click(page, "roles-save")
    page.get_by_test_id("risk-unique").wait_for()
    see("roles")
    click(page, "step-protect")
    page.get_by_test_id("method").wait_for()
    see("protect-empty")
    for k in ("3", "5"):
        protect(page, "mdav", k=k)
    see("protect-second")
    protect(page, "mdav", "refused", k="1")
    see("protect-refused")
    click(page, "node-n1")
    protect(page, "rank-swap", p="5")
    protect(page, "rank-swap", p="15")
    protect(page, "noise", alpha="0.5")
    page.get_by_test_id("compare-with").select_option("n2")
    page.get_by_test_id("side-by-side").wait_for()
    see("protect-compared")
    click(page, "node-n2")
    page.locator("[data-testid=node-n2][aria-current]").wait_for()
    see("protect-verified")
    click(page, "step-add")
    page.get_by_test_id("method-2").wait_for()
    page.get_by_test_id("more-options").locator("summary").click()
    see("protect-steps")
    click(page, "step-remove-2")
    page.get_by_test_id("method-2").wait_for(state="detached")
    with page.expect_navigation():
        page.get_by_test_id("method").select_option("best")
    page.get_by_test_id("param-time").fill("60")
    click(page, "run")
    moves(page)
    see("protect-running")
    click(page, "cancel")
    reaches(page, "cancelled")
    see("protect-cancelled")
    click(page, "node-n1", "step-compare")
    see("compare")
    page.get_by_test_id("grid-k").fill("4, 8, 12, 20")
    click(page, "grid-run")
    moves(page)
    see("compare-running")
    page.get_by_test_id("running").wait_for(state="hidden")
    see("compare-done")
    click(page, "node-n2", "step-export")
    page.locator("[data-testid=verdict][data-state=locked]").wait_for()
    see("export-locked")
    click(page, "acknowledge")
    page.get_by_test_id("get-data").wait_for()
    see("export")
    click(page, "step-data")
    page.get_by_test_id("records").wait_for()
    see("data-after")
    click(page, "step-roles")
    see("roles-after")
    page.get_by_test_id("role-region").select_option("other")
    click(page, "roles-save", "step-protect")
    see("protect-stale")
    refused(page, see)
    coarser(page, see)
    click(page, "end")
    see("end")


def refused(page: Any, see: Seen) -> None:
    """Releases that are refused for what they are: by a requirement, and because other columns tell."""
    click(page, "step-roles")
    page.get_by_test_id("role-region").select_option("strata")
    for name in ("employees", "costs", "value_added", "wages", "investment"):
        page.get_by_test_id(f"role-{name}").select_option("other")
    click(page, "roles-save", "step-protect")
    protect(page, "mdav", "refused", k="4")
    see("protect-inferred")
    page.get_by_test_id("more-options").locator("summary").click()
    page.get_by_test_id("option-insist").check()
    protect(page, "mdav", k="4")
    see("protect-insisted")
    page.get_by_test_id("more-options").locator("summary").click()
    page.get_by_test_id("require-1").select_option("IL1")
    page.get_by_test_id("require-limit-1").fill("1")
    protect(page, "mdav", "refused", k="4")
    see("protect-required")
    page.get_by_test_id("require-1").select_option("")
    page.get_by_test_id("option-insist").uncheck()
    protect(page, "mdav", "refused", k="2")
    see("protect-against-advice")


def coarser(page: Any, see: Seen) -> None:
    """Hierarchies: one of a file, others that are made; the best levels, and chosen ones."""
    click(page, "step-roles")
    for name in ("turnover", "costs", "value_added", "wages", "investment"):
        page.get_by_test_id(f"role-{name}").select_option("other")
    for name in ("region", "sector", "employees"):
        page.get_by_test_id(f"role-{name}").select_option("quasi")
    click(page, "roles-save")
    page.get_by_test_id("risk-unique").wait_for()
    page.get_by_test_id("hierarchies").locator("summary").click()
    with tempfile.TemporaryDirectory() as place:
        (path := Path(place) / "region.csv").write_text(REGIONS, encoding="utf-8")
        with page.expect_navigation():
            page.get_by_test_id("beside").set_input_files(path)
        page.get_by_test_id("levels").wait_for()
    for name, way, key, text in (
        ("employees", "intervals", "widths", "10; 55"),
        ("sector", "prefixes", "lengths", "1"),
    ):
        page.get_by_test_id(f"by-{name}").select_option(way)
        page.get_by_test_id(f"{key}-{name}").fill(text)
    page.get_by_test_id("by-profit_margin").select_option("dates")
    click(page, "roles-save")
    page.get_by_test_id("problem-hierarchy-employees").wait_for()
    see("roles-hierarchies-wrong")
    page.get_by_test_id("widths-employees").fill("10; 50")
    page.get_by_test_id("by-profit_margin").select_option("none")
    click(page, "roles-save")
    page.get_by_test_id("levels").nth(2).wait_for()
    see("roles-hierarchies")
    click(page, "step-protect")
    protect(page, "generalise", k="5")
    see("protect-levels")
    with page.expect_navigation():
        page.get_by_test_id("method").select_option("recode")
    see("protect-recode")
    click(page, "to-export")
    see("export-hierarchies")


def tables(page: Any, see: Seen) -> None:
    """Tables: the two demos, and a made-up list of cells that is searched for long."""
    click(page, "start-tables")
    see("build-empty")
    click(page, "load-demo")
    page.get_by_test_id("build").wait_for()
    see("build")
    click(page, "build")
    page.get_by_test_id("cells").wait_for()
    see("build-made")
    click(page, "next")
    see("rules")
    click(page, "rules-save")
    page.get_by_test_id("sensitive-count").wait_for()
    see("rules-counted")
    click(page, "step-suppress")
    see("suppress-empty")
    page.get_by_test_id("method").select_option("gauss")
    click(page, "suppress")
    reaches(page, "refused")
    see("suppress-refused")
    page.get_by_test_id("method").select_option("optimal")
    click(page, "suppress")
    reaches(page, "verified")
    page.get_by_test_id("cell-0-0").focus()
    see("suppress-verified")
    page.get_by_test_id("view-published").check()
    page.locator(".as-published").wait_for()
    see("suppress-published")
    click(page, "step-audit")
    see("audit")
    click(page, "step-export")
    see("take")
    click(page, "step-suppress")
    page.locator(".run-form > summary").click()
    page.get_by_test_id("method").select_option("rounding")
    page.get_by_test_id("param-rounding-base").fill("100000000")
    click(page, "suppress")
    reaches(page, "verified")
    see("suppress-adjusted")
    unjudged(page, see)
    with tempfile.TemporaryDirectory() as place:
        (path := Path(place) / "cells.csv").write_text(cells(), encoding="utf-8")
        click(page, "step-build")
        page.get_by_test_id("file").set_input_files(path)
        page.get_by_test_id("part-row").wait_for()
        see("build-cells")
    click(page, "build")
    page.get_by_test_id("cells").wait_for()
    click(page, "step-suppress")
    page.locator(".run-form > summary").click()
    page.get_by_test_id("method").select_option("optimal")
    click(page, "suppress")
    page.wait_for_function("() => document.querySelector('[data-testid=lower]').textContent !== '–'")
    page.wait_for_timeout(4000)
    see("suppress-running")
    click(page, "cancel")
    reaches(page, "cancelled")
    see("suppress-cancelled")


def unjudged(page: Any, see: Seen) -> None:
    """The same table without a rule: refused, then accepted by name."""
    click(page, "step-rules")
    page.get_by_test_id("rules-save").wait_for()
    chosen = page.locator("[data-testid^=rule-]:checked")
    while chosen.count():
        chosen.first.uncheck()
    click(page, "rules-save")
    page.get_by_test_id("unjudged").wait_for()
    see("rules-unjudged")
    click(page, "step-suppress")
    if not page.get_by_test_id("method").is_visible():
        page.locator(".run-form > summary").click()
    page.get_by_test_id("method").select_option("optimal")
    click(page, "suppress")
    reaches(page, "refused")
    see("suppress-unjudged")
    page.get_by_test_id("accept").check()
    click(page, "suppress")
    reaches(page, "verified")
    see("suppress-accepted")
    click(page, "step-audit")
    see("audit-accepted")


def cells() -> str:
    """A made-up list of cells for which the cheapest pattern is sought long."""
    generator, size = random.Random(6), 31
    secret = set(generator.sample(range(size * size), 40))
    lines = [
        f"r{at // size:02},c{at % size:02},{round(generator.lognormvariate(6, 1.2))},{int(at in secret)}"
        for at in range(size * size)
    ]
    return "\n".join(["row,column,value,primary", *lines, ""])


def fuzzy(page: Any, see: Seen) -> None:
    """The fuzzy window, in its states."""
    click(page, "go-fuzzy")
    page.get_by_test_id("points-count").filter(has_text="0").wait_for()
    see("fuzzy-empty")
    click(page, "points-example")
    page.get_by_test_id("points-count").filter(has_text="300").wait_for()
    see("fuzzy-points")
    click(page, "fuzzy-sweep")
    page.locator("[data-testid=chart-c] .pil-dot").last.wait_for()
    page.locator("[data-testid=fuzzy-status][data-state=idle]").wait_for()
    page.get_by_test_id("fuzzy-released").check()
    for step in range(1, 7):
        click(page, "fuzzy-step")
        page.get_by_test_id("fuzzy-iteration").filter(has_text=re.compile(f"^{step}$")).wait_for()
        page.get_by_test_id("fuzzy-score").filter(has_text=re.compile(r"\d")).wait_for()
    page.locator("[data-testid=fuzzy-status][data-state=paused]").wait_for()
    see("fuzzy-paused")
    click(page, "fuzzy-stop")
    page.locator("[data-testid=fuzzy-status][data-state=stopped]").wait_for()
    see("fuzzy-stopped")
    page.get_by_test_id("param-c").select_option("10")
    page.get_by_test_id("param-model").select_option("radial")
    page.get_by_test_id("fuzzy-speed").fill("9")
    click(page, "fuzzy-run")
    page.get_by_test_id("verdict").wait_for()
    see("fuzzy-radial")


JOBS: dict[str, Callable[[Any, Seen], None]] = {"microdata": microdata, "tables": tables, "fuzzy": fuzzy}

if __name__ == "__main__":
    sys.exit(main())
