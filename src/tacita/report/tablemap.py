"""Published tables as maps of the states of their cells: as panels with numbers, or as drawings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tacita.core import Table
from tacita.core.arrays import Ints
from tacita.core.data.panels import Label, Panel, panels_of
from tacita.core.display.page_size import Paper, paper_for

from .statemap import Palette, StateMap, state_map

# Tables with more cells than this are drawn without numbers.
_MOST_NUMBERS = 900
# Tables with more cells or panels than this are not drawn: the page would open too slowly.
MOST_DRAWN = 500_000
MOST_PANELS = 60
# A published table, and the indices of its cells in the whole system.
Part = tuple[Table, Ints]


@dataclass(frozen=True)
class States:
    """The states of the cells of a whole system.

    names     CSS class of each state
    palette   colour of each state
    of        (n,) state of each cell
    value     text of a cell
    below     small text under the value of a cell
    words     tooltip of a cell of a drawing
    """

    names: tuple[str, ...]
    palette: Palette
    of: Ints
    value: Callable[[int], str]
    below: Mapping[int, str] = field(default_factory=dict)
    words: Callable[[int], str | None] = lambda _: None

    def counts(self) -> dict[str, int]:
        """The number of cells in each state."""
        return {name: int((self.of == at).sum()) for at, name in enumerate(self.names)}


@dataclass(frozen=True)
class Cell:
    """One cell of the map; all text."""

    state: str
    value: str
    below: str


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
    """One published table: its panels, none where it is too large; and its cells by level, if counted."""

    heading: str
    table: Table
    grids: list[Grid]
    levels: list[dict[str, Any]]

    @property
    def nested(self) -> bool:
        """Whether the table has subtotals besides the total."""
        return any(not dimension.is_flat for dimension in self.table.dimensions)


def maps_of(
    table: Table, parts: Sequence[Part], states: States, levels: Sequence[list[dict[str, Any]]] = ()
) -> list[Map]:
    """A map of each of the published `parts` of a system, or of the one table. O(cells)."""
    shown = parts or [(table, np.arange(table.n))]
    counted = levels or [[]] * len(shown)
    return [
        _map(part, cells, states, summaries, only_map=len(shown) == 1)
        for (part, cells), summaries in zip(shown, counted, strict=True)
    ]


def _map(table: Table, cells: Ints, states: States, levels: list[dict[str, Any]], *, only_map: bool) -> Map:
    panels = panels_of(table.dimensions, table.codes, table.response)
    if table.n <= _MOST_NUMBERS:
        grids = [_grid(panel, cells, states) for panel in panels]
    elif table.n > MOST_DRAWN or len(panels) > MOST_PANELS or len(panels[0].across) < 2:
        grids = []
    else:
        grids = [_drawn_grid(panel, cells, states) for panel in panels]
    names = [dimension.name for dimension in table.dimensions]
    heading = "The table" if only_map else table.title or f"{table.response} by {' and '.join(names)}"
    return Map(heading, table, grids, levels)


def _grid(panel: Panel, cells: Ints, states: States) -> Grid:
    rows = [(labels, [_cell(int(cells[at]), states) for at in row_cells]) for labels, row_cells in panel.rows]
    return Grid(panel.caption, panel.corner, panel.across, rows)


def _cell(cell: int, states: States) -> Cell:
    return Cell(states.names[int(states.of[cell])], states.value(cell), states.below.get(cell, ""))


def _drawn_grid(panel: Panel, cells: Ints, states: States) -> Grid:
    places = np.array([row_cells for _, row_cells in panel.rows])
    shown_cells = cells[places]
    descriptions = {
        (row, column): words
        for row, line in enumerate(shown_cells.tolist())
        for column, cell in enumerate(line)
        if (words := states.words(cell)) is not None
    }
    down = [_dotted(labels[0]) for labels, _ in panel.rows]
    across = [_dotted(label) for label in panel.across]
    drawing = state_map(states.of[shown_cells], down, across, descriptions, states.palette)
    return Grid(panel.caption, panel.corner, panel.across, [], drawing)


def _dotted(label: Label) -> str:
    """A label with dots for its depth: drawings align labels right, so indents would not show."""
    return "·" * max(0, label.depth - 1) + label.text


def paper_of(maps: Sequence[Map]) -> Paper:
    """The page size that holds the rows of all panels; texts below values break between words."""
    widest = [1]
    for grid in (grid for one in maps for grid in one.grids):
        wide = [*map(len, grid.corner), *(len(label.text) for label in grid.across)]
        for labels, cells in grid.rows:
            words = [[cell.value, *cell.below.split()] for cell in cells]
            line = [
                *(len(label.text) + 2 * label.depth for label in labels),
                *(max(map(len, w)) for w in words),
            ]
            wide = [max(pair) for pair in zip(wide, line, strict=True)]
        widest = max(widest, wide if grid.rows else [1], key=sum)
    return paper_for(widest)
