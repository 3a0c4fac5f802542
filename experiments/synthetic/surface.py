"""S3 of the thesis: one dependent attribute in turn, N independent ones, c clusters.

The thesis takes "the following n attributes", and prints n up to 19, where 13 attributes leave 12; it does
not say where others come from. Here they follow in the order of the file, the first after the last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from tacita.core import DataError, RunContext

from .experiments import Figures, Matrix, fcrm, figures, inner, mean_figures

Design = Literal["following", "first"]
DESIGNS: tuple[Design, ...] = get_args(Design)


@dataclass(frozen=True)
class SurfacePoint:
    """Means over the dependent attribute, in turn; `left_out` were functions of the independent ones.

    `design`: the N attributes that follow the dependent one, as in the thesis, or the first N others.
    """

    design: Design
    independents: int
    c: int
    ours: Figures
    attributes: int
    left_out: int

    @classmethod
    def from_numbers(cls, numbers: Mapping[str, Any]) -> SurfacePoint:
        """Of an earlier run."""
        return cls(**{**numbers, "ours": Figures(**numbers["ours"])})


def independent(design: Design, dependent: int, n: int, d: int) -> list[int]:
    """Which of d attributes are independent.

    >>> independent("following", 11, 3, 13), independent("first", 1, 3, 13)
    ([12, 0, 1], [0, 2, 3])
    """
    following = [(dependent + step) % d for step in range(1, d)]
    return following[:n] if design == "following" else sorted(following)[:n]


def surface(
    x: Matrix,
    run: RunContext,
    independents: Iterable[int] = range(1, 13),
    clusters: Iterable[int] = range(1, 11),
    design: Design = "following",
) -> list[SurfacePoint]:
    """Each attribute dependent in turn, on N others, with c clusters; means over the attributes.

    An attribute that is a function of the N others is left out and counted.
    """
    many, few = list(independents), list(clusters)
    d, done, points = x.shape[1], 0, []
    for n in many:
        for c in few:
            found, left_out = [], 0
            for dependent in range(d):
                y, s = x[:, [dependent]], x[:, independent(design, dependent, n, d)]
                try:
                    released = fcrm(c, "joint").synthesize(y, s, inner(run, 0))
                except DataError:
                    left_out += 1
                    continue
                found.append(figures(np.ascontiguousarray(y), released, s))
            if found:
                points.append(SurfacePoint(design, n, c, mean_figures(found), d, left_out))
            done += 1
            run.report(f"reproducing S3 ({design})", done, len(many) * len(few))
    return points
