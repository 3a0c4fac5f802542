"""Published losses beside ours: `python -m benchmarks published` (needs the public benchmark files).

Every method of the registry at k = 3, 5, 10, with what was printed of it somewhere, if anything was.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

import tacita
from tacita import datasets, registry
from tacita.reproduce.published import LOSSES

from .measuring import Result

GROUP_SIZES = (3, 5, 10)


def results() -> Iterator[Result]:
    """IL1 in percent on the files of the field, and the seconds it took (compilation aside)."""
    for file in ("tarragona", "census", "eia"):
        try:
            table = datasets.load(file)
        except tacita.DataError as absent:
            print(f"skipped {file}: {absent}")
            continue
        columns = [table[name].to_numpy() for name in datasets.describe(file).quasi]
        x = np.column_stack(columns).astype(float)
        z = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
        for name in registry.names("microaggregation"):
            if registry.lookup(name, "microaggregation").one_column:
                continue
            printed = LOSSES.get(name, {}).get(file, {})
            for k in sorted({*GROUP_SIZES, *printed}):
                yield _line(name, file, k, z, printed.get(k))


def _line(name: str, file: str, k: int, z: np.ndarray, printed: float | None) -> Result:
    method = tacita.method(name, k=k)
    method.partition(z[: 4 * k])
    start = time.perf_counter()
    ours = 100 * method.partition(z).sse(z) / float((z**2).sum())
    seconds = f"{time.perf_counter() - start:.2f} s"
    if printed is None:
        return Result(f"{name} {file} k={k}, IL1 %", ours, "", None, seconds)
    same = "as published" if abs(ours - printed) <= 0.001 else "below" if ours < printed else "above"
    return Result(f"{name} {file} k={k}, IL1 %", ours, f"published: {same}", printed, seconds)
