"""Figures as people read them, and where the marks of the risk-utility map go; templates draw them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from .history import Branch

THIN = "\u202f"
MINUS = "\u2212"
LOSS, RISK = "PIL", "DR"

_WIDTH, _HEIGHT = 312.0, 236.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 36.0, 10.0, 22.0, 40.0
_LETTER = 6.1


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
    fits = x + 9 + _LETTER * len(node.title) <= _WIDTH
    anchor, label_x = ("start", x + 9) if fits else ("end", x - 9)
    if not fits and x - 9 - _LETTER * len(node.title) < 0:
        anchor, label_x = "middle", _WIDTH / 2
    return Spot(node.id, node.title, x, y, front, branch.chosen, anchor, round(label_x, 1), y - 8, words)


def _apart(spots: Sequence[Spot]) -> tuple[Spot, ...]:
    """Labels that would lie on one another move down, from the top on."""
    placed: list[Spot] = []
    for spot in sorted(spots, key=lambda each: each.y):
        at = spot.label_y
        for other in placed:
            if (other.front or other.chosen) and abs(at - other.label_y) < 13 and abs(spot.x - other.x) < 120:
                at = other.label_y + 13
        placed.append(Spot(**{**spot.__dict__, "label_y": round(at, 1)}))
    return tuple(placed)


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
