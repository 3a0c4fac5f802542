"""Risk of keys: 100 000 records, 8 keys, beside figures of sdcMicro and pycanon on the same file.

`python -m benchmarks risk`; TACITA_SHARED names the folder that holds the file and the peers' CPU seconds.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

import tacita
from tacita.core import Comparison, Microdata
from tacita.core.results.score import Files

from .measuring import Result, cpu_seconds

KEYS = [f"k{j}" for j in range(1, 9)]
# measure, settings, the peer's tool and task, what is asked for
CASES: tuple[tuple[str, dict[str, Any], str, str, str], ...] = (
    ("k_anonymity", {}, "sdcMicro", "freqCalc", "0.3"),
    ("k_anonymity", {}, "pycanon", "k_anonymity", "0.3"),
    (
        "individual_risk",
        {"weight": "w"},
        "sdcMicro",
        "indivRisk",
        "0.5, from the file; the peer's after freqCalc",
    ),
    ("suda2", {"fraction": 0.1, "size": 3}, "", "", "8"),
    ("suda2", {"fraction": 0.1, "size": 8}, "", "", ""),
    ("l_diversity", {"column": "s"}, "sdcMicro", "ldiversity", ""),
    ("l_diversity", {"column": "s"}, "pycanon", "l_diversity", ""),
    ("l_diversity", {"column": "s", "kind": "entropy"}, "pycanon", "entropy_l_diversity", ""),
    ("t_closeness", {"column": "s"}, "", "", "the peer (pycanon) at 10 000 records: 15.9"),
    ("model_risk", {"fraction": 0.1}, "", "", ""),
    ("population_unique", {"fraction": 0.1}, "", "", ""),
    ("all_m", {"m": 3}, "", "", ""),
)


def results() -> Iterator[Result]:
    """CPU seconds from the frame to the figure, nothing remembered; then with a cell in a hundred missing."""
    home = Path(os.environ.get("TACITA_SHARED", "nowhere")) / "reference" / "r" / "G_timing"
    if not home.exists():
        print("skipped risk: TACITA_SHARED does not name the folder of reference files")
        return
    frame, small = (pyarrow.csv.read_csv(home / f"keys8_{n}.csv.gz") for n in (100_000, 10_000))
    for name, settings, tool, task, asked in CASES:
        told = ", ".join(f"{key}={value}" for key, value in settings.items())
        case = f"{name}({told}), n=100000, CPU s"
        yield Result(case, _seconds(frame, name, settings), tool, _peers(home, tool, task, 100_000), asked)
    ours = _seconds(small, "suda2", {"fraction": 0.1, "size": 8})
    yield Result(
        "suda2, all sizes, n=10000, CPU s", ours, "sdcMicro", _peers(home, "sdcMicro", "suda2", 10_000)
    )
    rng = np.random.default_rng(0)
    gaps = frame
    for key in KEYS:
        cells = pc.if_else(pa.array(rng.random(frame.num_rows) < 0.01), None, frame[key])
        gaps = gaps.set_column(gaps.column_names.index(key), key, cells)
    ours = _seconds(gaps, "k_anonymity", {"missing_as": "wildcard"})
    peer = _peers(home, "sdcMicro", "freqCalcNA", 100_000)
    yield Result("k_anonymity, 1 % missing as wildcards, n=100000, CPU s", ours, "sdcMicro", peer)


def _seconds(frame: pa.Table, name: str, settings: dict[str, Any]) -> float:
    measure = tacita.get_method(name, keys=KEYS, **settings)
    return cpu_seconds(lambda: measure.score(Comparison.of_files(Files.unprotected(Microdata.of(frame)))))


def _peers(home: Path, tool: str, task: str, n: int) -> float | None:
    """CPU seconds that a peer took on the same file, as they were measured."""
    for line in (home / "runs.jsonl").read_text().splitlines():
        told = json.loads(line)
        if (told.get("tool"), told.get("task"), told.get("n")) == (tool, task, n):
            return float(told["cpu"])
    return None
