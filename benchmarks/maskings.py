"""Loss and risk of every masking: `python -m benchmarks maskings` (needs the public benchmark files).

Maskings with a k at k = 3, 5, 10, beside MDAV at the same k; the others with their own defaults. Those that
draw numbers do so with one fixed seed. Measured as in a release: IL1, then PIL, DR and their mean.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

import tacita
from tacita import datasets, registry
from tacita.core import Comparison, RunContext

from .measuring import Result, cpu_seconds, peak_megabytes

GROUP_SIZES = (3, 5, 10)


def results() -> Iterator[Result]:
    """IL1 in percent on the files of the field, the other figures beside it; then time and memory."""
    of_numbers = [
        name for name in registry.names("masking") if "numeric" in registry.lookup(name, "masking").takes
    ]
    for file in ("tarragona", "census", "eia"):
        try:
            table = datasets.load(file)
        except tacita.DataError as absent:
            print(f"skipped {file}: {absent}")
            continue
        x = np.column_stack([table[name].to_numpy() for name in datasets.describe(file).quasi]).astype(float)
        z = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
        for name in of_numbers:
            yield from _lines(name, file, z)
    large = np.random.default_rng(0).lognormal(size=(100_000, 13))
    for name in of_numbers:
        made = tacita.get_method(name)
        seconds = cpu_seconds(lambda made=made: made.mask(large, RunContext(seed=1)), repeats=1)
        memory = peak_megabytes(lambda made=made: made.mask(large, RunContext(seed=1))) / (large.nbytes / 1e6)
        yield Result(f"{name}, n = 100000, d = 13, s", seconds, "", None, f"peak {memory:.1f} x the input")


def _lines(name: str, file: str, z: np.ndarray) -> Iterator[Result]:
    sizes = GROUP_SIZES if "k" in registry.lookup(name, "masking").model_fields else (None,)
    for k in sizes:
        made = tacita.get_method(name) if k is None else tacita.get_method(name, k=k)
        start = time.process_time()
        masked = made.mask(z, RunContext(seed=1))
        seconds = time.process_time() - start
        pair = Comparison.of(z, masked)
        told = {each: tacita.get_method(each).score(pair).value for each in ("IL1", "PIL", "DR", "SCORE")}
        figures = ", ".join(f"{each} {told[each]:.2f}" for each in ("PIL", "DR", "SCORE"))
        whole = None if k is None else 100 * tacita.get_method("mdav", k=k).partition(z).sse(z) / (z**2).sum()
        case = f"{name} {file}{'' if k is None else f' k={k}'}, IL1 %"
        peer = "" if k is None else "MDAV's IL1"
        yield Result(case, told["IL1"], peer, whole, f"{figures}, {seconds:.2f} s")
