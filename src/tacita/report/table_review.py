"""The confidential review page of a published table: state map, feasibility intervals and graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacita.core import Adjusted, Pattern, Table
from tacita.core.display.number_format import number
from tacita.core.display.svg import shortened

from .pages import render
from .tablemap import MOST_DRAWN, MOST_PANELS, Part, States, maps_of, paper_of

# Graphs with more lines than this are not readable, and left out.
_MOST_LINES = 60
_MOST_LETTERS = 24
# Rows of each list that a page shows; the JSON report has all.
_MOST = 500
# The audit's entry of each suppressed cell, by cell number.
_Ranges = Mapping[int, Mapping[str, Any]]


@dataclass(frozen=True)
class Node:
    """A row or column of the graph."""

    x: float
    y: float
    label: str
    anchor: str


@dataclass(frozen=True)
class Edge:
    """A suppressed cell of the graph."""

    start: tuple[float, float]
    end: tuple[float, float]
    state: str
    words: str


@dataclass(frozen=True)
class Graph:
    """Rows on the left, columns on the right, and a line for each suppressed cell."""

    height: float
    nodes: list[Node]
    edges: list[Edge]


def table_html(
    table: Table, outcome: Pattern | Adjusted, result: Mapping[str, Any], parts: Sequence[Part] = ()
) -> str:
    """A self-contained page: the table, what is published, and what an attacker can compute. Confidential.

    `result` is the record, as in the JSON report. `parts` are the published tables of a linked system.
    """
    if isinstance(outcome, Adjusted):
        states, attacked = _adjusted(table, outcome), result["attacked"]
        helpers: dict[str, Any] = {"range_of": _range_or_more}
        template, levels = "adjustment.html", []
    else:
        suppressed = np.flatnonzero(outcome.withheld).tolist()
        ranges = dict(zip(suppressed, result["withheld"], strict=True))
        states, attacked = _suppressed(table, outcome, ranges), result["audit"]
        flat = table.is_two_way and len(table.dimensions) == 2
        helpers = {"range_of": range_of, "graph": _graph(table, outcome, ranges) if flat else None}
        template, levels = "suppression.html", [summary["levels"] for summary in result.get("tables", ())]
    maps = maps_of(table, parts, states, levels)
    return render(
        template,
        result=result,
        table=table,
        maps=maps,
        paper=paper_of(maps),
        most=(MOST_DRAWN, MOST_PANELS),
        counts=states.counts(),
        attacked=attacked[:_MOST],
        attacked_left=max(0, len(attacked) - _MOST),
        **helpers,
    )


def _suppressed(table: Table, pattern: Pattern, ranges: _Ranges) -> States:
    """The states of cells under suppression, with the interval of each suppressed cell below its value."""
    plain = np.where(table.forced, 1, 0)
    return States(
        names=("published", "forced", "secondary", "primary"),
        palette=((226, 232, 238), (186, 199, 211), (224, 164, 60), (178, 34, 34)),
        of=np.where(pattern.primary, 3, np.where(pattern.withheld, 2, plain)).astype(np.int64),
        value=lambda cell: number(float(table.values[cell])),
        below={cell: range_of(feasible) for cell, feasible in ranges.items()},
        words=lambda cell: _words(table, cell, ranges) if cell in ranges else None,
    )


def _adjusted(table: Table, adjusted: Adjusted) -> States:
    """The states of adjusted cells, with the true value below each changed value."""
    moved = np.sign(adjusted.values - table.values).astype(np.int64)
    changed = np.flatnonzero(moved).tolist()

    def value(cell: int) -> str:
        return f"{'● ' if table.primary[cell] else ''}{number(float(adjusted.values[cell]))}"

    def words(cell: int) -> str | None:
        if not moved[cell]:
            return None
        return f"{' / '.join(table.label(cell))}: {value(cell)}, true {number(float(table.values[cell]))}"

    below = {cell: f"true {number(float(table.values[cell]))}" for cell in changed}
    return States(
        names=("lowered", "same", "raised"),
        palette=((224, 164, 60), (226, 232, 238), (98, 160, 190)),
        of=moved + 1,
        value=value,
        below=below,
        words=words,
    )


def range_of(interval: Mapping[str, Any]) -> str:
    """An interval; a side without limit is open.

    >>> range_of({"low": 13.0, "high": None})
    '13 to any'
    """
    ends = [interval["low"], interval["high"]]
    # tiny numbers are a solver's zero
    least = 1e-9 * max((abs(end) for end in ends if end is not None), default=0.0)
    low, high = ("any" if end is None else number(end if abs(end) > least else 0.0) for end in ends)
    return f"{low} to {high}"


def _range_or_more(interval: Mapping[str, Any]) -> str:
    """The interval, marked if the attacker's knowledge may allow a wider one."""
    return f"{range_of(interval)}{'' if interval['all_of_it'] else ', or more'}"


def _words(table: Table, cell: int, ranges: _Ranges) -> str:
    labels = " / ".join(table.label(cell))
    return f"{labels}: {number(float(table.values[cell]))}, attacker {range_of(ranges[cell])}"


def _graph(table: Table, pattern: Pattern, ranges: _Ranges) -> Graph | None:
    """The bipartite graph of suppressed cells; None if it is empty or too dense to read."""
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
            Node(x + shift, y + 4, shortened(labels[code], _MOST_LETTERS), anchor)
            for code, (x, y) in spots.items()
        ]
        places.append(spots)
    edges = []
    for cell in cells.tolist():
        row, column = (int(code) for code in table.codes[cell])
        state = "primary" if pattern.primary[cell] else "secondary"
        edges.append(Edge(places[0][row], places[1][column], state, _words(table, cell, ranges)))
    longest = max(len(spots) for spots in places)
    return Graph(40.0 + 26.0 * longest, nodes, sorted(edges, key=lambda edge: edge.state, reverse=True))
