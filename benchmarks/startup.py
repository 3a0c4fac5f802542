"""How long the command line takes to answer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from .measuring import Result, wall_seconds


def results() -> Iterator[Result]:
    """Elapsed, in a new process each time, against an interpreter that does nothing."""
    nothing = wall_seconds(lambda: _run("-c", "pass"))
    for words in (["--help"], ["protect", "--help"], ["methods", "--json"]):
        yield Result(
            f"tacita {' '.join(words)}, elapsed s",
            wall_seconds(lambda words=words: _run("-m", "tacita", *words)),
            "python -c pass",
            nothing,
            "under 0.8 s" if words == ["--help"] else "",
        )


def _run(*words: str) -> None:
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
