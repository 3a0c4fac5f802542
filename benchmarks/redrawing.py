"""Categories exchanged and households swapped at 100 000 records: `python -m benchmarks redrawing`.

Eight keys of 2, 3, 4, 5, 6, 7, 8 and 10 categories, the r-th as frequent as 1/r. The peer's figure is read
where TACITA_SHARED names the folder of reference figures (CPU seconds of sdcMicro on keys made alike).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

import tacita
from tacita.core import RunContext
from tacita.microdata.methods.masking.masking_method import Coded

from .measuring import Result, cpu_seconds

N = 100_000
CATEGORIES = (2, 3, 4, 5, 6, 7, 8, 10)
SEED = 1 << 100


def results() -> Iterator[Result]:
    """The methods by themselves, then whole releases with their verification."""
    table, areas = _persons(), np.random.default_rng(1).integers(0, 60, N // 3 + 1)[np.arange(N) // 3]
    keys = [f"key{j}" for j in range(len(CATEGORIES))]
    coded = _coded(table, keys)
    pram = tacita.get_method("pram")
    seconds = cpu_seconds(lambda: pram.redraw(coded, RunContext(seed=SEED)))
    peer = _peer("pram")
    told = "" if peer is None else "sdcMicro's pram, on the machine of the reference"
    yield Result("pram, n = 100000, 8 keys, s", seconds, told, peer, "0.5")
    regions = {name: [f"{name}{area // width}" for area in areas] for name, width in _LEVELS.items()}
    homes = table.append_column("home", pa.array(np.arange(N) // 3))
    for name, cells in regions.items():
        homes = homes.append_column(name, pa.array(cells))
    known = {name: homes[name].to_numpy().astype(np.int64) for name in keys[:4]}
    at_home = _coded(homes, list(regions), units=np.arange(N) // 3, read=known)
    swap = tacita.get_method("record-swap", risk_columns=keys[:4], similar=[keys[:2], keys[:1]])
    seconds = cpu_seconds(lambda: swap.redraw(at_home, RunContext(seed=SEED)))
    yield Result("record-swap, n = 100000, 60 areas of 3 levels, s", seconds, "", None)
    options = {"measures": ["CATEGORIES"], "seed": SEED}
    whole = cpu_seconds(lambda: tacita.protect(table, quasi=keys, method="pram", **options), repeats=1)
    yield Result("pram, the same as a verified release, s", whole, "", None)
    parameters = {"risk_columns": keys[:4], "similar": [keys[:2], keys[:1]], "unit": "home", **options}
    whole = cpu_seconds(
        lambda: tacita.protect(homes, quasi=list(regions), method="record-swap", **parameters), repeats=1
    )
    yield Result("record-swap, the same as a verified release, s", whole, "", None)


_LEVELS = {"country": 20, "county": 5, "town": 1}


def _persons() -> pa.Table:
    rng = np.random.default_rng(0)
    drawn = {}
    for j, m in enumerate(CATEGORIES):
        weights = 1 / np.arange(1, m + 1)
        drawn[f"key{j}"] = rng.choice(m, size=N, p=weights / weights.sum())
    return pa.table(drawn)


def _coded(table: pa.Table, names: list[str], **around: object) -> Coded:
    found = [np.unique(table[name].to_numpy(zero_copy_only=False), return_inverse=True) for name in names]
    codes = np.column_stack([places.reshape(-1) for _, places in found]).astype(np.float64)
    return Coded(codes, tuple(names), tuple(tuple(map(str, values)) for values, _ in found), **around)


def _peer(task: str) -> float | None:
    path = Path(os.environ.get("TACITA_SHARED", "")) / "reference" / "r" / "G_timing" / "runs.jsonl"
    if "TACITA_SHARED" not in os.environ or not path.exists():
        return None
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    return next((each["cpu"] for each in lines if each["task"] == task and each["n"] == N), None)
