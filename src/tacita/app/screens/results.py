"""The result of a node, as a page shows it: its figures compared with those of its parent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tacita.app.server.history import Node
from tacita.core.spec.schema_forms import text_of

# Components of the risk that are shown with the few figures that come first.
_PARTS = ("DLD", "DBRL", "PRL")


@dataclass(frozen=True)
class Tile:
    """A figure, and by how much it differs from that of another node, for better or worse."""

    name: str
    value: float
    unit: str
    meaning: str
    change: float | None
    better: bool


def tiles(node: Node, reference: Node | None, *, headline: bool) -> list[Tile]:
    """The figures that a reader should see first, or the others."""
    return [
        _tile(score, None if reference is None else reference.score(score["name"]))
        for score in node.answer.get("scores", ())
        if score["value"] is not None and (score["headline"] or score["name"] in _PARTS) == headline
    ]


def _tile(score: Mapping[str, Any], other: float | None) -> Tile:
    change = None if other is None else score["value"] - other
    lower = score.get("direction", "lower") == "lower"
    better = change is not None and (change < 0) == lower
    return Tile(
        name=score["name"],
        value=score["value"],
        unit=score.get("unit", "%"),
        meaning=score["meaning"],
        change=change,
        better=better,
    )


@dataclass(frozen=True)
class Line:
    """One thing of two nodes, side by side."""

    name: str
    one: Any
    other: Any
    figure: bool = False

    @property
    def differs(self) -> bool:
        """Whether they are not alike."""
        return bool(self.one != self.other)


def side_by_side(one: Node, other: Node) -> tuple[list[Line], list[Line]]:
    """The settings, and the results."""
    settings = [_settings(node) for node in (one, other)]
    names = list(dict.fromkeys((*settings[0], *settings[1])))
    plans = [Line(name, settings[0].get(name), settings[1].get(name)) for name in names]
    scores = [
        Line(score["name"], score["value"], other.score(score["name"]), figure=True)
        for score in one.answer.get("scores", ())
        if score["headline"]
    ]
    return plans, scores


def _settings(node: Node) -> dict[str, str]:
    """The plan of a node as named settings, steps apart."""
    plan = node.plan
    settings: dict[str, str] = {}
    for at, step in enumerate(plan.get("steps") or (), 1):
        settings |= {f"{at}. {name}": text_of(value) for name, value in step.items()}
    settings |= {name: text_of(value) for name, value in plan.get("protect", {}).items()}
    return settings | {f"require {name}": text_of(value) for name, value in plan.get("require", {}).items()}
