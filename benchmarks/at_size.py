"""What a large file costs from end to end: `python -m benchmarks at_size`.

`tacita protect` by blocks, from Parquet to Parquet with the default report, part by part; the linkage
measures; `tabulate`, in memory and by two processes. CPU s, elapsed s and peak MB, each in a
process of its own, or of all processes of an executor together. 20 000 records; with $TACITA_LARGE set a
million, and ten million to tabulate.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .measuring import Result, of_command

LARGE = 1_000_000 if os.environ.get("TACITA_LARGE") else 20_000
RECORDS = 10 * LARGE
LINKING = ("DBRL", "DLD", "PRL", "RSRL")
# Seconds and MB that an issue asks for, of a million records, or ten to tabulate.
ASKED = {
    "protect, elapsed s": "90 s on 2 cores",
    "protect, peak MB": "1500",
    "DBRL, elapsed s": "exact, or +- 0.2 %, in 60 s",
    "tabulate, elapsed s": "60 s before",
    "tabulate, peak MB": "2800 before",
}


def results() -> Iterator[Result]:
    """Every part runs where nothing else has left memory behind."""
    with tempfile.TemporaryDirectory() as folder:
        for work in ("protect", "link", "tabulate"):
            command = [sys.executable, "-m", "benchmarks.at_size", work, folder]
            told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            for what, figure in json.loads(told.splitlines()[-1]).items():
                n = RECORDS if work == "tabulate" else LARGE
                asked = ASKED.get(what, "") if os.environ.get("TACITA_LARGE") else ""
                yield Result(f"{what}, n={n}", figure, "", None, asked)
        yield from _by_executor(Path(folder))


def _by_executor(folder: Path) -> Iterator[Result]:
    """The same table of the same file by the command, part by part."""
    asked = ["--dimensions", "region,sector", "--value", "turnover"]
    places = [str(folder / "firms.parquet"), "--out", str(folder / "cells.csv")]
    elapsed, cpu, peak = of_command(
        ["tabulate", *places, *asked, "--executor", "processes", "--workers", "2"]
    )
    for what, figure in {"CPU s": cpu, "elapsed s": elapsed, "peak MB": peak}.items():
        yield Result(f"tabulate by processes, {what}, n={RECORDS}", figure, "", None, "")


def protect(folder: Path) -> dict[str, float]:
    """The whole of it, and what each part takes; the rest is summaries, uniqueness and the page."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    import tacita
    from tacita.core.results.score import Comparison
    from tacita.io.formats.parquet import Parquet
    from tacita.microdata import verify
    from tacita.microdata.methods.microaggregation.blocks import Blocks
    from tacita.microdata.release import record

    from .mdav import survey

    x = survey(LARGE)
    pq.write_table(pa.table({f"x{j}": column for j, column in enumerate(x.T)}), folder / "survey.parquet")
    del x
    # what is compiled on first use does not count
    Blocks().partition(survey(7000))
    for name in LINKING:
        tacita.get_method(name).score(Comparison.of(survey(300), survey(300)))
    watched = Watch()
    watched.over("read", Parquet, "unpack")
    watched.over("group", Blocks, "partition")
    watched.over("verify", verify, "_verdicts")
    watched.over("measure", record, "measure")
    watched.over("write", Parquet, "pack")
    plan = tacita.Plan(
        input={"path": folder / "survey.parquet"},
        roles={"quasi": "numeric"},
        protect={"method": "blocks", "k": 3},
        output={"path": folder / "safe.parquet", "report": folder / "report.html"},
    )
    watched.timed("whole", lambda: tacita.run_plan(plan))
    return watched.told("protect")


def link(folder: Path) -> dict[str, float]:
    """Measures of linkage, of what was protected before."""
    import pyarrow.parquet as pq

    import tacita
    from tacita.core.results.score import Comparison

    x, z = (
        np.column_stack(pq.read_table(folder / name).columns) for name in ("survey.parquet", "safe.parquet")
    )
    found: dict[str, float] = {}
    for name in LINKING:
        method, watched = tacita.get_method(name), Watch()
        method.score(Comparison.of(x[:300], z[:300]))
        watched.timed("whole", lambda method=method: method.score(Comparison.of(x, z)))
        found |= watched.told(name)
    return found


def tabulate(folder: Path) -> dict[str, float]:
    """Sums of records by two columns, with who is largest in each cell."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    import tacita

    rng = np.random.default_rng(0)
    regions, sectors = (
        [f"{word} {i}" for i in range(count)] for word, count in (("region", 20), ("sector", 50))
    )
    place, kind = rng.integers(0, 20, RECORDS), rng.integers(0, 50, RECORDS)
    table = {
        "region": pa.DictionaryArray.from_arrays(pa.array(place), regions).cast(pa.string()),
        "sector": pa.DictionaryArray.from_arrays(pa.array(kind), sectors).cast(pa.string()),
        "turnover": np.round(rng.lognormal(3, 1.5, RECORDS), 2),
    }
    pq.write_table(pa.table(table), folder / "firms.parquet")
    del table, place, kind
    watched = Watch()
    watched.timed(
        "whole",
        lambda: tacita.tabulate(folder / "firms.parquet", ["region", "sector"], "turnover"),
    )
    return watched.told("tabulate")


class Watch:
    """CPU and elapsed seconds of functions while they are watched."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}

    def over(self, part: str, place: Any, name: str) -> None:
        """From now on, whoever calls this is watched."""
        kept = getattr(place, name)
        setattr(place, name, lambda *given, **more: self.timed(part, lambda: kept(*given, **more)))

    def timed(self, part: str, work: Callable[[], Any]) -> Any:
        """Do it, and keep what it took."""
        began = time.process_time(), time.perf_counter()
        try:
            return work()
        finally:
            took = time.process_time() - began[0], time.perf_counter() - began[1]
            known = self.seconds.setdefault(part, [0.0, 0.0])
            self.seconds[part] = [one + more for one, more in zip(known, took, strict=True)]

    def told(self, what: str) -> dict[str, float]:
        """Figures by the names that they are printed under."""
        found = {}
        for part, (cpu, elapsed) in self.seconds.items():
            name = what if part == "whole" else f"{what}: {part}"
            found |= {f"{name}, CPU s": cpu, f"{name}, elapsed s": elapsed}
        # in bytes on one system, in units of 1024 on the others
        unit = 1e6 if sys.platform == "darwin" else 1e6 / 1024
        return {**found, f"{what}, peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit}


if __name__ == "__main__":
    print(
        json.dumps({"protect": protect, "link": link, "tabulate": tabulate}[sys.argv[1]](Path(sys.argv[2])))
    )
