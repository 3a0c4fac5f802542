"""The plots of the report: titles, descriptions and tooltips; `core.display.svg` draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tacita.core.display.number_format import compact, correlation, number, percent
from tacita.core.display.svg import CHANGES, STRENGTHS, Bars, ShareBars, Triangle, bars, share_bars, triangle
from tacita.core.results.plot_data import Correlations, RiskByRecord
from tacita.core.results.release import AttributeSummary


@dataclass(frozen=True)
class Plot:
    """A drawing with title and description; `words` has a tooltip for each bar, line or square."""

    title: str
    description: str
    words: tuple[str, ...]
    drawing: Bars | ShareBars | Triangle


def before_and_after(summary: AttributeSummary) -> Plot:
    """Original and released counts per bin; bins are drawn equally wide, the outer ones are open.

    >>> plot = before_and_after(AttributeSummary("x", (10.0,), (3, 4), (4, 3), 0, 0, 1, 1, False))
    >>> plot.description
    'Records per bin. below 10: 3 original, 4 released; 10 or more: 4 original, 3 released.'
    """
    edges = compact(summary.edges)
    pairs = list(zip(summary.before, summary.after, strict=True))
    words = [
        f"{name}: {number(b)} original, {number(a)} released"
        for name, (b, a) in zip(_bin_names(edges), pairs, strict=True)
    ]
    return Plot(
        title=f"{summary.name}: original and released records",
        description=f"Records per bin. {'; '.join(words)}.",
        words=tuple(words),
        drawing=bars(pairs, ("before", "after"), edges, at_borders=True),
    )


def _bin_names(edges: Sequence[str]) -> list[str]:
    if not edges:
        return ["all records"]
    return [f"below {edges[0]}", *[f"{a} to {b}" for a, b in pairwise(edges)], f"{edges[-1]} or more"]


def risk_by_record(risk: RiskByRecord) -> Plot:
    """The number of records by their chance of being found, before and after protection.

    >>> risk = RiskByRecord("protected", ("x",), 3, (0.0, 50.0, 100.0), (0, 0, 9), (5, 4, None))
    >>> risk_by_record(risk).words[1:]
    ('above 0 up to 50 %: 0 original, 4 released', 'above 50 up to 100 %: 9 original, fewer than 3 released')
    """
    ends = [f"{end:.0f}" for end in risk.ends]
    classes = [f"{ends[0]} %", *(f"above {a} up to {b} %" for a, b in pairwise(ends))]
    sides = {"original": risk.before, "released": risk.after} if risk.before else {"released": risk.after}
    counts = list(zip(*sides.values(), strict=True))
    words = [
        f"{name}: "
        + ", ".join(f"{_count_text(count, risk.k)} {side}" for side, count in zip(sides, group, strict=True))
        for name, group in zip(classes, counts, strict=True)
    ]
    # a hidden small count is drawn as a bar of 1
    drawn = [tuple(1 if count is None else count for count in group) for group in counts]
    labels = [ends[0], *(f"≤ {end}" for end in ends[1:])]
    return Plot(
        title=f"Records by the chance that they are found by {risk.of} columns",
        description=f"Records by the chance that they are found. {'; '.join(words)}.",
        words=tuple(words),
        drawing=bars(drawn, ("before", "after") if risk.before else ("after",), labels),
    )


def _count_text(count: int | None, k: int) -> str:
    return f"fewer than {k}" if count is None else number(count)


def group_sizes(sizes: Mapping[int, int]) -> Plot:
    """The number of groups by size.

    >>> group_sizes({3: 40, 4: 1}).description
    'Groups by size: 40 of 3 records, 1 of 4 records.'
    """
    ordered = sorted(sizes)
    words = tuple(f"{number(sizes[size])} of {number(size)} records" for size in ordered)
    return Plot(
        title="Sizes of the groups",
        description=f"Groups by size: {', '.join(words)}.",
        words=words,
        drawing=bars([(sizes[size],) for size in ordered], ("after",), [number(size) for size in ordered]),
    )


def shares(summary: AttributeSummary) -> Plot:
    """The share of every category before and after.

    >>> summary = AttributeSummary("x", (), (3, 1), (4, 0), 0, 0, 1, 1, False, ("a", "b"))
    >>> shares(summary).description
    'Share of records. a: 75 % original, 100 % released; b: 25 % original, 0 % released.'
    """
    words = [
        f"{name}: {percent(before)} original, {percent(after)} released"
        for name, (before, after) in zip(summary.categories, summary.shares, strict=True)
    ]
    return Plot(
        title=f"{summary.name}: share of records by category",
        description=f"Share of records. {'; '.join(words)}.",
        words=tuple(words),
        drawing=share_bars(summary.categories, summary.shares),
    )


def heatmaps(correlations: Correlations) -> tuple[Plot, Plot, Plot]:
    """Correlations before and after, and their change.

    >>> from tacita.core.results.plot_data import Relation
    >>> correlations = Correlations(2, ("a", "b"), (Relation("b", "a", 0.5, -0.25),))
    >>> [plot.drawing.cells[0].text for plot in heatmaps(correlations)]
    ['.50', '−.25', '−.75']
    """
    return (
        _heatmap(
            "Original", correlations, [relation.before for relation in correlations.relations], STRENGTHS
        ),
        _heatmap(
            "Released", correlations, [relation.after for relation in correlations.relations], STRENGTHS
        ),
        _heatmap("Change", correlations, [relation.change for relation in correlations.relations], CHANGES),
    )


def _heatmap(
    title: str, correlations: Correlations, values: Sequence[float | None], shades: Sequence[float]
) -> Plot:
    known = [value for value in values if value is not None]
    span = f"{correlation(min(known))} to {correlation(max(known))}" if known else "none"
    pairs = zip(correlations.relations, values, strict=True)
    return Plot(
        title=f"{title}: correlations of {len(correlations.names)} columns",
        description=f"{len(values)} pairs, from {span}.",
        words=tuple(
            f"{relation.one} and {relation.other}: {correlation(value)}" for relation, value in pairs
        ),
        drawing=triangle(correlations.names, values, shades),
    )
