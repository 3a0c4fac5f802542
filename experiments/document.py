"""A page of results: Markdown for readers, figures as SVG, all numbers as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Cell = str | int | float | None


def table(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A Markdown table; figures get four significant digits or three decimals, None stays empty.

    >>> print(table(["file", "loss"], [["census", 5.6921], ["eia", 0.48294]]))
    | file | loss |
    |---|---|
    | census | 5.692 |
    | eia | 0.483 |
    """
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(cell(each) for each in row)} |" for row in rows]
    return "\n".join(lines)


def cell(value: Cell) -> str:
    """One figure or word of a table.

    >>> cell(None), cell(3), cell(16.6104), cell(0.00321)
    ('', '3', '16.610', '0.003')
    """
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def seconds(value: float) -> str:
    """Time as people say it.

    >>> seconds(0.00412), seconds(0.5), seconds(73.2)
    ('0.004', '0.50', '73')
    """
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.0f}"


@dataclass(frozen=True)
class Document:
    """What an experiment found."""

    name: str
    text: str
    data: Mapping[str, Any]
    figures: Mapping[str, str] = field(default_factory=dict)

    def files(self) -> dict[str, bytes]:
        """File name -> content."""
        made = {f"{self.name}.md": self.text, f"{self.name}.json": json.dumps(self.data, indent=1) + "\n"}
        return {name: text.encode() for name, text in {**made, **self.figures}.items()}
