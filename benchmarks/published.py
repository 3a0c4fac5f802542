"""Published losses beside ours: `python -m benchmarks published` (needs the public benchmark files)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import tacita
from published import MDAV
from tacita import datasets

from .measuring import Result


def results() -> Iterator[Result]:
    """IL1 in percent of MDAV on the files of the field."""
    for name, losses in MDAV.items():
        try:
            table = datasets.load(name)
        except tacita.DataError as absent:
            print(f"skipped {name}: {absent}")
            continue
        quasi = datasets.describe(name).quasi
        for k, loss in losses.items():
            release = tacita.protect(table.select(quasi), quasi=quasi, method="mdav", k=k, measures=["IL1"])
            ours = release.report["IL1"].value
            assert ours is not None
            same = "as published" if np.isclose(ours, loss, rtol=0, atol=0.001) else "differs"
            yield Result(f"MDAV {name} k={k}, IL1 %", ours, "published", loss, same)
