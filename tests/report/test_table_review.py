"""The confidential page about withheld cells."""

import base64
import re
import zlib

import numpy as np
import pytest

from tacita import Table
from tacita.report import table_html
from tacita.tables.release.record import Provenance
from tacita.tables.release.suppress import suppress
from tacita.tables.release.suppression_record import SuppressionRecord
from tacita.tables.suppression.optimal.optimal import Optimal
from tacita.tables.verify.audit import audit
from tacita.tables.verify.suppressed import SuppressionClaim

REGIONS = [[11, 47, 58], [1, 15, 33], [2, 31, 20]]
LABELS = [["<script>alert(1)</script>", "{{ 7 * 7 }}", "III"], ["A & B", '"><img src=x>', "C"]]


ORIGIN = Provenance("cells.csv", "a1", "b2", [], {})


def html_of(found):
    record = SuppressionRecord(ORIGIN, found, found.audit.warnings)
    return table_html(found.table, found.pattern, record.as_dict())


def rendered(values, primary, problem="exact", **fields):
    found = suppress(
        Table.from_array(values, primary=primary, lower=15, upper=15, **fields), Optimal(), problem
    )
    return found, html_of(found)


@pytest.fixture
def small():
    return rendered(REGIONS, np.arange(9).reshape(3, 3) == 4, labels=LABELS)


def test_a_small_table_shows_states_values_and_ranges(small):
    _, html = small
    assert re.search(r'<td class="primary">15<small>13 to 16</small></td>', html)
    assert html.count('<td class="secondary">') == 3
    assert html.count('<td class="forced">') == 7
    assert html.count('<td class="published">') == 5
    assert "proven to be least" in html


def test_the_graph_has_a_line_for_each_withheld_cell_and_a_name_for_each_end(small):
    _, html = small
    assert html.count('<line class="secondary"') == 3
    assert html.count('<line class="primary"') == 1
    assert html.count("<text ") == 4
    assert "attacker 13 to 16" in html


def test_labels_are_only_text(small, page):
    _, html = small
    seen = page(html)
    assert "script" not in seen.tags
    assert "img" not in seen.tags
    assert "{{ 7 * 7 }}" in html
    assert "://" not in html


def test_the_page_is_marked_confidential_and_asks_for_nothing(small):
    _, html = small
    assert "<title>CONFIDENTIAL" in html
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in html
    assert '<meta name="robots" content="noindex">' in html


def test_a_large_table_is_a_picture_of_one_dot_a_cell():
    values = np.random.default_rng(3).integers(1, 90, size=(35, 40))
    primary = np.zeros(1400, dtype=bool)
    primary[[3, 700, 1399]] = True
    found, html = rendered(values, primary.reshape(35, 40), "general")
    assert '<table class="map">' not in html
    content = base64.b64decode(re.search(r"base64,([A-Za-z0-9+/=]+)", html)[1])
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    at = content.index(b"IDAT")
    size = int.from_bytes(content[at - 4 : at], "big")
    lines = np.frombuffer(zlib.decompress(content[at + 4 : at + 4 + size]), dtype=np.uint8).reshape(36, 42)
    dots = lines[:, 1:]
    assert np.array_equal(dots == 3, found.table.grid(found.pattern.primary))
    assert np.array_equal(dots == 2, found.table.grid(found.pattern.secondary))
    assert "any to any" in html


def test_a_large_table_names_its_lines_and_says_what_is_known_of_a_withheld_cell(page):
    values = np.random.default_rng(4).integers(20, 90, size=(30, 70))
    primary = np.zeros(2100, dtype=bool)
    primary[[3, 700]] = True
    nasty = ["<script>alert(1)</script>", *(f"row {at}" for at in range(1, 30))]
    labels = [nasty, [f"column {at}" for at in range(70)]]
    found, html = rendered(values, primary.reshape(30, 70), "exact", labels=labels)
    assert "script" not in page(html).tags
    shown = re.findall(r"<text [^>]*>([^<]*)</text>", html.partition("</figure>")[0])
    # lines stand too close for all of their names
    assert {"row 2", "row 28", "column 0", "column 68"} <= set(shown)
    assert "column 69" not in shown
    said = re.findall(r"<rect [^>]*><title>(.*?): [\d.]+, attacker [\d.]+ to [\d.]+</title>", html)
    assert len(said) == found.pattern.withheld.sum()
    assert "row 10 / column 0" in said


def test_warnings_and_wanted_intervals_are_told():
    table = Table.from_array(REGIONS, primary=np.arange(9).reshape(3, 3) == 4)
    pattern = suppress(table, Optimal(), "exact").pattern
    found = SuppressionClaim(pattern, audit(table, pattern.withheld, "interval"))
    html = html_of(found)
    assert "No level" in html
    _, html = rendered(REGIONS, np.arange(9).reshape(3, 3) == 4, "interval")
    assert "12.75 to 17.25" in html


def test_the_same_table_gives_the_same_page(small):
    found, html = small
    assert html_of(found) == html


def test_a_table_without_sensitive_cells_has_no_graph():
    _, html = rendered(REGIONS, np.zeros((3, 3), dtype=bool))
    assert "<svg" not in html


@pytest.mark.parametrize(("columns", "paper"), [(3, None), (11, r"A4 landscape()"), (60, r"(\d+)pt \d+pt")])
def test_a_wide_table_has_paper_that_holds_it_and_keeps_its_labels_on_a_screen(columns, paper):
    values = np.arange(4 * columns).reshape(4, columns) + 12_345_678
    _, html = rendered(values, (values % columns == 0) & (values < values.mean()), problem="exact")
    assert '<section class="wide" aria-labelledby="map">' in html
    assert ".map tbody th { position: sticky; left: 0;" in html
    found = re.search(rf"@page wide {{ size: {paper}; }}", html)
    assert (found is None) == (paper is None)
    if found is not None:
        size = int(re.search(r"\.wide table \{ font-size: (\d+)pt; \}", html)[1])
        # 12,345,678 and what is around it; the digits of a range are smaller
        assert size * (columns + 1) * (10 * 0.5 + 0.8) <= (int(found[1]) - 90 if found[1] else 752)


def test_large_figures_do_not_run_out_of_their_tiles(small):
    _, html = small
    assert re.search(r"\.tiles div \{[^}]*min-width: max-content;", html)
