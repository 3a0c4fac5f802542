"""The confidential page about a pattern: the table as a map of states, the attacker's ranges, the graph."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tacita.core import Pattern, Table

from .figures import number
from .pages import render

# Cells beyond which nobody reads their numbers, and lines beyond which nobody tells them apart.
_MOST_NUMBERS = 900
_MOST_LINES = 60
_STATES = ("published", "forced", "secondary", "primary")
# open, must be published, withheld for others, sensitive: as in the style of the page, seen on light and dark
_PALETTE = ((226, 232, 238), (186, 199, 211), (224, 164, 60), (178, 34, 34))


@dataclass(frozen=True)
class Cell:
    """One cell of the map; all text."""

    state: str
    value: str
    range: str


@dataclass(frozen=True)
class Node:
    """A row or column of the graph."""

    x: float
    y: float
    label: str
    anchor: str


@dataclass(frozen=True)
class Edge:
    """A withheld cell of the graph."""

    start: tuple[float, float]
    end: tuple[float, float]
    state: str
    words: str


@dataclass(frozen=True)
class Graph:
    """Rows on the left, columns on the right, a line for each withheld cell."""

    height: float
    nodes: list[Node]
    edges: list[Edge]


def suppression_html(table: Table, pattern: Pattern, result: Mapping[str, Any]) -> str:
    """One page with nothing outside it: the table, what is withheld, and what an attacker can compute.

    `result` is the record that goes beside it as JSON. Confidential.
    """
    states = _states(table, pattern)
    ranges = {(each["row"], each["column"]): each for each in result["withheld"]}
    small = table.n <= _MOST_NUMBERS
    return render(
        "suppression.html",
        result=result,
        table=table,
        across=table.dimensions[1].labels,
        rows=_rows(table, states, ranges) if small else [],
        picture="" if small else _picture(table.grid(states)),
        graph=_graph(table, pattern, ranges),
        counts={name: int((states == at).sum()) for at, name in enumerate(_STATES)},
        primaries=result["audit"][:500],
        range_of=_range,
        rest=max(0, len(result["audit"]) - 500),
    )


def _states(table: Table, pattern: Pattern) -> npt.NDArray[np.int64]:
    plain = np.where(table.forced, 1, 0)
    return np.where(pattern.primary, 3, np.where(pattern.withheld, 2, plain)).astype(np.int64)


def _rows(
    table: Table, states: npt.NDArray[np.int64], ranges: Mapping[tuple[str, str], Mapping[str, Any]]
) -> list[tuple[str, list[Cell]]]:
    down, across = table.dimensions
    made = []
    for at, label in enumerate(down.labels):
        cells = []
        for place, other in enumerate(across.labels):
            cell = at * len(across) + place
            found = ranges.get((label, other))
            cells.append(
                Cell(
                    _STATES[int(states[cell])],
                    number(float(table.values[cell])),
                    "" if found is None else _range(found),
                )
            )
        made.append((label, cells))
    return made


def _range(found: Mapping[str, Any]) -> str:
    """An interval; a side without limit is open.

    >>> _range({"low": 13.0, "high": None})
    '13 to any'
    """
    low = "any" if found["low"] is None else number(found["low"])
    high = "any" if found["high"] is None else number(found["high"])
    return f"{low} to {high}"


def _graph(
    table: Table, pattern: Pattern, ranges: Mapping[tuple[str, str], Mapping[str, Any]]
) -> Graph | None:
    """The bipartite graph of withheld cells; None where it would be a tangle, or is empty."""
    cells = np.flatnonzero(pattern.withheld)
    if not 0 < cells.size <= _MOST_LINES:
        return None
    nodes: list[Node] = []
    places: list[dict[int, tuple[float, float]]] = []
    for side, x, anchor in ((0, 190.0, "end"), (1, 450.0, "start")):
        used = np.unique(table.codes[cells, side]).tolist()
        spots = {code: (x, 30.0 + 26.0 * at) for at, code in enumerate(used)}
        labels = table.dimensions[side].labels
        shift = -10.0 if side == 0 else 10.0
        nodes += [Node(x + shift, y + 4, _short(labels[code]), anchor) for code, (x, y) in spots.items()]
        places.append(spots)
    edges = []
    for cell in cells.tolist():
        row, column = (int(each) for each in table.codes[cell])
        label = table.label(cell)
        state = "primary" if pattern.primary[cell] else "secondary"
        value, found = number(float(table.values[cell])), _range(ranges[label[0], label[1]])
        words = f"{' / '.join(label)}: {value}, attacker {found}"
        edges.append(Edge(places[0][row], places[1][column], state, words))
    longest = max(len(spots) for spots in places)
    return Graph(40.0 + 26.0 * longest, nodes, sorted(edges, key=lambda edge: edge.state, reverse=True))


def _short(label: str, most: int = 24) -> str:
    return label if len(label) <= most else f"{label[: most - 1]}…"


def _picture(states: npt.NDArray[np.int64]) -> str:
    """One pixel a cell, as a PNG with a palette."""
    height, width = states.shape
    lines = b"".join(b"\0" + row.astype(np.uint8).tobytes() for row in states)
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", bytes(part for colour in _PALETTE for part in colour)),
        (b"IDAT", zlib.compress(lines, 9)),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in parts
    )
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(chunks)).decode()
