"""What holds for the review and for the note alike."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import tacita
from tacita.report import note_html, review_html, review_json

EVERYTHING = [review_html, review_json, note_html]
PAGES = [review_html, note_html]
STRUCTURE = {"html", "head", "meta", "title", "style", "body", "div", "header", "main", "section", "article"}
STRUCTURE |= {
    "nav",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "p",
    "ul",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "figure",
    "figcaption",
}
TABLES = {"table", "caption", "thead", "tbody", "tr", "th", "td"}
WORDS = {"strong", "small", "span", "a", "b", "i", "bdi", "code"}
DRAWING = {"svg", "desc", "g", "rect", "line", "path", "text"}
HARMLESS_TAGS = STRUCTURE | TABLES | WORDS | DRAWING
NASTY = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "{{ 7 * 7 }}",
    'O\'Brien & "sons"',
]


@pytest.mark.parametrize("render", PAGES)
def test_a_page_asks_the_network_for_nothing(release, page, render):
    html = render(release)
    seen = page(html)
    assert set(seen.tags) <= HARMLESS_TAGS
    assert "://" not in html
    assert not any(word in "".join(seen.styles) for word in ("url(", "@import", "@font-face"))
    assert all(value.startswith("#") for name, value in seen.attributes if name in ("href", "src"))
    assert not any(name.startswith("on") for name, _ in seen.attributes)


@pytest.mark.parametrize("render", PAGES)
def test_a_page_forbids_scripts_and_requests_by_its_own_policy(release, render):
    policy = (
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">"
    )
    assert policy in render(release)


@pytest.mark.parametrize("render", PAGES)
def test_a_page_is_well_formed_and_speaks_its_language(release, page, render):
    html = render(release)
    seen = page(html)
    assert html.lstrip().startswith("<!DOCTYPE html>")
    assert ("lang", "en") in seen.attributes
    ids = [value for name, value in seen.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    pointed = {value[1:] for name, value in seen.attributes if name == "href"}
    pointed |= {
        part for name, value in seen.attributes if name == "aria-labelledby" for part in value.split()
    }
    assert pointed <= set(ids)
    assert seen.tags.count("th") == sum(name == "scope" for name, _ in seen.attributes)


@pytest.mark.parametrize("render", PAGES)
def test_column_names_are_text_and_never_markup(page, render):
    rng = np.random.default_rng(1)
    frame = pa.table({name: rng.normal(size=30) for name in NASTY})
    seen = page(render(tacita.protect(frame, quasi=NASTY, k=3)))
    assert set(seen.tags) <= HARMLESS_TAGS
    assert not any(name.startswith("on") for name, _ in seen.attributes)
    for name in NASTY:
        assert name in seen.text


@pytest.mark.parametrize("render", EVERYTHING)
def test_no_value_of_an_original_record_appears(release, planted, render):
    shown = render(release)
    assert [value for value in planted if value in shown] == []


@pytest.mark.parametrize("render", EVERYTHING)
def test_no_path_of_the_machine_appears(release, tmp_path, render):
    shown = render(release)
    assert str(tmp_path.anchor + tmp_path.parts[1]) + "/" not in shown
    assert os.path.expanduser("~") + "/" not in shown


def test_the_same_release_and_comparison_give_the_same_bytes_in_another_process():
    script = (
        "import hashlib, pyarrow as pa, tacita\n"
        "from tacita.report import *\n"
        "frame = pa.table({c: [float(i * i % 17) for i in range(24)] for c in 'abc'})\n"
        "release = tacita.protect(frame, quasi=list('abc'), k=3)\n"
        "trials = tacita.compare_methods(frame, quasi=list('abc'), method=['mdav', 'hm'], k=[3, 4])\n"
        "pages = review_html(release) + review_json(release) + note_html(release)\n"
        "pages += comparison_html(trials) + comparison_json(trials)\n"
        "print(hashlib.sha256(pages.encode()).hexdigest())\n"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


@pytest.mark.parametrize("render", EVERYTHING)
def test_sixty_attributes_are_a_quick_and_small_page(render):
    rng = np.random.default_rng(5)
    names = [f"attribute {j}" for j in range(60)]
    wide = tacita.protect(
        pa.table({name: rng.lognormal(10, 2, 300) for name in names}), quasi=names, k=3, measures=["IL1"]
    )
    start = time.perf_counter()
    shown = render(wide)
    assert time.perf_counter() - start < 1
    assert len(shown.encode()) < 1_000_000


def test_saved_files_hold_the_rendered_pages(tmp_path):
    made = tacita.protect(pa.table({"x": [float(i * i) for i in range(12)]}), quasi=["x"], k=3)
    names = {"report": "review.html", "json_report": "review.json", "note": "note.html"}
    tacita.save(made, tmp_path / "out.csv", **{what: tmp_path / name for what, name in names.items()})
    saved = [(tmp_path / name).read_bytes() for name in names.values()]
    written = hashlib.sha256((tmp_path / "out.csv").read_bytes()).hexdigest()
    made = replace(made, record=replace(made.record, release_fingerprint=written))
    assert saved == [render(made).encode() for render in EVERYTHING]
