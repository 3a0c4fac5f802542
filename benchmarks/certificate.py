"""Proven bounds beside those of a prototype: `python -m benchmarks certificate` (needs the public files).

The prototype's bounds and the best losses known so far are those of the issue that asked for the certificate.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

import tacita
from tacita import datasets
from tacita.core import Partition, RunContext
from tacita.microdata.methods.microaggregation.certificate import certify, instant_bound

from .measuring import Result

# (file, k): the prototype's bound where it had one, the lowest loss known; IL1 in percent
KNOWN: dict[tuple[str, int], tuple[float | None, float]] = {
    ("tarragona", 3): (13.857, 14.467),
    ("tarragona", 4): (17.043, 17.113),
    ("tarragona", 5): (None, 20.156),
    ("census", 3): (4.646, 4.669),
    ("census", 4): (6.002, 6.037),
    ("census", 5): (7.209, 7.263),
}


def results() -> Iterator[Result]:
    """From what `best` finds: IL1 of bound and partition, gap in percent of the latter, processor seconds."""
    for (file, k), (prototype, lowest) in KNOWN.items():
        try:
            z = datasets.attributes(file, standardised=True)
        except tacita.DataError as absent:
            print(f"skipped {file}: {absent}")
            continue
        start = tacita.get_method("best", k=k).partition(z, RunContext(threads=1))
        yield from certified(file, k, z, start, prototype, lowest)


def certified(
    file: str,
    k: int,
    z: np.ndarray,
    start: Partition,
    prototype: float | None,
    lowest: float,
    seconds: float | None = None,
) -> Iterator[Result]:
    """The lines of one case, from any start partition."""
    spread = float((z**2).sum()) / 100
    certify(z[: 6 * k], k, Partition(np.arange(6 * k) // k, k))
    begun = time.process_time()
    proof = certify(z, k, start, seconds=seconds)
    spent = time.process_time() - begun
    name = f"{file} k={k}"
    bound = proof.lower_bound / spread
    yield Result(f"{name}, instant bound", instant_bound(z, k) / spread, "", None)
    facts = f"{spent:.0f} CPU s, {proof.rounds} rounds, {proof.columns} groups"
    yield Result(f"{name}, proven bound", bound, "prototype's bound", prototype, facts)
    best = "optimal, proven" if proof.proven_optimal else f"gap {100 * proof.gap:.3f} %"
    to_lowest = f"bound to the lowest known {100 * (1 - bound / lowest):.3f} %"
    found = f"start {start.sse(z) / spread:.4f}; {best}; {to_lowest}"
    yield Result(f"{name}, best partition met", proof.sse / spread, "lowest known", lowest, found)
