"""The grid of a table, from a worker: short figures, shades, and marks of ranges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.requests import Request

from tacita.app.server.jobs import Job
from tacita.core.display.number_format import MINUS, NumberStyle, figure, short
from tacita.core.display.svg import FEW_STEPS, Axis

Say = Callable[..., str]

# Seconds that a panel is waited for.
_PATIENCE = 30

# The strip of a range: pixels, and room at both ends for what has no limit.
WIDTH = 288.0
_END = 10.0
_LETTERS = {"p": "primary", "s": "secondary", "x": "secondary"}
# The chart of bounds.
_CHART_WIDTH = 312.0
_CHART_HEIGHT = 190.0
_LEFT = 52.0
_RIGHT = 10.0
_TOP = 12.0
_BOTTOM = 26.0
# A large table as a map.
_MAP_WIDTH = 760.0
_LARGEST = 14.0
_SMALLEST = 3.0


@dataclass(frozen=True)
class Drawn:
    """One cell of the grid: its class, its text, and its details in the inspector."""

    kind: str
    text: str
    about: Mapping[str, str]


def drawn_cell(cell: Mapping[str, Any], name: str, say: Say, *, style: NumberStyle) -> Drawn:
    """A cell for review, or as it is published; the second shows only what is published."""
    state = cell["state"]
    if state == "x":
        return Drawn("secondary", "×", {"name": name, "state": say("tables.state-x")})
    kind = _LETTERS.get(state) or ("sum" if cell["shade"] is None else f"h{cell['shade']}")
    about = {"name": name, "state": say(f"tables.state-{state}"), "kind": state}
    about["value"] = figure(cell["value"], style=style)
    if cell.get("contributors") is not None:
        about["contributors"] = figure(cell["contributors"], style=style)
    if "published" in cell:
        about["published"] = figure(cell["published"], style=style)
    if cell.get("range") is not None:
        interval = cell["range"]
        about["range"] = spoken(interval["low"], interval["high"], say, style=style)
        if interval["wanted_low"] is not None or interval["wanted_high"] is not None:
            about["wanted"] = spoken(interval["wanted_low"], interval["wanted_high"], say, style=style)
        about["strip"] = strip(cell["value"], interval)
    return Drawn(kind, short(cell["value"], style), about)


def spoken(low: float | None, high: float | None, say: Say, *, style: NumberStyle) -> str:
    """A range in words; without a limit it has none."""
    ends = (
        f"{MINUS}∞" if low is None else figure(low, style=style),
        "∞" if high is None else figure(high, style=style),
    )
    return say("tables.from-to", low=ends[0], high=ends[1])


def strip(value: float, interval: Mapping[str, Any]) -> str:
    """Where the marks of a cell go: the attacker's range, the wanted one, the true value; pixels.

    >>> strip(5.0, {"low": 0.0, "high": 10.0, "wanted_low": 4.0, "wanted_high": 6.0})
    '10.0 278.0 117.2 170.8 144.0'
    """
    ends_of = (interval["low"], interval["high"], interval["wanted_low"], interval["wanted_high"])
    known = [value, *(end for end in ends_of if end is not None)]
    least: float = min(known)
    span: float = (max(known) - least) or 1.0

    def x(figure: float | None, without: float) -> float:
        if figure is None:
            return without
        return _END + (WIDTH - 2 * _END) * (figure - least) / span

    ends = [x(interval["low"], 0.0), x(interval["high"], WIDTH)]
    if interval["wanted_low"] is not None or interval["wanted_high"] is not None:
        ends += [x(interval["wanted_low"], 0.0), x(interval["wanted_high"], WIDTH)]
    else:
        ends += [-1.0, -1.0]
    return " ".join(f"{mark:.1f}" for mark in (*ends, x(value, 0.0)))


def grid(panel: Mapping[str, Any], say: Say, *, style: NumberStyle) -> dict[str, Any]:
    """A panel from a worker, ready to be drawn: rows with their cells."""
    across = panel["across"]
    several = len(panel["rows"][0]["cells"]) > 1 if panel["rows"] else False
    caption = panel["captions"][panel["panel"]]
    rows = []
    for line in panel["rows"]:
        named = " × ".join(label["text"] for label in line["labels"])
        cells = []
        for label, cell in zip(across, line["cells"], strict=True):
            name = f"{named} × {label['text']}" if several else named
            cells.append(drawn_cell(cell, f"{caption}, {name}" if caption else name, say, style=style))
        rows.append({"labels": line["labels"], "cells": cells})
    drawn = None if panel["map"] is None else state_map(panel)
    has_suppressed = any(cell.kind == "secondary" for row in rows for cell in row["cells"])
    return {
        **panel,
        "rows": rows,
        "map": drawn,
        "has_suppressed": has_suppressed or (drawn and drawn.suppressed),
    }


@dataclass(frozen=True)
class StateMap:
    """A large table: marks of sensitive and suppressed cells, and tiles that open a window of numbers."""

    width: float
    height: float
    size: float
    sensitive: str
    suppressed: str
    here: tuple[float, float, float, float]
    tiles: tuple[tuple[int, int, float, float, float, float, str], ...]


def state_map(panel: Mapping[str, Any]) -> StateMap:
    """Where they go: round marks as lines without length, one path for each kind."""
    (height, width), (rows, columns), (top, left) = panel["size"], panel["window"], panel["at"]
    size = min(_LARGEST, max(_SMALLEST, _MAP_WIDTH / width))

    def path(places: Sequence[Sequence[int]]) -> str:
        return "".join(f"M{size * (j + 0.5):.1f} {size * (i + 0.5):.1f}h0" for i, j in places)

    tiles = tuple(
        (
            *(i, j, size * j, size * i, size * min(columns, width - j), size * min(rows, height - i)),
            f"{i + 1}–{min(i + rows, height)} × {j + 1}–{min(j + columns, width)}",
        )
        for i in range(0, height, rows)
        for j in range(0, width, columns)
    )
    marks = panel["map"]
    here = size * left, size * top, size * min(columns, width), size * min(rows, height)
    return StateMap(
        width=size * width,
        height=size * height,
        size=size,
        sensitive=path(marks["p"]),
        suppressed=path(marks["s"] + marks["x"]),
        here=here,
        tiles=tiles,
    )


@dataclass(frozen=True)
class BoundsChart:
    """Cost of the best pattern and what none can be below, over the seconds of a search."""

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    up: tuple[tuple[float, str], ...]
    began: str
    ended: str
    upper: str
    lower: str
    between: str


def bounds_chart(points: Sequence[Sequence[float]], *, style: NumberStyle) -> BoundsChart:
    """Steps from each moment to the next; of a search without bounds yet, an empty frame."""
    right, bottom = _CHART_WIDTH - _RIGHT, _CHART_HEIGHT - _BOTTOM
    first = points[0][0] if points else 0.0
    last = points[-1][0] if points else 0.0
    up = Axis((0.0, 0.5, 1.0), bottom, _TOP)
    if points:
        up = Axis.around([point[2] for point in points], bottom, _TOP, 3, FEW_STEPS)

    def at(seconds: float, value: float) -> str:
        y = up.at(min(value, up.values[-1]))
        # a single pair of bounds is a line all the way
        share = (seconds - first) / (last - first) if last > first else float(seconds > last)
        return f"{_LEFT + (right - _LEFT) * share:.1f},{y:.1f}"

    def steps(which: int) -> list[str]:
        corners: list[str] = []
        for before, point in zip([None, *points], points, strict=False):
            if before is not None:
                corners.append(at(point[0], before[which]))
            corners.append(at(point[0], point[which]))
        return corners + ([at(last + 1, points[-1][which])] if points and last == first else [])

    lower, upper = steps(1), steps(2)
    labels = tuple((round(up.at(value), 1), short(value, style) if points else "") for value in up.values)
    began, ended = figure(first, 1, style=style), figure(last, 1, style=style)
    return BoundsChart(
        width=_CHART_WIDTH,
        height=_CHART_HEIGHT,
        left=_LEFT,
        right=right,
        top=_TOP,
        bottom=bottom,
        up=labels,
        began=began,
        ended=ended,
        upper=" ".join(upper),
        lower=" ".join(lower),
        between=" ".join([*upper, *reversed(lower)]),
    )


async def ask_worker(request: Request, verb: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The answer of a worker within some seconds; empty where there is none."""
    job = Job(request.state.workspace, verb, arguments, lambda _job: None, quiet=True)
    await job.settled(_PATIENCE)
    return job.answer


async def drawn_grid(request: Request, folder: Path, *, published: bool = False) -> dict[str, Any] | None:
    """One panel, as the address asks for: panel, row, column; None where there is no table."""
    places = {name: _whole(request.query_params.get(name)) for name in ("panel", "row", "column")}
    panel = await ask_worker(request, "cells", {"folder": str(folder), "published": published, **places})
    if not panel:
        return None
    workspace = request.state.workspace
    return grid(panel, workspace.say, style=workspace.style)


def _whole(text: str | None) -> int:
    return int(text) if text is not None and text.isdecimal() and len(text) < 9 else 0
