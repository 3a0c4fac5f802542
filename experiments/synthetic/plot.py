"""PIL, DR and SCORE against the number of clusters, the five clouds, and the surfaces of S3."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from experiments.plots import COLOURS, Panel, Series, canvas, dots, heat_map, round_steps
from tacita.core import RunContext
from tacita.microdata.methods.synthesis.fcrm import Iteration

from .experiments import Row, fcrm, five_clouds
from .surface import DESIGNS, SurfacePoint

MEASURES = (("PIL", "pil"), ("DR", "dr"), ("SCORE", "score"))
_HEIGHT, _PLOT = 400.0, 280.0


def against_c(rows: Sequence[Row], split: str) -> str:
    """One panel for each kind of membership; rings are published figures."""
    parts: list[str] = []
    here = [row for row in rows if row.experiment == split]
    most = max(100.0 if split == "S2" else 0.0, *(_largest(row) for row in here))
    for place, memberships in enumerate(("joint", "separate")):
        mine = [row for row in here if row.memberships == memberships]
        parts += _panel(mine, f"{memberships} memberships", 64.0 + 430.0 * place, 340.0, most)
    title = f"FCRM on {split}: loss and risk against the number of clusters (rings: published)"
    return canvas(title, parts, width=920.0, height=_HEIGHT)


def clouds(rows: Sequence[Row]) -> str:
    """The points with the clusters' lines at c = 5, and loss and risk against c."""
    points = five_clouds()
    most = max(_largest(row) for row in rows)
    parts = [
        *_clusters(points, 5, "our points, five clusters and their regressions", 64.0, 64.0, (360.0, _PLOT)),
        *_panel(rows, "loss and risk", 494.0, 340.0, most),
    ]
    return canvas("Five clouds (rings: published, for other points)", parts, width=920.0, height=_HEIGHT)


