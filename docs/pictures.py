"""Draw what each masking or synthesis makes of one made-up cloud of records: `python docs/pictures.py`.

Two columns, skewed and correlated; left the originals, right the released records, with a line from where
some of them were to where they went. For a synthesis the column upwards is drawn, given the other.

Also draws the house of docs/architecture.md: rooms on floors, from those that everything stands on up.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import tacita
from tacita import registry

IMAGES = Path(__file__).parent / "images"
SIDE, MARGIN, GAP = 240.0, 12.0, 24.0
RECORDS, FOLLOWED = 160, 12
BEFORE, AFTER, LINE = "#5b6b7a", "#b3541e", "#c9ced3"


def cloud() -> np.ndarray:
    """Made-up turnover and wages: both above zero, with a tail."""
    chance = np.random.default_rng(3)
    shared = chance.normal(size=RECORDS)
    own = chance.normal(size=(RECORDS, 2))
    return np.exp(0.55 * np.column_stack([shared + 0.5 * own[:, 0], shared + 0.7 * own[:, 1]]))


def picture(name: str) -> str:
    """The picture of one masking or synthesis, as SVG."""
    x = cloud()
    # more clusters than two leave the farthest record nearly alone, which is refused
    made, run = tacita.get_method(name, **({"c": 2} if name == "fcrm" else {})), tacita.RunContext(seed=1)
    if made.kind == "masking":
        z = made.mask(x, run)
    else:
        z = np.column_stack([x[:, 0], made.synthesize(x[:, 1:], x[:, :1], run)])
    low, high = np.minimum(x.min(axis=0), z.min(axis=0)), np.maximum(x.max(axis=0), z.max(axis=0))
    inner = SIDE - 2 * MARGIN

    def placed(points: np.ndarray, left: float) -> np.ndarray:
        share = (points - low) / (high - low)
        return np.column_stack([left + MARGIN + inner * share[:, 0], SIDE - MARGIN - inner * share[:, 1]])

    right = SIDE + GAP
    before, after, shadow = placed(x, 0.0), placed(z, right), placed(x, right)
    title = f"{name}: made-up records before (left) and after (right)"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * SIDE + GAP:g} {SIDE:g}" role="img">',
        f"<title>{title}</title>",
        *(
            f'<rect x="{start:g}" width="{SIDE:g}" height="{SIDE:g}" fill="#fff" stroke="{LINE}"/>'
            for start in (0.0, right)
        ),
    ]
    followed = np.argsort(-x.sum(axis=1), kind="stable")[:: RECORDS // FOLLOWED]
    for (a, b), (c, d) in zip(shadow[followed], after[followed], strict=True):
        lines.append(f'<path d="M{a:.1f} {b:.1f}L{c:.1f} {d:.1f}" stroke="{BEFORE}"/>')
    for points, colour in ((before, BEFORE), (after, AFTER)):
        lines += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.2" fill="{colour}"/>' for a, b in points]
    return "\n".join([*lines, "</svg>", ""])


def drawn() -> list[tuple[str, str]]:
    """Maskings and syntheses of numbers, by kind and name: categories have no places in a cloud."""
    every = [(kind, name) for kind in ("masking", "synthesis") for name in registry.BUILT_IN[kind]]
    return [(kind, name) for kind, name in every if "numeric" in registry.lookup(name, kind).takes]


# Floors of src/tacita from the roof down. Of a room: its name, its share of the width, and what is in it.
HOUSE: tuple[tuple[str, tuple[tuple[str, int, str], ...]], ...] = (
    ("interfaces", (("cli", 1, "command line"), ("app", 1, "server, worker, screens"))),
    ("Python", (("api", 2, "public functions"), ("sklearn", 1, "transformer"), ("testing", 1, "laws"))),
    ("plans", (("plans", 1, "reads a plan, runs it, writes all files or none"),)),
    (
        "wings",
        (
            (
                "microdata",
                1,
                "streaming|release|warnings|protection, explore|plans|methods, measures|statistics, verify",
            ),
            (
                "tables",
                1,
                "release|input|plans|rules|suppression: optimal, heuristics, large|adjustment|verify",
            ),
        ),
    ),
    (
        "files",
        (("io", 2, "formats, tables, hierarchies"), ("datasets", 1, "surveys"), ("report", 1, "pages")),
    ),
    (
        "ground",
        (
            ("core", 2, "spec, display, data, results"),
            ("kernels", 1, "numba"),
            ("solvers", 1, "HiGHS, SCIP"),
            ("executors", 1, "pool, Dask"),
        ),
    ),
)
WIDTH, LABEL, FLOOR, LINE_HEIGHT, ROOF = 760.0, 90.0, 54.0, 17.0, 44.0


def house() -> str:
    """The picture of the architecture, as SVG."""
    heights = [FLOOR + LINE_HEIGHT * max(room[2].count("|") for room in rooms) for _, rooms in HOUSE]
    total = ROOF + sum(heights) + 40
    inner = WIDTH - LABEL - MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {total:g}" role="img" '
        'font-family="sans-serif" font-size="13">',
        "<title>The rooms of tacita on their floors; imports go down</title>",
        f'<rect width="{WIDTH:g}" height="{total:g}" fill="#fff"/>',
        f'<path d="M{LABEL:g} {ROOF:g}L{LABEL + inner / 2:g} 6L{WIDTH - MARGIN:g} {ROOF:g}Z" fill="{LINE}"/>',
    ]
    top = ROOF
    for (floor, rooms), height in zip(HOUSE, heights, strict=True):
        lines.append(f'<text x="{MARGIN:g}" y="{top + 22:g}" fill="{BEFORE}">{floor}</text>')
        left, share = LABEL, inner / sum(room[1] for room in rooms)
        for name, width, content in rooms:
            lines += _room(name, content.split("|"), (left, top, width * share, height))
            left += width * share
        top += height
    lines.append(
        f'<text x="{LABEL:g}" y="{top + 26:g}" fill="{BEFORE}">Imports go down, never up; '
        "microdata and tables never import each other.</text>"
    )
    return "\n".join([*lines, "</svg>", ""])


def _room(name: str, content: list[str], box: tuple[float, float, float, float]) -> list[str]:
    left, top, width, height = box
    return [
        f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" '
        f'fill="#f7f8f9" stroke="{BEFORE}"/>',
        f'<text x="{left + 10:g}" y="{top + 22:g}" fill="{AFTER}" font-weight="bold">{name}</text>',
        *(
            f'<text x="{left + 10:g}" y="{top + 41 + LINE_HEIGHT * row:g}" fill="#222">{text}</text>'
            for row, text in enumerate(content)
        ),
    ]


if __name__ == "__main__":
    (IMAGES / "architecture.svg").write_text(house())
    for kind, each in drawn():
        (IMAGES / f"{kind}-{each}.svg").write_text(picture(each))
    print(f"{len(drawn()) + 1} pictures in {IMAGES.name}/")
