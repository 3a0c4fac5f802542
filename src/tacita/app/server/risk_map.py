"""Figures as people read them, and where the marks of the risk-utility map go; templates draw them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .history import Branch

THIN = "\u202f"
MINUS = "\u2212"
LOSS, RISK = "PIL", "DR"

_WIDTH, _HEIGHT = 312.0, 236.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 36.0, 10.0, 22.0, 40.0
_LETTER, _LONGEST, _DOT = 7.1, 28, 7.0


def number(value: float | None, digits: int | None = None, *, comma: bool = False) -> str:
    """A figure with thousands apart; `digits` after the decimal sign, or as many as tell something.

    >>> number(84949), number(40.412, 1), number(-3.5, 1, comma=True), number(None)
    ('84\u202f949', '40.4', '\u22123,5', '\u2013')
    """
    if value is None:
        return "\u2013"
    if digits is None:
        digits = 0 if float(value).is_integer() or abs(value) >= 1000 else 2 if abs(value) < 10 else 1
    text = f"{value:,.{digits}f}".replace(",", THIN).replace("-", MINUS)
    return text.replace(".", ",") if comma else text


def size(count: int) -> str:
    """Bytes in a unit that fits.

    >>> size(812), size(65_200), size(200_000_000)
    ('812 B', '65 kB', '200 MB')
    """
    for unit, power in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= power:
            return f"{count / power:.0f} {unit}" if count >= 10 * power else f"{count / power:.1f} {unit}"
    return f"{count} B"


@dataclass(frozen=True)
class Tick:
    """A label on an axis, at a pixel."""

    at: float
    text: str


@dataclass(frozen=True)
class Spot:
    """A verified node on the map: on the front where no other is better in both."""

    node: str
    title: str
    x: float
    y: float
    front: bool
    chosen: bool
    anchor: str
    label_x: float
    label_y: float
    words: str


@dataclass(frozen=True)
class Map:
    """Loss from left to right, risk from below; lower left is better."""

    width: float
    height: float
    left: float
    right: float
    bottom: float
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    spots: tuple[Spot, ...]
    front: str


def risk_map(branches: Iterable[Branch]) -> Map | None:
    """Where everything goes; nothing where no node has both figures."""
    points = [
        (branch, loss, risk)
        for branch in branches
        if branch.node.state == "verified" and not branch.stale
        if (loss := branch.node.score(LOSS)) is not None and (risk := branch.node.score(RISK)) is not None
    ]
    if not points:
        return None
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    across = ticks([loss for _, loss, _ in points])
    up = ticks([risk for _, _, risk in points])

    def x(value: float) -> float:
        return round(_LEFT + (right - _LEFT) * value / across[-1], 1)

    def y(value: float) -> float:
        return round(bottom - (bottom - _TOP) * value / up[-1], 1)

    front = pareto([(loss, risk) for _, loss, risk in points])
    spots = tuple(
        _spot(branch, x(loss), y(risk), on_front, f"{branch.node.title}: {loss:.1f} / {risk:.1f}")
        for (branch, loss, risk), on_front in zip(points, front, strict=True)
    )
    line = sorted((spot.x, spot.y) for spot in spots if spot.front)
    return Map(
        _WIDTH,
        _HEIGHT,
        _LEFT,
        right,
        bottom,
        tuple(Tick(x(value), f"{value:g}") for value in across),
        tuple(Tick(y(value), f"{value:g}") for value in up),
        _apart(spots),
        " ".join(f"{px},{py}" for px, py in line),
    )


def _spot(branch: Branch, x: float, y: float, front: bool, words: str) -> Spot:
    node = branch.node
    title = node.title if len(node.title) <= _LONGEST else f"{node.title[: _LONGEST - 1]}…"
    return Spot(node.id, title, x, y, front, branch.chosen, "start", x + 9, y - 8, words)


def _apart(spots: Sequence[Spot]) -> tuple[Spot, ...]:
    """Labels beside their spots, each where it lies on nothing: right of it, left, above or below."""
    placed: dict[str, Spot] = {}
    taken = [(spot.x - _DOT, spot.y - _DOT, spot.x + _DOT, spot.y + _DOT) for spot in spots]
    # the chosen one has the first choice; those that are hidden until pointed at take no room
    for spot in sorted(spots, key=lambda each: (not each.chosen, not each.front, each.x)):
        choices = [replace(spot, anchor=side, label_x=x, label_y=y) for side, x, y in _around(spot)]
        best = min(choices, key=lambda each: sum(_overlap(_box(each), other) for other in taken))
        placed[spot.node] = best
        if spot.front or spot.chosen:
            taken.append(_box(best))
    return tuple(placed[spot.node] for spot in spots)


def _around(spot: Spot) -> list[tuple[str, float, float]]:
    wide, left, right = _LETTER * len(spot.title), spot.x - 9, spot.x + 9
    heights = [round(spot.y + down, 1) for down in (-8, 4, 16)]
    found = [("start", right, y) for y in heights if right + wide <= _WIDTH]
    found += [("end", left, y) for y in heights if left >= wide]
    middle = min(max(spot.x, wide / 2), _WIDTH - wide / 2)
    found += [("middle", middle, spot.y + down) for down in (-12, 20, -25, 33)]
    inside = [each for each in found if _TOP <= each[2] <= _HEIGHT - _BOTTOM]
    return [(side, round(x, 1), round(y, 1)) for side, x, y in inside or found]


def _box(spot: Spot) -> tuple[float, float, float, float]:
    """Where a label lies: left, top, right, bottom."""
    wide = _LETTER * len(spot.title)
    left = spot.label_x - {"start": 0.0, "middle": wide / 2, "end": wide}[spot.anchor]
    return left, spot.label_y - 10, left + wide, spot.label_y + 3


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> float:
    """How much of two boxes lies on one another.

    >>> _overlap((0, 0, 2, 2), (1, 1, 3, 3)), _overlap((0, 0, 1, 1), (2, 2, 3, 3))
    (1, 0)
    """
    across = min(one[2], other[2]) - max(one[0], other[0])
    up = min(one[3], other[3]) - max(one[1], other[1])
    return across * up if across > 0 and up > 0 else 0


def pareto(points: Sequence[tuple[float, float]]) -> list[bool]:
    """Which points no other beats in both figures.

    >>> pareto([(1, 3), (2, 2), (3, 3)])
    [True, True, False]
    """
    return [
        not any(a <= x and b <= y and (a, b) != (x, y) for a, b in points)
        for x, y in ((each[0], each[1]) for each in points)
    ]


def ticks(values: Sequence[float]) -> list[float]:
    """Round steps from nought to beyond the largest value.

    >>> ticks([58.7, 25.8])
    [0.0, 20.0, 40.0, 60.0]
    """
    largest = max(max(values, default=0.0), 1e-9)
    raw = largest / 3
    power = 10.0 ** floor(log10(raw))
    step = next(each * power for each in (1, 2, 2.5, 5, 10) if each * power >= raw * (1 - 1e-9))
    return [round(step * i, 10) for i in range(ceil(largest / step * (1 - 1e-9)) + 1)]
