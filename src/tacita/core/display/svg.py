"""Drawing primitives of reports and the page: axes with round steps, labels without overlaps, bars, squares.

Numbers go in, pixel positions come out; templates write them as SVG, with texts in their language.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from typing import NamedTuple

from .number_format import ENGLISH, NumberStyle, compact, correlation, percent

# Width of a letter of an axis label, rounded up so that labels never touch.
_LETTER = 7.0
_ROUND_STEPS = (1.0, 2.0, 5.0)
# The number of steps where three or four labels fit.
FEW_STEPS = (1.0, 2.0, 2.5, 5.0)


def pixel(value: float) -> str:
    """A length or position, to a tenth of a pixel.

    >>> pixel(2.04), pixel(0.25)
    ('2', '0.2')
    """
    return f"{value:.1f}".removesuffix(".0")


def shortened(name: str, longest: int) -> str:
    """A name cut to a length.

    >>> shortened("value added", 6)
    'value…'
    """
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def round_step(span: float, most: float, steps: Sequence[float] = _ROUND_STEPS) -> float:
    """The smallest round step of which at most `steps` fit into a span.

    >>> round_step(47.0, 6), round_step(58.7, 3), round_step(0.7, 3, (1, 2, 2.5, 5))
    (10.0, 20.0, 0.25)
    """
    least = span / most * (1 - 1e-9)
    power = 10.0 ** floor(log10(least))
    return next(factor * power for factor in (*steps, 10.0, 20.0) if factor * power >= least)


@dataclass(frozen=True)
class Tick:
    """A label on an axis, at a pixel."""

    at: str
    text: str


@dataclass(frozen=True)
class Axis:
    """A scale from figures to pixels, from zero to a round figure above all of them."""

    values: tuple[float, ...]
    start: float
    end: float

    @classmethod
    def around(
        cls,
        figures: Iterable[float],
        start: float,
        end: float,
        most: float = 6,
        steps: Sequence[float] = _ROUND_STEPS,
    ) -> Axis:
        """An axis with few round steps, at most so many and one.

        >>> Axis.around([3.0, 47.0], 0, 100).values, Axis.around([58.7, 25.8], 0, 100, 3).values
        ((0.0, 10.0, 20.0, 30.0, 40.0, 50.0), (0.0, 20.0, 40.0, 60.0))
        """
        values = [0.0, *figures]
        low, high = min(values), max(values)
        # smaller figures are remainders of differences
        step = round_step(high - low if high - low > 1e-9 else 1.0, most, steps)
        first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
        first -= _rounded(first * step) > low
        last = max(first + 1, last + (_rounded(last * step) < high))
        return cls(tuple(_rounded(i * step) for i in range(first, last + 1)), start, end)

    def at(self, value: float) -> float:
        """The pixel of a figure."""
        share = (value - self.values[0]) / (self.values[-1] - self.values[0])
        return self.start + share * (self.end - self.start)

    def ticks(self, style: NumberStyle = ENGLISH) -> tuple[Tick, ...]:
        """The round figures, at their pixels."""
        texts = compact(self.values, style)
        return tuple(Tick(pixel(self.at(v)), text) for v, text in zip(self.values, texts, strict=True))


def _rounded(value: float) -> float:
    return float(f"{value:.12g}")


class Box(NamedTuple):
    """A rectangle, by two corners."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, x: float, y: float, space: float) -> Box:
        """A square around a point."""
        return cls(x - space, y - space, x + space, y + space)

    @classmethod
    def of_text(cls, x: float, y: float, text: str, anchor: str, letter: float, line: float) -> Box:
        """The box of a line of text at its `text-anchor`; it reaches three pixels below the baseline."""
        wide = letter * len(text)
        left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
        return cls(left, y + 3 - line, left + wide, y + 3)

    def overlap(self, other: Box) -> float:
        """The area of the intersection.

        >>> Box(0, 0, 2, 2).overlap(Box(1, 1, 3, 3)), Box(0, 0, 1, 1).overlap(Box(2, 2, 3, 3))
        (1, 0)
        """
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across * down if across > 0 and down > 0 else 0

    def within(self, other: Box) -> bool:
        """Whether the other box contains this one."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.top >= other.top
            and self.bottom <= other.bottom
        )


def thinned(places: Sequence[float], texts: Sequence[str]) -> tuple[Tick, ...]:
    """Every label, or every second, third, ... until they do not touch."""
    for every in range(1, len(places) + 1):
        kept = list(zip(places, texts, strict=True))[::every]
        if all(b[0] - a[0] > _LETTER * (len(a[1]) + len(b[1])) / 2 + 4 for a, b in pairwise(kept)):
            return tuple(Tick(pixel(x), text) for x, text in kept)
    return ()


@dataclass(frozen=True)
class Bar:
    """One rectangle; `series` is its CSS class."""

    series: str
    x: str
    y: str
    width: str
    height: str


@dataclass(frozen=True)
class Bars:
    """Vertical bars over slots of equal width, with an axis of counts."""

    slots: tuple[tuple[Bar, ...], ...]
    counts: tuple[Tick, ...]
    labels: tuple[Tick, ...]
    borders: tuple[str, ...]
    width: str
    height: str
    left: str
    right: str
    baseline: str


_WIDTH = 400.0
_HEIGHT = 170.0
_PLOT = Box(42.0, 10.0, _WIDTH - 8.0, _HEIGHT - 28.0)


def bars(
    counts: Sequence[Sequence[int]],
    series: Sequence[str],
    labels: Sequence[str],
    *,
    at_borders: bool = False,
    style: NumberStyle = ENGLISH,
) -> Bars:
    """Bars of each slot, one a series; labels below the slots, or at the borders between them.

    >>> drawn = bars([(3, 4), (4, 3)], ("before", "after"), ["10"], at_borders=True)
    >>> [bar.height for bar in drawn.slots[0]], drawn.borders
    (['99', '132'], ('217',))
    """
    step = (_PLOT.right - _PLOT.left) / len(counts)
    gap = min(step * 0.15, 8.0)
    # limit the width of few bars
    wide = min((step - 2 * gap) / len(series), 44.0)
    highest = max(max(slot) for slot in counts)
    tall = (_PLOT.bottom - _PLOT.top) / max(1, highest)
    slots = []
    for i, slot in enumerate(counts):
        start = _PLOT.left + step * (i + 0.5) - wide * len(series) / 2
        # small counts stay visible
        heights = [max(count * tall, 1.5) if count else 0.0 for count in slot]
        slots.append(
            tuple(
                Bar(name, pixel(start + j * wide), pixel(_PLOT.bottom - height), pixel(wide), pixel(height))
                for j, (name, height) in enumerate(zip(series, heights, strict=True))
            )
        )
    places = [_PLOT.left + step * (i + (1 if at_borders else 0.5)) for i in range(len(labels))]
    return Bars(
        slots=tuple(slots),
        counts=_count_axis(highest, style),
        labels=thinned(places, labels),
        borders=tuple(pixel(x) for x in places) if at_borders else (),
        width=pixel(_WIDTH),
        height=pixel(_HEIGHT),
        left=pixel(_PLOT.left),
        right=pixel(_PLOT.right),
        baseline=pixel(_PLOT.bottom),
    )


def _count_axis(highest: int, style: NumberStyle) -> tuple[Tick, ...]:
    """Three to five round counts from zero up; the highest bar ends where the plot does."""
    highest = max(1, highest)
    counts = range(0, highest + 1, int(max(1.0, round_step(highest + 1, 5))))
    space = _PLOT.bottom - _PLOT.top
    texts = compact([float(count) for count in counts], style)
    places = [_PLOT.bottom - space * count / highest for count in counts]
    return tuple(Tick(pixel(y), text) for y, text in zip(places, texts, strict=True))


@dataclass(frozen=True)
class ShareLine:
    """A category: its name, and a bar with its end and its percentage before and after."""

    name: str
    at: str
    bars: tuple[tuple[Bar, str, str], ...]


@dataclass(frozen=True)
class ShareBars:
    """Horizontal bars of shares, one line per category."""

    lines: tuple[ShareLine, ...]
    height: str
    width: str
    left: str


# Names stand left of the bars, percentages right of them.
_SHARES_LEFT = 152.0
_SHARES_RIGHT = 54.0
_SHARES_TOP = 6.0
_LINE = 36.0
_THICK = 12.5
_LONGEST_CATEGORY = 20


def share_bars(
    names: Sequence[str], shares: Sequence[tuple[float, float]], style: NumberStyle = ENGLISH
) -> ShareBars:
    """The share of every category before and after, in percent.

    >>> [bar.width for bar, _, _ in share_bars(["a", "b"], [(75.0, 100.0), (25.0, 0.0)]).lines[0].bars]
    ['145.5', '194']
    """
    longest = max(max(pair) for pair in shares) or 1.0
    space = _WIDTH - _SHARES_LEFT - _SHARES_RIGHT
    lines = []
    for at, (name, pair) in enumerate(zip(names, shares, strict=True)):
        top, drawn = _SHARES_TOP + at * _LINE, []
        for row, (series, share) in enumerate(zip(("before", "after"), pair, strict=True)):
            # small shares stay visible
            wide = max(1.5, space * share / longest) if share else 0.0
            y = top + 4 + row * (_THICK + 1)
            bar = Bar(series, pixel(_SHARES_LEFT), pixel(y), pixel(wide), pixel(_THICK))
            drawn.append((bar, pixel(_SHARES_LEFT + wide), percent(share, style)))
        lines.append(ShareLine(shortened(name, _LONGEST_CATEGORY), pixel(top + _LINE / 2), tuple(drawn)))
    height = pixel(2 * _SHARES_TOP + _LINE * len(lines))
    return ShareBars(tuple(lines), height, pixel(_WIDTH), pixel(_SHARES_LEFT))


@dataclass(frozen=True)
class Square:
    """A figure in its square; `shade` is its CSS class: n4 to n1, z, p1 to p4."""

    x: str
    y: str
    text: str
    shade: str


@dataclass(frozen=True)
class RowName:
    """A column's name at the end of its row, above its own column of squares."""

    x: str
    y: str
    text: str
    full: str


