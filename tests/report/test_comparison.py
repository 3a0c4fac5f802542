"""The page about a comparison: whole in itself, and nothing of the source in it."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita
from report.conftest import planted_frame
from report.test_both_pages import HARMLESS_TAGS, NASTY
from seeds import SEED
from tacita.core import Report, RunContext, Score, Trial, Trials
from tacita.core.display.svg import Axis
from tacita.core.spec import registry
from tacita.report import comparison_html, comparison_json
from tacita.report.riskmap import CROWDED, HEIGHT, WIDTH, risk_map

EVERYTHING = [comparison_html, comparison_json]


@pytest.fixture(scope="session")
def trials():
    """The planted firms compared; hm fails on three columns."""
    return tacita.compare_methods(
        planted_frame(),
        quasi=["turnover", "staff", "fixed"],
        identifiers=["firm_name", "tax_number"],
        confidential=["debt"],
        strata=["region"],
        method=["mdav", "hm"],
        k=[3, 4, 7],
        missing="drop",
        shuffle=True,
        seed=SEED,
    )


def tried(method, loss, risk, direction="lower", **parameters):
    scores = (Score(name="PIL", value=loss), Score(name="DR", value=risk, direction=direction))
    return Trial(method=method, parameters=parameters, report=Report(scores), groups=7)


def marks(html):
    return re.findall(r'<g class="spot[^"]*"><title>([^<]*)</title>', html)


def test_the_page_asks_the_network_for_nothing_and_runs_no_script(trials, page):
    html = comparison_html(trials)
    seen = page(html)
    assert set(seen.tags) <= HARMLESS_TAGS
    assert "://" not in html
    assert "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\"" in html
    assert not any(word in "".join(seen.styles) for word in ("url(", "@import", "@font-face"))
    assert all(value.startswith("#") for name, value in seen.attributes if name in ("href", "src"))
    assert not any(name.startswith("on") for name, _ in seen.attributes)


def test_the_page_is_well_formed_and_says_confidential(trials, page):
    html = comparison_html(trials)
    seen = page(html)
    ids = [value for name, value in seen.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    pointed = {value[1:] for name, value in seen.attributes if name == "href"}
    pointed |= {
        part for name, value in seen.attributes if name == "aria-labelledby" for part in value.split()
    }
    assert pointed <= set(ids)
    assert seen.tags.count("th") == sum(name == "scope" for name, _ in seen.attributes)
    assert html.lstrip().startswith("<!DOCTYPE html>")
    assert seen.text.count("CONFIDENTIAL") >= 2


@pytest.mark.parametrize("render", EVERYTHING)
def test_no_value_of_an_original_record_appears(trials, planted, render):
    shown = render(trials)
    assert [value for value in planted if value in shown] == []


def test_names_are_text_and_never_markup(page):
    rng = np.random.default_rng(1)
    frame = pa.table({name: rng.normal(size=30) for name in NASTY})
    nasty = tried(NASTY[0], 1.0, 2.0, **{NASTY[1]: NASTY[2]})
    failed = Trial(method=NASTY[1], reason=f"column {NASTY[0]} is bad")
    compared = tacita.compare_methods(frame, quasi=NASTY, k=[3, 4])
    for shown in (compared, Trials.of([nasty, failed, tried("b", 2.0, 1.0, **{NASTY[1]: 1})])):
        seen = page(comparison_html(shown))
        assert set(seen.tags) <= HARMLESS_TAGS
        assert not any(name.startswith("on") for name, _ in seen.attributes)
        assert NASTY[0] in seen.text
        assert NASTY[1] in seen.text


def test_the_map_has_one_mark_for_each_trial_with_figures_and_the_table_all(trials, page):
    html = comparison_html(trials)
    assert len(marks(html)) == len(trials.on_map) == 3
    assert sum("on the front" in words for words in marks(html)) == len(trials.front)
    rows = html.partition('<table class="trials">')[2].partition("</table>")[0].count("<tr") - 1
    assert rows == len(trials) == 6
    assert page(html).text.count("HM: wanted one column, got 3.") == 3


def test_equal_trials_have_a_mark_each():
    html = comparison_html(Trials.of([tried("a", 1.0, 1.0), tried("b", 1.0, 1.0)]))
    assert len(marks(html)) == 2


def test_a_page_without_a_single_figure_draws_nothing(page):
    text = page(comparison_html(Trials.of([Trial(method="a", reason="too few records")]))).text
    assert "No trial has a figure on both axes." in text
    assert "too few records" in text


def test_the_better_corner_follows_the_direction_of_the_measures():
    assert risk_map(Trials.of([tried("a", 1.0, 1.0)])).corner.words == "lower left"
    assert risk_map(Trials.of([tried("a", 1.0, 1.0, "higher")])).corner.words == "upper left"


def test_the_json_keeps_a_drawn_seed_so_that_the_comparison_repeats(trials):
    assert trials.origin is not None
    drawn = RunContext(seed="new").seed
    seeded = replace(trials, origin=replace(trials.origin, seed=drawn))
    assert json.loads(comparison_json(seeded))["seed"] == str(drawn)


def test_the_json_has_the_axes_and_every_trial_with_its_scores(trials):
    content = json.loads(comparison_json(trials))
    assert (content["loss"], content["risk"]) == ("PIL", "DR")
    assert list(content) == ["loss", "risk", "seed", "uniqueness", "trials"]
    for entry, trial in zip(content["trials"], trials, strict=True):
        assert list(entry) == ["method", "parameters", "on_front", "reason", "groups", "scores"]
        assert entry["on_front"] == trial.on_front
        assert (entry["reason"] is None) == bool(entry["scores"])
        assert [score["name"] for score in entry["scores"]] == [score.name for score in trial.report or ()]


def boxes(drawn):
    """The room of each label, letters taken narrower than the map takes them."""
    for label in drawn.labels:
        wide = 6.0 * len(label.text)
        x = float(label.x) - {"start": 0, "middle": wide / 2, "end": wide}[label.anchor]
        yield x, float(label.y) - 10, x + wide, float(label.y) + 2


@given(
    st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)), min_size=1, max_size=60),
    st.sampled_from(["lower", "higher"]),
)
def test_labels_never_touch_and_nothing_lies_outside_the_map(places, direction):
    trials = Trials.of(
        tried(f"method {i % 8}", loss, risk, direction, k=i) for i, (loss, risk) in enumerate(places)
    )
    drawn = risk_map(trials)
    assert len(drawn.spots) == len(places)
    assert all(0 <= float(spot.x) <= WIDTH and 0 <= float(spot.y) <= HEIGHT for spot in drawn.spots)
    told = list(boxes(drawn))
    for i, a in enumerate(told):
        assert a[0] >= 0
        assert a[2] <= WIDTH
        assert not any(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for b in told[:i])


def test_a_crowded_map_labels_the_front_only():
    trials = Trials.of(
        tried("a", 10.0 * i, 100.0 - i if i < 5 else 99.0 + i, k=i) for i in range(CROWDED + 1)
    )
    told = {label.text for label in risk_map(trials).labels}
    assert told == {f"k={i}" for i in range(5)}


@given(st.lists(st.floats(0, 1e9) | st.just(5e-324), max_size=5))
def test_an_axis_starts_at_zero_and_ends_above_everything_in_few_round_steps(figures):
    axis = Axis.around(figures, 0, 100)
    assert axis.values[0] == 0
    assert axis.values[-1] >= max(figures, default=0)
    assert 2 <= len(axis.values) <= 8
    assert len({tick.text for tick in axis.ticks()}) == len(axis.ticks())


def test_sixty_trials_are_a_quick_and_small_page():
    rng = np.random.default_rng(2)
    trials = Trials.of(tried(f"m{i % 5}", *rng.uniform(0, 60, 2), k=i) for i in range(60))
    start = time.perf_counter()
    html = comparison_html(trials)
    assert time.perf_counter() - start < 1
    assert len(html.encode()) < 200_000


@pytest.mark.parametrize(("measures", "wide"), [(3, False), (None, True)])
def test_trials_with_many_measures_are_printed_on_paper_that_holds_them(measures, wide):
    names = ["PIL", "DR", *(name for name in registry.names("loss", "risk") if name not in ("PIL", "DR"))]
    scores = tuple(Score(name=name, value=12.5) for name in names[:measures])
    trial = Trial(method="mdav", parameters={"k": 3}, report=Report(scores), groups=7)
    html = comparison_html(Trials.of([trial]))
    assert '<section class="wide" aria-labelledby="trials">' in html
    assert ("@page wide { size: " in html) == wide
