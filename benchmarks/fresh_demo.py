"""`make demo` in a fresh clone, installation included. Only when named: it downloads packages."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from .measuring import Result

HERE = Path(__file__).parent.parent


def results() -> Iterator[Result]:
    """Elapsed time from nothing to the report."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder, "tacita")
        subprocess.run(["git", "clone", "--quiet", str(HERE), str(clone)], check=True)
        start = time.perf_counter()
        subprocess.run(["make", "demo"], cwd=clone, check=True, stdout=subprocess.DEVNULL)
        elapsed = time.perf_counter() - start
        made = {path.name for path in (clone / "demo").iterdir()}
        assert {"protected.csv", "report.html", "quality.html", "plan.toml"} <= made
    yield Result("make demo in a fresh clone, elapsed s", elapsed, "", None, "under 180 s")
