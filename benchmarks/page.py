"""What the page takes of a machine and of a user's patience: its start, an upload, signs of life, a cancel.

Only when named: it opens Chromium, without which only start, upload and scripts are measured.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from .measuring import Result

UPLOADED = 200_000_000
RUNNING = "[data-testid=running][data-state=shown]"


def results() -> Iterator[Result]:
    """Seconds, megabytes and kilobytes, each beside what the specification asks for."""
    with tempfile.TemporaryDirectory() as place:
        seconds = min(_start(Path(place)) for _ in range(3))
        yield Result("tacita app --no-browser to first answer, s", seconds, "", None, "under 1.5 s")
        yield _upload(Path(place))
        with _browser(Path(place)) as page:
            if page is not None:
                yield from _runs(page, Path(place))
    scripts = [each for each in files("tacita.app").joinpath("static").iterdir() if each.name.endswith(".js")]
    size = sum(len(each.read_bytes()) for each in scripts) / 1000
    yield Result("own scripts, kB", size, "", None, "under 40 kB")


def _start(place: Path) -> float:
    """From the command to the first answer of the server."""
    from http.client import HTTPConnection

    environment = {**os.environ, "TMPDIR": str(place), "TACITA_NO_WARMUP": "1"}
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "tacita", "app", "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    try:
        assert process.stdout is not None
        host, port, path = _address(process.stdout.readline())
        connection = HTTPConnection(host, port, timeout=20)
        connection.request("GET", path)
        assert connection.getresponse().status == 200
        return time.perf_counter() - began
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)


def _address(line: str) -> tuple[str, int, str]:
    found = re.search(r"http://([\d.]+):(\d+)(/enter\?token=\S+)", line)
    assert found is not None, line
    return found[1], int(found[2]), found[3]


def _upload(place: Path) -> Result:
    """The most memory that the server held while a large file came in."""
    from app.conftest import Visitor, running

    block = b"".join(b"%d,%d,%d\n" % (i, 7 * i % 1009, i * i % 10007) for i in range(60_000))
    sent = iter([b"a,b,c\n", *[block] * (UPLOADED // len(block) + 1)])
    with running(place, ahead=True) as app:
        visitor = Visitor(app).enter()
        headers = {
            "X-File-Name": "large.csv",
            "Content-Length": str(6 + len(block) * (UPLOADED // len(block) + 1)),
        }
        answer = visitor.ask("PUT", "/microdata/data/file", sent, headers)
        assert answer.status == 200, answer.status
        status = Path(f"/proc/{app.process.pid}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert found is not None
        return Result("server with a file of 200 MB, MB", int(found[1]) / 1000, "", None, "under 60 MB")


@contextmanager
def _browser(place: Path) -> Iterator[Any]:
    """A page that was let in; None without Chromium."""
    from app.conftest import running

    chromium = shutil.which("chromium")
    if chromium is None:
        print("Chromium is not there: signs of life and cancelling are not measured.")
        yield None
        return
    from playwright.sync_api import sync_playwright

    with (
        running(place, ahead=True) as app,
        sync_playwright() as tool,
        tool.chromium.launch(executable_path=chromium, args=["--no-sandbox"]) as browser,
    ):
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(60_000)
        page.goto(f"{app.origin}/enter?token={app.token}")
        page.wait_for_url(re.compile(r"/$"))
        yield page


def _runs(page: Any, place: Path) -> Iterator[Result]:
    """Every kind of run: how long until it shows, and where it lasts, how long until a cancel shows."""

    def measured(case: str, act: Callable[[], object], until: str) -> Result:
        began = time.perf_counter()
        act()
        page.locator(until).first.wait_for()
        return Result(f"{case}, s", time.perf_counter() - began, "", None, "under 1 s")

    def press(*names: str) -> None:
        for name in names:
            page.get_by_test_id(name).click()

    def cancelled(kind: str) -> Result:
        page.locator(RUNNING).wait_for()
        page.wait_for_timeout(1500)
        done = "[data-testid=verdict][data-state=cancelled]"
        return measured(f"{kind}: cancel to the page drawn again", lambda: press("cancel"), done)

    press("load-demo")
    page.get_by_test_id("records").wait_for()
    press("step-roles", "roles-save", "step-protect")
    with page.expect_navigation():
        page.get_by_test_id("method").select_option("best")
    page.get_by_test_id("param-time").fill("60")
    yield measured("protect: run to the first sign", lambda: press("run"), RUNNING)
    yield cancelled("protect")
    press("step-compare")
    page.get_by_test_id("grid-time").fill("30, 40")
    yield measured("compare: run to the first sign", lambda: press("grid-run"), RUNNING)
    yield cancelled("compare")

    press("go-tables", "load-demo", "build", "next", "rules-save", "step-suppress", "suppress")
    page.locator("[data-testid=verdict][data-state=verified]").wait_for()
    press("step-export")
    if page.get_by_test_id("acknowledge").count():
        press("acknowledge")
    with page.expect_download() as waiting:
        press("get-data")
    waiting.value.save_as(place / "published.csv")
    press("step-audit")
    published = page.get_by_test_id("published-file")
    signs = f"{RUNNING}, [data-testid=foreign-verdict]"
    yield measured(
        "audit: file to the first sign", lambda: published.set_input_files(place / "published.csv"), signs
    )
    page.get_by_test_id("foreign-verdict").wait_for()
    (place / "cells.csv").write_text(_cells(), encoding="utf-8")
    press("step-build")
    page.get_by_test_id("file").set_input_files(place / "cells.csv")
    page.get_by_test_id("part-row").wait_for()
    press("build")
    page.get_by_test_id("cells").wait_for()
    press("step-suppress")
    page.locator(".run-form > summary").click()
    yield measured("suppress: run to the first sign", lambda: press("suppress"), RUNNING)
    yield cancelled("suppress")

    press("go-fuzzy", "points-example")
    page.get_by_test_id("points-count").filter(has_text="300").wait_for()
    began = "[data-testid=fuzzy-status]:not([data-state=idle])"
    yield measured("fuzzy: run to the first sign", lambda: press("fuzzy-run"), began)
    press("fuzzy-stop")
    page.locator("[data-testid=fuzzy-status][data-state=stopped]").wait_for()
    page.reload()
    press("points-example")
    page.locator("[data-testid=fuzzy-status][data-state=idle]").wait_for()
    first = "[data-testid=fuzzy-iteration]:not(:text-is('–'))"
    yield measured("fuzzy: run to the first iteration", lambda: press("fuzzy-run"), first)


def _cells() -> str:
    """A made-up list of cells for which the cheapest pattern is sought long."""
    generator, size = random.Random(6), 31
    secret = set(generator.sample(range(size * size), 40))
    lines = [
        f"r{at // size:02},c{at % size:02},{round(generator.lognormvariate(6, 1.2))},{int(at in secret)}"
        for at in range(size * size)
    ]
    return "\n".join(["row,column,value,primary", *lines, ""])
