"""Releases at random over methods and formats, read by software that knows nothing of tacita.

`python -m benchmarks.fuzz_releases --count 2000 --first 0` protects small files of odd columns, writes every
format from every format, reads the releases with pandas, pyreadstat and Python's csv module, and counts what
is below what was promised, what changed that should not have, and releases that failed tacita's own
verification. Prints each such case with its number, which `--first` repeats; exits with 1 where there is one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path


def main(words: list[str]) -> int:
    """Carry out so many cases."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    import fuzzing

    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz_releases", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="how many cases")
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument("--methods", default="", help="only these for the first step, separated by commas")
    asked = parser.parse_args(words)
    only = tuple(filter(None, asked.methods.split(",")))
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(asked.first, asked.first + asked.count):
            case = fuzzing.drawn(seed, only=only)
            wrong = fuzzing.failures(case, Path(folder))
            outcome = "refused" if fuzzing.refused(case, Path(folder)) else "released"
            counts["wrong" if wrong else outcome] += 1
            for what in wrong:
                methods = " + ".join(part["method"] for part in case.parts)
                print(f"{seed} ({methods}, {case.source} to {case.target}): {what}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
