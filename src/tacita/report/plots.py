"""Where the bars of a plot go: counts in, pixels out. The template `plot.html` draws them as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log10

from tacita.core.results.plot_data import RiskByRecord
from tacita.core.results.release import AttributeSummary

from .figures import compact, number

WIDTH, HEIGHT = 400.0, 170.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 42.0, 8.0, 10.0, 28.0
# Width of one letter of an axis label; generous, so that labels never touch.
_LETTER = 7.0


@dataclass(frozen=True)
class Bar:
    """One rectangle; `series` is its CSS class."""

    series: str
    x: str
    y: str
    width: str
    height: str


@dataclass(frozen=True)
class Slot:
    """The bars over one place of the axis, and the words shown when pointing at them."""

    words: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Mark:
    """A label on an axis, at a pixel."""

    at: str
    text: str


@dataclass(frozen=True)
class Plot:
    """Everything the template needs, as text ready to be written."""

    title: str
    description: str
    slots: tuple[Slot, ...]
    counts: tuple[Mark, ...]
    labels: tuple[Mark, ...]
    ticks: tuple[str, ...] = ()
    width: str = f"{WIDTH:g}"
    height: str = f"{HEIGHT:g}"
    left: str = f"{_LEFT:g}"
    right: str = f"{WIDTH - _RIGHT:g}"
    baseline: str = f"{HEIGHT - _BOTTOM:g}"


def before_and_after(summary: AttributeSummary) -> Plot:
    """Original and released counts per bin, side by side; all bins equally wide, the outer ones open.

    >>> plot = before_and_after(AttributeSummary("x", (10.0,), (3, 4), (4, 3), 0, 0, 1, 1, False))
    >>> plot.description
    'Records per bin. below 10: 3 original, 4 released; 10 or more: 4 original, 3 released.'
    """
    edges = compact(summary.edges)
    bins = _bin_names(edges)
    pairs = list(zip(summary.before, summary.after, strict=True))
    words = [
        f"{name}: {number(b)} original, {number(a)} released"
        for name, (b, a) in zip(bins, pairs, strict=True)
    ]
    step = (WIDTH - _LEFT - _RIGHT) / len(pairs)
    borders = [_LEFT + step * (i + 1) for i in range(len(edges))]
    return Plot(
        title=f"{summary.name}: original and released records",
        description=f"Records per bin. {'; '.join(words)}.",
        slots=_slots(words, pairs, ("before", "after")),
        counts=_count_axis(max(max(pair) for pair in pairs)),
        labels=_thinned(borders, edges),
        ticks=tuple(pixel(x) for x in borders),
    )


def risk_by_record(risk: RiskByRecord) -> Plot:
    """How many records are found with which chance, as they were and as released.

    >>> told = RiskByRecord("protected", ("x",), 3, (0.0, 50.0, 100.0), (0, 0, 9), (5, 4, None))
    >>> [slot.words for slot in risk_by_record(told).slots][1:]
    ['above 0 up to 50 %: 0 original, 4 released', 'above 50 up to 100 %: 9 original, fewer than 3 released']
    """
    ends = [f"{end:.0f}" for end in risk.ends]
    classes = [f"{ends[0]} %", *(f"above {a} up to {b} %" for a, b in pairwise(ends))]
    sides = {"original": risk.before, "released": risk.after} if risk.before else {"released": risk.after}
    counts = list(zip(*sides.values(), strict=True))
    words = [
        f"{name}: "
        + ", ".join(f"{_told(count, risk.k)} {side}" for side, count in zip(sides, group, strict=True))
        for name, group in zip(classes, counts, strict=True)
    ]
    # a bar that is just there, however few there are
    drawn = [tuple(1 if count is None else count for count in group) for group in counts]
    step = (WIDTH - _LEFT - _RIGHT) / len(counts)
    labels = [ends[0], *(f"≤ {end}" for end in ends[1:])]
    return Plot(
        title=f"Records by the chance that they are found by {risk.of} columns",
        description=f"Records by the chance that they are found. {'; '.join(words)}.",
        slots=_slots(words, drawn, ("before", "after") if risk.before else ("after",)),
        counts=_count_axis(max(max(group) for group in drawn)),
        labels=_thinned([_LEFT + step * (i + 0.5) for i in range(len(labels))], labels),
    )


def _told(count: int | None, k: int) -> str:
    return f"fewer than {k}" if count is None else number(count)


def group_sizes(sizes: Mapping[int, int]) -> Plot:
    """How many groups have how many records.

    >>> group_sizes({3: 40, 4: 1}).description
    'Groups by size: 40 of 3 records, 1 of 4 records.'
    """
    ordered = sorted(sizes)
    words = [f"{number(sizes[size])} of {number(size)} records" for size in ordered]
    step = (WIDTH - _LEFT - _RIGHT) / len(ordered)
    centres = [_LEFT + step * (i + 0.5) for i in range(len(ordered))]
    return Plot(
        title="Sizes of the groups",
        description=f"Groups by size: {', '.join(words)}.",
        slots=_slots(words, [(sizes[size],) for size in ordered], ("after",)),
        counts=_count_axis(max(sizes.values())),
        labels=_thinned(centres, [number(size) for size in ordered]),
    )


def shortened(name: str, longest: int) -> str:
    """The beginning of a name that is too long.

    >>> shortened("value added", 6)
    'value…'
    """
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def _bin_names(edges: Sequence[str]) -> list[str]:
    if not edges:
        return ["all records"]
    return [f"below {edges[0]}", *[f"{a} to {b}" for a, b in pairwise(edges)], f"{edges[-1]} or more"]


def _slots(words: Sequence[str], counts: Sequence[Sequence[int]], series: Sequence[str]) -> tuple[Slot, ...]:
    step = (WIDTH - _LEFT - _RIGHT) / len(counts)
    gap = min(step * 0.15, 8.0)
    # few bars would otherwise become walls
    wide = min((step - 2 * gap) / len(series), 44.0)
    tall = (HEIGHT - _TOP - _BOTTOM) / max(1, max(max(group) for group in counts))
    slots = []
    for i, (text, group) in enumerate(zip(words, counts, strict=True)):
        start = _LEFT + step * (i + 0.5) - wide * len(series) / 2
        bars = tuple(
            Bar(
                name,
                pixel(start + j * wide),
                pixel(HEIGHT - _BOTTOM - _height(count, tall)),
                pixel(wide),
                pixel(_height(count, tall)),
            )
            for j, (name, count) in enumerate(zip(series, group, strict=True))
        )
        slots.append(Slot(text, bars))
    return tuple(slots)


def _height(count: int, tall: float) -> float:
    # one of a thousand is little, not nothing
    return max(count * tall, 1.5) if count else 0.0


def _count_axis(highest: int) -> tuple[Mark, ...]:
    """Three to five round counts from zero up."""
    highest = max(1, highest)
    power = 10 ** int(log10(highest))
    choices = sorted(max(1, factor * power // 10) for factor in (1, 2, 5, 10, 20, 50))
    step = next(size for size in choices if highest // size <= 4)
    room = HEIGHT - _TOP - _BOTTOM
    at = [(HEIGHT - _BOTTOM - room * count / highest, count) for count in range(0, highest + 1, step)]
    texts = compact([float(count) for _, count in at])
    return tuple(Mark(pixel(y), text) for (y, _), text in zip(at, texts, strict=True))


def _thinned(places: Sequence[float], texts: Sequence[str]) -> tuple[Mark, ...]:
    """Every label, or every second, third, ... until they have room."""
    for every in range(1, len(places) + 1):
        kept = list(zip(places, texts, strict=True))[::every]
        if all(_room(a, b) for a, b in pairwise(kept)):
            return tuple(Mark(pixel(x), text) for x, text in kept)
    return ()


def _room(left: tuple[float, str], right: tuple[float, str]) -> bool:
    return right[0] - left[0] > _LETTER * (len(left[1]) + len(right[1])) / 2 + 4


def pixel(value: float) -> str:
    """A length or place, to a tenth of a pixel.

    >>> pixel(2.04), pixel(0.25)
    ('2', '0.2')
    """
    return f"{value:.1f}".removesuffix(".0")
