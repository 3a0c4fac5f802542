"""The benchmark files as the literature uses them: standardised, all customary attributes."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from tacita import registry
from tacita.core import Partition, RunContext

Matrix = npt.NDArray[np.float64]

FILES = ("tarragona", "census", "eia")
SPOKEN = {"tarragona": "Tarragona", "census": "Census", "eia": "EIA"}


def standardised(x: Matrix) -> Matrix:
    """Zero mean and unit deviation (divisor n - 1) in every column."""
    z: Matrix = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    return np.ascontiguousarray(z)


def loss(z: Matrix, partition: Partition) -> float:
    """IL1 in percent: 100 SSE / SST."""
    return 100 * partition.sse(z) / float(((z - z.mean(axis=0)) ** 2).sum())


def partition(
    name: str, k: int, z: Matrix, run: RunContext, start: Partition | None = None, **settings: Any
) -> tuple[Partition, float]:
    """The partition of a registered method, and the processor seconds it took."""
    method: Any = registry.lookup(name, "microaggregation")
    made = method(k=k, **settings)
    began = time.process_time()
    found: Partition = made.partition(z, run, start=start)
    return found, time.process_time() - began