@dataclass(frozen=True)
class Triangle:
    """Correlations of columns with each other; `keys` are shades with the figure at which each begins."""

    cells: tuple[Square, ...]
    names: tuple[RowName, ...]
    keys: tuple[tuple[str, str], ...]
    width: str
    height: str
    size: str


_SQUARE = 36.0
_MARGIN = 2.0
# A name runs to the right of its square, where the triangle leaves space.
_LONGEST_NAME = 15
_NAME_LETTER = 8.0
# Lower ends of the shades: of a correlation, and of a change of one.
STRENGTHS = (0.05, 0.25, 0.5, 0.75)
CHANGES = (0.01, 0.05, 0.1, 0.2)


def triangle(
    names: Sequence[str],
    values: Sequence[float | None],
    shades: Sequence[float],
    style: NumberStyle = ENGLISH,
) -> Triangle:
    """Squares of all pairs of columns: the second with the first, the third with the first, and so on.

    >>> drawn = triangle(["a", "b"], [-0.25], STRENGTHS)
    >>> drawn.cells[0].text, drawn.cells[0].shade, drawn.keys[0]
    ('−.25', 'n2', ('n4', '−0.75'))
    """
    places = [(i, j) for i in range(len(names)) for j in range(i)]
    cells = tuple(
        Square(
            pixel(_MARGIN + j * _SQUARE),
            pixel(_MARGIN + i * _SQUARE),
            correlation(value, style),
            _shade(value, shades),
        )
        for (i, j), value in zip(places, values, strict=True)
    )
    rows = tuple(
        RowName(
            pixel(_MARGIN + i * _SQUARE + 4),
            pixel(_MARGIN + (i + 0.5) * _SQUARE),
            shortened(name, _LONGEST_NAME),
            name,
        )
        for i, name in enumerate(names)
    )
    ends = [i * _SQUARE + 4 + _NAME_LETTER * len(row.text) for i, row in enumerate(rows)]
    below = [(f"n{level}", style.write(f"-{end:g}")) for level, end in enumerate(shades, 1)]
    above = [(f"p{level}", style.write(f"{end:g}")) for level, end in enumerate(shades, 1)]
    return Triangle(
        cells=cells,
        names=rows,
        keys=(*reversed(below), ("z", "0"), *above),
        width=pixel(2 * _MARGIN + max(ends)),
        height=pixel(2 * _MARGIN + len(rows) * _SQUARE),
        size=pixel(_SQUARE - 1),
    )


def _shade(value: float | None, shades: Sequence[float]) -> str:
    level = 0 if value is None else sum(round(abs(value), 2) >= end for end in shades)
    return "z" if value is None or not level else f"{'p' if value > 0 else 'n'}{level}"
