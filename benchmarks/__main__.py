"""Run all cases, or those named: `python -m benchmarks [mdav startup ...]`."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path

from .table import Columns

SLOW = {
    "adjustment",
    "best",
    "brkga",
    "certificate",
    "cold",
    "fresh_demo",
    "general_tables",
    "generalise",
    "large_tables",
    "measures_large",
    "page",
    "solvers",
    "suppression",
    "two_way_bounds",
    "withhold",
}
# others are commands of their own, or help these
CASES = sorted(
    path.stem for path in Path(__file__).parent.glob("*.py") if "\ndef results(" in path.read_text("utf-8")
)


def main(words: list[str]) -> int:
    """Print one line per result."""
    # one core: a ratio should compare algorithms, not machines; set before a case imports numpy
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    unknown = set(words) - set(CASES)
    if unknown:
        print(f"no case named {', '.join(sorted(unknown))}; there are {', '.join(CASES)}")
        return 2
    table = Columns(case="<52", ours=">10.5g", peer=">10.5g", ratio=">7.1f", peer_and_what_is_asked_for="")
    table.print_titles()
    for case in words or [case for case in CASES if case not in SLOW]:
        for result in import_module(f"benchmarks.{case}").results():
            beside = "; ".join(filter(None, (result.peer, result.asked)))
            table.print(result.case, result.ours, result.theirs, result.ratio, beside)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
