"""Where the marks of the risk-utility map of a work go; a template draws them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tacita.core.display.number_format import NumberStyle
from tacita.core.display.pareto_front import pareto_front
from tacita.core.display.svg import FEW_STEPS, Axis, Box, Tick, shortened

if TYPE_CHECKING:
    from .history import Branch

LOSS = "PIL"
RISK = "DR"

_WIDTH = 312.0
_HEIGHT = 236.0
_LEFT = 36.0
_RIGHT = 10.0
_TOP = 22.0
_BOTTOM = 40.0
_LETTER = 7.1
_LINE = 13.0
_LONGEST = 28
_DOT = 7.0


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

    @property
    def box(self) -> Box:
        """Where its label lies."""
        return Box.of_text(self.label_x, self.label_y, self.title, self.anchor, _LETTER, _LINE)


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


def risk_map(branches: Iterable[Branch], style: NumberStyle) -> Map | None:
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
    across = Axis.around([loss for _, loss, _ in points], _LEFT, right, 3, FEW_STEPS)
    up = Axis.around([risk for _, _, risk in points], bottom, _TOP, 3, FEW_STEPS)
    front = pareto_front([(loss, risk) for _, loss, risk in points])
    spots = tuple(
        _spot(branch, across.at(loss), up.at(risk), on_front, f"{branch.node.title}: {loss:.1f} / {risk:.1f}")
        for (branch, loss, risk), on_front in zip(points, front, strict=True)
    )
    line = sorted((spot.x, spot.y) for spot in spots if spot.front)
    return Map(
        width=_WIDTH,
        height=_HEIGHT,
        left=_LEFT,
        right=right,
        bottom=bottom,
        across=across.ticks(style),
        up=up.ticks(style),
        spots=_apart(spots),
        front=" ".join(f"{px},{py}" for px, py in line),
    )


def _spot(branch: Branch, x: float, y: float, front: bool, words: str) -> Spot:
    node = branch.node
    title, x, y = shortened(node.title, _LONGEST), round(x, 1), round(y, 1)
    return Spot(
        node=node.id,
        title=title,
        x=x,
        y=y,
        front=front,
        chosen=branch.chosen,
        anchor="start",
        label_x=x + 9,
        label_y=y - 8,
        words=words,
    )


def _apart(spots: Sequence[Spot]) -> tuple[Spot, ...]:
    """Labels next to their spots, each where it covers nothing: right of it, left, above or below."""
    placed: dict[str, Spot] = {}
    taken = [Box.around(spot.x, spot.y, _DOT) for spot in spots]
    # the chosen one has the first choice; those that are hidden until pointed at take no room
    for spot in sorted(spots, key=lambda candidate: (not candidate.chosen, not candidate.front, candidate.x)):
        choices = [replace(spot, anchor=side, label_x=x, label_y=y) for side, x, y in _around(spot)]
        best = min(choices, key=lambda candidate: sum(candidate.box.overlap(other) for other in taken))
        placed[spot.node] = best
        if spot.front or spot.chosen:
            taken.append(best.box)
    return tuple(placed[spot.node] for spot in spots)


def _around(spot: Spot) -> list[tuple[str, float, float]]:
    wide, left, right = _LETTER * len(spot.title), spot.x - 9, spot.x + 9
    heights = [round(spot.y + down, 1) for down in (-8, 4, 16)]
    labels = [("start", right, y) for y in heights if right + wide <= _WIDTH]
    labels += [("end", left, y) for y in heights if left >= wide]
    middle = min(max(spot.x, wide / 2), _WIDTH - wide / 2)
    labels += [("middle", middle, spot.y + down) for down in (-12, 20, -25, 33)]
    inside = [label for label in labels if _TOP <= label[2] <= _HEIGHT - _BOTTOM]
    return [(side, round(x, 1), round(y, 1)) for side, x, y in inside or labels]
