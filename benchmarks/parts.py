"""Files in parts: `tacita protect` from Parquet to Parquet with its report, on all cores of this machine.

With $TACITA_LARGE set, one and ten million records. Peak memory is that of all processes together.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from .mdav import survey
from .measuring import Result, of_command

# Records: seconds elapsed and megabytes asked for.
ASKED = {1_000_000: ("90", "1500"), 10_000_000: ("720", "3000")}
_PER_FILE = 500_000


def results() -> Iterator[Result]:
    """Elapsed, processor seconds and memory by size and executor; growth from one size to the next."""
    sizes = [1_000_000, 10_000_000] if os.environ.get("TACITA_LARGE") else [100_000]
    before: float | None = None
    with tempfile.TemporaryDirectory() as folder:
        for n in sizes:
            source = _written(Path(folder) / f"records-{n}", n)
            for executor in ("in-memory", "processes") if n <= 1_000_000 else ("processes",):
                out = Path(folder) / f"out-{n}-{executor}.parquet"
                seconds, cpu, peak = _protected(source, out, executor, n)
                asked = ASKED.get(n, ("", ""))
                case = f"protect {n} x 8 by blocks, k=3, executor {executor}"
                yield Result(f"{case}, seconds elapsed", seconds, "", None, asked[0])
                yield Result(f"{case}, CPU seconds", cpu, "", None, "")
                yield Result(f"{case}, MB of all processes", peak, "", None, asked[1])
            if before is not None:
                yield Result(
                    "growth of elapsed time from 1 to 10 million, times", seconds / before, "", None, "12"
                )
            before = seconds


def _written(folder: Path, n: int) -> Path:
    folder.mkdir()
    x = survey(n)
    for number, first in enumerate(range(0, n, _PER_FILE)):
        rows = slice(first, first + _PER_FILE)
        columns = {f"v{j}": x[rows, j] for j in range(x.shape[1])}
        pq.write_table(pa.table(columns), folder / f"part-{number:04d}.parquet")
    return folder


def _protected(source: Path, out: Path, executor: str, n: int) -> tuple[float, float, float]:
    words = ["protect", str(source), "--out", str(out)]
    if executor == "in-memory":
        # one part holds all of it: made in memory, whatever the files
        words += ["--executor", "serial", "--part", str(n)]
    else:
        words += ["--executor", executor]
    words += [
        "--quasi",
        "numeric",
        "--method",
        "blocks",
        "--k",
        "3",
        "--report",
        str(out.with_suffix(".html")),
    ]
    return of_command(words)
