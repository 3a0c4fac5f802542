"""The confidential page about a pattern: the table as a map of states, the attacker's ranges, the graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacita.core import Pattern, Table
from tacita.core.arrays import Ints
from tacita.core.paper import Paper, paper_for

from .figures import number
from .pages import render
from .statemap import StateMap, short, state_map

# Cells beyond which nobody reads their numbers, and lines beyond which nobody tells them apart.
_MOST_NUMBERS = 900
_MOST_LINES = 60
_MOST_LETTERS = 24
_STATES = ("published", "forced", "secondary", "primary")
# What the record has of each withheld cell, by its labels.
_Ranges = Mapping[tuple[str, str], Mapping[str, Any]]


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
    rows = _rows(table, states, ranges) if table.n <= _MOST_NUMBERS else []
    return render(
        "suppression.html",
        result=result,
        table=table,
        across=table.dimensions[1].labels,
        rows=rows,
        paper=_paper(table, rows),
        drawing=None if rows else _drawing(table, pattern, states, ranges),
        graph=_graph(table, pattern, ranges),
        counts={name: int((states == at).sum()) for at, name in enumerate(_STATES)},
        primaries=result["audit"][:500],
        range_of=_range,
        rest=max(0, len(result["audit"]) - 500),
    )


def _states(table: Table, pattern: Pattern) -> Ints:
    plain = np.where(table.forced, 1, 0)
    return np.where(pattern.primary, 3, np.where(pattern.withheld, 2, plain)).astype(np.int64)


def _rows(table: Table, states: Ints, ranges: _Ranges) -> list[tuple[str, list[Cell]]]:
    down, across = table.dimensions
    made = []
    for at, label in enumerate(down.labels):
        cells = []
        for place, other in enumerate(across.labels):
            cell = at * len(across) + place
            found = ranges.get((label, other))
            shown = "" if found is None else _range(found)
            cells.append(Cell(_STATES[int(states[cell])], number(float(table.values[cell])), shown))
        made.append((label, cells))
    return made


def _paper(table: Table, rows: list[tuple[str, list[Cell]]]) -> Paper:
    """That on which the rows fit; their ranges break between words."""
    down, across = table.dimensions
    first = max([len(f"{down.name} / {across.name}"), *map(len, down.labels)])
    wide = [len(label) for label in across.labels]
    for _, cells in rows:
        words = [[cell.value, *cell.range.split()] for cell in cells]
        wide = [max(most, *map(len, each)) for most, each in zip(wide, words, strict=True)]
    return paper_for([first, *wide] if rows else [first])


def _range(found: Mapping[str, Any]) -> str:
    """An interval; a side without limit is open.

    >>> _range({"low": 13.0, "high": None})
    '13 to any'
    """
    low = "any" if found["low"] is None else number(found["low"])
    high = "any" if found["high"] is None else number(found["high"])
    return f"{low} to {high}"


def _words(table: Table, cell: int, ranges: _Ranges) -> str:
    row, column = table.label(cell)
    found = _range(ranges[row, column])
    return f"{row} / {column}: {number(float(table.values[cell]))}, attacker {found}"


def _drawing(table: Table, pattern: Pattern, states: Ints, ranges: _Ranges) -> StateMap:
    down, across = table.dimensions
    said = {
        (int(table.codes[cell, 0]), int(table.codes[cell, 1])): _words(table, cell, ranges)
        for cell in np.flatnonzero(pattern.withheld).tolist()
    }
    return state_map(table.grid(states), down.labels, across.labels, said)


def _graph(table: Table, pattern: Pattern, ranges: _Ranges) -> Graph | None:
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
        nodes += [
            Node(x + shift, y + 4, short(labels[code], _MOST_LETTERS), anchor)
            for code, (x, y) in spots.items()
        ]
        places.append(spots)
    edges = []
    for cell in cells.tolist():
        row, column = (int(each) for each in table.codes[cell])
        state = "primary" if pattern.primary[cell] else "secondary"
        edges.append(Edge(places[0][row], places[1][column], state, _words(table, cell, ranges)))
    longest = max(len(spots) for spots in places)
    return Graph(40.0 + 26.0 * longest, nodes, sorted(edges, key=lambda edge: edge.state, reverse=True))
