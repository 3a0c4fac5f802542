"""PIL, DR and SCORE against the number of clusters, the five clouds, and the surface of S3."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from experiments.plots import COLOURS, Panel, Series, canvas, dots, heat_map
from tacita.core import Run
from tacita.microdata.synthesis.fcrm import Iteration

from .experiments import Row, SurfacePoint, fcrm, five_clouds

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
    (low_x, low_y), (high_x, high_y) = points.min(axis=0) - 0.5, points.max(axis=0) + 0.5
    panel = Panel(
        "our points, five clusters and their regressions",
        "independent attribute",
        64.0,
        64.0,
        360.0,
        _PLOT,
        (float(low_x), float(low_y)),
        (float(high_x), float(high_y)),
    )
    most = max(_largest(row) for row in rows)
    parts = [*panel.axes(), *_clusters(points, panel), *_panel(rows, "loss and risk", 494.0, 340.0, most)]
    return canvas("Five clouds (rings: published, for other points)", parts, width=920.0, height=_HEIGHT)


def _clusters(points: np.ndarray, panel: Panel) -> Iterator[str]:
    heard: list[Iteration] = []
    fcrm(5, "joint").synthesize(points[:, 1:], points[:, :1], Run(seed=0), on_iteration=heard.append)
    labels, models = heard[-1].memberships.argmax(axis=1), heard[-1].coefficients
    for cluster, colour in zip(range(5), COLOURS, strict=False):
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


def surface(points: Sequence[SurfacePoint]) -> str:
    """Three fields: PIL, DR and SCORE by number of independent attributes and of clusters."""
    parts: list[str] = []
    cell = (24.0, 24.0)
    for place, (name, key) in enumerate(MEASURES):
        figures = {(point.c, point.independents): float(getattr(point.ours, key)) for point in points}
        parts += heat_map(
            name, figures, left=64.0 + 300.0 * place, top=72.0, cell=cell, names=("clusters c", "N")
        )
    rows = len({point.independents for point in points})
    title = "S3: one dependent attribute in turn, N independent ones, c clusters (means)"
    return canvas(title, parts, width=920.0, height=72.0 + cell[1] * rows + 56.0)


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
            [(float(row.c or 0), (row.published or ())[place]) for row in ordered if _printed(row, name)],
        )
        for place, (name, key) in enumerate(MEASURES)
    )


def _printed(row: Row, name: str) -> bool:
    # of the five clouds only PIL and DR were printed
    return row.published is not None and (name != "SCORE" or row.experiment != "five clouds")


def _largest(row: Row) -> float:
    ours = [float(getattr(row.ours, key)) for _, key in MEASURES]
    return max(*ours, *(row.published or ()))
