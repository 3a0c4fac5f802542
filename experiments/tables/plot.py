"""Mean time and share proven against the number of cells, one column of panels a problem."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from math import ceil, floor, log10
from typing import get_args

from experiments.plots import COLOURS, Panel, Point, Series, canvas

from .experiments import Found
from .page import LEAST, SPOKEN
from .setting import SIZES, Density, Objective

_LEFT, _WIDE, _APART, _TALL = 64.0, 330.0, 400.0, 190.0
# Room at the right end of a line for its name, as a share of the width of a panel.
_ROOM = 0.55
_SHORTEST = 1e-3
KINDS = tuple((density, objective) for density in get_args(Density) for objective in get_args(Objective))


def times_and_proofs(found: Sequence[Found]) -> str:
    """Above: seconds, by powers of ten; below: percent proven."""
    problems = [problem for problem in SIZES if any(row.case.problem == problem for row in found)]
    times = [log10(max(row.seconds, _SHORTEST)) for row in found]
    decades = (float(floor(min(times))), float(ceil(max(times) + 1e-9)))
    parts: list[str] = []
    for place, problem in enumerate(problems):
        mine = [row for row in found if row.case.problem == problem]
        left = _LEFT + _APART * place
        time = _panel(mine, f"{SPOKEN[problem]}: mean processor seconds", left, 64.0, decades)
        share = _panel(mine, f"{SPOKEN[problem]}: proven, %", left, 340.0, (0.0, 105.0))
        parts += _axes(
            time, mine, [(float(d), f"{10.0**d:g}") for d in range(int(decades[0]), int(decades[1]) + 1)]
        )
        parts += time.lines(_series(mine, lambda row: log10(max(row.seconds, _SHORTEST))))
        parts += _axes(share, mine, [(tick, f"{tick:g}") for tick in (0.0, 25.0, 50.0, 75.0, 100.0)])
        parts += share.lines(_series(mine, lambda row: row.proven))
    title = "Suppression with a proof: time and share proven against the size of the table"
    return canvas(title, parts, width=_LEFT + _APART * len(problems), height=590.0)


def _panel(rows: Sequence[Found], title: str, left: float, top: float, heights: Point) -> Panel:
    low, high = (pick(_along(row) for row in rows) for pick in (min, max))
    room = _ROOM * ((high - low) or 1.0)
    return Panel(title, "size", left, top, _WIDE, _TALL, (low, heights[0]), (high + room, heights[1]))


def _series(rows: Sequence[Found], height: Callable[[Found], float]) -> list[Series]:
    made = []
    for (density, objective), colour in zip(KINDS, COLOURS, strict=False):
        mine = [row for row in rows if (row.case.density, row.case.objective) == (density, objective)]
        points = sorted((_along(row), height(row)) for row in mine)
        if points:
            made.append(Series(f"{density}, {LEAST[objective]}", points, colour))
    return made


def _along(row: Found) -> float:
    return log10(row.case.rows * row.case.columns)


def _axes(panel: Panel, rows: Sequence[Found], ticks: Sequence[tuple[float, str]]) -> Iterator[str]:
    """Sizes to the right, at the logarithm of their cells; given ticks upwards."""
    bottom, right = panel.top + panel.height, panel.left + panel.width
    for at, size in sorted({(panel.x(_along(row)), row.case.size) for row in rows}):
        yield f'<line class="grid" x1="{at:.1f}" y1="{panel.top:g}" x2="{at:.1f}" y2="{bottom:g}"/>'
        yield (
            f'<text x="{at:.1f}" y="{bottom + 14:g}" text-anchor="end" style="font-size:10px" '
            f'transform="rotate(-35 {at:.1f} {bottom + 14:g})">{escape(size)}</text>'
        )
    for tick, text in ticks:
        at = panel.y(tick)
        yield f'<line class="grid" x1="{panel.left:g}" y1="{at:.1f}" x2="{right:g}" y2="{at:.1f}"/>'
        yield f'<text x="{panel.left - 8:g}" y="{at + 4:.1f}" text-anchor="end">{text}</text>'
    middle = panel.left + panel.width / 2
    yield f'<text x="{middle:g}" y="{panel.top - 8:g}" text-anchor="middle">{escape(panel.title)}</text>'