def panels(clusters: Sequence[int] = range(2, 8)) -> str:
    """Six panels as in figures 3 and 4: every point in the colour of its cluster, and its regressions."""
    points, parts = five_clouds(), list[str]()
    for place, c in enumerate(clusters):
        left, top = 64.0 + 288.0 * (place % 3), 64.0 + 286.0 * (place // 3)
        parts += _clusters(points, c, f"c = {c}", left, top, (240.0, 200.0))
    title = "Five clouds of ours: clusters and their regressions"
    return canvas(title, parts, width=920.0, height=64.0 + 286.0 * ((len(clusters) + 2) // 3))


def _clusters(
    points: np.ndarray, c: int, title: str, left: float, top: float, size: tuple[float, float]
) -> Iterator[str]:
    (low_x, low_y), (high_x, high_y) = points.min(axis=0) - 0.5, points.max(axis=0) + 0.5
    low, high = (float(low_x), float(low_y)), (float(high_x), float(high_y))
    panel = Panel(title, "independent attribute", left, top, *size, low, high)
    yield from panel.axes()
    rounds: list[Iteration] = []
    fcrm(c, "joint").synthesize(points[:, 1:], points[:, :1], RunContext(seed=0), on_iteration=rounds.append)
    labels, models = rounds[-1].memberships.argmax(axis=1), rounds[-1].coefficients
    for cluster, colour in zip(range(c), COLOURS, strict=False):
        mine = points[labels == cluster]
        if not len(mine):
            continue
        yield from dots([(panel.x(a), panel.y(b)) for a, b in mine], colour, 2.2)
        start, slope = models[cluster][:, 0]
        ends = [float(mine[:, 0].min()), float(mine[:, 0].max())]
        (x1, y1), (x2, y2) = ((panel.x(a), panel.y(float(start + slope * a))) for a in ends)
        yield (
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            'stroke-width="2.4"/>'
        )


def fields(points: Sequence[SurfacePoint]) -> str:
    """Three fields for each design: PIL, DR and SCORE by number of independent attributes and of clusters."""
    parts: list[str] = []
    cell, top = (24.0, 24.0), 72.0
    for design in DESIGNS:
        mine = [point for point in points if point.design == design]
        if not mine:
            continue
        for place, (name, key) in enumerate(MEASURES):
            figures = {(point.c, point.independents): float(getattr(point.ours, key)) for point in mine}
            parts += heat_map(
                f"{name}, the {'N that follow' if design == 'following' else 'first N'}",
                figures,
                left=64.0 + 300.0 * place,
                top=top,
                cell=cell,
                names=("clusters c", "N"),
            )
        top += cell[1] * len({point.independents for point in mine}) + 80.0
    title = "S3: one dependent attribute in turn, N independent ones, c clusters (means)"
    return canvas(title, parts, width=920.0, height=top - 24.0)


# Figure 7 has loss in red, risk in green and SCORE in lilac.
_OF_SURFACES = {"PIL": "#b5482a", "DR": "#5f8a2f", "SCORE": "#8a63a8"}


def surface(points: Sequence[SurfacePoint]) -> str:
    """Figure 7: loss, risk and SCORE as surfaces over c and N, seen from above one corner."""
    mine = {(point.c, point.independents): point.ours for point in points if point.design == DESIGNS[0]}
    cs, ns = (sorted({key[axis] for key in mine}) for axis in (0, 1))
    most = max(float(getattr(figures, key)) for figures in mine.values() for _, key in MEASURES)
    top = next(step for step in round_steps(0.0, 200.0, 20) if step >= most)
    last_c, last_n = max(len(cs) - 1, 1), max(len(ns) - 1, 1)

    def place(c: float, n: float, percent: float) -> tuple[float, float]:
        """c to the right and towards the reader, N to the left and away, percent upwards."""
        across, deep = c / last_c, n / last_n
        return 400.0 + 300.0 * across - 260.0 * deep, 330.0 + 110.0 * across + 90.0 * deep - 2.6 * percent

    def path(corners: Sequence[tuple[float, float, float]]) -> str:
        return "L".join(f"{x:.1f} {y:.1f}" for x, y in (place(*corner) for corner in corners))

    parts = [
        f'<path d="M{path([(0, 0, tick), (last_c, 0, tick)])}" class="grid"/>'
        f'<path d="M{path([(0, 0, tick), (0, last_n, tick)])}" class="grid"/>'
        for tick in round_steps(0.0, top)
    ]
    for tick in round_steps(0.0, top):
        x, y = place(0, last_n, tick)
        parts.append(f'<text x="{x - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
    quads = []
    for i, j in product(range(len(cs) - 1), range(len(ns) - 1)):
        around = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))
        keys = [(cs[a], ns[b]) for a, b in around]
        if not all(key in mine for key in keys):
            continue
        for name, key in MEASURES:
            heights = [float(getattr(mine[each], key)) for each in keys]
            corners = [(float(a), float(b), h) for (a, b), h in zip(around, heights, strict=True)]
            quads.append((i / last_c + j / last_n, sum(heights), name, path(corners)))
    for _, _, name, outline in sorted(quads):
        colour = _OF_SURFACES[name]
        parts.append(
            f'<path d="M{outline}Z" fill="{colour}" fill-opacity="0.45" stroke="{colour}" '
            'stroke-width="0.8"/>'
        )
    for position, c in enumerate(cs):
        x, y = place(position, last_n, 0.0)
        parts.append(f'<text x="{x - 4:.1f}" y="{y + 18:.1f}" text-anchor="middle">{c}</text>')
    for position, n in enumerate(ns):
        x, y = place(last_c, position, 0.0)
        parts.append(f'<text x="{x + 12:.1f}" y="{y + 14:.1f}" text-anchor="middle">{n}</text>')
    (x, y), (a, b) = place(last_c / 2, last_n, 0.0), place(last_c, last_n / 2, 0.0)
    parts.append(f'<text x="{x - 30:.1f}" y="{y + 40:.1f}" text-anchor="middle">clusters c</text>')
    parts.append(f'<text x="{a + 46:.1f}" y="{b + 34:.1f}" text-anchor="middle">N</text>')
    for position, (name, colour) in enumerate(_OF_SURFACES.items()):
        parts.append(f'<text x="760" y="{90 + 20 * position}" style="fill:{colour}">{name}</text>')
    title = "S3, the N attributes that follow: percent over clusters c and independent attributes N"
    return canvas(title, parts, width=920.0, height=620.0)


def _panel(rows: Sequence[Row], title: str, left: float, width: float, most: float) -> Iterator[str]:
    ordered = sorted(rows, key=lambda row: row.c or 0)
    first, last = (float(ordered[end].c or 0) for end in (0, -1))
    panel = Panel(title, "clusters c", left, 64.0, width - 40.0, _PLOT, (first, 0.0), (last, most * 1.02))
    yield from panel.axes()
    yield from panel.lines(
        Series(
            name,
            [(float(row.c or 0), float(getattr(row.ours, key))) for row in ordered],
            COLOURS[place],
            [(float(row.c or 0), row.published[place]) for row in ordered if row.published],
        )
        for place, (name, key) in enumerate(MEASURES)
    )


def _largest(row: Row) -> float:
    ours = [float(getattr(row.ours, key)) for _, key in MEASURES]
    return max(*ours, *(row.published or ()))
