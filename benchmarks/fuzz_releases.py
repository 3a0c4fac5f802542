"""Releases at random over methods and formats, read by software that knows nothing of tacita.

`python -m benchmarks.fuzz_releases --count 2000 --first 0` protects small files of odd columns by one to
three steps, writes every format from every format, reads the releases with pandas, pyreadstat and Python's
csv module, and counts what is below what was promised, what changed that should not have, and releases that
failed tacita's own verification. Prints each such case with its number, which `--first` repeats, and how many
methods and pairs of formats were covered; exits with 1 where something is wrong.
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
    parser.add_argument(
        "--released", action="store_true", help="count released cases alone, not refused ones"
    )
    parser.add_argument("--features", action="store_true", help="print how often each feature was released")
    options = parser.parse_args(words)
    only = tuple(filter(None, options.methods.split(",")))
    outcomes: Counter[str] = Counter()
    covered: Counter[str] = Counter()
    seed = options.first
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while (outcomes.total() - options.released * outcomes["refused"]) < options.count:
            case = fuzzing.drawn(seed, only=only)
            faults = fuzzing.failures(case, Path(folder))
            refused = fuzzing.refused(case, Path(folder))
            outcomes["wrong" if faults else "refused" if refused else "released"] += 1
            if not refused:
                covered.update(case.features)
            for fault in faults:
                methods = " + ".join(part["method"] for part in case.parts)
                print(f"{seed} ({methods}, {case.source} to {case.target}): {fault}", flush=True)
            seed += 1
    if options.features:
        for feature, count in sorted(covered.items()):
            print(f"{count:6} {feature}")
    methods = sum(f"method {name}" in covered for name in fuzzing.METHODS)
    pairs = sum(f"{source} to {target}" in covered for source, target in fuzzing.PAIRS)
    print(
        f"cases {options.first} to {seed - 1}: {outcomes['released']} released, {outcomes['refused']} "
        f"refused in words, {outcomes['wrong']} wrong; {methods} of {len(fuzzing.METHODS)} methods, "
        f"{pairs} of {len(fuzzing.PAIRS)} pairs of formats, {covered['several steps']} of several steps",
        flush=True,
    )
    return 1 if outcomes["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
