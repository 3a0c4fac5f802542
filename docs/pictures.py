"""Draw what each masking or synthesis makes of one made-up cloud of records: `python docs/pictures.py`.

Two columns, skewed and correlated; left the originals, right the released records, with a line from where
some of them were to where they went. For a synthesis the column upwards is drawn, given the other.
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


if __name__ == "__main__":
    for kind, each in drawn():
        (IMAGES / f"{kind}-{each}.svg").write_text(picture(each))
    print(f"{len(drawn())} pictures in {IMAGES.name}/")
