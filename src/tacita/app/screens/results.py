"""What came of a node, as a page shows it: figures beside those of the node it was made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tacita.app.server.history import Node
from tacita.core.spec.schema_forms import text_of

# Parts of the risk that are asked for next, beside the few figures that come first.
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


def tiles(node: Node, auxiliary: Node | None, *, headline: bool) -> list[Tile]:
    """The figures that a reader should see first, or the others."""
    return [
        _tile(score, None if auxiliary is None else auxiliary.score(score["name"]))
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
    """What was asked for, and what came of it."""
    asked = [_settings(node) for node in (one, other)]
    names = list(dict.fromkeys((*asked[0], *asked[1])))
    plans = [Line(name, asked[0].get(name), asked[1].get(name)) for name in names]
    scores = [
        Line(each["name"], each["value"], other.score(each["name"]), figure=True)
        for each in one.answer.get("scores", ())
        if each["headline"]
    ]
    return plans, scores


def _settings(node: Node) -> dict[str, str]:
    """The plan of a node as named settings, steps apart."""
    plan = node.plan
    found: dict[str, str] = {}
    for at, step in enumerate(plan.get("steps") or (), 1):
        found |= {f"{at}. {name}": _said(value) for name, value in step.items()}
    found |= {name: _said(value) for name, value in plan.get("protect", {}).items()}
    return found | {f"require {name}": _said(value) for name, value in plan.get("require", {}).items()}


def _said(value: Any) -> str:
    return text_of(value)
