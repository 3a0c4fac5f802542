"""The fuzzy window in a real browser: clicks, keys, a file, step, pause, stop in mid-run, every c at once."""

import re

import numpy as np
import pyarrow as pa
import pytest

import tacita
from app.browser.access import everywhere, faults
from app.conftest import running
from tacita import datasets
from tacita.io.points import read_points

NAMES = ("PIL", "DR", "SCORE")


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """A server whose folder nobody else looks into."""
    with running(tmp_path_factory.mktemp("fuzzy")) as found:
        yield found


@pytest.fixture
def window(new_browser):
    page = new_browser()
    page.get_by_test_id("go-fuzzy").click()
    page.get_by_test_id("points-count").filter(has_text="0 points").wait_for()
    # before the first picture there is nowhere to click
    page.locator("[data-empty-points]").wait_for()
    return page


def text(page, name):
    return page.get_by_test_id(name).inner_text()


def reaches(page, state):
    page.locator(f"[data-testid=fuzzy-status][data-state={state}]").wait_for(timeout=60_000)


def iteration(page, wanted):
    page.get_by_test_id("fuzzy-iteration").filter(has_text=re.compile(f"^{wanted}$")).wait_for()


def example(page):
    page.get_by_test_id("points-example").click()
    page.get_by_test_id("points-count").filter(has_text="300 points").wait_for(timeout=60_000)


def shown(page):
    return [text(page, f"fuzzy-{name.lower()}") for name in NAMES]


def figures(report):
    return [f"{report[name].value:.2f}" for name in NAMES]


def plain(frame, run=None, **options):
    return tacita.synthesize(
        frame, dependent="y", independent="x", method="fcrm", measures=NAMES, context=run, **options
    )


def downloaded(page, name, place):
    with page.expect_download() as found:
        page.get_by_test_id(name).click()
    path = place / found.value.suggested_filename
    found.value.save_as(path)
    return path


@pytest.mark.long
def test_points_by_click_and_key_are_run_to_the_figures_of_the_api(window, tmp_path):
    page = window
    canvas = page.get_by_test_id("fuzzy-canvas")
    box = canvas.bounding_box()
    rng = np.random.default_rng(2)
    for i in range(24):
        x = rng.uniform(0.1, 0.9)
        y = (0.3 + 0.4 * x if i % 2 else 0.8 - 0.5 * x) + rng.normal(scale=0.04)
        canvas.click(position={"x": float(x * box["width"]), "y": float(y * box["height"])})
    page.get_by_test_id("points-count").filter(has_text="24 points").wait_for()
    for key, count in (("Enter", 25), ("Delete", 24), ("ArrowUp", 24), ("ArrowRight", 24), ("Enter", 25)):
        canvas.press(key)
        page.get_by_test_id("points-count").filter(has_text=f"{count} points").wait_for()
    canvas.click(position={"x": float(0.5 * box["width"]), "y": 120.0})
    page.get_by_test_id("points-count").filter(has_text="26 points").wait_for()
    canvas.click(position={"x": float(0.5 * box["width"]), "y": 120.0}, modifiers=["Shift"])
    page.get_by_test_id("points-count").filter(has_text="25 points").wait_for()
    page.get_by_test_id("param-c").select_option("2")
    page.get_by_test_id("fuzzy-speed").fill("9")
    page.get_by_test_id("fuzzy-run").click()
    reaches(page, "done")
    points = read_points(downloaded(page, "points-save", tmp_path), names=["x", "y"])
    assert points.n == 25
    release = plain(points.native, c=2, seed=0)
    assert shown(page) == figures(release.report)
    assert page.locator("[data-testid=fuzzy-canvas] .pt.k0, [data-testid=fuzzy-canvas] .pt.k1").count() == 25
    assert page.locator("[data-testid=fuzzy-canvas] .new").count() == 0
    page.get_by_test_id("fuzzy-released").check()
    assert page.locator("[data-testid=fuzzy-canvas] .new").count() == 25
    synthetic = tacita.read(downloaded(page, "fuzzy-download", tmp_path))
    assert synthetic.numbers("y").tolist() == release.data["y"].to_pylist()
    # a page that is drawn again shows the same
    page.reload()
    reaches(page, "done")
    page.get_by_test_id("points-count").filter(has_text="25 points").wait_for()
    assert shown(page) == figures(release.report)


@pytest.mark.long
def test_points_that_come_late_do_not_take_the_place_of_the_example(new_browser):
    page, asked = new_browser(), []

    def hold_the_first(route):
        asked.append(route)
        if len(asked) > 1:
            route.continue_()

    page.route("**/fuzzy/points", hold_the_first)
    page.get_by_test_id("go-fuzzy").click()
    page.get_by_test_id("points-count").filter(has_text="0 points").wait_for()
    page.get_by_test_id("points-example").click()
    # time enough for the example's, if it did not wait
    page.wait_for_timeout(3000)
    asked[0].fulfill(body="")
    page.get_by_test_id("points-count").filter(has_text="300 points").wait_for()
    # nothing else comes
    page.wait_for_timeout(500)
    assert text(page, "points-count").startswith("300 points")


