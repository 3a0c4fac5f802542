"""Generalisation beside ARX: `python -m benchmarks generalise` (ARX's files and figures in TACITA_SHARED).

CPU seconds, everything compiled; ARX's are those of its own warm process, as its users would see them.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tacita.core import Hierarchy, RunContext
from tacita.microdata.methods.generalisation.generalise import Generalise
from tacita.microdata.methods.generalisation.key_hierarchies import Keys, Ladder
from tacita.microdata.methods.generalisation.lattice import Lattice
from tacita.microdata.methods.generalisation.local_recoding import RecodeLocal
from tacita.microdata.methods.generalisation.mondrian import Mondrian
from tacita.microdata.methods.generalisation.quality import Quality
from tacita.microdata.methods.generalisation.search import search

from .measuring import Result, cpu_seconds

SIZES = (2, 3, 5, 10, 25)


def results() -> Iterator[Result]:
    """Full-domain, local recoding and mondrian: on ARX's file, then on 100 000 records."""
    shared = os.environ.get("TACITA_SHARED")
    if not shared or not (Path(shared) / "reference").is_dir():
        print("skipped: TACITA_SHARED does not name a folder with the figures of ARX")
        return
    import arx_figures

    timings = json.loads((arx_figures.FOLDER / "timings.json").read_text())
    keys = arx_figures.keys_of("adult.csv", list(arx_figures.table("adult.csv")))
    Generalise(k=5).generalise(keys)
    for limit in (0, 0.02, 1.0):
        method = Generalise(k=5, suppression_limit=limit)
        seconds = cpu_seconds(lambda method=method: method.search_best(keys, RunContext()), repeats=3)
        peer = _peer(timings["k_by_limit_9_attributes_loss_geometric"], 5, limit)
        yield Result(f"adult, 9 keys, k = 5, limit {limit}, s", seconds, "ARX", peer, "half")
    RecodeLocal(k=25).generalise(keys)
    for k in SIZES:
        found: list[float] = []
        seconds = cpu_seconds(
            lambda k=k, found=found: found.append(RecodeLocal(k=k).generalise(keys).summary["score"]),
            repeats=1,
        )
        run = next(each for each in timings["local_recoding_fast_9"] if each["models"] == [f"k={k}"])
        yield Result(f"adult, local recoding, k = {k}, mean loss", found[0], "ARX", _loss(run), "less")
        yield Result(f"adult, local recoding, k = {k}, s", seconds, "ARX", _seconds(run), "10 s")
    large = _keys8(Path(shared) / "reference" / "r" / "G_timing" / "keys8_100000.csv.gz")
    lattice = Lattice(large, Generalise(k=3).of_classes(), 0.02)
    seconds = cpu_seconds(lambda: _searched(large), repeats=1)
    yield Result(f"100000 records, {lattice.nodes} nodes, limit 0.02, s", seconds, "", None, "20 s")
    Mondrian(k=5).generalise(keys)
    seconds = cpu_seconds(lambda: Mondrian(k=5).generalise(large), repeats=1)
    yield Result("100000 records, 8 keys, mondrian, s", seconds, "", None, "3 s")


def _searched(keys: Keys) -> None:
    search(Lattice(keys, Generalise(k=3).of_classes(), 0.02), Quality(), RunContext())


def _peer(runs: list[Any], k: int, limit: float) -> float:
    fitting = (run for run in runs if run["models"] == [f"k={k}"] and run["suppression_limit"] == limit)
    return _seconds(next(fitting))


def _seconds(run: Any) -> float:
    return float(run["runs"][-1]["cpu_ms"] if "runs" in run else run["cpu_ms"]) / 1000


def _loss(run: Any) -> float:
    return float(run["loss_mean"])


def _keys8(path: Path) -> Keys:
    """The eight keys of the R peer's file, each under a hierarchy of pairs, then pairs of these, then all."""
    head, *lines = gzip.decompress(path.read_bytes()).decode().split()
    cells = np.array([line.split(",")[:8] for line in lines])
    ladders, leaves = [], []
    for name, column in zip(head.split(",")[:8], cells.T, strict=True):
        values, codes = np.unique(column, return_inverse=True)
        ladders.append(Ladder.of(_paired(name, sorted(values.tolist(), key=float)), False))
        order = np.argsort(np.argsort(values.astype(float)))
        leaves.append(order[codes.reshape(-1)])
    return Keys(tuple(ladders), np.array(leaves, dtype=np.int64), np.zeros(len(cells), dtype=np.int64))


def _paired(name: str, values: list[str]) -> Hierarchy:
    labels, parents = list(values), [-1] * len(values)
    row = list(range(len(values)))
    while len(row) > 1:
        above = []
        for at in range(0, len(row), 2):
            if len(row) > 2 or at == 0:
                labels.append(f"{name} {len(labels)}" if len(row) > 2 else "*")
                parents.append(-1)
                above.append(len(labels) - 1)
            for child in row[at : at + 2]:
                parents[child] = above[-1]
        row = above
    return Hierarchy(name, tuple(labels), tuple(parents))
