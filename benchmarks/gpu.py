"""MDAV on a graphics card: the same groups as the plain numpy twin, and how long it takes.

Needs CuPy and a CUDA device, and of tacita no more than its source. With $TACITA_LARGE set, ten million
records too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from tacita.kernels import gpu
from tacita.kernels.gpu.mdav import group
from twins.mdav import mdav

from .mdav import survey
from .measuring import Result, wall_seconds


def results() -> Iterator[Result]:
    """Labels that differ from those of the twin, then seconds elapsed."""
    if reason := gpu.missing():
        print(f"Nothing is measured: {reason}.")
        return
    for k in (3, 5):
        x = survey(3000)
        differing = float((group(x, k, _silent) != mdav(x, k)).sum())
        yield Result(f"MDAV n=3000 d=8 k={k}, labels unlike the plain twin's", differing, "", None, "0")
    sizes = {100_000: "", 1_000_000: "6", **({10_000_000: "600"} if os.environ.get("TACITA_LARGE") else {})}
    for n, asked in sizes.items():
        surveyed = survey(n)
        seconds = wall_seconds(lambda points=surveyed: group(points, 3, _silent), 1)
        yield Result(f"MDAV n={n} d=8 k=3 on the card, seconds elapsed", seconds, "", None, asked)


def _silent(_: float) -> None:
    return None
