"""Where the bars of shares go: a line a category. The template `shares.html` draws them."""

from __future__ import annotations

from dataclasses import dataclass

from tacita.core.results.release import AttributeSummary

from .figures import percent
from .plots import Bar, pixel, shortened

WIDTH = 400.0
# Names stand left of the bars, percentages right of them.
_LEFT, _RIGHT, _TOP = 152.0, 54.0, 6.0
_LINE, _BAR = 36.0, 12.5
_LONGEST = 20


@dataclass(frozen=True)
class Line:
    """A category: its name, its words in full, and a bar with its percentage before and after."""

    name: str
    words: str
    at: str
    bars: tuple[tuple[Bar, str, str], ...]


@dataclass(frozen=True)
class Shares:
    """Everything the template needs, as text ready to be written."""

    title: str
    description: str
    lines: tuple[Line, ...]
    height: str
    width: str = f"{WIDTH:g}"
    left: str = f"{_LEFT:g}"


def shares(summary: AttributeSummary) -> Shares:
    """The share of every category before and after.

    >>> told = AttributeSummary("x", (), (3, 1), (4, 0), 0, 0, 1, 1, False, ("a", "b"))
    >>> shares(told).description
    'Share of records. a: 75 % original, 100 % released; b: 25 % original, 0 % released.'
    """
    longest = max(max(pair) for pair in summary.shares)
    lines = tuple(
        _line(at, name, pair, longest)
        for at, (name, pair) in enumerate(zip(summary.categories, summary.shares, strict=True))
    )
    return Shares(
        title=f"{summary.name}: share of records by category",
        description=f"Share of records. {'; '.join(line.words for line in lines)}.",
        lines=lines,
        height=pixel(2 * _TOP + _LINE * len(lines)),
    )


def _line(at: int, name: str, pair: tuple[float, float], longest: float) -> Line:
    top = _TOP + at * _LINE
    room = WIDTH - _LEFT - _RIGHT
    texts = [percent(share) for share in pair]
    bars = []
    for row, (series, share, text) in enumerate(zip(("before", "after"), pair, texts, strict=True)):
        # a little is not nothing
        wide = max(1.5, room * share / longest) if share else 0.0
        y = top + 4 + row * (_BAR + 1)
        bar = Bar(series, pixel(_LEFT), pixel(y), pixel(wide), pixel(_BAR))
        bars.append((bar, pixel(_LEFT + wide), text))
    words = f"{name}: {texts[0]} original, {texts[1]} released"
    return Line(shortened(name, _LONGEST), words, pixel(top + _LINE / 2), tuple(bars))