@pytest.mark.long
def test_step_pause_go_on_and_stop_in_mid_run(window):
    page = window
    example(page)
    page.get_by_test_id("param-eps").fill("0.000000001")
    page.get_by_test_id("fuzzy-step").click()
    heard = []
    for stop in (1, 2, 3):
        iteration(page, stop)
        reaches(page, "paused")
        page.get_by_test_id("fuzzy-score").filter(has_text=re.compile(r"\d")).wait_for()
        heard.append((text(page, "fuzzy-objective"), shown(page)))
        page.get_by_test_id("fuzzy-step").click()
    iteration(page, 4)
    # slow enough that nobody has to hurry
    page.get_by_test_id("fuzzy-speed").fill("3")
    page.get_by_test_id("fuzzy-run").click()
    iteration(page, 5)
    page.get_by_test_id("fuzzy-pause").click()
    reaches(page, "paused")
    page.get_by_test_id("fuzzy-stop").click()
    reaches(page, "stopped")
    last = int(text(page, "fuzzy-iteration"))
    assert 5 <= last < 30
    rounds = []
    tacita.synthesize(
        datasets.five_clouds(),
        dependent="y",
        independent="x",
        method="fcrm",
        measures=["PIL", "DR", "SCORE"],
        callback=lambda seen: rounds.append((f"{seen.iteration.objective:.4f}", figures(seen.report))),
        context=tacita.RunContext(should_stop=lambda: len(rounds) >= last),
        c=5,
        seed=0,
        eps=1e-9,
    )
    assert rounds[:3] == heard
    assert rounds[-1] == (text(page, "fuzzy-objective"), shown(page))
    assert page.locator("[data-testid=chart-objective] .sc-dot").count() == last
    assert page.locator("[data-testid=verdict]").get_attribute("data-state") == "verified"


@pytest.mark.long
def test_every_number_of_clusters_at_once(window):
    page = window
    example(page)
    page.get_by_test_id("fuzzy-sweep").click()
    page.locator("[data-testid=chart-c] .dr-dot").nth(9).wait_for()
    reaches(page, "idle")
    trials = tacita.compare_methods(
        datasets.five_clouds(),
        dependent="y",
        independent="x",
        method="fcrm",
        measures=NAMES,
        c=list(range(1, 11)),
        max_leverage=1,
        max_unchanged=1,
    )
    said = page.locator("[data-testid=chart-c] .dr-dot title").all_text_contents()
    assert said == [f"DR {trial.parameters['c']}: {trial.value('DR'):.3g}" for trial in trials]
    assert page.locator("[data-testid=chart-c] .pil-dot").count() == 10


@pytest.mark.long
def test_a_file_of_three_columns_is_loaded_and_only_verified_points_leave(window, tmp_path):
    page, path = window, tmp_path / "três colunas.txt"
    rng = np.random.default_rng(9)
    x = np.abs(rng.normal(loc=[2, 30, 5], scale=[1, 9, 2], size=(80, 3))).round(4)
    path.write_text("a b c\n" + "".join(f"{a} {b} {c}\n" for a, b, c in x.tolist()), "utf-8")
    page.get_by_test_id("points-load").set_input_files(path)
    page.get_by_test_id("points-count").filter(has_text=f"80 points from {path.name}").wait_for()
    page.get_by_test_id("column-dependent").select_option(label="c")
    page.get_by_test_id("fuzzy-canvas").filter(has_text="↑ c").wait_for()
    page.get_by_test_id("column-independent").select_option(label="c")
    page.get_by_test_id("fuzzy-canvas").filter(has_text="↑ a").wait_for()
    assert page.get_by_test_id("fuzzy-download").get_attribute("aria-disabled") == "true"
    page.get_by_test_id("param-c").select_option("3")
    page.get_by_test_id("param-nonnegative").check()
    page.get_by_test_id("param-seed").fill("4")
    page.get_by_test_id("fuzzy-speed").fill("9")
    page.get_by_test_id("fuzzy-run").click()
    reaches(page, "done")
    assert page.get_by_test_id("verdict").get_attribute("data-state") == "verified"
    frame = pa.table({"x": x[:, 2], "y": x[:, 0]})
    release = plain(frame, c=3, seed=4, nonnegative=True)
    assert shown(page) == figures(release.report)
    synthetic = tacita.read(downloaded(page, "fuzzy-download", tmp_path))
    assert synthetic.columns == ["c", "a"]
    assert synthetic.numbers("a").tolist() == release.data["y"].to_pylist()
    # radial curves come so near to so few points that they are refused
    page.get_by_test_id("param-c").select_option("8")
    page.get_by_test_id("param-model").select_option("radial")
    page.get_by_test_id("fuzzy-run").click()
    reaches(page, "refused")
    assert "leverage" in text(page, "verdict")
    assert page.get_by_test_id("fuzzy-download").get_attribute("aria-disabled") == "true"


@pytest.mark.long
def test_what_is_wrong_is_said_where_it_is(window, tmp_path):
    page, path = window, tmp_path / "no points.txt"
    path.write_text("1 2\n3\n")
    page.get_by_test_id("points-load").set_input_files(path)
    page.get_by_text("no points.txt: wanted 2 finite numbers").wait_for()
    example(page)
    page.get_by_test_id("param-m").fill("0.5")
    page.get_by_test_id("fuzzy-run").click()
    reaches(page, "refused")
    assert "m must be" in text(page, "problem-m")
    page.get_by_test_id("points-clear").click()
    # not those of 300 points, which end alike
    page.get_by_test_id("points-count").filter(has_text=re.compile(r"^\s*0 points")).wait_for()
    assert page.get_by_test_id("fuzzy-run").is_disabled()


@pytest.mark.long
def test_the_window_can_be_read_and_reached(window):
    page = window
    assert everywhere(page) == {}
    example(page)
    page.get_by_test_id("param-rmax").fill("3")
    page.get_by_test_id("param-c").select_option("10")
    page.get_by_test_id("fuzzy-speed").fill("9")
    page.get_by_test_id("fuzzy-run").click()
    page.get_by_test_id("verdict").wait_for()
    assert everywhere(page) == {}
    page.get_by_test_id("fuzzy-released").check()
    assert faults(page) == []
