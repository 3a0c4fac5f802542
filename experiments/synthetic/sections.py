"""Sections of the page on what the thesis leaves open: its own text of FCRM, starts, and both measures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from experiments.document import Cell, table
from experiments.printed import thesis

from .calibration import Calibration, Reading, targets
from .experiments import Figures, Row, Spread, Written
from .surface import DESIGNS, SurfacePoint
from .written import Writing

COLUMNS = (("pil", "PIL"), ("dr", "DR"), ("score", "SCORE"))


def small(figure: float | None) -> str:
    """A figure that may be tiny or huge.

    >>> small(0.999999966), small(4.7e-25), small(12345.6), small(None)
    ('0.999999966', '4.7e-25', '12345.6', '-')
    """
    return "-" if figure is None else f"{figure:.10g}"


def seeds_section(rows: Sequence[Spread]) -> str:
    """One row a split, kind of memberships and c: mean, least and largest."""
    lines: list[list[Cell]] = []
    for row in rows:
        cells = [
            f"{getattr(row.mean, key):.2f} ({getattr(row.low, key):.2f} to {getattr(row.high, key):.2f})"
            for key, _ in COLUMNS
        ]
        lines.append([row.experiment, row.memberships, row.c, *cells])
    return table(["split", "memberships", "c", "PIL", "DR", "SCORE"], lines)


def widest(rows: Sequence[Spread]) -> str:
    """How far apart the starts come out at most."""
    told = []
    for key, spoken in COLUMNS:
        most = max(rows, key=lambda row: getattr(row.high, key) - getattr(row.low, key))
        range_ = getattr(most.high, key) - getattr(most.low, key)
        told.append(f"{spoken} {range_:.1f} ({most.experiment}, {most.memberships}, c = {most.c})")
    return f"Largest range over the {rows[0].seeds} starts, in points: {'; '.join(told)}."


def spoken(writing: Writing) -> str:
    """A reading of the text in words.

    >>> spoken(Writing())
    'joint, literal, no intercept, file'
    """
    return ", ".join(
        (
            writing.memberships,
            "with tolerance" if writing.tolerance else "literal",
            "intercept" if writing.intercept else "no intercept",
            writing.scale,
        )
    )


def written_section(rows: Sequence[Written], split: str) -> str:
    """Table 6 or 7 of the thesis beside FCRM as it writes it, one model for all and one for each."""
    ours = {(row.c, row.writing.memberships): row for row in rows if row.experiment == split}
    lines: list[list[Cell]] = []
    for c, printed in thesis.FCRM[split].items():
        both = [row for kind in ("joint", "separate") if (row := ours.get((c, kind)))]
        if not both:
            continue
        cells = [
            " / ".join([small(getattr(printed, key)), *(_figure(row.ours, key) for row in both)])
            for key, _ in COLUMNS
        ]
        change = " / ".join([small(printed.objective), *(f"{row.change:.3g}" for row in both)])
        lines.append([c, change, *cells])
    return table(["c", "F.O., printed / last change", "PIL", "DR", "SCORE"], lines)


def _figure(ours: Figures | None, key: str) -> str:
    return "none" if ours is None else f"{getattr(ours, key):.2f}"


def tried_section(rows: Sequence[Written]) -> str:
    """Every reading of the text, by the largest distance from print of either column, over some c."""
    lines: list[list[Cell]] = []
    for split in dict.fromkeys(row.experiment for row in rows):
        mine = [row for row in rows if row.experiment == split]
        for writing in dict.fromkeys(row.writing for row in mine):
            cells = []
            for row in (row for row in mine if row.writing == writing):
                pil, dr = _figure(row.ours, "pil"), _figure(row.ours, "dr")
                cells.append(f"{row.c}: {pil}, {dr}")
            lines.append([split, spoken(writing), "; ".join(cells), f"{_gap(mine, writing):.1f}"])
    return table(["split", "setting", "c: PIL, DR", "largest distance"], lines)


def _gap(rows: Sequence[Written], writing: Writing) -> float:
    gaps = [float("inf") if row.ours is None else 0.0 for row in rows if row.writing == writing]
    for row in rows:
        printed = thesis.FCRM[row.experiment][row.c]
        if row.writing == writing and row.ours is not None:
            gaps += [abs(row.ours.pil - printed.pil), abs(row.ours.dr - printed.dr)]
    return max(gaps)


def nearest_writing(rows: Sequence[Written]) -> str:
    """The setting that comes nearest in both columns at once."""
    told = []
    for split in dict.fromkeys(row.experiment for row in rows):
        mine = [row for row in rows if row.experiment == split]
        settings = list(dict.fromkeys(row.writing for row in mine))
        best = min(settings, key=lambda each: _gap(mine, each))
        tried = ", ".join(str(row.c) for row in mine if row.writing == best)
        told.append(
            f"{split}: the nearest of {len(settings)} settings in both columns at c = {tried} is "
            f"{spoken(best)}, {_gap(mine, best):.1f} points away"
        )
    return f"{'. '.join(told)}. None meets both columns."


def closest_rows(rows: Sequence[Written]) -> str:
    """Where FCRM as written comes within a few points of print in both columns."""
    near = []
    for row in rows:
        printed = thesis.FCRM[row.experiment][row.c]
        if row.ours and abs(row.ours.pil - printed.pil) < 5 and abs(row.ours.dr - printed.dr) < 5:
            near.append(f"{row.experiment} c = {row.c} ({row.writing.memberships})")
    return (
        f"Rows within 5 points of print in PIL and in DR at once: {', '.join(near) if near else 'none'}, of "
        f"{len(rows)}."
    )


def calibration_section(found: Calibration) -> str:
    """The three nearest readings of each measure under each order of the attributes."""
    lines: list[list[Cell]] = []
    for one in found.nearest:
        first, second = targets(one.measure)
        lines.append(
            [
                one.measure,
                one.order,
                "; ".join(one.settings),
                f"{first:.3f} / {one.s1:.3f}",
                f"{second:.3f} / {one.s2:.3f}",
                f"{one.gap:.2f}",
            ]
        )
    return table(["measure", "order", "reading", "S1", "S2", "largest distance"], lines)


def calibration_summary(found: Calibration) -> str:
    """How many readings were tried, and the nearest of each measure under one order for both."""
    best: dict[tuple[str, str], Reading] = {}
    for one in found.nearest:
        best.setdefault((one.measure, one.order), one)
    told = [
        f"attributes in the order {order}: PIL within {best['PIL', order].gap:.2f} points, DR within "
        f"{best['DR', order].gap:.2f}"
        for order in dict.fromkeys(one.order for one in found.nearest)
    ]
    tried = " and ".join(f"{count} readings of {name}" for name, count in found.tried.items())
    return f"Tried: {tried}, half of them under each order. Nearest, {'; '.join(told)}."


def designs_section(points: Sequence[SurfacePoint]) -> str:
    """Table 8 of the thesis, both designs beside it."""
    ours = {(point.design, point.c, point.independents): point.ours for point in points}
    lines: list[list[Cell]] = []
    for c, rows in thesis.TABLE_8.items():
        for n, printed in rows.items():
            both = [ours.get((design, c, n)) for design in DESIGNS]
            cells = []
            for key, _ in COLUMNS:
                mine = ["not run" if each is None else f"{getattr(each, key):.2f}" for each in both]
                cells.append(" / ".join([f"{getattr(printed, key):.3f}", *dict.fromkeys(mine)]))
            lines.append([c, n, *cells])
    return table(["c", "N", "PIL", "DR", "SCORE"], lines)


def design_trends(points: Sequence[SurfacePoint]) -> str:
    """What N does to each column with c fixed, by each design: the claim of the thesis, and its distance."""
    lines: list[list[Cell]] = []
    for c, rows in thesis.TABLE_8.items():
        for who in ("print", *DESIGNS):
            if who == "print":
                mine = {n: Figures(p.pil, 0, p.dr, 0, 0, p.score, 0) for n, p in rows.items() if n <= 12}
            else:
                mine = {p.independents: p.ours for p in points if (p.design, p.c) == (who, c)}
            if len(mine) < 2:
                continue
            low, high = min(mine), max(mine)
            cells = []
            for key, _ in COLUMNS:
                values = [getattr(mine[n], key) for n in sorted(mine)]
                steps = [b - a for a, b in pairwise(values)]
                down = sum(step < 0 for step in steps)
                cells.append(
                    f"{getattr(mine[low], key):.1f} to {getattr(mine[high], key):.1f} "
                    f"({down} of {len(steps)} steps down)"
                )
            gaps = [abs(mine[n].score - rows[n].score) for n in mine]
            name = {"print": "print", "following": "ours, N that follow", "first": "ours, first N"}[who]
            lines.append([c, name, *cells, "" if who == "print" else f"{max(gaps):.1f}"])
    head = ["c", "whose", "PIL, N from least to 12", "DR", "SCORE", "largest distance of SCORE"]
    return table(head, lines)


def objectives(rows: Sequence[Row | None]) -> tuple[str, str]:
    """Objectives and last changes of some rows, in the order of their kinds."""
    known = [row for row in rows if row is not None]
    return (
        " / ".join(small(row.objective and float(f"{row.objective:.3g}")) for row in known) or "not run",
        " / ".join("-" if row.change is None else f"{row.change:.3g}" for row in known) or "not run",
    )
