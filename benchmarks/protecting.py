"""The whole job on a file: how much of it is the method, how much reading, verifying and writing."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

import tacita
from tacita import api
from tacita.core import RunContext

from .measuring import Result, cpu_seconds


def results() -> Iterator[Result]:
    """20 000 x 8 in 20 strata, CSV in and out, without measures that are quadratic."""
    rng = np.random.default_rng(0)
    columns = {f"x{j}": rng.lognormal(size=20_000).round(3) for j in range(8)}
    columns["stratum"] = rng.integers(0, 20, 20_000)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "in.csv")
        api.write_frame(pa.table(columns), source)
        plan = tacita.Plan(
            input={"path": source},
            roles={"quasi": [f"x{j}" for j in range(8)], "strata": ["stratum"]},
            measure={"names": ["IL1", "IL2"]},
            output={"path": Path(folder, "out.csv"), "json": Path(folder, "report.json")},
        )
        z = np.column_stack([columns[f"x{j}"] for j in range(8)])
        method = tacita.get_method("mdav", k=3)

        def grouping_alone() -> None:
            for stratum in range(20):
                method.partition(z[columns["stratum"] == stratum])

        yield Result(
            "protect 20000 x 8, 20 strata, CSV, CPU s",
            cpu_seconds(lambda: tacita.run_plan(plan, RunContext(threads=1))),
            "grouping alone",
            cpu_seconds(grouping_alone),
        )
