"""Bars and labels lie where they should."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tacita.core.display.number_format import compact, number, span
from tacita.core.results.release import AttributeSummary
from tacita.report.plots import before_and_after, group_sizes


def summary(edges, before, after, constant=False):
    return AttributeSummary("x", tuple(edges), tuple(before), tuple(after), 1.0, 1.0, 1.0, 1.0, constant)


def test_bars_are_as_tall_as_their_counts():
    drawn = before_and_after(summary([10.0], [10, 20], [20, 0])).drawing
    heights = [[float(bar.height) for bar in slot] for slot in drawn.slots]
    tallest = max(max(pair) for pair in heights)
    assert heights == [[tallest / 2, tallest], [tallest, 0.0]]


@pytest.mark.parametrize("bins", [1, 2, 13, 40])
def test_nothing_is_drawn_outside_the_plot_and_labels_never_touch(bins):
    edges = [12_345.0 * (i + 1) for i in range(bins - 1)]
    drawn = before_and_after(summary(edges, range(3, 3 + bins), range(bins))).drawing
    for slot in drawn.slots:
        for bar in slot:
            assert float(bar.x) >= 0
            assert float(bar.x) + float(bar.width) <= float(drawn.width)
            assert float(bar.y) >= 0
            assert float(bar.y) + float(bar.height) <= float(drawn.height)
    places = [(float(mark.at), len(mark.text) * 3.5) for mark in drawn.labels]
    assert all(a + wide < b - other for (a, wide), (b, other) in pairwise(places))
    assert len(drawn.borders) == bins - 1


@pytest.mark.parametrize("highest", [1, 2, 3, 9, 10, 99, 101, 4999, 123_456_789])
def test_the_axis_of_counts_has_a_few_round_steps_from_zero(highest):
    marks = before_and_after(summary([], [highest], [highest])).drawing.counts
    assert 2 <= len(marks) <= 6
    assert marks[0].text == "0"
    assert len({mark.text for mark in marks}) == len(marks)


def test_a_rare_size_is_still_seen():
    plot = group_sizes({3: 100_000, 4: 1})
    assert float(plot.drawing.slots[1][0].height) >= 1


def test_different_borders_never_share_a_label():
    edges = [100_020.0, 100_040.0, 0.1 + 0.2, 0.25, -1e13, 1e16]
    assert len(set(compact(edges))) == len(edges)


def test_figures_are_spelled_for_people():
    assert compact([-500.0, 0.0, 1000.0, 2.5e6]) == ["−500", "0", "1k", "2.5M"]
    assert number(float("nan")) == number(None) == "–"
    assert span(0.0, None) == "0 or more"
