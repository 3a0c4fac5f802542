"""Run all cases, or those named: `python -m benchmarks [mdav startup ...]`."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path

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
    print(f"{'case':<52} {'ours':>10} {'peer':>10} {'ratio':>7}  peer; asked for")
    for case in words or [case for case in CASES if case not in SLOW]:
        for result in import_module(f"benchmarks.{case}").results():
            theirs = "" if result.theirs is None else f"{result.theirs:10.5g}"
            ratio = "" if result.ratio is None else f"{result.ratio:7.1f}"
            figures = f"{result.case:<52} {result.ours:10.5g} {theirs:>10} {ratio:>7}"
            print(f"{figures}  {'; '.join(filter(None, (result.peer, result.asked)))}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
