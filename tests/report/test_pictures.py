"""The pictures of the review show the right figures, and nobody's."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pyarrow as pa
import pytest

import tacita
from tacita import registry
from tacita.core import Release, Score
from tacita.core.results.score import families
from tacita.report import note_html, review_html


@pytest.fixture(scope="module")
def persons() -> pa.Table:
    rng = np.random.default_rng(8)
    n = 240
    town = rng.choice([f"town {i:02}" for i in range(30)], n)
    town[3] = "Nowhere-on-Sea"
    wage = rng.lognormal(8, 1, n)
    return pa.table(
        {
            "town": town,
            "school": rng.choice(["none", "some", "much"], n, p=[0.2, 0.5, 0.3]),
            "wage": wage,
            "rent": wage * rng.uniform(0.2, 0.4, n),
            "debt": -wage + rng.normal(0, 500, n),
            "age": rng.integers(16, 90, n).astype(float),
        }
    )


@pytest.fixture(scope="module")
def release(persons) -> Release:
    quasi = ["town", "school", "wage", "rent", "debt"]
    return tacita.protect(persons, quasi=quasi, nominal=["town", "school"], method="gower", k=4)


def section(html: str, identity: str) -> str:
    """From a picture's own title to its end."""
    start = html.index(f'aria-labelledby="{identity}-title')
    return html[start : html.index("</svg>", start)]


def test_the_bars_of_risk_add_up_to_all_records_on_both_sides(release):
    html = review_html(release)
    for identity, sides in (("risk-protected", ("original", "released")), ("risk-unchanged", ("released",))):
        words = re.findall(r"<g><title>([^<]*)</title>", section(html, identity))
        assert len(words) == 7
        for side in sides:
            counts = [re.search(rf"([\d,]+|fewer than 4) {side}", each)[1] for each in words]
            told = sum(int(count) for count in counts if count.isdigit())
            hidden = sum(not count.isdigit() for count in counts)
            assert told + hidden <= 240 <= told + 3 * hidden


def test_bars_of_risk_are_as_tall_as_their_counts(release):
    risk = release.record.risks[0]
    drawn = section(review_html(release), "risk-protected")
    heights = [float(each) for each in re.findall(r'class="after"[^>]* height="([\d.]+)"', drawn)]
    tallest = max(*risk.before, *(count or 0 for count in risk.after))
    for count, height in zip(risk.after, heights, strict=True):
        if count == 0:
            assert height == 0
        else:
            assert height == pytest.approx(max(132 * (count or 1) / tallest, 1.5), abs=0.06)


def test_cells_of_the_heat_maps_are_the_correlations_of_numpy_to_their_last_digit(persons, release):
    html = review_html(release)
    names = ["wage", "rent", "debt", "age"]
    old, new = (
        np.corrcoef([np.asarray(frame[name], dtype=float) for name in names])
        for frame in (persons, release.data)
    )
    for number, expected in ((1, old), (2, new), (3, new - old)):
        drawn = section(html, f"correlation-{number}")
        cells = re.findall(r"<title>(\w+) and (\w+): [^<]*</title><rect[^>]*/><text[^>]*>([^<]*)<", drawn)
        assert [(one, other) for one, other, _ in cells] == [
            (names[i], names[j]) for i in range(4) for j in range(i)
        ]
        for one, other, text in cells:
            value = expected[names.index(one), names.index(other)]
            assert float(text.replace("−", "-")) == float(f"{value:.2f}")


def test_bars_of_categories_are_the_shares_of_the_files(persons, release):
    html = review_html(release)
    place = [summary.name for summary in release.record.summaries].index("school") + 1
    drawn = section(html, f"attribute-{place}")
    for name in ("none", "some", "much"):
        told = re.search(rf"<title>{name}: ([\d.]+) % original, ([\d.]+) % released</title>", drawn)
        for share, frame in zip(told.groups(), (persons, release.data), strict=True):
            column = frame["school"].to_pylist()
            assert float(share) == pytest.approx(100 * column.count(name) / len(column), abs=0.051)


def test_a_category_of_few_records_is_not_named(release):
    html = review_html(release)
    assert "Nowhere-on-Sea" not in html
    town = release.record.summaries[0]
    assert len(town.categories) <= 13
    assert town.categories[-1].endswith("other categories")


def test_names_of_columns_in_pictures_are_text(persons):
    nasty = "<b>&amp;"
    frame = persons.select(["wage", "rent", "age"]).rename_columns([nasty, "rent", "age"])
    html = review_html(tacita.protect(frame, quasi=[nasty, "rent"], k=3, measures=["DBRL"]))
    assert nasty not in html
    assert f"rent and {nasty}: " in unescape(section(html, "correlation-1"))


def test_thirty_columns_are_a_page_of_less_than_half_a_megabyte():
    rng = np.random.default_rng(3)
    frame = pa.table({f"column number {j}": rng.lognormal(9, 2, 200) for j in range(30)})
    made = tacita.protect(frame, quasi=frame.column_names, k=3, measures=["IL1", "DBRL"])
    html = review_html(made)
    assert len(html.encode()) < 500_000
    assert "12 of 30 numeric columns" in html
    assert "Largest changes of all pairs" in html


@pytest.mark.parametrize("name", registry.names(*registry.MEASURING))
def test_every_measure_is_told_in_one_plain_sentence_among_its_kin(name):
    (family,) = families([Score(name=name, value=1.0)])
    assert family.kind in registry.MEASURING
    assert family.name not in ("", "others")
    meaning = registry.meaning_of(name, *registry.MEASURING)
    assert meaning.endswith(".")
    assert ". " not in meaning
    assert "\n" not in meaning
    assert 20 < len(meaning) <= 104
    # formulas are for those who read on
    assert not re.search(r"[=|^]|\d\.\d", meaning)


def test_the_page_lists_measures_by_kind_and_family_with_their_sentences(release, page):
    text = page(review_html(release)).text
    place, told = text.index("Information loss:"), families(release.report)
    for family in told:
        # each behind the one before; one that is alone in its kind has the heading of the kind
        if [each.kind for each in told].count(family.kind) > 1:
            place = text.index(family.name.capitalize(), place)
    for score in release.report:
        assert registry.meaning_of(score.name, *registry.MEASURING) in text
    headings = ("Information loss:", "Disclosure risk:", "Balance of loss and risk")
    assert sorted(text.index(each) for each in headings) == [text.index(each) for each in headings]


@pytest.mark.parametrize("render", [review_html, note_html])
@pytest.mark.parametrize("method", ["mdav", "noise"])
def test_no_tile_stands_alone_in_its_row(persons, render, method):
    made = tacita.protect(persons.select(["wage", "rent", "age"]), quasi=["wage", "rent"], method=method)
    tiles = re.search(
        r'<dl class="tiles" style="--wide: (\d+); --narrow: (\d+)">(.*?)</dl>', render(made), re.S
    )
    count = tiles[3].count("<div>")
    for across in (int(tiles[1]), int(tiles[2])):
        assert count % across in (0, across - 1)
