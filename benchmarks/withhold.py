"""Local suppression beside sdcMicro's, on the files of its reference figures where these are at hand.

sdcMicro counts released patterns against each other; what it withholds is audited by our promise as well. The
folder of the figures is `reference` beside the one that TACITA_DATA names.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import tacita
from tacita.core import RunContext
from tacita.microdata.verify.local_suppression import compatible

from .measuring import Result

_READINGS = ("category", "wildcard")
_PEER = "sdcMicro, cells by its weaker count"


def results() -> Iterator[Result]:
    """Cells withheld, bounds and CPU seconds; how many persons the peer's files leave among fewer than k."""
    folder = Path(os.environ.get("TACITA_DATA", "nowhere")).parent / "reference" / "r"
    if not folder.is_dir():
        yield Result("no reference figures at hand", float("nan"), "TACITA_DATA names no folder", None)
        return
    yield from _small(folder / "A_sdcmicro")
    yield from _large(folder / "G_timing")


def _small(folder: Path) -> Iterator[Result]:
    for name, run in json.loads((folder / "localsuppression.json").read_text()).items():
        source = folder / f"{_source(name)}.csv"
        if not isinstance(run, dict) or run["strata"] or run["combs"] or not source.exists():
            continue
        with source.open() as lines:
            codes = _codes([[row[key] for key in run["keys"]] for row in csv.DictReader(lines)])
        for reading in _READINGS:
            yield from _run(f"{name} {reading}", codes, run["k"], reading, run["total_new"])
        if run.get("xAnon"):
            after = np.array([[cell is None for cell in run["xAnon"][key]] for key in run["keys"]]).T
            found = compatible(codes, np.where(after, -1, codes), np.arange(len(codes)))
            short = float((found < run["k"]).sum())
            yield Result(f"{name}: keys that fit fewer than k in sdcMicro's file", short, "", None)


def _large(folder: Path) -> Iterator[Result]:
    told = [json.loads(line) for line in (folder / "runs.jsonl").read_text().splitlines()]
    for n in (10_000, 100_000):
        with gzip.open(folder / f"keys8_{n}.csv.gz", "rt") as lines:
            rows = list(csv.reader(lines))[1:]
        codes = _codes([row[:8] for row in rows])
        theirs = next(each for each in told if each["task"] == "localSuppression" and each["n"] == n)
        for reading in _READINGS:
            asked = "10 CPU s" if n == 100_000 else ""
            yield from _run(f"keys8_{n} {reading}", codes, 3, reading, theirs.get("info"), theirs, asked)


def _run(
    case: str,
    codes: Any,
    k: int,
    reading: str,
    cells: float | None,
    peer: dict[str, Any] | None = None,
    asked: str = "",
) -> Iterator[Result]:
    method: Any = tacita.get_method("local-suppression", k=k, missing_as=reading)
    weights = np.ones(codes.shape[1])
    if peer is not None:
        # what is compiled on first use does not count
        method.suppress(codes[:500], weights, RunContext())
    start = time.process_time()
    found = method.suppress(codes, weights, RunContext())
    spent = time.process_time() - start
    taken = float(found.cells.sum())
    yield Result(f"{case}, cells withheld", taken, _PEER, cells, f"at least {found.lower_bound:g}")
    if peer is not None:
        stopped = peer.get("error", "")
        yield Result(f"{case}, CPU s", spent, f"sdcMicro {stopped}".strip(), peer.get("cpu"), asked)


def _source(name: str) -> str:
    return "cat300_na" if name.startswith("cat300_na") else name.partition("_")[0]


def _codes(rows: list[list[str]]) -> Any:
    """Numbers for the values of each column, -1 where there is none."""
    columns = []
    for cells in zip(*rows, strict=True):
        levels = {cell: at for at, cell in enumerate(sorted({*cells} - {"", "NA"}))}
        columns.append([levels.get(cell, -1) for cell in cells])
    return np.array(columns).T
