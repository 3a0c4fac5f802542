"""The confidential page about a pattern: each table as a map of states, the attacker's ranges, the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacita.core import Pattern, Table
from tacita.core.arrays import Ints
from tacita.core.panels import Label, Panel, panels_of
from tacita.core.paper import Paper, paper_for

from .figures import number
from .pages import render
from .statemap import StateMap, short, state_map

# Cells beyond which nobody reads their numbers, and lines beyond which nobody tells them apart.
_MOST_NUMBERS = 900
_MOST_LINES = 60
_MOST_LETTERS = 24
# Cells and panels of a table beyond which a page would not open in time: its levels are counted then.
MOST_DRAWN, MOST_PANELS = 500_000, 60
_STATES = ("published", "forced", "secondary", "primary")
# What the record has of each withheld cell, by its number.
_Ranges = Mapping[int, Mapping[str, Any]]
# A published table, and where its cells stand among those that were attacked.
Part = tuple[Table, Ints]


@dataclass(frozen=True)
class Cell:
    """One cell of the map; all text."""

    state: str
    value: str
    range: str


@dataclass(frozen=True)
class Grid:
    """A panel with its numbers, or as a drawing."""

    caption: str
    corner: list[str]
    across: list[Label]
    rows: list[tuple[list[Label], list[Cell]]]
    drawing: StateMap | None = None


@dataclass(frozen=True)
class Map:
    """One published table: its panels, none where it is too large; and its cells by level."""

    heading: str
    table: Table
    grids: list[Grid]
    levels: list[dict[str, Any]]

    @property
    def nested(self) -> bool:
        """Whether some of its sums are parts of others than the total."""
        return any(not each.is_flat for each in self.table.dimensions)


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


def suppression_html(
    table: Table, pattern: Pattern, result: Mapping[str, Any], parts: Sequence[Part] = ()
) -> str:
    """One page with nothing outside it: the table, what is withheld, and what an attacker can compute.

    `result` is the record that goes beside it as JSON. `parts` are the tables that are published of one
    system of linked ones. Confidential.
    """
    states = _states(table, pattern)
    withheld = np.flatnonzero(pattern.withheld).tolist()
    ranges = dict(zip(withheld, result["withheld"], strict=True))
    shown = parts or [(table, np.arange(table.n))]
    told = result.get("tables", [{"levels": []}] * len(shown))
    maps = [
        _map(part, cells, states, ranges, each["levels"], alone=len(shown) == 1)
        for (part, cells), each in zip(shown, told, strict=True)
    ]
    return render(
        "suppression.html",
        result=result,
        table=table,
        maps=maps,
        paper=_paper(maps),
        most=(MOST_DRAWN, MOST_PANELS),
        graph=_graph(table, pattern, ranges) if table.is_two_way and len(table.dimensions) == 2 else None,
        counts={name: int((states == at).sum()) for at, name in enumerate(_STATES)},
        primaries=result["audit"][:500],
        range_of=_range,
        rest=max(0, len(result["audit"]) - 500),
    )


def _states(table: Table, pattern: Pattern) -> Ints:
    plain = np.where(table.forced, 1, 0)
    return np.where(pattern.primary, 3, np.where(pattern.withheld, 2, plain)).astype(np.int64)


def _map(
    table: Table, cells: Ints, states: Ints, ranges: _Ranges, levels: list[dict[str, Any]], *, alone: bool
) -> Map:
    """A table in panels; `cells` are its own among those of which there are states and ranges."""
    panels = panels_of(table.dimensions, table.codes, table.response)
    own, known = states[cells], {at: ranges[cell] for at, cell in enumerate(cells.tolist()) if cell in ranges}
    if table.n <= _MOST_NUMBERS:
        grids = [_grid(panel, table, own, known) for panel in panels]
    elif table.n > MOST_DRAWN or len(panels) > MOST_PANELS or len(panels[0].across) < 2:
        grids = []
    else:
        grids = [_drawn(panel, table, own, known) for panel in panels]
    names = [each.name for each in table.dimensions]
    heading = "The table" if alone else table.title or f"{table.response} by {' and '.join(names)}"
    return Map(heading, table, grids, levels)


def _grid(panel: Panel, table: Table, states: Ints, ranges: _Ranges) -> Grid:
    rows = [
        (
            labels,
            [
                Cell(
                    _STATES[int(states[cell])],
                    number(float(table.values[cell])),
                    _range(ranges[cell]) if cell in ranges else "",
                )
                for cell in cells
            ],
        )
        for labels, cells in panel.rows
    ]
    return Grid(panel.caption, panel.corner, panel.across, rows)


def _drawn(panel: Panel, table: Table, states: Ints, ranges: _Ranges) -> Grid:
    places = [cells for _, cells in panel.rows]
    said = {
        (row, column): _words(table, cell, ranges)
        for row, cells in enumerate(places)
        for column, cell in enumerate(cells)
        if cell in ranges
    }
    down = [_dotted(labels[0]) for labels, _ in panel.rows]
    drawing = state_map(states[np.array(places)], down, [_dotted(each) for each in panel.across], said)
    return Grid(panel.caption, panel.corner, panel.across, [], drawing)


def _dotted(label: Label) -> str:
    """Labels end at the drawing, so that dots tell what blanks before them would."""
    return "·" * max(0, label.depth - 1) + label.text


def _paper(maps: Sequence[Map]) -> Paper:
    """That on which the rows of all panels fit; their ranges break between words."""
    widest = [1]
    for grid in (each for one in maps for each in one.grids):
        wide = [*map(len, grid.corner), *(len(label.text) for label in grid.across)]
        for labels, cells in grid.rows:
            words = [[cell.value, *cell.range.split()] for cell in cells]
            line = [*(len(each.text) + 2 * each.depth for each in labels), *(max(map(len, w)) for w in words)]
            wide = [max(pair) for pair in zip(wide, line, strict=True)]
        widest = max(widest, wide if grid.rows else [1], key=sum)
    return paper_for(widest)


def _range(found: Mapping[str, Any]) -> str:
    """An interval; a side without limit is open.

    >>> _range({"low": 13.0, "high": None})
    '13 to any'
    """
    ends = [found["low"], found["high"]]
    # what is left of a solver's nought
    least = 1e-9 * max((abs(end) for end in ends if end is not None), default=0.0)
    low, high = ("any" if end is None else number(end if abs(end) > least else 0.0) for end in ends)
    return f"{low} to {high}"


def _words(table: Table, cell: int, ranges: _Ranges) -> str:
    place = " / ".join(table.label(cell))
    return f"{place}: {number(float(table.values[cell]))}, attacker {_range(ranges[cell])}"


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
