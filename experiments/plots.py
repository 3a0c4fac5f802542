"""What plots of experiments are made of: a canvas, scales, axes, lines, fields of colour. SVG by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from math import ceil, floor, log10

Scale = Callable[[float], float]
Point = tuple[float, float]

_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#333;paint-order:stroke;stroke:#fff;stroke-width:3px}"
    ".title{font-size:15px;font-weight:600}"
    ".grid{stroke:#e3e3e3}.frame{fill:#fff}"
)
# Told apart by lightness as well as by hue.
COLOURS = ("#2f6f9f", "#b5482a", "#3b3b3b", "#7a9a3a", "#8a63a8", "#c79a2b", "#4aa3a2", "#a34a7b")


def canvas(
    title: str, parts: Iterable[str], *, width: float, height: float, left: float = 64.0, style: str = ""
) -> str:
    """A whole picture with a title above its parts.

    >>> canvas("A < B", [], width=10, height=10).splitlines()[-2]
    '<text class="title" x="64" y="24">A &lt; B</text>'
    """
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">',
        f"<title>{escape(title)}</title><style>{_STYLE}{style}</style>",
        f'<rect class="frame" width="{width:g}" height="{height:g}"/>',
        f'<text class="title" x="{left:g}" y="24">{escape(title)}</text>',
    ]
    return "\n".join([*head, *parts, "</svg>", ""])


def linear(low: float, high: float, start: float, end: float) -> Scale:
    """From values to places.

    >>> linear(0, 10, 100, 200)(5)
    150.0
    """
    width = (high - low) or 1.0
    return lambda value: start + (value - low) / width * (end - start)


def round_steps(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers between two, at most so many and one.

    >>> round_steps(0, 44.7)
    [0.0, 10.0, 20.0, 30.0, 40.0]
    """
    raw = max(high - low, 1e-9) / most
    power = 10.0 ** floor(log10(raw))
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= raw * (1 - 1e-9))
    return [step * i for i in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


@dataclass(frozen=True)
class Series:
    """A named line; `marks` are drawn as rings without a line, such as published figures."""

    name: str
    points: Sequence[Point]
    colour: str
    marks: Sequence[Point] = ()


@dataclass(frozen=True)
class Panel:
    """Axes at a place on a canvas."""

    title: str
    along: str
    left: float
    top: float
    width: float
    height: float
    low: Point
    high: Point
    steps: Sequence[float] | None = field(default=None)

    @property
    def x(self) -> Scale:
        """Places to the right."""
        return linear(self.low[0], self.high[0], self.left, self.left + self.width)

    @property
    def y(self) -> Scale:
        """Places upwards."""
        return linear(self.low[1], self.high[1], self.top + self.height, self.top)

    def axes(self) -> Iterator[str]:
        """Grid, figures and names."""
        bottom, right = self.top + self.height, self.left + self.width
        for tick in self.steps or round_steps(self.low[0], self.high[0], 8):
            at = self.x(tick)
            yield f'<line class="grid" x1="{at:.1f}" y1="{self.top:g}" x2="{at:.1f}" y2="{bottom:g}"/>'
            yield f'<text x="{at:.1f}" y="{bottom + 18:g}" text-anchor="middle">{tick:g}</text>'
        for tick in round_steps(self.low[1], self.high[1]):
            at = self.y(tick)
            yield f'<line class="grid" x1="{self.left:g}" y1="{at:.1f}" x2="{right:g}" y2="{at:.1f}"/>'
            yield f'<text x="{self.left - 8:g}" y="{at + 4:.1f}" text-anchor="end">{tick:g}</text>'
        middle = self.left + self.width / 2
        yield f'<text x="{middle:g}" y="{self.top - 8:g}" text-anchor="middle">{escape(self.title)}</text>'
        yield f'<text x="{middle:g}" y="{bottom + 38:g}" text-anchor="middle">{escape(self.along)}</text>'

    def lines(self, series: Iterable[Series]) -> Iterator[str]:
        """Lines with dots, rings for marks, and the name at the right end of a line."""
        x, y = self.x, self.y
        taken: list[float] = []
        for one in series:
            places = [(x(a), y(b)) for a, b in one.points]
            path = "L".join(f"{a:.1f} {b:.1f}" for a, b in places)
            yield f'<path d="M{path}" fill="none" stroke="{one.colour}" stroke-width="1.8"/>'
            yield from dots(places, one.colour, 2.6)
            for a, b in one.marks:
                yield (
                    f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="4.5" fill="none" stroke="{one.colour}" '
                    'stroke-width="1.4"/>'
                )
            at = places[-1][1]
            while any(abs(at - other) < 13 for other in taken):
                at += 3
            taken.append(at)
            yield (
                f'<text x="{places[-1][0] + 8:.1f}" y="{at + 4:.1f}" style="fill:{one.colour}">'
                f"{escape(one.name)}</text>"
            )


def dots(places: Iterable[Point], colour: str, radius: float) -> Iterator[str]:
    """Filled circles."""
    for a, b in places:
        yield f'<circle cx="{a:.1f}" cy="{b:.1f}" r="{radius:g}" fill="{colour}"/>'


def heat_map(
    title: str,
    figures: dict[tuple[int, int], float],
    *,
    left: float,
    top: float,
    cell: Point,
    names: tuple[str, str],
) -> Iterator[str]:
    """A field of colour for each (column, row), darker for more, its figure inside; row 1 at the bottom."""
    columns, rows = (sorted({key[axis] for key in figures}) for axis in (0, 1))
    low, high = min(figures.values()), max(figures.values())
    bottom = top + cell[1] * len(rows)
    middle = left + cell[0] * len(columns) / 2
    yield f'<text x="{middle:g}" y="{top - 8:g}" text-anchor="middle">{escape(title)}</text>'
    for (column, row), figure in sorted(figures.items()):
        x = left + cell[0] * columns.index(column)
        y = bottom - cell[1] * (1 + rows.index(row))
        share = (figure - low) / ((high - low) or 1.0)
        yield (
            f'<rect x="{x:g}" y="{y:g}" width="{cell[0]:g}" height="{cell[1]:g}" fill="{_shade(share)}" '
            'stroke="#fff"/>'
        )
        ink = "#fff" if share > 0.55 else "#222"
        yield (
            f'<text x="{x + cell[0] / 2:g}" y="{y + cell[1] / 2 + 4:g}" text-anchor="middle" '
            f'style="fill:{ink};stroke:none;font-size:10px">{figure:.0f}</text>'
        )
    for place, column in enumerate(columns):
        x = left + cell[0] * (place + 0.5)
        yield f'<text x="{x:g}" y="{bottom + 16:g}" text-anchor="middle">{column}</text>'
    for place, row in enumerate(rows):
        y = bottom - cell[1] * (place + 0.5) + 4
        yield f'<text x="{left - 6:g}" y="{y:g}" text-anchor="end">{row}</text>'
    yield f'<text x="{middle:g}" y="{bottom + 36:g}" text-anchor="middle">{escape(names[0])}</text>'
    yield f'<text x="{left - 28:g}" y="{top - 8:g}" text-anchor="start">{escape(names[1])}</text>'


def _shade(share: float) -> str:
    """From pale to dark blue."""
    pale, dark = (240, 244, 248), (22, 66, 102)
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(pale, dark, strict=True))
