"""Plots of a release before and after, drawn from the counts and correlations that a worker sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacita.core.display.number_format import NumberStyle, compact
from tacita.core.display.svg import (
    CHANGES,
    STRENGTHS,
    Bars,
    ShareBars,
    Triangle,
    bars,
    share_bars,
    triangle,
)


def draw_plot(plot: Mapping[str, Any], style: NumberStyle) -> tuple[Bars | ShareBars, list[str]]:
    """The bars of a column, and the labels of the borders between its bins.

    >>> counts = {"edges": [10.5], "categories": [], "before": [3, 4], "after": [4, 3]}
    >>> draw_plot(counts, NumberStyle(decimal=","))[1]
    ['10,5']
    """
    pairs = list(zip(plot["before"], plot["after"], strict=True))
    if plot["categories"]:
        sums = [max(1, sum(plot[side])) for side in ("before", "after")]
        shares = [(100 * b / sums[0], 100 * a / sums[1]) for b, a in pairs]
        return share_bars(plot["categories"], shares, style), []
    # projects that were saved before have their borders as text
    edges = [float(edge) for edge in plot["edges"] if not isinstance(edge, str)]
    labels = compact(edges, style) if edges else list(plot["edges"])
    return bars(pairs, ("before", "after"), labels, at_borders=True, style=style), labels


def draw_correlations(correlations: Mapping[str, Any], style: NumberStyle) -> dict[str, Triangle]:
    """Correlations before, after, and what changed."""
    pairs = correlations["relations"]
    change = [None if None in (b, a) else a - b for _, _, b, a in pairs]
    values = {"before": [pair[2] for pair in pairs], "after": [pair[3] for pair in pairs]}
    drawn = {name: triangle(correlations["names"], values[name], STRENGTHS, style) for name in values}
    return {**drawn, "change": triangle(correlations["names"], change, CHANGES, style)}
