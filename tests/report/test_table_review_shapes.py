"""The page about withheld cells in tables of any shape: maps by hierarchy, panels, counts by level, links."""

import re
from dataclasses import replace

import numpy as np
import pytest

from tacita.core import Hierarchy, Pattern, Table
from tacita.io.hierarchies import from_nested
from tacita.report import table_html
from tacita.tables.input.linked_tables import link_tables, parts_of
from tacita.tables.release.record import Provenance
from tacita.tables.release.suppression_record import SuppressionRecord
from tacita.tables.verify.audit import audit
from tacita.tables.verify.suppressed import SuppressionClaim

ORIGIN = Provenance("cells.csv", "a1", "b2", [], {})
REGION = from_nested("region", {"north": ["n1", "<b>n2</b>"], "south": ["s1", "s2"]})
SIZE = Hierarchy.flat("size", ["small", "large"])


def page(table, withheld, tables=()):
    pattern = Pattern.of(table, withheld, problem="exact")
    claim = SuppressionClaim(
        pattern, audit(table, pattern, "exact"), parts_of(table, tables) if tables else ()
    )
    told = SuppressionRecord(ORIGIN, claim, claim.audit.warnings).as_dict()
    return table_html(table, pattern, told, claim.linked), told


def corner(*dimensions):
    """A table whose first inner cells are withheld, two in each of the last two dimensions."""
    shape = [each.leaves.size for each in dimensions]
    table = Table.cross(dimensions, np.arange(5, 5 + np.prod(shape)).reshape(shape), margins=True)
    mask = np.zeros(table.shape, dtype=bool)
    leaves = [each.leaves for each in dimensions]
    top = [np.array([each.top]) for each in dimensions[:-2]]
    mask[np.ix_(*(own[:1] for own in leaves[:-2]), leaves[-2][:2], leaves[-1][:2])] = True
    mask[np.ix_(*top, leaves[-2][:2], leaves[-1][:2])] |= bool(top)
    secret = np.zeros(table.shape, dtype=bool)
    secret[tuple(own[0] for own in leaves)] = True
    return table.with_primary(secret), mask


def test_labels_are_indented_as_their_hierarchy_has_them_and_sums_stand_above():
    html, _ = page(*corner(REGION, SIZE))
    rows = re.findall(
        r'<tr><th scope="row"(?: style="--depth: (\d)")?(?: aria-description="([^"]*)")?><bdi>([^<]*)', html
    )
    assert rows[:4] == [
        ("", "", "Total"),
        ("1", "part of Total", "north"),
        ("2", "part of north", "n1"),
        ("2", "part of north", "&lt;b&gt;n2&lt;/b&gt;"),
    ]
    assert html.count('<td class="primary">') == 1
    assert html.count('<td class="secondary">') == 3
    assert '<h2 id="graph">' not in html


def test_cells_are_counted_by_level():
    html, told = page(*corner(REGION, SIZE))
    assert "<h3>By level</h3>" in html
    [table] = told["tables"]
    finest = table["levels"][-1]
    assert finest == {"levels": [2, 1], "cells": 8, "primary": 1, "secondary": 3, "published": 4}
    row = '<td>2</td><td>1</td><td class="figure">8</td><td class="figure">1</td><td class="figure">3</td>'
    assert row in html


def test_a_two_way_table_is_told_as_before():
    flat = Hierarchy.flat("region", ["n", "s"])
    html, told = page(*corner(flat, SIZE))
    assert "tables" not in told
    assert "By level" not in html
    assert '<h2 id="map"><bdi>The table</bdi></h2>' in html
    assert '<h2 id="graph">' in html


def test_further_dimensions_are_panels_each_under_its_label():
    year = Hierarchy.flat("year", ["2023", "2024"])
    html, _ = page(*corner(year, REGION, SIZE))
    captions = re.findall(r"<caption><bdi>([^<]*)</bdi></caption>", html)
    assert captions == ["year: 2023", "year: 2024", "year: Total"]
    assert html.count('<table class="map">') == 3
    # each sensitive cell with all of its labels
    assert re.search(
        r'<th scope="row"><bdi>2023</bdi></th><td><bdi>n1</bdi></td><td><bdi>small</bdi></td>', html
    )


def test_a_larger_table_is_drawn_panel_by_panel_in_the_order_of_its_hierarchy():
    towns = from_nested(
        "town", {f"region {at}": [f"town {at}.{place}" for place in range(6)] for at in range(6)}
    )
    html, _ = page(
        *corner(Hierarchy.flat("year", ["2023", "2024"]), towns, Hierarchy.flat("sector", [*"ABCDEFGHI"]))
    )
    assert html.count('<svg class="states"') == 3
    assert '<table class="map">' not in html
    first = html.partition("</svg>")[0]
    shown = re.findall(r'text-anchor="end">([^<]*)</text>', first)
    assert shown[:3] == ["Total", "region 0", "·town 0.0"]
    assert "one dot per level" in html


def test_of_too_many_panels_only_levels_are_counted_and_the_page_says_so():
    many = Hierarchy.flat("town", [f"t{at}" for at in range(70)])
    html, _ = page(*corner(many, SIZE, Hierarchy.flat("sector", [*"ABCD"])))
    assert "more than a page can draw (500,000 cells, or 60 panels" in html
    assert "<svg" not in html
    assert "<h3>By level</h3>" in html


def test_linked_tables_have_a_map_each_and_ranges_in_all_of_them():
    one, mask = corner(REGION, SIZE)
    grown = np.zeros((REGION.leaves.size, 2))
    grown[:] = one.grid(one.values)[np.ix_(REGION.leaves, SIZE.leaves)].sum(axis=1, keepdims=True) / 2
    two = Table.cross([REGION, Hierarchy.flat("sex", ["f", "m"])], grown, margins=True)
    tables = [one, replace(two, title="By sex & region")]
    whole = link_tables(tables)
    withheld = np.zeros(whole.n, dtype=bool)
    withheld[parts_of(whole, tables)[0].cells] = mask.ravel()
    html, told = page(whole, withheld, tables)
    assert re.findall(r'<h2 id="map\d"><bdi>([^<]*)', html) == [
        "value by region and size",
        "By sex &amp; region",
    ]
    assert len(told["tables"]) == 2
    assert html.count('<td class="primary">') == 1
    assert html.count("By level") == 2


@pytest.mark.parametrize("low", [9.3e-10, -4e-10])
def test_what_a_solver_leaves_of_nought_is_nought(low):
    from tacita.report.table_review import range_of

    assert range_of({"low": low, "high": 12173856.0}) == "0 to 12,173,856"
    assert range_of({"low": low, "high": None}).startswith(("9.3", "−4", "-4"))
